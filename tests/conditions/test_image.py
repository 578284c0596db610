"""Conditions on the image."""

from dataclasses import replace

import pytest

from snellen.conditions import IMAGE_REMOVED, NO_IMAGE, ImageBlank, ImportedCondition, Pool, vary
from snellen.errors import Inapplicable
from strategies import items, picture


def test_an_image_that_is_not_there_cannot_be_removed():
    """Items without an image are left out with a reason, not passed through."""
    item = items(1, images=False)[0]
    with pytest.raises(Inapplicable, match="no image to remove"):
        vary(item, IMAGE_REMOVED, seed=0, pool=Pool([item]))


def test_an_imported_arm_cannot_be_asked_again():
    """Nobody here knows what was done under it."""
    item = items(1)[0]
    with pytest.raises(Inapplicable, match="'with-tool' was imported"):
        vary(item, ImportedCondition("with-tool"), seed=0, pool=Pool([item]))


def test_an_item_with_an_image_is_not_asked_as_one_without():
    """Taking the image away is another condition; an item without one stays as it is."""
    with_image, without = items(1)[0], items(1, images=False)[0]
    with pytest.raises(Inapplicable, match="use the condition image-removed"):
        vary(with_image, NO_IMAGE, seed=0, pool=Pool([with_image]))
    assert vary(without, NO_IMAGE, seed=0, pool=Pool([without])).item == without


@pytest.mark.parametrize("size", ["kept", "placeholder"])
def test_every_image_has_noise_of_its_own(size):
    """Another item, another image of it and another seed show other noise; what is told of an image stays."""
    one, two = (replace(item, images=(picture(1), replace(picture(1), role="lateral"))) for item in items(2))
    made = [
        vary(each, ImageBlank("noise", size), seed=seed, pool=Pool([each])).item
        for each in (one, two)
        for seed in (0, 1)
    ]
    assert len({image.encoded().sha256 for item in made for image in item.images}) == 8
    assert [image.role for image in made[0].images] == ["", "lateral"]
