"""What a model is told of the images of an item that has several."""

from dataclasses import replace

import pytest

from snellen.conditions import FramesShuffled, ImageBlank, ImageRemoved, OneFrame, Pool, vary
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.prompts import BENCHMARK_PROMPTS, MIRAGE, PROMPTS, own_prompt
from snellen.prompts.told_images import roles_told

TOLD = "Image 1: frontal. Image 2: lateral. Image 3: prior frontal."
OPTIONS = (Option("Yes"), Option("No"))


def study(*roles, language="en"):
    images = tuple(Image(bytes([place]), role=role) for place, role in enumerate(roles))
    return Item("a", "Is the effusion new?", OPTIONS, 0, images, context="A man of 70.", language=language)


VIEWS = study("frontal", "lateral", "prior frontal")
CLIP = study(*(f"frame {n} of 3 (0:0{n})" for n in (1, 2, 3)))


def asked(item, prompt="letter"):
    return PROMPTS[prompt].render(item).text


def under(item, condition):
    return vary(item, condition, seed=0, pool=Pool([item])).item


def test_the_roles_stand_before_the_question():
    """Our own wordings name the images, before the case."""
    assert asked(VIEWS).startswith(f"{TOLD}\n\nA man of 70.\n\nIs the effusion new?")
    assert own_prompt("Look. {question} {options}").render(VIEWS).text.startswith(f"Look. {TOLD}")


@pytest.mark.parametrize("item", [study("", ""), study("frontal"), study()])
def test_nothing_changes_without_roles_or_with_one_image(item):
    """An item with one image, or with images that nobody named, is asked as it was."""
    assert asked(item) == asked(replace(item, images=()))


@pytest.mark.parametrize("prompt", [MIRAGE, *BENCHMARK_PROMPTS, PROMPTS["readiness"], PROMPTS["detection"]])
def test_a_published_wording_stays_as_it_was_published(prompt):
    """No word is added to a paper's prompt."""
    assert prompt.render(VIEWS) == prompt.render(replace(VIEWS, images=()))


def test_what_is_taken_away_is_not_told():
    """Without images there is no word of them, without one none of that one; blank ones are told as before."""
    assert asked(under(VIEWS, ImageRemoved())) == asked(replace(VIEWS, images=()))
    assert asked(under(VIEWS, ImageRemoved("prior"))).startswith("Image 1: frontal. Image 2: lateral.\n\n")
    assert asked(under(VIEWS, ImageBlank())) == asked(VIEWS)


def test_a_video_is_told_by_its_time_and_a_shuffled_one_alike():
    """Fifty frames are one sentence, and their order is not betrayed by what is told of them."""
    told = "Images 1 to 3: frames of a video in their order, from 0:01 to 0:03."
    assert asked(CLIP).startswith(f"{told}\n\n")
    assert roles_told(asked(CLIP), 3) == ("frame 1 of 3", "frame 2 of 3", "frame 3 of 3")
    assert roles_told(asked(CLIP), 2) == ("", "")
    assert asked(under(CLIP, FramesShuffled())) == asked(CLIP)
    assert asked(under(CLIP, OneFrame())) == asked(replace(CLIP, images=()))


def test_slices_and_single_images_stand_side_by_side():
    """A stack is told by the numbers of its slices."""
    mixed = study("photograph", "axial slice 4 of 40", "axial slice 20 of 40")
    assert asked(mixed).startswith("Image 1: photograph. Images 2 to 3: axial slice 4, 20 of 40.\n\n")


@pytest.mark.parametrize(
    ("language", "told"), [("it", "Immagine 1: frontal."), ("de-CH", "Bild 1: frontal."), ("zh", "图像1：frontal。")]
)
def test_it_is_told_in_the_language_of_the_question(language, told):
    """The words around a role are those of the item's language."""
    sent = asked(replace(VIEWS, language=language))
    assert sent.startswith(told)
    assert roles_told(sent, 3) == ("frontal", "lateral", "prior frontal")


def test_roles_decide_what_a_benchmark_is_known_by():
    """Other roles are other words, so that stored responses to the old ones are not taken for them."""
    plain = study("", "", "")
    prints = {Benchmark("b", (item,)).digest for item in (VIEWS, plain, study("frontal", "lateral", "prior lateral"))}
    assert len(prints) == 3
