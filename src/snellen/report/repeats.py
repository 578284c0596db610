"""Questions that were asked several times: how far the runs differ, an item's own replies, and the items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from snellen.findings import Finding
from snellen.grading.verdicts import Outcome
from snellen.report import wording
from snellen.report.estimates import Number, number
from snellen.report.evidence import Address, Evidence
from snellen.report.figures import share_curve
from snellen.stress.base import Measure
from snellen.stress.table import Floats

PARTS = ("between_run_variance", "within_item_variance", "between_item_variance")
"""The three parts of the spread."""
MOSTLY = 4.0
"""Items matter mostly where they add so many times the doubt that runs add."""


@dataclass(frozen=True)
class Repeated:
    """One model under one arm: its spread in three parts, the items answered alike, and a picture of the items."""

    model: str
    arm: str
    runs: int
    spread: tuple[Number | None, ...]
    alike: Number | None
    picture: Markup
    picture_words: str
    sentence: str


@dataclass(frozen=True)
class Repeats:
    """All repeated arms of one benchmark."""

    benchmark: str
    lines: tuple[Repeated, ...]


def repeats(evidence: Evidence) -> list[Repeats]:
    """The benchmarks whose questions were asked several times."""
    made = []
    for benchmark in evidence.results.benchmarks:
        found = [_repeated(evidence, address) for address in evidence.anchors if address.benchmark == benchmark]
        lines = tuple(each for each in found if each is not None)
        if lines:
            made.append(Repeats(benchmark, lines))
    return made


def _repeated(evidence: Evidence, address: Address) -> Repeated | None:
    measures = {
        name: measure
        for name in (*PARTS, "unanimous_rate")
        if (measure := _measure(evidence.results.findings, address, name)) is not None
    }
    if "between_run_variance" not in measures:
        return None
    anchor, table = evidence.anchors[address], evidence.table(address)
    shares = np.sort(table.share(address.arm, [Outcome.CORRECT]).value)[::-1]
    alike = measures.get("unanimous_rate")
    runs = measures["between_run_variance"].estimate.n
    return Repeated(
        model=address.model,
        arm=address.arm,
        runs=runs,
        spread=tuple(number(measures[name], anchor) if name in measures else None for name in PARTS),
        alike=number(alike, anchor) if alike else None,
        picture=share_curve(shares.tolist(), _items_in_words(shares)),
        picture_words=_items_in_words(shares),
        sentence=_sentence(measures, runs),
    )


def _measure(findings: tuple[Finding, ...], address: Address, name: str) -> Measure | None:
    there = (each for each in findings if (each.model, each.benchmark) == (address.model, address.benchmark))
    return next((found for each in there if (found := each.measure(address.arm, name)) is not None), None)


def _items_in_words(shares: Floats) -> str:
    always, never = int(np.sum(shares == 1)), int(np.sum(shares == 0))
    between = len(shares) - always - never
    return f"{always:,} of {len(shares):,} items always right, {between:,} sometimes, {never:,} never"


def _sentence(measures: dict[str, Measure], runs: int) -> str:
    """What the spread means, in plain words."""
    between_runs = measures["between_run_variance"].estimate
    moves = wording.figure(between_runs.value, "variance")
    said = f"Asked {runs} times, its score moves by about {moves} from one run to another"
    if "unanimous_rate" in measures:
        alike = measures["unanimous_rate"].estimate
        said += f", and {wording.figure(alike.value, 'share')} of the items get the same answer every time"
    items = measures.get("between_item_variance")
    if items is None:
        return f"{said}."
    of_items, of_runs = items.estimate.value / items.estimate.n, between_runs.value / runs
    if of_items > MOSTLY * of_runs:
        return f"{said}. What doubt is left comes from which questions were asked, not from how often."
    return f"{said}. More runs would make the score surer, as more questions would."
