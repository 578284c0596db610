"""Roles of images: a view, a prior study, or a frame or slice of a series."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.images.image import Image

_IN_SERIES = re.compile(
    r"(?P<what>(?:\S+ )*(?:frame|slice)) (?P<number>\d+) of (?P<total>\d+)(?: \((?P<moment>[\d:.]+)\))?"
)
_WORD = re.compile(r"[^\W_]+")


class InSeries(NamedTuple):
    """Position of an image in a video or stack. `moment` is its time in a video."""

    what: str
    number: int
    total: int
    moment: str = ""


def in_series(role: str) -> InSeries | None:
    """Return the position in a series that a role gives; None if it gives none.

    >>> in_series("frame 3 of 50 (0:12)")
    InSeries(what='frame', number=3, total=50, moment='0:12')
    >>> in_series("prior (2019) axial slice 12 of 40").what, in_series("prior frontal")
    ('prior (2019) axial slice', None)
    """
    found = _IN_SERIES.fullmatch(role)
    return found and InSeries(found["what"], int(found["number"]), int(found["total"]), found["moment"] or "")


def series_in(images: Sequence[Image]) -> list[range]:
    """Return the positions of each video or stack among images: neighbours with growing numbers.

    >>> series_in([Image(b"", role=f"frame {n} of 2") for n in (1, 2, 1, 2)])
    [range(0, 2), range(2, 4)]
    """
    return [run for run, series in runs_of(images) if series]


def kinds_of_series(images: Sequence[Image]) -> frozenset[str]:
    """Return the kinds of series among the images: frames of videos, slices of stacks.

    >>> sorted(kinds_of_series([Image(b"", role="axial slice 3 of 9"), Image(b"", role="frontal")]))
    ['slice']
    """
    return frozenset(series.what.rpartition(" ")[2] for image in images if (series := in_series(image.role)))


def runs_of(images: Sequence[Image]) -> Iterator[tuple[range, tuple[InSeries, ...]]]:
    """Group the images in order: each series with its positions, any other image alone."""
    start = 0
    found = [in_series(image.role) for image in images]
    while start < len(images):
        end = start + 1
        while end < len(images) and _follows(found[end - 1], found[end]):
            end += 1
        yield range(start, end), tuple(each for each in found[start:end] if each is not None)
        start = end


def _follows(before: InSeries | None, after: InSeries | None) -> bool:
    return (
        before is not None
        and after is not None
        and (before.what, before.total) == (after.what, after.total)
        and before.number < after.number
    )


def of_role(images: Sequence[Image], wanted: str) -> list[int]:
    """Return the positions of images with this role, or else with all its words.

    >>> views = [Image(b"", role=role) for role in ("frontal", "prior frontal", "Lateral view")]
    >>> of_role(views, "frontal"), of_role(views, "prior"), of_role(views, "lateral"), of_role(views, "axial")
    ([0], [1], [2], [])
    """
    words = _words(wanted)
    exact = [place for place, image in enumerate(images) if _words(image.role) == words]
    return exact or [place for place, image in enumerate(images) if words <= _words(image.role)]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
