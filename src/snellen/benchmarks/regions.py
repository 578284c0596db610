"""Regions of a benchmark's images: from a column, a COCO or YOLO file, or a mask file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

import orjson

from snellen.benchmarks.answers import as_text, from_json
from snellen.benchmarks.gallery import Gallery
from snellen.errors import DataError
from snellen.files import write_whole
from snellen.images import Box, Image, Mask, Polygon, Region, Unreadable, check

_SHAPES = ("box", "polygon", "mask")
_CLASS_NAMES = "classes.txt"
"""File beside YOLO files with the name of each class, a line each."""


def size_of(image: Image) -> tuple[int, int]:
    """Return an image's height and width, from its header if that is enough."""
    if image.is_file and (header := check(image.read(), name=image.name)).sendable:
        return header.height, header.width
    height, width = image.seen().pixels.shape[:2]
    return height, width


def add_regions(
    image: Image, regions: Sequence[Region], *, drawn_on: tuple[int, int] | None = None, in_shares: bool = False
) -> Image:
    """Return the image with regions; DataError if one of them does not fit.

    `drawn_on` is the height and width of the image on which they were drawn, if the benchmark states it.
    With `in_shares`, boxes are in shares of the image's width and height.
    """
    if not regions or isinstance(image.source, Unreadable):
        return image
    size = size_of(image)
    if drawn_on is not None and drawn_on != size:
        sizes = (f"{width:,} × {height:,}" for height, width in (drawn_on, size))
        raise DataError("its regions were drawn on {} pixels, its image has {}; use that image".format(*sizes))
    if in_shares:
        regions = [replace(each, shape=scale_box(each.shape.bounds, size)) for each in regions]
    if problem := next(filter(None, (region.problem(size) for region in regions)), None):
        raise DataError(problem)
    return replace(image, regions=(*image.regions, *regions))


def scale_box(shares: Sequence[float], size: tuple[int, int]) -> Box:
    """Return a box given in shares of an image's width and height, in pixels.

    >>> scale_box([0.25, 0.5, 0.5, 1], (200, 400))
    Box(x1=100.0, y1=100.0, x2=200.0, y2=200.0)
    """
    height, width = size
    x1, y1, x2, y2 = map(float, shares)
    return Box(x1 * width, y1 * height, x2 * width, y2 * height)


def read_regions(images: Sequence[Image], value: object, gallery: Gallery) -> tuple[Image, ...]:
    """Return the images with the regions of a table's cell: a JSON list, or a COCO, YOLO or mask file."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return tuple(_read_file(image, value, gallery) for image in images)
    listed = from_json(value, "regions") if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
        raise DataError(
            f"its regions are {value!r}, expected a list of objects with 'finding' and 'box', 'polygon' or 'mask', or "
            "the path of a COCO (.json), YOLO (.txt) or mask (.png) file. Rename the column if it is something else"
        )
    found: dict[int, list[Region]] = {}
    for each in listed:
        place = each.get("image", 1)
        if not isinstance(place, int) or not 1 <= place <= len(images):
            raise DataError(f"a region is on image {place!r}, expected 1 to {len(images)}")
        found.setdefault(place - 1, []).append(_read_record(each, gallery))
    return tuple(add_regions(image, found.get(at, ())) for at, image in enumerate(images))


def _read_record(record: Mapping[str, Any], gallery: Gallery) -> Region:
    given = [name for name in _SHAPES if name in record]
    if len(given) != 1:
        raise DataError(f"a region has {' and '.join(given) or 'no shape'}, expected one of {', '.join(_SHAPES)}")
    value = record[given[0]]
    finding, reader = (as_text(record.get(name, ""), f"the {name} of a region") for name in ("finding", "reader"))
    if given == ["mask"]:
        return Region(finding, Mask(gallery.find(value)), reader)
    try:
        if given == ["box"]:
            return Region(finding, Box(*map(float, value)), reader)
        return Region(finding, _make_polygon([number for point in value for number in point]), reader)
    except (TypeError, ValueError) as error:
        form = "[x1, y1, x2, y2]" if given == ["box"] else "three points or more, [[x, y], …]"
        raise DataError(f"the {given[0]} of a region is {value!r}, expected {form} in pixels") from error


def _make_polygon(numbers: Sequence[Any]) -> Polygon:
    points = tuple((float(x), float(y)) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
    if len(points) < 3:
        raise ValueError("fewer than three points")
    return Polygon(points)


def _read_file(image: Image, path: str, gallery: Gallery) -> Image:
    """Return the image with the regions of a file: its form follows from its ending."""
    ending = PurePath(path).suffix.casefold()
    if ending == ".json":
        return _add_coco(image, gallery.find_file(path))
    if ending == ".txt":
        return add_regions(image, tuple(_read_yolo(gallery.find_file(path), size_of(image))))
    return add_regions(image, (Region("", Mask(gallery.find(path))),))


def _add_coco(image: Image, file: Path) -> Image:
    """Return the image with its annotations; DataError if the file does not name the image."""
    named = _read_coco(file, file.stat().st_mtime_ns)
    if (found := named.get(PurePath(image.name).name)) is None:
        raise DataError(f"{file.name} names {len(named)} images, but not {PurePath(image.name).name!r}")
    size, regions = found
    return add_regions(image, regions, drawn_on=size)


@lru_cache(maxsize=4)
def _read_coco(file: Path, changed: int) -> Mapping[str, tuple[tuple[int, int] | None, tuple[Region, ...]]]:
    """Return the stated size and the regions of each image by its file name."""
    try:
        told = orjson.loads(file.read_bytes())
        names = {each["id"]: str(each["name"]) for each in told["categories"]}
        regions: dict[Any, list[Region]] = {each["id"]: [] for each in told["images"]}
        for each in told["annotations"]:
            regions[each["image_id"]].append(Region(names[each["category_id"]], _read_coco_shape(each)))
        return {
            PurePath(each["file_name"]).name: (
                (each["height"], each["width"]) if {"height", "width"} <= each.keys() else None,
                tuple(regions[each["id"]]),
            )
            for each in told["images"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{file.name} is not a COCO file: expected images, annotations and categories that fit each other, got "
            f"{type(error).__name__}: {error}"
        ) from error


def _read_coco_shape(annotation: Mapping[str, Any]) -> Box | Polygon:
    """Return the outline if there is a single one, else the box."""
    outlines = annotation.get("segmentation")
    if isinstance(outlines, list) and len(outlines) == 1:
        return _make_polygon(outlines[0])
    x, y, width, height = map(float, annotation["bbox"])
    return Box(x, y, x + width, y + height)


def _read_yolo(file: Path, size: tuple[int, int]) -> Iterator[Region]:
    """Yield the regions of a YOLO file: class, then centre, width and height, or points, in shares of the image."""
    names = file.with_name(_CLASS_NAMES)
    called = names.read_text(encoding="utf-8").splitlines() if names.is_file() else []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            kind, *shares = line.split()
            place, values = int(kind), [float(each) for each in shares]
            if len(values) == 4:
                x, y, wide, high = values
                shape: Box | Polygon = scale_box((x - wide / 2, y - high / 2, x + wide / 2, y + high / 2), size)
            else:
                shape = _make_polygon([each * size[1 - at % 2] for at, each in enumerate(values)])
        except ValueError as error:
            raise DataError(
                f"line {number} of {file.name} is {line[:80]!r}, expected a class and 4 numbers, or 3 points or more"
            ) from error
        yield Region(called[place] if 0 <= place < len(called) else f"class {place}", shape)


def write_regions(images: Sequence[Image], folder: Path) -> list[dict[str, Any]]:
    """Return the regions of saved images as a table's cell; masks are written under `folder`."""
    written = []
    for place, image in enumerate(images, start=1):
        for region in image.regions_after_steps():
            told: dict[str, Any] = {"finding": region.finding, "image": place}
            told |= {"reader": region.reader} if region.reader else {}
            if isinstance(region.shape, Box):
                told["box"] = list(region.shape)
            elif isinstance(region.shape, Polygon):
                told["polygon"] = [list(point) for point in region.shape.points]
            else:
                mask = region.shape.image.encoded()
                told["mask"] = f"images/{mask.sha256[:32]}.png"
                write_whole(folder / told["mask"], mask.data)
            written.append(told)
    return written
