"""Window: the same CT scan in another window, such as lung or bone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.errors import ImageError, Inapplicable, StudyError
from snellen.images import Image
from snellen.images.windows import AUTO, Windowed, window_called
from snellen.items import Item


@dataclass(frozen=True)
class OtherWindow(Condition):
    """The same words and scan under another window of CT: `lung`, `bone`, `soft-tissue`.

    Every image of the item that is a CT scan in Hounsfield units is drawn anew from its file; others stay as they are.
    """

    name: ClassVar[str] = "window"
    declared: ClassVar[Effects] = Effects("altered", makes_image=True, shown="shown the image in another window")

    window: str

    def __post_init__(self) -> None:
        try:
            if self.window == AUTO:
                raise ImageError(f"{AUTO} is not a CT window")
            window_called(self.window)
        except ImageError as error:
            raise StudyError(f"The condition {self.name}:{self.window} cannot be made: {error}.") from error

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with its CT scans in the other window."""
        if not item.images:
            raise Inapplicable("the item has no image to show by another window")
        shown = [_apply_window(image, self.window) for image in item.images]
        if all(isinstance(each, str) for each in shown):
            raise Inapplicable(str(shown[0]))
        images = (image if isinstance(each, str) else each for image, each in zip(item.images, shown, strict=True))
        return replace(item, images=tuple(images))

    @cached_property
    def label(self) -> str:
        """Name with the window."""
        return f"{self.name}:{self.window}"

    @property
    def in_words(self) -> str:
        """Words with the window."""
        return f"under the {self.window} window"


def _apply_window(image: Image, window: str) -> Image | str:
    """Return an image in another window, or the reason why it has none."""
    if not isinstance(image.source, Windowed):
        return "its image has no stored values; only a scan in a DICOM or NIfTI file has windows"
    try:
        return replace(image, source=image.source.with_window(window))
    except Inapplicable as reason:
        return str(reason)
