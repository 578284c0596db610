"""Roles of a row's images: the view or the study that each is, where a column or the image's own record tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from snellen.benchmarks.answers import from_json
from snellen.errors import DataError
from snellen.images import Image

COLUMNS = ("image_roles", "roles", "image_views", "views", "view_positions", "ImageViewPosition", "ViewPosition")
"""Lists with a text for each image of the row."""
_FIELDS = ("role", "view", "view_position", "ViewPosition")
_POSITIONS = {"pa": "frontal (PA)", "ap": "frontal (AP)", "ll": "lateral", "rl": "lateral", "lat": "lateral"}
"""The view positions of DICOM, in words."""


def with_roles(
    references: Sequence[object], opened: Sequence[tuple[Image, ...]], row: Mapping[str, Any]
) -> tuple[Image, ...]:
    """The images of all references, each with its role.

    A role is told by the image's record (`role`, `view`) or by a column with one for each reference. The frames or
    slices of a file have their own, which stays behind what the row tells.
    """
    if row.keys().isdisjoint(COLUMNS) and all(type(each) is str for each in references):
        return opened[0] if len(opened) == 1 else tuple([image for images in opened for image in images])
    told = [_of_record(reference) for reference in references]
    if not any(told) and not row.keys().isdisjoint(COLUMNS):
        listed = (_listed(row[name], len(told)) for name in COLUMNS if name in row)
        told = next(filter(None, listed), told)
    return tuple(
        [
            replace(image, role=" ".join(filter(None, (role, image.role)))) if role else image
            for role, images in zip(told, opened, strict=True)
            for image in images
        ]
    )


def _of_record(reference: object) -> str:
    if isinstance(reference, str) or not isinstance(reference, Mapping):
        return ""
    return next((_role(reference[name]) for name in _FIELDS if isinstance(reference.get(name), str)), "")


def _listed(value: object, number: int) -> list[str]:
    """A text for each image; nothing where a column is something else, such as a number of views."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(DataError):
            value = from_json(value, "views")
    if not isinstance(value, list) or len(value) != number:
        return []
    return [_role(each) for each in value] if all(each is None or isinstance(each, str) for each in value) else []


def _role(told: object) -> str:
    """A role as it is told, on one line and not too long; a view position in words.

    >>> _role("PA"), _role(" prior  frontal ")
    ('frontal (PA)', 'prior frontal')
    """
    text = " ".join(str(told or "").split())[:80]
    return _POSITIONS.get(text.lower(), text)
