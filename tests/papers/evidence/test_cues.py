"""Cues: how often the option of a wrong cue is chosen beyond how often it is chosen anyway, counted anew by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.conditions.cues import choose_cue
from snellen.errors import StudyError
from snellen.papers.evidence.tests.cues import FOLLOW, HELP, LOST, MISLED
from snellen.reading.outcomes import Outcome
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from tables import grades, numbers, rated, verdict

TEST = stress_test("cues:tag,frame")
OWN, (NAMED, NEUTRAL, FINDING, ELSEWHERE, CORNER) = "original", [arm.name for arm in TEST.compared]


def asked(chosen):
    """A table from the option that each item's response chooses under each condition; None abstains."""
    items = rated(len(chosen[OWN]), options=3)
    made = {}
    for arm, choices in chosen.items():
        outcomes = [
            Outcome.ABSTAINED if each is None else Outcome.CORRECT if each == items[at].answer else Outcome.WRONG
            for at, each in enumerate(choices)
        ]
        made[arm] = grades([(at, 0, outcome, choices[at]) for at, outcome in enumerate(outcomes)])
    return Table("m", "b", items, made)


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 2, None])] * 6), min_size=20, max_size=50))
def test_counts_by_brute_force(rows):
    """Follow rates on wrong and on right cues, and right answers that marks and empty cues change."""
    arms = (OWN, NAMED, NEUTRAL, FINDING, ELSEWHERE, CORNER)
    table = asked(dict(zip(arms, map(list, zip(*rows, strict=True)), strict=True)))
    found = numbers(TEST, table)
    counted = {(NAMED, FOLLOW): [], (NAMED, HELP): [], (NEUTRAL, LOST): [], (CORNER, LOST): [], (ELSEWHERE, MISLED): []}
    for item, (own, named, neutral, finding, elsewhere, corner) in zip(table.items, rows, strict=True):
        cue = choose_cue(item)
        counted[NAMED, HELP if cue == item.answer else FOLLOW].append((named == cue) - (own == cue))
        if own == item.answer:
            counted[NEUTRAL, LOST].append(neutral != own)
            counted[CORNER, LOST].append(corner != own)
            counted[ELSEWHERE, MISLED].append((elsewhere != own) - (finding != own))
    for place, values in counted.items():
        assert (place in found) == (len(values) >= 6), place
        if place in found:
            assert (found[place].n, round(found[place].value, 9)) == (len(values), round(np.mean(values), 9)), place


def test_the_most_followed_cue_is_named_first():
    """Reported without a mark; nothing is said of too few questions."""
    items = rated(90, options=3)
    own = [item.answer for item in items]
    led = [choose_cue(item) for item in items]
    told = asked({OWN: own, NAMED: led, NEUTRAL: own, FINDING: own, ELSEWHERE: own, CORNER: own})
    found = verdict(TEST, told)
    assert found.status is Status.REPORTED
    assert found.sentence.startswith("Follows a wrong cue: 100 points")
    assert found.sentence.index("letter in a corner") < found.sentence.index("frame")
    assert verdict(TEST, asked({OWN: own[:3], NAMED: led[:3]})).status is Status.INCONCLUSIVE


def test_cues_are_chosen_by_name():
    """Each brings its own conditions; an unknown one is refused with the known ones."""
    assert len(stress_test("cues").compared) == 3 * 2 + 3 * 3
    assert len(stress_test("cues:hint").compared) == 2
    with pytest.raises(StudyError, match="heat-map"):
        stress_test("cues:smell")
