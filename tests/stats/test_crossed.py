"""Crossed means and ratios: against statsmodels, by loops, their laws, and how often they hold the truth."""

from math import inf, isfinite, isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

from snellen.stats import crossed_difference, crossed_mean, crossed_ratio, percent_change, ratio_of_accuracies

TABLES = st.tuples(st.integers(2, 8), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0, 0.25, 0.5, 1]))
)


def drawn(rng, patients=30, models=6, *, mean=0.5, spread=(0.1, 0.05, 0.08)):
    """A table with normal effects of these standard deviations: of patients, of models, and of the two together."""
    of_patients, of_models, together = spread
    effects = rng.normal(0, of_patients, patients)[:, None] + rng.normal(0, of_models, models)
    return np.clip(mean + effects + rng.normal(0, together, (patients, models)), 0, 1)


def by_analysis_of_variance(table):
    """Mean squares by loops: the mean, and what patients, models and both together add to its variance."""
    patients, models = table.shape
    mean = sum(table.flat) / table.size
    rows = [sum(row) / models for row in table]
    columns = [sum(column) / patients for column in table.T]
    squares = [
        models * sum((row - mean) ** 2 for row in rows) / (patients - 1),
        patients * sum((column - mean) ** 2 for column in columns) / (models - 1),
        sum((table[i, j] - rows[i] - columns[j] + mean) ** 2 for i in range(patients) for j in range(models))
        / ((patients - 1) * (models - 1)),
    ]
    return mean, [each / table.size for each in squares]


@pytest.mark.parametrize("seed", range(3))
def test_spreads_are_those_of_statsmodels(seed):
    """REML of statsmodels finds the same standard deviations of patients, models and the rest, to a thousandth."""
    table = drawn(np.random.default_rng(seed), spread=(0.1, 0.08, 0.06))
    patient, model = (each.ravel() for each in np.indices(table.shape))
    data = pd.DataFrame({"y": 100 * table.ravel(), "p": patient, "m": model, "all": 0})
    fitted = MixedLM.from_formula(
        "y ~ 1", data, groups="all", re_formula="0", vc_formula={"p": "0 + C(p)", "m": "0 + C(m)"}
    ).fit(reml=True)
    theirs = dict(zip(fitted.model.exog_vc.names, np.sqrt(fitted.vcomp) / 100, strict=True))
    found = crossed_mean(table)
    assert found.estimate.value == pytest.approx(fitted.fe_params.iloc[0] / 100, abs=1e-6)
    assert (found.patients, found.models) == pytest.approx((theirs["p"], theirs["m"]), abs=1e-3)
    assert found.together == pytest.approx(sqrt(fitted.scale) / 100, abs=1e-3)
    _, (patients, models, together) = by_analysis_of_variance(table)
    assert sqrt(patients + models - together) == pytest.approx(float(fitted.bse_fe.iloc[0]) / 100, rel=0.01)


def test_the_interval_is_that_of_the_formula():
    """Each part has its own quantile; what patients and models have together is counted once."""
    table = drawn(np.random.default_rng(5), spread=(0.1, 0.15, 0.08))
    mean, (patients, models, together) = by_analysis_of_variance(table)
    one, two = stats.t.ppf(0.975, table.shape[0] - 1), stats.t.ppf(0.975, table.shape[1] - 1)
    half = sqrt(one**2 * (patients - together) + two**2 * models)
    found = crossed_mean(table).estimate
    assert (found.value, found.low, found.high) == pytest.approx((mean, mean - half, mean + half))
    assert (found.n, found.method) == (30, "crossed-t; models=6")


def test_a_difference_is_the_mean_of_the_differences():
    """Value, interval and spreads are those of the differences themselves, which may be below 0."""
    rng = np.random.default_rng(11)
    before, after = drawn(rng, mean=0.6), drawn(rng, spread=(0.1, 0.2, 0.08))
    mean, (patients, models, together) = by_analysis_of_variance(after - before)
    one, two = stats.t.ppf(0.975, 29), stats.t.ppf(0.975, 5)
    half = sqrt(one**2 * max(patients - together, 0) + two**2 * models)
    found = crossed_difference(before, after)
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == pytest.approx(
        (mean, mean - half, mean + half)
    )
    assert found.models == pytest.approx(sqrt(6 * (models - together)))
    assert found.together == pytest.approx(sqrt(180 * together))


def test_the_ratio_is_where_the_mean_difference_may_be_nothing():
    """The ends of a ratio r are where the interval of after − r · before, by the same formula, ends at 0."""
    rng = np.random.default_rng(6)
    before = drawn(rng, 60, 8, mean=0.7)
    after = np.clip(before - 0.1 + rng.normal(0, 0.05, before.shape) + rng.normal(0, 0.1, 8), 0, 1)
    found = crossed_ratio(after, before)
    for end in (found.low, found.high):
        mean, (patients, models, together) = by_analysis_of_variance(after - end * before)
        one, two = stats.t.ppf(0.975, 59), stats.t.ppf(0.975, 7)
        square = one**2 * max(patients - together, 0) + two**2 * models
        assert abs(mean) == pytest.approx(sqrt(square), rel=1e-6)
    assert found.value == pytest.approx(after.mean() / before.mean())
    assert found.low < found.value < found.high


@given(TABLES, st.data())
@settings(deadline=None)
def test_it_is_never_narrower_than_over_patients_alone(table, data):
    """Whatever the table, whoever is a patient; and it always has a width."""
    clusters = data.draw(arrays(np.int64, len(table), elements=st.integers(0, 3)))
    found, alone = (crossed_mean(each, clusters).estimate for each in (table, table.mean(axis=1, keepdims=True)))
    assert found.low <= alone.low + 1e-12
    assert alone.high <= found.high + 1e-12
    assert found.low < found.high
    other = data.draw(arrays(np.float64, table.shape, elements=st.sampled_from([0, 0.5, 1])))
    ratio, alone = (
        crossed_ratio(table, other, clusters),
        ratio_of_accuracies(table.mean(1), other.mean(1), clusters),
    )
    assert ratio.low <= alone.low
    assert alone.high <= ratio.high
    assert isnan(ratio.value) == (not other.any())


@given(TABLES, st.randoms(use_true_random=False))
def test_order_of_items_and_models_changes_nothing(table, random):
    """Items and models in another order, patients under other names: the same estimate."""
    patients = np.arange(len(table)) // 2
    rows, columns = (random.sample(range(size), size) for size in table.shape)
    first = crossed_mean(table, patients).estimate
    second = crossed_mean(table[rows][:, columns], [f"p{9 - patients[row]}" for row in rows]).estimate
    assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high), abs=1e-9)


def test_items_of_one_patient_are_one_patient():
    """Each patient's item copied five times tells nothing new; without their names it would seem to."""
    table = drawn(np.random.default_rng(7), 40, 8, spread=(0.3, 0.02, 0.02))
    copied, patients = np.repeat(table, 5, axis=0), np.repeat(np.arange(40), 5)
    once, together, apart = (
        crossed_mean(*each).estimate for each in ((table, None), (copied, patients), (copied, None))
    )
    assert (together.low, together.high) == pytest.approx((once.low, once.high), abs=1e-3)
    assert apart.high - apart.low < 0.7 * (once.high - once.low)


def test_two_models_stand_for_themselves():
    """Nothing is said about others: the interval is the one over patients, and its method says so."""
    table = drawn(np.random.default_rng(8), 40, 2)
    found, values = crossed_mean(table), np.append(table.mean(axis=1), (0, 1))
    half = stats.t.ppf(0.975, 41) * values.std(ddof=1) / sqrt(42)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert found.estimate.method == "unseen-mean-t; models=2, taken as fixed"
    copied = crossed_mean(np.repeat(table, 5, axis=0), np.repeat(np.arange(40), 5)).estimate
    assert (copied.low, copied.high) == pytest.approx((found.estimate.low, found.estimate.high))
    assert copied.method == "cluster-unseen-mean-t; models=2, taken as fixed"
    assert isnan(found.models)
    ratio = crossed_ratio(table, table)
    assert ratio.method == "fieller; models=2, taken as fixed"
    change = percent_change(table.mean(axis=1), table.mean(axis=1))
    assert (ratio.low - 1, ratio.high - 1) == pytest.approx((change.low, change.high))


def test_one_patient_says_nothing_of_others():
    """The interval is everything there is."""
    found = crossed_mean([[0.5, 0.6, 0.4]] * 4, [0] * 4)
    assert (found.estimate.low, found.estimate.high) == (0, 1)
    assert isnan(found.patients)
    ratio = crossed_ratio([[0.5, 0.6, 0.4]] * 4, [[0.5, 0.5, 0.5]] * 4, [0] * 4)
    assert (ratio.low, ratio.high) == (0, inf)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 0], "a row for each item"),
        ([[1.5, 0]], r"must lie in \[0, 1\]"),
        ([[np.nan, 0]], r"must lie in \[0, 1\]"),
    ],
)
def test_what_is_no_table_is_refused(values, message):
    """One number an item and model, in [0, 1]; two tables are aligned."""
    with pytest.raises(ValueError, match=message):
        crossed_mean(values)
    with pytest.raises(ValueError, match="must be aligned"):
        crossed_ratio([[1, 0]], [[1, 0], [1, 1]])


COVERED = [
    # patients, models, spread of models' losses in points
    (60, 3, 0.15),
    (60, 6, 0.0),
    (200, 6, 0.1),
    (200, 12, 0.1),
]


@pytest.mark.parametrize(("patients", "models", "apart"), COVERED)
def test_intervals_hold_the_truth_for_other_models(patients, models, apart):
    """Of 150 studies of right and wrong answers, 95% less three standard errors hold what all models lose."""
    rng = np.random.default_rng(9)
    held = np.zeros(2)
    for _ in range(150):
        level, loss = rng.uniform(0.6, 0.8, models), 0.1 + rng.uniform(-1, 1, models) * apart
        hard, luck = rng.uniform(-0.15, 0.15, patients)[:, None], rng.random((2, patients, models))
        alike = rng.random((patients, models)) < 0.7
        before = luck[0] < level + hard
        after = np.where(alike, luck[0], luck[1]) < level - loss + hard
        mean, ratio = crossed_mean(after.astype(float)).estimate, crossed_ratio(after, before)
        held += mean.low <= 0.6 <= mean.high, ratio.low <= 0.6 / 0.7 <= ratio.high
        assert isfinite(ratio.high)
    assert (held / 150 >= 0.95 - 3 * sqrt(0.95 * 0.05 / 150)).all()
