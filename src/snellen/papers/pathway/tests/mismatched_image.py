"""Mismatched image (task VIII): text and image show different body parts. Does the model notice?"""

from __future__ import annotations

from collections.abc import Sequence

from snellen.conditions import ImageMismatched
from snellen.errors import StudyError
from snellen.prompts import Arm
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import MISMATCHED, USUAL
from snellen.stats import group_difference, paired_difference
from snellen.stress.base import Analysis, Expectation, Kind, Measure, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import (
    TOLERATED,
    Measures,
    decide_beyond,
    leave_open,
    percent,
    points_of,
    rate_of,
    sum_rates,
)
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import KINDS as USUAL_KINDS
from snellen.stress.measures import RATES, UNREAD, read_by, share, share_of
from snellen.stress.table import Table

CONTROL = Arm(ImageMismatched(donor="none"))
LEAST = 0.5
"""Share of contradictions that must be named, beyond the share of false alarms."""
MOSTLY = 0.5
"""A failed model that declines more than this share of the questions is described as declining."""
NAMED, ALARMS, BEYOND = "named_rate", "false_alarm_rate", "named_beyond_false_alarms"
KINDS = by_name(
    Kind(NAMED, "names the contradiction between text and image", Unit.SHARE, grouped=True),
    Kind(ALARMS, "speaks of a contradiction that does not exist", Unit.SHARE, grouped=True),
    Kind(BEYOND, "names it more often than with the matching image", Unit.POINTS),
)


def mismatched_image(*, donor: str = "anatomy", least: float = LEAST) -> StressTest:
    """Build the test with images of another `anatomy` or `modality`.

    `least` is the share of contradictions that must be named, beyond false alarms.
    """
    if not 0 < least < 1:
        raise StudyError(f"Expected least to be a share between 0 and 1, got {least}.")
    settings = [
        f"{name}={value}"
        for name, value, usual in (("donor", donor, "anatomy"), ("least", least, LEAST))
        if value != usual
    ]
    return StressTest(
        Design(
            f"mismatched-image:{','.join(settings)}" if settings else "mismatched-image",
            "If the image were of another part of the body than the history, would it say so?",
            arms=(ImageMismatched(donor=donor),),  # type: ignore[arg-type]  # which refuses what it does not know
            baseline=CONTROL,
            item_kind="open",
        ),
        Analysis(
            Expectation.CHANGE,
            headline=BEYOND,
            measure=measure,
            conclude=lambda test, measures: conclude(test, measures, least),
        ),
        Presentation("notices a wrong image?", chapter="snellen.papers.pathway.report.chapter:CHAPTER"),
    )


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure how often a contradiction is named with mismatched and with matching images."""
    control, (arm,) = test.baseline.name, (each.name for each in test.compared)
    found: list[Measure] = []
    named, alarms = share_of(table, arm, Outcome.CORRECT), share_of(table, control, Outcome.WRONG)
    kinds = read_by({**USUAL_KINDS, **KINDS}, table, arm, USUAL[MISMATCHED])
    if named is not None:
        found.append(Measure(arm, kinds[NAMED], share(table, named)))
    if alarms is not None:
        found.append(Measure(control, kinds[ALARMS], share(table, alarms)))
    if named is not None and alarms is not None:
        pairs = table.pair_items(alarms, named)
        # Questions with a contradictory image of their own have no control; two groups of questions are then compared.
        if len(pairs.ordinal):
            beyond = paired_difference(pairs.first, pairs.second, clusters=pairs.clusters)
        else:
            beyond = group_difference(share(table, named), share(table, alarms))
        found.append(Measure(arm, kinds[BEYOND], beyond))
    for each in (control, arm):
        for name, outcome in RATES.items():
            if (rate := share_of(table, each, outcome)) is not None:
                found.append(Measure(each, kinds[name], share(table, rate)))
    return found


def conclude(test: StressTest, measures: Measures, least: float) -> Verdict:
    """Pass if the model names more than `least` of the contradictions, beyond false alarms."""
    (arm,) = test.compared
    beyond, named = measures.get((arm.name, BEYOND)), measures.get((arm.name, NAMED))
    alarms = measures.get((test.baseline.name, ALARMS))
    if beyond is None or named is None or alarms is None:
        return leave_open("not-compared", "", "no question was answered with an image of another kind")
    numbers = (
        f"{rate_of(named.estimate)} of the contradictions are named, and one is named in "
        f"{percent(alarms.estimate.value)} of the questions without any: a difference of {points_of(beyond.estimate)}"
    )
    declined = sum_rates(measures, arm.name, "refusal_rate", "abstention_rate", "flagged_quality_rate")
    passes, fails = "it notices that text and image do not fit", _failing(alarms, beyond, declined)
    return decide_beyond(beyond, least, numbers, passes, fails, sum_rates(measures, arm.name, *UNREAD))


def _failing(alarms: Measure, beyond: Measure, declined: float) -> str:
    if alarms.estimate.low > TOLERATED and alarms.estimate.value > beyond.estimate.value:
        return "it speaks of contradictions whether or not there is one"
    if declined > MOSTLY:
        return f"it declines {percent(declined)} of the questions and names no contradiction in them"
    return "it names hardly any wrong image"
