"""Pooled artefacts (the artefacts paper): their cost over models, prompts and artefacts.

The abstract's three figures are computed in two ways. *As published* is the plain mean over cells; a cell is one model
with one prompt and one artefact. Its interval, which the paper does not have, is for other patients. *Mixed* treats
patients and models as two crossed samples; its interval is for other patients and other models.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf, isfinite, nan
from typing import NamedTuple

import numpy as np

from snellen.conditions import ORIGINAL
from snellen.conditions.degraded import kind_of
from snellen.errors import StudyError
from snellen.papers.artefacts.tests.arms import READ_BY, as_it_is, make_arms, name_test, present
from snellen.papers.artefacts.tests.detection_measures import gradable, measure_flagged
from snellen.prompts import Arm
from snellen.reading.columns import Floats, Integers
from snellen.stats import (
    Estimate,
    bootstrap_of_means,
    chosen_on_one_half,
    crossed_difference,
    crossed_mean,
    crossed_ratio,
)
from snellen.stats.joint import Formula
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, rate_of
from snellen.stress.design import Design
from snellen.stress.measures import blank_unpaired, column, nothing, right
from snellen.stress.table import Table

PROMPTS = "own/structured/cot"
OWN = "own"
"""Name of the study's own prompt, which in the paper's suite is its standard prompt."""
ORIGINALS, WEAK, STRONG = ORIGINAL.name, "all weak artefacts", "all strong artefacts"
"""Arm names of the pooled measures."""
ENOUGH = 0.95
"""A cell counts if it has this share of the items of the fullest cell with the same arm."""
TOP = 3
"""Number of best models that are shown separately, as in the paper."""
MIXED = "_mixed"
CATEGORY, BEST = "category=", f"best {TOP} of "
"""Prefixes of a measure's subset: a kind of image, or the best models."""
KINDS = by_name(
    Kind("pooled_accuracy", "accuracy on original images, mean over models and prompts", Unit.SHARE),
    Kind("pooled_accuracy_mixed", "the same by the mixed model, for other models too", Unit.SHARE),
    Kind("pooled_change", "change with weak artefacts: mean of the changes of every cell", Unit.CHANGE),
    Kind("change_of_pooled", "change with weak artefacts: change of the mean accuracy", Unit.CHANGE),
    Kind("change_of_pooled_mixed", "the same by the mixed model, for other models too", Unit.CHANGE),
    Kind("pooled_difference_mixed", "change with weak artefacts in points, by the mixed model", Unit.POINTS),
    Kind("pooled_detection_rate", "strong artefacts flagged, mean over models, prompts and artefacts", Unit.SHARE),
    Kind("pooled_detection_rate_mixed", "the same by the mixed model, for other models too", Unit.SHARE),
    Kind("loss_between_models", "how far models differ in what weak artefacts cost (SD)", Unit.VARIANCE),
    Kind("loss_between_patients", "how far patients differ in the same (SD)", Unit.VARIANCE),
    Kind("top_accuracy", "accuracy on original images of the best models by it, own prompt", Unit.SHARE),
    Kind("top_change", "change with weak artefacts of the same models, own prompt", Unit.CHANGE),
    Kind("top_accuracy_apart", "accuracy of the best, chosen on one half of the patients, on the other", Unit.SHARE),
    Kind("top_change_apart", "change of the best, chosen on one half of the patients, on the other", Unit.CHANGE),
)


class Strategy(NamedTuple):
    """The arms with one prompt: the original image, and every artefact at both strengths."""

    original: Arm
    weak: tuple[Arm, ...]
    strong: tuple[Arm, ...]


def pooled_artefacts(*artefacts: str, prompts: str = PROMPTS, scale: str = "kept") -> StressTest:
    """Build the pooled test over these artefacts, by default the paper's five.

    `prompts` are separated by slashes: `own` is the study's prompt, the others are the paper's strategies `standard`,
    `structured` and `cot`. `scale=stretched` saves the images as the paper did.
    """
    told = tuple(dict.fromkeys(str(prompts).split("/")))
    if "" in told:
        raise StudyError(f"Prompts are separated by slashes, such as {PROMPTS}, got {prompts!r}.")
    strategies = tuple(_strategy(artefacts, "" if each == OWN else each, scale) for each in told)
    return StressTest(
        Design(
            name_test("pooled-artefacts", artefacts, prompts="" if prompts == PROMPTS else prompts, scale=scale),
            "Over all models, prompts and artefacts: what do worse images cost, and are unreadable ones flagged?",
            arms=(
                *(each.original for each in strategies[1:]),
                *(arm for each in strategies for arm in (*each.weak, *each.strong)),
            ),
            baseline=strategies[0].original,
            reads=(READ_BY,),
        ),
        Analysis(
            Expectation.UNKNOWN,
            headline="pooled_change",
            measure=lambda test, table: _as_published(pool(strategies, [gradable(table)])),
            conclude=conclude,
            scores=True,
            over_models=partial(_over_models, strategies),
        ),
        present("artefacts, all together"),
    )


def _strategy(artefacts: Sequence[str], prompt: str, scale: str) -> Strategy:
    weak, strong = (make_arms(artefacts, each, prompt=prompt, scale=scale) for each in ("weak", "strong"))
    return Strategy(as_it_is(prompt), weak, strong)


class ModelArm(NamedTuple):
    """A cell: one model's values per item in one arm, with its values in the baseline if it has any."""

    model: str
    arm: str
    values: Floats
    before: Floats

    @property
    def able(self) -> bool:
        """Whether any baseline answer was correct, so that a relative change exists."""
        return bool(np.nansum(self.before) > 0)


@dataclass(frozen=True)
class PooledArms:
    """All cells of the models that answered one benchmark, by pooled arm."""

    cells: Mapping[str, tuple[ModelArm, ...]]
    clusters: Integers
    missing: Mapping[str, tuple[str, ...]]
    """By pooled arm, the models of the cells left out because too few items were answered."""

    def describe_cells(self, name: str) -> str:
        """Describe how many cells are used and left out."""
        cells, lost = self.cells[name], self.missing[name]
        models = len({each.model for each in cells})
        left_out = f", too few answers in {len(lost)} of {', '.join(dict.fromkeys(lost))}" if lost else ""
        return f"cells={len(cells)}, models={models}{left_out}"


def pool(strategies: Sequence[Strategy], tables: Sequence[Table]) -> PooledArms:
    """Collect the cells of these models: each prompt on originals, each prompt and artefact at both strengths.

    A model without text has no cell among the strong artefacts. A change covers the items answered both times.
    """
    made: dict[str, list[ModelArm]] = {ORIGINALS: [], WEAK: [], STRONG: []}
    for table in tables:
        for each in strategies:
            before, none = right(table, each.original.name), nothing(table)
            made[ORIGINALS].append(ModelArm(table.model, each.original.name, before, none))
            for arm in each.weak:
                first, second = blank_unpaired(before, right(table, arm.name))
                made[WEAK].append(ModelArm(table.model, arm.name, second, first))
            for arm in each.strong:
                found = measure_flagged(arm.name, table)
                if found is not None:
                    made[STRONG].append(ModelArm(table.model, arm.name, column(table, found), none))
    kept, missing = {}, {}
    for name, cells in made.items():
        kept[name], missing[name] = _part_answered(cells)
    return PooledArms(kept, tables[0].clusters, missing)


def _part_answered(cells: Sequence[ModelArm]) -> tuple[tuple[ModelArm, ...], tuple[str, ...]]:
    """Return the cells with nearly all items of their arm, and the models of others."""
    counts = [int(np.isfinite(each.values).sum()) for each in cells]
    most: dict[str, int] = {}
    for each, count in zip(cells, counts, strict=True):
        most[each.arm] = max(most.get(each.arm, 0), count)
    full = [count > 0 and count >= ENOUGH * most[each.arm] for each, count in zip(cells, counts, strict=True)]
    kept = tuple(each for each, is_full in zip(cells, full, strict=True) if is_full)
    return kept, tuple(each.model for each, is_full in zip(cells, full, strict=True) if not is_full and most[each.arm])


def _over_models(strategies: Sequence[Strategy], test: StressTest, tables: Sequence[Table]) -> Sequence[Measure]:
    """Measure the means over models and of the three best, also by kind of image."""
    tables = [gradable(table) for table in tables]
    found = list(_of_all(strategies, tables))
    parts = [table.parts("category") for table in tables]
    for name in parts[0]:
        of_part = _of_all(strategies, [part[name] for part in parts])
        found += [each.with_subset("; ".join(filter(None, (f"{CATEGORY}{name}", each.subset)))) for each in of_part]
    return found


def _of_all(strategies: Sequence[Strategy], tables: Sequence[Table]) -> Iterator[Measure]:
    pooled = pool(strategies, tables)
    yield from _as_published(pooled)
    yield from _measure_crossed(pooled)
    yield from _top(pooled, strategies[0])


def part_of(measure: Measure) -> str:
    """Return the kind of image of a pooled measure; "" for all kinds.

    >>> subset = "category=OCT; best 3 of 4: a, b, c"
    >>> part_of(Measure(WEAK, KINDS["top_change"], Estimate(0, 0, 0, 1, ""), subset=subset))
    'OCT'
    """
    return measure.subset.partition(BEST)[0].removesuffix("; ").removeprefix(CATEGORY)


_XRAY = re.compile(r"x-?\s?ray|radiograph", re.IGNORECASE)


def paper_kind(kind: str) -> str:
    """Return the paper's name for a kind of image; "" if the paper has none.

    >>> paper_kind("brain MRI"), paper_kind("OCT"), paper_kind("chest X-ray"), paper_kind("fundus photograph")
    ('MRI', 'OCT', 'X-ray', '')
    """
    name = kind_of(kind)
    return "" if name == "X-ray" and not _XRAY.search(kind) else name


def _as_published(pooled: PooledArms) -> Iterator[Measure]:
    """Plain means over cells, with the same resampled patients for all cells.

    A change is computed per cell and then averaged; a cell with no correct answer on originals has none. The change of
    the mean accuracy over all cells is computed as well.
    """
    for name, kind in ((ORIGINALS, "pooled_accuracy"), (STRONG, "pooled_detection_rate")):
        if cells := pooled.cells[name]:
            yield Measure(name, KINDS[kind], _extend_method(_mean(pooled, cells), pooled.describe_cells(name)))
    able = [each for each in pooled.cells[WEAK] if each.able]
    if able:
        lost = len(pooled.cells[WEAK]) - len(able)
        of = f"{pooled.describe_cells(WEAK)}{f', nothing right before in {lost}' if lost else ''}"
        yield Measure(WEAK, KINDS["pooled_change"], _extend_method(_change(pooled, able, _mean_of_changes), of))
        whole = _change(pooled, pooled.cells[WEAK], _change_of_means)
        yield Measure(WEAK, KINDS["change_of_pooled"], _extend_method(whole, pooled.describe_cells(WEAK)))


def _mean(pooled: PooledArms, cells: Sequence[ModelArm]) -> Estimate:
    """Mean share over cells, limited to 0 and 1."""
    found = _bootstrap(pooled, [each.values for each in cells], lambda means: [means.mean(axis=1)])
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _change(pooled: PooledArms, cells: Sequence[ModelArm], formula: Formula) -> Estimate:
    """A change over cells, limited to −1: at most everything is lost."""
    found = _bootstrap(pooled, [*(each.values for each in cells), *(each.before for each in cells)], formula)
    return replace(found, low=max(found.low, -1.0))


def _mean_of_changes(means: Floats) -> list[Floats]:
    """Return the mean of the changes.

    The first half of the columns has rates after the change, the second half before.

    >>> [round(float(each), 3) for each in (*_mean_of_changes(HALVED)[0], *_change_of_means(HALVED)[0])]
    [-0.25, -0.1]
    """
    after, before = np.split(means, 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [(after / before - 1).mean(axis=1)]


def _change_of_means(means: Floats) -> list[Floats]:
    after, before = np.split(means, 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [after.mean(axis=1) / before.mean(axis=1) - 1]


HALVED = np.array([[0.1, 0.8, 0.2, 0.8]])
"""Two example cells; the one with the low rate loses half of it."""


def _bootstrap(pooled: PooledArms, columns: Sequence[Floats], formula: Formula) -> Estimate:
    [found] = bootstrap_of_means(np.column_stack(columns), formula, seed=0, clusters=pooled.clusters)
    return found


def _extend_method(estimate: Estimate, of: str) -> Estimate:
    return replace(estimate, method=f"{estimate.method}; {of}")


def _measure_crossed(pooled: PooledArms) -> Iterator[Measure]:
    """Means of crossed patients and models; prompts and artefacts are taken as fixed."""
    for name, kind in ((ORIGINALS, "pooled_accuracy"), (STRONG, "pooled_detection_rate")):
        values, there = _by_model(pooled.cells[name])
        if values.size:
            found = crossed_mean(values[there], pooled.clusters[there])
            yield Measure(name, KINDS[f"{kind}{MIXED}"], found.estimate)
    after, there = _by_model(pooled.cells[WEAK])
    if not after.size:
        return
    before, _ = _by_model([each._replace(values=each.before) for each in pooled.cells[WEAK]])
    patients = pooled.clusters[there]
    ratio = crossed_ratio(after[there], before[there], patients)
    if isfinite(ratio.value):
        change = replace(ratio, value=ratio.value - 1, low=ratio.low - 1, high=ratio.high - 1)
        yield Measure(WEAK, KINDS["change_of_pooled_mixed"], change)
    difference = crossed_difference(before[there], after[there], patients)
    yield Measure(WEAK, KINDS["pooled_difference_mixed"], difference.estimate)
    for kind, spread in (("loss_between_models", difference.models), ("loss_between_patients", difference.patients)):
        if isfinite(spread):
            alone = Estimate(spread**2, nan, nan, difference.estimate.n, f"{difference.estimate.method}; spread")
            yield Measure(WEAK, KINDS[kind], alone)


def _by_model(cells: Sequence[ModelArm]) -> tuple[Floats, Integers]:
    """Return one value per item and model, and the items that every model has.

    If an item lacks some cells, the result allows for how much easier or harder these cells are.
    """
    models = list(dict.fromkeys(each.model for each in cells))
    if not models:
        return np.empty((0, 0)), np.empty(0, dtype=np.int64)
    made = [_level(np.stack([each.values for each in cells if each.model == model])) for model in models]
    values = np.column_stack(made)
    return values, np.flatnonzero(np.isfinite(values).all(axis=1))


def _level(cells: Floats) -> Floats:
    """Return the mean of the cells per item, adjusted for missing cells. NaN if all are missing.

    >>> _level(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, np.nan]])).tolist()
    [0.5, 0.5, 0.5]
    """
    there = np.isfinite(cells)
    count = there.sum(axis=0)
    means = np.nansum(cells, axis=1) / np.maximum(there.sum(axis=1), 1)
    apart = np.where(there, cells - means[:, None], 0.0).sum(axis=0) / np.maximum(count, 1)
    return np.asarray(np.where(count > 0, np.clip(apart + means.mean(), 0.0, 1.0), np.nan))


def _top(pooled: PooledArms, own: Strategy) -> Iterator[Measure]:
    """Measure the best models on originals, as published and corrected for selection."""
    originals = [each for each in pooled.cells[ORIGINALS] if each.arm == own.original.name]
    before, arms = {each.model: each.values for each in originals}, {arm.name for arm in own.weak}
    able = [each for each in pooled.cells[WEAK] if each.arm in arms and each.able]
    after = {model: [each for each in able if each.model == model] for model in before}
    models = [model for model in before if after[model]]
    if len(models) <= TOP:
        return
    best = sorted(models, key=lambda model: -float(np.nanmean(before[model])))[:TOP]
    names = f"{BEST}{len(models)}: {', '.join(best)}"
    accuracy = _mean(pooled, [each for each in originals if each.model in best])
    change = _change(pooled, [each for model in best for each in after[model]], _mean_of_changes)
    yield Measure(ORIGINALS, KINDS["top_accuracy"], _extend_method(accuracy, "as chosen"), subset=names)
    yield Measure(WEAK, KINDS["top_change"], _extend_method(change, "as chosen"), subset=names)
    yield from _measure_held_out(pooled, [before[model] for model in models], [after[model] for model in models])


def _measure_held_out(
    pooled: PooledArms, before: Sequence[Floats], after: Sequence[Sequence[ModelArm]]
) -> Iterator[Measure]:
    """Choose the best models on half of the patients and measure them on the others."""
    levels = [_level(np.stack([each.values for each in cells])) for cells in after]
    firsts = [_level(np.stack([each.before for each in cells])) for cells in after]
    ranked = np.column_stack(before)
    columns = np.stack((ranked, np.column_stack(levels), np.column_stack(firsts)), axis=2)
    there = np.isfinite(columns).any(axis=(1, 2))
    found = chosen_on_one_half(
        ranked[there], columns[there], _accuracy_and_change, count=TOP, clusters=pooled.clusters[there]
    )
    names = f"{BEST}{len(before)} by one half of the patients"
    bounds = ((0.0, 1.0), (-1.0, inf))
    kinds = ("top_accuracy_apart", "top_change_apart")
    for arm, kind, told, (low, high) in zip((ORIGINALS, WEAK), kinds, found, bounds, strict=True):
        if isfinite(told.value):
            cut = replace(told, low=max(low, told.low), high=min(high, told.high))
            yield Measure(arm, KINDS[kind], cut, subset=names)


def _accuracy_and_change(means: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        change = means[..., 1] / means[..., 2] - 1
    return np.stack((means[..., 0], np.where(np.isfinite(change), change, np.nan)), axis=-1)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report the means without pass or fail: a mean over models is not the result of any model."""
    accuracy = measures.get((ORIGINALS, "pooled_accuracy"))
    change = measures.get((WEAK, "pooled_change"))
    detected = measures.get((STRONG, "pooled_detection_rate"))
    parts = [
        f"{rate_of(accuracy.estimate)} right on the original images" if accuracy else "",
        f"{_percents(change.estimate)} with weak artefacts" if change else "",
        f"{rate_of(detected.estimate)} of strong artefacts flagged" if detected else "",
    ]
    if not any(parts):
        return leave_open("not-compared", "", "no question was answered with both the original image and an artefact")
    return Verdict(Status.REPORTED, ", ".join(filter(None, parts)), rests_on=change or accuracy or detected)


def _percents(estimate: Estimate) -> str:
    """Format a relative change in percent, with its interval.

    >>> _percents(Estimate(-0.034, -0.061, 0.002, 200, "any"))
    '−3.4% (95% CI −6.1 to +0.2)'
    """
    value, low, high = (
        f"{100 * each:+.1f}".replace("-", "−") for each in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value}% (95% CI {low} to {high})"
