"""Results of checks. A *finding* is a problem of a benchmark, with items, evidence and repair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from math import nan
from types import MappingProxyType
from typing import NamedTuple

from snellen.stats import Estimate
from snellen.stress.base import Unit

LONGEST_QUOTE = 160
"""Maximum number of characters in a quote of the benchmark."""


class Severity(StrEnum):
    """Severity of a finding."""

    HIGH = "high"
    """Scores are not valid: items can be answered without the image, or keys are wrong."""
    MEDIUM = "medium"
    """Some items do not measure what they seem to measure."""
    LOW = "low"
    """Worth knowing; scores hardly change."""


class Flagged(NamedTuple):
    """An item of a finding, with its evidence."""

    item_id: str
    evidence: str
    """Evidence in words and numbers, without text of the benchmark."""
    quote: str = ""
    """A short quote of the benchmark, if there is one. It is left out of published audits."""
    with_items: tuple[str, ...] = ()
    """Ids of other items that belong to the problem, such as duplicates of this item."""
    score: float = nan
    """Strength of the evidence for ordering, higher first; NaN if it has no degrees."""
    sure: float = nan
    """Probability that this item needs fixing. NaN stands for the probability of the finding."""


class Number(NamedTuple):
    """A number of the audit, with the value expected of a sound benchmark."""

    name: str
    """Name in audit.json, such as `longest_option_accuracy`."""
    words: str
    """Label in a table, such as "always the longest option"."""
    estimate: Estimate
    expected: float | None = None
    unit: Unit = Unit.SHARE


class Finding(NamedTuple):
    """A problem of the benchmark: a sentence with its numbers, the repair, and the items."""

    check: str
    severity: Severity
    sentence: str
    fix: str
    items: tuple[Flagged, ...] = ()
    p: float | None = None
    """p-value if the problem could be chance; None otherwise.

    A check returns a finding for each hypothesis that it tests, whatever its p. The audit corrects all p-values (Holm)
    and keeps the findings that stay significant.
    """
    sure: float = nan
    """Probability that an item of the finding needs fixing. NaN if the problem is one of the whole set."""


class ItemFault(NamedTuple):
    """A kind of fault of an item, with its probability, severity and repair."""

    sentence: str
    """End of the sentence "12 of 100 items …", such as "have a key that expresses doubt"."""
    evidence: str
    sure: float
    severity: Severity
    fix: str


class Curve(NamedTuple):
    """A curve to draw: names of its axes, and its points with 95% CI."""

    name: str
    across: str
    upwards: str
    points: tuple[tuple[float, Estimate], ...]
    level: float | None = None
    """Height of a reference line, such as chance."""


class Checked(NamedTuple):
    """Result of one check: number of items checked, findings, and what could not be checked."""

    check: str
    looked_at: int
    findings: tuple[Finding, ...] = ()
    numbers: tuple[Number, ...] = ()
    cannot: tuple[str, ...] = ()
    """What could not be checked in this benchmark, and why, each in a sentence."""
    notes: tuple[str, ...] = ()
    """Notes on the method and its limits, each in a sentence or two."""
    columns: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    """Columns for items.csv: by column name, the number of each item id."""
    curves: tuple[Curve, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Lists of item ids by file name, such as the items kept after pruning. Each is written to its own file."""


def list_finding(
    check: str, severity: Severity, sentence: str, fix: str, flagged: Iterable[Flagged], *, sure: float = nan
) -> tuple[Finding, ...]:
    """Make the finding of these items; empty without items."""
    items = tuple(flagged)
    return (Finding(check, severity, sentence, fix, items, sure=sure),) if items else ()


def gather_findings(check: str, listed: Mapping[ItemFault, Sequence[Flagged]], count: int) -> tuple[Finding, ...]:
    """Make one finding per fault that any of the `count` checked items has."""
    findings: list[Finding] = []
    for fault, flagged in listed.items():
        sentence = f"{len(flagged):,} of {count:,} items {fault.sentence}."
        findings += list_finding(check, fault.severity, sentence, fault.fix, flagged, sure=fault.sure)
    return tuple(findings)


def shorten_quote(text: str) -> str:
    """Shorten a quoted text of the benchmark to one line.

    It ends with a whole word: half of an identifying word would not be recognised and masked.
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE + 1].rpartition(" ")[0]
