"""Judges corrected by labels: the formula by hand, laws, and the coverage of the interval by simulation."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.stats import (
    bonett_price,
    paired_difference,
    prediction_powered_by_stratum,
    prediction_powered_difference,
    prediction_powered_mean,
    proportion,
)

grade = st.integers(0, 2).map(lambda x: x / 2)
rows = st.lists(st.tuples(grade, st.one_of(grade, st.just(nan)), st.integers(0, 6)), min_size=1, max_size=40)


def simulated(rng, responses, labelled, false_pass=0.0, false_fail=0.0, truth=0.7, patients=None):
    """Grades of all responses and labels of some; errors as shares of all responses."""
    luck, error = rng.random(responses), rng.random(responses)
    if patients is not None:
        luck, error = (rng.random(patients.max() + 1)[patients] for _ in range(2))
    labels = (luck < truth).astype(float)
    grades = np.where(labels == 1, error >= false_fail / truth, error < false_pass / (1 - truth)).astype(float)
    labels[rng.permutation(responses)[labelled:]] = nan
    return grades, labels


def test_independent_interval_is_that_of_the_formula():
    """Two labels that nobody saw, the slope, the residuals' error and the others', as one does it by hand."""
    grades, labels = simulated(np.random.default_rng(1), 300, 60, 0.05, 0.1)
    there = np.isfinite(labels)
    y, f, others = np.append(labels[there], [1, 0]), np.append(grades[there], [0, 1]), grades[~there]
    weight = reference.linregress(f, y).slope * 240 / 300
    residuals = y - weight * f
    error = np.sqrt(residuals.var(ddof=1) / 62 + weight**2 * others.var() / 240 * 62 / 61)
    half = reference.t.ppf(0.975, 61) * error
    centre = residuals.mean() + weight * others.mean()
    found = prediction_powered_mean(grades, labels)
    assert found.weight == pytest.approx(weight)
    assert found.corrected.value == pytest.approx(residuals[:-2].mean() + weight * others.mean())
    assert [found.corrected.low, found.corrected.high] == pytest.approx([centre - half, centre + half])
    assert (found.labelled, found.responses, found.corrected.method) == (60, 300, "ppi++")
    assert found.labels_only == proportion(labels[there])
    assert found.judge_only == proportion(grades)


def test_slope_gives_the_shortest_interval():
    """With many labels no other weight of the judge would give a smaller error."""
    grades, labels = simulated(np.random.default_rng(2), 4000, 1000, 0.1, 0.1)
    there = np.isfinite(labels)
    y, f, others = labels[there], grades[there], grades[~there]
    every = np.linspace(0, 1, 201)
    errors = [np.var(y - each * f) / y.size + each**2 * others.var() / others.size for each in every]
    assert prediction_powered_mean(grades, labels).weight == pytest.approx(every[np.argmin(errors)], abs=0.02)


@settings(deadline=None)
@given(rows, st.floats(0.5, 0.99))
def test_intervals_hold_their_values_and_turn_round(drawn, level):
    """0 ≤ low ≤ value ≤ high ≤ 1; calling right wrong, for judge and people, mirrors all of it."""
    grades, labels, patients = (np.array(column, dtype=float) for column in zip(*drawn, strict=True))
    found = prediction_powered_mean(grades, labels, patients, level)
    back = prediction_powered_mean(1 - grades, 1 - labels, patients, level)
    for one, other in zip(found[:3], back[:3], strict=True):
        if isnan(one.value):
            assert (one.low, one.high, one.method, one.n) == (0, 1, "undefined: no labels", 0)
            continue
        assert 0 <= one.low <= one.value <= one.high <= 1
        mirrored = [1 - other.value, 1 - other.high, 1 - other.low]
        assert [one.value, one.low, one.high] == pytest.approx(mirrored, abs=1e-9)
    assert found.corrected.low < found.corrected.high
    assert 0 <= found.weight <= 1


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_order_and_names_change_nothing(drawn, random):
    """Shuffled responses and patients of other names give the same; a patient each is as good as none named."""
    shuffled = random.sample(drawn, len(drawn))
    one, other = (
        prediction_powered_mean(grades, labels, [f"{prefix}{name}" for name in names])
        for prefix, (grades, labels, names) in (
            ("a", zip(*drawn, strict=True)),
            ("b", zip(*shuffled, strict=True)),
        )
    )
    for first, second in zip(one[:3], other[:3], strict=True):
        assert [first.value, first.low, first.high] == pytest.approx(
            [second.value, second.low, second.high], abs=1e-9, nan_ok=True
        )
    grades, labels, _ = zip(*drawn, strict=True)
    apart = prediction_powered_mean(grades, labels, np.arange(len(drawn)))
    assert str(apart) == str(prediction_powered_mean(grades, labels))


@settings(deadline=None)
@given(rows, rows)
def test_exchanging_conditions_changes_the_sign(drawn, more):
    """The difference of the second from the first is that of the first from the second, mirrored."""
    size = min(len(drawn), len(more))
    first, first_labels, patients = (np.array(column, dtype=float)[:size] for column in zip(*drawn, strict=True))
    second, second_labels, _ = (np.array(column, dtype=float)[:size] for column in zip(*more, strict=True))
    forth = prediction_powered_difference((first, second), (first_labels, second_labels), patients)
    back = prediction_powered_difference((second, first), (second_labels, first_labels), patients)
    assert -1 <= forth.corrected.low < forth.corrected.high <= 1
    assert [forth.corrected.value, forth.corrected.low, forth.corrected.high] == pytest.approx(
        [-back.corrected.value, -back.corrected.high, -back.corrected.low], abs=1e-9, nan_ok=True
    )
    same = prediction_powered_difference((first, first), (first_labels, first_labels), patients)
    assert isnan(same.corrected.value) or same.corrected.value == 0


def test_a_judge_that_says_nothing_leaves_the_labels_alone():
    """A judge with one grade only, one that is always wrong, or labels on all responses: λ is 0."""
    labels = np.where(np.arange(80) < 30, np.arange(80) % 3 == 0, nan)
    known = np.nan_to_num(labels)
    for grades, given_labels in ((np.ones(80), labels), (1 - known, labels), (known, known)):
        found = prediction_powered_mean(grades, given_labels)
        assert found.weight == 0
        assert found.corrected == found.labels_only == proportion(given_labels[np.isfinite(given_labels)])


def test_labels_that_all_agree_are_not_certainty():
    """Full agreement leaves an interval much wider than the judge's own; it shrinks as labels are added."""
    grades = np.tile([1.0, 1.0, 0.0], 1000)
    widths = []
    for labelled in (10, 30, 100, 300):
        labels = np.where(np.arange(3000) < labelled, grades, nan)
        found = prediction_powered_mean(grades, labels)
        widths.append(found.corrected.high - found.corrected.low)
        assert found.corrected.value == pytest.approx(2 / 3, abs=0.02)
    assert widths == sorted(widths, reverse=True)
    assert widths[1] > 4 * (found.judge_only.high - found.judge_only.low)
    assert widths[-1] < 0.06


def test_full_agreement_on_a_difference_is_bonett_and_prices():
    """Labels that agree with the judge: the label part is at least as wide as where no answers differ."""
    first, second = np.zeros(2000), np.where(np.arange(2000) % 4 == 0, 1.0, 0.0)
    some = np.arange(2000) < 40
    found = prediction_powered_difference((first, second), tuple(np.where(some, x, nan) for x in (first, second)))
    nothing = bonett_price(np.zeros(40))
    assert found.corrected.value == pytest.approx(0.25)
    assert found.corrected.high - found.corrected.low >= nothing.high - nothing.low
    assert found.corrected.high - found.corrected.low < found.labels_only.high - found.labels_only.low


@pytest.mark.parametrize(
    ("labelled", "false_pass", "false_fail", "truth"),
    [
        (20, 0.05, 0.0, 0.7),  # in a third of the studies all labels agree with a judge that is 5 points too kind
        (20, 0.0, 0.1, 0.6),
        (20, 0.03, 0.03, 0.95),
        (50, 0.15, 0.0, 0.7),
        (100, 0.05, 0.1, 0.7),
        (300, 0.0, 0.0, 0.7),
    ],
)
def test_interval_covers_the_truth_whatever_the_judge(labelled, false_pass, false_fail, truth):
    """The 95% CI holds the true share in so many studies; that of a biased judge alone does not."""
    rng = np.random.default_rng(3)
    held, judged, runs = 0, 0, 200
    for _ in range(runs):
        found = prediction_powered_mean(*simulated(rng, 800, labelled, false_pass, false_fail, truth))
        held += found.corrected.low <= truth <= found.corrected.high
        judged += found.judge_only.low <= truth <= found.judge_only.high
    assert held / runs >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
    if false_pass != false_fail:
        assert judged / runs < 0.5


@pytest.mark.parametrize("whole", [False, True])
def test_interval_covers_the_truth_of_patients_that_agree(whole):
    """Five equal responses of a patient: labels of some responses, or of all of some patients, cover alike."""
    rng = np.random.default_rng(4)
    patients = np.repeat(np.arange(200), 5)
    held, naive, runs = 0, 0, 150
    for _ in range(runs):
        grades, labels = simulated(rng, 1000, 1000, 0.1, 0.05, patients=patients)
        chosen = np.isin(patients, rng.permutation(200)[:30]) if whole else rng.permutation(1000) < 100
        labels = np.where(chosen, labels, nan)
        clustered, plain = (prediction_powered_mean(grades, labels, each) for each in (patients, None))
        held += clustered.corrected.low <= 0.7 <= clustered.corrected.high
        naive += plain.corrected.low <= 0.7 <= plain.corrected.high
        assert clustered.corrected.method in ("cluster-ppi++", "cluster-wilson")
    assert held / runs >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
    assert naive < held
    if whole:
        assert naive / runs < 0.75


@pytest.mark.parametrize(("labelled", "changed"), [(25, 0.1), (100, 0.3)])
def test_interval_of_a_difference_covers_the_truth(labelled, changed):
    """A judge that is kinder to the second condition sees more of a gain than there is; the corrected one does not."""
    rng = np.random.default_rng(5)
    held, judged, widths, runs = 0, 0, np.zeros(2), 200
    for _ in range(runs):
        first = (rng.random(600) < 0.5).astype(float)
        second = np.where(rng.random(600) < changed, (rng.random(600) < 0.8).astype(float), first)
        truth = changed * 0.3
        grades = first, np.where(rng.random(600) < 0.2, 1.0, second)
        some = rng.permutation(600) < labelled
        found = prediction_powered_difference(grades, (np.where(some, first, nan), np.where(some, second, nan)))
        held += found.corrected.low <= truth <= found.corrected.high
        judged += found.judge_only.low <= truth <= found.judge_only.high
        widths += [each.high - each.low for each in (found.corrected, found.labels_only)]
        assert found.labels_only == paired_difference(first[some], second[some])
    assert found.judge_only == paired_difference(*grades)
    assert held / runs >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
    assert judged / runs < 0.1
    assert widths[0] <= widths[1] * 1.02


def test_labels_drawn_evenly_of_uneven_strata_are_weighed_by_responses():
    """As a review draws them: 30 of each. One mean for all misses the truth nearly always, one of each holds it."""
    rng, runs, sizes, truths = np.random.default_rng(8), 100, (270, 30), np.array([0.8, 0.3])
    strata, truth = np.repeat([0, 1], sizes), 0.75
    held = {"by stratum": 0, "all as one": 0}
    for _ in range(runs):
        people = (rng.random(300) < truths[strata]).astype(float)
        lenient = np.where(strata == 1, np.maximum(people, rng.random(300) < 0.6), people)
        labels = np.full(300, nan)
        for each in (0, 1):
            drawn = rng.permutation(np.flatnonzero(strata == each))[:30]
            labels[drawn] = people[drawn]
        found = prediction_powered_by_stratum(lenient, labels, strata)
        held["by stratum"] += found.corrected.low <= truth <= found.corrected.high
        pooled = prediction_powered_mean(lenient, labels).corrected
        held["all as one"] += pooled.low <= truth <= pooled.high
    assert held["by stratum"] >= 88  # 95 are expected; fewer than 88 come by chance in fewer than 1 of 300 such tests
    assert held["all as one"] <= 20
    assert (found.labelled, found.corrected.n, found.corrected.method) == (60, 60, "ppi++-by-stratum")
    patients = prediction_powered_by_stratum(lenient, labels, strata, np.arange(300) % 30)
    assert patients.corrected.high - patients.corrected.low > found.corrected.high - found.corrected.low
    with pytest.raises(ValueError, match="one label in each stratum"):
        prediction_powered_by_stratum([1, 1], [1, nan], ["a", "b"])


def test_strata_are_pooled_by_hand():
    """By their shares of responses; distances to the bounds as independent errors, one by one for shared patients."""
    grades, labels = simulated(np.random.default_rng(9), 400, 120, 0.05, 0.1)
    strata, shares = np.minimum(np.arange(400) % 4, 2), np.array([0.25, 0.25, 0.5])
    for patients, add in ((np.arange(400), lambda each: np.sqrt((each**2).sum())), (np.arange(400) // 4, np.sum)):
        every = [strata == each for each in range(3)]
        parts = [prediction_powered_mean(grades[own], labels[own], patients[own]) for own in every]
        found = prediction_powered_by_stratum(grades, labels, strata, patients)
        assert found.weight == pytest.approx(shares @ [each.weight for each in parts])
        for name in ("corrected", "labels_only", "judge_only"):
            value, low, high = np.array([[x.value, x.low, x.high] for x in (getattr(each, name) for each in parts)]).T
            pooled = getattr(found, name)
            ends = shares @ value - add(shares * (value - low)), shares @ value + add(shares * (high - value))
            assert (pooled.value, pooled.low, pooled.high) == pytest.approx((shares @ value, *ends))
        assert (found.judge_only.n, found.responses) == (400, 400)


def test_a_good_judge_saves_labels():
    """With 2,000 responses and a judge that errs in 5%, the interval is much shorter than that of labels alone."""
    rng = np.random.default_rng(6)
    found = [prediction_powered_mean(*simulated(rng, 2000, 100, 0.025, 0.025)) for _ in range(50)]
    both, alone = (np.mean([x.high - x.low for x in each]) for each in zip(*((f[0], f[1]) for f in found), strict=True))
    assert both < 0.65 * alone


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: prediction_powered_mean([0, 1], [1]), r"aligned, got shapes \(2,\) and \(1,\)"),
        (lambda: prediction_powered_mean([0, nan], [1, 0]), "`judge` must be finite"),
        (lambda: prediction_powered_mean([0, 1], [2, 0]), r"`labels` must lie in \[0, 1\], or be NaN"),
        (lambda: prediction_powered_mean([0, 1], [-1, 0.5]), r"`labels` must lie in \[0, 1\], or be NaN"),
        (lambda: prediction_powered_mean([0, 1], [np.inf, nan]), r"`labels` must lie in \[0, 1\], or be NaN"),
        (lambda: prediction_powered_mean([0, 1], [1, nan], level=2), "`level` must lie strictly"),
        (lambda: prediction_powered_difference(([0, 1], [1]), ([nan, 1], [1])), "got 2 and 1 grades"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()
