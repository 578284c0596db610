"""The mean of ratios: by loops, against the plain bootstrap, joint and separate draws, degenerate cases, coverage."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.stats import mean_of_ratios, ratio_of_accuracies

tenths = st.integers(0, 10).map(lambda x: x / 10)
rows = st.lists(st.tuples(tenths, tenths, st.integers(0, 4)), min_size=1, max_size=15)


def answers(luck, both, below, above):
    """Right above and below the line, right below only, right above only: as one draw per item decides."""
    return ((luck < both) | (luck > 1 - above)).astype(float), (luck < both + below).astype(float)


def spread(estimate):
    """The width of the interval."""
    return estimate.high - estimate.low


@given(st.lists(rows, min_size=1, max_size=3), st.booleans())
@settings(deadline=None)
def test_value_is_the_plain_mean_of_the_ratios(tables, shared):
    """Each ratio counts once, however many items it has; n is the number of different items."""
    tables = [tables[0]] * len(tables) if shared else tables
    pairs = [([row[0] for row in table], [row[1] for row in table]) for table in tables]
    found = mean_of_ratios(pairs, shared_items=shared, resamples=100)
    assert found.n == (len(tables[0]) if shared else sum(map(len, tables)))
    if any(sum(below) == 0 for _, below in pairs):
        assert isnan(found.value)
        assert (found.low, found.high) == (0, inf)
        return
    assert found.value == pytest.approx(sum(sum(above) / sum(below) for above, below in pairs) / len(pairs))
    assert 0 <= found.low <= found.value <= found.high
    assert found.low < found.high


@given(rows, rows, st.randoms(use_true_random=False))
def test_order_of_items_changes_nothing(one, two, random):
    """Items in another order, with their clusters under other names, give the same estimate under the same seed."""
    names = random.sample("abcde", 5)
    estimates = []
    for tables in ((one, two), tuple(random.sample(table, len(table)) for table in (one, two))):
        pairs = [([row[0] for row in table], [row[1] for row in table]) for table in tables]
        clusters = [[names[row[2]] for row in table] for table in tables]
        estimates.append(mean_of_ratios(pairs, clusters, resamples=100))
    first, second = estimates
    assert (first.value, first.low, first.high) == pytest.approx(
        (second.value, second.low, second.high), rel=1e-6, abs=1e-9, nan_ok=True
    )


def test_order_of_many_different_items_changes_nothing():
    """Where no two items are alike, too, the same seed draws the same."""
    rng = np.random.default_rng(1)
    pairs = [(rng.random(50), rng.random(50)) for _ in range(2)]
    mixed = rng.permutation(50)
    for shared in (False, True):
        first = mean_of_ratios(pairs, shared_items=shared)
        second = mean_of_ratios([(above[mixed], below[mixed]) for above, below in pairs], shared_items=shared)
        assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high), rel=1e-9)


def test_one_pair_is_about_fieller():
    """With one pair the interval is close to that of the single ratio."""
    above, below = answers(np.random.default_rng(2).random(300), 0.5, 0.2, 0.05)
    found, fieller = mean_of_ratios([(above, below)]), ratio_of_accuracies(above, below)
    assert found.value == pytest.approx(fieller.value)
    assert [found.low, found.high] == pytest.approx([fieller.low, fieller.high], abs=0.015)


def test_separate_benchmarks_are_drawn_apart():
    """The interval of large samples is that of a plain bootstrap, each benchmark resampled by itself."""
    rng = np.random.default_rng(3)
    pairs = [answers(rng.random(size), 0.5, 0.2, 0.05) for size in (300, 500)]
    drawn = np.zeros(2000)
    for above, below in pairs:
        picked = rng.integers(0, len(above), (2000, len(above)))
        drawn += above[picked].mean(axis=1) / below[picked].mean(axis=1) / 2
    found = mean_of_ratios(pairs)
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.01)


def test_items_nobody_saw_do_not_lift_the_lower_end():
    """Over many benchmarks with little left, the lower end lies no higher than that of the plain bootstrap."""
    rng = np.random.default_rng(3)
    above, below = (np.arange(50) < 3).astype(float), np.ones(50)
    plain = above[rng.integers(0, 50, (2000, 20, 50))].mean(axis=(1, 2))
    assert mean_of_ratios([(above, below)] * 20).low < np.quantile(plain, 0.03)


def test_shared_items_are_drawn_together():
    """Four models that answer alike tell no more than one, unless their items are wrongly taken to be others."""
    pair = answers(np.random.default_rng(4).random(200), 0.5, 0.2, 0.05)
    one, four = mean_of_ratios([pair]), mean_of_ratios([pair] * 4, shared_items=True)
    assert spread(four) == pytest.approx(spread(one), rel=0.05)
    assert (four.n, four.method) == (200, "unseen-bootstrap")
    apart = mean_of_ratios([pair] * 4)
    assert spread(apart) == pytest.approx(spread(one) / 2, rel=0.15)
    assert apart.n == 800


def test_patients_count_and_not_their_items():
    """Eight items of each patient that are all alike make the interval as wide as one would, shared items or not."""
    pair = answers(np.random.default_rng(5).random(40), 0.5, 0.3, 0.1)
    eight, patients = tuple(np.repeat(part, 8) for part in pair), np.repeat(np.arange(40), 8)
    one = mean_of_ratios([pair, pair])
    many = mean_of_ratios([eight, eight], [patients, patients])
    assert many.method == "cluster-unseen-bootstrap"
    assert spread(many) == pytest.approx(spread(one), rel=0.1)
    shared = mean_of_ratios([eight, eight], patients, shared_items=True)
    assert spread(shared) == pytest.approx(spread(mean_of_ratios([pair, pair], shared_items=True)), rel=0.1)
    mixed = mean_of_ratios([eight, pair], [patients, None])
    assert mixed.method == "cluster-unseen-bootstrap"


def test_an_end_has_width_where_all_is_alike():
    """Nothing left, or all the same: 0 or 1 with a width of a few items; the ends stay at 0 or above."""
    none_left = mean_of_ratios([(np.zeros(100), np.ones(100))] * 2)
    assert (none_left.value, none_left.low) == (0, 0)
    assert 0.01 < none_left.high < 0.06
    ten_patients = mean_of_ratios([(np.zeros(100), np.ones(100))] * 2, [np.repeat(np.arange(10), 10)] * 2)
    assert 0.1 < ten_patients.high < 0.6
    same = mean_of_ratios([(np.ones(100), np.ones(100))] * 2)
    assert same.value == 1
    assert 0.9 < same.low < 1 < same.high < 1.1


def test_weak_denominators_leave_the_mean_open_above():
    """A single right answer below the line in one of the pairs bounds the mean from below only."""
    weak = mean_of_ratios([([1] * 30, [1] + [0] * 29), ([1] * 30, [1] * 30)])
    assert weak.high == inf
    assert 0.5 < weak.low < weak.value == 15.5


def test_a_seed_decides_the_draw():
    """The same seed gives the same ends, another others."""
    pair = answers(np.random.default_rng(6).random(60), 0.5, 0.2, 0.1)
    assert mean_of_ratios([pair], seed=1) == mean_of_ratios([pair], seed=1)
    assert mean_of_ratios([pair], seed=1, resamples=50) != mean_of_ratios([pair], seed=2, resamples=50)
    assert spread(mean_of_ratios([pair], level=0.8)) < spread(mean_of_ratios([pair]))


TRUTHS = [
    [(40, 0.5, 0.2, 0.05), (60, 0.4, 0.2, 0.1)],
    [(50, 0.02, 0.6, 0.0)] * 3,
    [(50, 0.6, 0.02, 0.0)] * 3,
    [(100, 0.2, 0.0, 0.7)] * 6,
    [(20, 0.3, 0.2, 0.1), (150, 0.6, 0.1, 0.05)],
]


@pytest.mark.parametrize("truths", TRUTHS)
@pytest.mark.parametrize(("shared", "cluster"), [(False, 5), (True, 1), (True, 5)])
def test_interval_holds_the_truth(truths, shared, cluster):
    """Of 40 samples about 38 intervals do, at least 33 (3.6 standard errors); models that share items often agree."""
    rng = np.random.default_rng(9)
    truth = np.mean([(both + above) / (both + below) for _, both, below, above in truths])
    sizes = [truths[0][0] if shared else size for size, *_ in truths]
    patients = [np.repeat(np.arange(size // cluster), cluster) for size in sizes]
    held = 0
    for _ in range(40):
        common, pairs = rng.random(sizes[0]), []
        for size, patient, (_, *shares) in zip(sizes, patients, truths, strict=True):
            own = common[patient] if shared else rng.random(size)[patient]
            pairs.append(answers(np.where(rng.random(size) < 0.6, own, rng.random(size)), *shares))
        found = mean_of_ratios(pairs, patients[0] if shared else patients, shared_items=shared, resamples=300)
        held += found.low <= truth <= found.high
    assert held >= 33


@pytest.mark.parametrize(
    ("pairs", "more", "message"),
    [
        ([], {}, "`pairs` must hold at least one pair"),
        ([([1], [1, 0])], {}, "`numerator` and `denominator` must be aligned by item, got 1 and 2"),
        ([([1], [1]), ([1, 0], [1, 1])], {"shared_items": True}, r"must have equally many items, got \[1, 2\]"),
        ([([1], [1])], {"clusters": [[0], [1]]}, "one array for each of the 1 pairs, got 2"),
        ([([1], [1])], {"clusters": [[0, 1]]}, r"`clusters` must be one label per item \(1\)"),
        ([([1], [2])], {}, r"`denominator` must lie in \[0, 1\]"),
        ([([1], [1])], {"resamples": 0}, "`resamples`"),
        ([([1], [1])], {"level": 1}, "`level`"),
    ],
)
def test_bad_input_is_named(pairs, more, message):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=message):
        mean_of_ratios(pairs, **more)
