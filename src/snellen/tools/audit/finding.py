"""Finding: something wrong with a benchmark, the items that show it, the evidence, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import nan
from types import MappingProxyType
from typing import NamedTuple

from snellen.stats import Estimate
from snellen.stress.base import Unit

LONGEST_QUOTE = 160
"""Characters of the benchmark that are quoted at the most."""


class Severity(StrEnum):
    """How much a finding matters."""

    HIGH = "high"
    """Scores cannot be taken at their word: answers can be had without the image, or keys are wrong."""
    MEDIUM = "medium"
    """Some items measure something else than they seem to."""
    LOW = "low"
    """Worth knowing; scores hardly change."""


class Flagged(NamedTuple):
    """An item that shows a finding, and how."""

    item_id: str
    evidence: str
    """In our words and figures; no text of the benchmark."""
    quote: str = ""
    """The words of the benchmark that are meant, where a few say it; left out of what is published."""
    with_items: tuple[str, ...] = ()
    """The other items that are part of it, such as those of which it is a duplicate."""
    score: float = nan
    """How sure or how strong, higher first; NaN where there is no degree."""
    sure: float = nan
    """How sure it is that this item has to be mended, from 0 to 1, if that differs from the finding's."""


class Number(NamedTuple):
    """A figure of the audit, with what one would expect of a benchmark that has nothing wrong."""

    name: str
    """As it stands in audit.json, such as `longest_option_accuracy`."""
    words: str
    """As it stands in a table: "always the longest option"."""
    estimate: Estimate
    expected: float | None = None
    unit: Unit = Unit.SHARE


class Finding(NamedTuple):
    """Something wrong, in a sentence with its numbers, with what to do."""

    check: str
    severity: Severity
    sentence: str
    fix: str
    items: tuple[Flagged, ...] = ()
    p: float | None = None
    """Where it could be chance, how likely that is.

    A check gives such a finding for everything that it tests, whatever its p: the audit corrects for all of them (Holm)
    and keeps those that are still significant.
    """
    sure: float = nan
    """How sure it is that such an item has to be mended, from 0 to 1. NaN: it is about the set, not about its items."""


class Curve(NamedTuple):
    """A line to be drawn: what is on each axis in words, its points, and its 95% CI where it has one."""

    name: str
    across: str
    upwards: str
    points: tuple[tuple[float, Estimate], ...]
    level: float | None = None
    """A line at this height to hold it against, such as chance."""


class Checked(NamedTuple):
    """What one check did: how many items it looked at, what it found, and what it could not say."""

    check: str
    looked_at: int
    findings: tuple[Finding, ...] = ()
    numbers: tuple[Number, ...] = ()
    cannot: tuple[str, ...] = ()
    """Sentences, each about something that cannot be said of this benchmark, and why."""
    notes: tuple[str, ...] = ()
    """Sentences about how it was done that a reader needs in order not to read too much into it."""
    columns: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    """Numbers of single items for items.csv: by column, by item."""
    curves: tuple[Curve, ...] = ()
    lists: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Lists of item ids that are written to files of their own, such as the items that are left after pruning."""


def quoted(text: str) -> str:
    """The beginning of a text of the benchmark on one line, as it is quoted.

    It ends with a whole word: half of one that identifies somebody would not be known for what it is.
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE + 1].rpartition(" ")[0]
