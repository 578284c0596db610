"""Label swaps: does the answer stay with another patient's image of the same label, and change with another label?"""

from __future__ import annotations

from collections.abc import Iterator

from snellen.conditions import ImageSubstituted, SameLabel
from snellen.papers.evidence.tests.right_answers import find_kept, measure_difference, measure_share
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, points_of, rate_of
from snellen.stress.design import REPEATED, Design, Presentation
from snellen.stress.measures import moves, of_arm
from snellen.stress.table import Moves, Table

SAME, OPPOSITE = SameLabel.name, ImageSubstituted.name
KEPT, LEFT, SENSITIVE, RELIANCE = "same_label_kept", "other_label_left", "label_sensitivity", "visual_reliance_score"
KINDS = by_name(
    Kind(KEPT, "right answers that stay with another image of the same label", Unit.SHARE),
    Kind(LEFT, "right answers that change with an image of another label", Unit.SHARE),
    Kind(SENSITIVE, "right answers that change with another label, beyond those with the same label", Unit.POINTS),
    Kind(RELIANCE, "accuracy minus accuracy by the old key with an image of another label (VRS)", Unit.POINTS),
)


def label_swaps() -> StressTest:
    """Build the test. Some questions are asked twice, so that answers that change by themselves are not counted."""
    return StressTest(
        Design(
            "label-swaps",
            "Does the answer stay with another patient's image of the same label, and change with another label?",
            arms=(SameLabel(), ImageSubstituted()),
            repeated=REPEATED,
        ),
        Analysis(Expectation.UNKNOWN, headline=SENSITIVE, measure=measure, conclude=conclude),
        Presentation("follows the label?", chapter="snellen.papers.evidence.report.chapter:CHAPTER"),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure right answers that stay, and answers that change beyond those between repeats."""
    own = test.baseline.name
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    if not len(table.arms.get(own, ())):
        return
    for arm in test.compared:
        if len(table.arms.get(arm.name, ())):
            yield from moves(own, arm.name, table.with_repeats(), Moves.ANY)
    same, other = (find_kept(table, arm, own) for arm in (SAME, OPPOSITE))
    yield from measure_share(SAME, KINDS[KEPT], table, same)
    yield from measure_share(OPPOSITE, KINDS[LEFT], table, 1 - other)
    yield from measure_difference(OPPOSITE, KINDS[SENSITIVE], table, 1 - same, 1 - other)
    by_old_key = (find_kept(table, arm, own, among_right=False) for arm in (OPPOSITE, own))
    yield from measure_difference(OPPOSITE, KINDS[RELIANCE], table, *by_old_key)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report both shares. Answers that stay with the same label fit a model that reads and one that is blind."""
    same, other, beyond = (
        measures.get((SAME, KEPT)),
        measures.get((OPPOSITE, LEFT)),
        measures.get((OPPOSITE, SENSITIVE)),
    )
    told = [
        f"{rate_of(same.estimate)} of right answers stay with another image of the same label" if same else "",
        f"{rate_of(other.estimate)} change with another label" if other else "",
        f"{points_of(beyond.estimate)} more than with the same label" if beyond else "",
    ]
    if not any(told):
        return leave_open("few-answers", "", "too few right answers were asked with another patient's image")
    return Verdict(Status.REPORTED, ", ".join(filter(None, told)), rests_on=beyond or other or same)
