"""Statements of a report: findings that are present or absent, with side, severity and certainty.

A *mark* is a word or phrase with a role in its sentence; each role is one letter. The *shape* of a sentence is the
letters of its marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.reading.language.sentences import sentences_of
from snellen.reading.language.words import radiology
from snellen.reading.language.words.diagnoses import normalise_spelling, plain
from snellen.reading.reports.sections import sections_of
from snellen.reading.reports.unusable import in_another_language, too_long
from snellen.runtime import regex

LONGEST_SENTENCE = 1_000
"""Longest text that is read as one sentence, in characters; longer ones are read in pieces."""
BOTH = frozenset(("left", "right"))
_DEGREES = ("", "mild", "moderate", "severe")


class FindingStatement(NamedTuple):
    """A finding that a report says is present or absent."""

    finding: str
    present: bool
    sure: bool
    """False for "possible", "may represent", "cannot exclude"."""
    sides: frozenset[str]
    """"left", "right" or both; empty if the report names no side."""
    severity: str
    """One of "mild", "moderate", "severe"; "" if none is stated or the finding is absent."""
    evidence: str
    """The first sentence with this statement."""


# The role of a word or phrase, one letter each.
_FINDING, _PART, _WELL, _ILL, _ANYTHING = "f", "s", "o", "q", "a"
_SIDE, _DEGREE, _SAME = "l", "g", "t"
_NO, _NOT, _GONE, _UNLIKELY = "n", "N", "R", "K"
_PERHAPS, _VERSUS, _MEANING = "u", "V", "m"
_IS, _SHOWS, _WITH, _ASIDE = "v", "d", "w", "x"
_COMMA, _AND, _OR, _COLON, _BREAK = ",", "&", "/", ":", "|"
_ROLES = {
    "no": _NO, "not": _NOT, "gone": _GONE, "unlikely": _UNLIKELY, "perhaps": _PERHAPS, "versus": _VERSUS,
    "meaning": _MEANING, "is": _IS, "shows": _SHOWS, "with": _WITH, "same": _SAME, "aside": _ASIDE,
}  # fmt: skip
_SIGNS = {
    **dict.fromkeys((",", "(", ")"), _COMMA),
    **dict.fromkeys(("and", "&", "than"), _AND),
    **dict.fromkeys(("or", "/"), _OR),
    **dict.fromkeys((";", ".", "?", "!", ">", "[", "]"), _BREAK),
    ":": _COLON,
}
_ANCHORS = frozenset((_FINDING, _WELL, _ILL, _ANYTHING))
_TOKEN = regex(r"[a-z]+|[,;:()/&?!>\[\]]|\.(?!\d)")
_VERSUS_DOT = regex(r"\bvs\.", re.IGNORECASE)
_MOST_SKIPPED = 4


class _Mark(NamedTuple):
    """A word or phrase of a sentence: its role, and the names that it represents."""

    kind: str
    names: tuple[str, ...] = ()


@cache
def _phrases() -> dict[str, list[tuple[tuple[str, ...], _Mark]]]:
    found: dict[tuple[str, ...], _Mark] = {}
    for mark, written in _vocabulary():
        for phrase in written.split("|"):
            found.setdefault(tuple(map(normalise_spelling, phrase.split())), mark)
    by_first: dict[str, list[tuple[tuple[str, ...], _Mark]]] = {}
    for words, mark in sorted(found.items(), key=lambda entry: -len(entry[0])):
        by_first.setdefault(words[0], []).append((words[1:], mark))
    return by_first


def _vocabulary() -> Iterator[tuple[_Mark, str]]:
    """Yield the marks with their phrases. If a phrase has two marks, the first one counts."""
    for kind, table in (
        (_FINDING, radiology.FINDINGS),
        (_PART, radiology.STRUCTURES),
        (_WELL, radiology.WELL),
        (_ILL, radiology.ILL),
    ):
        yield from ((_Mark(kind, tuple(name.split("+"))), written) for name, written in table.items())
    yield _Mark(_ANYTHING, ("abnormal",)), radiology.ABNORMAL
    yield _Mark(_ANYTHING), radiology.ANYTHING
    yield from ((_Mark(_ROLES[name]), written) for name, written in radiology.DO.items())
    yield _Mark(_BREAK), "|".join(radiology.BREAKS)


_SKIPPED = radiology.EMPTY | radiology.SIDES.keys() | radiology.SEVERITIES.keys()


@lru_cache(maxsize=16_384)
def _single(word: str) -> _Mark | None:
    if word in radiology.SIDES:
        return _Mark(_SIDE, radiology.SIDES[word])
    if word in radiology.SEVERITIES:
        return _Mark(_DEGREE, (radiology.SEVERITIES[word],))
    return _Mark(_SIGNS[word]) if word in _SIGNS else None


def _marks(sentence: str) -> list[_Mark]:
    """Return the marks of a sentence's words, in order. Words without a mark are left out."""
    low = plain(sentence)
    for written, meant in radiology.SHORTHAND:
        low = written.sub(meant, low)
    words = [normalise_spelling(word) for word in _TOKEN.findall(low)]
    phrases = _phrases()
    found: list[_Mark] = []
    place = 0
    while place < len(words):
        for rest, mark in phrases.get(words[place], ()):
            end = _end(words, place + 1, rest)
            if end:
                found += filter(None, map(_single, _find_qualifiers(words, place, end, rest)))
                found.append(mark)
                place = end
                break
        else:
            if (single := _single(words[place])) is not None:
                found.append(single)
            place += 1
    return found


def _end(words: Sequence[str], place: int, rest: Sequence[str]) -> int:
    """Return the end of a phrase, which may have small words in between. 0 if it is missing."""
    for word in rest:
        last = place + _MOST_SKIPPED
        while place < len(words) and words[place] != word and words[place] in _SKIPPED and place < last:
            place += 1
        if place >= len(words) or words[place] != word:
            return 0
        place += 1
    return place


def _find_qualifiers(words: Sequence[str], place: int, end: int, rest: Sequence[str]) -> Iterator[str]:
    own = set(rest)
    return (
        word
        for word in words[place + 1 : end]
        if word not in own and (word in radiology.SIDES or word in radiology.SEVERITIES)
    )


_NEW_CLAUSE = regex(
    r"[lgt]*[vdu]|"  # ", there is", "and may be"
    r"[lgtoq]*s[sl,&/]*[lgt]*[vd]|"  # ", the heart is"
    r"[lgt]*s+[lgt]*o|o[lgt]*s|"  # ", heart size normal", "and normal heart size"
    r"[lg]*s*[lgt]*[oq](?![lgt]*f)[^/]*$|"
    r"[lt]*[gt][^/]*$|"  # "and mild cardiomegaly", but not "small effusion or mass"
    r"[lgs]*f(?::|[^/]*[vd][^/]*$)"  # ", effusion: small", ", cardiomegaly is present"
)
"""Text after a comma or "and" that begins a new clause instead of continuing a list."""
_STRUCTURE_NEXT = regex(r"[lgt]*(?:&?[oq][lgt]*)*s")
_FINDING_NEXT = regex(r"[lgts]*f")
_OWN_PREDICATE = regex(r"[lgts&/]*[vd]?[lgtun]*[oq](?![lgt]*s)")


class _MarkedSentence(NamedTuple):
    """Marks of a sentence, its shape, and flags: denied, uncertain, not a finding."""

    marks: list[_Mark]
    shape: str
    denied: list[bool]
    open: list[bool]
    aside: list[bool]


def _mark_denied(marks: list[_Mark]) -> _MarkedSentence:
    """Flag the marks of a sentence that are denied, left open, or not findings (advice)."""
    shape = "".join(mark.kind for mark in marks)
    read = _MarkedSentence(marks, shape, *([False] * len(marks) for _ in range(3)))
    no = perhaps = aside = False
    for start, end in _segments(shape):
        for place in range(start, end):
            kind = shape[place]
            if kind == _NO:
                no = True
            elif kind in (_WITH, _BREAK, _COLON):
                no = perhaps = False
                aside = aside and kind == _WITH
            elif kind == _ASIDE:
                aside = True
            elif kind == _PERHAPS:
                perhaps = True
            read.denied[place], read.open[place], read.aside[place] = no, perhaps, aside
        _look_back(read, start, end)
        if shape[end : end + 1] in (_COMMA, _AND) and _NEW_CLAUSE.match(shape, end + 1, _stop(shape, end)):
            no = perhaps = aside = False
    return read


def _segments(shape: str) -> Iterator[tuple[int, int]]:
    start = 0
    for place, kind in enumerate(shape):
        if kind in (_COMMA, _AND, _COLON, _BREAK) and place >= start:
            yield start, place
            start = place
    if start < len(shape):
        yield start, len(shape)


def _stop(shape: str, place: int) -> int:
    found = shape.find(_BREAK, place)
    return found if found >= 0 else len(shape)


def _look_back(read: _MarkedSentence, start: int, end: int) -> None:
    """Apply words after a finding: "is not seen", "has resolved", "cannot be excluded"."""
    piece = read.shape[start:end]
    if piece.startswith(_COLON) and _ANCHORS.isdisjoint(piece):  # "Effusion: none", "Pneumothorax: possible"
        start = max(read.shape.rfind(sign, 0, start) for sign in (_COMMA, _AND, _BREAK)) + 1
        piece = piece.replace(_NO, _NOT)
    said_last = max(map(piece.rfind, (_NOT, _GONE, _UNLIKELY)))
    if said_last > max(map(piece.rfind, _ANCHORS)) >= 0:
        start = min(start, _listed_before(read.shape, start))
    if not {_NOT, _GONE, _UNLIKELY}.isdisjoint(piece):
        read.denied[start:end] = [True] * (end - start)
    if _UNLIKELY in piece:
        read.open[start:end] = [True] * (end - start)
    last = max(piece.rfind(kind) for kind in _ANCHORS)
    if piece.rfind(_PERHAPS) > last:
        read.open[start:end] = [True] * (end - start)


_LISTED = regex(rf"{_PART}*{_FINDING}(?:[{_COMMA}{_AND}{_OR}]+{_PART}*{_FINDING})*[{_COMMA}{_AND}{_OR}]*")
"""Findings listed without further words: "Pneumothorax, effusion"."""


def _listed_before(shape: str, place: int) -> int:
    """Return the start of a list that a denial at its end applies to: "Effusion and nodules are not seen"."""
    start = max(shape.rfind(sign, 0, place) for sign in (_BREAK, _COLON)) + 1
    return start if _LISTED.fullmatch(shape, start, place) else place


_WHOLE_IMAGE = _Mark(_PART, ("whole",))
_BONES = _Mark(_PART, ("bone",))


class _PlacedFinding(NamedTuple):
    """A finding at a place in a sentence."""

    place: int
    finding: str
    present: bool
    slight: bool = False


def _find_findings(read: _MarkedSentence) -> Iterator[_PlacedFinding]:
    """Yield the findings that a sentence names. A body part and a quality may name one together."""
    pending: list[_Mark] = []
    subjects: list[_Mark] = []
    before: list[int] = []
    adjacent = findings = False
    for place, (kind, names) in enumerate(read.marks):
        if kind == _BREAK:
            pending, before, findings = [], [], False
        elif kind == _FINDING:
            subjects, pending, before, findings = pending or subjects, [], [], True
            yield _PlacedFinding(place, names[0], not read.denied[place])
        elif kind == _PART:
            if before and (adjacent or not _OWN_PREDICATE.match(read.shape, place + 1)):
                for quality in before:
                    yield from _of_part(read, quality, read.marks[place])
                subjects = [read.marks[place]]
            else:
                pending.append(read.marks[place])
            adjacent = False
        elif kind in (_WELL, _ILL, _ANYTHING):
            if _premodifies(read, place, pending):
                before, adjacent, pending = [*(before if adjacent else ()), place], True, []
                continue
            before = []
            subjects, pending = _narrowest(pending) or subjects, []
            for part in subjects or _find_subjects(read, place, findings):
                yield from _of_part(read, place, part)


def _narrowest(parts: list[_Mark]) -> list[_Mark]:
    """Return the parts without the whole image, if there are others: "the bones of the thorax are intact"."""
    return [part for part in parts if part != _WHOLE_IMAGE] or parts


def _premodifies(read: _MarkedSentence, place: int, pending: Sequence[_Mark]) -> bool:
    """Return whether a quality describes the part after it: "enlarged heart"."""
    if not _STRUCTURE_NEXT.match(read.shape, place + 1):
        return False
    return not pending or _SHOWS in read.shape[:place] or all(part.names == ("whole",) for part in pending)


_BRIEF = 3


def _find_subjects(read: _MarkedSentence, place: int, findings: bool) -> tuple[_Mark, ...]:
    """Return the parts that a quality describes if the sentence names none."""
    kind, names = read.marks[place]
    if kind == _ANYTHING and (read.denied[place] or names):
        return () if _FINDING_NEXT.match(read.shape, place + 1) else (_WHOLE_IMAGE,)
    if names == ("intact",) and not findings:
        return (_BONES,)
    if names == ("normal",) and len(read.marks) <= _BRIEF and _IS not in read.shape and not findings:
        return (_WHOLE_IMAGE,)
    return ()


def _of_part(read: _MarkedSentence, place: int, part: _Mark) -> Iterator[_PlacedFinding]:
    """Yield the findings that a quality of a part states."""
    kind, names = read.marks[place]
    denied = read.denied[place]
    for name in part.names:
        if kind == _WELL:
            finding = _lacking(name, names[0])
            if finding:
                yield _PlacedFinding(place, finding, denied)
        elif kind == _ANYTHING:
            if denied or (names and name == "whole"):
                yield _PlacedFinding(place, radiology.SOUND[name], not denied)
        elif (name, names[0]) in radiology.BECOMES:
            yield _PlacedFinding(place, radiology.BECOMES[name, names[0]], not denied, names[0] == "borderline")


def _lacking(part: str, quality: str) -> str:
    """Return the finding that is absent from a part with such a quality. "" if there is none."""
    if part == "pulmonary":  # the sentence names no part of the lungs
        return ""
    if quality == "midline":
        return radiology.SOUND[part] if part in ("trachea", "mediastinum") else ""
    if quality == "expanded":
        return "low lung volume" if part in ("lung", "lung volume") else ""
    return radiology.SOUND[part]


class _Chunk(NamedTuple):
    """The segment of a sentence that belongs to one statement."""

    start: int
    anchor: int
    end: int


_SEPARATORS = regex(r"[,&/:|wumVnvd]")
_TURNS = regex(r"\|[lgt]*[nN]")
"""Where a sentence turns to a denial: "but not on the right"."""
_SAYS_MORE = regex(r"[lgt]*[sfoqavdumnVw]")


def _chunks(shape: str, anchors: Sequence[int]) -> list[_Chunk]:
    """Split a sentence into segments, one for each statement."""
    bounds = [0]
    for one, other in pairwise(anchors):
        found = [place.start() for place in _SEPARATORS.finditer(shape, one + 1, other)]
        telling = [place for place in found if _SAYS_MORE.match(shape, place + 1)]
        bounds.append(telling[0] if telling else found[-1] if found else one + 1)
    turned = _TURNS.search(shape, anchors[-1])
    ends = [*bounds[1:], turned.start() if turned else len(shape)]
    return [_Chunk(*each) for each in zip(bounds, anchors, ends, strict=True)]


_EXPLAINS = {_PERHAPS, _MEANING, _VERSUS}
_JOINS = {_AND, _OR, _WITH}


def _sides(read: _MarkedSentence, chunks: Sequence[_Chunk]) -> dict[int, frozenset[str]]:
    """Return the sides of each statement: its own, or those of the statement joined to it."""
    own = [_sides_within(read.marks[chunk.start : _side_end(read, chunk)]) for chunk in chunks]
    ahead = [bool(_sides_within(read.marks[chunk.start : chunk.anchor])) for chunk in chunks]
    for at, (one, other) in enumerate(pairwise(chunks)):
        joint = set(read.shape[one.anchor + 1 : other.anchor])
        alike = read.denied[one.anchor] == read.denied[other.anchor] and _NO not in joint
        if not alike or read.shape[other.anchor] != _FINDING:
            continue
        if not own[at + 1] and _takes_side(read, other) and (joint & _EXPLAINS or (joint & _JOINS and ahead[at])):
            own[at + 1] = own[at]
            ahead[at + 1] = bool(own[at])
        elif not own[at] and joint & {_AND, _OR, _VERSUS} and not ahead[at + 1] and read.shape[one.anchor] == _FINDING:
            own[at] = own[at + 1]
    return {chunk.anchor: sides for chunk, sides in zip(chunks, own, strict=True)}


def _side_end(read: _MarkedSentence, chunk: _Chunk) -> int:
    """Return the end of the words that can give the side. For a denied finding, the end of its clause."""
    return min(chunk.end, _stop(read.shape, chunk.anchor)) if read.denied[chunk.anchor] else chunk.end


def _takes_side(read: _MarkedSentence, chunk: _Chunk) -> bool:
    """Return whether a finding can be on one side. Then it takes the side of a joined finding."""
    return read.marks[chunk.anchor].names[0].split()[-1] not in radiology.DIFFUSE


def _sides_within(marks: Iterable[_Mark]) -> frozenset[str]:
    return frozenset(side for kind, names in marks if kind == _SIDE for side in names)


def _degrees(read: _MarkedSentence, chunks: Sequence[_Chunk]) -> dict[int, str]:
    return {
        chunk.anchor: max(
            (mark.names[0] for mark in read.marks[chunk.start : chunk.end] if mark.kind == _DEGREE),
            key=_DEGREES.index,
            default="",
        )
        for chunk in chunks
    }


_QUESTION = regex(r"\W*(?:is|are|was|does|do|has|have|can|could|what|which|where|how)\b.*\?\W*", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def _read(sentence: str) -> tuple[FindingStatement, ...]:
    if _QUESTION.fullmatch(sentence):
        return ()
    read = _mark_denied(_borderline(_marks(sentence)))
    told = [each for each in _find_findings(read) if not read.aside[each.place]]
    if not told:
        return ()
    chunks = _chunks(read.shape, sorted({each.place for each in told}))
    sides, degrees, open_ = _sides(read, chunks), _degrees(read, chunks), _alternatives(read, chunks)
    return tuple(
        FindingStatement(
            finding if present else radiology.ABSENT_AS.get(finding, finding),
            present,
            sure=not (slight or (open_[place] if present else _UNLIKELY in read.shape)),
            sides=frozenset() if finding in radiology.UNSIDED else sides[place],
            severity=(degrees[place] or ("mild" if slight else "")) if present else "",
            evidence=sentence,
        )
        for place, finding, present, slight in told
    )


def _borderline(marks: list[_Mark]) -> list[_Mark]:
    """Replace "borderline" before a finding or a quality by a mild severity and a doubt."""
    made: list[_Mark] = []
    for mark, following in pairwise([*marks, _Mark(_BREAK)]):
        if mark.names == ("borderline",) and following.kind in (_FINDING, _ILL):
            made += (_Mark(_PERHAPS), _Mark(_DEGREE, ("mild",)))
        else:
            made.append(mark)
    return made


def _alternatives(read: _MarkedSentence, chunks: Sequence[_Chunk]) -> list[bool]:
    """Return for each mark whether it is left open, also by "or" or "versus"."""
    chosen = list(read.open)
    for one, other in pairwise(chunks):
        between = read.shape[one.anchor : other.anchor]
        choice = (_OR in between or _VERSUS in between) and read.marks[one.anchor] != read.marks[other.anchor]
        if choice and not (read.denied[one.anchor] or read.denied[other.anchor]):
            chosen[one.anchor] = chosen[other.anchor] = True
    return chosen


_HEADS_ABSENT = regex(rf"\W*{radiology.DENYING_HEADING}\s*", re.IGNORECASE)
_ITEM = regex(r"\s+\S|\s*(?:[-\u2022\u2013]|\d{1,2}[.)])\s")
_MARKER = regex(r"^\s*(?:(?:[-\u2022\u2013]|\d{1,2}[.)])\s)?\s*")


def _with_headings(section: str) -> str:
    """Put "No evidence of:" or a similar heading before each entry of its list."""
    lines: list[str] = []
    heading = ""
    listed = False
    for line in section.split("\n"):
        if heading and not line.strip():
            heading, listed = ("" if listed else heading), False
        elif heading and ":" not in line and (_ITEM.match(line) or (listed and line[:1].islower())):
            listed = True
            lines.append(f"{heading} {_MARKER.sub('', line)}")
            continue
        else:
            heading, listed = (line.strip() if _HEADS_ABSENT.fullmatch(line) else ""), False
            if heading:
                continue
        lines.append(line)
    return "\n".join(lines)


_PLACES = tuple((regex(here), regex(not_here), names) for here, not_here, names in radiology.ELSEWHERE)


def _names_here(text: str) -> dict[str, str]:
    """Return the meaning of bare names in a report on the brain or the eye.

    For example, "hemorrhage" in a report on a fundus is a retinal one.
    """
    low = text.lower()
    return next((names for here, other, names in _PLACES if here.search(low) and not other.search(low)), {})


@lru_cache(maxsize=8_192)
def statements_of(text: str) -> tuple[FindingStatement, ...]:
    """Return the statements of a report: one per finding, or one per side if the sides differ.

    Each sentence is read separately, so a different order only changes the order of the statements.

    >>> for said in statements_of("Small left pleural effusion. No pneumothorax. The heart is not enlarged."):
    ...     print(said.present, sorted(said.sides), said.severity, said.finding)
    True ['left'] mild pleural effusion
    False []  pneumothorax
    False []  cardiomegaly
    """
    mentions: dict[tuple[str, bool], list[FindingStatement]] = {}
    names = _names_here(text)
    for section in sections_of(text):
        for sentence in sentences_of(_VERSUS_DOT.sub("vs", _with_headings(section))):
            for start in range(0, len(sentence), LONGEST_SENTENCE):
                for said in _read(sentence[start : start + LONGEST_SENTENCE]):
                    finding = names.get(said.finding, said.finding)
                    mentions.setdefault((finding, said.present), []).append(said._replace(finding=finding))
    return tuple(merged for said in mentions.values() for merged in _merge_mentions(said))


def _merge_mentions(mentions: Sequence[FindingStatement]) -> Iterator[FindingStatement]:
    """Merge all mentions of a finding into one statement. If sides differ, return one per side.

    A mention without a side counts for every side. A finding that is absent on both sides is absent. The highest
    severity counts, and one sure mention makes the statement sure.
    """
    anywhere = [said for said in mentions if not said.sides]
    known = frozenset(side for said in mentions for side in said.sides)
    if not known or (not mentions[0].present and (anywhere or known == BOTH)):
        yield _strongest(mentions, (), frozenset())
        return
    found = [
        _strongest([said for said in mentions if side in said.sides], anywhere, frozenset((side,)))
        for side in sorted(known)
    ]
    if len(found) > 1 and len({(said.severity, said.sure) for said in found}) == 1:
        found = [found[0]._replace(sides=known, evidence=mentions[0].evidence)]
    yield from found


def _strongest(
    mentions: Sequence[FindingStatement], anywhere: Iterable[FindingStatement], sides: frozenset[str]
) -> FindingStatement:
    severity = max((said.severity for said in mentions), key=_DEGREES.index)
    severity = severity or max((said.severity for said in anywhere), key=_DEGREES.index, default="")
    sure = any(said.sure for said in (*mentions, *anywhere))
    return mentions[0]._replace(severity=severity, sure=sure, sides=sides)


def readable(text: str) -> str:
    """Return why a text cannot be compared by its findings; "" if it can.

    The reasons are "empty", "too-long" (more than 5,000 words), "other-language" and "nothing-found".

    >>> readable("The lungs are clear."), readable(" "), readable("I cannot help with that.")
    ('', 'empty', 'nothing-found')
    """
    if not any(map(str.isalpha, text)):
        return "empty"
    if too_long(text):
        return "too-long"
    if in_another_language(text):
        return "other-language"
    return "" if statements_of(text) else "nothing-found"
