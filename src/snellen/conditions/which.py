"""Image selection: the images that a condition changes, by position or role."""

from __future__ import annotations

import re

from snellen.errors import Inapplicable, StudyError
from snellen.images.roles import of_role
from snellen.items import Item

ALL = "all"
_BY_PLACE = {"first": 0, "last": -1}
_NAME = re.compile(r"[^\W_][\w-]*")


def check_which(which: str) -> None:
    """Raise StudyError if `which` cannot be part of a condition's name."""
    if not isinstance(which, str) or not _NAME.fullmatch(which):
        raise StudyError(
            f"Expected which to be all, first, last or a role such as prior, lateral or prior-frontal; got {which!r}."
        )


def choose_images(item: Item, which: str) -> frozenset[int]:
    """Return the positions of the images to change. Raise Inapplicable if none or all match.

    With `which=all`, all images are chosen.
    """
    number = len(item.images)
    if which == ALL:
        return frozenset(range(number))
    if number < 2:
        raise Inapplicable(f"it has {'one image' if number else 'no image'}, but {which!r} needs several")
    places = [_BY_PLACE[which] % number] if which in _BY_PLACE else of_role(item.images, which)
    if not places:
        raise Inapplicable(f"none of its {number} images is labelled {which!r}")
    if len(places) == number:
        raise Inapplicable(f"all of its {number} images are {which!r}, so none would stay unchanged")
    return frozenset(places)


def in_words(which: str) -> str:
    """Name the changed images in a sentence.

    >>> in_words("all"), in_words("prior-frontal")
    ('the image', 'the prior frontal image')
    """
    return "the image" if which == ALL else f"the {which.replace('-', ' ')} image"
