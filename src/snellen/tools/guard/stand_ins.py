"""Stand-ins: images that take the place of a patient's in an extra call; drawn, or the user's own for this purpose.

No image of a query is ever kept, so none can stand in for that of another.
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
from snellen.perturb.modalities import modalities_of
from snellen.perturb.words import lettered

PHANTOM = "phantom"
_DRAWN = {"x-ray": CHEST_XRAY, "mri": BRAIN_MRI, "oct": OCT, "fundus": FUNDUS}
_OF_BODY = {
    "x-ray": re.compile(r"\b(?:chest|thora\w*|torac\w*|torax|lungs?|pulmon\w*|polmon\w*|pleur\w*|cxr)\b|胸|肺"),
    "mri": re.compile(r"\b(?:brain|head|cerebr\w*|cranial|encephal\w*|encefal\w*|cervello|hirn\w*)\b|脑|头"),
}
"""The part of the body that is drawn, where a kind of image shows others too."""
_SEED = 21
_IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")

StandIns = Callable[[str, int], EncodedImage | None]
"""The stand-in for a question's image, chosen by a number; None where there is none of that kind."""


def stand_ins(named: str) -> StandIns:
    """Drawn images for `phantom`, else the images of a folder."""
    return drawn_phantom if named == PHANTOM else Folder.read(Path(named))


def drawn_phantom(question: str, number: int) -> EncodedImage | None:
    """A drawn image of the kind that the words name; None where they name none, several, or one that is not drawn.

    >>> drawn_phantom("Does this mammogram show a mass?", 0) is None
    True
    """
    named = modalities_of(question) - {"photograph"}
    if len(named) != 1 or (kind := _DRAWN.get(min(named))) is None:
        return None
    part = _OF_BODY.get(min(named))
    return _phantom(kind, number % len(kind.names)) if part is None or part.search(lettered(question)) else None


@cache
def _phantom(kind: Modality, number: int) -> EncodedImage:
    rng = np.random.default_rng([_SEED, number])
    return Image(with_finding(kind, kind.names[number], rng)).encoded()


def draw_all() -> None:
    """Draw every phantom now, so that no query waits for one."""
    for kind in _DRAWN.values():
        for number in range(len(kind.names)):
            _phantom(kind, number).base64  # noqa: B018 - encoded once, here


@dataclass(frozen=True)
class Folder:
    """Images of a folder. Those of a subfolder stand in only where the question has the subfolder's name in it."""

    kinds: tuple[tuple[str, tuple[EncodedImage, ...]], ...]

    @classmethod
    def read(cls, folder: Path) -> Folder:
        """The images in a folder and its subfolders; raises SnellenError where there are none or one is no image."""
        if not folder.is_dir():
            raise SnellenError(f"Expected --stand-in phantom, or a folder of images; there is no folder {folder}.")
        subfolders = sorted(each for each in folder.iterdir() if each.is_dir())
        named = [(_spaced(each.name), _images(each)) for each in subfolders]
        kinds = tuple((name, images) for name, images in [*named, ("", _images(folder))] if images)
        if not kinds:
            raise SnellenError(f"The folder {folder} holds no image that could stand in ({', '.join(_IMAGES)}).")
        return cls(kinds)

    def __call__(self, question: str, number: int) -> EncodedImage | None:
        """One of the images of the kind that the words name, else one of those without a kind."""
        words = _spaced(question)
        for name, images in self.kinds:
            if not name or name in words:
                return images[number % len(images)]
        return None


def _spaced(text: str) -> str:
    """The words of a text with a space around each.

    >>> _spaced("Chest X-ray, please")
    ' chest x ray please '
    """
    words = re.findall(r"[^\W_]+", lettered(text))
    return f" {' '.join(words)} "


def _images(folder: Path) -> tuple[EncodedImage, ...]:
    paths = sorted(each for each in folder.iterdir() if each.suffix.lower() in _IMAGES)
    try:
        return tuple(Image(path).encoded() for path in paths)
    except ImageError as error:
        raise SnellenError(f"An image of --stand-in cannot be used: {error}") from error
