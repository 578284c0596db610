"""Stand-in images for the guard's extra calls: phantoms, or images of the user.

A stand-in never comes from another query: the guard keeps no image of any query.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from snellen.benchmarks.phantoms.catalogue import BRAIN_MRI, CHEST_XRAY, FUNDUS, OCT, Modality
from snellen.benchmarks.phantoms.patients import with_finding
from snellen.errors import ImageError, SnellenError
from snellen.images import EncodedImage, Image
from snellen.perturb.topics import modalities_of
from snellen.perturb.words import simplify_text

PHANTOM = "phantom"
_DRAWN = {"x-ray": CHEST_XRAY, "mri": BRAIN_MRI, "oct": OCT, "fundus": FUNDUS}
_OF_BODY = {
    "x-ray": re.compile(r"\b(?:chest|thora\w*|torac\w*|torax|lungs?|pulmon\w*|polmon\w*|pleur\w*|cxr)\b|胸|肺"),
    "mri": re.compile(r"\b(?:brain|head|cerebr\w*|cranial|encephal\w*|encefal\w*|cervello|hirn\w*)\b|脑|头"),
}
"""Words for the body part of a phantom, if its image type also shows other parts."""
_SEED = 21
_IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")

StandIns = Callable[[str, int], EncodedImage | None]
"""Function from a question and a number to a stand-in image; None if no image fits."""


def stand_ins(named: str) -> StandIns:
    """Return a source of stand-ins: phantoms for `phantom`, otherwise the images of a folder."""
    return draw_phantom if named == PHANTOM else Folder.read(Path(named))


def draw_phantom(question: str, number: int) -> EncodedImage | None:
    """Return a phantom of the image type named in the question, or None.

    >>> draw_phantom("Does this mammogram show a mass?", 0) is None
    True
    """
    named = modalities_of(question) - {"photograph"}
    if len(named) != 1 or (kind := _DRAWN.get(min(named))) is None:
        return None
    part = _OF_BODY.get(min(named))
    return _phantom(kind, number % len(kind.names)) if part is None or part.search(simplify_text(question)) else None


@cache
def _phantom(kind: Modality, number: int) -> EncodedImage:
    rng = np.random.default_rng([_SEED, number])
    return Image(with_finding(kind, kind.names[number], rng)).encoded()


def draw_all() -> None:
    """Draw and cache every phantom now, so that no query waits for one."""
    for kind in _DRAWN.values():
        for number in range(len(kind.names)):
            _phantom(kind, number).base64  # noqa: B018 - encoded once, here


@dataclass(frozen=True)
class Folder:
    """Images of a folder. Those in a subfolder are used only if the question contains its name."""

    kinds: tuple[tuple[str, tuple[EncodedImage, ...]], ...]

    @classmethod
    def read(cls, folder: Path) -> Folder:
        """Read the images in a folder and its subfolders; raise SnellenError if one is unreadable."""
        if not folder.is_dir():
            raise SnellenError(f"Expected --stand-in phantom, or a folder of images; there is no folder {folder}.")
        subfolders = sorted(each for each in folder.iterdir() if each.is_dir())
        named = [(_space_words(each.name), _images(each)) for each in subfolders]
        kinds = tuple((name, images) for name, images in [*named, ("", _images(folder))] if images)
        if not kinds:
            raise SnellenError(f"The folder {folder} contains no image file that can be used ({', '.join(_IMAGES)}).")
        return cls(kinds)

    def __call__(self, question: str, number: int) -> EncodedImage | None:
        """Return an image of the type that the question names, else one outside subfolders."""
        words = _space_words(question)
        for name, images in self.kinds:
            if not name or name in words:
                return images[number % len(images)]
        return None


def _space_words(text: str) -> str:
    """Put a space around each word of a text.

    >>> _space_words("Chest X-ray, please")
    ' chest x ray please '
    """
    words = re.findall(r"[^\W_]+", simplify_text(text))
    return f" {' '.join(words)} "


def _images(folder: Path) -> tuple[EncodedImage, ...]:
    paths = sorted(each for each in folder.iterdir() if each.suffix.lower() in _IMAGES)
    try:
        return tuple(Image(path).encoded() for path in paths)
    except ImageError as error:
        raise SnellenError(f"An image of --stand-in cannot be used: {error}") from error
