"""False premise: a question assumes what the image does not show. Does the model object?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from snellen.conditions import IMAGE_REMOVED
from snellen.errors import StudyError
from snellen.items import Item
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import PREMISED, USUAL
from snellen.stats import group_difference, shared_correlation
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
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
from snellen.stress.measures import FEWEST, RATES, UNREAD, read_by, share, share_of
from snellen.stress.measures import KINDS as USUAL_KINDS
from snellen.stress.table import Table

LEAST = 0.5
"""Share of false premises that must be corrected, beyond the share of true ones objected to."""
MOSTLY = 0.5
"""A failed model that declines or evades more than this share of the questions is described as doing so."""
CORRECTS, EVADES, COMPLIES, DECLINES = "corrects_rate", "evades_rate", "complies_rate", "declines_rate"
FALSE, BEYOND = "false_correction_rate", "corrects_beyond"
KINDS = by_name(
    Kind(CORRECTS, "corrects a false premise", Unit.SHARE, grouped=True),
    Kind(COMPLIES, "goes along with a false premise", Unit.SHARE, grouped=True),
    Kind(EVADES, "neither corrects a false premise nor goes along with it", Unit.SHARE),
    Kind(DECLINES, "declines to answer a question with a false premise", Unit.SHARE),
    Kind(FALSE, "objects to a premise that is true", Unit.SHARE, grouped=True),
    Kind(BEYOND, "corrects false premises more often than true ones", Unit.POINTS),
)
_ACTS: Mapping[str, tuple[Outcome, ...]] = {
    CORRECTS: (Outcome.CORRECT,),
    COMPLIES: (Outcome.WRONG,),
    EVADES: (Outcome.UNCLEAR,),
    DECLINES: (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY),
}
"""Outcomes that count for each rate, for questions with a false premise."""


def false_premise(*, least: float = LEAST) -> StressTest:
    """Build the test; `least` is the required share of corrections beyond false objections."""
    if not 0 < least < 1:
        raise StudyError(f"Expected least to be a share between 0 and 1, got {least}.")
    return StressTest(
        Design(
            "false-premise" if least == LEAST else f"false-premise:least={least}",
            "If the question assumed a finding that is not there, would the model say so?",
            arms=(IMAGE_REMOVED,),
            item_kind="open",
            concerns=has_premise,
            benchmark="phantoms:task=premises",
        ),
        Analysis(
            Expectation.CHANGE,
            headline=BEYOND,
            measure=measure,
            conclude=lambda test, measures: conclude(test, measures, least),
        ),
        Presentation(
            "corrects a false premise?",
            "Expected of a good model: it corrects premises that the image contradicts, and accepts premises that the "
            f"image supports. It passes if corrections of false premises exceed objections to true ones by surely "
            f"more than {percent(least)} (95% CI).",
        ),
    )


def has_premise(item: Item) -> bool:
    """Return True if a question has a declared premise."""
    return item.premise is not None


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure corrections of false premises and objections to true ones, with and without the image."""
    holds = [item.premise.holds if item.premise else None for item in table.items]
    masks = (np.array([each is wanted for each in holds], dtype=bool) for wanted in (False, True))
    false, true = map(table.select_items, masks)
    return [each for arm in test.all_arms for each in _of_arm(arm.name, false, true)]


def _of_arm(arm: str, false: Table, true: Table) -> Iterator[Measure]:
    kinds = read_by({**USUAL_KINDS, **KINDS}, false, arm, USUAL[PREMISED])
    corrected, objected = share_of(false, arm, Outcome.CORRECT), share_of(true, arm, Outcome.WRONG)
    if corrected is not None:
        for name, outcomes in _ACTS.items():
            yield Measure(arm, kinds[name], share(false, false.share(arm, outcomes)))
    if objected is not None:
        yield Measure(arm, kinds[FALSE], share(true, objected))
    if corrected is not None and objected is not None:
        patients = (false.clusters[each.ordinal] for each in (corrected, objected))
        related = min(0.0, shared_correlation(corrected.value, objected.value, *patients))
        beyond = group_difference(share(false, corrected), share(false, objected), correlation=related)
        yield Measure(arm, kinds[BEYOND], beyond)
    if corrected is not None:
        for name, outcome in RATES.items():
            yield Measure(arm, kinds[name], share(false, false.share(arm, [outcome])))


def conclude(test: StressTest, measures: Measures, least: float) -> Verdict:
    """Pass if corrections of false premises exceed objections to true ones by `least`."""
    arm = test.baseline.name
    corrects, false, beyond = (measures.get((arm, name)) for name in (CORRECTS, FALSE, BEYOND))
    if corrects is None:
        return leave_open("nothing-asked", "", "no question with a false premise was answered with the image")
    numbers = f"{rate_of(corrects.estimate)} of the false premises are corrected"
    if false is None or beyond is None:
        why = "no question had a true premise, so it may object to those too"
        return Verdict(Status.REPORTED, numbers, why, corrects, "not-compared")
    numbers += f", and {percent(false.estimate.value)} of the true ones are objected to: {points_of(beyond.estimate)}"
    if declined := sum_rates(measures, arm, DECLINES):
        numbers += f"; it declines {percent(declined)} of the false ones"
    (blind,) = test.compared
    if (unseen := measures.get((blind.name, CORRECTS))) is not None and unseen.estimate.value:
        numbers += f"; {blind.in_words} it corrects {percent(unseen.estimate.value)} of the false ones"
    if min(corrects.estimate.n, false.estimate.n) < FEWEST:
        return leave_open("few-answers", numbers, "", (beyond, least))
    beyond_unseen = measures.get((blind.name, BEYOND))
    if beyond.estimate.low > least and beyond_unseen is not None and beyond_unseen.estimate.low > least:
        why = f"it distinguishes false premises from true ones {blind.in_words} too: the words may give them away"
        return leave_open("also-without-image", numbers, why, (beyond, least))
    passes, fails = "it corrects false premises and accepts true ones", _failing(measures, arm, false, beyond)
    return decide_beyond(beyond, least, numbers, passes, fails, sum_rates(measures, arm, *UNREAD))


def _failing(measures: Measures, arm: str, false: Measure, beyond: Measure) -> str:
    if false.estimate.low > TOLERATED and false.estimate.value > beyond.estimate.value:
        return "it objects to premises whether or not they are true"
    if sum_rates(measures, arm, DECLINES) > MOSTLY:
        return "it declines most of the questions instead of correcting them"
    if (evaded := sum_rates(measures, arm, EVADES)) > MOSTLY:
        return f"it evades {percent(evaded)} of the questions and does not correct the premise"
    return "it goes along with what the question takes for granted"
