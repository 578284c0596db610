"""Sentences that name the role and order of an item's images, if it has several.

Only our own wordings and those of a user contain them, before the question; published wordings are sent unchanged.
Items with one image, or without roles, need no such sentence. If a condition removes images, it removes their sentences
too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snellen.images.roles import InSeries, runs_of
from snellen.items import Item


class _ImageWords(NamedTuple):
    """One language's words for an image, several images, frames and a time span."""

    one: str
    several: str
    frames: str
    span: str


_WORDS: Mapping[str, _ImageWords] = {
    "en": _ImageWords(
        "Image {0}: {1}.", "Images {0} to {1}: {2}.", "frames of a video in their order", "from {0} to {1}"
    ),
    "it": _ImageWords(
        "Immagine {0}: {1}.", "Immagini da {0} a {1}: {2}.", "fotogrammi di un video nel loro ordine", "da {0} a {1}"
    ),
    "es": _ImageWords(
        "Imagen {0}: {1}.", "Imágenes {0} a {1}: {2}.", "fotogramas de un vídeo en su orden", "de {0} a {1}"
    ),
    "fr": _ImageWords(
        "Image {0} : {1}.", "Images {0} à {1} : {2}.", "images d'une vidéo dans leur ordre", "de {0} à {1}"
    ),
    "de": _ImageWords(
        "Bild {0}: {1}.",
        "Bilder {0} bis {1}: {2}.",
        "Einzelbilder eines Videos in ihrer Reihenfolge",
        "von {0} bis {1}",
    ),
    "zh": _ImageWords("图像{0}：{1}。", "图像{0}至{1}：{2}。", "按顺序排列的视频帧", "{0}至{1}"),
}


def told_images(item: Item) -> str:
    """Describe the roles of an item's images in its language; "" for one image.

    >>> from snellen.images import Image
    >>> views = tuple(Image(b"", role=role) for role in ("frontal", "prior frontal"))
    >>> told_images(Item("1", "Is it new?", images=views))
    'Image 1: frontal. Image 2: prior frontal.'
    """
    if len(item.images) < 2:
        return ""
    words = _WORDS.get(item.language.replace("_", "-").partition("-")[0].lower(), _WORDS["en"])
    said = []
    for places, series in runs_of(item.images):
        if len(places) > 1:
            said.append(words.several.format(places.start + 1, places.stop, _series(series, words)))
        elif role := " ".join(item.images[places.start].role.split()).rstrip("."):
            said.append(words.one.format(places.start + 1, role))
    return ("" if words is _WORDS["zh"] else " ").join(said)


def _series(series: Sequence[InSeries], words: _ImageWords) -> str:
    """Describe a series: frames by the time that they span, slices by their numbers.

    >>> _series([InSeries("axial slice", number, 40) for number in (4, 20, 36)], _WORDS["en"])
    'axial slice 4, 20, 36 of 40'
    >>> _series([InSeries("frame", 1, 2, "0:05"), InSeries("frame", 2, 2, "0:15")], _WORDS["en"])
    'frames of a video in their order, from 0:05 to 0:15'
    """
    first, last = series[0], series[-1]
    if first.what == "frame" and first.moment:
        comma = "，" if words is _WORDS["zh"] else ", "
        return f"{words.frames}{comma}{words.span.format(first.moment, last.moment)}"
    return f"{first.what} {', '.join(str(each.number) for each in series)} of {first.total}"


def roles_told(text: str, count: int) -> tuple[str, ...]:
    r"""Read the roles of images from a question's text; "" if there is none.

    >>> roles_told("Image 1: frontal. Image 2: prior frontal.\n\nIs it new?", 2)
    ('frontal', 'prior frontal')
    >>> roles_told("Image 1: scout. Images 2 to 3: axial slice 4, 20 of 40.\n\nWhere?", 3)
    ('scout', 'axial slice 4 of 40', 'axial slice 20 of 40')
    """
    roles = [""] * count
    for told in _TOLD.finditer(text):
        first = int(told["one"] or told["first"])
        last = int(told["last"] or first)
        if 1 <= first <= last <= count:
            roles[first - 1 : last] = _name_roles(told["said"], last - first + 1)
    return tuple(roles)


def _name_roles(said: str, count: int) -> list[str]:
    """Return the role of each image in a series, with its slice or frame number."""
    slices = _SLICES.fullmatch(said)
    numbers = slices["numbers"].split(", ") if slices else []
    if count == 1:
        return [said]
    if slices and len(numbers) == count:
        return [f"{slices['what']} {number} of {slices['total']}" for number in numbers]
    return [f"frame {number} of {count}" for number in range(1, count + 1)]


_SLICES = re.compile(r"(?P<what>.+?) (?P<numbers>\d+(?:, \d+)*) of (?P<total>\d+)")
_TOLD = re.compile(
    r"(?:(?:Image|Immagine|Imagen|Bild|图像) ?(?P<one>\d+)|"
    r"(?:Images|Immagini|Imágenes|Bilder|图像) ?(?:da )?(?P<first>\d+)(?: (?:to|a|à|bis) |至)(?P<last>\d+))"
    r" ?[:：] ?(?P<said>.+?)(?:\.(?= |\n|$)|。)",
    re.MULTILINE,
)
