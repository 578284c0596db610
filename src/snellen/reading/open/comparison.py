"""Comparison of a statement with a reference answer: correct, incorrect or unclear, and by which rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.reading.language.words import terms as vocabulary
from snellen.reading.language.words.terms import add_implied, kind_of, rivals, wider
from snellen.reading.open.said import COUNT, MeasuredNumber, StatementTerms, read_statement
from snellen.reading.outcomes import OpenGrade

_ALSO = frozenset(("density",))
"""Terms that a question may ask for in addition to a measure."""
_MANY = 5
"""If a reference needs at least this many terms and numbers, a large share of them is enough."""
_MOST = 0.75
_SHORTEST_TYPO = 6
_NEAR = 2
"""This many terms on each side of an "or" belong to the alternatives that it joins."""
_SEVERAL = 3
"""An answer with at least this many items between commas is a list, if it has few words per item."""
_LISTED = 3
_FEW = 8
"""An answer with at most this many words contains nothing besides its terms."""


class AnswerComparison(NamedTuple):
    """Grade of a statement compared with a reference, and the rule that decided."""

    grade: OpenGrade
    rule: str


CORRECT, INCORRECT, UNCLEAR = OpenGrade.CORRECT, OpenGrade.INCORRECT, OpenGrade.UNCLEAR


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference prepared for comparison: its terms, and which of them the question asks for."""

    said: StatementTerms
    needed: tuple[str, ...]
    numbers: tuple[MeasuredNumber, ...]
    asked: frozenset[str]
    """Terms of the question."""
    narrowed: bool
    """True if the question asks for only a part of the reference."""
    chooses: bool
    """True if the question itself names alternatives."""
    polarity: bool | None
    """The reference as yes or no; None if the question does not take yes or no."""
    shunned: bool
    """True if the question asks what should not be done."""


@lru_cache(maxsize=8_192)
def prepare_reference(text: str, question: str) -> Reference:
    """Prepare a reference for comparison, as an answer to its question."""
    asked = read_statement(question, shunned=True)
    words = frozenset(asked.words)
    shunned = not words.isdisjoint(vocabulary.SHUNS)
    whole = read_statement(text, shunned)
    about = _aspect(words)
    numbers = whole.numbers
    terms = [each for each in whole.terms if each not in vocabulary.DEGREES] or list(whole.terms)
    narrowed = False
    if about is not None and (part := [each for each in terms if each in about]):
        narrowed = len(part) < len(terms)
        terms, numbers = part, ()
    elif any(each.unit for each in numbers) and not words.isdisjoint(vocabulary.ASKS_SIZE) and words.isdisjoint(_ALSO):
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
    """Return the group of terms from which a question asks for one: sides, kinds of image, planes or sexes."""
    for asking, terms in zip(
        vocabulary.ASKS, (vocabulary.SIDES, vocabulary.MODALITIES, vocabulary.PLANES, vocabulary.SEXES), strict=True
    ):
        if not words.isdisjoint(asking):
            return terms
    return None


def _yes_or_no(reference: StatementTerms, question: StatementTerms) -> bool | None:
    if not question.words or question.words[0] not in vocabulary.POLAR or len(question.pieces) > 1:
        return None
    if reference.polarity is not None:
        return reference.polarity
    asked = set(question.terms)
    if reference.terms and set(reference.terms) <= asked:
        return True
    return False if reference.denied and reference.denied <= asked else None


def compare_statement(statement: str, reference: Reference) -> AnswerComparison:
    """Compare a statement with a reference.

    >>> compare_statement("RUL", prepare_reference("right upper lobe", "Where is it?")).rule
    'same-terms'
    >>> compare_statement("left upper lobe", prepare_reference("right upper lobe", "Where is it?"))
    AnswerComparison(grade=<OpenGrade.INCORRECT: 'incorrect'>, rule='contradicts')
    """
    answer = read_statement(statement, reference.shunned)
    if answer.words == reference.said.words:
        return AnswerComparison(CORRECT, "exact")
    if reference.polarity is not None and (polar := _polar(answer, reference)) is not None:
        return polar
    if reference.said.denied and not reference.said.terms:
        return _absence(answer, reference)
    if _says_normal(reference) and _healthy(answer, reference):
        return AnswerComparison(CORRECT, "absent")
    if not reference.needed and not reference.numbers:
        return AnswerComparison(INCORRECT, "nothing-shared")
    return _by_terms(answer, reference)


def _polar(answer: StatementTerms, reference: Reference) -> AnswerComparison | None:
    """Compare by yes or no: the answer's first word, or its assertion or denial of what is asked.

    None if the answer is neither yes nor no.
    """
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
    return AnswerComparison(CORRECT if given is reference.polarity else INCORRECT, "yes-no")


def _absence(answer: StatementTerms, reference: Reference) -> AnswerComparison:
    absent = reference.said.denied
    if absent <= answer.denied or (answer.polarity is False and not answer.asserted & absent):
        return AnswerComparison(CORRECT, "absent")
    if (
        "none" in answer.terms
        or "normal" in answer.terms
        or (absent <= vocabulary.NOTHING_WRONG and _healthy(answer, reference))
    ):
        return AnswerComparison(CORRECT, "absent")
    if absent & answer.asserted:
        return AnswerComparison(INCORRECT, "contradicts")
    return AnswerComparison(UNCLEAR if absent & answer.denied else INCORRECT, "nothing-shared")


def _says_normal(reference: Reference) -> bool:
    """Return whether a reference says only that nothing is wrong. Body parts and kinds of image may be named."""
    about = [each for each in reference.needed if each not in vocabulary.MODALITIES and kind_of(each) != "part"]
    return bool(about) and set(about) <= vocabulary.NOTHING_WRONG


def _healthy(answer: StatementTerms, reference: Reference) -> bool:
    """Return whether an answer says that nothing is wrong.

    It denies any abnormality or calls all normal, and it names no finding.
    """
    things = [each for each in answer.terms if kind_of(each) == "thing" and each not in reference.asked]
    denies = bool(answer.denied & vocabulary.ABNORMAL)
    unlike = _contrary(("normal", *reference.needed), answer.asserted | answer.denied, set(reference.needed))
    return not things and not unlike and (denies or bool(vocabulary.NOTHING_WRONG & set(answer.terms)))


def _by_terms(answer: StatementTerms, reference: Reference) -> AnswerComparison:
    told = answer.asserted
    missing = [each for each in reference.needed if each not in told and not _is_misspelt(each, answer.terms)]
    unsaid = [each for each in reference.numbers if not _states_number(each, answer)]
    needs = len(reference.needed) + len(reference.numbers)
    found = needs - len(missing) - len(unsaid)
    if any(each in answer.denied and each not in told for each in missing):
        return AnswerComparison(INCORRECT, "denies")
    if unsaid and _other_number(unsaid, answer, reference):
        return AnswerComparison(INCORRECT, "other-number")
    stated = add_implied(reference.said.terms)
    unmet = missing if not reference.narrowed else [each for each in reference.said.terms if each not in told]
    unmet = [*unmet, *(each for each in reference.said.terms if each in vocabulary.DEGREES and each not in told)]
    contrary = _contrary(unmet, told, stated | reference.asked)
    if len(answer.pieces) > 1 and (undecided := _find_alternatives(answer, reference, stated)) is not None:
        return undecided
    if contrary:
        return AnswerComparison(INCORRECT, "contradicts")
    if len(answer.items) >= _SEVERAL and _is_list(answer, reference, stated | reference.asked):
        return AnswerComparison(UNCLEAR, "alternatives")
    if not missing and not unsaid:
        if _both_sides(answer, reference):
            return AnswerComparison(UNCLEAR, "two-sides")
        if _ranges(answer, reference):
            return AnswerComparison(UNCLEAR, "alternatives")
        return AnswerComparison(CORRECT, "asked-part" if reference.narrowed else "same-terms")
    if needs >= _MANY and found >= _MOST * needs:
        return AnswerComparison(CORRECT, "most-terms")
    if not found and not _wider(answer, missing, reference):
        return AnswerComparison(INCORRECT, "nothing-shared")
    return _partly(answer, missing, stated | reference.asked)


def _wider(answer: StatementTerms, missing: Iterable[str], reference: Reference) -> bool:
    """Return whether an answer only gives a broader term for a missing one. Terms of the question do not count."""
    words = {each for one in missing for each in wider(one)} - reference.asked
    return bool(words & set(answer.terms)) and set(answer.terms) <= words | reference.asked and not answer.numbers


def _partly(answer: StatementTerms, missing: Iterable[str], known: set[str]) -> AnswerComparison:
    """Grade an answer with part of the reference: incorrect if it has other terms of the missing kind, else unclear."""
    kinds = {kind_of(each) for each in missing}
    if len(answer.words) > _FEW:
        kinds -= {""}
    instead = [
        each for each in answer.terms if each not in known and kind_of(each) in kinds and each not in vocabulary.DEGREES
    ]
    return AnswerComparison(INCORRECT, "other-terms") if instead else AnswerComparison(UNCLEAR, "part")


def _find_alternatives(answer: StatementTerms, reference: Reference, stated: set[str]) -> AnswerComparison | None:
    """Grade an answer as unclear if "or" joins the right answer to something else. Otherwise None."""
    needed = set(reference.needed)
    known = stated | vocabulary.DEGREES | (set() if reference.chooses else reference.asked)
    for before, after in pairwise(answer.pieces):
        if needed <= add_implied(before) and needed <= add_implied(after):
            continue
        for right, beside, other in ((before, before[-_NEAR:], after), (after, after[:_NEAR], before)):
            if needed and needed <= add_implied(right) and needed & add_implied(beside) and set(other) - known:
                return AnswerComparison(UNCLEAR, "alternatives")
    return None


def _is_list(answer: StatementTerms, reference: Reference, known: set[str]) -> bool:
    """Return whether the right answer is one of several listed things. A list of all answers would always be right."""
    if not any(set(reference.needed) <= add_implied(item) for item in answer.items):
        return False
    kinds = {kind_of(each) for each in reference.needed} | ({"", "thing"} if len(answer.pieces) > 1 else set())
    others = [item for item in answer.items if any(kind_of(each) in kinds and each not in known for each in item)]
    return len(answer.words) <= _LISTED * len(answer.items) and len(others) >= _SEVERAL - 1


def _contrary(missing: Iterable[str], told: set[str], known: set[str]) -> bool:
    """Return whether the answer has a rival term instead of a missing one."""
    return any(told & group - known for each in missing for group in rivals(each))


def _both_sides(answer: StatementTerms, reference: Reference) -> bool:
    """Return whether the answer also names a side that the reference does not name."""
    wanted = vocabulary.SIDES & set(reference.needed)
    if not wanted or "bilateral" in wanted:
        return False
    others = {"left", "right"} & set(answer.terms) - wanted - set(reference.said.terms) - reference.asked
    return bool(others) or ("bilateral" in answer.terms and not wanted & set(answer.terms))


def _states_number(number: MeasuredNumber, answer: StatementTerms) -> bool:
    given = answer.numbers or ((answer.count,) if answer.count else ())
    if any(number.agrees(each) for each in given):
        return True
    return number.value == 2 and not given and "bilateral" in answer.terms


def _ranges(answer: StatementTerms, reference: Reference) -> bool:
    """Return whether only one end of a range is a number of the reference."""
    known = reference.said.numbers or reference.numbers
    for ends in answer.ranges:
        right = [any(one.agrees(end) for one in reference.numbers) for end in ends]
        if any(right) and not all(any(one.agrees(end) for one in known) for end in ends):
            return True
    return False


def _other_number(unsaid: Iterable[MeasuredNumber], answer: StatementTerms, reference: Reference) -> bool:
    given = answer.numbers or ((answer.count,) if answer.count else ())
    others = [
        each for each in given if not any(each.agrees(one) for one in reference.said.numbers or reference.numbers)
    ]
    return any(each.unit == one.unit or "" in (each.unit, one.unit) for each in others for one in unsaid)


def _is_misspelt(name: str, terms: Iterable[str]) -> bool:
    """Return whether a term occurs with one letter wrong, missing or extra."""
    if len(name) < _SHORTEST_TYPO or rivals(name) or name[-1].isdigit():
        return False
    unlike = (each for each in terms if not rivals(each) and each not in vocabulary.LOOK_ALIKE)
    return any(each[:2] == name[:2] and _one_letter_apart(name, each) for each in unlike)


def _one_letter_apart(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    at = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return one[at + 1 :] == other[at + 1 :] or one[at:] == other[at + 1 :] or one[at + 1 :] == other[at:]
