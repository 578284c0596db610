"""Mirage score (the Mirage paper): share of accuracy kept without the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.reading.columns import Floats
from snellen.stats import mean_of_ratios, ratio_above_chance, ratio_of_accuracies
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, describe_silence, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import credit_guesses, of_arm, right
from snellen.stress.table import Table

SCORE, ABOVE_LUCK, MEAN = "mirage_score", "mirage_score_above_chance", "mean_mirage_score"
KINDS = by_name(
    Kind(SCORE, "mirage score: accuracy without the image over accuracy with it", Unit.RATIO),
    Kind(ABOVE_LUCK, "mirage score above guessing", Unit.RATIO),
    Kind(MEAN, "mean mirage score", Unit.RATIO),
)
Mask = NDArray[np.bool_]
BLIND = IMAGE_REMOVED.name
ENOUGH = 0.95
"""A model counts in a mean if it has this share of the items of the model with the most."""


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracy without the image divided by accuracy with it, as published and above guessing.

    Above guessing, a response that chose no option counts as a guess.
    """
    measures = [each for arm in test.all_arms for each in of_arm(arm.name, table)]
    asked = _asked_both_ways(table)
    if not asked.any():
        return measures
    patients = table.clusters[asked]
    published = ratio_of_accuracies(*_pair(table, asked), clusters=patients)
    ours = ratio_above_chance(*_pair(table, asked, credit_guesses), table.chance[asked], clusters=patients)
    return [*measures, Measure(BLIND, KINDS[SCORE], published), Measure(BLIND, KINDS[ABOVE_LUCK], ours)]


def _pair(table: Table, kept: Mask, counted: Callable[[Table, str], Floats] = right) -> tuple[Floats, Floats]:
    """Return the scores of the items in `kept` without the image, and with it."""
    return counted(table, BLIND)[kept], counted(table, ORIGINAL.name)[kept]


def _asked_both_ways(table: Table) -> Mask:
    return np.asarray(np.isfinite(right(table, BLIND)) & np.isfinite(right(table, ORIGINAL.name)))


def over_benchmarks(test: StressTest, tables: Sequence[Table]) -> Sequence[Measure]:
    """Measure a model's mean mirage score over benchmarks. Empty if fewer than two have a score."""
    asked = [(table, _asked_both_ways(table)) for table in tables]
    scored = [(table, both) for table, both in asked if right(table, ORIGINAL.name)[both].any()]
    if len(scored) < 2:
        return []
    pairs = [_pair(table, both) for table, both in scored]
    found = mean_of_ratios(pairs, clusters=[table.clusters[both] for table, both in scored])
    method = f"{found.method}; of {len(scored)} of {len(tables)} benchmarks"
    return [Measure(BLIND, KINDS[MEAN], replace(found, method=method))]


def over_models(test: StressTest, tables: Sequence[Table]) -> Sequence[Measure]:
    """Measure a benchmark's mean mirage score over models.

    A model with no correct answer with the image has no score. Models are compared on the items that all of them
    answered, so a model that answered few is left out.
    """
    answered = [_asked_both_ways(table) for table in tables]
    enough = ENOUGH * max(int(both.sum()) for both in answered)
    full = [(table, both) for table, both in zip(tables, answered, strict=True) if both.sum() >= enough]
    scored = [table for table, both in full if right(table, ORIGINAL.name)[both].any()]
    if len(scored) < 2:
        return []
    everywhere = np.logical_and.reduce([_asked_both_ways(table) for table in scored])
    pairs = [_pair(table, everywhere) for table in scored]
    if not all(with_image.any() for _, with_image in pairs):
        return []
    found = mean_of_ratios(pairs, clusters=tables[0].clusters[everywhere], shared_items=True)
    method = f"{found.method}; of {len(scored)} of {len(tables)} models"
    return [Measure(BLIND, KINDS[MEAN], replace(found, method=method))]


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report without pass or fail: a high score may be due to the model or the benchmark."""
    if (mean := measures.get((BLIND, MEAN))) is not None:
        return Verdict(Status.REPORTED, f"on average {rate_of(mean.estimate)} of the score is kept", rests_on=mean)
    found, above = measures.get((BLIND, SCORE)), measures.get((BLIND, ABOVE_LUCK))
    if found is None or above is None or not np.isfinite(found.estimate.value):
        why = "nothing was right with the image, or nothing was answered both with and without"
        return Verdict(Status.INCONCLUSIVE, "", why, found, "not-compared")
    numbers = f"{rate_of(found.estimate)} of the score is kept without the image"
    if np.isfinite((above.estimate.low, above.estimate.high)).all():
        numbers += f"; of what is above chance, {rate_of(above.estimate)}"
        return Verdict(Status.REPORTED, numbers + describe_silence(measures, ORIGINAL.name, BLIND), rests_on=found)
    return Verdict(Status.REPORTED, numbers, "with the image it is not clearly better than guessing", found)


TEST = StressTest(
    Design(
        "mirage-score",
        "How much of its score does the model keep when no image is sent?",
        arms=(IMAGE_REMOVED,),
    ),
    Analysis(
        Expectation.UNKNOWN,
        headline=SCORE,
        measure=measure,
        conclude=conclude,
        scores=True,
        spanning=over_benchmarks,
        over_models=over_models,
    ),
    Presentation("mirage score", chapter="snellen.papers.mirage.report.chapter:CHAPTER"),
)
