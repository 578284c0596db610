"""Metadata that Snellen's own Inspect tasks write into a sample.

They contain the item as in a store: no patient is named, and only the sample's target has the correct answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from snellen.errors import DataError, StoreError
from snellen.items import LETTERS, Item
from snellen.store.records import item_of, item_record

KEY = "snellen"
"""Field of the metadata of samples and tasks."""
SHUFFLED = "image-shuffled"
"""Condition of the solver that shows another sample's images. It gets no verdict, since the images may fit by
chance."""


def target_of(item: Item) -> str | list[str]:
    """Return the correct answer in Inspect's form: a letter, or all correct texts."""
    if item.kind == "choice":
        return item.letter if isinstance(item.answer, int) else ""
    return list(item.references)


def told_of(item: Item, patients: dict[str, str], **asked: Any) -> dict[str, Any]:
    """Return metadata for an item's sample, with details of how it is asked."""
    record = orjson.loads(item_record(item, patients))
    record.pop("answer")
    return {"item": record, **asked}


def item_told(metadata: Mapping[str, Any], choices: Sequence[str], target: object) -> Item | None:
    """Return the item in a sample's metadata, without its images; None if there is none.

    DataError if the sample's choices differ from those in its prompt, since the target is one of their letters.
    """
    told = metadata.get(KEY)
    record = told.get("item") if isinstance(told, Mapping) else None
    if not isinstance(record, Mapping):
        return None
    texts = [str(each) for each in (target if isinstance(target, list | tuple) else [target]) if each]
    try:
        item = item_of({**record, "answer": texts[0] if texts else None})
    except (StoreError, TypeError, AttributeError) as error:
        raise DataError(f"its metadata {KEY!r} do not have the form that Snellen's tasks write ({error})") from error
    if item.kind != "choice":
        return item
    if [option.text for option in item.options] != list(choices):
        raise DataError(
            "its choices were reordered after its prompt was written; to shuffle them, use the condition "
            "options-shuffled"
        )
    return replace(item, answer=LETTERS.index(texts[0]) if texts and texts[0] in tuple(LETTERS) else None)
