"""Tables: per item, paired by item, compared option by option."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.reading.outcomes import Outcome
from snellen.stress.table import OUTCOMES, Moves
from tables import rated, sheet, table

REPLIES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.sampled_from(OUTCOMES), st.integers(0, 4)),
    unique_by=lambda reply: reply[:2],
    max_size=15,
)


@given(REPLIES, st.sets(st.sampled_from(OUTCOMES)), st.sets(st.sampled_from(OUTCOMES)))
def test_shares_are_what_counting_by_hand_gives(replies, wanted, among):
    """Per item, the share of its replies with the wanted outcomes among the others."""
    by_hand = {}
    for item, _, outcome, _ in replies:
        if outcome in among:
            by_hand.setdefault(item, []).append(outcome in wanted)
    share = table(a=replies).share("a", wanted, among=among)
    assert dict(zip(share.ordinal.tolist(), share.value.tolist(), strict=True)) == {
        item: sum(values) / len(values) for item, values in by_hand.items()
    }


MOVED = {
    Moves.ANY: lambda one, two: one[3] != two[3],
    Moves.HARMFUL: lambda one, two: one[3] != two[3] and two[2] != Outcome.CORRECT,
    Moves.LOST: lambda one, two: one[2] == Outcome.CORRECT != two[2],
    Moves.FLIPPED: lambda one, two: (one[2] == Outcome.CORRECT) != (two[2] == Outcome.CORRECT),
}


def chose(replies):
    """The replies that chose an option, the right one being option 0."""
    return [
        (item, run, Outcome.WRONG if option else Outcome.CORRECT, option)
        for item, run, outcome, option in replies
        if outcome in (Outcome.CORRECT, Outcome.WRONG)
    ]


def counted(pairs, moved):
    """By item, the share of pairs of replies that move."""
    by_item = {}
    for one, two in pairs:
        if one[0] == two[0]:
            by_item.setdefault(one[0], []).append(moved(one, two))
    return {item: pytest.approx(sum(each) / len(each)) for item, each in by_item.items()}


@pytest.mark.parametrize("which", Moves)
@given(REPLIES, REPLIES)
def test_moves_are_what_comparing_by_hand_gives(which, first, second):
    """Per item, over all pairs of a run here and a run there that both chose; and over two runs of one arm."""
    one, two = chose(first), chose(second)
    found = table(a=one, b=two)
    moved, alone = found.moved("a", "b", which), found.moved_by_itself("a", which)
    assert dict(zip(moved.ordinal.tolist(), moved.value.tolist(), strict=True)) == counted(
        product(one, two), MOVED[which]
    )
    assert dict(zip(alone.ordinal.tolist(), alone.value.tolist(), strict=True)) == counted(
        permutations(one, 2), MOVED[which]
    )


@given(REPLIES, REPLIES)
def test_pairs_are_the_items_that_have_both(first, second):
    """Only items answered in both arms are paired, in their order."""
    both = table(a=first, b=second)
    pairs = both.pair_items(both.share("a", [Outcome.CORRECT]), both.share("b", [Outcome.CORRECT]))
    assert pairs.ordinal.tolist() == sorted({reply[0] for reply in first} & {reply[0] for reply in second})


def test_an_item_without_a_patient_is_its_own():
    """Clusters are patients; an item that names none stands alone."""
    assert table().clusters.tolist() == [0, 1, 2, 3, 4]


def test_the_largest_patient_is_counted_among_the_items_asked():
    """Intervals that hold at every look need the most items that one patient has."""
    asked = sheet({"original": "++-+-+"}, rated(6, clusters=["a", "a", "a", "b", "c", "c"]))
    assert asked.largest == 3
    assert asked.select_items(np.array([True, False, False, True, True, True])).largest == 2


def test_responses_are_matched_by_item_and_run():
    """Also where one arm was asked more often than the other."""
    runs = {"a": [(0, 0), (0, 1), (0, 2), (2, 1)], "b": [(1, 0), (2, 1)]}
    found = table(**{arm: [(*run, Outcome.CORRECT, 0) for run in each] for arm, each in runs.items()})
    assert [each.tolist() for each in found.match_responses("a", "b")] == [[3], [1]]


def test_runs_that_differ_are_counted_in_pairs():
    """Three runs, two of them alike: two of three pairs differ; a run that chose nothing is in no pair."""
    found = table(
        original=[
            (0, 0, Outcome.CORRECT, 0), (0, 1, Outcome.CORRECT, 0), (0, 2, Outcome.WRONG, 1),
            (1, 0, Outcome.WRONG, 2), (1, 1, Outcome.WRONG, 2), (1, 2, Outcome.REFUSED, 0),
            (2, 0, Outcome.CORRECT, 0), (2, 1, Outcome.REFUSED, 0),
        ]
    )  # fmt: skip
    rerun = found.moved_by_itself("original")
    assert rerun.ordinal.tolist() == [0, 1]
    assert rerun.value.tolist() == pytest.approx([2 / 3, 0])


def test_unanimous_items_say_the_same_in_every_run():
    """All runs chose alike, or none chose; an item with one reply is not counted."""
    found = table(
        original=[
            (0, 0, Outcome.CORRECT, 0), (0, 1, Outcome.CORRECT, 0),
            (1, 0, Outcome.WRONG, 2), (1, 1, Outcome.REFUSED, 0),
            (2, 0, Outcome.REFUSED, 0), (2, 1, Outcome.ABSTAINED, 0),
            (3, 0, Outcome.CORRECT, 0),
        ]
    )  # fmt: skip
    unanimous = found.unanimous("original")
    assert unanimous.ordinal.tolist() == [0, 1, 2]
    assert unanimous.value.tolist() == [1, 0, 1]
