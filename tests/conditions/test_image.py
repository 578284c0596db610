"""Conditions on the image."""

import pytest

from snellen.conditions import IMAGE_REMOVED, Given, Pool, vary
from snellen.errors import Inapplicable
from strategies import items


def test_an_image_that_is_not_there_cannot_be_removed():
    """Items without an image are left out with a reason, not passed through."""
    item = items(1, images=False)[0]
    with pytest.raises(Inapplicable, match="no image to remove"):
        vary(item, IMAGE_REMOVED, seed=0, pool=Pool([item]))


def test_an_imported_arm_cannot_be_asked_again():
    """Nobody here knows what was done under it."""
    item = items(1)[0]
    with pytest.raises(Inapplicable, match="'with-tool' was imported"):
        vary(item, Given("with-tool"), seed=0, pool=Pool([item]))
