"""The robustness score's formula: against a scalar one written out, and its laws."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.papers.readiness.tests.robustness import Accuracies, Removal, Replacement, fragilities, robustness

SHARE = st.floats(0, 1)
ACCURACIES = st.builds(
    Accuracies,
    removal=st.lists(st.builds(Removal, n=st.integers(1, 1000), image=SHARE, text=SHARE), min_size=1, max_size=3).map(
        tuple
    ),
    needed=SHARE,
    chance=st.floats(0, 0.9),
    in_order=SHARE,
    reordered=SHARE,
    replacement=st.builds(Replacement, *[SHARE] * 6),
    original=SHARE,
    substituted=SHARE,
)


def by_hand(its):
    """Supplementary Note 1 in percent, 20 and 80 as chance and the rest."""
    down = [each.n * max(0, 100 * each.image - 100 * each.text) for each in its.removal]
    f1 = sum(down) / (100 * sum(each.n for each in its.removal))
    f2 = max(0, 100 * its.needed - 100 * its.chance) / (100 - 100 * its.chance)
    f3 = max(0, 100 * its.in_order - 100 * its.reordered) / 100
    t4 = its.replacement
    f4 = (
        0.5 * max(0, 100 * t4.text_base - 100 * t4.text_replaced) / 100
        + 0.3 * max(0, 100 * t4.image_replaced - 100 * t4.image_base) / 100
        + 0.2 * max(0, 100 * t4.text_unknown - 100 * t4.text_unknown_base) / 100
    )
    f5 = max(0, 100 * its.original - 100 * its.substituted) / 100
    return f1, f2, f3, f4, f5


@given(ACCURACIES)
def test_the_formula_is_the_printed_one(its):
    """Fragility by fragility, and R as the mean of what is left of 1."""
    found = fragilities(its)
    assert found.tolist() == pytest.approx(by_hand(its), abs=1e-9)
    assert float(robustness(found)) == pytest.approx(sum(1 - f for f in by_hand(its)) / 5, abs=1e-9)


def test_the_score_of_one_printed_row():
    """Five options: 20 and 80 as printed. Worked out on paper, not by the code."""
    its = Accuracies(
        removal=(Removal(100, 0.80, 0.60), Removal(300, 0.70, 0.74)),
        needed=0.36,
        chance=0.2,
        in_order=0.36,
        reordered=0.31,
        replacement=Replacement(0.36, 0.20, 0.66, 0.90, 0.36, 0.41),
        original=0.83,
        substituted=0.52,
    )
    assert fragilities(its).tolist() == pytest.approx([0.05, 0.2, 0.05, 0.08 + 0.072 + 0.01, 0.31])
    assert float(robustness(fragilities(its))) == pytest.approx(1 - 0.772 / 5)


@given(ACCURACIES)
def test_every_fragility_lies_between_nothing_and_all(its):
    """And so does R."""
    found = fragilities(its)
    assert ((found >= 0) & (found <= 1)).all()
    assert 0 <= robustness(found) <= 1


MORE_FRAGILE = [
    *[("in_order", 1), ("reordered", -1), ("original", 1), ("substituted", -1), ("needed", 1), ("chance", -1)],
    *[("text_base", 1), ("text_replaced", -1), ("image_base", -1), ("image_replaced", 1)],
    *[("text_unknown", 1), ("text_unknown_base", -1), ("image", 1), ("text", -1)],
]


@pytest.mark.parametrize(("name", "way"), MORE_FRAGILE)
@given(its=ACCURACIES, step=st.floats(0, 1))
def test_a_larger_drop_never_raises_the_score(name, way, its, step):
    """Monotone in each accuracy: no fragility falls, and R does not rise."""
    changed = moved(its, name, way * step)
    before, after = fragilities(its), fragilities(changed)
    assert (after >= before - 1e-12).all()
    assert robustness(after) <= robustness(before) + 1e-12


def moved(its, name, by):
    """The accuracies with one of them moved, within what it can be."""
    if name in Removal._fields:
        first = its.removal[0]._replace(**{name: limited(getattr(its.removal[0], name) + by)})
        return replace(its, removal=(first, *its.removal[1:]))
    if name in Replacement._fields:
        there = its.replacement
        return replace(its, replacement=there._replace(**{name: limited(getattr(there, name) + by)}))
    return replace(its, **{name: limited(getattr(its, name) + by)})


def limited(value):
    """Between 0 and 1."""
    return min(1.0, max(0.0, value))


@given(ACCURACIES, st.integers(1, 1000))
def test_the_size_of_a_benchmark_weighs_only_beside_others(its, size):
    """Of one benchmark n does not matter; of several the shares do."""
    alone = replace(its, removal=its.removal[:1])
    resized = replace(its, removal=(its.removal[0]._replace(n=size),))
    assert fragilities(alone).tolist() == pytest.approx(fragilities(resized).tolist())
    doubled = replace(its, removal=tuple(each._replace(n=2 * each.n) for each in its.removal))
    assert fragilities(its).tolist() == pytest.approx(fragilities(doubled).tolist())
    shuffled = replace(its, removal=its.removal[::-1])
    assert fragilities(its).tolist() == pytest.approx(fragilities(shuffled).tolist())


@given(st.lists(ACCURACIES, min_size=2, max_size=4))
def test_many_resamples_are_scored_at_once(some):
    """Arrays in, arrays out, each element as if it were alone; what was not measured is not 0."""
    alike = [replace(each, removal=each.removal[:1]) for each in some]
    stacked = Accuracies(
        removal=(Removal(*(np.array(column, float) for column in zip(*(a.removal[0] for a in alike), strict=True))),),
        replacement=Replacement(*map(np.array, zip(*(a.replacement for a in alike), strict=True))),
        **{
            name: np.array([getattr(a, name) for a in alike])
            for name in ("needed", "chance", "in_order", "reordered", "original", "substituted")
        },
    )
    together = fragilities(stacked)
    for at, each in enumerate(alike):
        assert together[:, at].tolist() == pytest.approx(fragilities(each).tolist())
    missing = fragilities(replace(stacked, substituted=np.nan))
    assert np.isnan(missing[4]).all()
    assert np.isfinite(missing[:4]).all()
    assert np.isnan(robustness(missing)).all()
