"""The law of an item's distance under relabelling: by enumeration, and drawn where it is too long to write down."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import grounding
from snellen.stats.grounding import Pooled, count_answers, law, relabelling_p


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
