"""Hits by luck: against SciPy, against all that could happen, and by simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from snellen.stats import luck_p

CHANCES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=1, max_size=7)


@given(CHANCES, st.data())
def test_it_is_the_share_of_all_that_could_happen(chances, data):
    """Every pattern of hits with its probability, summed in both tails."""
    hits = data.draw(st.lists(st.integers(0, 1), min_size=len(chances), max_size=len(chances)))
    tails = [0.0, 0.0]
    for pattern in product((0, 1), repeat=len(chances)):
        weight = np.prod([chance if hit else 1 - chance for hit, chance in zip(pattern, chances, strict=True)])
        tails[0] += weight * (sum(pattern) <= sum(hits))
        tails[1] += weight * (sum(pattern) >= sum(hits))
    assert luck_p(hits, chances) == pytest.approx(min(1, 2 * min(tails)), abs=1e-12)


@given(st.integers(1, 3000), st.floats(0.05, 0.95), st.data())
def test_with_one_chance_it_is_the_binomial(tries, chance, data):
    """Twice the smaller of SciPy's two tails, of many tries too."""
    count = data.draw(st.integers(0, tries))
    tails = [stats.binom.cdf(count, tries, chance), stats.binom.sf(count - 1, tries, chance)]
    hits = [1] * count + [0] * (tries - count)
    assert luck_p(hits, [chance] * tries) == pytest.approx(min(1, 2 * min(tails)), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("tries", [8, 20, 50])
def test_luck_is_seldom_called_more_than_luck(tries):
    """In at most one of forty on either side, however few the tries and skewed the chances."""
    rng = np.random.default_rng(0)
    chances = np.resize([0.2, 0.25, 0.5], tries)
    low = high = 0
    for _ in range(1000):
        hits = rng.random(tries) < chances
        if luck_p(hits, chances) < 0.05:
            low, high = low + (hits.sum() < chances.sum()), high + (hits.sum() > chances.sum())
    assert max(low, high) / 1000 < 0.035


@pytest.mark.parametrize(
    ("hits", "luck"), [([0.5], [0.2]), ([1, 0], [0.2]), ([1], [1.2]), ([1], [-0.1]), ([1], [np.nan])]
)
def test_what_is_no_hit_or_no_chance_is_refused(hits, luck):
    """Shares, other lengths, chances beyond 0 and 1."""
    with pytest.raises(ValueError):
        luck_p(hits, luck)
