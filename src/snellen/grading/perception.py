"""Perception: whether a sentence says that something is seen in the picture itself."""

from __future__ import annotations

import re
from enum import IntEnum

from snellen.grading.seeing_words import (
    ANY,
    AS,
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
    WITHIN,
)

_BLANK = "'\"/[]“”!?"
_MARKED = ".,;:()–—"
_REACH = 18
"""So many words may stand between a picture and what it shows."""
_NEAR = 4
_CLOSE = 6
_LABELLED = 10
"""A colon among so many first words only ends the label of what follows."""
_SIGHT = SHOW | FIT | SEE | VISIBLE | SEEN | PLAIN | PICTURE
_GOES_ON = CONTINUE | OPENING | PRESENT | NOT
_BREAK = CLAUSE | STOP | COLON
_KIND_OF_CASE = re.compile(
    r"\W{0,8}(?:reasoning: )?(?:in (?:una?|caso|casi|an?|cases|patients) |nei casi|le altre opzioni|"
    r"(?:the )?other options|"
    r"nell[ae] (?!immagin|figur|tc |tabell|deriv|precord|radiogr|proiez)|nell'(?!immagin|ecg|emi|antro)|nel (?!lato|"
    r"tratt))"
)
_OF_DISEASE = re.compile(
    r"\W{0,8}(?:reasoning: )?(?:in (?:an? )?|nel(?:l['ae])? ?)\w*(?:oma|omas|ite|itis|osi|osis|azione|emia|achia|"
    r"embolia|infarto|"
    r"embolism|infarction|pneumotorace)\b"
)
"""An opening that names a disease: what is said then is said of it."""
_IN_CHINESE = re.compile(
    r"(?:图像|图片|影像|图|片|造影|扫描|ct|mri)[^。；，,\n]{0,12}?(?:显示|可见|示|提示|呈)|可以看到|可见|观察到|看到|未见"
)
_GENERAL_IN_CHINESE = re.compile(r"通常|一般|典型表现|应(?:该|会|显示)|如果|可能会|往往|常表现")

Marks = list[int]


class Sight(IntEnum):
    """How a sentence says that something is seen."""

    NONE = 0
    LOOSE = 1
    """It follows from the sentences before, or says what the picture means."""
    FIRM = 2
    """It names the picture, or someone who sees, and states what is seen."""


def seeing(sentence: str, *, looked: bool) -> Sight:
    """Whether a sentence in lower case says that something is seen; `looked` if an earlier one did.

    >>> seeing("the ecg shows st elevation", looked=False).name
    'FIRM'
    >>> seeing("the ecg is compatible with an infarct", looked=False).name
    'LOOSE'
    >>> seeing("an epidural haematoma typically appears biconvex on ct", looked=True).name
    'NONE'
    """
    if _OF_DISEASE.match(sentence) or "remember" in sentence or "ricordare" in sentence:
        return Sight.NONE
    words = _words(sentence)
    if SIGHTED.isdisjoint(words) and (not looked or CONTINUING.isdisjoint(words)):
        return Sight.NONE
    marks = _marks(words) if "rebbe" not in sentence else _marks_with_would(words)
    wanted = _SIGHT | _GOES_ON if looked else _SIGHT
    found = Sight.NONE
    of_cases = _KIND_OF_CASE.match(sentence) is not None
    for place, mark in enumerate(marks):
        if mark & wanted and not _general(marks, place):
            if mark & (SHOW | FIT) and _shown(marks, place):
                found = max(found, Sight.LOOSE if _concludes(mark) else Sight.FIRM)
            elif not of_cases and _seen(marks, place):
                found = Sight.FIRM
            elif not of_cases and looked and _goes_on(marks, place):
                found = max(found, Sight.LOOSE)
            if found is Sight.FIRM:
                break
    return found


def seeing_in_chinese(sentence: str) -> Sight:
    """Whether a Chinese sentence says that something is seen."""
    said = _IN_CHINESE.search(sentence) is not None and _GENERAL_IN_CHINESE.search(sentence) is None
    return Sight.FIRM if said else Sight.NONE


def _concludes(mark: int) -> bool:
    """Whether a verb tells what the picture means rather than what is in it."""
    return mark & INFER != 0 or (mark & FIT != 0 and not mark & (SHOW | OUTRIGHT))


def _words(sentence: str) -> list[str]:
    """The words of a sentence and the signs that part it."""
    for sign in _BLANK:
        sentence = sentence.replace(sign, " ")
    for sign in _MARKED:
        sentence = sentence.replace(sign, f" {sign} ")
    return sentence.split()


def _marks(words: list[str]) -> Marks:
    """The parts that words and signs can play, in order."""
    return [LEXICON.get(word, 0) for word in words]


def _marks_with_would(words: list[str]) -> Marks:
    """The same where Italian words may end in what would be."""
    return [GENERAL | BLOCK if "rebbe" in word else LEXICON.get(word, 0) for word in words]


def _mark(marks: Marks, place: int) -> int:
    return marks[place] if 0 <= place < len(marks) else 0


def _general(marks: Marks, place: int) -> bool:
    """Whether the clause up to here, or the next few words, speak of what is generally or would be seen."""
    for next_to, mark in zip(marks[place:], marks[place + 1 : place + 1 + _NEAR], strict=False):
        if mark & _BREAK:
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


def _shown(marks: Marks, place: int) -> bool:
    """Whether a picture is the subject of the verb here; what stands in brackets on the way is passed over."""
    if _mark(marks, place + 1) & AS:
        return False
    fits = not marks[place] & SHOW
    needs_near = fits and not (_mark(marks, place - 1) | _mark(marks, place - 2)) & BE
    back, depth, words = place - 1, 0, 0
    while back >= 0 and words < _REACH:
        mark = marks[back]
        depth += (mark & CLOSE != 0) - (mark & OPEN != 0 and depth > 0)
        if not depth and not mark & OPEN:
            words += 1
            if mark & PICTURE and _this_one(marks, back) and (words <= _CLOSE or not mark & KIND):
                return not needs_near or (words == 1 and not (mark | marks[place]) & KIND)
            if mark & LEAD and words <= _NEAR and not fits:
                return True
            if _breaks_off(marks, back, mark):
                return False
        back -= 1
    return False


def _this_one(marks: Marks, place: int) -> bool:
    """Whether the picture here is the one looked at, not any of its kind nor the place where a disease would show."""
    before = _mark(marks, place - 1)
    return not before & ELSEWHERE or (before & ANY != 0 and _mark(marks, place + 1) & THAT != 0)


def _breaks_off(marks: Marks, place: int, mark: int) -> bool:
    """Whether what comes later can no longer be said of a picture named earlier."""
    if mark & STOP or (mark & COLON and place > _LABELLED):
        return True
    if mark & BLOCK:
        return not _mark(marks, place + 1) & (PICTURE | HERE | FRAME)
    return mark & ANY != 0


def _seen(marks: Marks, place: int) -> bool:
    """Whether someone sees something here, or something is in the picture named here."""
    mark, before, after = marks[place], _mark(marks, place - 1), _mark(marks, place + 1)
    if mark & SEE:
        seer = place - 1
        while seer > 0 and marks[seer] & EASILY:
            seer -= 1
        return _mark(marks, seer) & SEER != 0 and not _on_any_picture(marks, seer)
    if mark & VISIBLE:
        return before & (BE | EASILY) != 0 or after & WITHIN != 0
    if mark & SEEN:
        return (before & BE != 0 and not _mark(marks, place - 2) & EASILY) or after & HERE != 0
    if mark & PICTURED:
        if place <= 1 and (after | _mark(marks, place + 2)) & COLON and len(marks) > place + _NEAR:
            return True
        return before & WITHIN != 0 or (before & THE != 0 and _mark(marks, place - 2) & WITHIN != 0)
    if mark & PICTURE:
        within = _mark(marks, place - 2) if before & THE else before
        return within & WITHIN != 0 and (after & HERE != 0 or before & THE != 0)
    return mark & PLAIN != 0


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
        return not (before & TO or after & AS)
    if mark & OPENING and (place == 0 or before & (STOP | COLON | LABEL)):
        return True
    after = _mark(marks, place + 2) if after & BE else after
    absent = THERE | PRESENT | VISIBLE | SEEN
    if after & SEER:
        return mark & NOT != 0 and _mark(marks, place + 2) & SEE != 0
    if place == 0 or before & LABEL:
        absent |= SHOW | HAVE
    return mark & NOT != 0 and after & absent != 0
