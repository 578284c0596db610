"""The spread of repeated runs, against plain loops, against the analysis of variance, and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from snellen.stats import spread
from snellen.stats.repeats import largest

PARTS = ("between_runs", "within_items", "between_items")


def columns(grid):
    items, runs = np.indices(grid.shape)
    return items.ravel(), runs.ravel(), grid.ravel()


def answered(rng, chances, runs):
    """A reply to every item in every run, right with the item's own chance."""
    return (rng.random((len(chances), runs)) < chances[:, None]).astype(float)


grids = st.tuples(st.integers(2, 12), st.integers(2, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([0.0, 1.0]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    ).map(np.array)
)


@given(seed=st.integers(0, 10_000), items=st.integers(2, 12), runs=st.integers(2, 6), right=st.floats(0.05, 0.95))
def test_the_three_variances_are_what_plain_loops_give(seed, items, runs, right):
    """Between runs, within items and between items, each written out."""
    grid = (np.random.default_rng(seed).random((items, runs)) < right).astype(float)
    found = spread(*columns(grid))
    of_runs = np.array([grid[:, r].mean() for r in range(runs)])
    within = np.mean([np.var(row, ddof=1) for row in grid])
    assert found.between_runs.value == pytest.approx(sum((of_runs - of_runs.mean()) ** 2) / (runs - 1))
    assert found.within_items.value == pytest.approx(within)
    assert found.between_items.value == pytest.approx(max(0, np.var(grid.mean(axis=1), ddof=1) - within / runs))
    assert found.expected_between_runs == pytest.approx(within / items)


def test_the_components_are_those_of_a_one_way_analysis_of_variance():
    """Mean squares within and between items give the same two components."""
    grid = answered(np.random.default_rng(3), np.random.default_rng(4).random(40), 8)
    found = spread(*columns(grid))
    f = stats.f_oneway(*grid).statistic
    within = np.mean(np.var(grid, axis=1, ddof=1))
    assert found.within_items.value == pytest.approx(within)
    assert found.between_items.value == pytest.approx((f * within - within) / 8)


@given(grid=grids, patients=st.integers(1, 12), level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_ends_have_width_and_are_variances_that_can_be(grid, patients, level):
    """Every interval holds its value, has width, and lies between 0 and the largest variance there can be."""
    items, runs, values = columns(grid)
    found = spread(items, runs, values, clusters=items % patients, level=level)
    bounds = (largest(grid.shape[1]), largest(grid.shape[1]), largest(grid.shape[0]))
    for name, bound in zip(PARTS, bounds, strict=True):
        estimate = getattr(found, name)
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= bound
        assert estimate.high > estimate.low


@given(grid=grids, seed=st.integers(0, 1000))
def test_the_order_of_the_replies_does_not_matter(grid, seed):
    """Shuffled, and the items numbered anew: value and ends stay to the last digit that counts."""
    rng = np.random.default_rng(seed)
    items, runs, values = columns(grid)
    order = rng.permutation(items.size)
    names = rng.permutation(len(grid))
    first = spread(items, runs, values, clusters=items // 2)
    second = spread(names[items][order], runs[order], values[order], clusters=(items // 2)[order])
    for name in PARTS:
        one, two = getattr(first, name), getattr(second, name)
        assert (one.n, one.method) == (two.n, two.method)
        assert [one.value, one.low, one.high] == pytest.approx([two.value, two.low, two.high], abs=1e-9)


LAWS = {
    "any chance": lambda rng, size: rng.random(size),
    "mostly easy": lambda rng, size: rng.beta(4, 1, size),
    "nearly always right": lambda rng, size: np.where(rng.random(size) < 0.9, 1.0, rng.random(size)),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize(("items", "runs"), [(20, 3), (20, 10), (40, 5), (60, 3), (60, 10)])
def test_intervals_cover_the_truth(law, items, runs):
    """All three 95% CIs hold the true variance in about 57 of 60 studies whose items are drawn anew.

    At least 50: 95% less four standard errors is 83%.
    """
    rng = np.random.default_rng(1)
    many = law(rng, 200_000)
    within, between = np.mean(many * (1 - many)), np.var(many)
    held = np.zeros(3)
    for _ in range(60):
        chances = law(rng, items)
        found = spread(*columns(answered(rng, chances, runs)))
        truths = (np.mean(chances * (1 - chances)) / items, within, between)
        held += [
            getattr(found, name).low <= truth <= getattr(found, name).high
            for name, truth in zip(PARTS, truths, strict=True)
        ]
    assert (held >= 50).all(), held


def test_patients_with_several_items_are_drawn_whole():
    """A hundred items of ten patients, alike within a patient: intervals that know it cover, others do not."""
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(10), 10)
    known, ignored = 0, 0
    for _ in range(200):
        replies = columns(answered(rng, rng.random(10)[patient], 4))
        knowing = spread(*replies, clusters=patient[replies[0]]).between_items
        ignoring = spread(*replies).between_items
        known += knowing.low <= 1 / 12 <= knowing.high
        ignored += ignoring.low <= 1 / 12 <= ignoring.high
        assert (knowing.method, ignoring.method) == ("bootstrap-over-patients", "bootstrap-over-items")
    assert known / 200 >= 0.9 > 0.8 > ignored / 200


@pytest.mark.parametrize("items", [20, 60])
@pytest.mark.parametrize("runs", [3, 10])
def test_where_nothing_varied_the_upper_end_is_what_may_go_unseen(items, runs):
    """All right in all runs: the share of items that may vary unseen, times the most that one can vary."""
    found = spread(*columns(np.ones((items, runs))))
    hidden = 1 - 0.025 ** (1 / items)
    assert found.within_items.value == found.between_items.value == found.between_runs.value == 0
    assert found.within_items.high >= hidden * largest(runs) - 1e-12
    assert found.between_items.high >= hidden * (1 - hidden) - 1e-12
    assert found.between_runs.high == pytest.approx(found.within_items.high / items)
    assert found.between_runs.method == "nothing-varied"


def test_runs_that_happen_to_agree_may_still_differ():
    """Each run gets another half of the items right: the scores are equal, and chance could have moved them."""
    grid = np.array([[1, 0], [0, 1]] * 10, dtype=float)
    found = spread(*columns(grid)).between_runs
    expected = 0.5 / 20
    assert found.value == found.low == 0
    assert found.high == pytest.approx(min(expected / stats.chi2(1).ppf(0.025), 0.5))


def test_rounding_is_no_spread():
    """Tenths in every cell have no variance at all, not one of 10 to the −33."""
    found = spread(*columns(np.full((30, 4), 0.1)))
    assert [getattr(found, name).value for name in PARTS] == [0, 0, 0]


def test_items_of_one_patient_say_nothing_of_others():
    """With a single cluster anything is possible."""
    items, runs, values = columns(np.eye(4))
    found = spread(items, runs, values, clusters=np.zeros(16))
    assert (found.within_items.low, found.within_items.high) == (0, largest(4))
    assert found.between_items.method == "one patient only"


def test_an_item_has_one_patient():
    """Replies to one item that name two patients are a mistake of the caller."""
    with pytest.raises(ValueError, match="some item has responses in several"):
        spread([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], clusters=[0, 1, 2, 2])


def test_an_item_that_lacks_a_run_does_not_make_runs_differ():
    """Every item always gives the same answer; that one of them was asked once only changes nothing."""
    items, runs, values = [0, 0, 1, 1, 2], [0, 1, 0, 1, 0], [1, 1, 0, 0, 1]
    assert spread(items, runs, values).between_runs.value == 0
    items, runs, values = [0, 0, 1, 1, 2, 2, 3], [0, 1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0, 1]
    found = spread(items, runs, values).between_runs
    assert found == spread(items[:-1], runs[:-1], values[:-1]).between_runs
    assert found.value == pytest.approx(1 / 18)


@pytest.mark.parametrize("grid", [np.ones((5, 1)), np.ones((1, 5))])
def test_one_run_or_one_item_has_no_spread(grid):
    """Nothing to compare."""
    assert spread(*columns(grid)) is None


@given(st.integers(2, 9), st.data())
def test_no_numbers_vary_more_than_the_largest_variance(count, data):
    """It is reached by zeros and ones in equal parts, and never exceeded."""
    values = data.draw(st.lists(st.floats(0, 1), min_size=count, max_size=count))
    assert np.var(values, ddof=1) <= largest(count) + 1e-12
    assert np.var(np.arange(count) % 2, ddof=1) == pytest.approx(largest(count))
