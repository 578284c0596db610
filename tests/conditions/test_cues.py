"""Cues: they name an option without knowing the key, or point at the finding, elsewhere or a corner."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.conditions import AnswerCue, PlaceCue, Pool, condition_named, vary
from snellen.conditions.cues import choose_cue
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.images.regions import Box, Region
from snellen.items import Item, Option
from snellen.prompts import Arm
from snellen.testing import check_condition, check_no_key
from strategies import items

SIDES = (Option("Left"), Option("Right"), Option("I do not know", abstains=True))
BOX = Region("nodule", Box(20, 30, 40, 60))


def film(*regions):
    """An even image with regions."""
    return replace(Image(np.full((200, 200), 120, np.uint8)), regions=regions)


def varied(item, condition, seed=0):
    """The item with the cue."""
    return vary(item, condition, seed=seed, pool=Pool((item,))).item


def test_conditions_keep_the_laws_of_the_family():
    """No request depends on the answer key, although the cue names an option."""
    phantoms = load("phantoms:items=24").items
    for source in ("tag", "text", "hint"):
        for says in ("option", "nothing"):
            assert check_condition(AnswerCue(source, says), phantoms) == len(phantoms)
            check_no_key(Arm(AnswerCue(source, says)), phantoms[:4])
            assert condition_named(AnswerCue(source, says).label) == AnswerCue(source, says)
    for pointer in ("arrow", "frame", "heat-map"):
        for at in ("finding", "elsewhere", "corner"):
            assert check_condition(PlaceCue(pointer, at), phantoms) > 10


def test_a_cue_is_right_as_often_as_a_guess():
    """It names any real answer, the same for every kind of cue."""
    asked = [replace(item, options=SIDES, answer=at % 2) for at, item in enumerate(items(400, images=False))]
    named = Counter((choose_cue(item), item.answer) for item in asked)
    assert set(named) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert all(70 < number < 130 for number in named.values())


def test_what_each_cue_says():
    """A hint ends the question, in its language; a tag is the letter, words are the option; or neither names one."""
    item = replace(items(1)[0], options=SIDES, images=(film(),), id="x")
    named = choose_cue(item)
    hinted = varied(item, AnswerCue("hint"))
    assert hinted.question.startswith(f"{item.question}\n")
    assert hinted.question.endswith(f"the answer is: {SIDES[named].text}")
    assert "collega" in varied(replace(item, language="it"), AnswerCue("hint")).question
    assert "Left" not in varied(item, AnswerCue("hint", "nothing")).question
    steps = [varied(item, AnswerCue(source, says)).images[0].steps[0].words
             for source in ("tag", "text") for says in ("option", "nothing")]  # fmt: skip
    assert steps == ["AB"[named], "L", SIDES[named].text, "SER 7"]


def test_where_each_mark_points():
    """At the finding; at a free place of its size; at a corner. All marks share the place elsewhere."""
    item = Item("q", "What is it?", SIDES, 0, images=(film(BOX), film()))
    boxes = {
        at: varied(item, PlaceCue("frame", at)).images[0].steps[0].box for at in ("finding", "elsewhere", "corner")
    }
    assert boxes["finding"] == (20, 30, 40, 60)
    assert boxes["corner"] == (0, 0, 20, 30)
    left, top, right, bottom = boxes["elsewhere"]
    assert (right - left, bottom - top) == (20, 30)
    assert right <= 20 or left >= 40 or bottom <= 30 or top >= 60
    arrow = varied(item, PlaceCue("arrow", "elsewhere"))
    assert arrow.images[0].steps[0].box == boxes["elsewhere"]
    assert not arrow.images[1].steps


@pytest.mark.parametrize(
    ("item", "condition", "reason"),
    [
        (Item("q", "What is it?", kind="open", answer="x", images=(film(),)), AnswerCue(), "no options"),
        (Item("q", "What is it?", SIDES, 0), AnswerCue("text"), "no image to write on"),
        (Item("q", "What is it?", SIDES, 0, images=(film(),)), PlaceCue(), "no finding is marked"),
        (
            Item("q", "What is it?", SIDES, 0, images=(film(Region("mass", Box(0, 20, 200, 190))),)),
            PlaceCue(at="elsewhere"), "no room elsewhere",
        ),
    ],
)  # fmt: skip
def test_items_that_cannot_be_asked_are_left_out_with_the_reason(item, condition, reason):
    """Without options, image, marked finding or room."""
    with pytest.raises(Inapplicable, match=reason):
        varied(item, condition)


def test_settings_that_mean_nothing_are_refused():
    """With what was expected."""
    for settings in ({"source": "smell"}, {"says": "no"}):
        with pytest.raises(StudyError, match="Expected source"):
            AnswerCue(**settings)
    for settings in ({"pointer": "x"}, {"at": "x"}):
        with pytest.raises(StudyError, match="Expected pointer"):
            PlaceCue(**settings)
