"""The bootstrap of scores that are made of many means: against SciPy, by simulation, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from snellen.stats import bootstrap_of_means

ROWS = st.integers(2, 12).flatmap(lambda n: arrays(np.float64, (n, 3), elements=st.sampled_from([0, 0.25, 1, np.nan])))


def drop(means):
    """1 − max(0, a − b): a score with a floor."""
    return [1 - np.maximum(0, means[:, 0] - means[:, 1])]


def difference(means):
    """A plain difference."""
    return [means[:, 0] - means[:, 1]]


def drawn(rng, before, after, *, items=80, together=0.5, cluster=1):
    """Right or wrong before and after, some items decided by one draw in both; whole clusters alike."""
    one, two, shared = rng.random((3, items // cluster))
    two = np.where(shared < together, one, two)
    return np.repeat(np.column_stack((one < before, two < after)).astype(float), cluster, axis=0)


TRUTHS = [(0.5, 0.5, 1), (0.9, 0.5, 1), (0.9, 0.9, 1), (0.6, 0.55, 1), (1.0, 0.0, 1), (1.0, 1.0, 1), (0.7, 0.4, 4)]


@pytest.mark.parametrize(("before", "after", "cluster"), TRUTHS)
def test_intervals_hold_the_truth_as_often_as_they_say(before, after, cluster):
    """Of 80 samples of 80 items at least 70 intervals do, also at the floor, at the ends, and for few patients."""
    rng = np.random.default_rng(5)
    truth = 1 - max(0, before - after)
    held = 0
    for _ in range(80):
        rows = drawn(rng, before, after, cluster=cluster)
        patients = np.repeat(np.arange(80 // cluster), cluster)
        [found] = bootstrap_of_means(rows, drop, seed=1, clusters=patients, resamples=300)
        held += found.low <= truth <= found.high
    assert held >= 70  # three standard errors below 76


def test_a_plain_difference_is_about_what_scipy_says():
    """The ends lie within a quarter of the interval's width of the percentile interval's; a few unseen items widen."""
    rows = drawn(np.random.default_rng(3), 0.8, 0.5, items=120)
    [found] = bootstrap_of_means(rows, difference, seed=0, resamples=4000)
    theirs = stats.bootstrap(
        (rows[:, 0], rows[:, 1]), lambda one, two, axis: np.mean(one, axis) - np.mean(two, axis), paired=True,
        method="percentile", n_resamples=4000, rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    width = theirs.high - theirs.low
    assert found.value == pytest.approx(rows[:, 0].mean() - rows[:, 1].mean())
    assert abs(found.low - theirs.low) < width / 4
    assert abs(found.high - theirs.high) < width / 4
    assert found.high - found.low > 0.95 * width


@given(ROWS, st.randoms(use_true_random=False))
def test_neither_order_nor_names_change_anything(rows, chance):
    """Items in another order and clusters under other names give the same estimate, to the last bit of the interval."""
    clusters = np.array([chance.choice("abc") for _ in rows])
    order = np.array(chance.sample(range(len(rows)), len(rows)))
    renamed = np.array([{"a": "z", "b": "m", "c": "1"}[name] for name in clusters])
    first = bootstrap_of_means(rows, drop, seed=2, clusters=clusters, resamples=100)
    again = bootstrap_of_means(rows[order], drop, seed=2, clusters=renamed[order], resamples=100)
    for one, two in zip(first, again, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), abs=1e-12, nan_ok=True)


@given(ROWS)
def test_an_interval_holds_its_value_and_has_width(rows):
    """Even where all items agree; and where a column is empty there is no number, not 0."""
    [found] = bootstrap_of_means(rows, drop, seed=0, resamples=100)
    columns = [rows[np.isfinite(rows[:, at]), at] for at in (0, 1)]
    if not all(map(len, columns)):
        assert np.isnan([found.value, found.low, found.high]).all()
        return
    assert found.value == pytest.approx(1 - max(0, columns[0].mean() - columns[1].mean()))
    assert found.low <= found.value <= found.high
    assert found.high > found.low


def test_fewer_items_make_a_wider_interval():
    """The same shares of 20, 80 and 320 items."""
    widths = []
    for times in (1, 4, 16):
        rows = np.tile([[1, 0], [1, 1], [0, 0], [1, 1]] * 5, (times, 1))
        [found] = bootstrap_of_means(rows, difference, seed=0)
        widths.append(found.high - found.low)
    assert widths[0] > 1.5 * widths[1] > 2.25 * widths[2]


def test_patients_count_and_not_their_items():
    """Eight items of each patient that are all alike tell no more than one: the interval is as wide."""
    rows = np.array([[1, 0], [1, 1], [0, 0], [1, 1]] * 6, dtype=float)
    [alone] = bootstrap_of_means(rows, difference, seed=0)
    [eight] = bootstrap_of_means(np.repeat(rows, 8, axis=0), difference, seed=0, clusters=np.repeat(np.arange(24), 8))
    assert eight.method == "cluster-bootstrap-both-ways"
    assert alone.method == "bootstrap-both-ways"
    assert eight.high - eight.low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_strata_keep_their_sizes():
    """Between two strata that differ in all, within each of which items agree, hardly anything varies."""
    rows, strata = np.repeat([[1.0, 0.0], [0.0, 0.0]], 400, axis=0), np.repeat([0, 1], 400)
    [mixed] = bootstrap_of_means(rows, difference, seed=0)
    [layered] = bootstrap_of_means(rows, difference, seed=0, strata=strata)
    assert layered.value == mixed.value == 0.5
    assert layered.high - layered.low < 0.6 * (mixed.high - mixed.low)


def test_a_stratum_without_items_of_a_column_says_nothing_of_it():
    """The interval of a mean over one stratum is the same whether or not another stratum lacks that column."""
    rng = np.random.default_rng(8)
    rows = (rng.random((40, 2)) < [0.9, 0.6]).astype(float)
    elsewhere = np.column_stack((np.full(40, np.nan), rng.random(40) < 0.6))
    both = np.vstack((rows, elsewhere))
    [alone] = bootstrap_of_means(rows, lambda means: [means[:, 0]], seed=2, resamples=4000)
    [found] = bootstrap_of_means(both, lambda means: [means[:, 0]], seed=2, resamples=4000, strata=[0] * 40 + [1] * 40)
    assert found.value == alone.value
    assert found.low == pytest.approx(alone.low, abs=0.02)
    assert found.high == pytest.approx(alone.high, abs=0.02)


def test_items_without_any_value_change_nothing():
    """They are neither drawn nor counted, and nor are their patients and strata."""
    rows = drawn(np.random.default_rng(4), 0.8, 0.5, items=24, cluster=2)
    groups = {"clusters": np.arange(24) // 2, "strata": np.arange(24) // 12}
    more = {name: np.insert(each, [0, 3, 24], [9, 0, 9]) for name, each in groups.items()}
    gaps = np.insert(rows, [0, 3, 24], np.nan, axis=0)
    for fewer, given_ in (({}, {}), (groups, more)):
        found = bootstrap_of_means(gaps, difference, seed=0, resamples=50, **given_)
        assert found == bootstrap_of_means(rows, difference, seed=0, resamples=50, **fewer)


def test_what_is_known_beforehand_does_not_vary():
    """A column that is the same for all items, such as luck, adds no width of its own."""
    rows = np.column_stack((np.tile([0.0, 1.0], 10), np.full(20, 0.2)))
    [known] = bootstrap_of_means(rows, difference, seed=0, known=[1])
    [coin] = bootstrap_of_means(rows, difference, seed=0)
    assert known.high - known.low < coin.high - coin.low
    [still] = bootstrap_of_means(rows, lambda means: [means[:, 1]], seed=0, known=[1])
    assert (still.low, still.high) == pytest.approx((0.2, 0.2))


@pytest.mark.parametrize(
    ("values", "more", "message"),
    [
        ([1, 0], {}, "one row per item"),
        ([], {}, "one row per item"),
        ([[1.5, 0]], {}, r"in \[0, 1\]"),
        ([[-0.1, 0]], {}, r"in \[0, 1\]"),
        ([[1, 0]], {"clusters": [1, 2]}, "clusters"),
        ([[1, 0]], {"strata": [1, 2]}, "strata"),
        ([[1, 0]], {"resamples": 0}, "resamples"),
    ],
)
def test_what_cannot_be_resampled_is_refused(values, more, message):
    """Not a table, not a share, groups of another length, no resample."""
    with pytest.raises(ValueError, match=message):
        bootstrap_of_means(values, difference, seed=0, **more)
