"""The stratified bootstrap: against SciPy, by loops, against exact laws; its three intervals and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import bootstrap, stratified_bootstrap, stratified_law, stratified_means

CLASSES = np.repeat([0, 1], 100)
RIGHT = np.r_[np.arange(100) < 95, np.arange(100) < 59].astype(float)
INTERVALS = ["percentile", "normal", "published-text"]
right_of = st.integers(1, 40).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size)))


def by_loops(values, strata, seed, resamples):
    """The bootstrap means, an item at a time."""
    rng = np.random.default_rng(seed)
    groups = [values[strata == each] for each in np.unique(strata)]
    return np.array([np.concatenate([rng.choice(g, g.size) for g in groups]).mean() for _ in range(resamples)])


@pytest.mark.parametrize("values", [RIGHT, np.random.default_rng(1).random(200)], ids=["0 or 1", "fractions"])
def test_means_follow_the_law_of_drawing_each_item_again(values):
    """Kolmogorov and Smirnov do not tell ours from those of a loop."""
    ours = stratified_means(values, CLASSES, seed=1, resamples=2000)
    loops = by_loops(values, CLASSES, 2, 2000)
    assert reference.ks_2samp(ours, loops).pvalue > 0.01
    assert ours.std() == pytest.approx(loops.std(), rel=0.05)


def test_percentiles_are_those_of_the_bootstrap_there_is():
    """The same seed gives the ends of `bootstrap` with strata."""
    ours, other = stratified_bootstrap(RIGHT, CLASSES, seed=3), bootstrap(RIGHT, strata=CLASSES, seed=3, resamples=1000)
    assert (ours.value, ours.low, ours.high) == (other.value, other.low, other.high)


@pytest.mark.parametrize("interval", INTERVALS)
def test_many_resamples_come_to_the_law(interval):
    """With 100,000 resamples the ends are those of the exact law, which was not drawn."""
    drawn = stratified_bootstrap(RIGHT, CLASSES, seed=4, resamples=100_000, interval=interval)
    law = stratified_law([95, 59], [100, 100], interval=interval)
    step = 1 / 200 if interval == "percentile" else 0.0005
    assert drawn.value == law.value == 0.77
    assert [drawn.low, drawn.high] == pytest.approx([law.low, law.high], abs=step + 1e-9)


@given(right_of)
def test_the_law_of_one_stratum_is_the_binomial_one(given_):
    """Its percentiles are SciPy's."""
    some, size = given_
    law = stratified_law([some], [size])
    expected = reference.binom.ppf([0.025, 0.975], size, some / size) / size
    assert [law.low, law.high] == pytest.approx(np.maximum(expected, 0), abs=1e-12)


@given(st.lists(right_of, min_size=2, max_size=3))
def test_the_law_of_several_is_that_of_all_outcomes(strata):
    """Each combination of the strata's counts, weighed by its probability."""
    right, sizes = zip(*strata, strict=True)
    n, chances = sum(sizes), np.ones(1)
    totals = np.zeros(1)
    for some, size in strata:
        counts = np.arange(size + 1)
        totals = np.add.outer(totals, counts).ravel()
        chances = np.multiply.outer(chances, reference.binom.pmf(counts, size, some / size)).ravel()
    beneath = np.array([chances[totals <= k].sum() for k in range(n + 1)])
    law = stratified_law(right, sizes)
    assert law.low == np.argmax(beneath >= 0.025 - 1e-9) / n
    assert law.high == np.argmax(beneath >= 0.975 - 1e-9) / n
    spread = np.sqrt(chances @ (totals / n - law.value) ** 2)
    normal, text = (stratified_law(right, sizes, interval=each) for each in INTERVALS[1:])
    assert normal.high - law.value == pytest.approx(1.96 * spread, abs=1e-9)
    assert text.high - law.value == pytest.approx(1.96 * spread / 5, abs=1e-9)


def test_the_three_intervals_are_named():
    """The method says how the ends were made and of how many resamples; the text's is a fifth as wide."""
    found = {each: stratified_bootstrap(RIGHT, CLASSES, seed=1, interval=each) for each in INTERVALS}
    for name, each in found.items():
        assert each.method == f"stratified-bootstrap-{name}; resamples=1000"
    normal, text = found["normal"], found["published-text"]
    assert (normal.high - normal.low) / (text.high - text.low) == pytest.approx(5)
    means = stratified_means(RIGHT, CLASSES, seed=1)
    assert (normal.low + normal.high) / 2 == pytest.approx(means.mean())
    assert normal.high - normal.low == pytest.approx(2 * 1.96 * means.std())


@pytest.mark.parametrize(("interval", "least", "most"), [("percentile", 0.92, 0.98), ("published-text", 0.2, 0.42)])
def test_how_often_the_truth_is_inside(interval, least, most):
    """Of 300 samples the percentiles hold it as often as they say, the published text's interval three times in ten."""
    rng, held = np.random.default_rng(5), 0
    for trial in range(300):
        sample = (rng.random(200) < np.array([0.9, 0.6])[CLASSES]).astype(float)
        found = stratified_bootstrap(sample, CLASSES, seed=trial, interval=interval)
        held += found.low - 1e-9 <= 0.75 <= found.high + 1e-9
    assert least <= held / 300 <= most


def test_strata_do_not_widen_what_differs_between_them_only():
    """Two classes, one all right and one all wrong: no width; without strata there is one."""
    values = (CLASSES == 1).astype(float)
    within = stratified_bootstrap(values, CLASSES, seed=1)
    assert (within.low, within.value, within.high) == (0.5, 0.5, 0.5)
    assert stratified_bootstrap(values, None, seed=1).high > 0.55


def test_patients_are_drawn_whole():
    """Five images of each patient that are all alike make the interval as wide as one would."""
    one = stratified_bootstrap(RIGHT, CLASSES, seed=1, resamples=5000)
    five = stratified_bootstrap(
        np.repeat(RIGHT, 5), np.repeat(CLASSES, 5), seed=1, resamples=5000, clusters=np.repeat(np.arange(200), 5)
    )
    assert five.method == "stratified-cluster-bootstrap-percentile; resamples=5000"
    assert [five.low, five.high] == pytest.approx([one.low, one.high], abs=0.008)
    assert five.n == 1000


def test_patients_with_images_of_both_classes_are_a_stratum():
    """Twenty have a diseased image, twenty a normal one, forty both: no resample changes the mix."""
    patients = np.r_[np.arange(40), np.repeat(np.arange(40, 80), 2)]
    classes = np.r_[np.repeat([0, 1], 20), np.tile([0, 1], 40)]
    diseased = stratified_means(classes.astype(float), classes, seed=1, clusters=patients)
    assert set(diseased.round(9)) == {0.5}


def test_where_nothing_can_be_drawn_nothing_is_known():
    """A single item in each class has the interval [0, 1]; bootstrap means of it are refused."""
    found = stratified_bootstrap([1, 0], [0, 1], seed=1)
    assert (found.value, found.low, found.high) == (0.5, 0, 1)
    with pytest.raises(ValueError, match="at least two items or clusters"):
        stratified_means([1, 0], [0, 1], seed=1)


@given(st.lists(st.tuples(st.integers(0, 4).map(lambda x: x / 4), st.integers(0, 2)), min_size=4, max_size=40),
       st.randoms(use_true_random=False))  # fmt: skip
def test_order_of_items_changes_nothing(rows, random):
    """Under one seed the shuffled items give the very same estimate."""
    found = []
    for some in (rows, random.sample(rows, len(rows))):
        values, strata = zip(*some, strict=True)
        found.append(stratified_bootstrap(values, strata, seed=7, resamples=100))
    assert found[0] == found[1]


def test_seeds_decide_the_draws():
    """One seed gives one interval, another seed another."""
    one, again, other = (stratified_bootstrap(RIGHT, CLASSES, seed=seed, interval="normal") for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: stratified_bootstrap([], None, seed=1), "at least one number"),
        (lambda: stratified_bootstrap([1, 2], None, seed=1), r"must lie in \[0, 1\]"),
        (lambda: stratified_bootstrap([1, 0], [0], seed=1), r"`strata` must be one label per item \(2\)"),
        (lambda: stratified_bootstrap([1, 0], None, seed=1, resamples=0), "`resamples`"),
        (lambda: stratified_bootstrap([1, 0], None, seed=1, interval="bca"), "got 'bca'"),
        (lambda: stratified_law([1], [2, 3]), "aligned by stratum, got 1 and 2"),
        (lambda: stratified_law([3], [2]), "between 0 and the stratum's size 2, got 3"),
        (lambda: stratified_law([1], [2], interval="bca"), "got 'bca'"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()
