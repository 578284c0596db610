"""Grounding signal (the Mirage paper): does the image change answers more than repeats do?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.items import Item
from snellen.reading.columns import Integers
from snellen.stats import distribution_distance, grounding_signal
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, decide, describe_margin, is_shown, leave_open, percent, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import ANSWERED, SHARED, UNREAD, of_arm, share
from snellen.stress.table import Table

SIGNAL, SHIFT, ANSWERS = "grounding_signal", "answer_shift", "answered_rate"
KINDS = by_name(
    Kind(
        SIGNAL,
        "grounding signal: how far answers move with the image, beyond how far they move anyway",
        Unit.SIGNAL,
        grouped=True,
    ),
    Kind(SHIFT, "shift of all answers together, beyond chance", Unit.SIGNAL, grouped=True),
    SHARED[ANSWERS],
)
IGNORES = 0.05
"""A model with a signal surely below this does not use the image."""
BLIND = IMAGE_REMOVED.name


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure the distances between answers with and without the image, per item and over all."""
    measures = [each for arm in test.all_arms for each in of_arm(arm.name, table)]
    if len(table.arms.get(ORIGINAL.name, ())):
        measures.append(Measure(ORIGINAL.name, KINDS[ANSWERS], share(table, table.share(ORIGINAL.name, ANSWERED))))
    if all(len(table.arms.get(arm.name, ())) for arm in test.all_arms):
        measures += _distances(table)
    return measures


def _distances(table: Table) -> Iterator[Measure]:
    """Measure signal and shift.

    An answer is an option or none. The shift compares answers over several questions, so it identifies an option by its
    text.
    """
    seen, blind = table.arms[ORIGINAL.name], table.arms[BLIND]
    patients = table.clusters
    if table.repeated_in(ORIGINAL.name, BLIND):
        found = grounding_signal(seen.chosen, blind.chosen, seen.ordinal, blind.ordinal, clusters=patients)
        yield Measure(BLIND, KINDS[SIGNAL], found)
    words = [_words(table.items, each.ordinal, each.chosen) for each in (seen, blind)]
    numbers = np.unique(np.concatenate(words), return_inverse=True)[1]
    first, second = numbers[: len(seen)], numbers[len(seen) :]
    shifted = distribution_distance(first, second, seen.ordinal, blind.ordinal, clusters=patients)
    yield Measure(BLIND, KINDS[SHIFT], shifted)


def _words(items: Sequence[Item], ordinals: Integers, chosen: Integers) -> list[str]:
    """Return the text of the chosen option per response, or a placeholder without a choice."""
    return [
        items[item].options[choice].text.strip().casefold() if 0 <= choice < len(items[item].options) else "\0"
        for item, choice in zip(ordinals.tolist(), chosen.tolist(), strict=True)
    ]


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if answers change when the image is removed; fail if they surely do not."""
    found = measures.get((BLIND, SIGNAL))
    if (BLIND, SHIFT) not in measures:
        return leave_open("not-compared", "", "no question was asked both with the image and without")
    if found is None:
        return leave_open("not-repeated", "", "every question must be asked at least twice: use --epochs 3")
    signal = found.estimate
    ends = f"(95% CI {signal.low:.2f} to {signal.high:.2f})".replace("-", "−")
    numbers = f"its answers with and without the image lie {max(0.0, signal.value):.2f} apart {ends}"
    numbers += ", beyond their change from run to run"
    if is_shown(found) and signal.low > 0:
        if (moved_otherwise := _not_by_looking(found, numbers, measures)) is not None:
            return moved_otherwise
        why = "its answers depend on the image; never looking gives 0"
        return decide(Status.PASS, numbers, why, (found, 0.0))
    answered = measures[ORIGINAL.name, ANSWERS]
    if answered.estimate.value < 0.5:
        why = f"with the image it answers only {rate_of(answered.estimate)} of the questions"
        return leave_open("gives-no-answer", numbers, why, (answered, 0.5))
    if signal.high < IGNORES:
        return decide(Status.FAIL, numbers, "its answers do not depend on the image", (found, IGNORES))
    why = f"{signal.n} questions are too few to tell"
    return leave_open("limit-inside-interval", numbers, why, (found, IGNORES))


def _not_by_looking(found: Measure, numbers: str, measures: Measures) -> Verdict | None:
    """Return "not decided" if declining, unreadable responses or guesses may explain changed answers, else None."""
    half = found.estimate.value / 2
    if (silent := _more_often(measures, "abstention_rate", "refusal_rate")) > half:
        why = f"without the image it declines {percent(silent)} more of the questions, which shows no looking"
        return leave_open("gives-no-answer", numbers, why, (found, 0.0), more_declined=silent)
    if abs(unread := _more_often(measures, *UNREAD)) > half:
        why = f"{percent(abs(unread))} more of one side's responses could not be read, were cut off or are empty"
        return leave_open("could-not-be-read", numbers, why, (found, 0.0), more_unread=unread)
    margin = measures[ORIGINAL.name, "above_chance"]
    if margin.estimate.low <= 0:
        by = describe_margin(measures, ORIGINAL.name, margin)
        why = f"with the image it is not shown to be better than guessing ({by}), and a guess moves with anything"
        return leave_open("not-above-chance", numbers, why, (found, 0.0), (margin, 0.0))
    return None


def _more_often(measures: Measures, *names: str) -> float:
    """Return how much more frequent these outcomes are without the image than with it."""
    return sum(measures[BLIND, name].estimate.value - measures[ORIGINAL.name, name].estimate.value for name in names)


TEST = StressTest(
    Design(
        "grounding-signal",
        "Do its answers change when the image goes, more than they change from run to run?",
        arms=(IMAGE_REMOVED,),
    ),
    Analysis(Expectation.CHANGE, headline=SIGNAL, measure=measure, conclude=conclude),
    Presentation("answers move with the image?", chapter="snellen.papers.mirage.report.chapter:CHAPTER"),
)
