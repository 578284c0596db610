"""Pooled artefacts (the artefacts paper): what do images with artefacts cost, over all models, prompts and artefacts?

The abstract's three figures, in two ways. *As published* each is the plain mean over cells, a cell being one model
under one prompt and one artefact; the interval, which the paper does not have, is for other patients. *Mixed* is a
model of patients and models as two crossed samples, with an interval for other patients and other models.
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
from snellen.papers.artefacts.tests.arms import as_it_is, degraded, named
from snellen.papers.artefacts.tests.detection_measures import READ_BY, flagged, gradable
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
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import both, column, nothing, right
from snellen.stress.table import Table

PROMPTS = "own/structured/cot"
OWN = "own"
"""The study's own prompt, which is the paper's standard one in its suite."""
ORIGINALS, WEAK, STRONG = ORIGINAL.name, "all weak artefacts", "all strong artefacts"
"""What the pooled numbers stand under."""
ENOUGH = 0.95
"""The share of the items, of those that some model answered under an arm, that a cell must have to be counted."""
TOP = 3
"""As many of the best models are shown apart, as in the paper."""
MIXED = "_mixed"
CATEGORY, BEST = "category=", f"best {TOP} of "
"""How the subset of a measure begins: of a kind of image, and of the best models."""
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
    """One prompt: the original image, and every artefact at both strengths."""

    original: Arm
    weak: tuple[Arm, ...]
    strong: tuple[Arm, ...]


def pooled_artefacts(*artefacts: str, prompts: str = PROMPTS, scale: str = "kept") -> StressTest:
    """The score over these artefacts, by default the paper's five.

    `prompts` are parted by strokes: `own` is the study's own, the others the paper's strategies `standard`,
    `structured` and `cot`. `scale=stretched` saves the images as the paper did.
    """
    told = tuple(dict.fromkeys(str(prompts).split("/")))
    if "" in told:
        raise StudyError(f"Prompts are parted by strokes, such as {PROMPTS}, got {prompts!r}.")
    strategies = tuple(_strategy(artefacts, "" if each == OWN else each, scale) for each in told)
    first, *others = strategies
    return StressTest(
        Design(
            named("pooled-artefacts", artefacts, prompts="" if prompts == PROMPTS else prompts, scale=scale),
            "Over all models, prompts and artefacts: what do worse images cost, and are unreadable ones flagged?",
            arms=(
                *(each.original for each in others),
                *(arm for each in strategies for arm in (*each.weak, *each.strong)),
            ),
            baseline=first.original,
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
        Presentation("artefacts, all together", chapter="snellen.papers.artefacts.report.chapter:CHAPTER"),
    )


def _strategy(artefacts: Sequence[str], prompt: str, scale: str) -> Strategy:
    weak, strong = (degraded(artefacts, each, prompt=prompt, scale=scale) for each in ("weak", "strong"))
    return Strategy(as_it_is(prompt), weak, strong)


class Cell(NamedTuple):
    """One model under one arm: a number per item, and the number that it is held against, nothing where none is."""

    model: str
    arm: str
    values: Floats
    before: Floats

    @property
    def answered(self) -> int:
        """How many items have a number."""
        return int(np.isfinite(self.values).sum())

    @property
    def able(self) -> bool:
        """Whether anything was right before, so that there is something to lose."""
        return bool(np.nansum(self.before) > 0)


@dataclass(frozen=True)
class Pool:
    """All cells of some models that answered one benchmark."""

    originals: tuple[Cell, ...]
    weak: tuple[Cell, ...]
    strong: tuple[Cell, ...]
    clusters: Integers
    missing: Mapping[str, tuple[str, ...]]
    """By the arm that they stand under, the models of the cells that answered too few items to be counted."""

    def of(self, name: str) -> tuple[Cell, ...]:
        """The cells of one kind, by the arm that they stand under."""
        return {ORIGINALS: self.originals, WEAK: self.weak, STRONG: self.strong}[name]

    def told(self, name: str) -> str:
        """How many cells a number is of, and how many were left out, for its method."""
        cells, lost = self.of(name), self.missing[name]
        models = len({each.model for each in cells})
        left_out = f", too few answers in {len(lost)} of {', '.join(dict.fromkeys(lost))}" if lost else ""
        return f"cells={len(cells)}, models={models}{left_out}"


def pool(strategies: Sequence[Strategy], tables: Sequence[Table]) -> Pool:
    """The cells of these models: every prompt on the originals, every prompt and artefact at both strengths.

    A model without words has no cell among the strong artefacts. A change is of the items answered both times.
    """
    made: dict[str, list[Cell]] = {ORIGINALS: [], WEAK: [], STRONG: []}
    for table in tables:
        for each in strategies:
            before, none = right(table, each.original.name), nothing(table)
            made[ORIGINALS].append(Cell(table.model, each.original.name, before, none))
            for arm in each.weak:
                first, second = both(before, right(table, arm.name))
                made[WEAK].append(Cell(table.model, arm.name, second, first))
            for arm in each.strong:
                found = flagged(arm.name, table)
                if found is not None:
                    made[STRONG].append(Cell(table.model, arm.name, column(table, found), none))
    kept = {name: _answered(cells) for name, cells in made.items()}
    missing = {name: _left_out(made[name], kept[name]) for name in made}
    return Pool(kept[ORIGINALS], kept[WEAK], kept[STRONG], tables[0].clusters, missing)


def _answered(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells with nearly all of the items that some model answered under the same arm."""
    most: dict[str, int] = {}
    for each in cells:
        most[each.arm] = max(most.get(each.arm, 0), each.answered)
    return tuple(each for each in cells if each.answered and each.answered >= ENOUGH * most[each.arm])


def _left_out(made: Sequence[Cell], kept: Sequence[Cell]) -> tuple[str, ...]:
    """The models of the cells that are not counted, under arms that some model did answer."""
    asked, there = {each.arm for each in kept}, {(each.model, each.arm) for each in kept}
    return tuple(each.model for each in made if each.arm in asked and (each.model, each.arm) not in there)


def _over_models(strategies: Sequence[Strategy], test: StressTest, tables: Sequence[Table]) -> Sequence[Measure]:
    """The means over all models, as published and mixed, of all images and of every modality, and the top three."""
    tables = [gradable(table) for table in tables]
    found = list(_of_all(strategies, tables))
    parts = [table.parts("category") for table in tables]
    for name in parts[0]:
        of_part = _of_all(strategies, [part[name] for part in parts])
        found += [each.within("; ".join(filter(None, (f"{CATEGORY}{name}", each.subset)))) for each in of_part]
    return found


def _of_all(strategies: Sequence[Strategy], tables: Sequence[Table]) -> Iterator[Measure]:
    pooled = pool(strategies, tables)
    yield from _as_published(pooled)
    yield from _mixed(pooled)
    yield from _top(pooled, strategies[0])


def part_of(measure: Measure) -> str:
    """The kind of image that a pooled measure is about; nothing where it is about all.

    >>> subset = "category=OCT; best 3 of 4: a, b, c"
    >>> part_of(Measure(WEAK, KINDS["top_change"], Estimate(0, 0, 0, 1, ""), subset=subset))
    'OCT'
    """
    return measure.subset.partition(BEST)[0].removesuffix("; ").removeprefix(CATEGORY)


_XRAY = re.compile(r"x-?\s?ray|radiograph", re.IGNORECASE)


def paper_kind(kind: str) -> str:
    """Which of the paper's three kinds of image this is; nothing where it is none of them.

    >>> paper_kind("brain MRI"), paper_kind("OCT"), paper_kind("chest X-ray"), paper_kind("fundus photograph")
    ('MRI', 'OCT', 'X-ray', '')
    """
    name = kind_of(kind)
    return "" if name == "X-ray" and not _XRAY.search(kind) else name


def _as_published(pooled: Pool) -> Iterator[Measure]:
    """Plain means over cells, the patients drawn again for all of them at once.

    A change is taken cell by cell, and then their mean; a cell with nothing right on the originals has none. Beside it
    stands the change of the mean accuracy over all cells.
    """
    for name, kind in ((ORIGINALS, "pooled_accuracy"), (STRONG, "pooled_detection_rate")):
        if pooled.of(name):
            yield Measure(name, KINDS[kind], _told(_mean(pooled, pooled.of(name)), pooled.told(name)))
    able = [each for each in pooled.weak if each.able]
    if able:
        lost = len(pooled.weak) - len(able)
        of = f"{pooled.told(WEAK)}{f', nothing right before in {lost}' if lost else ''}"
        yield Measure(WEAK, KINDS["pooled_change"], _told(_change(pooled, able, _mean_of_changes), of))
        whole = _change(pooled, pooled.weak, _change_of_means)
        yield Measure(WEAK, KINDS["change_of_pooled"], _told(whole, pooled.told(WEAK)))


def _mean(pooled: Pool, cells: Sequence[Cell]) -> Estimate:
    """The mean of shares over cells."""
    found = _drawn(pooled, [each.values for each in cells], lambda means: [means.mean(axis=1)])
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def _change(pooled: Pool, cells: Sequence[Cell], formula: Formula) -> Estimate:
    """A change over cells, of which no more than all can be lost."""
    found = _drawn(pooled, [*(each.values for each in cells), *(each.before for each in cells)], formula)
    return replace(found, low=max(found.low, -1.0))


def _mean_of_changes(means: Floats) -> list[Floats]:
    """The mean of the changes of cells; first stand those with an artefact, then as many without.

    >>> [round(float(each), 3) for each in (*_mean_of_changes(HALVED)[0], *_change_of_means(HALVED)[0])]
    [-0.25, -0.1]
    """
    after, before = np.split(means, 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [(after / before - 1).mean(axis=1)]


def _change_of_means(means: Floats) -> list[Floats]:
    """The change of the mean over cells."""
    after, before = np.split(means, 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [after.mean(axis=1) / before.mean(axis=1) - 1]


HALVED = np.array([[0.1, 0.8, 0.2, 0.8]])
"""Two cells, of which one loses half of the little that it had, for examples."""


def _drawn(pooled: Pool, columns: Sequence[Floats], formula: Formula) -> Estimate:
    """A score of the columns' means, by drawing patients again."""
    [found] = bootstrap_of_means(np.column_stack(columns), formula, seed=0, clusters=pooled.clusters)
    return found


def _told(estimate: Estimate, of: str) -> Estimate:
    return replace(estimate, method=f"{estimate.method}; {of}")


def _mixed(pooled: Pool) -> Iterator[Measure]:
    """Patients and models as crossed samples; prompts and artefacts are those that were asked, and averaged over."""
    for name, kind in ((ORIGINALS, "pooled_accuracy"), (STRONG, "pooled_detection_rate")):
        values, there = _by_model(pooled.of(name))
        if values.size:
            found = crossed_mean(values[there], pooled.clusters[there])
            yield Measure(name, KINDS[f"{kind}{MIXED}"], found.estimate)
    after, there = _by_model(pooled.weak)
    if not after.size:
        return
    before, _ = _by_model([each._replace(values=each.before) for each in pooled.weak])
    patients, pair = pooled.clusters[there], (before[there], after[there])
    ratio = crossed_ratio(pair[1], pair[0], patients)
    if isfinite(ratio.value):
        change = replace(ratio, value=ratio.value - 1, low=ratio.low - 1, high=ratio.high - 1)
        yield Measure(WEAK, KINDS["change_of_pooled_mixed"], change)
    difference = crossed_difference(*pair, patients)
    yield Measure(WEAK, KINDS["pooled_difference_mixed"], difference.estimate)
    for kind, spread in (("loss_between_models", difference.models), ("loss_between_patients", difference.patients)):
        if isfinite(spread):
            alone = Estimate(spread**2, nan, nan, difference.estimate.n, f"{difference.estimate.method}; spread")
            yield Measure(WEAK, KINDS[kind], alone)


def _by_model(cells: Sequence[Cell]) -> tuple[Floats, Integers]:
    """One number an item and model, the mean over the model's cells, and the items that all models have.

    Where an item lacks some of the cells, what these cells are easier or harder than the others is taken off.
    """
    models = list(dict.fromkeys(each.model for each in cells))
    if not models:
        return np.empty((0, 0)), np.empty(0, dtype=np.int64)
    made = [_level(np.stack([each.values for each in cells if each.model == model])) for model in models]
    values = np.column_stack(made)
    return values, np.flatnonzero(np.isfinite(values).all(axis=1))


def _level(cells: Floats) -> Floats:
    """The mean of some cells for every item, as if it had all of them; NaN where it has none.

    >>> _level(np.array([[1.0, 1.0, 1.0], [0.0, 0.0, np.nan]])).tolist()
    [0.5, 0.5, 0.5]
    """
    there = np.isfinite(cells)
    count = there.sum(axis=0)
    means = np.nansum(cells, axis=1) / np.maximum(there.sum(axis=1), 1)
    apart = np.where(there, cells - means[:, None], 0.0).sum(axis=0) / np.maximum(count, 1)
    return np.asarray(np.where(count > 0, np.clip(apart + means.mean(), 0.0, 1.0), np.nan))


def _top(pooled: Pool, own: Strategy) -> Iterator[Measure]:
    """The best models on original images by the first prompt, as the paper shows them, and without their luck."""
    before = {each.model: each.values for each in pooled.originals if each.arm == own.original.name}
    arms = {arm.name for arm in own.weak}
    after = {
        model: [each for each in pooled.weak if each.model == model and each.arm in arms and each.able]
        for model in before
    }
    models = [model for model in before if after[model]]
    if len(models) <= TOP:
        return
    best = sorted(models, key=lambda model: -float(np.nanmean(before[model])))[:TOP]
    names = f"{BEST}{len(models)}: {', '.join(best)}"
    chosen = [each for each in pooled.originals if each.model in best and each.arm == own.original.name]
    accuracy = _mean(pooled, chosen)
    change = _change(pooled, [each for model in best for each in after[model]], _mean_of_changes)
    yield Measure(ORIGINALS, KINDS["top_accuracy"], _told(accuracy, "as chosen"), subset=names)
    yield Measure(WEAK, KINDS["top_change"], _told(change, "as chosen"), subset=names)
    yield from _apart(pooled, [before[model] for model in models], [after[model] for model in models])


def _apart(pooled: Pool, before: Sequence[Floats], after: Sequence[Sequence[Cell]]) -> Iterator[Measure]:
    """The same of the best by one half of the patients, on the other half."""
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
    """Told and not judged: a mean over models is no model's own."""
    accuracy = measures.get((ORIGINALS, "pooled_accuracy"))
    change = measures.get((WEAK, "pooled_change"))
    detected = measures.get((STRONG, "pooled_detection_rate"))
    parts = [
        f"{rate_of(accuracy.estimate)} right on the original images" if accuracy else "",
        f"{_percents(change.estimate)} with weak artefacts" if change else "",
        f"{rate_of(detected.estimate)} of strong artefacts flagged" if detected else "",
    ]
    if not any(parts):
        return leave_open("not-compared", "", "no image was answered as it is and with an artefact")
    return Verdict(Status.REPORTED, ", ".join(filter(None, parts)), rests_on=change or accuracy or detected)


def _percents(estimate: Estimate) -> str:
    """A change in percent of what there was.

    >>> _percents(Estimate(-0.034, -0.061, 0.002, 200, "any"))
    '−3.4% (95% CI −6.1 to +0.2)'
    """
    value, low, high = (
        f"{100 * each:+.1f}".replace("-", "−") for each in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value}% (95% CI {low} to {high})"
