"""Counterfactual conditions: the same patient with the finding changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from snellen.benchmarks import phantoms
from snellen.conditions import FindingEnlarged, FindingMoved, FindingRemoved, FindingReplaced, Pool, vary
from snellen.errors import Inapplicable
from snellen.items import Substitute
from snellen.testing import check_condition
from strategies import items, picture

ALL = (FindingRemoved(), FindingMoved(), FindingEnlarged(), FindingReplaced())


@pytest.mark.parametrize("condition", ALL, ids=lambda each: each.name)
def test_the_contract_of_conditions_is_kept(condition):
    """On counterfactual phantoms."""
    assert check_condition(condition, phantoms.load(task="counterfactual", items=12)) >= 2


@pytest.mark.parametrize("condition", ALL, ids=lambda each: each.name)
def test_image_and_answer_are_those_of_the_change(condition):
    """The right option is what the other image shows, and the image brings its own regions."""
    for item in phantoms.load(task="counterfactual", items=16):
        lent = [each for each in item.substitutes if each.change == condition.change]
        if not lent:
            with pytest.raises(Inapplicable, match=f"no image of the same patient with the finding {condition.change}"):
                vary(item, condition, seed=0, pool=Pool(()))
            continue
        made = vary(item, condition, seed=0, pool=Pool(())).item
        assert made.images == lent[0].images
        assert made.images[0].regions == lent[0].images[0].regions
        assert made.options[made.answer].text == lent[0].shows


def test_what_the_changed_image_shows_must_be_offered():
    """Otherwise no option is right."""
    [item] = items(1)
    lent = Substitute((picture(9),), "something else", change="removed")
    with pytest.raises(Inapplicable, match="no option says"):
        vary(replace(item, substitutes=(lent,)), FindingRemoved(), seed=0, pool=Pool(()))
