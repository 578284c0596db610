"""Finding: what a closed question asks for, and whether a sentence says that it is there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from snellen.grading.language.negation import denied_words
from snellen.grading.language.patterns import word_set
from snellen.grading.language.words.anatomy import (
    ACUTE,
    ALIKE,
    FAMILIES,
    HOME,
    IMPLIED,
    NEUTRAL,
    OF_SIZE,
    OPPOSITES,
    SICK,
    TOGETHER,
    WHOLE,
    WITHIN,
    Named,
    named,
)

_WORD = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*|[.,;:()?]")
_PREFIX = re.compile(r"\bnon[ -](?=[a-z])")
_MARKS = re.compile("[\u0300-\u036f]+")

_EMPTY = word_set(
    "a an the this that these those is are was were be been being do does did has have had can could would will you we "
    "i it its there here in on at of to for from by with within and or as any some no not without free if so such "
    "image images picture film scan study view section slice plane cut patient patient's patients see seen visible "
    "visualized visualised present shown show shows display displays displayed depict depicts depicted demonstrate "
    "identified identify identifiable noted evident appreciate appreciated evidence sign signs suggestion presence "
    "indication finding findings appear appears appearing look looks seem seems possible able located appearance "
    "anywhere above only also well clearly obvious significant definite visualize viewed evaluate evaluated pictured "
    "taken used given use uses get received receive provided weighted protocol kind type showing contain contains "
    "observed observe entire all left right side sided right-sided left-sided both bilateral bilaterally lobe lobes "
    "upper lower middle field fields hemisphere region area zone silhouette "
    "c'e ci sono il lo la le gli un una uno del della nel nella e di e' ha presente presenti visibile visibili "
    "hay el los las esta estan es en y a-t-il y-a-t-il des les du de est-il est-elle dans gibt es einen eine ein ist "
    "das der die sind im"
)
"""Words that say nothing of what is asked for; the sides and lobes are looked at apart."""
_DEGREES = word_set(
    "acute chronic small large big mild moderate severe minimal slight subtle focal multiple several single gross "
    "frank new old good adequate abnormal abnormally increased structure structures size shape contour contours "
    "appearing space tissue process large other significant"
)
"""Words that narrow a finding, and that a response may leave out."""
_THINGS = frozenset(("lesion", "mass", "disease", "abnormal"))
"""Findings that only carry a quality, where the question names one: "is the lesion cystic?"."""
_ANYTHING = frozenset(("abnormal", "disease", "damage"))
"""What is there if any finding is."""
_SOUND = frozenset(("normal", "intact", "clear"))
_NOT_ASKED = re.compile(
    r"\b(?:is|are) (?:there|this|these) (?:not? )(?!normal)|\bfree (?:of|from)\b|\bwithout\b|\babsen|\bno evidence\b"
)
"""A question to which yes means that something is absent."""
_OPEN = re.compile(
    r"\b(?:may|might|could|would|should|if|whether|possib\w+|potential\w*|perhaps|maybe|typically|usually|generally|"
    r"often|commonly|cannot (?:be )?(?:exclude|rule|completely|definitively|determine|assess|confirm)\w*|"
    r"can(?:no|')t (?:be )?(?:exclude|rule|determine|assess|tell|say|confirm)\w*|not (?:be )?(?:possible|clear|"
    r"certain|sure)|"
    r"(?:difficult|hard|unable|impossible) to|unclear|unsure|uncertain|indeterminate|equivocal|can be seen as|"
    r"refers? to|defined as|(?:is|are) (?:an? )?(?:condition|collection|accumulation|medical|type|term|kind|sign) |"
    r"in (?:patients|people|cases|individuals|some|many)|"
    r"human body|body's|in medical|medical (?:term|imaging|condition|procedure)|organs? (?:that|of|in)|"
    r"responsible for|plays? an?|rare (?:condition|disease|disorder|form|genetic)|example of|studies|"
    r"condition (?:that|where|in which)|occurs? when|in order to|"
    r"to (?:determine|assess|evaluate|confirm|answer|identify|diagnose)|look(?:ing)? for|"
    r"(?:suggest|recommend|advise)(?:ed)? (?:that )?(?:you|consult\w*|a|an|further|to)|discuss|consult|visit|"
    r"characterized by|means|assessed (?:on|by|with)|ne peu[tx] pas|non posso|no puedo|kann nicht|"
    r"difficil\w*|ob|se c'e|stabilire|valutar\w*|caratteriz\w+|caracteriz\w+|step \d+|potrebbe|forse|"
    r"podria|pourrait|konnte|moglicherweise|evaluate for|assess for|"
    r"(?<!nothing )(?<!no )(?<!not )suspicio\w+ (?:of|for)|(?<!no )concern for|"
    r"question of|questionable|upper limits? of normal|borderline|top normal)\b"
)
"""Doubt, supposition, definition, advice: nothing is said of the image."""
_DEFINES = re.compile(
    r"\W*(?!the |this |it |that |these |in |based |on |there |i |we |no |both )"
    r"(?:an? |some |most |many |il |la |el |le |un |una )?"
    r"([\w -]{3,48}?) (?:is|are|means?|occurs?|refers?|happens?|e|es|est|ist|has|have)\b"
    r"(?! (?:\w+ly )?(?:not |also |being )?(?:present|absent|seen|visible|noted|identified|evident|there|shown|"
    r"observed|visualized|apparent|depicted|in place|presente|demonstrated|detected|appreciated|excluded|unlikely|"
    r"likely))"
)
"""A sentence about a thing as such: its name, without an article that points at it, and what it is."""
_BESIDE = re.compile(
    r" ?\([^()]{0,80}\)|, (?:indicating|suggesting|meaning|an? \w+)\b[^,]{0,80}\b(?:potential|possibl[ey]|may|might|"
    r"typically|usually|responsible|requires?)\b.*|"
    r",? which (?:may|might|can|could|would|helps?|often|(?:is|are) (?!consistent|suggest|compatible|indicat|"
    r"in keeping|likely|visible|seen|present|not |absent)).*|"
    r",? (?:often|also|commonly) (?:referred to|known) as [^,]*,?|, a (?:rare |common |medical |serious )*condition\b.*"
)
"""What is said of a thing as such, after the thing."""
_ASSERTS = word_set(
    "is are was were has have there shows show showing depicts demonstrates demonstrating reveals displays contains "
    "presence seen noted visible present evidence consistent suggestive suggests suggesting indicates indicating "
    "indicative appears appear confirms confirmed identified found observed see positive keeping compatible represents "
    "e ha sono mostra presenta presente si osserva hay muestra presenta se il on zeigt ist hat est montre"
)
"""Words of which a sentence that finds something holds one, unless it is short."""
_SHORT = 9
_SEEN = word_set(
    "seen visible visualized visualised present identified noted evident shown included shows show displays "
    "demonstrates there appreciated observed depicted viewed see depicts contains includes"
)
_GONE = word_set("removed resected absent missing")
_MEASURED = re.compile(
    r"\b(?:size|caliber|calibre|width|diameter|dimensioni|tamano|taille|gross|dimensions?)\b[^.;,]{0,24}\bnormal|"
    r"\bnormal\w* (?:in |of |for )?(?:overall )?(?:size|caliber|calibre|width|diameter|dimension|gross)|"
    r"\b(?:dimensioni|tamano|taille) normal"
)
_ACUTELY = word_set("acute acutely active")
_REST = word_set("remaining rest remainder otherwise other")
_THIS_IS = re.compile(
    r"\W*(?:this|it|the (?:\w+ ){0,2}?(?:image|scan|film|study|view)(?: provided| shown)?) "
    r"(?:is|shows|depicts|appears)\b"
)
_BRIEF = re.compile(
    r"\W*(?:(?P<no>(?:it|this|that|they|there) (?:does|do|is|are|was|has|have) (?:not|none)|"
    r"(?:none|not|nothing)(?: (?:seen|present|visible|identified|noted|evident|detected|there|shown|apparent))?|"
    r"absent|negative|(?:there (?:is|are) )?none(?: \w+)?)|"
    r"(?P<yes>(?:it|this|that|they|there) (?:does|do|is|are|was|has|have)|present|positive|seen|visible))\W*"
)
"""A whole response that says no more than that something is or is not so."""
_BOTH_SIDES = word_set("both bilateral bilaterally all two")
_ONE = word_set("only one single")


class Heard(Enum):
    """How a sentence says something."""

    DIRECTLY = 1
    """It names what was asked for."""
    BY_INFERENCE = 2
    """It names its contrary, or says that all is normal."""
    OF_A_PART = 3
    """It says that one part is normal where the whole image was asked about."""


class Asked(NamedTuple):
    """What a closed question asks for."""

    things: tuple[str, ...]
    """Findings, qualities and kinds, in order; the last carries the meaning."""
    parts: frozenset[str]
    sides: frozenset[str]
    both: bool
    absent: bool
    """Yes means that it is not there."""
    visible: bool
    """Only whether a part of the body can be seen."""
    located: bool
    """Where a thing is that the question takes for granted."""
    measured: bool = False
    """Of its size."""
    identity: bool = False
    """Whether the image is of this kind or part."""


class _Read(NamedTuple):
    """The words of a sentence, what they name, and which of them are denied."""

    words: tuple[str, ...]
    things: tuple[tuple[str, bool], ...]
    parts: frozenset[str]
    sides: frozenset[str]
    text: str


def _plain(text: str) -> str:
    low = text.lower().replace("’", "'")
    return low if low.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", low)).replace("ß", "ss")


@lru_cache(maxsize=4096)
def asked(question: str) -> Asked | None:
    """What a question that can be answered by yes or no asks for; None where that cannot be told."""
    low = _plain(question).lstrip("¿ ")
    if not low.startswith(_IDENTITY):
        low = _THIS_STUDY.sub("this image", low)
    words = _joined(_WORD.findall(low))
    return _about(low, words) if _closed(low, words) else None


def _about(low: str, words: Sequence[str]) -> Asked | None:
    """What the words of a question name."""
    things: list[str] = []
    parts: list[str] = []
    for word in words:
        found = named(word)
        if found is not None:
            things += found.things
            parts += found.parts
        elif word not in _EMPTY and word not in _DEGREES and word[0].isalpha():
            things.append(_stem(word))
    if "shifted" in things:  # a shift of the midline, or away from it
        things = [thing for thing in things if thing != "midline"]
    known = [thing for thing in things if thing in _KNOWN]
    telling = [thing for thing in known if thing not in _THINGS]
    located = _is_located(low, known)
    if telling and len(telling) < len(known):
        things = [thing for thing in things if thing not in _THINGS]
    if known:  # what the tables know carries the meaning, so it comes last
        things.sort(key=lambda thing: thing in _KNOWN)
    if not (things or parts):
        return None
    return Asked(
        tuple(dict.fromkeys(things)),
        frozenset(parts),
        _sides(words),
        not _BOTH_SIDES.isdisjoint(words),
        _NOT_ASKED.search(low) is not None,
        visible=not things,
        located=located,
        measured="size" in words,
        identity=low.startswith(_IDENTITY),
    )


_IDENTITY = ("is this", "is it", "was this")
_THIS_STUDY = re.compile(
    r"\bth(?:is|e) (?:(?!of |in |on |and |or )[\w-]+ ){0,2}?"
    r"(?:ct|mri|x-?ray|x ray|cxr|radiograph|mammogram|ultrasound)\b"
    r"(?: (?:scan|image|film|slice|study)\b)?"
)
"""The image by its kind, where the question is about something in it."""
_CLOSED = word_set(
    "is are was were does do doe did can could has have had would will any anything evidence notice should besides "
    "is/are"
)
_ASKING = word_set(
    "what which how where who why when describe che cosa quale quali quante quanti quanto quanta dove chi come perche "
    "di que cual cuales cuantos cuantas donde quien quel quelle quels quelles combien ou qui was welche welcher "
    "welches wie wo wer warum"
)


def in_english(question: str) -> bool:
    """Whether a question opens with an English verb, as those do that `asked` understands best."""
    first = _WORD.search(question.lower())
    return first is not None and first.group() in _CLOSED and _OTHER_WAS.match(question) is None


_OTHER_WAS = re.compile(r"was (?:ist|sind|sieht|zeigt|fur|für|kann)\b", re.IGNORECASE)


def _closed(low: str, words: Sequence[str]) -> bool:
    """Whether a question can be answered by yes or no, and offers no other answers."""
    if not words or "or" in words:
        return False
    if words[0] in _CLOSED:
        return _OTHER_WAS.match(low) is None
    return "?" in words[-1:] and low.isascii() and _ASKING.isdisjoint(words)


_WHERE = re.compile(
    r"^(?:is|are) (?:the|this|these) [\w -]{3,40}? (?:located |found |seen |confined )?(?:in|on|near)\b"
)


def _is_located(low: str, things: Sequence[str]) -> bool:
    return _WHERE.match(low) is not None and len(things) == 1 and things[0] in SICK


_ENDINGS = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ities",
    "ity",
    "ings",
    "ing",
    "ions",
    "ion",
    "ies",
    "ed",
    "es",
    "s",
    "e",
    "y",
)
_STEM = 4
_KNOWN = frozenset((*SICK, *NEUTRAL, "free air", "ng"))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word


class _Meanings(dict[str, Named]):
    """What each word met so far names, by the tables or by its stem; forgotten when there are too many."""

    def __missing__(self, word: str) -> Named:
        found = named(word) or Named((_stem(word),) if word[0].isalpha() else ())
        if len(self) > _MOST:
            self.clear()
        self[word] = found
        return found


_MOST = 50_000
_MEANINGS = _Meanings()


_FIRSTS = frozenset(together[0] for together in TOGETHER)


def _joined(words: Sequence[str]) -> list[str]:
    """The words, those that name one thing together as one."""
    if _FIRSTS.isdisjoint(words):
        return list(words)
    joined: list[str] = []
    at = 0
    while at < len(words):
        for length in (3, 2) if words[at] in _FIRSTS else ():
            one = TOGETHER.get(tuple(words[at : at + length]))
            if one is not None:
                joined.append(one)
                at += length
                break
        else:
            joined.append(words[at])
            at += 1
    return joined


_LEFT_AND_RIGHT = frozenset(("left", "right"))


def _sides(words: Sequence[str]) -> frozenset[str]:
    if not _BOTH_SIDES.isdisjoint(words):
        return _LEFT_AND_RIGHT
    found = {word[:5].removesuffix("-") for word in words if word.startswith(("left", "right"))}
    if found and "than" in words:
        return _sides(words[: words.index("than")])
    return frozenset("left" if side[0] == "l" else "right" for side in found)


def _read(sentence: str) -> _Read:
    text = _plain(sentence)
    words = _joined(_WORD.findall(_PREFIX.sub("non ", text)))
    denied = denied_words(words)
    things: list[tuple[str, bool]] = []
    parts: list[str] = []
    for word, no in zip(words, denied, strict=True):
        found = _MEANINGS[word]
        for thing in found.things:
            things.append((thing, no))
        parts += found.parts
    return _Read(tuple(words), tuple(things), frozenset(parts), _sides(words), text)


def heard(sentence: str, about: Asked) -> tuple[bool, Heard] | None:
    """Whether a sentence says that what was asked for is there, and how; None where it says neither.

    >>> heard("No pneumothorax is seen.", asked("Is there a pneumothorax?"))[0]
    False
    >>> heard("The heart is normal in size.", asked("Is there cardiomegaly?"))[0]
    False
    """
    low = _plain(sentence)
    if "," in low or "(" in low or "which" in low or " as " in low:
        low = _BESIDE.sub("", low)
    if (brief := _BRIEF.fullmatch(low)) is not None:
        return brief.group("yes") is not None, Heard.DIRECTLY
    if _OPEN.search(low) or low.rstrip().endswith("?") or _defines(low, about):
        return None
    said: dict[Heard, set[bool]] = {}
    parts: frozenset[str] = frozenset()
    for clause in _CLAUSE.split(low):
        read = _read(clause)
        if not read.parts:
            read = read._replace(parts=parts)
        parts = read.parts
        verdict = _heard(read, about)
        if verdict is not None:
            said.setdefault(verdict[1], set()).add(verdict[0])
    for how in Heard:
        if how in said:
            return (said[how].pop(), how) if len(said[how]) == 1 else None
    return None


_EXPLAINS = re.compile(
    r"(?:is|are|refers to|stands for|means) (?:an? |the )?"
    r"(?:(?:very |rare |common |serious |medical |non-?\w+ |type of ){0,3})"
    r"(?:condition|disease|disorder|term|technique|method|procedure|tool|organs?|collection|accumulation|process|"
    r"type)\b|\b(?:refers to|stands for|is defined as|occurs when)\b"
)
_OF_THIS = word_set("image picture scan film x-ray xray radiograph study ct mri this here patient patient's")


def explains(sentence: str, about: Asked) -> bool:
    """Whether a sentence says what something is as such, and the response is then an essay on it."""
    low = _plain(sentence)
    return _EXPLAINS.search(low) is not None or _defines(low, about)


def of_this(sentence: str) -> bool:
    """Whether a sentence names the image or the patient."""
    return not _OF_THIS.isdisjoint(_WORD.findall(_plain(sentence)))


def _defines(low: str, about: Asked) -> bool:
    """Whether a sentence says what the thing asked for is, whoever has it."""
    found = _DEFINES.match(low)
    if found is None or not about.things:
        return False
    return about.things[-1] in {thing for thing, _ in _read(found.group(1)).things}


_CLAUSE = re.compile(r"[,;]? (?:and|but|while|whereas|although) (?=(?:the|there|both|an?|no|it)\b)|; ")
"""Where a sentence goes on to something else."""


def _heard(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    """What one clause says."""
    if about.located:
        return _where(read, about)
    if about.things and about.things[-1] in _COMPARED and len(about.sides) == len(read.sides) == 1:
        return _compared(read, about)
    if _elsewhere(read, about):
        other = about.identity and not about.things and _THIS_IS.match(read.text)
        return (False, Heard.DIRECTLY) if other else None
    if about.visible:
        return _visible(read, about)
    if about.things[-1] in _SOUND and not about.absent:
        return _sound(read, about)
    return _there(read, about) or _otherwise(read, about)


_COMPARED = ("larger", "smaller")


def _compared(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    """Whether the side asked about is the one that a comparison names."""
    said = {thing for thing, no in read.things if thing in _COMPARED and not no}
    if len(said) != 1:
        return None
    return (about.sides == read.sides) == (said == {about.things[-1]}), Heard.DIRECTLY


def _covers(wide: frozenset[str], narrow: frozenset[str]) -> bool:
    return any(part in WITHIN.get(outer, ()) for outer in wide for part in narrow)


def _elsewhere(read: _Read, about: Asked) -> bool:
    """Whether a sentence speaks of another part, or of the other side."""
    if about.sides and read.sides and about.sides.isdisjoint(read.sides):
        return True
    if not (about.parts and read.parts) or about.parts & read.parts:
        return False
    return not (_covers(about.parts, read.parts) or _covers(read.parts, about.parts))


def _visible(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    if not about.parts & read.parts:
        return None
    denied = dict.fromkeys(about.parts, False)
    flags = denied_words(read.words)
    for word, no in zip(read.words, flags, strict=True):
        found = named(word)
        for part in found.parts if found else ():
            if part in denied:
                denied[part] = denied[part] or no
    if any(denied.values()) or not _GONE.isdisjoint(read.words):
        return False, Heard.DIRECTLY
    if about.both and (not _ONE.isdisjoint(read.words) or len(read.sides) == 1):
        return False, Heard.DIRECTLY
    if not _SEEN.isdisjoint(read.words) or (about.identity and _THIS_IS.match(read.text)):
        return True, Heard.DIRECTLY
    return (True, Heard.BY_INFERENCE) if any(thing in _SOUND for thing, _ in read.things) else None


def _where(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    if about.things[0] not in {thing for thing, no in read.things if not no} or not read.parts | read.sides:
        return None
    if about.parts and read.parts:
        same = bool(about.parts & read.parts) or _covers(about.parts, read.parts)
        return same, Heard.DIRECTLY
    if about.sides and read.sides and len(read.sides) == 1:
        return about.sides == read.sides, Heard.DIRECTLY
    return None


def _sound(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    """Whether all is well with what was asked for."""
    sick = {thing for thing, no in read.things if thing in SICK and not no}
    well = {thing for thing, no in read.things if thing in _SOUND and not no}
    ill = {thing for thing, no in read.things if thing in _SOUND and no}
    placed = not about.parts or bool(about.parts & read.parts) or _covers(about.parts, read.parts)
    if (sick or ill) and placed:
        return False, Heard.DIRECTLY if ill or "abnormal" in sick else Heard.BY_INFERENCE
    if not _REST.isdisjoint(read.words) or _narrower(read, about):
        return None
    if well and (placed or not read.parts):
        return True, Heard.OF_A_PART if _of_a_part(read, about) else Heard.DIRECTLY
    if not _ACUTELY.isdisjoint(read.words):
        return None
    if any(thing in _ANYTHING and no for thing, no in read.things):
        return True, Heard.OF_A_PART if _of_a_part(read, about) else Heard.DIRECTLY
    own = about.things[-1]
    if own != "normal" and any(no and (own, thing) in _OPPOSED for thing, no in read.things):
        return True, Heard.BY_INFERENCE
    return None


_OPPOSED = frozenset(OPPOSITES) | frozenset((other, one) for one, other in OPPOSITES)
_FAMILY = {kind: frozenset(family) for family in FAMILIES for kind in family}


def _there(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    """What a sentence says that names what was asked for."""
    said: dict[str, set[bool]] = {}
    for thing, no in read.things:
        said.setdefault(thing, set()).add(no)
        for name in (ALIKE.get(thing), IMPLIED.get(thing)):
            if name is not None:
                said.setdefault(name, set()).add(no)
    head = about.things[-1]
    denials = said.get(head, set())
    if denials == {True}:
        return False, Heard.DIRECTLY
    if len(read.words) > _SHORT and _ASSERTS.isdisjoint(read.words):
        return None
    if denials == {False} and all(said.get(thing) == {False} for thing in about.things):
        return True, Heard.DIRECTLY
    if head in _ANYTHING and any(thing in SICK and not no for thing, no in read.things):
        return True, Heard.DIRECTLY
    return None


def _otherwise(read: _Read, about: Asked) -> tuple[bool, Heard] | None:
    """What a sentence says that names the contrary of what was asked for, or another of its kind."""
    asserted = {thing for thing, no in read.things if not no}
    asserted |= {IMPLIED[thing] for thing in asserted if thing in IMPLIED}
    if "shifted" in asserted:
        asserted.discard("midline")
    for thing in about.things:
        family = _FAMILY.get(thing)
        if family is not None and thing not in asserted and asserted & family:
            return False, Heard.DIRECTLY
    head = about.things[-1]
    if _narrower(read, about) and asserted & _SOUND:
        return None
    placed = _placed(read, about, head)
    how = Heard.OF_A_PART if head in _ANYTHING and _of_a_part(read, about) else Heard.BY_INFERENCE
    if (placed or not (about.parts or head in HOME)) and any((head, thing) in _OPPOSED for thing in asserted):
        return False, how
    if head not in SICK or not placed:
        return None
    if "normal" in asserted and not any(thing in SICK for thing in asserted):
        measured = _MEASURED.search(read.text) is not None
        return (False, how) if not measured or head in OF_SIZE or about.measured else None
    acutely = not _ACUTELY.isdisjoint(read.words)
    if any(thing in _ANYTHING and no for thing, no in read.things) and (not acutely or head in ACUTE):
        return False, how
    return None


def _narrower(read: _Read, about: Asked) -> bool:
    """Whether a sentence speaks of one side where the question names none."""
    return len(read.sides) == 1 and not about.sides and bool(read.parts)


def _of_a_part(read: _Read, about: Asked) -> bool:
    """Whether a sentence speaks of a part where the question is of the whole image."""
    if about.parts or not read.parts:
        return False
    return _MEASURED.search(read.text) is not None or WHOLE.isdisjoint(read.parts)


def _placed(read: _Read, about: Asked, head: str) -> bool:
    """Whether a sentence speaks of the part asked about, of the finding's own part, or of the whole image."""
    if not _REST.isdisjoint(read.words):
        return False
    if not read.parts:
        pointing = "it" in read.words or _THIS_IS.match(read.text) is not None
        return not about.parts or len(read.words) <= _SHORT or pointing
    home = about.parts or frozenset(HOME.get(head, ()))
    if not home:
        return head in _ANYTHING
    return bool(home & read.parts) or _covers(read.parts, home)


_PRESENT = word_set("present there positive presente")
_ABSENT = word_set("absent negative assente ausente")
_WITH = ("with contrast", "contrast", "contrast enhanced", "contrast ct")
_WITHOUT = ("without contrast", "no contrast", "non contrast", "noncontrast", "non contrast ct", "non enhanced")


@lru_cache(maxsize=4096)
def poles(options: tuple[str, ...], question: str) -> tuple[Asked, int, int] | None:
    """What two contrary options are held against, and the places of the one that affirms it and the one that denies it.

    >>> poles(("normal", "abnormal"), "Is this image normal or abnormal?")[1:]
    (0, 1)
    """
    if len(options) != 2:
        return None
    for yes in (0, 1):
        one, other = options[yes], options[1 - yes]
        if one in _PRESENT and other in _ABSENT:
            about = _about_offered(question)
            return (about, yes, 1 - yes) if about is not None and about.things else None
        if one in _WITH and other in _WITHOUT:
            return Asked(("contrast",), frozenset(), frozenset(), False, False, False, False), yes, 1 - yes
        names = named(one), named(other)
        if names[0] and names[1] and len(one.split()) == len(other.split()) == 1:
            first, second = names[0].things, names[1].things
            if first == ("normal",) and len(second) == 1 and second[0] in SICK:
                about = _about_offered(question)
                if about is not None:
                    return about._replace(things=first, absent=False, visible=False, located=False), yes, 1 - yes
            if len(first) == len(second) == 1 and (first[0], second[0]) in _OPPOSED:
                about = _about_offered(question)
                if about is not None:
                    return about._replace(things=first, absent=False, visible=False, located=False), yes, 1 - yes
    return None


_OFFERED = re.compile(r"\b(?:present|absent|positive|negative)\b|\bor\b")


def _about_offered(question: str) -> Asked | None:
    """What a question names that offers its own answers."""
    low = _OFFERED.sub(" ", _plain(question))
    return _about(low, _joined(_WORD.findall(low)))


@lru_cache(maxsize=4096)
def kinds_offered(options: tuple[str, ...]) -> list[str] | None:
    """The kinds of image, planes, projections or sexes that options stand for, where all stand for one family's."""
    found = [next((thing for thing, _ in _read(option).things if thing in _FAMILY), None) for option in options]
    kinds = [kind for kind in found if kind is not None]
    same = len(kinds) == len(found) == len(set(kinds)) and len({_FAMILY[kind] for kind in kinds}) == 1
    return kinds if same else None


def kind_named(sentence: str, offered: Sequence[str]) -> str | None:
    """The one of the kinds offered that a sentence names and does not deny; none where it names another."""
    if _OPEN.search(_plain(sentence)):
        return None
    said = {thing for thing, no in _read(sentence).things if not no}
    found = (said | {IMPLIED[thing] for thing in said if thing in IMPLIED}) & _FAMILY[offered[0]]
    return found.pop() if len(found) == 1 else None


_SIDED = {
    "left": "left", "right": "right", "both": "both", "bilateral": "both", "unilateral": "one", "left side": "left",
    "right side": "right", "both sides": "both", "one side": "one",
}  # fmt: skip
_APART = re.compile(r"[,;]? (?:while|whereas|but|and the) |[;.]")


def sides_offered(options: Sequence[str]) -> list[str] | None:
    """The sides that options stand for, where all stand for one."""
    found = [_SIDED.get(option) for option in options]
    return None if None in found or len(set(found)) < len(found) else [side for side in found if side is not None]


def side_named(sentence: str, question: str) -> str | None:
    """The side on which a sentence says that something is: left, right or both."""
    low = _plain(sentence)
    if _OPEN.search(low):
        return None
    found: set[str] = set()
    for clause in _APART.split(low):
        read = _read(clause)
        sound = any(thing in _SOUND for thing, _ in read.things) or any(no for _, no in read.things)
        if not sound:
            sides = read.sides
            said = {thing for thing, _ in read.things if thing in _COMPARED}
            wanted = {thing for thing, _ in _read(question).things if thing in _COMPARED}
            if len(sides) == 1 and said and wanted and said != wanted:
                sides = frozenset(("left", "right")) - sides
            found |= sides
    return "both" if len(found) > 1 else found.pop() if found else None
