"""Many models: against SciPy, scikit-posthocs, statsmodels and brute force, and where there is nothing to compare."""

from __future__ import annotations

import re
from itertools import combinations, permutations, product
from math import isnan, nan, sqrt
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats as reference
from statsmodels.stats import contingency_tables
from statsmodels.stats.multitest import multipletests

from snellen.stats import (
    cochrans_q,
    compare_models,
    dunn,
    kruskal_wallis,
    paired_difference,
    paired_permutation,
    proportion,
    ranks,
)


@pytest.fixture(scope="module", autouse=True)
def no_search_for_garbage():
    """Not one for each p that statsmodels adjusts: it takes long after many tests."""
    with patch("gc.collect"):
        yield


def tables(score, items=(1, 25), models=(2, 5)):
    """Items × models."""
    return st.tuples(st.integers(*items), st.integers(*models)).flatmap(
        lambda shape: st.lists(
            st.lists(score, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        ).map(lambda rows: np.array(rows, dtype=float))
    )


right = st.integers(0, 1)
quarters = st.integers(0, 4).map(lambda x: x / 4)
with_gaps = st.one_of(quarters, st.just(nan))


def columns(table):
    """What each model was given, without the gaps."""
    return [column[np.isfinite(column)] for column in table.T]


@settings(deadline=None)
@given(tables(with_gaps))
def test_kruskal_wallis_is_that_of_scipy(table):
    """Statistic and p are SciPy's, ties and gaps included."""
    groups = [group for group in columns(table) if group.size]
    assume(len(groups) > 1 and len(np.unique(np.concatenate(groups))) > 1)
    theirs, ours = reference.kruskal(*groups), kruskal_wallis(table)
    assert (ours.statistic, ours.p) == (pytest.approx(theirs.statistic, abs=1e-9), pytest.approx(theirs.pvalue))
    assert (ours.freedom, ours.n) == (len(groups) - 1, sum(group.size for group in groups))


@pytest.mark.parametrize("score", [right, with_gaps])
def test_dunn_is_that_of_scikit_posthocs(score):
    """Adjusted and raw p of every pair are those of an independent implementation."""
    import scikit_posthocs as posthocs  # takes a second

    @settings(deadline=None, max_examples=15)
    @given(tables(score, items=(3, 25)))
    def check(table):
        groups = columns(table)
        assume(all(group.size for group in groups) and len(np.unique(np.concatenate(groups))) > 1)
        raw = posthocs.posthoc_dunn(groups).to_numpy()
        for adjust in ("bonferroni", "holm"):
            theirs = posthocs.posthoc_dunn(groups, p_adjust=adjust).to_numpy()
            for pair in dunn(table, adjust=adjust):
                assert pair.p == pytest.approx(raw[pair.first, pair.second], abs=1e-9)
                assert pair.adjusted == pytest.approx(theirs[pair.first, pair.second], abs=1e-9)
                assert pair.n == groups[pair.first].size + groups[pair.second].size

    check()


def test_dunn_leaves_out_a_model_without_scores():
    """Its pairs are nan, and the others are adjusted as if it were not there."""
    table = np.array([[0.0, 1, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0], [0, 1, 0]])
    gap = np.column_stack((table[:, 0], np.full(5, nan), table[:, 1:]))
    found = [pair for pair in dunn(gap) if 1 not in (pair.first, pair.second)]
    assert [pair[2:] for pair in found] == [pair[2:] for pair in dunn(table)]
    assert all(isnan(pair.adjusted) for pair in dunn(gap) if 1 in (pair.first, pair.second))


@settings(deadline=None)
@given(tables(right))
def test_cochrans_q_is_that_of_statsmodels(table):
    """Statistic and p are those of an independent implementation."""
    assume(np.ptp(table, axis=1).any())
    theirs = contingency_tables.cochrans_q(table)
    ours = cochrans_q(table)
    assert (ours.statistic, ours.p) == (pytest.approx(theirs.statistic, abs=1e-9), pytest.approx(theirs.pvalue))
    assert (ours.n, ours.method) == (len(table), "cochran-q")


def test_permutations_of_models_are_those_of_brute_force():
    """Fractions: p is the share of all orders of the models within items that spread the totals as far."""
    table = np.array([[0.25, 0.5, 1], [0, 0.75, 0.5], [0.25, 0.25, 1], [0.5, 0.25, 0.75]])
    seen = np.var(table.sum(axis=0))
    every = [np.var(np.sum(rows, axis=0)) for rows in product(*(list(permutations(row)) for row in table))]
    exact = np.mean(np.array(every) >= seen - 1e-9)
    found = cochrans_q(table, resamples=20_000)
    assert found.p == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 20_000))
    assert (found.method, found.least_p) == ("permutation-of-models", 1 / 20_001)


def test_clusters_are_permuted_whole():
    """Each item five times, as one patient, says what the item once says; as if independent, far more."""
    rng = np.random.default_rng(3)
    single = (rng.random((30, 4)) < [0.5, 0.55, 0.6, 0.7]).astype(float)
    patients, fivefold = np.repeat(np.arange(30), 5), np.repeat(single, 5, axis=0)
    grouped = cochrans_q(fivefold, patients, resamples=10_000)
    assert grouped.statistic == pytest.approx(cochrans_q(single).statistic)
    assert grouped.p == pytest.approx(cochrans_q(single).p, abs=0.03)
    assert grouped.p > 10 * cochrans_q(fivefold).p
    assert grouped.method == "cluster-permutation-of-models"


def test_two_models_by_permutation_are_the_paired_permutation():
    """With two models, exchanging them within a cluster is changing the sign of its difference."""
    rng = np.random.default_rng(4)
    table, patients = rng.integers(0, 4, (40, 2)) / 3, np.arange(40) // 2
    table[:, 1] = np.maximum(table[:, 1], table[:, 0] * (rng.random(40) < 0.4))
    flipped = paired_permutation(table[:, 1] - table[:, 0], patients)
    assert cochrans_q(table, patients, resamples=10_000).p == pytest.approx(flipped, abs=0.02)


@settings(deadline=None)
@given(tables(st.one_of(right, st.just(nan)), items=(2, 25)))
def test_pairs_are_mcnemar_of_the_shared_items_with_holm(table):
    """The p is statsmodels' exact McNemar p of the items that both models answered, and Holm's is too."""
    found = compare_models(table)
    assert [(pair.first, pair.second) for pair in found] == list(combinations(range(table.shape[1]), 2))
    raw = []
    for pair in found:
        both = table[np.isfinite(table[:, [pair.first, pair.second]]).all(axis=1)][:, [pair.first, pair.second]]
        assert pair.difference.n == len(both)
        if not len(both):
            assert isnan(pair.difference.value)
            assert isnan(pair.adjusted)
            continue
        counts = [[np.sum((both == (i, j)).all(axis=1)) for j in (0, 1)] for i in (0, 1)]
        raw.append(contingency_tables.mcnemar(counts, exact=True).pvalue)
        assert pair.difference.p == pytest.approx(raw[-1], abs=1e-12)
        assert pair.difference.value == pytest.approx(np.mean(both[:, 1] - both[:, 0]))
        assert pair.test == "mcnemar-exact"
    if raw:
        adjusted = [pair.adjusted for pair in found if not isnan(pair.adjusted)]
        assert adjusted == pytest.approx(multipletests(raw, method="holm")[1].tolist(), abs=1e-12)


def test_repeats_and_clusters_are_compared_by_permutation():
    """Means of repeats and items of one patient get the permutation of whole clusters, and it is named."""
    rng = np.random.default_rng(5)
    table, patients = rng.integers(0, 3, (24, 3)) / 2, np.arange(24) // 3
    for pair in compare_models(table):
        assert pair.test == "paired-permutation"
        assert pair.difference == paired_difference(table[:, pair.first], table[:, pair.second])
    for pair in compare_models(table > 0.5, patients):
        assert pair.test == "cluster-paired-permutation"
        wanted = paired_permutation((table[:, pair.second] > 0.5) * 1.0 - (table[:, pair.first] > 0.5), patients)
        assert pair.difference.p == wanted
        assert pair.difference.method == "cluster-bonett-price"


def test_many_models_can_still_be_told_apart_by_permutation():
    """Forty models make 780 pairs; random signs are enough for Holm's p to show what is plain."""
    table = np.full((60, 40), 0.5)
    table[:, 0] = np.where(np.arange(60) % 2, 0.9, 1.0)
    assert compare_models(table)[0].adjusted < 0.05


@given(tables(with_gaps, items=(1, 15), models=(1, 4)), st.randoms(use_true_random=False))
def test_permuting_models_permutes_results(table, random):
    """The order in which models are given changes nothing but their places."""
    order = random.sample(range(table.shape[1]), table.shape[1])
    one, other = ranks(table, resamples=50), ranks(table[:, order], resamples=50)
    for place, model in enumerate(order):
        before, after = one.models[model], other.models[place]
        assert str(before.rank) == str(after.rank)
        assert str(before.score) == str(after.score)
    assert (one.settled, one.items) == (other.settled, other.items)
    here, there = kruskal_wallis(table), kruskal_wallis(table[:, order])
    assert [here.statistic, here.p] == pytest.approx([there.statistic, there.p], nan_ok=True)
    assert cochrans_q(table, resamples=50).p == pytest.approx(cochrans_q(table[:, order], resamples=50).p, nan_ok=True)
    p = {frozenset((pair.first, pair.second)): pair.adjusted for pair in compare_models(table)}
    for pair in compare_models(table[:, order]):
        assert pair.adjusted == pytest.approx(p[frozenset((order[pair.first], order[pair.second]))], nan_ok=True)


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@given(tables(with_gaps, items=(1, 15), models=(1, 4)), st.randoms(use_true_random=False))
def test_order_of_items_and_names_of_patients_change_nothing(table, random):
    """Shuffled items, patients under other names: the same ranking, pairs and omnibus tests."""
    patients = np.arange(len(table)) // 2
    order = random.sample(range(len(table)), len(table))
    named = np.array([f"patient {-number}" for number in patients])[order]
    for test in (ranks, cochrans_q):
        one, other = test(table, patients, resamples=50), test(table[order], named, resamples=50)
        assert NUMBER.sub("#", str(one)) == NUMBER.sub("#", str(other))
        # sums in another order differ in their last digits
        ours, theirs = ([float(number) for number in NUMBER.findall(str(each))] for each in (one, other))
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@given(tables(with_gaps, items=(2, 15)))
def test_a_duplicate_shares_its_rank(table):
    """A model given twice differs from itself by 0, with p 1, and both share one rank."""
    assume(np.isfinite(table).all(axis=1).any())
    twice = np.column_stack((table, table[:, 0]))
    found = ranks(twice, resamples=50)
    (pair,) = (pair for pair in found.pairs if (pair.first, pair.second) == (0, table.shape[1]))
    assert (pair.difference.value, pair.difference.p, pair.adjusted) == (0, 1, 1)
    assert str(found.models[0].rank) == str(found.models[-1].rank)
    assert sum(model.best for model in found.models) == pytest.approx(1)


def test_ranks_of_a_plain_case():
    """Two models that nobody can tell apart, one that is plainly worse: two of three pairs are settled."""
    table = np.array([[1, 1, 0]] * 12 + [[1, 1, 1]] * 6 + [[0, 1, 0], [1, 0, 0]], dtype=float)
    found = ranks(table)
    assert [model.rank.value for model in found.models] == [1, 1, 3]
    assert [(model.rank.low, model.rank.high) for model in found.models] == [(1, 2), (1, 2), (3, 3)]
    assert (found.settled, len(found.pairs), found.share_settled, found.items) == (2, 3, pytest.approx(2 / 3), 20)
    assert found.models[0].best == pytest.approx(0.5, abs=0.06)
    assert found.models[2].best == 0
    assert found.models[1].score == proportion(table[:, 1])


def test_ranks_are_taken_from_items_that_all_models_answered():
    """What one model did not answer counts for none; a model that answered nothing has no rank."""
    table = np.array([[1, 0, nan]] * 10 + [[0, 1, nan]] * 2 + [[nan, 1, nan]] * 5 + [[nan, nan, nan]])
    found = ranks(table)
    assert (found.items, found.left_out) == (12, 5)
    assert [model.rank.value for model in found.models[:2]] == [1, 2]
    assert isnan(found.models[2].rank.value)
    assert found.models[2].rank.method == "undefined: no scores"
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1)]
    moved = ranks(np.roll(table, 1, axis=1))
    assert [(pair.first, pair.second) for pair in moved.pairs] == [(1, 2)]
    assert str(moved.models) == str((*found.models[2:], *found.models[:2]))


def test_ranks_heed_the_level_and_the_patients():
    """Five against one: p is 0.22, so that 70% is sure of an order and 95% is not; copies in a patient add nothing."""
    table = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]])
    for level, settled, ends in ((0.95, 0, [(1, 2), (1, 2)]), (0.7, 1, [(1, 1), (2, 2)])):
        found = ranks(table, level=level)
        assert (found.settled, [(model.rank.low, model.rank.high) for model in found.models]) == (settled, ends)
        assert found.models[0].score == proportion(table[:, 0], level=level)
        turned = ranks(table[:, ::-1], level=level).models[::-1]
        assert [(model.rank.low, model.rank.high) for model in turned] == ends
    copies, patients = np.repeat(table, 5, axis=0), np.repeat(np.arange(6), 5)
    once, grouped, apart = (ranks(*given).models[0] for given in ((table,), (copies, patients), (copies,)))
    assert grouped.best == pytest.approx(once.best, abs=0.03)
    assert apart.best > once.best + 0.03
    assert grouped.score.method == "cluster-wilson"


@pytest.mark.parametrize("clustered", [False, True])
def test_rank_intervals_hold_all_true_ranks_together(clustered):
    """In 95% of studies every model's interval holds its true rank, or all the ranks that it shares."""
    rng = np.random.default_rng(6)
    truth = np.array([0.8, 0.7, 0.7, 0.5, 0.3])
    first, last = [1, 2, 2, 4, 5], [1, 3, 3, 4, 5]
    patients = np.arange(80) // 4
    held, surely, runs = 0, 0, 80
    for seed in range(runs):
        luck = rng.random((20, 5))[patients] if clustered else rng.random((80, 5))
        common = rng.random((20, 1))[patients] if clustered else rng.random((80, 1))
        table = (np.where(rng.random((80, 5)) < 0.5, luck, common) < truth).astype(float)
        found = ranks(table, patients if clustered else None, seed=seed, resamples=20)
        held += all(
            model.rank.low <= lowest and model.rank.high >= highest
            for model, lowest, highest in zip(found.models, first, last, strict=True)
        )
        surely += found.settled
    assert held / runs >= 0.95 - 3 * sqrt(0.95 * 0.05 / runs)
    assert surely / runs > 2


@pytest.mark.parametrize(("gained", "lost", "items"), [(0.15, 0.05, 40), (0.3, 0.3, 100), (0.02, 0.0, 60)])
def test_intervals_of_paired_models_cover_the_truth(gained, lost, items):
    """Bonett and Price's interval holds the true difference of two models in 95% of studies, or more."""
    rng = np.random.default_rng(7)
    held, runs = 0, 300
    for _ in range(runs):
        luck = rng.random(items)
        base = (rng.random(items) < 0.6).astype(float)
        first = np.where(luck < gained, 0, np.where(luck > 1 - lost, 1, base))
        second = np.where(luck < gained, 1, np.where(luck > 1 - lost, 0, base))
        (pair,) = compare_models(np.column_stack((first, second)))
        held += pair.difference.low <= gained - lost <= pair.difference.high
    assert held / runs >= 0.95 - 3 * sqrt(0.95 * 0.05 / runs)


def test_all_models_equal_is_p_one():
    """Nothing differs: p is 1 everywhere, all ranks are shared, no order is settled, no model is ahead."""
    for table in (np.ones((8, 3)), np.repeat([[0.5], [0.25]], 3, axis=1), np.repeat(np.eye(2)[:, :1], 3, axis=1)):
        patients = np.zeros(len(table))
        assert cochrans_q(table).p == cochrans_q(table, patients).p == 1
        assert {pair.adjusted for pair in (*compare_models(table), *dunn(table))} == {1}
        found = ranks(table)
        assert {(model.rank.value, model.rank.low, model.rank.high) for model in found.models} == {(1, 1, 3)}
        assert [model.best for model in found.models] == pytest.approx([1 / 3] * 3)
        assert found.share_settled == 0
    assert kruskal_wallis(np.ones((8, 3)))[:3] == (0, 2, 1)


def test_one_model_one_item_and_nothing_at_all_are_told():
    """Where there is nothing to compare, p is nan with the reason, and ranks have the widest interval."""
    alone = np.array([[1.0], [0.0]])
    assert kruskal_wallis(alone).method == cochrans_q(alone).method == "undefined: fewer than two models have scores"
    assert (dunn(alone), compare_models(alone)) == ((), ())
    found = ranks(alone)
    assert (found.models[0].rank.value, found.models[0].best, isnan(found.share_settled)) == (1, 1, True)
    single = np.array([[1.0, 0.0]])
    (pair,) = compare_models(single)
    assert (pair.difference.value, pair.difference.p) == (-1, 1)
    assert [(model.rank.low, model.rank.high) for model in ranks(single).models] == [(1, 2), (1, 2)]
    apart = np.array([[1.0, nan], [nan, 0.0]])
    (pair,) = compare_models(apart)
    assert (pair.difference.n, pair.difference.method, pair.test) == (0, "undefined: no items in common", "none")
    assert (pair.difference.low, pair.difference.high) == (-1, 1)
    assert cochrans_q(apart).method == "undefined: no items in common"
    assert ranks(apart).models[0].rank.method == "undefined: no items in common"
    for empty in (np.full((3, 2), nan), np.empty((0, 2))):
        assert isnan(kruskal_wallis(empty).p)
        assert isnan(cochrans_q(empty).p)
        assert isnan(dunn(empty)[0].p)
        assert isnan(compare_models(empty)[0].adjusted)
        assert isnan(ranks(empty).models[0].rank.value)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ranks([1, 0]), r"items × models, got an array of shape \(2,\)"),
        (lambda: kruskal_wallis([[0, 2]]), r"lie in \[0, 1\], or be NaN, got 2.0"),
        (lambda: compare_models([[0, np.inf]]), "got inf"),
        (lambda: cochrans_q([["a", "b"]]), "numbers only"),
        (lambda: dunn([[0, 1]], adjust="sidak"), '"bonferroni" or "holm"'),
        (lambda: ranks([[0, 1]], clusters=[1, 2]), r"one label per item \(1\)"),
        (lambda: ranks([[0, 1]], level=95), "`level` must lie strictly"),
        (lambda: cochrans_q([[0, 1]], resamples=0), "at least 1, got 0"),
    ],
)
def test_bad_input_is_named(call, says):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=says):
        call()


def test_tables_of_pandas_are_taken():
    """What has columns is a table too."""
    import pandas

    frame = pandas.DataFrame({"one": [1, 1, 0], "other": [0, None, 0]})
    assert compare_models(frame)[0].difference.n == 2
