"""Which of several images a condition changes."""

from dataclasses import replace
from functools import partial

import pytest

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ImageBlank, ImageDegraded, ImageRemoved, Pool, vary
from snellen.conditions import condition_named as named
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image, encode
from snellen.items import Item, Option
from snellen.prompts import Arm
from snellen.report.words.arms import words_of
from snellen.stress.taxonomy import hides_image
from snellen.testing import check_condition

ROLES = ("frontal", "lateral", "prior frontal")


def study(roles=ROLES):
    """A chest X-ray in several views, of which one is older."""
    import numpy as np

    images = tuple(
        Image(encode(np.full((8, 8), 30 * place, np.uint8)).data, role=role) for place, role in enumerate(roles)
    )
    return Item("a", "Is the effusion new?", (Option("Yes"), Option("No")), 0, images)


def roles_left(condition, item=None):
    item = item or study()
    return [image.role for image in vary(item, condition, seed=0, pool=Pool([item])).item.images]


@pytest.mark.parametrize(
    ("which", "left"),
    [
        ("first", ["lateral", "prior frontal"]),
        ("last", ["frontal", "lateral"]),
        ("prior", ["frontal", "lateral"]),
        ("frontal", ["lateral", "prior frontal"]),
        ("prior-frontal", ["frontal", "lateral"]),
    ],
)
def test_removing_one_leaves_the_others_in_their_order(which, left):
    """By place, by the whole role, or by a word of it."""
    assert roles_left(ImageRemoved(which)) == left


@pytest.mark.parametrize("condition", [ImageBlank(which="lateral"), ImageDegraded("noise", "strong", which="lateral")])
def test_changing_one_leaves_the_others_as_they_are(condition):
    """Blank or degraded is the lateral view alone, and it is changed as it would be among all."""
    item = study()
    changed = vary(item, condition, seed=0, pool=Pool([item])).item.images
    whole = vary(item, replace(condition, which="all"), seed=0, pool=Pool([item])).item.images
    assert changed == (item.images[0], whole[1], item.images[2])
    assert [image.role for image in changed] == list(ROLES)


@pytest.mark.parametrize(
    ("which", "roles", "reason"),
    [
        ("prior", ("frontal", "lateral"), "none of its 2 images is labelled 'prior'"),
        ("first", ("frontal",), "it has one image, but 'first' needs several"),
        ("frontal", ("frontal", "frontal"), "all of its 2 images are 'frontal'"),
    ],
)
def test_an_item_without_such_an_image_is_left_out_with_a_reason(which, roles, reason):
    """Nothing else is removed in its place."""
    with pytest.raises(Inapplicable, match=reason):
        roles_left(ImageRemoved(which), study(roles))


def test_the_contract_of_conditions_is_kept():
    """Input untouched, repeatable, replayable."""
    for condition in (ImageRemoved("prior"), ImageBlank("noise", which="first"), ImageDegraded("blur", which="last")):
        assert check_condition(condition, [study()]) == 1


def test_what_changes_all_images_is_known_by_what_it_was():
    """Stored responses are found again: names, identities and draws of whole conditions have not changed."""
    assert (IMAGE_REMOVED.label, IMAGE_REMOVED.identity) == ("image-removed", "image-removed{}")
    assert IMAGE_BLANK.identity == 'image-blank{"fill":"white","size":"kept"}'
    assert ImageDegraded("noise").identity == 'degraded{"artefact":"noise","scale":"kept","strength":"weak"}'
    assert ImageBlank("noise").stream == ImageBlank("noise").identity == ImageBlank("noise", which="last").stream


@pytest.mark.parametrize(
    "label", ["image-removed:which=prior", "image-blank:fill=noise,which=first", "degraded:noise,strong,which=last"]
)
def test_names_are_read_back(label):
    """A label makes the condition that has it."""
    assert named(label).label == label


@pytest.mark.parametrize("which", ["", "a b", "prior,x", "which=prior", "a+b"])
def test_what_can_be_no_part_of_a_name_is_refused(which):
    """A role with several words is written with hyphens."""
    for condition in (ImageRemoved, ImageBlank, partial(ImageDegraded, "noise")):
        with pytest.raises(StudyError, match="Expected which to be all, first, last or a role"):
            condition(which=which)


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("image-removed:which=prior", "The same words, without the prior image; the other images unchanged."),
        ("image-blank:which=first", "The same words, with the first image blank; the other images unchanged."),
        ("degraded:noise,weak,which=last", "The same words, the last image degraded: noise, weak, last image alone."),
    ],
)
def test_a_report_says_which_image_was_changed(label, words):
    """The words of a condition on one of several images do not say that all were changed."""
    assert words_of(Arm(named(label))) == words


def test_a_model_that_was_left_some_images_is_not_said_to_have_seen_none():
    """What it describes then may have been seen."""
    assert hides_image("image-removed")
    assert not hides_image("image-removed:which=prior")
    assert not hides_image("original+image-blank:which=first")
