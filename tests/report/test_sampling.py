import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.columns import NOTHING
from snellen.items import Item
from snellen.report.evidence.sampling import moved, ranks, sample
from snellen.stress.table import Grades


def grades(outcomes, chosen=None, replicates=1):
    n = len(outcomes)
    return Grades(
        ordinal=np.arange(n) // replicates,
        replicate=np.arange(n) % replicates,
        outcome=np.array(outcomes, dtype=np.uint8),
        chosen=np.array(chosen if chosen is not None else [0] * n, dtype=np.int64),
        response=np.arange(n),
        rule=np.zeros(n, dtype=np.uint16),
    )


def items(n):
    return [Item(id=f"item {i}", question="?") for i in range(n)]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=80), st.integers(1, 40))
def test_sample_holds_some_of_every_kind(outcomes, size):
    """At most so many replies, none twice, and no kind left out while another has two."""
    table = grades(outcomes)
    kinds = table.outcome.astype(np.int64)
    chosen = sample(table, ranks(items(len(outcomes))), kinds, size)
    assert len(chosen) == len(set(chosen.tolist())) == min(size, len(outcomes))
    shown = {kind: int((kinds[chosen] == kind).sum()) for kind in set(outcomes)}
    for kind, number in shown.items():
        assert number == outcomes.count(kind) or number >= max(shown.values()) - 1


def test_sample_does_not_depend_on_the_order_of_items():
    """An item is chosen for its id, not for its place."""
    some = items(50)
    table = grades([0] * 50)
    kinds = np.zeros(50, dtype=np.int64)
    straight = {some[at].id for at in sample(table, ranks(some), kinds, 10)}
    back = some[::-1]
    assert straight == {back[at].id for at in sample(table, ranks(back), kinds, 10)}
    assert straight != {item.id for item in some[:10]}


def test_sample_of_nothing_is_empty():
    """An arm without replies has no rows."""
    assert sample(grades([]), ranks(items(3)), np.zeros(0, dtype=np.int64), 5).tolist() == []


def test_moved_compares_the_same_item_and_run():
    """Only a choice that differs from the baseline's choice for the same item and run has moved."""
    before = grades([0] * 4, [0, 1, NOTHING, 2])
    after = grades([0] * 4, [0, 2, 1, NOTHING])
    assert moved(after, before).tolist() == [False, True, False, False]


def test_nothing_moved_without_a_baseline():
    """An arm that is held against none has no moved choices."""
    assert moved(grades([0, 1]), None).tolist() == [False, False]
