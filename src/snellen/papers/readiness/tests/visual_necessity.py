"""Visual necessity (T2): accuracy without the image on items that need it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from snellen.conditions import IMAGE_REMOVED
from snellen.plugins import settings_from
from snellen.reading.outcomes import Outcome
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, decide, describe_margin, is_shown, leave_open, percent, settled_by
from snellen.stress.design import Design, Presentation
from snellen.stress.image_dependence.subset import Subset, describe_choice, only_needed
from snellen.stress.measures import SHARED, differences, margins_over_chance, of_arm, share
from snellen.stress.table import Table

HEADLINE = "blind_above_chance"
KINDS = by_name(
    Kind(HEADLINE, "accuracy above guessing, without the image", Unit.POINTS),
    Kind("shortcut_right_rate", "right without the image", Unit.SHARE),
    Kind("confident_wrong_rate", "wrong and said all the same", Unit.SHARE),
    SHARED["silence_rate"],
)
BREAKDOWN = {
    "shortcut_right_rate": (Outcome.CORRECT,),
    "confident_wrong_rate": (Outcome.WRONG,),
    "silence_rate": (Outcome.ABSTAINED, Outcome.REFUSED),
}
"""Outcomes of answers without an image: correct by a shortcut, wrong, or declined."""


@settings_from(Subset)
def visual_necessity(**settings: Any) -> StressTest:
    """Build the test on items from a file, by `rating` or by a screening."""
    subset = Subset(**settings)
    return StressTest(
        Design(
            subset.name_test("visual-necessity"),
            "If a question needs the image, does the model still answer without it, and better than chance?",
            arms=(IMAGE_REMOVED,),
            explain_mismatch=subset.explain_mismatch,
        ),
        Analysis(Expectation.WORSE, headline=HEADLINE, measure=partial(measure, subset), conclude=conclude),
        Presentation("at chance where the image is needed?"),
    )


def measure(subset: Subset, test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies and outcomes on the items that need the image."""
    chosen, how = only_needed(table, subset)
    return [replace(each, subset=how.source) for each in _measures(test, chosen)]


def _measures(test: StressTest, table: Table) -> Iterator[Measure]:
    arm = IMAGE_REMOVED.name
    yield from of_arm(test.baseline.name, table)
    for each in of_arm(arm, table):
        yield each
        if each.name == "above_chance":
            yield from margins_over_chance(arm, table, KINDS[HEADLINE])
    if len(table.arms.get(arm, ())):
        for name, outcomes in BREAKDOWN.items():
            yield Measure(arm, KINDS[name], share(table, table.share(arm, outcomes)))
    yield from differences(test.baseline.name, arm, table)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if accuracy without the image is at chance. A higher accuracy shows a shortcut to the answers."""
    margin, right = (measures.get((IMAGE_REMOVED.name, name)) for name in (HEADLINE, "accuracy"))
    if margin is None or right is None:
        return leave_open("nothing-asked", "", "no question that needs the image was answered without it")
    found, chosen = margin.estimate, describe_choice(margin, "need the image")
    numbers = f"{percent(right.estimate.value)} of {found.n} questions that {chosen} are right without it, "
    numbers += describe_margin(measures, IMAGE_REMOVED.name, margin)
    if is_shown(margin) and found.value > 0:
        return decide(Status.FAIL, numbers, "it has a shortcut to these answers", (margin, 0.0))
    if found.high < test.thresholds.margin:
        why = "without the image it scores no more than chance"
        return decide(Status.PASS, numbers, why, (margin, test.thresholds.margin))
    why = f"up to {percent(found.high)} above chance is possible{settled_by(found, test.thresholds.margin)}"
    return leave_open("limit-inside-interval", numbers, why, (margin, test.thresholds.margin))
