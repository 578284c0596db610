"""Questions that were asked several times: how far the runs differ, an item's own responses, and the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from snellen.grading.columns import Floats
from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import Number, number
from snellen.report.figures.layout import FigurePanel
from snellen.report.figures.marks import STAIRS, share_curve, stair_panel
from snellen.report.figures.standalone import About, Datum, Figure
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label
from snellen.scoring.findings import Finding
from snellen.stress.base import Measure

PARTS = ("between_run_variance", "within_item_variance", "between_item_variance")
"""The three parts of the spread."""
MOSTLY = 4.0
"""Items matter mostly where they add so many times the doubt that runs add."""


@dataclass(frozen=True)
class Repeated:
    """One model under one arm: its spread in three parts, the items answered alike, and a image of the items."""

    model: str
    arm: str
    runs: int
    spread: tuple[Number, ...]
    alike: Number | None
    picture: Markup
    picture_words: str
    sentence: str
    shares: tuple[float, ...] = ()
    """How often each item is right, the highest first."""


@dataclass(frozen=True)
class Repeats:
    """All repeated arms of one benchmark."""

    benchmark: str
    lines: tuple[Repeated, ...]
    figure: Figure


def repeats(evidence: Evidence) -> list[Repeats]:
    """The benchmarks whose questions were asked several times."""
    made = []
    for benchmark in evidence.benchmarks:
        found = [_repeated(evidence, address) for address in evidence.anchors if address.benchmark == benchmark]
        lines = tuple(each for each in found if each is not None)
        if lines:
            made.append(Repeats(benchmark, lines, _figure(evidence, benchmark, lines)))
    return made


def _figure(evidence: Evidence, benchmark: str, lines: Sequence[Repeated]) -> Figure:
    """The stairs of all models and conditions as a figure of its own."""
    panels = [
        FigurePanel(f"{line.model}, {arm_label(line.arm)}", stair_panel(line.shares, line.picture_words), STAIRS)
        for line in lines
    ]
    data = [
        Datum("share_of_runs_right", share, method=f"of {line.runs} runs", model=line.model, benchmark=benchmark,
              condition=line.arm, group=f"item {place}")
        for line in lines
        for place, share in enumerate(line.shares, 1)
    ]  # fmt: skip
    about = About(
        ("repeats-items", benchmark if evidence.several else ""),
        f"Items by how often they are right over several runs; {benchmark}",
        "Every item is a step, as high as the share of its runs that were right, the highest first",
    )
    return evidence.figures.panels(about, panels, data, columns=3)


def _repeated(evidence: Evidence, address: ArmAddress) -> Repeated | None:
    measures = {
        name: measure
        for name in (*PARTS, "unanimous_rate")
        if (measure := _measure(evidence.results.findings, address, name)) is not None
    }
    if not measures.keys() >= set(PARTS):
        return None
    anchor, table, grades = evidence.anchors[address], evidence.table(address), evidence.grades(address)
    shares = np.sort(table.share(address.arm, [Outcome.CORRECT]).value)[::-1]
    alike = measures.get("unanimous_rate")
    runs = measures["between_run_variance"].estimate.n
    return Repeated(
        model=address.model,
        arm=address.arm,
        runs=runs,
        spread=tuple(number(measures[name], anchor) for name in PARTS),
        alike=number(alike, anchor) if alike else None,
        picture=share_curve(shares.tolist(), _items_in_words(shares)),
        picture_words=_items_in_words(shares),
        shares=tuple(shares.tolist()),
        sentence=_sentence(measures, int(np.sum(np.bincount(grades.ordinal) == runs))),
    )


def _measure(findings: tuple[Finding, ...], address: ArmAddress, name: str) -> Measure | None:
    there = (each for each in findings if (each.model, each.benchmark) == (address.model, address.benchmark))
    return next((found for each in there if (found := each.measure(address.arm, name)) is not None), None)


def _items_in_words(shares: Floats) -> str:
    always, never = int(np.sum(shares == 1)), int(np.sum(shares == 0))
    between = len(shares) - always - never
    return f"{always:,} of {len(shares):,} items always right, {between:,} sometimes, {never:,} never"


def _sentence(measures: Mapping[str, Measure], whole: int) -> str:
    """What the spread means, in plain words; `whole` items were answered in every run."""
    runs, within = (measures[name].estimate for name in ("between_run_variance", "within_item_variance"))
    said = f"Asked {runs.n} times, {_moves(runs.value, within.value / whole)}"
    if "unanimous_rate" in measures:
        alike = measures["unanimous_rate"].estimate
        said += f" {wording.figure(alike.value, 'share')} of the items get the same answer every time."
    of_items = measures["between_item_variance"].estimate
    of_runs = max(runs.value, within.value / whole) / runs.n
    if of_items.value / of_items.n > MOSTLY * of_runs or within.value == 0:
        return f"{said} What doubt is left comes mostly from which questions were asked, not from how often."
    return f"{said} More runs would make the score surer, as more questions would."


def _moves(between: float, by_chance: float) -> str:
    """How far the accuracy moves from run to run, beside how far chance within the items would move it."""
    if by_chance == 0:
        return "every item was right in all runs or in none, so that its accuracy never moved."
    chance = f"chance within the items alone would give about {wording.figure(by_chance, 'variance')}."
    if between == 0:
        return f"its accuracy was the same in every run; {chance}"
    return f"its accuracy moves by about {wording.figure(between, 'variance')} from run to run; {chance}"
