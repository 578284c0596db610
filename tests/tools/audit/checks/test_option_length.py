"""A longest option that is right too often is found; ties are shared."""

import numpy as np
from scipy.stats import binom, binomtest

import planted
from audit_planted import look
from snellen.items import Item, Option
from snellen.tools.audit.random_keys import credit_p

NAME = "option-length"


def item(n, *texts, key):
    return Item(str(n), f"What does film {n} show?", tuple(map(Option, texts)), key)


def test_p_is_that_of_the_binomial_law():
    """One option of four that a rule picks is right as often as a coin of one in four would be."""
    for hits in (10, 18, 25):
        keys = [0] * hits + [1 + n % 3 for n in range(60 - hits)]
        ours = credit_p([[1.0, 0, 0, 0]] * 60, keys, np.arange(60))
        as_far = [count for count in range(61) if abs(count - 15) >= abs(hits - 15)]
        assert abs(ours - binom.pmf(as_far, 60, 0.25).sum()) < 0.02


def test_many_groups_give_the_same_p_by_the_normal_law():
    """Beyond the number of groups for which keys are dealt, p is as it would be drawn."""
    rng = np.random.default_rng(5)
    keys = np.where(rng.random(2_100) < 0.225, 0, rng.integers(1, 5, size=2_100)).tolist()
    fewer = credit_p([[1.0, 0, 0, 0, 0]] * 2_000, keys[:2_000], np.arange(2_000))
    exact = binomtest(keys.count(0), 2_100, 0.2).pvalue
    more = credit_p([[1.0, 0, 0, 0, 0]] * 2_100, keys, np.arange(2_100))
    assert abs(more - exact) < 0.02
    assert abs(np.log(fewer) - np.log(more)) < 2


def test_a_longer_key_is_found_and_its_items_listed():
    """Keys that were made longer are right more often than chance, and each of them is listed."""
    flawed = planted.plant(planted.clean(4), 0.2, 4, planted.longer_key)
    longest, shortest = look(NAME, flawed.items).findings
    assert longest.p < 0.001
    assert longest.sentence.startswith("The longest option is right in ")
    assert "chance is 20%" in longest.sentence
    listed = {each.item_id for each in longest.items}
    assert flawed.ids <= listed
    assert len(flawed.ids) / len(listed) > 0.6
    assert shortest.sentence.startswith("The shortest option is right in ")


def test_ties_are_shared():
    """Where all options are of one length, the longest is right exactly as often as chance."""
    checked = look(NAME, [item(n, "mass", "cyst", "bone", key=0) for n in range(30)])
    assert [round(number.estimate.value, 9) for number in checked.numbers] == [round(1 / 3, 9)] * 2
    assert [finding.p for finding in checked.findings] == [1.0, 1.0]


def test_yes_and_no_are_left_out():
    """The length of yes and no is the answer itself."""
    checked = look(NAME, [item(n, "yes", "no", key=0) for n in range(30)])
    assert not checked.findings
    assert "30 yes/no questions were left out" in checked.notes[0]
