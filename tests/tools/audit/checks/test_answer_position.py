"""A right answer that is too often at one place is found, and yes and no are told as answers."""

import numpy as np
from scipy.stats import chisquare

import planted
from audit_planted import look
from snellen.items import Item, Option
from snellen.tools.audit.random_keys import uneven_p

NAME = "answer-position"


def test_p_is_that_of_pearsons_test():
    """Without groups the permuted p is that of Pearson's χ² against even counts."""
    labels = [0] * 60 + [1] * 45 + [2] * 45 + [3] * 30
    exact = chisquare([60, 45, 45, 30]).pvalue
    assert abs(uneven_p(labels, 4, np.arange(180)) - exact) < 0.005


def test_items_of_one_patient_count_as_one_where_they_agree():
    """Forty items of which each four are copies are no more evidence than ten."""
    labels = np.repeat([0, 0, 0, 0, 0, 0, 0, 1, 1, 1], 4)
    alone = uneven_p(labels[::4], 2, np.arange(10))
    together = uneven_p(labels, 2, np.repeat(np.arange(10), 4))
    assert abs(alone - together) < 0.02
    assert uneven_p(labels, 2, np.arange(40)) < together / 5


def test_a_habit_is_found_with_its_letter():
    """Where a third of the keys were moved to C, the finding says C and lists items whose key is C."""
    flawed = planted.plant(planted.clean(3), 0.3, 3, planted.position_habit)
    (finding,) = look(NAME, flawed.items).findings
    assert finding.p < 0.001
    assert "The right answer is C in" in finding.sentence
    assert "chance is 20%" in finding.sentence
    assert flawed.ids <= {each.item_id for each in finding.items}


def test_yes_and_no_are_told_as_the_answer():
    """Whichever comes first, the answer that is more often right is named."""
    items = []
    for n in range(90):
        options = (Option("Yes"), Option("No.")) if n % 2 else (Option("no"), Option("yes"))
        says = "yes" if n % 3 else "no"
        key = next(at for at, option in enumerate(options) if option.text.strip(".").casefold() == says)
        items.append(Item(str(n), f"Is there a mass in scan {n}?", options, key))
    checked = look(NAME, items)
    (finding,) = checked.findings
    assert "“yes” is the right answer to 67%" in finding.sentence
    assert finding.p < 0.01
    assert [number.name for number in checked.numbers] == ["always_one_answer_accuracy_no_yes"]


def test_an_option_that_abstains_is_no_place():
    """The option "I do not know" is not counted."""
    options = (Option("I do not know", abstains=True), Option("Mass"), Option("Cyst"))
    checked = look(NAME, [Item(str(n), f"What is {n}?", options, 1 + n % 2) for n in range(40)])
    assert "50%" in checked.findings[0].sentence
    assert checked.numbers[0].name == "always_one_place_accuracy_2"
