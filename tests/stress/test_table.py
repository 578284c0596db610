"""Tables: per item, paired by item, compared option by option."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.outcomes import Outcome
from snellen.stress.table import OUTCOMES
from tables import table

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


@given(REPLIES, REPLIES)
def test_changes_are_what_comparing_by_hand_gives(first, second):
    """Per item, how often the chosen option differs over the replicates that chose one in both arms."""
    said = {reply[:2]: reply for reply in first if reply[2] in (Outcome.CORRECT, Outcome.WRONG)}
    by_hand = {}
    for item, replicate, outcome, option in second:
        if outcome in (Outcome.CORRECT, Outcome.WRONG) and (item, replicate) in said:
            by_hand.setdefault(item, []).append(said[item, replicate][3] != option)
    changed = table(a=first, b=second).changed("a", "b")
    assert dict(zip(changed.ordinal.tolist(), changed.value.tolist(), strict=True)) == {
        item: sum(values) / len(values) for item, values in by_hand.items()
    }


@given(REPLIES, REPLIES)
def test_pairs_are_the_items_that_have_both(first, second):
    """Only items answered in both arms are paired, in their order."""
    both = table(a=first, b=second)
    pairs = both.paired(both.share("a", [Outcome.CORRECT]), both.share("b", [Outcome.CORRECT]))
    assert pairs.ordinal.tolist() == sorted({reply[0] for reply in first} & {reply[0] for reply in second})


def test_an_item_without_a_patient_is_its_own():
    """Clusters are patients; an item that names none stands alone."""
    assert table().clusters.tolist() == [0, 1, 2, 3, 4]


def test_runs_that_differ_are_counted_in_pairs():
    """Three runs, two of them alike: two of three pairs differ; a run that chose nothing is in no pair."""
    found = table(
        original=[
            (0, 0, Outcome.CORRECT, 0), (0, 1, Outcome.CORRECT, 0), (0, 2, Outcome.WRONG, 1),
            (1, 0, Outcome.WRONG, 2), (1, 1, Outcome.WRONG, 2), (1, 2, Outcome.REFUSED, 0),
            (2, 0, Outcome.CORRECT, 0), (2, 1, Outcome.REFUSED, 0),
        ]
    )  # fmt: skip
    rerun = found.rerun("original")
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
