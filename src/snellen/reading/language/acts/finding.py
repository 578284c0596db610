"""Findings: the content of a yes-no question, and whether a sentence affirms it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.negation import denied_words
from snellen.reading.language.patterns import word_set
from snellen.reading.language.words import anatomy
from snellen.reading.language.words.anatomy import NamedAnatomy, find_anatomy
from snellen.runtime import regex

_LEXICON = read_lexicon("yes_no")

_WORD = regex(r"[a-z0-9]+(?:['-][a-z0-9]+)*|[.,;:()?]")
_PREFIX = regex(r"\bnon (?=contrast|enhanc|displac|obstruct|calcif)")
_MARKS = regex("[\u0300-\u036f]+")

_EMPTY = _LEXICON.read_words("empty")
_DEGREES = _LEXICON.read_words("degrees")
_THINGS = frozenset(("lesion", "mass", "disease", "abnormal"))
"""Findings that only carry a quality, if the question names one: "is the lesion cystic?"."""
_ANYTHING = frozenset(("abnormal", "disease", "damage"))
"""Terms that apply if any finding is present."""
_LESIONS = frozenset(("mass", "nodule", "cyst", "metastasis", "abscess"))
"""Findings that are absent if there is no lesion."""
_SOUND = frozenset(("normal", "intact", "clear"))
_NOT_ASKED = _LEXICON.compile_text("not asked")
_OPEN = _LEXICON.compile_text("open")
_ADVISES = _LEXICON.compile_text("advises")
_GENERAL = _LEXICON.compile_text("general")
_POINTS = _LEXICON.compile_text("points")
_DEFINES = _LEXICON.compile_text("defines")
_BESIDE = _LEXICON.compile_text("beside")
_ASSERTS = _LEXICON.read_words("asserts")
_SHORT = 9
_SEEN = _LEXICON.read_words("seen")
_GONE = word_set("removed resected absent missing")
_MEASURED = _LEXICON.compile_text("measured")
_ACUTELY = word_set("acute acutely active")
_REST = word_set("remaining rest remainder otherwise other")
_THIS_IS = _LEXICON.compile_text("this is")
_BRIEF = _LEXICON.compile_text("brief")
_BRIEFLY = 48
_BOTH_SIDES = word_set("both bilateral bilaterally all two")
_ONE = word_set("only one single")


class Directness(Enum):
    """How directly a sentence answers the question."""

    DIRECTLY = 1
    """The sentence names the finding asked for."""
    BY_INFERENCE = 2
    """The sentence names the opposite of the finding, or says that all is normal."""
    OF_A_PART = 3
    """The sentence says that one part is normal, but the question is about the whole image."""


class ClosedQuestion(NamedTuple):
    """Content of a yes-no question."""

    things: tuple[str, ...]
    """Findings, qualities and kinds, in order; the last one carries the meaning."""
    parts: frozenset[str]
    sides: frozenset[str]
    both: bool
    absent: bool
    """True if "yes" means that the finding is absent."""
    visible: bool
    """True if the question only asks whether a body part is visible."""
    located: bool
    """True if the question asks for the location of a finding that it takes for granted."""
    measured: bool = False
    """True if the question asks about size."""
    identity: bool = False
    """True if the question is about the kind of image or the body part that it shows."""


class _Read(NamedTuple):
    """A sentence as read: its words, the things named with a flag for denial, its body parts and sides."""

    words: tuple[str, ...]
    things: tuple[tuple[str, bool], ...]
    parts: frozenset[str]
    sides: frozenset[str]
    text: str


def _plain(text: str) -> str:
    low = text.lower().replace("’", "'")
    return low if low.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", low)).replace("ß", "ss")


@lru_cache(maxsize=4096)
def read_question(question: str) -> ClosedQuestion | None:
    """Return the content of a yes-no question. None if it is not one or is unclear."""
    low = _asking(_plain(question))
    if not _ASKS_KIND.match(low):
        low = _THIS_STUDY.sub("this image", low)
    words = _join_terms(_WORD.findall(low))
    return _list_content(low, words) if _is_closed(low, words) else None


def _asking(low: str) -> str:
    end = low.rfind("?") + 1 or len(low)
    start = max(low.rfind(stop, 0, end - 1) for stop in (". ", ": ", "! ", "? ", "\n"))
    return low[start + 1 : end].replace("(s)", "s").strip(" ¿")


def _list_content(low: str, words: Sequence[str]) -> ClosedQuestion | None:
    """Return what the words of a question name; None if they name nothing."""
    things: list[str] = []
    parts: list[str] = []
    for word in words:
        found = find_anatomy(word)
        if found is not None:
            things += found.things
            parts += found.parts
        elif word not in _EMPTY and word not in _DEGREES and word[0].isalpha():
            things.append(_stem(word))
    if "shifted" in things:  # Only a shift matters, not that it is of the midline.
        things = [thing for thing in things if thing != "midline"]
    known = [thing for thing in things if thing in _KNOWN]
    telling = [thing for thing in known if thing not in _THINGS]
    located = _is_located(low, known)
    if telling and len(telling) < len(known):
        things = [thing for thing in things if thing not in _THINGS]
    if known:  # Known terms carry the meaning, so they come last.
        things.sort(key=lambda thing: thing in _KNOWN)
    if not (things or parts) and "bilateral" in words:
        things.append("bilateral")
    if not (things or parts):
        return None
    return ClosedQuestion(
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
_ASKS_KIND = _LEXICON.compile_text("asks kind")
_THIS_STUDY = _LEXICON.compile_text("this study")
_CLOSED = _LEXICON.read_words("closed")
_ASKING = _LEXICON.read_words("asking")


@lru_cache(maxsize=4096)
def in_english(question: str) -> bool:
    """Return whether a question opens with an English verb; `read_question` understands such questions best."""
    low = _asking(question.lower())
    first = _WORD.search(low)
    return first is not None and first.group() in _CLOSED and _OTHER_WAS.match(low) is None


_ABILITY = _LEXICON.compile_text("ability")
_OF_MYSELF = regex(r"\W*(?:(?:but|however|unfortunately|sorry|so|as an ai[^,]{0,30}),? )?(?:i|we)(?:'m| )")

_HEDGED = regex(r"\W*(?:but|though|although|however|ma|pero|mais|aber|但)\b")


def hedges(sentence: str) -> bool:
    """Return whether a lower-case sentence opens by taking something back: "but it is hard to say"."""
    return _HEDGED.match(sentence) is not None


def asks_ability(question: str) -> bool:
    """Return whether a question asks about ability or image quality: "can X be determined?"."""
    return _ABILITY.match(_asking(question.lower())) is not None


def of_myself(sentence: str) -> bool:
    """Return whether a lower-case sentence is about the model itself."""
    return _OF_MYSELF.match(sentence) is not None


_OTHER_WAS = regex(r"was (?:ist|sind|sieht|zeigt|fur|für|kann)\b", re.IGNORECASE)


def _is_closed(low: str, words: Sequence[str]) -> bool:
    """Return whether a question can be answered by yes or no. It must offer no other answers."""
    if not words or "or" in words:
        return False
    if words[0] in _CLOSED:
        return _OTHER_WAS.match(low) is None
    return "?" in words[-1:] and low.isascii() and _ASKING.isdisjoint(words)


_WHERE = regex(r"^(?:is|are) (?:the|this|these) [\w -]{3,40}? (?:located |found |seen |confined )?(?:in|on|near)\b")


def _is_located(low: str, things: Sequence[str]) -> bool:
    return _WHERE.match(low) is not None and len(things) == 1 and things[0] in anatomy.SICK


_ENDINGS = _LEXICON.read_phrases("endings")
_STEM = 4
_KNOWN = frozenset((*anatomy.SICK, *anatomy.NEUTRAL, "free air", "ng"))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word


class _WordMeaning(NamedTuple):
    """Meaning of a word: the body parts and the things that it names.

    Each thing has a flag, true if it is denied. `said` holds the flags of the word in a plain sentence, `denied` those
    after a negation.
    """

    said: tuple[tuple[str, bool], ...]
    denied: tuple[tuple[str, bool], ...]
    parts: tuple[str, ...]


class _Meanings(dict[str, _WordMeaning]):
    """Cache of the meaning of each word, from tables or its stem. Cleared when it grows too large."""

    def __missing__(self, word: str) -> _WordMeaning:
        found = (
            find_anatomy(word)
            or find_anatomy(word.removeprefix("non-"))
            or NamedAnatomy((_stem(word),) if word[0].isalpha() else ())
        )
        if len(self) > _MOST:
            self.clear()
        denied = tuple((thing, True) for thing in found.things)
        said = denied if word[:4] == "non-" else tuple((thing, False) for thing in found.things)
        self[word] = meaning = _WordMeaning(said, denied, tuple(found.parts))
        return meaning


_MOST = 50_000
_MEANINGS = _Meanings()

_FIRSTS = frozenset(together[0] for together in anatomy.TOGETHER)


def _join_terms(words: Sequence[str]) -> list[str]:
    """Return the words, with terms of several words joined into one."""
    if _FIRSTS.isdisjoint(words):
        return list(words)
    joined: list[str] = []
    at = 0
    while at < len(words):
        for length in (3, 2) if words[at] in _FIRSTS else ():
            one = anatomy.TOGETHER.get(tuple(words[at : at + length]))
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
    words = _join_terms(_WORD.findall(_PREFIX.sub("non-", text) if "non " in text else text))
    denied = denied_words(words)
    things: list[tuple[str, bool]] = []
    parts: list[str] = []
    for word, no in zip(words, denied, strict=True):
        said, unsaid, own = _MEANINGS[word]
        things += unsaid if no else said
        if own:
            parts += own
    sided = "left" in text or "right" in text or not _BOTH_SIDES.isdisjoint(words)
    return _Read(tuple(words), tuple(things), frozenset(parts), _sides(words) if sided else frozenset(), text)


def read_verdict(sentence: str, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    """Return whether a sentence affirms the finding asked for, and how directly. None if it does not say.

    >>> read_verdict("No pneumothorax is seen.", read_question("Is there a pneumothorax?"))[0]
    False
    >>> read_verdict("The heart is normal in size.", read_question("Is there cardiomegaly?"))[0]
    False
    """
    whole = _plain(sentence)
    low = _without_asides(whole)
    if len(low) <= _BRIEFLY and (brief := _BRIEF.fullmatch(low)) is not None:
        return brief.group("yes") is not None, Directness.DIRECTLY
    if low.rstrip(" \"'").endswith("?") or _ADVISES.match(low):
        return None
    said: dict[Directness, set[bool]] = {}
    parts: frozenset[str] = frozenset()
    for segment in turns(low):
        if _OPEN.search(segment):
            continue
        for clause in _CLAUSE.split(segment) if _GOES_ON.search(segment) else (segment,):
            read = _read(clause)
            if not read.parts:
                read = read._replace(parts=parts)
            parts = read.parts
            verdict = _read_clause(read, about)
            if verdict is not None:
                said.setdefault(verdict[1], set()).add(verdict[0])
    if not said or _defines(low, about) or _in_general(low if _DEFINITE.search(low) else whole):
        return None
    verdicts, how = next((said[how], how) for how in Directness if how in said)
    return (verdicts.pop(), how) if len(verdicts) == 1 else None


_BUT = _LEXICON.compile_text("but")

_CONCEDES = regex(r"\W*(?:even )?(?:al)?though\b[^,]{3,120}, ", re.IGNORECASE)
_DEFINITE = _LEXICON.compile_text("definite")


def _without_asides(low: str) -> str:
    return _BESIDE.sub("", low) if "," in low or "(" in low or "which" in low or " as " in low else low


def turns(sentence: str) -> list[str]:
    """Split a sentence at contrasts: "It is normal, but I am not sure"."""
    if "but" not in sentence and "though" not in sentence and "however" not in sentence:
        return [sentence]
    conceded = _CONCEDES.match(sentence)
    start = conceded.end() if conceded else 0
    return [sentence[:start], *_BUT.split(sentence[start:])]


def _in_general(low: str) -> bool:
    return _GENERAL.search(low) is not None and _POINTS.search(low) is None


_EXPLAINS = _LEXICON.compile_text("explains")
_TAKEN_UP = regex(r"\W*(?:it|they|this|these)\b(?! (?:image|picture|scan|film|x-?ray|study|patient))")


def explains(sentence: str, about: ClosedQuestion) -> bool:
    """Return whether a sentence defines something in general, which makes the response an essay."""
    low = _without_asides(_plain(sentence))
    return _EXPLAINS.search(low) is not None or _defines(low, about)


def speaks_in_general(sentence: str, about: ClosedQuestion | None) -> bool:
    """Return whether a sentence is general and not about this image."""
    low = _without_asides(_plain(sentence))
    return _in_general(low) or (about is not None and _defines(low, about))


def advises(sentence: str) -> bool:
    """Return whether a sentence gives instructions or states an aim: "To determine whether …, we need …"."""
    return _ADVISES.match(sentence.lower()) is not None


def of_this(sentence: str) -> bool:
    """Return whether a sentence refers to this image or patient."""
    return _POINTS.search(_plain(sentence)) is not None


def is_general(sentence: str, following: str) -> bool:
    """Return whether a sentence is general, as the next one shows: "It is responsible for …"."""
    low, after = _plain(sentence), _plain(following)
    if not _in_general(after) or _POINTS.search(low):
        return False
    return _TAKEN_UP.match(after) is not None or _DEFINITE.search(low) is None


_PARTICULAR = _LEXICON.compile_text("particular")


def _defines(low: str, about: ClosedQuestion) -> bool:
    found = _DEFINES.match(low)
    if found is None or not about.things or _PARTICULAR.search(found.group(1)):
        return False
    return about.things[-1] in {thing for thing, _ in _read(found.group(1)).things}


_CLAUSE = _LEXICON.compile_text("clause")
_GOES_ON = regex(r" (?:and|but|while|whereas|although) |; ")


def _read_clause(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    if about.located:
        return _read_location(read, about)
    if about.things and about.things[-1] in _COMPARED and len(about.sides) == len(read.sides) == 1:
        return _read_comparison(read, about)
    if _is_about_other_part(read, about):
        other = about.identity and not about.things and _THIS_IS.match(read.text)
        return (False, Directness.DIRECTLY) if other else None
    if about.visible:
        return _visible(read, about)
    if about.things[-1] in _SOUND and not about.absent:
        return _sound(read, about)
    return _read_presence(read, about) or _read_contrary(read, about)


_COMPARED = ("larger", "smaller")


def _read_comparison(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    """Return whether a comparison names the side asked about."""
    said = {thing for thing, no in read.things if thing in _COMPARED and not no}
    if len(said) != 1:
        return None
    return (about.sides == read.sides) == (said == {about.things[-1]}), Directness.DIRECTLY


def _covers(wide: frozenset[str], narrow: frozenset[str]) -> bool:
    return any(part in anatomy.WITHIN.get(outer, ()) for outer in wide for part in narrow)


def _is_about_other_part(read: _Read, about: ClosedQuestion) -> bool:
    """Return whether a sentence is about another body part or the other side."""
    if about.sides and read.sides and about.sides.isdisjoint(read.sides):
        return True
    if not (about.parts and read.parts) or about.parts & read.parts:
        return False
    return not (_covers(about.parts, read.parts) or _covers(read.parts, about.parts))


def _visible(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    if not about.parts & read.parts:
        return None
    denied = dict.fromkeys(about.parts, False)
    flags = denied_words(read.words)
    for word, no in zip(read.words, flags, strict=True):
        found = find_anatomy(word)
        for part in found.parts if found else ():
            if part in denied:
                denied[part] = denied[part] or no
    if any(denied.values()) or not _GONE.isdisjoint(read.words):
        return False, Directness.DIRECTLY
    if about.both and (not _ONE.isdisjoint(read.words) or len(read.sides) == 1):
        return False, Directness.DIRECTLY
    if not _SEEN.isdisjoint(read.words) or (about.identity and _THIS_IS.match(read.text)):
        return True, Directness.DIRECTLY
    return (True, Directness.BY_INFERENCE) if any(thing in _SOUND for thing, _ in read.things) else None


def _read_location(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    said = {no for thing, no in read.things if thing == about.things[0]}
    if len(said) != 1 or not read.parts | read.sides:
        return None
    denied = said == {True}
    if about.parts and read.parts:
        same = bool(about.parts & read.parts) or _covers(about.parts, read.parts)
        return (same != denied, Directness.DIRECTLY) if same or not denied else None
    if about.sides and read.sides and len(read.sides) == 1:
        same = about.sides == read.sides
        return (same != denied, Directness.DIRECTLY) if same or not denied else None
    return None


def _denies_all(read: _Read) -> bool:
    """Return whether a clause denies that anything is wrong."""
    return any(thing in _ANYTHING and no for thing, no in read.things)


def _sound(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    """Return whether a clause calls the part asked about normal or abnormal, and how directly."""
    sick = {thing for thing, no in read.things if thing in anatomy.SICK and not no}
    well = {thing for thing, no in read.things if thing in _SOUND and not no}
    ill = {thing for thing, no in read.things if thing in _SOUND and no}
    placed = not about.parts or bool(about.parts & read.parts) or _covers(about.parts, read.parts)
    if (sick or ill) and placed:
        return False, Directness.DIRECTLY if ill or "abnormal" in sick else Directness.BY_INFERENCE
    if not _REST.isdisjoint(read.words) or _narrower(read, about):
        return None
    if well and (placed or not read.parts):
        partly = about.things[-1] == "normal" not in well and not about.parts and read.parts
        return True, Directness.OF_A_PART if partly or _of_a_part(read, about) else Directness.DIRECTLY
    own = about.things[-1]
    acutely = not _ACUTELY.isdisjoint(read.words)
    found_none = any(no and thing in anatomy.SICK for thing, no in read.things)
    if own == "normal" and not about.parts and found_none and (acutely or not _denies_all(read)):
        return True, Directness.OF_A_PART
    if acutely:
        return None
    if _denies_all(read):
        return True, Directness.OF_A_PART if _of_a_part(read, about) else Directness.DIRECTLY
    if own != "normal" and any(no and (own, thing) in _OPPOSED for thing, no in read.things):
        return True, Directness.BY_INFERENCE
    return None


_OPPOSED = frozenset(anatomy.OPPOSITES) | frozenset((other, one) for one, other in anatomy.OPPOSITES)
_FAMILY = {kind: frozenset(family) for family in anatomy.FAMILIES for kind in family}

_STANDS_FOR = {
    thing: (thing, *anatomy.ALIKE.get(thing, ()), *((anatomy.IMPLIED[thing],) if thing in anatomy.IMPLIED else ()))
    for thing in {*anatomy.ALIKE, *anatomy.IMPLIED}
}


def _read_presence(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    """Return the verdict of a sentence that names the finding asked for."""
    said: dict[str, set[bool]] = {}
    for thing, no in read.things:
        for name in _STANDS_FOR.get(thing) or (thing,):
            if name in about.things:
                said.setdefault(name, set()).add(no)
    head = about.things[-1]
    denials = said.get(head, set())
    if denials == {True}:
        return False, Directness.DIRECTLY
    if _ASSERTS.isdisjoint(read.words) and (
        "or" in read.words or (len(read.words) > _SHORT and not _PARTICULAR.search(read.text))
    ):
        return None
    if denials == {False} and all(thing in said for thing in about.things):
        return not any(True in said[thing] for thing in about.things), Directness.DIRECTLY
    if (
        head in _ANYTHING
        and any(thing in anatomy.SICK and not no for thing, no in read.things)
        and _fits_place(read, about, head)
    ):
        return True, Directness.DIRECTLY
    return None


def _read_contrary(read: _Read, about: ClosedQuestion) -> tuple[bool, Directness] | None:
    """Return the verdict if a sentence names the opposite, or another thing of its kind."""
    asserted = {thing for thing, no in read.things if not no}
    asserted |= {anatomy.IMPLIED[thing] for thing in asserted if thing in anatomy.IMPLIED}
    if "shifted" in asserted:
        asserted.discard("midline")
    for thing in about.things:
        family = _FAMILY.get(thing)
        if family is not None and thing not in asserted and asserted & family:
            return False, Directness.DIRECTLY
    head = about.things[-1]
    if head in asserted and any((thing, one) in _OPPOSED for thing in about.things[:-1] for one in asserted):
        return False, Directness.DIRECTLY
    if _narrower(read, about) and asserted & _SOUND:
        return None
    placed = _fits_place(read, about, head)
    how = Directness.OF_A_PART if head in _ANYTHING and _of_a_part(read, about) else Directness.BY_INFERENCE
    if (placed or not (about.parts or head in anatomy.HOME)) and any((head, thing) in _OPPOSED for thing in asserted):
        return False, how
    if head not in anatomy.SICK or not placed:
        return None
    if "normal" in asserted and not any(thing in anatomy.SICK for thing in asserted):
        measured = _MEASURED.search(read.text) is not None
        return (False, how) if not measured or head in anatomy.OF_SIZE or about.measured else None
    acutely = not _ACUTELY.isdisjoint(read.words)
    if _denies_all(read) and (not acutely or head in anatomy.ACUTE):
        return False, how
    if head in _LESIONS and ("lesion", True) in read.things:
        return False, how
    return None


def _narrower(read: _Read, about: ClosedQuestion) -> bool:
    """Return whether a sentence is about one side although the question names none."""
    return len(read.sides) == 1 and not about.sides and bool(read.parts)


def _of_a_part(read: _Read, about: ClosedQuestion) -> bool:
    """Return whether a sentence is about a part, but the question about the whole image."""
    if about.parts or not read.parts:
        return False
    return _MEASURED.search(read.text) is not None or anatomy.WHOLE.isdisjoint(read.parts)


def _fits_place(read: _Read, about: ClosedQuestion, head: str) -> bool:
    """Return whether a sentence is about the right body part, or the whole image."""
    if not _REST.isdisjoint(read.words):
        return False
    if not read.parts:
        pointing = "it" in read.words or _THIS_IS.match(read.text) is not None
        return not about.parts or len(read.words) <= _SHORT or pointing
    home = about.parts or frozenset(anatomy.HOME.get(head, ()))
    if not home:
        return head in _ANYTHING
    return bool(home & read.parts) or _covers(read.parts, home)


_PRESENT = word_set("present there positive presente")
_ABSENT = word_set("absent negative assente ausente")
_WITHHELD = _LEXICON.compile_text("withheld")
_WITH = ("with contrast", "contrast", "contrast enhanced", "contrast ct")
_WITHOUT = ("without contrast", "no contrast", "non contrast", "noncontrast", "non contrast ct", "non enhanced")


@lru_cache(maxsize=4096)
def poles(options: tuple[str, ...], question: str) -> tuple[ClosedQuestion, int, int] | None:
    """Return the finding that two opposite options are about. Add the positions of presence and absence.

    Return None if the options are not opposites.

    >>> poles(("normal", "abnormal"), "Is this image normal or abnormal?")[1:]
    (0, 1)
    """
    places = [place for place, option in enumerate(options) if _WITHHELD.search(option) is None]
    if len(places) != 2:
        return None
    for yes, no in (places, places[::-1]):
        one, other = options[yes], options[no]
        if one in _PRESENT and other in _ABSENT:
            about = _about_offered(question)
            return (about, yes, no) if about is not None and about.things else None
        if one in _WITH and other in _WITHOUT:
            return ClosedQuestion(("contrast",), frozenset(), frozenset(), False, False, False, False), yes, no
        if (about := _finding(one, other, question) or _contrary(one, other, question)) is not None:
            return about, yes, no
    return None


def _finding(one: str, other: str, question: str) -> ClosedQuestion | None:
    """Return the finding of one option if the other one says normal or absent."""
    if _is_sound(one) or not _is_sound(other):
        return None
    about, offered = _list_content(one, _join_terms(_WORD.findall(one))), _about_offered(question)
    if about is None or not about.things or about.things[-1] not in _FINDINGS:
        return None
    return about if about.parts or offered is None else about._replace(parts=offered.parts)


def _contrary(one: str, other: str, question: str) -> ClosedQuestion | None:
    """Return the quality that one option names if the other option is its opposite."""
    names = find_anatomy(one), find_anatomy(other)
    if not (names[0] and names[1]) or " " in one or " " in other:
        return None
    first, second = names[0].things, names[1].things
    contrary = len(first) == len(second) == 1 and (first[0], second[0]) in _OPPOSED
    if not contrary and not (first == ("normal",) and not _ANYTHING.isdisjoint(second)):
        return None
    about = _about_offered(question)
    return None if about is None else about._replace(things=first, absent=False, visible=False, located=False)


_FINDINGS = frozenset(anatomy.SICK) - _ANYTHING
_MOST_WORDS = 5


@lru_cache(maxsize=4096)
def _is_sound(option: str) -> bool:
    """Return whether an option says that all is normal, or that a finding is absent."""
    things = _read(option).things
    sick = [no for thing, no in things if thing in anatomy.SICK]
    return all(sick) if sick else any(thing == "normal" and not no for thing, no in things)


@lru_cache(maxsize=4096)
def findings_offered(options: tuple[str, ...]) -> list[str] | None:
    """Return the finding that each option names, "normal" for health. None if an option names no single finding.

    >>> findings_offered(("brain tumor", "cerebral infarct", "no abnormality"))
    ['mass', 'infarct', 'normal']
    """
    found: list[str] = []
    for option in options:
        if len(option.split()) > _MOST_WORDS:
            return None
        sick = {thing for thing, _ in _read(option).things if thing in _FINDINGS}
        if not _is_sound(option) and len(sick) != 1:
            return None
        found.append("normal" if _is_sound(option) else sick.pop())
    return found if len(set(found)) == len(found) > 1 else None


def finding_named(sentence: str, offered: Sequence[str]) -> set[str]:
    """Return the offered findings that a sentence calls present."""
    low = _without_asides(_plain(sentence))
    if _OPEN.search(low) or _ADVISES.match(low) or _in_general(low) or low.rstrip().endswith("?"):
        return set()
    read = _read(low)
    sick = {thing for thing, no in read.things if thing in _FINDINGS and not no}
    if sick:
        return sick & set(offered)
    sound = any((thing == "normal" and not no) or (thing in _ANYTHING and no) for thing, no in read.things)
    return {"normal"} & set(offered) if sound and not _of_a_part(read, _WHOLE_IMAGE) else set()


_WHOLE_IMAGE = ClosedQuestion(("normal",), frozenset(), frozenset(), False, False, False, False)

_OFFERED = regex(r"\b(?:present|absent|positive|negative)\b|\bor\b")


def _about_offered(question: str) -> ClosedQuestion | None:
    """Return the content of a question that offers its own answers."""
    low = _OFFERED.sub(" ", _plain(question))
    return _list_content(low, _join_terms(_WORD.findall(low)))


@lru_cache(maxsize=4096)
def kinds_offered(options: tuple[str, ...]) -> list[str] | None:
    """Return the image kind, plane, projection or sex of each option. None if they are not all of one family."""
    found = [next((thing for thing, _ in _read(option).things if thing in _FAMILY), None) for option in options]
    kinds = [kind for kind in found if kind is not None]
    same = len(kinds) == len(found) == len(set(kinds)) and len({_FAMILY[kind] for kind in kinds}) == 1
    return kinds if same else None


def kind_named(sentence: str, offered: Sequence[str]) -> str | None:
    """Return the offered kind that a sentence names without denial. None if it names another."""
    if _OPEN.search(_plain(sentence)):
        return None
    said = {thing for thing, no in _read(sentence).things if not no}
    found = (said | {anatomy.IMPLIED[thing] for thing in said if thing in anatomy.IMPLIED}) & _FAMILY[offered[0]]
    return found.pop() if len(found) == 1 else None


_SIDED = {
    "left": "left", "right": "right", "both": "both", "bilateral": "both", "unilateral": "one", "one": "one",
    "neither": "neither", "none": "neither",
}  # fmt: skip
_HALVES = {"sides": "side", "halves": "half", "lungs": "lung", "eyes": "eye", "breasts": "breast", "kidneys": "kidney"}
_APART = regex(r"[,;]? (?:while|whereas|but|and the) |[;.]")


@lru_cache(maxsize=4096)
def sides_offered(options: tuple[str, ...]) -> list[str] | None:
    """Return the side that each option names; None if an option names no side."""
    words = [[_HALVES.get(word, word) for word in option.split()] for option in options]
    shared = set.intersection(*map(set, words)) if len(options) > 1 else set()
    shared.update(("side", "half"))
    found = [_SIDED.get(" ".join(word for word in said if word not in shared)) for said in words]
    return None if None in found or len(set(found)) < len(found) else [side for side in found if side is not None]


def side_named(sentence: str, question: str) -> str | None:
    """Return the side on which a sentence says that something is: left, right or both. None if it names none."""
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
