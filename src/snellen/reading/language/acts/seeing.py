"""Find sentences that say that something is seen, or absent, in the image.

A *mark* is a role that a word can have in such a sentence. A word has one bit for each of its marks, in several
languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum
from itertools import repeat

from snellen.lexicon import read_lexicon
from snellen.reading.language.acts.supposing import keep_asserted
from snellen.reading.language.words.findings import content
from snellen.runtime import regex

_LEXICON = read_lexicon("seeing")

(
    PICTURE, PICTURED, LEAD, KIND, SHOW, FIT, BE, SEE, SEER, EASILY, VISIBLE, SEEN, PLAIN, WITHIN, THE, HERE, FRAME,
    CONTINUE, OPENING, PRESENT, NOT, THERE, HAVE, GENERAL, BLOCK, ELSEWHERE, ANY, THAT, AS, TO, CLAUSE, STOP, COLON,
    OPEN, CLOSE, LABEL, INFER, OUTRIGHT, WELL, AT, WITH, BARE,
) = (1 << bit for bit in range(42))  # fmt: skip
"""Marks of words; the list "marks" of the lexicon explains them."""


def _read_marks() -> dict[str, int]:
    bits = {name.lower(): bit for name, bit in globals().items() if isinstance(bit, int)}
    marks: dict[str, int] = {}
    for names, words in _LEXICON.read_table("marks").items():
        mark = sum(bits[name] for name in names.split())
        for word in words.split():
            marks[word] = marks.get(word, 0) | mark
    return marks


LEXICON = _read_marks()
"""Each word with all its marks."""

SIGHTED = frozenset(word for word, mark in LEXICON.items() if mark & (PICTURE | LEAD | SEE | VISIBLE | SEEN | PLAIN))
"""A sentence without any of these words cannot say that something is seen."""

PICTURES = frozenset(word for word, mark in LEXICON.items() if mark & PICTURED)
"""Words for the image itself."""

EXAMINATIONS = frozenset(word for word, mark in LEXICON.items() if mark & (PICTURE | PICTURED | KIND) == PICTURE)
"""Words for the examination that made the image."""

_PICTURE_WORDS = frozenset(word for word, mark in LEXICON.items() if mark & PICTURE)
CONTINUING = frozenset(word for word, mark in LEXICON.items() if mark & (CONTINUE | OPENING | PRESENT | NOT))
"""A sentence without any of these words cannot continue a description."""

GENERALLY = frozenset(word for word, mark in LEXICON.items() if mark & GENERAL)
"""Words of general knowledge and of hypothetical findings."""

_SPACED = [("'ve ", " have ")] + [(sign, " ") for sign in "'\"/[]“”!?"] + [(sign, f" {sign} ") for sign in ".,;:()–—"]
"""Signs that separate words, and signs that separate parts of a sentence."""
_REACH = 18
"""At most this many words may separate an image and what it shows."""
_NEAR = 4
_CLOSE = 6
_LABELLED = 10
"""A colon among this many first words only ends a label."""
_SIGHT = SHOW | FIT | SEE | VISIBLE | SEEN | PLAIN | PICTURE
_SHOWN = SHOW | FIT
_GOES_ON = CONTINUE | OPENING | PRESENT | NOT
_BREAK = CLAUSE | STOP | COLON
_KIND_OF_CASE = _LEXICON.compile_text("kind of case")
_OF_DISEASE = _LEXICON.compile_text("of disease")
_OF_OTHERS = _LEXICON.compile_text("of others")
_PICTURE_OF_DISEASE = _LEXICON.compile_text("picture of disease")
_SEEN_IN_DISEASE = _LEXICON.compile_text("seen in disease")
_DISEASES = _LEXICON.read_phrases("diseases")
_POINTED = _LEXICON.compile_text("pointed")
_IS_OF = _LEXICON.compile_text("is of")
_AT_EXAMINATION = _LEXICON.compile_text("at examination")
_IN_CHINESE = _LEXICON.compile_text("in chinese")
_GENERAL_IN_CHINESE = _LEXICON.compile_text("general in chinese")
INTERPRETING = _LEXICON.read_words("interpreting")
EXPLAINING = _LEXICON.read_words("explaining")
VERBS = _LEXICON.read_words("verbs")
MEANS = _LEXICON.compile_text("means")
CANNOT_TELL = _LEXICON.compile_text("cannot tell")
SOMEBODY_TOLD = _LEXICON.compile_text("somebody told")
TOLD_HINTS = _LEXICON.read_lines("told hints")

Marks = list[int]


class Sight(IntEnum):
    """How firmly a sentence says that something is seen."""

    NONE = 0
    LOOSE = 1
    """The sentence continues earlier ones, or says what the image means."""
    FIRM = 2
    """The sentence names the image or an observer, and states what is seen."""


def seeing(sentence: str, *, looked: bool) -> Sight:
    """Return how firmly a lower-case sentence says that something is seen. `looked`: an earlier one described the
    image.

    >>> seeing("the ecg shows st elevation", looked=False).name
    'FIRM'
    >>> seeing("the ecg is compatible with an infarct", looked=False).name
    'LOOSE'
    >>> seeing("an epidural haematoma typically appears biconvex on ct", looked=True).name
    'NONE'
    """
    words = _words(sentence)
    if SIGHTED.isdisjoint(words) and (not looked or CONTINUING.isdisjoint(words)):
        return Sight.NONE
    marks = _marks(words) if "rebbe" not in sentence else _marks_with_would(words)
    found = _rate_sight(marks, looked=looked, of_cases=False)
    if (
        not (found or _is_of(sentence))
        or _OF_DISEASE.match(sentence)
        or _OF_OTHERS.match(sentence)
        or "remember" in sentence
        or "ricordare" in sentence
    ):
        return Sight.NONE
    said = keep_asserted(sentence, words)
    if not said:
        return Sight.NONE
    if _points(said):
        return Sight.FIRM
    if said is not sentence:
        marks = _marks(_words(said))
        found = _rate_sight(marks, looked=False, of_cases=False)
    if _KIND_OF_CASE.match(sentence):
        found = _rate_sight(marks, looked=looked, of_cases=True)
    if found is not Sight.FIRM:
        return found
    if _AT_EXAMINATION.match(sentence):
        return Sight.LOOSE
    for word in words:
        if word.endswith(_DISEASES):
            of_disease = _PICTURE_OF_DISEASE.search(sentence) or _SEEN_IN_DISEASE.search(sentence)
            return Sight.LOOSE if of_disease else found
    return found


def _points(sentence: str) -> bool:
    """Return whether a sentence gives a place in the image, or the image's subject."""
    pointed = ("arrow" in sentence or " of th" in sentence) and _POINTED.search(sentence) is not None
    return pointed or _is_of(sentence)


def _is_of(sentence: str) -> bool:
    named = "image" in sentence or "picture" in sentence or "photo" in sentence
    return named and _IS_OF.match(sentence) is not None


def _rate_sight(marks: Marks, *, looked: bool, of_cases: bool) -> Sight:
    """Return how firmly words say that something is seen, or continue a description."""
    wanted = _SIGHT | _GOES_ON if looked else _SIGHT
    most = Sight.NONE
    for place, mark in enumerate(marks):
        if mark & wanted:
            sight = _rate_shown(marks, place) if mark & _SHOWN else Sight.NONE
            if not (sight or of_cases):
                sight = _rate_seen(marks, place)
                if not sight and looked and _goes_on(marks, place):
                    sight = Sight.LOOSE
            if sight > most and not _general(marks, place):
                if sight is Sight.FIRM:
                    return sight
                most = sight
    return most


def seeing_in_chinese(sentence: str) -> Sight:
    """Return how firmly a Chinese sentence says that something is seen."""
    said = _IN_CHINESE.search(sentence) is not None and _GENERAL_IN_CHINESE.search(sentence) is None
    return Sight.FIRM if said else Sight.NONE


def _words(sentence: str) -> list[str]:
    for sign, spaced in _SPACED:
        sentence = sentence.replace(sign, spaced)
    return sentence.split()


def _marks(words: list[str]) -> Marks:
    return list(map(LEXICON.get, words, repeat(0)))


def _marks_with_would(words: list[str]) -> Marks:
    """Return the marks of each word, with Italian conditionals ("-rebbe") as general."""
    return [GENERAL | BLOCK if "rebbe" in word else LEXICON.get(word, 0) for word in words]


def _mark(marks: Marks, place: int) -> int:
    """Return the marks of the word at a place; 0 beyond the ends."""
    return marks[place] if 0 <= place < len(marks) else 0


def _general(marks: Marks, place: int) -> bool:
    """Return whether the words are general. The clause so far and the next few words decide."""
    for ahead in range(place + 1, min(place + 1 + _NEAR, len(marks))):
        mark, next_to = marks[ahead], marks[ahead - 1]
        if mark & _BREAK or (mark & THAT and ahead > place + 1):
            break
        if mark & GENERAL and not next_to & THE:  # "shows the typical shape" is seen, "shows typical signs" may not be
            return True
    for back in range(place - 1, -1, -1):
        mark = marks[back]
        if mark & _BREAK:
            return False
        if mark & GENERAL and not (
            (mark & (EASILY | SEER) and _sees(marks, back))
            or (mark & FRAME and _mark(marks, back - 1) & BARE)  # "the image in question"
        ):
            return True
    return False


def _sees(marks: Marks, place: int) -> bool:
    """Return whether the word belongs to an observer: "si può vedere", "se puede ver"."""
    after = _mark(marks, place + 1)
    return bool(after & SEE or _mark(marks, place - 1) & SEER or (after & EASILY and _mark(marks, place + 2) & SEE))


def _rate_shown(marks: Marks, place: int) -> Sight:
    """Return how firmly an image is the subject of the verb here, ignoring brackets."""
    mark, after = marks[place], _mark(marks, place + 1)
    if after & AS or (after & THAT and mark & INFER):
        return Sight.NONE
    subject, words = _subject(marks, place, leads=mark & SHOW != 0)
    if subject < 0:
        return Sight.NONE
    kind = marks[subject] & KIND and not (_mark(marks, subject - 1) & PICTURE and not _mark(marks, subject - 1) & KIND)
    if not mark & SHOW and not (_mark(marks, place - 1) | _mark(marks, place - 2)) & BE:
        return Sight.LOOSE if words == 1 and not (marks[subject] | mark) & KIND else Sight.NONE
    outright = mark & OUTRIGHT or (mark & SHOW and not mark & INFER) or _spells_out(marks, subject, place)
    return Sight.FIRM if outright and not kind else Sight.LOOSE


def _subject(marks: Marks, place: int, *, leads: bool) -> tuple[int, int]:
    """Return the place of the subject and its distance in words.

    The subject is an image or a lead; the place is -1 if there is none.
    """
    back, depth, words = place - 1, 0, 0
    while back >= 0 and words < _REACH:
        mark = marks[back]
        depth += (mark & CLOSE != 0) - (mark & OPEN != 0 and depth > 0)
        if not depth and not mark & OPEN:
            words += 1
            if mark & PICTURE and _this_one(marks, back) and (words <= _CLOSE or not mark & KIND):
                return back, words
            if mark & LEAD and words <= _NEAR and leads:
                return back, words
            if _breaks_off(marks, back, mark):
                return -1, words
        back -= 1
    return -1, words


def _spells_out(marks: Marks, subject: int, verb: int) -> bool:
    """Return whether the image is described in detail: after a colon, in brackets or with "with"."""
    for place in range(subject, min(verb + _REACH, len(marks) - _NEAR)):
        if marks[place] & OPEN and not any(mark & (CLOSE | GENERAL) for mark in marks[place : place + _NEAR + 1]):
            return True
        if place > verb + 1 and marks[place] & (COLON | WITH) and not marks[place + 1] & GENERAL:
            return True
    return False


def _this_one(marks: Marks, place: int) -> bool:
    """Return whether the image named here is this one, not any of its kind."""
    before = _mark(marks, place - 1)
    if not _mark(marks, place + 1) & THAT:
        return not before & ELSEWHERE
    if before & (CLAUSE | WITH):  # "With pain and a scan that shows" is about this patient, "a scan that shows" is not.
        return True
    return any(mark & PICTURED for mark in marks[:place])


def _breaks_off(marks: Marks, place: int, mark: int) -> bool:
    """Return whether words after this place no longer refer to an image before it."""
    if mark & STOP or (mark & COLON and place > _LABELLED):
        return True
    if mark & BLOCK:
        return not _mark(marks, place + 1) & (PICTURE | HERE | FRAME)
    return mark & ANY != 0


def _rate_seen(marks: Marks, place: int) -> Sight:
    """Return how firmly someone sees something here, or something is in the image named here."""
    mark, before, after = marks[place], _mark(marks, place - 1), _mark(marks, place + 1)
    if mark & SEE:
        return _someone_sees(marks, place)
    if mark & VISIBLE:
        said = not before & WELL and (before & (BE | EASILY) or after & WITHIN)
        return _firm(said, unless=after & AT or _in_any(marks, place))
    if mark & SEEN:
        said = (before & BE and not _mark(marks, place - 2) & EASILY) or after & HERE
        return _firm(said, unless=_in_any(marks, place))
    if mark & PICTURED:
        opening = place == 0 or (place == 1 and not before & ELSEWHERE)
        if opening and (after | _mark(marks, place + 2)) & COLON and len(marks) > place + _NEAR:
            return Sight.FIRM
        return _firm(before & WITHIN or _within_this(marks, place))
    if mark & PICTURE:
        return _firm((before & WITHIN and after & HERE) or _within_this(marks, place))
    return _firm(mark & PLAIN)


_NO_EPITHET = _BREAK | BE | WITHIN | GENERAL | SEE | SEEN | SHOW


def _within_this(marks: Marks, place: int) -> int:
    """Return whether something is in this image, with up to two words before its name: "on this brain MRI"."""
    before = _mark(marks, place - 1)
    if before & (THE | _NO_EPITHET):
        return before & THE and _mark(marks, place - 2) & WITHIN
    second = _mark(marks, place - 2)
    if second & (THE | _NO_EPITHET):
        return second & THE and _mark(marks, place - 3) & WITHIN
    return _mark(marks, place - 3) & THE and _mark(marks, place - 4) & WITHIN


def _in_any(marks: Marks, place: int) -> bool:
    """Return whether "in" follows without a word for this image or a named place."""
    return _mark(marks, place + 1) & BARE != 0 and not any(
        mark & (THE | PICTURE | LEAD | HERE) for mark in marks[place + 2 : place + 2 + _NEAR]
    )


def _firm(said: int, *, unless: int = 0) -> Sight:
    """Return FIRM if the statement is made, LOOSE if something weakens it, else NONE."""
    return Sight.NONE if not said else Sight.LOOSE if unless else Sight.FIRM


def _someone_sees(marks: Marks, place: int) -> Sight:
    """Return how firmly the verb here has an observer: loosely before a place or "that"."""
    seer = place - 1
    while seer > 0 and marks[seer] & EASILY:
        seer -= 1
    if not _mark(marks, seer) & SEER or _on_any_picture(marks, seer) or _mark(marks, place + 1) & (WELL | AS):
        return Sight.NONE
    after = _mark(marks, place + 1)
    somewhere = after & WITHIN and not after & ANY and not (_mark(marks, place + 2) | _mark(marks, place + 3)) & PICTURE
    return Sight.LOOSE if somewhere or after & THAT else Sight.FIRM


def _on_any_picture(marks: Marks, seer: int) -> bool:
    """Return whether something is seen "on CT", which means any CT."""
    return any(
        marks[place] & PICTURE and _mark(marks, place - 1) & ELSEWHERE and not _mark(marks, place + 1) & HERE
        for place in range(max(1, seer - _NEAR), seer)
    )


def _goes_on(marks: Marks, place: int) -> bool:
    """Return whether an earlier description continues here."""
    mark, before, after = marks[place], _mark(marks, place - 1), _mark(marks, place + 1)
    if mark & PRESENT:
        return (before | _mark(marks, place - 2)) & BE != 0
    if mark & SEEN:
        return before & BE != 0
    if mark & CONTINUE:
        return not (before & (TO | COLON) or after & AS)
    if mark & OPENING and (place == 0 or before & (STOP | COLON | LABEL)):
        return True
    after = _mark(marks, place + 2) if after & BE else after
    absent = THERE | PRESENT | VISIBLE | SEEN
    if after & SEER:
        return mark & NOT != 0 and _mark(marks, place + 2) & SEE != 0
    if place == 0 or before & LABEL:
        absent |= SHOW | HAVE
    return mark & NOT != 0 and after & absent != 0


_ROOT = 5
"""Words of headings are compared by this many first letters."""


def _roots(of: str) -> frozenset[str]:
    return frozenset(word[:_ROOT] for word in _LEXICON.read_words(of))


_FOUND, _LOOKING, _EXAMINED, _ELSE = map(
    _roots, ("heading found", "heading looking", "heading examined", "heading else")
)
_FOUND_IN_CHINESE = regex("所见|观察|影像表现|图像分析")


class Announced(Enum):
    """Topic that a heading announces."""

    FINDINGS = "findings"
    OTHER = "other"
    UNCLEAR = "unclear"


def read_heading(words: Sequence[str], *, looked: bool) -> Announced:
    """Return what a heading with these words announces. `looked`: an earlier sentence described the image.

    >>> read_heading(["key", "findings"], looked=False).value, read_heading(["clinical", "findings"], looked=True).value
    ('findings', 'other')
    """
    roots = {word[:_ROOT] for word in words}
    if not _ELSE.isdisjoint(roots):
        return Announced.OTHER
    return Announced.FINDINGS if _finds(words, roots, looked=looked) else Announced.UNCLEAR


def _finds(words: Sequence[str], roots: set[str], *, looked: bool) -> bool:
    """Return whether these words and their roots announce what is seen."""
    if not _FOUND.isdisjoint(roots) or _FOUND_IN_CHINESE.search(" ".join(words)):
        return True
    examined = not _EXAMINED.isdisjoint(roots) or not _PICTURE_WORDS.isdisjoint(words)
    return (examined or looked) and not _LOOKING.isdisjoint(roots)


_NEGATION = _LEXICON.compile_text("negation")
DENIES = _LEXICON.compile_text("denies")
_NOT_SEEN = _LEXICON.compile_text("not seen")
_FEW = 3
"""At most this many things may be named before the absent one."""


def says_absent(claim: str) -> bool:
    """Return whether a lower-case claim begins with the absence of something."""
    found = _NEGATION.search(claim)
    if found is None:
        return False
    before = claim[: found.start()]
    if before.rstrip()[-1:] in (":", ")"):
        return True
    if found.group() in ("without", "senza"):
        return not content(before)
    return len(content(before)) <= (_FEW if _NOT_SEEN.match(claim, found.start()) else 1)
