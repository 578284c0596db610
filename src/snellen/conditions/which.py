"""Which of an item's images a condition changes: all of them, the first, the last, or those of a role."""

from __future__ import annotations

import re

from snellen.errors import Inapplicable, StudyError
from snellen.images.roles import of_role
from snellen.items import Item

ALL = "all"
_BY_PLACE = {"first": 0, "last": -1}
_NAME = re.compile(r"[^\W_][\w-]*")


def check_which(which: str) -> None:
    """Refuse what can be no part of a condition's name."""
    if not isinstance(which, str) or not _NAME.fullmatch(which):
        raise StudyError(
            f"Expected which to be all, first, last or a role such as prior, lateral or prior-frontal; got {which!r}."
        )


def chosen(item: Item, which: str) -> frozenset[int]:
    """The places of the images that are changed; Inapplicable where the item has none such, or none that would stay."""
    number = len(item.images)
    if which == ALL:
        return frozenset(range(number))
    if number < 2:
        raise Inapplicable(f"it has {'one image' if number else 'no image'}, and {which!r} is one of several")
    places = [_BY_PLACE[which] % number] if which in _BY_PLACE else of_role(item.images, which)
    if not places:
        raise Inapplicable(f"none of its {number} images is told to be {which!r}")
    if len(places) == number:
        raise Inapplicable(f"all of its {number} images are {which!r}, so that none would stay as it is")
    return frozenset(places)


def in_words(which: str) -> str:
    """The images that are changed, in a sentence.

    >>> in_words("all"), in_words("prior-frontal")
    ('the image', 'the prior frontal image')
    """
    return "the image" if which == ALL else f"the {which.replace('-', ' ')} image"
