"""Published measures of grounding: those of 2606.17710 with its three labels, and MedVIGIL's (2605.07919)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from snellen.conditions import EvidenceHidden, FarCornerHidden, OnlyEvidence, SameLabel
from snellen.papers.evidence.tests.right_answers import READ, find_kept, measure_difference, measure_share
from snellen.reading.columns import Floats
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, points_of, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import ANSWERED, column, nothing, of_arm
from snellen.stress.table import Table

HIDDEN, CONTROL, SWAPPED = EvidenceHidden("black"), FarCornerHidden("black"), SameLabel()
MASKED, ONLY = EvidenceHidden("grey"), OnlyEvidence("grey")
CGR, IS, UAR, PREMIUM, VGR = "cgr", "irrelevant_stability", "uar", "grounding_premium", "vgr"
KINDS = by_name(
    Kind(CGR, "CGR: right answers that flip if the finding is hidden", Unit.SHARE),
    Kind(IS, "IS: right answers that stay if the farthest corner is hidden", Unit.SHARE),
    Kind(UAR, "UAR: right answers that stay with another image of the same label", Unit.SHARE),
    Kind(PREMIUM, "premium: CGR minus (100 − IS)", Unit.POINTS),
    Kind(VGR, "VGR: accuracy with the finding only minus accuracy with it masked", Unit.POINTS),
)
UNSTABLE, STABLE = 0.7, 0.9
"""Limits of IS: a model below the first is unstable, one from the second on may use the finding."""


def published_grounding() -> StressTest:
    """Build the test. As published, the finding is covered in black, and for VGR in grey."""
    return StressTest(
        Design(
            "published-grounding",
            "By the measures of published papers, does the answer rest on the finding?",
            arms=(HIDDEN, CONTROL, SWAPPED, MASKED, ONLY),
        ),
        Analysis(Expectation.UNKNOWN, headline=PREMIUM, measure=measure, conclude=conclude),
        Presentation("grounded, as published?", chapter="snellen.papers.evidence.report.chapter:CHAPTER"),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure CGR, IS, UAR and premium on right answers, and VGR on all questions."""
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    own = test.baseline.name
    flipped = _find_flipped(table, HIDDEN.label, own)
    stays = find_kept(table, CONTROL.label, own)
    yield from measure_share(HIDDEN.label, KINDS[CGR], table, flipped)
    yield from measure_share(CONTROL.label, KINDS[IS], table, stays)
    yield from measure_share(SWAPPED.label, KINDS[UAR], table, find_kept(table, SWAPPED.label, own))
    yield from measure_difference(HIDDEN.label, KINDS[PREMIUM], table, 1 - stays, flipped)
    masked, only = (
        column(table, table.share(arm.label, [Outcome.CORRECT])) if arm.label in table.arms else nothing(table)
        for arm in (MASKED, ONLY)
    )
    yield from measure_difference(ONLY.label, KINDS[VGR], table, masked, only)


def _find_flipped(table: Table, arm: str, own: str) -> Floats:
    """Return each right item's share of responses that choose another option."""
    kept = find_kept(table, arm, own)
    if arm not in table.arms:
        return kept
    answered = column(table, table.rate(arm, table.arms[arm].is_(*ANSWERED), among=table.arms[arm].is_(*READ)))
    return np.asarray(answered - kept)


def find_label(cgr: Estimate, stays: Estimate, uar: Estimate | None) -> str:
    """Return the published label: unstable, ignores, uses, or none of them.

    >>> shares = [Estimate(value, value, value, 60, "any") for value in (0.0, 0.6, 0.95, 1.0)]
    >>> none, few, most, every = shares
    >>> find_label(most, few, most), find_label(none, every, every), find_label(few, most, most)
    ('unstable', 'ignores', 'uses')
    >>> find_label(none, most, most)
    'none of the three labels'
    """
    if stays.value < UNSTABLE:
        return "unstable"
    if cgr.value == 0 and stays.value == 1 and uar is not None and uar.value == 1:
        return "ignores"
    return "uses" if cgr.low > 0 and stays.value >= STABLE else "none of the three labels"


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report the measures with the published label."""
    cgr, stays = measures.get((HIDDEN.label, CGR)), measures.get((CONTROL.label, IS))
    uar, premium = measures.get((SWAPPED.label, UAR)), measures.get((HIDDEN.label, PREMIUM))
    if cgr is None or stays is None or premium is None:
        return leave_open("few-answers", "", "too few questions with a marked finding are answered right")
    swapped = f", UAR {rate_of(uar.estimate)}" if uar else ""
    numbers = (
        f"CGR {rate_of(cgr.estimate)}, IS {rate_of(stays.estimate)}{swapped}, premium {points_of(premium.estimate)}; "
        f"published label: {find_label(cgr.estimate, stays.estimate, uar.estimate if uar else None)}"
    )
    return Verdict(Status.REPORTED, numbers, rests_on=premium)
