"""The best of several models on other patients: by loops, by simulation, and what is missing."""

import numpy as np
import pytest

from snellen.stats import chosen_on_one_half as estimated


def chosen_on_one_half(*given, **settings):
    """The values alone."""
    return np.array([each.value for each in estimated(*given, **settings)])


def plain(means):
    """The means themselves."""
    return means


def test_the_luck_of_the_choice_is_gone():
    """Of models that are all alike, the three best overshoot; those chosen on other patients do not."""
    rng = np.random.default_rng(1)
    best, fair = [], []
    for _ in range(100):
        table = (rng.random((100, 9)) < 0.6).astype(float)
        best.append(np.sort(table.mean(axis=0))[-3:].mean())
        fair.append(chosen_on_one_half(table, table[:, :, None], plain, count=3, splits=40)[0])
    assert np.mean(best) > 0.63
    assert np.mean(fair) == pytest.approx(0.6, abs=3 * np.std(fair) / 10)


def test_models_that_are_far_apart_are_chosen_as_they_are():
    """Where every half agrees on the best, the two halves together are the whole."""
    rng = np.random.default_rng(2)
    table = np.column_stack([(rng.random(80) < share).astype(float) for share in (0.95, 0.9, 0.2, 0.1)])
    after = table * 0.5
    found = chosen_on_one_half(
        table,
        np.stack((table, after), axis=2),
        lambda means: np.stack((means[..., 0], means[..., 1]), axis=-1),
        count=2,
    )
    assert found == pytest.approx([table[:, :2].mean(), after[:, :2].mean()])


def test_a_score_is_made_of_the_other_halfs_means():
    """A ratio is taken of the means of the half that did not choose, model by model."""
    before = np.array([[1, 0], [1, 0], [1, 0], [1, 1]], dtype=float)
    after = np.array([[1, 0], [0, 0], [1, 0], [0, 0]], dtype=float)

    def change(means):
        return means[..., 1:] / means[..., :1]

    found = chosen_on_one_half(before, np.stack((before, after), axis=2), change, count=1, splits=200)
    assert found == pytest.approx([0.5])


def test_patients_stay_whole_and_their_order_does_not_matter():
    """Copies of a patient's items never lie in both halves, and items in another order give the same."""
    rng = np.random.default_rng(3)
    table = (rng.random((30, 5)) < 0.5).astype(float)
    copied, patients = np.repeat(table, 4, axis=0), np.repeat(np.arange(30), 4)
    once = chosen_on_one_half(table, table[:, :, None], plain, count=2)
    order = rng.permutation(120)
    again = chosen_on_one_half(copied[order], copied[order][:, :, None], plain, count=2, clusters=patients[order])
    apart = chosen_on_one_half(copied, copied[:, :, None], plain, count=2)
    assert again == pytest.approx(once)
    assert apart > once + 0.01


def test_what_is_missing_is_left_out():
    """A value that is not there counts neither above nor below the line; one patient cannot be halved."""
    table = np.array([[1, 0], [np.nan, 0], [1, 0], [1, np.nan]], dtype=float)
    assert chosen_on_one_half(table, table[:, :, None], plain, count=1, splits=50) == pytest.approx([1.0])
    assert np.isnan(chosen_on_one_half(table[:1], table[:1, :, None], plain, count=1)).all()
    with pytest.raises(ValueError, match="items and models"):
        chosen_on_one_half(table, table, plain, count=1)


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 0), (0, 0)])
def test_an_interval_has_a_width_where_all_patients_are_alike(before, after):
    """Twelve patients of whom every model is right, or wrong, say little of the next, as by a Wilson CI."""
    columns = np.broadcast_to(np.array([before, after], dtype=float), (12, 5, 2))
    ranked = columns[:, :, 0]
    accuracy, changed = estimated(
        ranked, columns, lambda means: np.stack((means[..., 0], means[..., 1] - means[..., 0]), axis=-1), count=3
    )
    assert (accuracy.value, changed.value) == (before, after - before)
    away = abs(accuracy.value - (accuracy.low if before else accuracy.high))
    assert 0.15 < away < 0.35
    assert changed.high - changed.low > 0.2


def test_the_interval_holds_what_is_meant():
    """Of equal and of unequal models, by simulation: the mean over many samples lies inside as often as it should."""
    rng = np.random.default_rng(4)
    for shares in (np.full(8, 0.6), np.linspace(0.4, 0.8, 8)):
        found = []
        for _ in range(120):
            hard = rng.random((60, 1))
            table = ((hard + rng.random((60, 8))) / 2 < shares).astype(float)
            found += estimated(table, table[:, :, None], plain, count=3, splits=40)
        meant = np.mean([each.value for each in found])
        held = np.mean([each.low <= meant <= each.high for each in found])
        # Three standard errors of a share of 0.95 in 120 samples are 0.06.
        assert held >= 0.95 - 0.06


def test_few_patients_have_no_interval():
    """With three patients nothing bounds it; with four something does."""
    table = np.array([[1, 0], [0, 1], [1, 1], [0, 1]], dtype=float)
    [found], [four] = (estimated(each, each[:, :, None], plain, count=1) for each in (table[:3], table))
    assert np.isfinite(found.value)
    assert np.isnan([found.low, found.high]).all()
    assert four.low < four.value < four.high
