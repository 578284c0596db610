"""MediConfusion: pairs of radiology images that models confuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.answers import as_text, parse_list
from snellen.benchmarks.files_beside import PICTURES, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option, Substitute

_SIDES = ("1", "2")
_OTHER = MappingProxyType({"1": "2", "2": "1"})
_OPTIONS = ("option_A", "option_B")


@loads("mediconfusion")
def load(source: SplitSource) -> Benchmark:
    """MediConfusion: two questions per confusable pair, one with each image.

    The other image shows the other option, so a model that reads the image changes its answer. `metadata["pair"]` names
    the pair; the paper counts a pair as correct if both answers are.
    """
    place = source.files[0].parent
    rows = list(source.rows(source.files[:1]))
    clusters = _clusters(row.fields for row in rows)
    item_of = partial(_item, source.open_gallery(place), FilesBeside(place, PICTURES), clusters)
    sides = (
        row._replace(fields={**row.fields, "side": side}, where=f"{row.where}, image {side}")
        for row in rows
        for side in _SIDES
    )
    return source.collect(sides, item_of)


def _item(gallery: Gallery, pictures: FilesBeside, clusters: Mapping[str, str], row: FileRow) -> Item:
    fields, side = row.fields, row.fields["side"]
    pair = as_text(fields["id"], "its id")
    texts = [str(fields[name]).strip() for name in _OPTIONS]
    keys = {each: _key(fields[f"im_{each}_correct"]) for each in _SIDES}
    if len(set(keys.values())) < 2:
        raise DataError("the same option is correct for both of its images, expected one option for each")
    own, other = (gallery.find(_reference(fields, each, pictures)) for each in (side, _OTHER[side]))
    categories = parse_list(fields.get(f"category_{side}"), "categories")
    return Item(
        id=f"mediconfusion-{pair}-{side}",
        question=str(fields["question"]).strip(),
        options=tuple(map(Option, texts)),
        answer=keys[side],
        images=(own,),
        category=categories[0] if categories else "",
        cluster=clusters[_image(fields, side)],
        metadata=freeze_metadata(pair=pair, categories=categories),
        substitutes=(Substitute((other,), texts[keys[_OTHER[side]]], f"mediconfusion-{pair}-{_OTHER[side]}"),),
    )


def _key(letter: object) -> int:
    said = str(letter).strip().upper()
    if said not in ("A", "B"):
        raise DataError(f"its right option is {letter!r}, expected A or B")
    return "AB".index(said)


def _image(fields: Mapping[str, Any], side: str) -> str:
    return str(fields.get(f"im_{side}_local") or fields.get(f"im_{side}") or f"{fields.get('id')}/{side}").strip()


def _reference(fields: Mapping[str, Any], side: str, pictures: FilesBeside) -> str:
    """Return the reference of an image, by its file or its place in ROCO."""
    told = [str(fields[name]).strip() for name in (f"im_{side}_local", f"im_{side}") if fields.get(name)]
    if not told:
        raise DataError(f"it has no 'im_{side}_local' and no 'im_{side}'")
    return pictures.find_file(told[0], told[-1].rpartition("/")[2]) or told[-1]


def _clusters(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the cluster of each image: pairs that share images, even indirectly."""
    cluster: dict[str, set[str]] = {}
    for fields in rows:
        together = set().union(*(cluster.get(image, {image}) for image in (_image(fields, side) for side in _SIDES)))
        cluster |= dict.fromkeys(together, together)
    return {image: f"images {min(together)}" for image, together in cluster.items()}
