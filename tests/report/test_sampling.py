import numpy as np

from snellen.items import Item
from snellen.reading.columns import NOTHING
from snellen.report.evidence.sampling import mark_changed, ranks
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


def test_order_of_items_is_that_of_their_ids():
    """An item's rank follows from its id, not from its place."""
    some = items(50)
    assert ranks(some)[::-1].tolist() == ranks(some[::-1]).tolist()
    assert sorted(ranks(some).tolist()) != ranks(some).tolist()
    assert len(set(ranks(some).tolist())) == 50


def test_moved_compares_the_same_item_and_run():
    """Only a choice that differs from the baseline's for the same item and run; without a baseline, none."""
    before = grades([0] * 4, [0, 1, NOTHING, 2])
    after = grades([0] * 4, [0, 2, 1, NOTHING])
    assert mark_changed(after, before).tolist() == [False, True, False, False]
    assert mark_changed(grades([0, 1]), None).tolist() == [False, False]
