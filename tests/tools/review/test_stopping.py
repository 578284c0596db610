"""When enough has been read: sentences, and intervals that hold at whatever look one stops."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.stats import confidence_sequence
from snellen.tools.review.ballots import ReviewedCase, Vote
from snellen.tools.review.case import BlindCase, Subject
from snellen.tools.review.stopping import enough
from snellen.tools.review.tasks.profile import PROFILE
from snellen.tools.review.tasks.verdict import VERDICT


def case(number, task, values, *, wanted=2, benchmark="films", item=None):
    votes = tuple(Vote(number, f"r{at}", False, value, 1.0, float(at)) for at, value in enumerate(values))
    subject = Subject(benchmark, item or f"i{number}", number, "all")
    return ReviewedCase(number, task.name, subject, BlindCase("", task.name), wanted, "open", votes)


def verdicts(agreeing, planned=400):
    """Cases of which some are read by two, who agree or not."""
    read = [
        case(at, VERDICT, [{"verdict": "correct"}, {"verdict": "correct" if same else "incorrect"}])
        for at, same in enumerate(agreeing)
    ]
    return [*read, *(case(at, VERDICT, []) for at in range(len(read), planned))]


def rated(number, benchmark, levels):
    values = [{field.name: str(level) for field in PROFILE.fields} for level in levels]
    return case(number, PROFILE, values, wanted=3, benchmark=benchmark)


def test_enough_is_when_agreement_is_known_as_well_as_wanted():
    """The interval is that of a confidence sequence; few cases are not enough, and it says about how many are."""
    agreeing = [True] * 45 + [False] * 5
    found = enough(verdicts(agreeing), VERDICT, half_width=0.1)
    interval = confidence_sequence([float(each) for each in agreeing])
    half = (interval.high - interval.low) / 2
    more = int(np.ceil(50 * ((half / 0.1) ** 2 - 1)))
    assert not found.enough
    assert f"0.90 (95% CI valid at any look {interval.low:.2f} to {interval.high:.2f}, n=50, betting)" in found.sentence
    assert f"about {more} more cases, of 350 that are left." in found.sentence
    assert "and only 2 are left of the plan (draw more with --each)" in enough(verdicts(agreeing, 52), VERDICT).sentence
    later = enough(verdicts(agreeing * (1 + more // 50 + 1)), VERDICT, half_width=0.1)
    assert later.enough
    assert later.sentence.endswith("enough for ±0.1.")


def test_all_planned_cases_are_enough_however_wide_the_interval():
    """There is nothing left to read; with too little read nothing is said of agreement."""
    found = enough(verdicts([True, True, False], planned=3), VERDICT)
    assert found == (True, "All 3 planned cases are read.")
    skipped = case(3, VERDICT, [{"verdict": "correct"}, None])
    found = enough([*verdicts([True, True, False], planned=3), skipped], VERDICT)
    assert found == (
        True,
        "3 of 4 planned cases are read, and 1 waits for another rater because a rater could not judge it.",
    )
    nobody = [case(at, VERDICT, [None, None]) for at in range(4)]
    assert enough(nobody, VERDICT) == (False, "No rater could judge any of the 4 planned cases: all were skipped.")
    found = enough(verdicts([True, True, False]), VERDICT)
    assert not found.enough
    assert "Too little is known yet: 3 cases are read by two raters or more, at least 5 are needed." in found.sentence
    assert enough([], VERDICT) == (False, "No cases were drawn.")
    assert not enough(verdicts([]), VERDICT).enough
    with pytest.raises(ValueError, match="`half_width` must be above 0, got 0"):
        enough([], VERDICT, half_width=0)


def test_responses_to_one_item_say_less_than_as_many_items():
    """The interval knows which cases belong together, also those that are still to come."""
    votes = [{"verdict": "correct"}] * 2
    apart = [case(at, VERDICT, votes) for at in range(60)]
    together = [case(at, VERDICT, votes, item=f"i{at // 4}") for at in range(60)]
    waiting = [case(at, VERDICT, [], item=f"w{at}") for at in range(60, 300)]
    assert enough([*apart, *waiting], VERDICT, half_width=0.06).enough
    assert not enough([*together, *waiting], VERDICT, half_width=0.06).enough


def test_profiles_need_both_coordinates_of_every_benchmark():
    """One benchmark that is hardly rated keeps the review going, and is named."""
    levels = [(1, 2, 1), (2, 2, 2), (2, 3, 2)]
    many = [rated(at, "films", levels[at % 3]) for at in range(150)]
    few = [rated(at, "slides", levels[at % 3]) for at in range(150, 152)]
    waiting = [rated(152, "slides", ())]
    found = enough([*many, *few, *waiting], PROFILE)
    assert not found.enough
    assert "Too little is known yet (The mean reasoning complexity of slides" in found.sentence
    found = enough([*many, rated(150, "films", ())], PROFILE)
    interval = confidence_sequence([sum(levels[at % 3]) / 3 for at in range(150)], bounds=(1, 3))
    assert (interval.high - interval.low) / 2 <= 0.2
    assert found.enough
    assert f"{interval.value:.2f} (95% CI valid at any look {interval.low:.2f} to {interval.high:.2f}" in found.sentence


def test_one_rater_of_three_is_not_enough_for_a_profile():
    """However many questions one has rated: others may rate higher."""
    one = [rated(at, "films", (1 + at % 2,)) for at in range(150)]
    found = enough(one, PROFILE)
    assert not found.enough
    assert "0 cases are rated by as many as planned" in found.sentence


def test_whenever_it_stops_the_interval_holds_the_truth():
    """Looking after every forty cases, and stopping as soon as it is enough: wrong in at most 5% of reviews."""
    rng, truth, runs, wrong = np.random.default_rng(24), 0.85, 60, 0
    for _ in range(runs):
        agreeing = rng.random(400) < truth
        for look in range(40, 401, 40):
            interval = confidence_sequence(agreeing[:look].astype(float))
            if (interval.high - interval.low) / 2 <= 0.1:
                break
        assert enough(verdicts(agreeing[:look], 401), VERDICT).enough
        wrong += not interval.low <= truth <= interval.high
    assert wrong <= 8  # 3 are expected at most; more than 8 come by chance in fewer than 1 of 300 such tests
