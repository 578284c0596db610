"""Open-I: chest X-rays of Indiana University with their reports."""

from __future__ import annotations

import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.questions import ASKED, reference_of
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import Benchmark, Collector, Item
from snellen.unpacking import open_gzip

REPORTS, IMAGES = "NLMCXR_reports.tgz", "NLMCXR_png"
_LARGEST = 1_000_000
"""Most bytes of a report; real ones have some thousands."""
_MOST_DIGITS = 20
_NAMED = re.compile(r"[\w.-]+")


def load(
    path: str | Path,
    *,
    images: Literal["needed", "none"] = "needed",
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """Open-i: chest X-rays with the radiologist's report, packed or unpacked.

    The images are the PNG files in `NLMCXR_png` or in the folder itself; `images=none` loads the reports without them.
    A report without findings and impression, or without an image, is left out; `about` has their numbers
    (`without_report`, `without_image`). Each report is one patient. `keep_unreadable` keeps reports that name a missing
    or unreadable image, for an audit.
    """
    folder = Path(path)
    try:
        collector = Collector("openi")
        gallery = Gallery(folder.parent if folder.is_file() else folder, keep_unreadable=keep_unreadable)
        places = (gallery.root / IMAGES, gallery.root)
        at = next((place for place in places if place.is_dir() and any(place.glob("CXR*.png"))), None)
    except (OSError, ValueError) as error:  # too long, a null byte
        raise DataError(f"{str(folder)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if at is None and keep_unreadable:
        at = places[0]
    if at is None and images == "needed":
        raise DataError(
            f"{folder}: expected the images (PNG files) in {IMAGES} or beside the reports, found none. "
            "Unpack NLMCXR_png.tgz there, or read the reports alone: openi:PATH,images=none."
        )
    left_out = {"without_report": 0, "without_image": 0}
    for name, content in _files(folder):
        try:
            item = _item(content, name, at, gallery, wanted=images == "needed")
        except (DataError, ElementTree.ParseError, LookupError, ValueError) as error:  # the last two: unusual encodings
            collector.refuse(name, name, str(error))
            continue
        if not item.answer:
            left_out["without_report"] += 1
        elif images == "needed" and not item.images:
            left_out["without_image"] += 1
        else:
            collector.add(name, item)
    return collector.benchmark(allow_broken=allow_broken, about={key: n for key, n in left_out.items() if n})


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    archive = folder if folder.is_file() else folder / REPORTS
    try:
        if archive.is_file():
            with open_gzip(archive) as unpacked, tarfile.open(fileobj=unpacked) as opened:
                members = [each for each in opened if each.isfile() and each.name.endswith(".xml")]
                for member in sorted(members, key=lambda each: _number(each.name)):
                    if member.size > _LARGEST:
                        raise DataError(
                            f"{archive}: {member.name} has {member.size:,} bytes; at most {_LARGEST:,} are read."
                        )
                    content = opened.extractfile(member)
                    assert content is not None
                    yield Path(member.name).name, content.read()
            return
        found = sorted(folder.rglob("*.xml"), key=lambda each: _number(each.name))
        if not found:
            raise DataError(f"{folder}: expected {REPORTS} or the XML files in it, found neither.")
        for file in found:
            if file.stat().st_size > _LARGEST:
                raise DataError(f"{file} has {file.stat().st_size:,} bytes; at most {_LARGEST:,} are read.")
            yield file.name, file.read_bytes()
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise DataError(f"{archive if archive.is_file() else folder} cannot be read: {error}.") from error


def _number(name: str) -> tuple[int, str]:
    stem = Path(name).stem
    return (int(stem) if stem.isdecimal() and len(stem) < _MOST_DIGITS else 0, name)


def _item(content: bytes, name: str, at: Path | None, gallery: Gallery, *, wanted: bool) -> Item:
    # The standard library's parser refuses entities that multiply, and fetches nothing.
    root = ElementTree.fromstring(content)  # noqa: S314
    said: dict[str, str] = {}
    for each in root.iter("AbstractText"):
        label = each.get("Label", "")
        said[label] = " ".join(f"{said.get(label, '')} {' '.join(each.itertext())}".split())
    identity = next((each.get("id", "") for each in root.iter("uId")), "") or Path(name).stem
    shown: list[Image] = []
    if wanted and at is not None:
        named = (each.get("id", "") for each in root.iter("parentImage"))
        files = (at / f"{each}.png" for each in named if _NAMED.fullmatch(each))
        shown = [
            gallery.find(str(file.relative_to(gallery.root)))
            for file in files
            if gallery.keep_unreadable or file.is_file()
        ]
    return Item(
        id=f"openi/{identity}",
        question=ASKED.format(image="chest X-ray"),
        answer=reference_of(said.get("FINDINGS", ""), said.get("IMPRESSION", "")),
        images=tuple(shown),
        kind="report",
        context=said.get("INDICATION", ""),
        category="chest X-ray",
        cluster=f"openi/{identity}",
        metadata={"modality": "chest X-ray", "body_part": "chest"},
    )
