"""Comparing a statement with a reference: the same, another, part of it, or undecided; by which rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.reading.language.words.terms import (
    ABNORMAL,
    ASKS,
    ASKS_SIZE,
    DEGREES,
    LOOK_ALIKE,
    MODALITIES,
    NOTHING_WRONG,
    PLANES,
    POLAR,
    SEXES,
    SHUNS,
    SIDES,
    implied,
    kind_of,
    rivals,
    wider,
)
from snellen.reading.open.said import COUNT, Number, Said, said
from snellen.reading.outcomes import OpenGrade

_ALSO = frozenset(("density",))
"""What a question may ask for beside a measure."""
_MANY = 5
"""Terms of a reference of which not every one has to be there."""
_MOST = 0.75
_SHORTEST_TYPO = 6
_NEAR = 2
"""Terms on either side of an "or" that it joins."""
_SEVERAL = 3
"""Things between commas that make a list, of so few words each:"""
_LISTED = 3
_FEW = 8
"""Words of an answer that says nothing beside it."""


class Verdict(NamedTuple):
    """How a statement compares with a reference, and by which rule."""

    grade: OpenGrade
    rule: str


CORRECT, INCORRECT, UNCLEAR = OpenGrade.CORRECT, OpenGrade.INCORRECT, OpenGrade.UNCLEAR


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference made ready: what it says, and what of it the question asks for."""

    said: Said
    needed: tuple[str, ...]
    numbers: tuple[Number, ...]
    asked: frozenset[str]
    """The terms of the question."""
    narrowed: bool
    """Whether the question asks for a part of the reference only."""
    chooses: bool
    """Whether the question itself names alternatives."""
    polarity: bool | None
    """The answer in yes or no, where the question takes one."""
    shunned: bool
    """Whether the question asks what should not be done."""


@lru_cache(maxsize=8_192)
def prepared(text: str, question: str) -> Reference:
    """A reference made ready to be compared with, as an answer to its question."""
    asked = said(question, shunned=True)
    words = frozenset(asked.words)
    shunned = not words.isdisjoint(SHUNS)
    whole = said(text, shunned)
    about = _aspect(words)
    numbers = whole.numbers
    terms = [each for each in whole.terms if each not in DEGREES] or list(whole.terms)
    narrowed = False
    if about is not None and (part := [each for each in terms if each in about]):
        narrowed = len(part) < len(terms)
        terms, numbers = part, ()
    elif any(each.unit for each in numbers) and not words.isdisjoint(ASKS_SIZE) and words.isdisjoint(_ALSO):
        narrowed = bool(terms)
        terms = []
    elif "many" in words and "how" in words and (numbers or whole.count):
        narrowed = bool(terms)
        counted = numbers or ((whole.count,) if whole.count else ())
        terms, numbers = [], tuple(replace(each, unit=each.unit or COUNT) for each in counted)
    else:
        known = set(asked.terms)
        terms = [each for each in terms if each not in known] or ([] if numbers else terms)
    return Reference(
        whole,
        tuple(terms),
        tuple(numbers),
        frozenset(asked.terms),
        narrowed,
        len(asked.pieces) > 1,
        _yes_or_no(whole, asked),
        shunned,
    )


def _aspect(words: frozenset[str]) -> frozenset[str] | None:
    """The terms among which a question asks for one: sides, kinds of image, planes or sexes."""
    for asking, terms in zip(ASKS, (SIDES, MODALITIES, PLANES, SEXES), strict=True):
        if not words.isdisjoint(asking):
            return terms
    return None


def _yes_or_no(reference: Said, question: Said) -> bool | None:
    if not question.words or question.words[0] not in POLAR or len(question.pieces) > 1:
        return None
    if reference.polarity is not None:
        return reference.polarity
    asked = set(question.terms)
    if reference.terms and set(reference.terms) <= asked:
        return True
    return False if reference.denied and reference.denied <= asked else None


def compared(statement: str, reference: Reference) -> Verdict:
    """How a statement compares with a reference.

    >>> compared("RUL", prepared("right upper lobe", "Where is it?")).rule
    'same-terms'
    >>> compared("left upper lobe", prepared("right upper lobe", "Where is it?"))
    Verdict(grade=<OpenGrade.INCORRECT: 'incorrect'>, rule='contradicts')
    """
    answer = said(statement, reference.shunned)
    if answer.words == reference.said.words:
        return Verdict(CORRECT, "exact")
    if reference.polarity is not None and (polar := _polar(answer, reference)) is not None:
        return polar
    if reference.said.denied and not reference.said.terms:
        return _absence(answer, reference)
    if _says_normal(reference) and _healthy(answer, reference):
        return Verdict(CORRECT, "absent")
    if not reference.needed and not reference.numbers:
        return Verdict(INCORRECT, "nothing-shared")
    return _by_terms(answer, reference)


def _polar(answer: Said, reference: Reference) -> Verdict | None:
    """By yes or no: what the answer opens with, or whether it asserts or denies what is asked."""
    given = answer.polarity
    if given is None and reference.said.polarity is not None:
        core = reference.asked
        of_parts = all(kind_of(each) == "part" for each in answer.asserted & core)
        if answer.denied & core or (of_parts and "normal" in answer.terms and "normal" not in core):
            given = False
        elif answer.asserted & core:
            given = True
    if given is None:
        return None
    return Verdict(CORRECT if given is reference.polarity else INCORRECT, "yes-no")


def _absence(answer: Said, reference: Reference) -> Verdict:
    """A reference that says that something is not there."""
    absent = reference.said.denied
    if absent <= answer.denied or (answer.polarity is False and not answer.asserted & absent):
        return Verdict(CORRECT, "absent")
    if "none" in answer.terms or "normal" in answer.terms or (absent <= NOTHING_WRONG and _healthy(answer, reference)):
        return Verdict(CORRECT, "absent")
    if absent & answer.asserted:
        return Verdict(INCORRECT, "contradicts")
    return Verdict(UNCLEAR if absent & answer.denied else INCORRECT, "nothing-shared")


def _says_normal(reference: Reference) -> bool:
    """Whether a reference says that nothing is wrong, and at most of what."""
    about = [each for each in reference.needed if each not in MODALITIES and kind_of(each) != "part"]
    return bool(about) and set(about) <= NOTHING_WRONG


def _healthy(answer: Said, reference: Reference) -> bool:
    """Whether an answer says that nothing is wrong: it denies any abnormality, or calls all normal, and names none."""
    things = [each for each in answer.terms if kind_of(each) == "thing" and each not in reference.asked]
    denies = bool(answer.denied & ABNORMAL)
    unlike = _contrary(("normal", *reference.needed), answer.asserted | answer.denied, set(reference.needed))
    return not things and not unlike and (denies or bool(NOTHING_WRONG & set(answer.terms)))


def _by_terms(answer: Said, reference: Reference) -> Verdict:
    told = answer.asserted
    missing = [each for each in reference.needed if each not in told and not _misspelt(each, answer.terms)]
    unsaid = [each for each in reference.numbers if not _given(each, answer)]
    needs = len(reference.needed) + len(reference.numbers)
    found = needs - len(missing) - len(unsaid)
    if any(each in answer.denied and each not in told for each in missing):
        return Verdict(INCORRECT, "denies")
    if unsaid and _other_number(unsaid, answer, reference):
        return Verdict(INCORRECT, "other-number")
    stated = implied(reference.said.terms)
    unmet = missing if not reference.narrowed else [each for each in reference.said.terms if each not in told]
    unmet = [*unmet, *(each for each in reference.said.terms if each in DEGREES and each not in told)]
    contrary = _contrary(unmet, told, stated | reference.asked)
    if len(answer.pieces) > 1 and (undecided := _undecided(answer, reference, stated)) is not None:
        return undecided
    if contrary:
        return Verdict(INCORRECT, "contradicts")
    if len(answer.items) >= _SEVERAL and _is_list(answer, reference, stated | reference.asked):
        return Verdict(UNCLEAR, "alternatives")
    if not missing and not unsaid:
        if _both_sides(answer, reference):
            return Verdict(UNCLEAR, "two-sides")
        if _ranges(answer, reference):
            return Verdict(UNCLEAR, "alternatives")
        return Verdict(CORRECT, "asked-part" if reference.narrowed else "same-terms")
    if needs >= _MANY and found >= _MOST * needs:
        return Verdict(CORRECT, "most-terms")
    if not found and not _wider(answer, missing, reference):
        return Verdict(INCORRECT, "nothing-shared")
    return _partly(answer, missing, stated | reference.asked)


def _wider(answer: Said, missing: Iterable[str], reference: Reference) -> bool:
    """Whether an answer says no more than a wider word for what is missing, which the question has not said."""
    words = {each for one in missing for each in wider(one)} - reference.asked
    return bool(words & set(answer.terms)) and set(answer.terms) <= words | reference.asked and not answer.numbers


def _partly(answer: Said, missing: Iterable[str], known: set[str]) -> Verdict:
    """Part of the reference: with something of the same kind in place of the rest, it is another answer."""
    kinds = {kind_of(each) for each in missing}
    if len(answer.words) > _FEW:
        kinds -= {""}
    instead = [each for each in answer.terms if each not in known and kind_of(each) in kinds and each not in DEGREES]
    return Verdict(INCORRECT, "other-terms") if instead else Verdict(UNCLEAR, "part")


def _undecided(answer: Said, reference: Reference, stated: set[str]) -> Verdict | None:
    """An answer that joins what is right to something else by "or"."""
    needed = set(reference.needed)
    known = stated | DEGREES | (set() if reference.chooses else reference.asked)
    for before, after in pairwise(answer.pieces):
        if needed <= implied(before) and needed <= implied(after):
            continue
        for right, beside, other in ((before, before[-_NEAR:], after), (after, after[:_NEAR], before)):
            if needed and needed <= implied(right) and needed & implied(beside) and set(other) - known:
                return Verdict(UNCLEAR, "alternatives")
    return None


def _is_list(answer: Said, reference: Reference, known: set[str]) -> bool:
    """Whether what is right is one of several things that are listed: who names all is right by chance."""
    if not any(set(reference.needed) <= implied(item) for item in answer.items):
        return False
    kinds = {kind_of(each) for each in reference.needed} | ({"", "thing"} if len(answer.pieces) > 1 else set())
    others = [item for item in answer.items if any(kind_of(each) in kinds and each not in known for each in item)]
    return len(answer.words) <= _LISTED * len(answer.items) and len(others) >= _SEVERAL - 1


def _contrary(missing: Iterable[str], told: set[str], known: set[str]) -> bool:
    """Whether a term that is missing has another in its place."""
    return any(told & group - known for each in missing for group in rivals(each))


def _both_sides(answer: Said, reference: Reference) -> bool:
    """Whether the answer also names a side that the reference does not."""
    wanted = SIDES & set(reference.needed)
    if not wanted or "bilateral" in wanted:
        return False
    others = {"left", "right"} & set(answer.terms) - wanted - set(reference.said.terms) - reference.asked
    return bool(others) or ("bilateral" in answer.terms and not wanted & set(answer.terms))


def _given(number: Number, answer: Said) -> bool:
    given = answer.numbers or ((answer.count,) if answer.count else ())
    if any(number.agrees(each) for each in given):
        return True
    return number.value == 2 and not given and "bilateral" in answer.terms


def _ranges(answer: Said, reference: Reference) -> bool:
    """Whether a number of the reference is one end of a range, and the other end is none of its numbers."""
    known = reference.said.numbers or reference.numbers
    for ends in answer.ranges:
        right = [any(one.agrees(end) for one in reference.numbers) for end in ends]
        if any(right) and not all(any(one.agrees(end) for one in known) for end in ends):
            return True
    return False


def _other_number(unsaid: Iterable[Number], answer: Said, reference: Reference) -> bool:
    given = answer.numbers or ((answer.count,) if answer.count else ())
    others = [
        each for each in given if not any(each.agrees(one) for one in reference.said.numbers or reference.numbers)
    ]
    return any(each.unit == one.unit or "" in (each.unit, one.unit) for each in others for one in unsaid)


def _misspelt(name: str, terms: Iterable[str]) -> bool:
    """Whether a term is there with one letter wrong, too many or too few."""
    if len(name) < _SHORTEST_TYPO or rivals(name) or name[-1].isdigit():
        return False
    unlike = (each for each in terms if not rivals(each) and each not in LOOK_ALIKE)
    return any(each[:2] == name[:2] and _one_letter_apart(name, each) for each in unlike)


def _one_letter_apart(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    at = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return one[at + 1 :] == other[at + 1 :] or one[at:] == other[at + 1 :] or one[at + 1 :] == other[at:]
