"""Strong artefacts (the artefacts paper): does the model flag unreadable images?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS, condition_of, design_at, present
from snellen.papers.artefacts.tests.detection_measures import (
    by_quality,
    gradable,
    mean_accuracy,
    measure_flagged,
    of_detection,
)
from snellen.stats import paired_difference
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import TOLERATED, Measures, decide, leave_open, percent, rate_of
from snellen.stress.measures import FEWEST, UNREAD, column, mean_of, of_arm, share
from snellen.stress.table import PerItem, Table

RATE = "detection_rate"
KINDS = by_name(
    Kind(RATE, "says that the image cannot be read", Unit.SHARE, grouped=True),
    Kind("detection_lift", "says so more often than of the original images", Unit.POINTS, grouped=True),
)


def strong_artefacts(*artefacts: str, prompt: str = "", scale: str = "kept") -> StressTest:
    """Build the test with these artefacts (`noise`, `blur`, `noise/motion`…), by default the paper's five.

    `prompt` is one of the paper's strategies, `standard`, `structured` or `cot`; by default the study's own prompt.
    `scale=stretched` saves the images as the paper did.
    """
    asks = "Given an image too degraded for anybody to read, does it say so, or does it read it?"
    return StressTest(
        design_at("strong", asks, artefacts, prompt=prompt, scale=scale),
        Analysis(Expectation.ABSTAIN, headline=RATE, measure=measure, conclude=conclude),
        present("flags unreadable images?", prompt),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure how often images with artefacts and originals are flagged, and real images by quality."""
    every, table = table, gradable(table)
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
        yield from of_detection(arm.name, table)
        found = measure_flagged(arm.name, table)
        if found is not None:
            yield Measure(arm.name, KINDS[RATE], share(table, found))
    yield from mean_accuracy([arm.name for arm in test.compared], ALL_ARTEFACTS, table)
    yield from _over_all(test, table)
    yield from by_quality(test.baseline.name, every)


def _over_all(test: StressTest, table: Table) -> Iterator[Measure]:
    """Mean flag rate over artefacts, with the p-value of its difference from the originals."""
    before = measure_flagged(test.baseline.name, table)
    after = [found for arm in test.compared if (found := measure_flagged(arm.name, table)) is not None]
    if before is None or not after:
        return
    mean = mean_of(*(column(table, each) for each in after))
    there = np.flatnonzero(np.isfinite(mean))
    pairs = table.pair_items(before, PerItem(there, mean[there]))
    if not len(pairs.ordinal):
        return
    lift = paired_difference(pairs.first, pairs.second, clusters=pairs.clusters)
    rate = replace(share(table, PerItem(there, mean[there])), p=lift.p, least_p=lift.least_p)
    yield Measure(ALL_ARTEFACTS, KINDS[RATE], rate)
    yield Measure(ALL_ARTEFACTS, KINDS["detection_lift"], replace(lift, p=None))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if most unreadable images are flagged and few originals are."""
    found = measures.get((ALL_ARTEFACTS, RATE))
    if found is None:
        if any(name == "accuracy" for _, name in measures):
            why = "it answers by probabilities alone and has no words to flag an image"
            return Verdict(Status.REPORTED, meaning=why, reason="no-room-for-words")
        why = "no item was asked both with the original and with a degraded image"
        return leave_open("not-compared", "", why)
    nothing_wrong = measures[test.baseline.name, RATE]
    rate, clean = found.estimate, nothing_wrong.estimate
    numbers = f"{rate_of(rate)} of the degraded images are flagged{_describe_extremes(test, measures)}"
    numbers += f", and {rate_of(clean)} of the originals"
    if rate.n < FEWEST:
        return leave_open("few-answers", numbers, "too few images to tell", (found, 0.5))
    if clean.low > TOLERATED:
        return decide(Status.FAIL, numbers, "it flags good images, too", (nothing_wrong, TOLERATED), reasons=2)
    if rate.high < 0.5:
        return _seldom(test, measures, numbers, found)
    if rate.low > 0.5 and clean.high < TOLERATED:
        why = "it says when an image cannot be read"
        return decide(Status.PASS, numbers, why, (found, 0.5), (nothing_wrong, TOLERATED))
    why = f"{rate.n} images are too few to tell"
    return leave_open("limit-inside-interval", numbers, why, (found, 0.5), (nothing_wrong, TOLERATED))


def _seldom(test: StressTest, measures: Measures, numbers: str, rate: Measure) -> Verdict:
    """Return fail for few flags; leave it open if unreadable responses may hide flags."""
    unread, silent = (
        sum(_over_arms(test, measures, name) for name in names)
        for names in (UNREAD, ("abstention_rate", "refusal_rate"))
    )
    if _over_arms(test, measures, RATE) + unread >= 0.5:
        why = f"{percent(unread)} of the responses could not be read"
        return leave_open("could-not-be-read", numbers, why, (rate, 0.5), unread=unread)
    what = (
        "it does not say that they cannot be read" if silent > 0.5 else "it answers although the image cannot be read"
    )
    return decide(Status.FAIL, numbers, what, (rate, 0.5), reasons=2)


def _over_arms(test: StressTest, measures: Measures, name: str) -> float:
    """Return the mean of a rate over the artefact arms that have it."""
    found = [measures[arm.name, name].estimate.value for arm in test.compared if (arm.name, name) in measures]
    return float(np.mean(found)) if found else 0.0


def _describe_extremes(test: StressTest, measures: Measures) -> str:
    """Name the artefacts that the model flags most and least often. Return "" if all rates are equal."""
    rates = {
        condition_of(arm).artefact: measures[arm.name, RATE].estimate.value
        for arm in test.compared
        if (arm.name, RATE) in measures
    }
    if len(set(rates.values())) < 2:
        return ""
    most, least = max(rates, key=rates.__getitem__), min(rates, key=rates.__getitem__)
    return f" (most often {most}, {percent(rates[most])}; least often {least}, {percent(rates[least])})"
