"""Item album: items as a page shows them, with question, key and a small image."""

from __future__ import annotations

from hashlib import sha256

from snellen.errors import ImageError
from snellen.images import Image, preview
from snellen.items import Item
from snellen.report.components import Cell, rich
from snellen.report.evidence.album import AlbumPicture
from snellen.report.words.numbers import shorten_text
from snellen.tools.audit.audit import Audit
from snellen.tools.audit.audited import name_key
from snellen.tools.audit.identifying import identifying_words, without_identifiers

SIDE, HEIGHT, MOST = 160, 72, 120
"""Pixels of the longer side of a small image, its height on the page, and how many a page holds."""
LONGEST = 200
"""Characters of a question that are shown."""


class ItemAlbum:
    """The items of a page: question, key and thumbnail, if texts may be shown."""

    def __init__(self, audit: Audit, *, quotes: bool) -> None:
        self.quotes = quotes
        self._small: dict[str, AlbumPicture | None] = {}
        self._seeing = {each.check for each in audit.checked if each.looked_at} & {"missing-images", "shared-images"}

    @property
    def pictures(self) -> list[AlbumPicture]:
        """The small images that the page shows."""
        return [each for each in self._small.values() if each]

    def draw_head(self, item_id: str, item: Item | None) -> Cell:
        """The head of an item's row."""
        name = rich("`{}`", item_id)
        if item is None or not self.quotes:
            return Cell(name)
        known = identifying_words((item,))
        question = shorten_text(without_identifiers(" ".join(item.question.split()), known), LONGEST)
        key = shorten_text(without_identifiers(name_key(item), known), LONGEST)
        small = self._shrink(item.images[0]) if item.images else None
        image = (Cell(drawing=small.draw("the item's image", height=HEIGHT)),) if small else ()
        return Cell(name, note=rich("{} **Key:** {}", question, key), lines=image)

    def _shrink(self, image: Image) -> AlbumPicture | None:
        if not self._seeing:  # the images of a benchmark that came without them are not looked for here
            return None
        try:
            name = sha256(image.fingerprint.encode()).hexdigest()
            if name not in self._small:
                if len(self.pictures) >= MOST:
                    return None
                small = preview(image.encoded().data, SIDE, name=image.name)
                self._small[name] = AlbumPicture(
                    name, data=small.data, media_type=small.media_type, width=small.width, height=small.height
                )
        except (ImageError, OSError):
            return None
        return self._small[name]
