"""Perception: whether a sentence says that something is seen in the image itself."""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import repeat

from snellen.grading.language.lexicon import (
    ANY,
    AS,
    AT,
    BARE,
    BE,
    BLOCK,
    CLAUSE,
    CLOSE,
    COLON,
    CONTINUE,
    CONTINUING,
    EASILY,
    ELSEWHERE,
    FIT,
    FRAME,
    GENERAL,
    HAVE,
    HERE,
    INFER,
    KIND,
    LABEL,
    LEAD,
    LEXICON,
    NOT,
    OPEN,
    OPENING,
    OUTRIGHT,
    PICTURE,
    PICTURED,
    PLAIN,
    PRESENT,
    SEE,
    SEEN,
    SEER,
    SHOW,
    SIGHTED,
    STOP,
    THAT,
    THE,
    THERE,
    TO,
    VISIBLE,
    WELL,
    WITH,
    WITHIN,
)

_SPACED = [(sign, " ") for sign in "'\"/[]“”!?"] + [(sign, f" {sign} ") for sign in ".,;:()–—"]
"""The signs that part words, and those that part a sentence."""
_REACH = 18
"""So many words may stand between a image and what it shows."""
_NEAR = 4
_CLOSE = 6
_LABELLED = 10
"""A colon among so many first words only ends the label of what follows."""
_SIGHT = SHOW | FIT | SEE | VISIBLE | SEEN | PLAIN | PICTURE
_GOES_ON = CONTINUE | OPENING | PRESENT | NOT
_BREAK = CLAUSE | STOP | COLON
_KIND_OF_CASE = re.compile(
    r"\W{0,8}(?:reasoning: )?(?:in (?:una?|caso|casi|an?|cases|patients) |nei casi|"
    r"nell[ae] (?!immagin|figur|tc |tabell|deriv|precord|radiogr|proiez)|nell'(?!immagin|ecg|emi|antro)|nel (?!lato|"
    r"tratt))"
)
_DISEASE = r"\w*(?:omas?|ite|itis|os[ie]s?|azione|emia|achia|embolia|infarto|embolism|infarction|pneumotorace)\b"
_OF_DISEASE = re.compile(rf"\W{{0,8}}(?:reasoning: )?(?:in (?:an? )?|nel(?:l['ae])? ?){_DISEASE}")
"""An opening that names a disease: what is said then is said of it."""
_OF_OTHERS = re.compile(
    r"\W{0,8}(?:reasoning: )?(?:(?:le )?altre (?:opzioni|ipotesi|diagnosi|lesioni|condizioni)|"
    r"(?:the )?(?:other|remaining) (?:options|diagnoses|conditions|choices))\b"
)
_PICTURE_OF_DISEASE = re.compile(
    r"\b(?:e[ck]g|tracciato|tc|tac|ct|rm|mri|rx|x-ray|immagine|image|radiografia|spirometria|spirometry) "
    rf"(?:(?:di|of|in|nel|nella) |nell')(?:una? |an? )?{_DISEASE}"
)
"""The image of a disease, not of this patient."""
_SEEN_IN_DISEASE = re.compile(
    r"\b(?:in|nel|nella|nei|nelle|nell)[ '](?!the |this |quest)(?:\w+ ){0,2}?"
    r"\w*(?:omas?|itis|osis|emia|embolism|infarction|failure|thorax|embolia|infarto|pneumotorace|fibrillazione)\b"
)
"""Where a finding is met, not where it was seen."""
_REMINDER = re.compile("remember|ricordare")
_AT_EXAMINATION = re.compile(r"\W{0,8}(?:reasoning: )?(?:all['aeo]|al |on (?:ct|mri|x-?ray|imaging|ecg)\b)")
"""An opening that names an examination, not the image: what is said then may be said of any."""
_IN_CHINESE = re.compile(
    r"(?:图像|图片|影像|图|片|造影|扫描|ct|mri)[^。；，,\n]{0,12}?(?:显示|可见|示|提示|呈)|可以看到|可见|观察到|看到|未见"
)
_GENERAL_IN_CHINESE = re.compile(r"通常|一般|典型表现|应(?:该|会|显示)|如果|可能会|往往|常表现")

Marks = list[int]


class Sight(IntEnum):
    """How a sentence says that something is seen."""

    NONE = 0
    LOOSE = 1
    """It follows from the sentences before, or says what the image means."""
    FIRM = 2
    """It names the image, or someone who sees, and states what is seen."""


def seeing(sentence: str, *, looked: bool) -> Sight:
    """Whether a sentence in lower case says that something is seen; `looked` if an earlier one did.

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
    found = _most(marks, looked=looked, of_cases=False)
    if not found or _OF_DISEASE.match(sentence) or _OF_OTHERS.match(sentence) or _REMINDER.search(sentence):
        return Sight.NONE
    if _KIND_OF_CASE.match(sentence):
        found = _most(marks, looked=looked, of_cases=True)
    if _AT_EXAMINATION.match(sentence) or _PICTURE_OF_DISEASE.search(sentence) or _SEEN_IN_DISEASE.search(sentence):
        return Sight.LOOSE
    return found


def _most(marks: Marks, *, looked: bool, of_cases: bool) -> Sight:
    """How firmly any word says that something is shown, that it is seen, or that a description goes on."""
    wanted = _SIGHT | _GOES_ON if looked else _SIGHT
    most = Sight.NONE
    for place, mark in enumerate(marks):
        if mark & wanted and not _general(marks, place):
            sight = _shown(marks, place) if mark & (SHOW | FIT) else Sight.NONE
            if not (sight or of_cases):
                sight = _seen(marks, place)
                if not sight and looked and _goes_on(marks, place):
                    sight = Sight.LOOSE
            if sight is Sight.FIRM:
                return sight
            most = sight or most
    return most


def seeing_in_chinese(sentence: str) -> Sight:
    """Whether a Chinese sentence says that something is seen."""
    said = _IN_CHINESE.search(sentence) is not None and _GENERAL_IN_CHINESE.search(sentence) is None
    return Sight.FIRM if said else Sight.NONE


def _words(sentence: str) -> list[str]:
    """The words of a sentence and the signs that part it."""
    for sign, spaced in _SPACED:
        sentence = sentence.replace(sign, spaced)
    return sentence.split()


def _marks(words: list[str]) -> Marks:
    """The parts that words and signs can play, in order."""
    return list(map(LEXICON.get, words, repeat(0)))


def _marks_with_would(words: list[str]) -> Marks:
    """The same where Italian words may end in what would be."""
    return [GENERAL | BLOCK if "rebbe" in word else LEXICON.get(word, 0) for word in words]


def _mark(marks: Marks, place: int) -> int:
    """The parts that the word at a place can play; none beyond the ends."""
    return marks[place] if 0 <= place < len(marks) else 0


def _general(marks: Marks, place: int) -> bool:
    """Whether the clause up to here, or the next few words, speak of what is generally or would be seen."""
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
            mark & (EASILY | SEER) and _mark(marks, back + 1) & SEE | _mark(marks, back - 1) & SEER
        ):
            return True
    return False


def _shown(marks: Marks, place: int) -> Sight:
    """Whether a image is the subject of the verb here; what stands in brackets on the way is passed over."""
    mark, after = marks[place], _mark(marks, place + 1)
    if after & AS or (after & THAT and mark & INFER):
        return Sight.NONE
    subject, words = _subject(marks, place, leads=mark & SHOW != 0)
    if subject < 0:
        return Sight.NONE
    kind = marks[subject] & KIND and not (_mark(marks, subject - 1) & PICTURE and not _mark(marks, subject - 1) & KIND)
    if not mark & SHOW and not (_mark(marks, place - 1) | _mark(marks, place - 2)) & BE:
        return Sight.LOOSE if words == 1 and not (marks[subject] | mark) & KIND else Sight.NONE
    outright = mark & OUTRIGHT or (mark & SHOW and not mark & INFER) or _detailed(marks, subject, place)
    return Sight.FIRM if outright and not kind else Sight.LOOSE


def _subject(marks: Marks, place: int, *, leads: bool) -> tuple[int, int]:
    """The place of the image, or the lead, that does something here, and how many words back it is; or -1."""
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


def _detailed(marks: Marks, subject: int, verb: int) -> bool:
    """Whether what a image is said to be like is spelt out: after a colon, in brackets, or "with" this and that."""
    for place in range(subject, min(verb + _REACH, len(marks) - _NEAR)):
        if marks[place] & OPEN and not any(mark & (CLOSE | GENERAL) for mark in marks[place : place + _NEAR + 1]):
            return True
        if place > verb + 1 and marks[place] & (COLON | WITH) and not marks[place + 1] & GENERAL:
            return True
    return False


def _this_one(marks: Marks, place: int) -> bool:
    """Whether the image here is the one looked at, not any of its kind nor the place where a disease would show."""
    before = _mark(marks, place - 1)
    if not _mark(marks, place + 1) & THAT:
        return not before & ELSEWHERE
    if before & (CLAUSE | WITH):  # "with pain and a scan that shows" tells of this patient, "a scan that shows" of any
        return True
    return any(mark & PICTURED for mark in marks[:place])


def _breaks_off(marks: Marks, place: int, mark: int) -> bool:
    """Whether what comes later can no longer be said of a image named earlier."""
    if mark & STOP or (mark & COLON and place > _LABELLED):
        return True
    if mark & BLOCK:
        return not _mark(marks, place + 1) & (PICTURE | HERE | FRAME)
    return mark & ANY != 0


def _seen(marks: Marks, place: int) -> Sight:
    """Whether someone sees something here, or something is in the image named here."""
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
        return _firm(before & WITHIN or (before & THE and _mark(marks, place - 2) & WITHIN))
    if mark & PICTURE:
        within = _mark(marks, place - 2) if before & THE else before
        return _firm(within & WITHIN and (after & HERE or before & THE))
    return _firm(mark & PLAIN)


def _in_any(marks: Marks, place: int) -> bool:
    """Whether something is seen "in" this or that, rather than in a image or a part of the body named before."""
    return _mark(marks, place + 1) & BARE != 0 and not any(
        mark & (THE | PICTURE | LEAD | HERE) for mark in marks[place + 2 : place + 2 + _NEAR]
    )


def _firm(said: int, *, unless: int = 0) -> Sight:
    """Firm if it is said at all, loose if something speaks against it."""
    return Sight.NONE if not said else Sight.LOOSE if unless else Sight.FIRM


def _someone_sees(marks: Marks, place: int) -> Sight:
    """Whether the verb here has one who sees; loosely if it is then said in what such things are seen."""
    seer = place - 1
    while seer > 0 and marks[seer] & EASILY:
        seer -= 1
    if not _mark(marks, seer) & SEER or _on_any_picture(marks, seer) or _mark(marks, place + 1) & (WELL | AS):
        return Sight.NONE
    after = _mark(marks, place + 1)
    somewhere = after & WITHIN and not after & ANY and not (_mark(marks, place + 2) | _mark(marks, place + 3)) & PICTURE
    return Sight.LOOSE if somewhere or after & THAT else Sight.FIRM


def _on_any_picture(marks: Marks, seer: int) -> bool:
    """Whether what is seen is seen "on CT": where it would be looked for, not where it was."""
    return any(
        marks[place] & PICTURE and _mark(marks, place - 1) & ELSEWHERE and not _mark(marks, place + 1) & HERE
        for place in range(max(1, seer - _NEAR), seer)
    )


def _goes_on(marks: Marks, place: int) -> bool:
    """Whether a description that began earlier goes on here."""
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
