"""Columns about claims of responses, one row per response."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.reading.claims.parser import Rationale
from snellen.reading.columns import Integers, Run, distinct
from snellen.reading.language.acts.seeing import says_absent
from snellen.reading.language.sentences import plain
from snellen.reading.language.words import findings
from snellen.reading.parsers import parser_named
from snellen.runtime import regex

Said = Iterator[tuple[str, frozenset[str]]]
"""Pairs of a subject and the values that a claim states for it."""


class _Statement(NamedTuple):
    """All values of one subject in a response, and the index of the first claim."""

    values: frozenset[str]
    claim: int


_OPTION = regex(r"\W{0,4}[a-h][):]")


def contradictions(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return pairs of contradicting claims from two responses: the two indexes and the rule.

    >>> contradictions(["The X-ray shows a left pneumothorax."], ["There is a right pneumothorax."])
    [(0, 0, 'side')]
    >>> contradictions(["A left pneumothorax is seen."], ["The left lung is clear."])
    []
    """
    here, there = _statements(first), _statements(second)
    return sorted(
        (here[at].claim, there[at].claim, at[0])
        for at in here.keys() & there.keys()
        if _differ(at[0], here[at].values, there[at].values)
    )


def _differ(rule: str, one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two responses differ: they share no ECG lead, or each has one value and these differ."""
    if rule == "leads":
        return one.isdisjoint(other)
    return len(one) == len(other) == 1 and one != other


def _statements(claims: Sequence[str]) -> dict[tuple[str, str], _Statement]:
    said: dict[tuple[str, str], _Statement] = {}
    for number, claim in enumerate(claims):
        for at, values in _read(claim):
            known = said.get(at, _Statement(frozenset(), number))
            said[at] = _Statement(known.values | values, known.claim)
    return said


@lru_cache(maxsize=8192)
def _read(claim: str) -> tuple[tuple[tuple[str, str], frozenset[str]], ...]:
    """Return the statements of one claim, by rule. Cached, because each claim is compared with every condition."""
    low = plain(claim)
    if findings.ANYTHING.search(low) is None:
        return ()
    return tuple(((rule, thing), values) for rule, read in _RULES.items() for thing, values in read(low))


def _find_names(low: str, names: dict[str, str]) -> frozenset[str]:
    return frozenset(name for name, pattern in names.items() if re.search(pattern, low))


def _sides(low: str) -> Said:
    if says_absent(low) or findings.UNSURE.search(low) or _OPTION.match(low):
        return
    sides = _find_names(findings.NOT_A_SIDE.sub(" ", low), findings.SIDES)
    for finding in _find_names(low, findings.FINDINGS) if sides else ():
        yield finding, sides


def _presence(low: str) -> Said:
    """Yield findings that are present or absent. Absence counts only if it is not limited to a place."""
    if says_absent(low):
        for finding, pattern in findings.FINDINGS.items():
            if re.search(rf"{findings.NONE_OF}(?:{pattern}){findings.PLACE_FOLLOWS}", low):
                yield finding, frozenset({"absent"})
    elif not findings.UNSURE.search(low) and " no" not in low and "senza" not in low and "without" not in low:
        for finding in _find_names(low, findings.FINDINGS):
            yield finding, frozenset({"present"})


def _leads(low: str) -> Said:
    """Yield the ECG leads with ST elevation."""
    if says_absent(low):
        return
    for elevation in findings.ELEVATION.finditer(low):
        leads = frozenset(lead for found in findings.LEADS.finditer(elevation.group(1)) for lead in _leads_of(found))
        if leads:
            yield "st-elevation", leads


def _leads_of(found: re.Match[str]) -> Iterator[str]:
    start, end, limb, region = found.groups()
    if start:
        yield from (f"v{number}" for number in range(int(start), int(end or start) + 1))
    elif limb:
        yield limb
    else:
        yield from ("ii", "iii", "avf") if region == "inferior" else ("v1", "v2", "v3", "v4", "v5", "v6")


def _one_of(thing: str, names: dict[str, str]) -> Callable[[str], Said]:
    """Return a rule for positive claims that name exactly one of the names."""

    def read(low: str) -> Said:
        named = _find_names(low, names)
        if len(named) == 1 and not says_absent(low) and not findings.UNSURE.search(low):
            yield thing, named

    return read


def _weighting(low: str) -> Said:
    """Yield the MRI weighting of a lettered image."""
    letters = set(findings.WEIGHTED.findall(low))
    weightings = frozenset(re.findall(r"\bt[12]\b", low))
    if len(letters) == len(weightings) == 1 and not says_absent(low):
        yield letters.pop(), weightings


def _counts(low: str) -> Said:
    if not says_absent(low):
        for number, thing in findings.COUNTED.findall(low):
            yield thing, frozenset({findings.NUMBERS.get(number, number)})


_RULES: dict[str, Callable[[str], Said]] = {
    "side": _sides,
    "presence": _presence,
    "leads": _leads,
    "plane": _one_of("plane", findings.PLANES),
    "weighting": _weighting,
    "shape": _one_of("shape", findings.SHAPES),
    "rhythm": _one_of("rhythm", findings.RHYTHMS),
    "count": _counts,
}


@dataclass(frozen=True)
class Rationales:
    """Findings that each response of one condition claims to see; one array per column.

    `claims` counts statements about the image that are not already in the question. `notices` marks responses that say
    that the image is missing or blank, `hedges` those that voice doubt, and `explains` those that say more than their
    answer. `contradicts` marks responses whose claims contradict those of the same item and repeat with the original
    image. `judged` holds the tags of a judge, one bit per tag, and `heard` is true if the judge's answer could be read.
    """

    claims: Integers
    notices: NDArray[np.bool_]
    hedges: NDArray[np.bool_]
    contradicts: NDArray[np.bool_]
    explains: NDArray[np.bool_]
    judged: Integers
    heard: NDArray[np.bool_]
    unsure: NDArray[np.bool_]
    """True if `claims` was read by an unreliable rule."""

    def only(self, kept: NDArray[np.bool_]) -> Rationales:
        """Return the columns for the selected responses."""
        return Rationales(**{each.name: getattr(self, each.name)[kept] for each in fields(self)})


def rationales(read: Mapping[Run, Rationale], asked: Mapping[Run, Rationale]) -> Rationales:
    """Build the columns of one condition, without a judge. `asked` holds the same runs with the original image."""
    said, places = distinct(read.values())
    unsure = parser_named("claims").unsure
    against = [
        bool(each.claims) and run in asked and bool(contradictions(asked[run].claims, each.claims))
        for run, each in read.items()
    ]
    return Rationales(
        claims=np.array([len(each.claims) for each in said], dtype=np.int64)[places],
        notices=np.array([each.notices for each in said], dtype=bool)[places],
        hedges=np.array([each.hedges for each in said], dtype=bool)[places],
        contradicts=np.array(against, dtype=bool),
        explains=np.array([each.explains for each in said], dtype=bool)[places],
        judged=np.zeros(len(read), dtype=np.int64),
        heard=np.zeros(len(read), dtype=bool),
        unsure=np.array([unsure(each.rule) for each in said], dtype=bool)[places],
    )
