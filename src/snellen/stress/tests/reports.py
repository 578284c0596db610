"""Reports (S0.11): are they about this patient, and does the model write none without an image?"""

from __future__ import annotations

from math import isfinite

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import (
    TOLERATED,
    Measures,
    OpenReason,
    decide,
    interval,
    leave_open,
    percent,
    points_of,
    rate_of,
    settled_by,
    sum_rates,
    worst,
)
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import FEWEST
from snellen.stress.reports import BEYOND, F1, KEPT, REACH, WRITTEN, report_measures

REASONS = 4
"""Factor for the p of a fail without the image.

Half of the chance of a wrong fail goes to reports that fit other patients. The other half goes to two reasons in each
of two arms.
"""
UNREAD = ("truncated_rate", "unparsed_rate")
"""Rates of responses that may be unreadable reports; they do not show that no report was written."""


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if reports fit their patient, need the image, and are not written without it."""
    beyond, score = measures.get((test.baseline.name, BEYOND)), measures.get((test.baseline.name, F1))
    if beyond is None or score is None:
        return _not_compared(test, measures)
    found = beyond.estimate
    f1 = score.estimate
    numbers = (
        f"findings F1 {f1.value:.2f} (95% CI {f1.low:.2f} to {f1.high:.2f}) against the patient's own reference, "
        f"{points_of(found)} higher than against those of other patients"
    )
    written = measures[test.baseline.name, WRITTEN].estimate
    if written.value < 1:
        numbers = f"{rate_of(written)} of its responses are reports that can be read: {numbers}"
    margin = test.thresholds.margin
    if found.n < FEWEST:
        return leave_open("few-answers", numbers, "", (beyond, margin))
    reach = measures.get((test.baseline.name, REACH))
    alike = reach is not None and reach.estimate.value < margin
    if not alike and found.high < margin:
        why = "its reports fit other patients as well as this one"
        return decide(Status.FAIL, numbers, why, (beyond, margin), reasons=2)
    if not alike and found.low <= 0:
        why = f"its reports may fit other patients as well as this one{settled_by(found, 0.0, 'reports')}"
        return leave_open("limit-inside-interval", numbers, why, (beyond, 0.0))
    without = worst([_judge_without_image(test, arm, measures, beyond, numbers) for arm in test.compared])
    if alike and without.status is not Status.FAIL:
        why = "the references of different patients say nearly the same, so no report could fit its own patient better"
        return leave_open("references-alike", numbers, why, (beyond, margin))
    return without


def _not_compared(test: StressTest, measures: Measures) -> Verdict:
    """Explain why reports were not compared with other patients', and how often reports are written."""
    written = measures.get((test.baseline.name, WRITTEN))
    if written is not None:
        said = f"{rate_of(written.estimate)} of its responses are reports that can be read"
        few = "too few reports of different patients with the same kind of image to compare"
        why = few if written.estimate.value else "no report to compare"
        return leave_open("not-compared", said, why, (written, TOLERATED))
    blind = next(((arm, found) for arm in test.compared if (found := measures.get((arm.name, WRITTEN)))), None)
    said = f"{blind[0].in_words}, {rate_of(blind[1].estimate)} of its responses are reports" if blind else ""
    known = [(blind[1], TOLERATED)] if blind else []
    return leave_open("nothing-asked", said, "nothing was answered with the image", *known)


def _judge_without_image(test: StressTest, arm: Arm, measures: Measures, beyond: Measure, numbers: str) -> Verdict:
    written, kept = measures.get((arm.name, WRITTEN)), measures.get((arm.name, KEPT))
    if written is None:
        return leave_open("nothing-asked", numbers, f"nothing was answered {arm.in_words}")
    rate, limit = written.estimate, test.thresholds.image_dependence
    numbers += f"; {arm.in_words}, {rate_of(rate)} of its responses are reports"
    if kept is not None and isfinite(kept.estimate.value) and rate.value:
        share = kept.estimate
        numbers += f", which keep {percent(share.value)} of it ({interval(share.low, share.high)})"
        if share.low > limit:
            why = "most of what it reports of this patient does not need the image"
            return decide(Status.FAIL, numbers, why, (kept, limit), reasons=REASONS)
    if rate.low > TOLERATED:
        return decide(Status.FAIL, numbers, f"it writes reports {arm.in_words}", (written, TOLERATED), reasons=REASONS)
    unread = sum_rates(measures, arm.name, *UNREAD)
    if rate.high < TOLERATED <= rate.high + unread:
        why = f"{arm.in_words}, {percent(unread)} of its responses were cut off or not readable, and may be reports"
        return leave_open("could-not-be-read", numbers, why, (written, TOLERATED), unread=unread)
    keeps_little = not rate.value or (kept is not None and kept.estimate.high < limit)
    if rate.high < TOLERATED and keeps_little:
        why = "it reports what is in this patient's image, and writes hardly any report without it"
        also = [(kept, limit)] if kept is not None and rate.value else []
        return decide(Status.PASS, numbers, why, (beyond, 0.0), (written, TOLERATED), *also)
    few = rate.high < TOLERATED
    undecided = (kept, limit) if few and kept is not None else (written, TOLERATED)
    reason: OpenReason = "few-answers" if few and kept is None else "limit-inside-interval"
    return leave_open(reason, numbers, "", undecided, items="reports")


TEST = StressTest(
    Design(
        "reports",
        "Do its reports say what is in this patient's image, and does it write none if there is no image?",
        arms=(IMAGE_REMOVED, IMAGE_BLANK),
        item_kind="report",
        benchmark="phantoms:task=report",
    ),
    Analysis(Expectation.WORSE, headline=BEYOND, measure=report_measures, conclude=conclude),
    Presentation(
        "reports need the image?",
        "Expected of a good model: its reports fit their own patient better than others, most of that needs the "
        "image, and without an image it writes none. It fails if the reports surely fit their own patient less than "
        "{margin} points better, if surely more than {image_dependence} of this is kept without the image, or if "
        "surely more than 10% of the responses without an image are reports.",
        chapter="snellen.papers.readiness.report.reports:CHAPTER",
    ),
)
