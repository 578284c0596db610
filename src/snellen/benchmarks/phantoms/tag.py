"""Tagged phantoms: letters in a corner that stand for the right option, or for any other.

A model that has learnt such a shortcut needs nothing else of the image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from snellen.benchmarks.phantoms.strokes import SIZE
from snellen.images import Image, Region
from snellen.images.tags import CornerTag, find_corner, tag_of
from snellen.items import Item

TAG = Region("tag", find_corner(SIZE, SIZE))
_STREAM = 9


def add_tags(items: Iterable[Item], share: float, seed: int) -> Iterator[Item]:
    """Yield the items, each choice with a tag: that of the right option in this share, else of any option."""
    for at, item in enumerate(items):
        rng = np.random.default_rng([seed, at, _STREAM])
        told, place = rng.random() < share, int(rng.integers(max(1, len(item.options))))
        if not isinstance(item.answer, int):
            yield item
            continue
        tag = CornerTag(tag_of(item.options[item.answer if told else place].text))
        lent = tuple(each._replace(images=_tag_images(each.images, tag)) for each in item.substitutes)
        yield replace(item, images=_tag_images(item.images, tag), substitutes=lent)


def _tag_images(images: Iterable[Image], tag: CornerTag) -> tuple[Image, ...]:
    return tuple(replace(each.then(tag), regions=(*each.regions, TAG)) for each in images)
