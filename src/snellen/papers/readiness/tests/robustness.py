"""Robustness: the score of "The Illusion of Readiness" over five tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import (
    IMAGE_REMOVED,
    ORIGINAL,
    DistractorsReplaced,
    ImageSubstituted,
    OptionsShuffled,
    UnknownOffered,
)
from snellen.conditions.labels import read_label
from snellen.plugins import settings_from
from snellen.reading.columns import Floats
from snellen.stats import Estimate, bootstrap_of_means, wilson
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open
from snellen.stress.design import Design, Presentation, baseline
from snellen.stress.image_dependence.subset import Subset, only_needed
from snellen.stress.measures import ANSWERED, blank_unpaired, mean_of, nothing, right
from snellen.stress.measures import SHARED as SHARED_KINDS
from snellen.stress.table import Table

Figure = float | NDArray[np.float64]
Figures = NDArray[np.float64]

TESTS = ("T1", "T2", "T3", "T4", "T5")
WEIGHTS = (0.5, 0.3, 0.2)
"""Weights of the three parts of T4: accuracy lost without the image, gained with it, gained by "Unknown"."""


class Removal(NamedTuple):
    """T1 on one benchmark: number of items, and accuracies with and without the image."""

    n: Figure
    image: Figure
    text: Figure


SHARED = (
    "needed", "chance", "in_order", "reordered", "text_base", "text_replaced", "image_base", "image_replaced",
    "text_unknown_base", "text_unknown", "original", "substituted",
)  # fmt: skip
"""Accuracies behind f2 to f5. `text_unknown_base` has the same questions without "Unknown"."""


def fragilities(removal: Sequence[Removal], accuracies: Mapping[str, Figure]) -> Figures:
    """Compute f1 to f5, each from 0 to 1, along the first axis. `accuracies` has the keys in `SHARED`."""
    weights = sum(each.n for each in removal)
    lost = sum(each.n * _drop(each.image, each.text) for each in removal) / weights

    def drop(before: str, after: str) -> Figures:
        return _drop(accuracies[before], accuracies[after])

    excess = drop("needed", "chance") / (1 - np.asarray(accuracies["chance"]))
    replaced = (
        WEIGHTS[0] * drop("text_base", "text_replaced")
        + WEIGHTS[1] * drop("image_replaced", "image_base")
        + WEIGHTS[2] * drop("text_unknown", "text_unknown_base")
    )
    parts = (lost, excess, drop("in_order", "reordered"), replaced, drop("original", "substituted"))
    return np.stack(np.broadcast_arrays(*parts))


def robustness(found: Figures) -> Figures:
    """Compute R, the mean of 1 − f over the five tests."""
    return np.asarray(1 - np.mean(found, axis=0))


def _drop(before: Figure, after: Figure) -> Figures:
    return np.maximum(0.0, np.asarray(before, dtype=np.float64) - np.asarray(after, dtype=np.float64))


ARM = "score"
"""Arm name of the score's own measures."""
MOST = 4
ENOUGH = 20
"""A part of the score on fewer items than this is named in the verdict."""
BLIND = IMAGE_REMOVED.name
SHUFFLED = baseline("removed", OptionsShuffled())
UNKNOWN = baseline("removed", UnknownOffered())
REPLACED = {
    image: tuple(baseline(image, DistractorsReplaced(count)) for count in range(1, MOST + 1))
    for image in ("kept", "removed")
}
WHOLE, PARTIAL, ANSWERS = "robustness", "robustness_partial", "answered_rate"
BEYOND = "robustness_beyond_rerun"
FRAGILITIES = by_name(
    Kind("fragility_1", "f1, lost without the image", Unit.SCORE),
    Kind("fragility_2", "f2, above chance without the image", Unit.SCORE),
    Kind("fragility_3", "f3, lost when the options are reordered", Unit.SCORE),
    Kind("fragility_4", "f4, moved when wrong options are replaced", Unit.SCORE),
    Kind("fragility_5", "f5, lost when the image is another", Unit.SCORE),
)
SCORES = by_name(
    Kind(WHOLE, "robustness R, the mean of 1 − f", Unit.SCORE),
    Kind(PARTIAL, "robustness of only some of the tests", Unit.SCORE),
    Kind(BEYOND, "robustness R, without what repeats alone take from it", Unit.SCORE),
)


@settings_from(Subset)
def robustness_test(**settings: Any) -> StressTest:
    """Build the score; its items that need the image are chosen as in visual-necessity."""
    subset = Subset(**settings)
    return StressTest(
        Design(
            subset.name_test("robustness"),
            "All six stress tests together, as published: how stable is the model?",
            arms=(IMAGE_REMOVED, SHUFFLED, UNKNOWN, *REPLACED["removed"], *REPLACED["kept"], ImageSubstituted()),
            explain_mismatch=subset.explain_mismatch,
        ),
        Analysis(
            Expectation.UNKNOWN,
            headline=WHOLE,
            measure=lambda test, table: measure(subset, test, [table]),
            conclude=conclude,
            scores=True,
            spanning=partial(measure, subset),
        ),
        Presentation(chapter="snellen.papers.readiness.report.chapter:CHAPTER"),
    )


@dataclass(frozen=True)
class ScoreColumns:
    """Columns of one benchmark that the score is computed from; rows are items."""

    columns: Mapping[str, Floats]
    clusters: Floats
    source: str

    def count_items(self, name: str) -> int:
        """Return the number of items with a value in this column."""
        return int(np.isfinite(self.columns[name]).sum())


def measure(subset: Subset, test: StressTest, tables: Sequence[Table]) -> Sequence[Measure]:
    """Measure a model's fragilities and score over benchmarks, with bootstrap intervals.

    There is no score if no response can be read as an answer, because nothing can be lost.
    """
    tables = [table for table in tables if ORIGINAL.name in table.arms]
    originals = [table.arms[ORIGINAL.name] for table in tables]
    asked = sum(len(np.unique(grades.ordinal)) for grades in originals)
    if asked and not any(grades.is_(*ANSWERED).any() for grades in originals):
        return [Measure(ORIGINAL.name, SHARED_KINDS[ANSWERS], wilson(0, asked))]
    if not tables:
        return []
    scored = [_score_items(subset, table) for table in tables]
    sizes = [each.count_items("image") for each in scored]
    names = [(name, at) for name in ("image", "text") for at in range(len(scored))]
    values = np.column_stack(
        [_spread(scored, name, only) for name, only in names] + [_spread(scored, name) for name in SHARED]
    )
    groups = [np.char.add(f"{at} ", each.clusters.astype(str)) for at, each in enumerate(scored)]
    strata = np.repeat(np.arange(len(scored)), [len(each.clusters) for each in scored])
    luck = len(names) + SHARED.index("chance")
    found = bootstrap_of_means(
        values, partial(_scores, sizes), seed=0, clusters=np.concatenate(groups), strata=strata, known=[luck]
    )
    counts = {name: sum(each.count_items(name) for each in scored) for name in ("image", *SHARED)}
    sources = " | ".join(dict.fromkeys(each.source for each in scored))
    measures = _measures(found, counts)
    noise = [_score_items(subset, table, _noise) for table in tables]
    measures += _beyond_repeats(measures, scored, noise)
    return [replace(each, subset=sources) for each in measures]


def _score_items(subset: Subset, table: Table, read: Callable[[Table, str], Floats] = right) -> ScoreColumns:
    """Collect the values per item. T2 to T4 use the items that need the image, as published."""
    needed, chosen = only_needed(table, subset)
    image, text = blank_unpaired(read(table, ORIGINAL.name), read(table, BLIND))
    blind, seen = read(needed, BLIND), read(needed, ORIGINAL.name)
    fullest = {how: _fullest(needed, [arm.name for arm in arms], read) for how, arms in REPLACED.items()}
    swapped = [read(table, arm) for arm in table.arms if read_label(arm).has(ImageSubstituted)]
    lent = mean_of(*swapped, blind * np.nan)
    if read is _noise:  # divided again: this is the variance of a mean of several swaps
        lent = lent / np.maximum(1, np.isfinite([blind * np.nan, *swapped]).sum(axis=0))
    pairs = {
        ("in_order", "reordered"): blank_unpaired(blind, read(needed, SHUFFLED.name)),
        ("text_base", "text_replaced"): blank_unpaired(blind, fullest["removed"]),
        ("image_base", "image_replaced"): blank_unpaired(seen, fullest["kept"]),
        ("text_unknown_base", "text_unknown"): blank_unpaired(blind, read(needed, UNKNOWN.name)),
        ("original", "substituted"): blank_unpaired(read(table, ORIGINAL.name), lent),
        ("needed", "chance"): blank_unpaired(blind, table.chance),
    }
    columns = {name: each for names, made in pairs.items() for name, each in zip(names, made, strict=True)}
    return ScoreColumns({**columns, "image": image, "text": text}, table.clusters.astype(np.float64), chosen.source)


def _noise(table: Table, arm: str) -> Floats:
    """Return the variance of each item's mean over repeats; NaN with one response."""
    if arm not in table.arms:
        return nothing(table)
    grades, values = table.arms[arm], table.arms[arm].right()
    runs = np.bincount(grades.ordinal, minlength=len(table.items))
    spread = np.bincount(grades.ordinal, weights=(values - right(table, arm)[grades.ordinal]) ** 2, minlength=runs.size)
    return np.where(runs > 1, spread / np.maximum(1, runs * (runs - 1)), np.nan)


def _fullest(table: Table, arms: Sequence[str], read: Callable[[Table, str], Floats]) -> Floats:
    """Values per item with as many options replaced as the item allows, up to four."""
    replaced = np.stack([read(table, arm) for arm in arms])
    wrong = [sum(not option.abstains for option in item.options) - 1 for item in table.items]
    most = np.clip(wrong, 1, len(arms)) - 1
    return np.asarray(replaced[most, np.arange(len(table.items))])


def _spread(scored: Sequence[ScoreColumns], name: str, only: int | None = None) -> Floats:
    """Join a column of all benchmarks; with `only`, the values of other benchmarks are NaN."""
    return np.concatenate(
        [each.columns[name] if only in (None, at) else each.columns[name] * np.nan for at, each in enumerate(scored)]
    )


def _scores(sizes: Sequence[int], means: Figures) -> Figures:
    """Compute f1 to f5, R, and R over the available tests, for every resample."""
    count = len(sizes)
    removal = tuple(
        Removal(float(size), means[:, at], means[:, count + at]) for at, size in enumerate(sizes) if size
    ) or (Removal(1.0, np.full(len(means), np.nan), np.nan),)
    found = fragilities(removal, dict(zip(SHARED, means[:, 2 * count :].T, strict=True)))
    # A test without items in some resamples stays part of the score; these resamples have NaN.
    known = np.isfinite(found).any(axis=1)
    partial_score = robustness(found[known]) if known.any() else np.full(len(means), np.nan)
    return np.vstack((found, robustness(found), partial_score))


def _measures(found: Sequence[Estimate], counts: Mapping[str, int]) -> list[Measure]:
    *parts, whole, some = found
    numbers = [counts[name] for name in ("image", "needed", "reordered", "text_replaced", "substituted")]
    measures = [
        Measure(ARM, kind, _limit_estimate(estimate, n))
        for kind, estimate, n in zip(FRAGILITIES.values(), parts, numbers, strict=True)
        if np.isfinite(estimate.value)
    ]
    if np.isfinite(whole.value):
        return [*measures, Measure(ARM, SCORES[WHOLE], _limit_estimate(whole, max(numbers)))]
    there = [test for test, estimate in zip(TESTS, parts, strict=True) if np.isfinite(estimate.value)]
    partial_score = _limit_estimate(some, max(numbers), f"; of {', '.join(there)} only")
    return [*measures, *([Measure(ARM, SCORES[PARTIAL], partial_score)] if there else [])]


def _beyond_repeats(
    measures: Sequence[Measure], scored: Sequence[ScoreColumns], noise: Sequence[ScoreColumns]
) -> list[Measure]:
    """Estimate R without the effect of repeats; empty without repeats.

    No fragility is below 0, so noise looks like fragility. If accuracies of two repeats differ by N(0, τ²), τ / √(2π)
    is lost on average although nothing changed. For a model that really loses much, this corrected R is too high by as
    much.
    """
    whole = next((each.estimate for each in measures if each.name == WHOLE), None)
    if whole is None:
        return []
    removal = tuple(
        Removal(float(size), _estimate_floor_bias([one], [other], "image", "text"), 0.0)
        for one, other in zip(scored, noise, strict=True)
        if (size := one.count_items("image"))
    )
    lost = partial(_estimate_floor_bias, scored, noise)
    chance = float(np.nanmean(np.concatenate([each.columns["chance"] for each in scored])))
    by_noise = {
        "needed": chance + lost("needed"),
        "chance": chance,
        "in_order": lost("in_order", "reordered"),
        "text_base": lost("text_base", "text_replaced"),
        "image_replaced": lost("image_base", "image_replaced"),
        "text_unknown": lost("text_unknown_base", "text_unknown"),
        "original": lost("original", "substituted"),
    }
    alone = robustness(fragilities(removal, {**dict.fromkeys(SHARED, 0.0), **by_noise}))
    if not np.isfinite(alone):
        return []
    moved = {name: getattr(whole, name) + float(1 - alone) for name in ("value", "low", "high")}
    return [Measure(ARM, SCORES[BEYOND], replace(whole, **moved, method=f"{whole.method}, less repeats"))]


def _estimate_floor_bias(scored: Sequence[ScoreColumns], noise: Sequence[ScoreColumns], *names: str) -> float:
    """Bias by noise between repeats, because fragility is never below 0; NaN if unknown."""
    variance = 0.0
    for name in names:
        items = sum(each.count_items(name) for each in scored)
        known = np.concatenate([each.columns[name] for each in noise])
        known = known[np.isfinite(known)]
        variance += float(known.mean()) / items if known.size and items else np.nan
    return float(np.sqrt(variance / (2 * np.pi)))


def _limit_estimate(estimate: Estimate, n: int, of: str = "") -> Estimate:
    """Limit the estimate to 0 and 1, and set its n and method."""
    low, high = max(0.0, estimate.low), min(1.0, estimate.high)
    return replace(estimate, low=low, high=high, n=n, method=f"{estimate.method}{of}")


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report the score without pass or fail: it is disputed which direction is good."""
    found = measures.get((ARM, WHOLE)) or measures.get((ARM, PARTIAL))
    if (none := measures.get((ORIGINAL.name, ANSWERS))) is not None:
        why = f"none of the {none.estimate.n} questions has a readable answer, so nothing can be lost"
        return Verdict(Status.NOT_APPLICABLE, meaning=why, reason="answers-nothing", values={"answered": none.estimate})
    if found is None:
        return leave_open("few-answers", "", "too little was asked for any part of the score")
    score = found.estimate
    parts = dict(zip(TESTS, (measures.get((ARM, each)) for each in FRAGILITIES), strict=True))
    missing = [test for test, part in parts.items() if part is None]
    few = [f"{test} on {part.estimate.n}" for test, part in parts.items() if part and part.estimate.n < ENOUGH]
    made_of = f"without {', '.join(missing)}, which could not be measured" if missing else "as published"
    resting = f"; few items stand behind it: {', '.join(few)}" if few else ""
    if (beyond := measures.get((ARM, BEYOND))) is not None:
        steady = beyond.estimate
        resting += (
            f"; without what repeats alone take from it {steady.value:.3f} ({steady.low:.3f} to {steady.high:.3f})"
        )
    return Verdict(
        Status.REPORTED,
        f"robustness score R = {score.value:.3f} on a scale from 0 to 1 (95% CI {score.low:.3f} to {score.high:.3f}, "
        f"n = {score.n:,} questions), {made_of}{resting}; R ranks nothing, read it beside sight, honesty and "
        "steadiness",
        "R falls for a model that needs the image and rises for one that refuses; the grounded reading does neither",
        found,
    )
