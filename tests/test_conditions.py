"""Conditions: choosing apart from doing, the same draw anywhere."""

import subprocess
import sys
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, Condition, ImageBlank, Pool, generator, vary
from snellen.errors import Inapplicable
from snellen.stress.option_order import OptionsShuffled
from snellen.testing import check_condition
from strategies import choices, items

EVERY_CONDITION = [ORIGINAL, IMAGE_REMOVED, IMAGE_BLANK, ImageBlank("noise", "placeholder"), OptionsShuffled()]


@pytest.mark.parametrize("condition", EVERY_CONDITION, ids=lambda condition: condition.label)
@given(pool=st.lists(choices(images=True), min_size=1, max_size=5, unique_by=lambda item: item.id), seed=st.integers())
def test_every_condition_keeps_its_contract(condition, pool, seed):
    """Input untouched, id kept, repeatable, replayable, whatever the items."""
    check_condition(condition, pool, seed=seed)


@given(item=choices(), seed=st.integers(0, 2**32))
def test_shuffling_keeps_the_meaning_of_the_answer(item, seed):
    """The right option stays right, the options stay the same, their order does not."""
    shuffled = vary(item, OptionsShuffled(), seed=seed, pool=Pool([item])).item
    assert shuffled.options[shuffled.answer] == item.options[item.answer]
    assert sorted(option.text for option in shuffled.options) == sorted(option.text for option in item.options)
    assert shuffled.options != item.options


@pytest.mark.parametrize(
    "text", ["All of the above", "none of these", "B and C", "A, B and D", "Both A and B", "The above"]
)
def test_shuffling_leaves_out_options_that_point_at_others(text):
    """An option that refers to others by their place cannot be moved."""
    item = items(1)[0]
    item = replace(item, options=(*item.options[:-1], replace(item.options[-1], text=text)))
    with pytest.raises(Inapplicable, match="refers to others"):
        vary(item, OptionsShuffled(), seed=0, pool=Pool([item]))


@pytest.mark.parametrize("text", ["Above the diaphragm", "Vitamin A and D deficiency", "Both lungs", "Neither"])
def test_shuffling_takes_options_that_only_look_like_it(text):
    """Anatomy and vitamins are not references to other options."""
    item = items(1)[0]
    item = replace(item, options=(*item.options[:-1], replace(item.options[-1], text=text)))
    assert vary(item, OptionsShuffled(), seed=0, pool=Pool([item])).item.options != item.options


def test_an_image_that_is_not_there_cannot_be_removed():
    """Items without an image are left out with a reason, not passed through."""
    item = items(1, images=False)[0]
    with pytest.raises(Inapplicable, match="no image to remove"):
        vary(item, IMAGE_REMOVED, seed=0, pool=Pool([item]))


def test_a_draw_does_not_depend_on_the_process():
    """Another interpreter with another hash seed draws the same."""
    script = "from snellen.conditions import generator; print(generator(7, 'a', 'b').integers(1 << 60))"
    drawn = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert drawn == {f"{generator(7, 'a', 'b').integers(1 << 60)}\n"}


@given(st.integers(), st.text(max_size=8), st.text(max_size=8))
def test_seed_condition_and_item_all_matter(seed, one, two):
    """Different seeds or names, different streams."""
    first = generator(seed, "condition", one).integers(1 << 62)
    assert first != generator(seed + 1, "condition", one).integers(1 << 62)
    assert (one == two) == bool(first == generator(seed, "condition", two).integers(1 << 62))


def test_the_contract_notices_a_condition_that_breaks_it():
    """A condition that changes the id fails, and so does one that draws from outside its generator."""

    @dataclass(frozen=True)
    class Renames(Condition):
        """Changes the id."""

        name: ClassVar[str] = "renames"

        def apply(self, item, drawn):
            """Another id."""
            return replace(item, id="x")

    drawn = iter(range(1000))

    @dataclass(frozen=True)
    class Wanders(Condition):
        """Draws something else every time."""

        name: ClassVar[str] = "wanders"

        def draw(self, item, rng, pool):
            """The next number."""
            return {"number": next(drawn)}

        def apply(self, item, drawn):
            """The item."""
            return item

    with pytest.raises(AssertionError, match="changed the id"):
        check_condition(Renames(), items(2))
    with pytest.raises(AssertionError, match="draws 'q000' differently"):
        check_condition(Wanders(), items(2))
