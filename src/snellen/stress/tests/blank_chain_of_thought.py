"""Chain of thought on blank images (the Italian paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from snellen.conditions import ORIGINAL, ImageBlank
from snellen.conditions.image import BlankSize
from snellen.perturb.blank import Fill
from snellen.prompts import WITH_STEPS, Arm
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, measure_lost_answers, percent, points_of, significant
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import of_arm, paired_change, right
from snellen.stress.table import Table

ON_BLANK, ON_ORIGINAL, LOSS, LOSS_CHANGE = "blank_change", "original_change", "blank_loss", "blank_loss_change"
KINDS = by_name(
    Kind(ON_BLANK, "change in accuracy on blank images with chain of thought", Unit.POINTS),
    Kind(ON_ORIGINAL, "change in accuracy on the original images with chain of thought", Unit.POINTS),
    Kind(LOSS, "accuracy lost on blank images", Unit.POINTS),
    Kind(LOSS_CHANGE, "change in the accuracy lost on blank images with chain of thought", Unit.POINTS),
)
NOT_TESTED = (
    "right answers on blank images may come from the text or from the training data; no test shows if the questions "
    "were in the training data"
)


def blank_chain_of_thought(*, fill: Fill = "white", size: BlankSize = "kept") -> StressTest:
    """Build the test with a blank image of this `fill` and `size`."""
    blank = ImageBlank(fill, size)
    return StressTest(
        Design(
            blank.label.replace(blank.name, "blank-chain-of-thought"),
            "Does reasoning aloud change how many questions it answers right on an empty image?",
            arms=(Arm(ORIGINAL, rewording=WITH_STEPS), Arm(blank), Arm(blank, rewording=WITH_STEPS)),
            reads=("claims",),
        ),
        Analysis(Expectation.UNKNOWN, headline=ON_BLANK, measure=measure, conclude=conclude),
        Presentation("reasoning on blank images"),
    )


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracy in the four arms, and effects of chain of thought and blank images."""
    return [*(each for arm in test.all_arms for each in of_arm(arm.name, table)), *_changes(test, table)]


def _changes(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure paired changes, and the change of the loss on questions asked in all arms."""
    original, original_steps, blank, blank_steps = (arm.name for arm in test.all_arms)
    for arm, name, before, after in (
        (original_steps, ON_ORIGINAL, original, original_steps),
        (blank_steps, ON_BLANK, blank, blank_steps),
        (blank, LOSS, blank, original),
        (blank_steps, LOSS, blank_steps, original_steps),
    ):
        if (found := paired_change(table, right(table, before), right(table, after))) is not None:
            yield Measure(arm, KINDS[name], found)
    pairs = ((original, blank), (original_steps, blank_steps))
    # losses range from −1 to 1 and are rescaled for the interval
    losses = ((1 + (right(table, seen) - right(table, unseen))) / 2 for seen, unseen in pairs)
    if (found := paired_change(table, *losses)) is not None:
        change = replace(found, value=2 * found.value, low=2 * found.low, high=2 * found.high)
        yield Measure(blank_steps, KINDS[LOSS_CHANGE], change)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report without pass or fail: a question about a blank image has no good answer."""
    _, original_steps, blank, blank_steps = test.all_arms
    change = measures.get((blank_steps.name, ON_BLANK))
    if change is None:
        why = "no question was asked on a blank image both with and without chain of thought"
        return leave_open("not-compared", "", why)
    before, after = (percent(measures[arm.name, "accuracy"].estimate.value) for arm in (blank, blank_steps))
    numbers = f"accuracy {before} → {after} on blank images with chain of thought: {points_of(change.estimate)}"
    for words, (arm, name) in {
        "on the original images it changes by": (original_steps, ON_ORIGINAL),
        "the accuracy lost on blank images changes by": (blank_steps, LOSS_CHANGE),
    }.items():
        if (found := measures.get((arm.name, name))) is not None:
            numbers += f"; {words} {points_of(found.estimate)}"
    said = _meaning(change, measure_lost_answers(blank.name, blank_steps.name, measures))
    return Verdict(Status.REPORTED, numbers, f"{said}; {NOT_TESTED}", change)


def _meaning(change: Measure, silent: float) -> str:
    if not significant(change):
        return "no change on blank images is shown"
    if change.estimate.value > 0:
        return "with chain of thought it answers more questions right on blank images"
    if silent > -change.estimate.value / 2:
        return f"with chain of thought {percent(silent)} more of the questions get no answer on blank images"
    return "with chain of thought it answers fewer questions right on blank images"
