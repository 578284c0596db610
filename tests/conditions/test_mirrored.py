"""Mirrored images: the key changes sides with the image, or the item is left out; twice is as before."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.conditions import ImageMirrored, Pool, vary
from snellen.errors import Inapplicable
from snellen.items import Item, Option
from snellen.testing import check_condition
from strategies import picture

SIDES = ("left", "right")


def varied(item, condition=ImageMirrored(), pool=()):  # noqa: B008 - a frozen record
    """The item under the condition; None where it is left out."""
    try:
        return vary(item, condition, seed=0, pool=Pool(pool or (item,))).item
    except Inapplicable:
        return None


@pytest.mark.parametrize("language", ["en", "it", "zh"])
def test_phantoms_know_the_truth_about_themselves(language):
    """The new key is what a drawing with its sides exchanged would show, in every language that phantoms speak."""
    swapped = 0
    for item in load(f"phantoms:items=144,language={language}"):
        made, shown = varied(item), item.images[0].source
        kind, drawn = item.metadata["question_kind"], f"{shown.side} {shown.location}"
        sided = kind in ("side", "location") and any(side in drawn.split() for side in SIDES)
        if kind == "location" and item.category == "fundus photograph":
            sided = False  # nasal stays nasal: the eye becomes the other one
        if made is not None and made.answer != item.answer:
            swapped += 1
            assert sided, item
            assert {made.options[made.answer].text, made.options[item.answer].text} <= {o.text for o in item.options}
        elif made is not None and kind == "side":
            assert shown.side not in SIDES, item
    assert swapped >= 24


def test_twice_mirrored_is_the_item_itself():
    """Image, key and references come back; the id is kept, the input untouched."""
    answers = {"answers": ["Left lung", "the left one"]}
    open_one = Item("o", "Which lung?", answer="Left lung", images=(picture(3),), kind="open", metadata=answers)
    made = varied(open_one)
    assert (made.answer, made.metadata["answers"]) == ("Right lung", ["Right lung", "the right one"])
    assert open_one.metadata == answers
    for item in (open_one, *load("phantoms:items=24")):
        made = varied(item)
        if made is not None:
            assert varied(made) == item
            assert made.id == item.id
            assert np.array_equal(made.images[0].pixels(), item.images[0].pixels()[:, ::-1])


def test_only_questions_about_sides_where_these_are_wanted():
    """Others are left out with the reason, and the laws hold."""
    items = load("phantoms:items=48").items
    wanted = ImageMirrored("sides")
    both = [item for item in items if varied(item) is not None]
    assert check_condition(wanted, items) == sum(varied(item).answer != item.answer for item in both) < len(both)


def test_another_question_may_prove_the_answer():
    """What is right of the image's other side is right of this side in a mirror; one answer alone proves nothing."""
    options = (Option("Yes"), Option("No"))
    left = Item("1", "Is there an effusion on the left?", options, 0, images=(picture(1),))
    right = replace(left, id="2", question="Is there an effusion on the right?", answer=1)
    elsewhere = replace(right, images=(picture(2),))
    assert varied(left, pool=(left, right)).answer == 1
    assert varied(right, pool=(left, right)).answer == 0
    assert varied(left, pool=(left, replace(right, answer=0))).answer == 0
    assert varied(left, pool=(left, elsewhere)) is None
    assert varied(left, pool=(left, replace(right, context="The effusion was drained."))) is None
    assert varied(left, pool=(left, right, replace(right, id="3", answer=0))) is None
