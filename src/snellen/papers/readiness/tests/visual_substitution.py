"""Visual substitution (T5): if the image shows another diagnosis, does the answer follow it?"""

from __future__ import annotations

from collections.abc import Iterator

from snellen.conditions import ImageSubstituted
from snellen.errors import StudyError
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, Measure, Status, StressTest, Verdict
from snellen.stress.conclusions import (
    Measures,
    accuracy_under,
    decide,
    explain_unread,
    is_shown,
    leave_open,
    leave_to_chance,
    measure_lost_answers,
    percent,
    rate_of,
    worst,
)
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import SHARED, differences, of_arm, share
from snellen.stress.table import Table

STUCK = "stuck_rate"


def visual_substitution(*, images: int = 1) -> StressTest:
    """Build the test with `images` substitute images per item, each for another wrong option."""
    if isinstance(images, bool) or not isinstance(images, int) or images < 1:
        raise StudyError(f"Expected images to be a whole number of 1 or more, got {images!r}.")
    return StressTest(
        Design(
            "visual-substitution" if images == 1 else f"visual-substitution:images={images}",
            "If the image were that of a patient who has what a wrong option says, would the answer follow it?",
            arms=tuple(ImageSubstituted(nth) for nth in range(1, images + 1)),
        ),
        Analysis(Expectation.CHANGE, measure=measure, conclude=conclude),
        Presentation("follows another image?"),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure the accuracy under each arm, and how often the original answer is kept."""
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
    for arm in test.compared:
        yield from differences(test.baseline.name, arm.name, table)
        if len(table.arms.get(arm.name, ())):
            yield Measure(
                arm.name, SHARED[STUCK], share(table, table.rate(arm.name, table.keeps_original_answer(arm.name)))
            )


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if the model is as often correct with the substitute image. The worst arm decides."""
    asked = [arm for arm in test.compared if (arm.name, "difference") in measures]
    if not asked:
        return leave_open("nothing-asked", "", "no question has another image that could stand in")
    return worst([_judge_arm(test, arm, measures) for arm in asked])


def _judge_arm(test: StressTest, arm: Arm, measures: Measures) -> Verdict:
    change, again = measures[arm.name, "difference"], measures[arm.name, STUCK].estimate
    found, numbers = change.estimate, f"{accuracy_under(arm, measures)}; {rate_of(again)} give the old answer"
    if guesses := leave_to_chance(test, measures, numbers, "with its own image", change):
        return guesses
    if is_shown(change) and (why_not := explain_unread(test.baseline.name, arm.name, measures)):
        return leave_open("could-not-be-read", numbers, why_not, (change, 0.0))
    if (
        is_shown(change)
        and (silent := measure_lost_answers(test.baseline.name, arm.name, measures)) > -found.value / 2 > 0
    ):
        why = f"{percent(silent)} more questions get no answer with another image, which may show that it looks"
        return leave_open("gives-no-answer", numbers, why, (change, 0.0), more_without_answer=silent)
    if is_shown(change) and found.value < 0:
        return decide(Status.FAIL, numbers, "it does not follow the image", (change, 0.0))
    margin = test.thresholds.margin
    if found.low > -margin:
        return decide(Status.PASS, numbers, "it follows the image", (change, -margin))
    return leave_open("limit-inside-interval", numbers, "", (change, -margin))
