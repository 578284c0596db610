"""Options (T4): does the model use "Unknown", and keep its accuracy with new options?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np

from snellen.conditions import DistractorsReplaced, UnknownOffered
from snellen.reading.outcomes import Outcome
from snellen.stats import paired_difference
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict
from snellen.stress.conclusions import (
    Measures,
    could_show,
    decide,
    is_shown,
    leave_open,
    loses_nothing,
    points_of,
    rate_of,
    stable,
    with_moves,
    worst,
)
from snellen.stress.design import Design, Presentation, baseline, name_with_image, parsers_for
from snellen.stress.measures import SHARED, accuracies, detectable_margin, not_by_luck, share
from snellen.stress.table import Moves, PerItem, Table

HEADLINE = "unknown_margin"
MARGIN = Kind(HEADLINE, "takes Unknown more often than by chance", Unit.POINTS)
SILENCE = "silence_rate"


def unknown_option(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """Build the test, with the image or with `image=removed`."""
    sees = image == "kept"
    asks = (
        "Offered the option Unknown, does the model still answer what it can see?"
        if sees
        else "Offered the option Unknown and no image, does the model take it?"
    )
    return StressTest(
        Design(
            name_with_image("unknown-option", image),
            asks,
            arms=(baseline(image, UnknownOffered()),),
            baseline=baseline(image),
            reads=parsers_for(image),
        ),
        Analysis(
            Expectation.INVARIANT if sees else Expectation.ABSTAIN,
            headline="difference" if sees else HEADLINE,
            measure=accuracies if sees else measure,
            conclude=seeing if sees else take_the_way_out,
        ),
        Presentation("sees past Unknown?" if sees else "takes Unknown without the image?"),
    )


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure accuracies, and how much more often the model declines than a random choice would."""
    arm = test.compared[0].name
    measures = list(accuracies(test, table))
    if len(table.arms.get(arm, ())):
        silent = table.share(arm, (Outcome.ABSTAINED, Outcome.REFUSED))
        by_luck = np.array([1 / len(table.items[at].options) for at in silent.ordinal])
        found = paired_difference(by_luck, silent.value, clusters=table.clusters[silent.ordinal])
        measures.append(Measure(arm, SHARED[SILENCE], share(table, silent)))
        margin = not_by_luck(found, silent, by_luck)
        detectable = detectable_margin(table, PerItem(silent.ordinal, by_luck))
        measures.append(Measure(arm, MARGIN, margin, detectable=detectable))
    return measures


def seeing(test: StressTest, measures: Measures) -> Verdict:
    """Pass if "Unknown" costs no accuracy: a model that sees the image does not need it."""
    return worst([loses_nothing(test, arm, measures) for arm in test.compared])


def take_the_way_out(test: StressTest, measures: Measures) -> Verdict:
    """Pass if the model surely declines most questions; fail if it avoids "Unknown"."""
    arm = test.compared[0].name
    margin = measures.get((arm, HEADLINE))
    if margin is None:
        return leave_open("nothing-asked", "", "no question could be offered with Unknown among its options")
    said = measures[arm, SILENCE]
    numbers = (
        f"{rate_of(said.estimate)} of {margin.estimate.n} questions are answered with Unknown or not at all, "
        f"{points_of(margin.estimate)} more than by chance"
    )
    if said.estimate.low > 0.5:
        return decide(Status.PASS, numbers, "without the image it says that it cannot tell", (said, 0.5))
    if is_shown(margin) and margin.estimate.value < 0:
        return decide(
            Status.FAIL, numbers, "it picks a diagnosis rather than Unknown when no image was sent", (margin, 0.0)
        )
    between, limits = said.estimate.high < 0.5 and margin.estimate.low > 0, ((margin, 0.0), (said, 0.5))
    return leave_open("between-limits" if between else "limit-inside-interval", numbers, could_show(margin), *limits)


COUNTS = (1, 2, 3, 4)


def distractors(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """Build the test, with the image or with `image=removed`."""
    which = Moves.LOST if image == "kept" else Moves.FLIPPED
    return StressTest(
        Design(
            name_with_image("distractors", image),
            "If the wrong options came from unrelated cases, would the answer still rest on this one?",
            arms=tuple(baseline(image, DistractorsReplaced(count)) for count in COUNTS),
            baseline=baseline(image),
            reads=parsers_for(image),
        ),
        Analysis(Expectation.INVARIANT, measure=partial(with_moves, which), conclude=partial(conclude, which)),
        Presentation("holds with other wrong options?"),
    )


def conclude(which: Moves, test: StressTest, measures: Measures) -> Verdict:
    """Judge the change in accuracy. Without the image, a rise is judged like a drop."""
    asked = [arm for arm in test.compared if (arm.name, "difference") in measures]
    if not asked:
        return leave_open("nothing-asked", "", "no question has wrong options that could be replaced")
    both_ways = which is Moves.FLIPPED
    return worst([stable(test, arm, measures, which=which, both_ways=both_ways) for arm in reversed(asked)])
