"""Dead items: all right, all wrong or turned round are told, with enough models; clean sets are rarely suspected."""

import numpy as np
import pytest

from snellen.items import Item, Option
from snellen.tools.audit.answers import ChosenOptions
from snellen.tools.audit.audit import audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.dead_items import CHECK, item_rest

SIDES = (Option("Left"), Option("Right"))


def given(right):
    """A benchmark of questions whose key is the first of two options, and who is right where; NaN for no answer."""
    right = np.asarray(right, dtype=float)
    items = tuple(Item(f"q{n}", "Which side?", SIDES, 0) for n in range(right.shape[1]))
    chosen = np.where(np.isnan(right), -1, 1 - np.nan_to_num(right)).astype(np.int64)
    names = tuple(f"m{n}" for n in range(len(right)))
    return Audited("b", items, answers=ChosenOptions(names, tuple(item.id for item in items), chosen))


def graded(rng, models, items):
    return (rng.random((models, items)) < np.linspace(0.35, 0.9, models)[:, None]).astype(float)


def test_the_correlation_is_that_with_the_other_items():
    """It equals Pearson's with the share right of the rest over those who answered, and is NaN for what is constant."""
    rng = np.random.default_rng(1)
    right = graded(rng, 9, 12)
    right[rng.random(right.shape) < 0.1] = np.nan
    right[:, 3] = 1
    found = item_rest(right)
    for item in range(12):
        there = ~np.isnan(right[:, item])
        rest = np.nanmean(np.delete(right, item, axis=1), axis=1)
        if item == 3:
            assert np.isnan(found[item])
        else:
            assert found[item] == pytest.approx(np.corrcoef(right[there, item], rest[there])[0, 1])


def test_items_that_all_get_right_or_wrong_are_listed():
    """With eight models both kinds are told with their share; with three nothing is flagged and it says why."""
    right = graded(np.random.default_rng(2), 8, 60)
    right[0, :], right[1, :] = 0, 1
    right[:, 4], right[:, 5] = 1, 0
    found = {each.severity: each for each in CHECK.look(given(right)).findings}
    assert [each.item_id for each in found["low"].items] == ["q4"]
    assert [each.item_id for each in found["medium"].items] == ["q5"]
    assert "(2%, 95% CI" in found["low"].sentence
    few = CHECK.look(given(right[:3]))
    assert few.findings == ()
    assert [next(word for word in ("Dead", "weaker", "2PL") if word in each) for each in few.cannot] == [
        "Dead",
        "weaker",
        "2PL",
    ]


def test_items_that_the_weak_get_right_are_listed():
    """Of 24 models, three items are right for the weak only; they are listed, and few others."""
    rng = np.random.default_rng(3)
    right = graded(rng, 24, 100)
    right[:, :3] = (np.arange(24) < 9)[:, None]
    (finding,) = [each for each in audit(given(right), ["dead-items"]).findings if each.p is not None]
    flagged = {each.item_id for each in finding.items}
    assert {"q0", "q1", "q2"} <= flagged
    assert len(flagged) <= 5
    assert "item–rest correlation -0." in finding.items[0].evidence


def test_clean_items_are_rarely_suspected():
    """Where every item goes with ability or with nothing, the finding of turned items stands in 5% at most."""
    stand = 0
    for seed in range(20):
        rng = np.random.default_rng([4, seed])
        right = graded(rng, 20, 60)
        right[:, :30] = rng.random((20, 30)) < 0.5
        stand += any(each.p is not None for each in audit(given(right), ["dead-items"]).findings)
    assert stand <= 3


def test_from_thirty_models_on_a_2pl_is_fitted():
    """Slope and difficulty are columns, the slope below 0 for a turned item; with 29 models there are none."""
    right = graded(np.random.default_rng(5), 30, 40)
    right[:, 0] = np.arange(30) < 12
    found = CHECK.look(given(right))
    assert found.columns["irt_a"]["q0"] < 0 < np.median(list(found.columns["irt_a"].values()))
    assert any("2PL discrimination -" in each.evidence for finding in found.findings for each in finding.items)
    fewer = CHECK.look(given(right[:29]))
    assert set(fewer.columns) == {"difficulty", "difficulty_low", "difficulty_high", "item_rest"}
    assert "29 models" in fewer.cannot[0]


@pytest.mark.parametrize("answered", [1, 2])
def test_a_single_item_or_model_is_no_error(answered):
    """One item, one model: numbers where there are any, sentences for the rest."""
    found = CHECK.look(given(np.ones((answered, 1))))
    assert found.findings == ()
    assert len(found.cannot) == 3
    assert found.columns["difficulty"] == {"q0": 1.0}


def test_without_answers_it_says_so():
    """Nothing was answered: one sentence."""
    assert len(CHECK.look(Audited("b", given(np.ones((2, 2))).items)).cannot) == 1
