"""The grounding signal: every formula by loops, small tests by enumeration, bias and coverage by simulation, laws."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student_t

from snellen.stats import distribution_distance, grounding, grounding_signal, item_distances, proportion
from snellen.stats.grounding import Pooled, count_answers, law, relabelling_p

replies = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14)
FEW = 200


def arms(first, second):
    """(item, code) pairs of two arms as the four arrays the functions take."""
    (first_items, first_codes), (second_items, second_codes) = (np.array(arm).T for arm in (first, second))
    return first_codes, second_codes, first_items, second_items


def codes_of(arm, item):
    """The codes of an item's replies."""
    return [code for each, code in arm if each == item]


def differing(pairs):
    """The share of pairs that differ."""
    pairs = list(pairs)
    return sum(one != two for one, two in pairs) / len(pairs)


def distance(one, two):
    """An item's distance, pair by pair."""
    within = differing(combinations(one, 2)) + differing(combinations(two, 2))
    return differing(product(one, two)) - within / 2


def dealt(one, two):
    """Every way in which an item's replies may fall into its two arms."""
    everything = one + two
    for taken in combinations(range(len(everything)), len(one)):
        yield [everything[i] for i in taken], [x for i, x in enumerate(everything) if i not in taken]


def variation(items):
    """The total variation between the items' mean answer distributions, answer by answer."""
    names = {code for one, two in items for code in one + two}
    return sum(
        abs(sum(one.count(code) / len(one) - two.count(code) / len(two) for one, two in items)) for code in names
    ) / (2 * len(items))


def drawn(rng, shares, times):
    """So many codes from each item's shares."""
    below = np.cumsum(shares, axis=1)[:, None, :-1]
    return np.sum(rng.random((len(shares), times, 1)) >= below, axis=2).ravel()


def by_arm(rng, first, second, times=(3, 3)):
    """Replies of two arms whose items answer with these shares."""
    items = [np.repeat(np.arange(len(first)), each) for each in times]
    return drawn(rng, first, times[0]), drawn(rng, second, times[1]), *items


@given(replies, replies)
@settings(deadline=None)
def test_distances_are_those_of_all_pairs(first, second):
    """Each item with two replies in both arms has the distance that loops over pairs of replies give; others none."""
    both = {item for item in range(4) if min(len(codes_of(arm, item)) for arm in (first, second)) > 1}
    found = item_distances(*arms(first, second))
    assert found.items.tolist() == sorted(both)
    expected = [distance(codes_of(first, item), codes_of(second, item)) for item in sorted(both)]
    assert found.values == pytest.approx(np.array(expected), abs=1e-12)


@given(replies, replies)
def test_p_is_that_of_all_relabellings(first, second):
    """With few items p is the share of all ways to deal each item's replies out that lie as far apart."""
    there = [(codes_of(first, item), codes_of(second, item)) for item in range(4)]
    few = [(one[:3], two[:3]) for one, two in there if min(len(one), len(two)) > 1][:2]
    if not few:
        return
    observed = sum(distance(*item) for item in few)
    ways = [sum(distance(*item) for item in way) for way in product(*(list(dealt(*item)) for item in few))]
    expected = np.mean(np.array(ways) >= observed - 1e-9)
    first, second = ([(at, code) for at, item in enumerate(few) for code in item[arm]] for arm in (0, 1))
    assert grounding_signal(*arms(first, second)).p == pytest.approx(expected, abs=1e-9)


@given(replies, replies)
def test_pooled_distance_and_its_p_are_those_of_all_swaps(first, second):
    """Value and p are those of trying every swap; where arms differ in length, within the error of random dealing."""
    there = [(codes_of(first, item), codes_of(second, item)) for item in range(4)]
    both = [(one[:3], two[:3]) for one, two in there if one and two][:3]
    if not both:
        return
    swaps = [[(one, two), (two, one)] if len(one) == len(two) else list(dealt(one, two)) for one, two in both]
    far = [variation(way) for way in product(*swaps)]
    first, second = ([(at, code) for at, item in enumerate(both) for code in item[arm]] for arm in (0, 1))
    found = distribution_distance(*arms(first, second))
    exact = all(len(one) == len(two) for one, two in both)
    assert found.value == pytest.approx(variation(both) - np.mean(far), abs=1e-9 if exact else 0.02)
    expected = np.mean(np.array(far) >= variation(both) - 1e-9)
    assert found.p == pytest.approx(expected, abs=1e-9 if exact else 0.03)


@given(replies, replies, st.randoms(use_true_random=False))
def test_order_names_and_sides_do_not_matter(first, second, random):
    """Replies in another order, answers under other names and arms swapped give the same estimates."""
    names = random.sample(["zero", "one", "two", "three"], 4)
    mixed = [[(item, names[code]) for item, code in random.sample(arm, len(arm))] for arm in (second, first)]
    again = [[code for _, code in arm] for arm in mixed] + [[item for item, _ in arm] for arm in mixed]
    one, two = grounding_signal(*arms(first, second)), grounding_signal(*again)
    assert (one.value, one.low, one.high, one.n) == pytest.approx((two.value, two.low, two.high, two.n), nan_ok=True)
    assert one.p == pytest.approx(two.p)
    one, two = distribution_distance(*arms(first, second)), distribution_distance(*again)
    assert (one.value, one.low, one.high, one.p) == pytest.approx(
        (two.value, two.low, two.high, two.p), abs=0.03, nan_ok=True
    )


def test_order_of_many_items_changes_nothing():
    """Under random relabelling and random swaps, too, the replies' order changes no digit."""
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(4), 40)
    one, two, at, other = by_arm(rng, shares, shares[::-1])
    mixed, also = rng.permutation(120), rng.permutation(120)
    for measure in (grounding_signal, distribution_distance):
        assert measure(one, two, at, other) == measure(one[mixed], two[also], at[mixed], other[also])


@pytest.mark.parametrize("times", [(2, 2), (2, 5), (4, 3)])
def test_distances_are_unbiased(times):
    """Over 20,000 items of the same shares the mean is ½ Σ (p − q)², whatever the numbers of replies."""
    rng = np.random.default_rng(3)
    p, q = np.array([0.6, 0.3, 0.1, 0.0]), np.array([0.1, 0.3, 0.2, 0.4])
    for first, second in ((p, q), (p, p)):
        values = item_distances(*by_arm(rng, np.tile(first, (20_000, 1)), np.tile(second, (20_000, 1)), times)).values
        error = values.std() / np.sqrt(values.size)
        assert abs(values.mean() - np.sum((first - second) ** 2) / 2) < 3.5 * error


@pytest.mark.parametrize("times", [(1, 1), (3, 3), (1, 4)])
def test_a_model_that_ignores_the_image_has_no_pooled_distance(times, monkeypatch):
    """The mean of 120 values is 0 within its error, p ≤ 0.05 about one time in twenty, and the intervals hold 0."""
    monkeypatch.setattr(grounding, "RESAMPLES", FEW)
    rng = np.random.default_rng(4)
    found = []
    for _ in range(120):
        shares = rng.dirichlet(np.full(20, 0.5), 25)
        found.append(distribution_distance(*by_arm(rng, shares, shares, times)))
    values = np.array([each.value for each in found])
    assert abs(values.mean()) < 3 * values.std() / np.sqrt(values.size)
    error = np.sqrt(0.05 * 0.95 / len(found))
    assert np.mean([each.p <= 0.05 for each in found]) < 0.05 + 3 * error
    assert np.mean([each.low <= 0 <= each.high for each in found]) > 0.95 - 2 * error


MOVED = [(0.0, 1), (0.05, 1), (0.5, 1), (0.95, 1), (1.0, 1), (0.1, 5), (0.9, 5)]


@pytest.mark.parametrize(("share", "cluster"), MOVED)
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_signal_interval_holds_the_truth(share, cluster, noise, monkeypatch):
    """Of 40 samples of 60 items some of which move, with and without run-to-run change, at least 34 intervals do."""
    monkeypatch.setattr(grounding, "RESAMPLES", FEW)
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(60 // cluster), cluster)
    held = 0
    for _ in range(40):
        moves = (rng.random(60 // cluster) < share)[clusters]
        first = np.tile([1 - noise + noise / 4, *[noise / 4] * 3], (60, 1))
        second = np.where(moves[:, None], np.roll(first, 1, axis=1), first)
        found = grounding_signal(*by_arm(rng, first, second), clusters=clusters)
        held += found.low <= share * (1 - noise) ** 2 <= found.high
    assert held >= 34  # three standard errors below 38


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.95, 1.0])
@pytest.mark.parametrize("scattered", [False, True])
def test_pooled_interval_holds_the_truth(share, scattered, monkeypatch):
    """Of 40 samples of 50 items of which a share moves to one other answer at least 34 intervals hold that share."""
    monkeypatch.setattr(grounding, "RESAMPLES", FEW)
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(40):
        kind = rng.integers(0, 6, 50) if scattered else np.zeros(50, dtype=int)
        first = np.eye(12)[2 * kind]
        second = np.eye(12)[2 * kind + (rng.random(50) < share)]
        found = distribution_distance(*by_arm(rng, first, second, (1, 1)))
        held += found.low - 1e-9 <= share <= found.high + 1e-9
    assert held >= 34  # three standard errors below 38


def test_p_finds_what_moves_and_lets_stand_what_does_not(monkeypatch):
    """Of 300 models that ignore the image about one in twenty has p ≤ 0.05; one that looks has the least there is."""
    rng = np.random.default_rng(8)
    shares = rng.dirichlet(np.ones(4), 40)
    assert grounding_signal(*by_arm(rng, shares, np.roll(shares, 1, axis=1), (5, 5))).p == pytest.approx(1 / 10_001)
    monkeypatch.setattr(grounding, "RESAMPLES", FEW)
    hits = [grounding_signal(*by_arm(rng, shares, shares, (2, 3))).p <= 0.05 for _ in range(300)]
    assert 0.01 < np.mean(hits) < 0.09


def test_items_that_are_all_alike_leave_doubt():
    """None of 100 items moved, or all did: 0 or 1, with an interval as wide as three items."""
    item = np.repeat(np.arange(100), 2)
    still, moved = (grounding_signal(np.zeros(200), np.full(200, to), item, item) for to in (0, 1))
    assert (still.value, moved.value) == (0, 1)
    assert 0.02 < still.high < 0.05
    assert 0.95 < moved.low < 0.98
    assert (still.p, moved.high) == (1, 1)
    same = distribution_distance(np.zeros(200), np.zeros(200), item, item)
    assert (same.value, same.p) == (0, 1)
    assert 0.02 < same.high < 0.05
    for n, p, least in ((10, 2 / 2**10, None), (40, 1 / 10_001, 1 / 10_001)):
        moved = distribution_distance(np.zeros(n), np.ones(n), range(n), range(n))
        assert (moved.p, moved.least_p) == pytest.approx((p, least))


def test_patients_count_and_not_their_items():
    """Eight items of each patient that are all alike make the interval as wide as one would."""
    moved = np.repeat([0, 1, 1, 0, 1, 1] * 4, 2)
    one = grounding_signal(np.zeros(48), moved, np.repeat(np.arange(24), 2), np.repeat(np.arange(24), 2))
    item = np.repeat(np.arange(192), 2)
    eight = grounding_signal(np.zeros(384), np.repeat(moved, 8), item, item, clusters=np.repeat(np.arange(24), 8))
    assert eight.method == "cluster-unseen-t"
    assert eight.high - eight.low == pytest.approx(one.high - one.low, rel=0.15)
    pooled = distribution_distance(np.zeros(384), np.repeat(moved, 8), item, item, clusters=np.repeat(np.arange(24), 8))
    assert pooled.method == "swapped-cluster-bonett-price"


def test_patients_who_stayed_tell_how_far_items_of_one_agree():
    """Two of 20 stayed, in part: what they show weighs 2 to the 8 of the worst case, by which two unseen ones count."""
    moved, patients = np.array([1, 0, 0] * 2 + [1] * 54), np.arange(60) // 3
    found = grounding_signal(np.zeros(60), moved, range(60), range(60), clusters=patients, deterministic=True)
    sums = np.bincount(patients, moved)
    shown = 20 / 19 * np.sum((sums - 3 * moved.mean()) ** 2) / 60 / moved.var(ddof=1)
    unseen = shown**0.2 * 3**0.8
    sums, sizes = np.append(sums, (unseen, 0)), np.append(np.full(20, 3), (unseen, unseen))
    mean, n = sums.sum() / sizes.sum(), sizes.sum()
    error = np.sqrt(22 / 21 * np.sum((sums - mean * sizes) ** 2)) / n
    half = student_t.ppf(0.975, n**2 / np.sum(sizes**2) - 1) * error
    assert (found.low, found.high) == pytest.approx((mean - half, min(mean + half, 1)))


def test_clusters_are_found_by_the_number_of_the_item():
    """Labels of items that nobody answered change nothing."""
    moved = np.repeat([0, 1, 1, 0, 1, 1] * 4, 2)
    item, labels = np.repeat(np.arange(24), 2), np.repeat(np.arange(8), 3)
    spread_out = np.repeat(labels, 2)
    spread_out[::2] = 99
    for measure in (grounding_signal, distribution_distance):
        dense = measure(np.zeros(48), moved, item, item, clusters=labels)
        sparse = measure(np.zeros(48), moved, 2 * item + 1, 2 * item + 1, clusters=spread_out)
        assert dense == sparse
        assert dense != measure(np.zeros(48), moved, item, item)


def test_one_reply_of_a_deterministic_model_says_it_all():
    """The signal is the share of items whose answer changed; there is nothing to test, and without the word no item."""
    item, changed = np.arange(50), np.arange(50) % 5 == 0
    found = grounding_signal(np.zeros(50), changed, item, item, deterministic=True)
    assert (found.value, found.n, found.p) == (0.2, 50, None)
    wilson = proportion(changed)
    assert [found.low, found.high] == pytest.approx([wilson.low, wilson.high], abs=0.04)
    assert item_distances(np.zeros(50), changed, item, item, deterministic=True).values.tolist() == changed.tolist()
    mixed = item_distances([1, 1, 3, 4], [2, 2, 3, 3, 5], [0, 0, 1, 2], [0, 0, 1, 1, 2], deterministic=True)
    assert mixed.values.tolist() == [1, 0, 1]
    unknown = grounding_signal(np.zeros(50), changed, item, item)
    assert isnan(unknown.value)
    assert (unknown.low, unknown.high, unknown.n, unknown.p) == (0, 1, 0, None)


def test_no_common_item_is_no_number():
    """Arms with different items, or with no reply, have no distance, not the distance 0."""
    for second, items in (([1, 2], [5, 6]), ([], [])):
        found = distribution_distance([1, 2], second, [0, 1], items)
        assert isnan(found.value)
        assert (found.low, found.high, found.n) == (0, 1, 0)


def test_items_count_once_however_often_they_were_asked():
    """An item asked nine times in one arm does not outweigh one that was asked once."""
    first, first_items = [1] * 9 + [2], [0] * 9 + [1]
    found = distribution_distance(first, [1, 2], first_items, [0, 1])
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.p == 1


@pytest.mark.parametrize(
    ("given_", "more", "message"),
    [
        (([[1]], [1], [0], [0]), {}, "`first` must be one answer code per response"),
        (([1], [1], [0, 1], [0]), {}, r"`first_items` needs one item number per response \(1\)"),
        (([1], [1], [0], [-1]), {}, "`second_items` must be whole numbers of at least 0"),
        (([1], [1], [0], [0.5]), {}, "`second_items` must be whole numbers"),
        (
            ([1, 1], [1, 1], [3, 3], [3, 3]),
            {"clusters": [1, 2, 3]},
            "`clusters` must be one label for each item number",
        ),
    ],
)
def test_bad_input_is_named(given_, more, message):
    """What was expected and what came stands in the error."""
    with pytest.raises(ValueError, match=message):
        grounding_signal(*given_, **more)


def agreeing(codes):
    """How many ordered pairs of different replies agree, as a share."""
    return sum(n * (n - 1) for n in Counter(codes).values()) / (len(codes) * (len(codes) - 1))


def enumerated(answers, one):
    """Every distance, as often as it comes up."""
    codes = np.repeat(np.arange(len(answers)), answers)
    for taken in combinations(range(len(codes)), one):
        first, second = codes[list(taken)], np.delete(codes, taken)
        yield (agreeing(first) + agreeing(second)) / 2 - np.mean(first[:, None] == second)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data())
def test_law_is_that_of_all_relabellings(answers, data):
    """Values and probabilities are those of dealing the replies out in every way; the mean is 0."""
    total = sum(answers)
    if not 4 <= total <= 9:
        return
    one = data.draw(st.integers(2, total - 2))
    found = law(Pooled(tuple(answers), (one, total - one)))
    ways = Counter(round(value, 9) for value in enumerated(answers, one))
    assert found.values == pytest.approx(np.array(sorted(ways)), abs=1e-9)
    assert found.shares == pytest.approx(np.array([ways[value] for value in sorted(ways)]) / sum(ways.values()))
    assert found.values @ found.shares == pytest.approx(0, abs=1e-12)


def test_long_laws_are_drawn(monkeypatch):
    """Where the law is too long to be written down, p is that of random relabellings, about the same."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(6), 6)
    first, second = rng.integers(0, 3, 36), rng.integers(0, 4, 36)
    counts = count_answers(first, second, item, item, least=2)
    written = relabelling_p(counts, resamples=20_000, seed=0).p
    monkeypatch.setattr(grounding, "_STATES", 3)
    assert law(Pooled((6, 6), (6, 6))) is None
    assert relabelling_p(counts, resamples=20_000, seed=0).p == pytest.approx(written, abs=0.02)


def test_hundreds_of_replies_to_many_items_are_no_trouble():
    """Items with long laws and many with short ones stand side by side."""
    rng = np.random.default_rng(1)
    item = np.concatenate((np.repeat(0, 150), np.repeat(np.arange(1, 700), 2)))
    codes = [rng.integers(0, 12, item.size) for _ in range(2)]
    p = relabelling_p(count_answers(*codes, item, item, least=2), resamples=500, seed=0).p
    assert 0.01 < p <= 1
