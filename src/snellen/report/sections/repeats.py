"""Section on repeated questions: variance between repeats, within items and between items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from snellen.reading.outcomes import Outcome
from snellen.report.components import (
    Cell,
    Figure,
    Fold,
    Listing,
    Panel,
    Panels,
    Part,
    Section,
    Table,
    fold_if_long,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import number
from snellen.report.figures.layout import in_panels
from snellen.report.figures.marks import share_curve, stair_panel
from snellen.report.figures.standalone import About, Datum
from snellen.report.sections.headline import short_names
from snellen.report.words import numbers as wording
from snellen.report.words.arms import arm_label
from snellen.stress.base import Measure

PARTS = ("between_run_variance", "within_item_variance", "between_item_variance")
"""Measures of the three variances."""
MOSTLY = 4.0
"""Factor from which the variance from items is said to dominate that from repeats."""


class ModelSpread(NamedTuple):
    """Variances of one model under one condition, and the accuracy of each item."""

    address: ArmAddress
    measures: Mapping[str, Measure]
    shares: tuple[float, ...]
    whole: int
    """Number of items that were answered in every repeat."""

    @property
    def runs(self) -> int:
        """Number of repeats of each question."""
        return self.measures["between_run_variance"].estimate.n


SPREAD = (
    "The same questions were asked several times. The spread is given as a standard deviation in percentage points: "
    "**from run to run**, the scores of whole runs; **within an item**, the responses to one question (0 if they are "
    "always the same, about 50 if half of them are right); **from item to item**, how much easier some questions "
    "are than others, without the part due to chance. In the figure each item is a step; its height is the share "
    "of runs that were right, sorted from high to low. Intervals are square roots of the limits of the variances' 95% "
    "CIs in results.csv."
)
COLUMNS = name_columns(
    "model, condition", "from run to run", "within an item", "from item to item", "items answered alike in all runs",
    "the items, by how often they are right",
)  # fmt: skip


def draw_repeats(evidence: Evidence) -> Iterator[Section]:
    """Draw how much repeats differ, for benchmarks with repeated questions."""
    parts: list[Part] = []
    for benchmark in evidence.benchmarks:
        found = [_find_repeated(evidence, each) for each in evidence.anchors if each.benchmark == benchmark]
        if lines := [each for each in found if each is not None]:
            said = Listing(tuple(Cell(f"{_name(evidence, line)}: {_describe(line)}") for line in lines))
            own = said, _draw_table(evidence, benchmark, lines)
            parts += [Section(benchmark, own)] if evidence.several else own
    if parts:
        yield Section("Asked again", (*parts, quiet(rich(SPREAD))), "repeats")


def _name(evidence: Evidence, line: ModelSpread) -> str:
    return f"{short_names(evidence.results)[line.address.model]}, {arm_label(line.address.arm)}"


def _draw_table(evidence: Evidence, benchmark: str, lines: Sequence[ModelSpread]) -> Table | Fold:
    rows = []
    for line in lines:
        anchor, alike = evidence.anchors[line.address], line.measures.get("unanimous_rate")
        spread = [number(line.measures[name], anchor) for name in PARTS]
        words = describe_items(line.shares)
        cells = (
            *(replace(each.cell(), n=f"n {each.n} {what}")
              for each, what in zip(spread, ("runs", "items", "items"), strict=True)),
            Cell("–") if alike is None else replace(number(alike, anchor).cell(), n=f"n {alike.estimate.n} items"),
            Cell(drawing=share_curve(line.shares, words), note=f"height: share of runs right; {words}"),
        )  # fmt: skip
        head = Cell(_name(evidence, line), place=evidence.place(line.address.model))
        rows.append(write_row(head, *cells, model=line.address.model, benchmark=benchmark))
    table = Table(COLUMNS, tuple(rows), "How far the runs differ", figure=_draw_figure(evidence, benchmark, lines))
    return fold_if_long(table, "How far the runs differ")


def _draw_figure(evidence: Evidence, benchmark: str, lines: Sequence[ModelSpread]) -> Figure:
    panels = tuple(
        Panel(_name(evidence, line), stair_panel(line.shares, describe_items(line.shares))) for line in lines
    )
    data = [
        Datum("share_of_runs_right", share, method=f"of {line.runs} runs", model=line.address.model,
              benchmark=benchmark, condition=line.address.arm, group=f"item {place}")
        for line in lines
        for place, share in enumerate(line.shares, 1)
    ]  # fmt: skip
    about = About(
        ("repeats-items", benchmark if evidence.several else ""),
        f"Items by how often they are right over several runs; {benchmark}",
        "Every item is a step; its height is the share of runs that were right, sorted from high to low",
    )
    return evidence.figures.draw(about, data, in_panels(Panels(panels), 3))


def _find_repeated(evidence: Evidence, address: ArmAddress) -> ModelSpread | None:
    """Variances under one condition. None if nothing was repeated."""
    names = (*PARTS, "unanimous_rate")
    findings = [each for each in evidence.results.findings if each.is_of(address.model, address.benchmark)]
    found = ((name, each.measure(address.arm, name)) for each in reversed(findings) for name in names)
    measures = {name: measure for name, measure in found if measure is not None}
    if not measures.keys() >= set(PARTS):
        return None
    shares = np.sort(evidence.table(address).share(address.arm, [Outcome.CORRECT]).value)[::-1]
    runs = measures[PARTS[0]].estimate.n
    whole = int(np.sum(np.bincount(evidence.grades(address).ordinal) == runs))
    return ModelSpread(address, measures, tuple(shares.tolist()), whole)


def describe_items(shares: Sequence[float]) -> str:
    """Describe how many items are always, sometimes and never right."""
    always, never = shares.count(1.0), shares.count(0.0)
    between = len(shares) - always - never
    return f"{always:,} of {len(shares):,} items always right, {between:,} sometimes, {never:,} never"


def _describe(line: ModelSpread) -> str:
    measures = line.measures
    runs, within = (measures[name].estimate for name in PARTS[:2])
    by_chance = within.value / line.whole
    said = f"asked {runs.n} times, "
    chance = f"chance variation within items alone would give about {wording.figure(by_chance, 'variance')}."
    if by_chance == 0:
        said += "every item was right in all runs or in none, so that its accuracy never moved."
    elif runs.value == 0:
        said += f"its accuracy was the same in every run; {chance}"
    else:
        said += f"its accuracy moves by about {wording.figure(runs.value, 'variance')} from run to run; {chance}"
    if "unanimous_rate" in measures:
        alike = measures["unanimous_rate"].estimate
        said += f" {wording.figure(alike.value, 'share')} of the items get the same answer every time."
    of_items = measures["between_item_variance"].estimate
    of_runs = max(runs.value, by_chance) / runs.n
    if of_items.value / of_items.n > MOSTLY * of_runs or within.value == 0:
        return (
            f"{said} The remaining uncertainty comes mostly from the choice of questions, not from the number of runs."
        )
    return f"{said} More runs would make the score more certain, as would more questions."
