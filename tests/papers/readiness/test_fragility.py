"""The robustness score's formula: against a scalar one written out, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.papers.readiness.tests.robustness import SHARED, Removal, fragilities, robustness

SHARE = st.floats(0, 1)
REMOVALS = st.lists(st.builds(Removal, n=st.integers(1, 1000), image=SHARE, text=SHARE), min_size=1, max_size=3)
OTHERS = st.fixed_dictionaries({**dict.fromkeys(SHARED, SHARE), "chance": st.floats(0, 0.9)})
ACCURACIES = st.tuples(REMOVALS, OTHERS)


def by_hand(removal, its):
    """Supplementary Note 1 in percent, 20 and 80 as chance and the rest."""

    def drop(before, after):
        return max(0, 100 * its[before] - 100 * its[after]) / 100

    down = [each.n * max(0, 100 * each.image - 100 * each.text) for each in removal]
    f1 = sum(down) / (100 * sum(each.n for each in removal))
    f2 = 100 * drop("needed", "chance") / (100 - 100 * its["chance"])
    f4 = (
        0.5 * drop("text_base", "text_replaced")
        + 0.3 * drop("image_replaced", "image_base")
        + 0.2 * drop("text_unknown", "text_unknown_base")
    )
    return f1, f2, drop("in_order", "reordered"), f4, drop("original", "substituted")


@given(ACCURACIES)
def test_the_formula_is_the_printed_one(its):
    """Fragility by fragility, R as the mean of what is left of 1, and each between nothing and all."""
    found = fragilities(*its)
    assert found.tolist() == pytest.approx(by_hand(*its), abs=1e-9)
    assert float(robustness(found)) == pytest.approx(sum(1 - f for f in by_hand(*its)) / 5, abs=1e-9)
    assert ((found >= 0) & (found <= 1)).all()
    assert 0 <= robustness(found) <= 1


def test_the_score_of_one_printed_row():
    """Five options: 20 and 80 as printed. Worked out on paper, not by the code."""
    removal = [Removal(100, 0.80, 0.60), Removal(300, 0.70, 0.74)]
    shares = (0.36, 0.2, 0.36, 0.31, 0.36, 0.20, 0.66, 0.90, 0.36, 0.41, 0.83, 0.52)
    found = fragilities(removal, dict(zip(SHARED, shares, strict=True)))
    assert found.tolist() == pytest.approx([0.05, 0.2, 0.05, 0.08 + 0.072 + 0.01, 0.31])
    assert float(robustness(found)) == pytest.approx(1 - 0.772 / 5)


MORE_FRAGILE = [
    *[("in_order", 1), ("reordered", -1), ("original", 1), ("substituted", -1), ("needed", 1), ("chance", -1)],
    *[("text_base", 1), ("text_replaced", -1), ("image_base", -1), ("image_replaced", 1)],
    *[("text_unknown", 1), ("text_unknown_base", -1), ("image", 1), ("text", -1)],
]


@pytest.mark.parametrize(("name", "way"), MORE_FRAGILE)
@given(its=ACCURACIES, step=st.floats(0, 1))
def test_a_larger_drop_never_raises_the_score(name, way, its, step):
    """Monotone in each accuracy: no fragility falls, and R does not rise."""
    removal, others = its
    if name in Removal._fields:
        first = removal[0]._replace(**{name: limited(getattr(removal[0], name) + way * step)})
        changed = ([first, *removal[1:]], others)
    else:
        changed = (removal, {**others, name: limited(others[name] + way * step)})
    before, after = fragilities(*its), fragilities(*changed)
    assert (after >= before - 1e-12).all()
    assert robustness(after) <= robustness(before) + 1e-12


def limited(value):
    """Between 0 and 1."""
    return min(1.0, max(0.0, value))


@given(ACCURACIES, st.integers(1, 1000))
def test_the_size_of_a_benchmark_weighs_only_beside_others(its, size):
    """Of one benchmark n does not matter; of several the shares do."""
    removal, others = its
    alone, resized = removal[:1], [removal[0]._replace(n=size)]
    assert fragilities(alone, others).tolist() == pytest.approx(fragilities(resized, others).tolist())
    for same in ([each._replace(n=2 * each.n) for each in removal], removal[::-1]):
        assert fragilities(removal, others).tolist() == pytest.approx(fragilities(same, others).tolist())


@given(st.lists(ACCURACIES, min_size=2, max_size=4))
def test_many_resamples_are_scored_at_once(some):
    """Arrays in, arrays out, each element as if it were alone; what was not measured is not 0."""
    removal = [Removal(*(np.array(column, float) for column in zip(*(each[0] for each, _ in some), strict=True)))]
    stacked = {name: np.array([others[name] for _, others in some]) for name in SHARED}
    together = fragilities(removal, stacked)
    for at, (first, others) in enumerate(some):
        assert together[:, at].tolist() == pytest.approx(fragilities(first[:1], others).tolist())
    missing = fragilities(removal, {**stacked, "substituted": np.nan})
    assert np.isnan(missing[4]).all()
    assert np.isfinite(missing[:4]).all()
    assert np.isnan(robustness(missing)).all()
