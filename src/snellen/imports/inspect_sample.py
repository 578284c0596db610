"""What Snellen's own Inspect tasks write into a sample's metadata, and how it is read back from a log.

The item stands there as a store keeps it: nothing names a patient, and the right answer is the sample's target alone.
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
"""The field of a sample's and of a task's metadata."""
SHUFFLED = "image-shuffled"
"""The condition of the solver that shows another sample's images: no verdict is drawn, since they may fit by chance."""


def target_of(item: Item) -> str | list[str]:
    """The right answer as Inspect holds it: a letter, or all texts that are each right; "" where there is none."""
    if item.kind == "choice":
        return item.letter if isinstance(item.answer, int) else ""
    return list(item.references)


def told_of(item: Item, patients: dict[str, str], **asked: Any) -> dict[str, Any]:
    """An item as its sample tells it, with how it was asked; `patients` are the numbers given so far."""
    record = orjson.loads(item_record(item, patients))
    record.pop("answer")
    return {"item": record, **asked}


def item_told(metadata: Mapping[str, Any], choices: Sequence[str], target: object) -> Item | None:
    """The item that a sample's metadata tell, without its images; None where they tell none.

    DataError where the sample's choices are no longer those that its prompt prints: its target is a letter of theirs.
    """
    told = metadata.get(KEY)
    record = told.get("item") if isinstance(told, Mapping) else None
    if not isinstance(record, Mapping):
        return None
    texts = [str(each) for each in (target if isinstance(target, list | tuple) else [target]) if each]
    try:
        item = item_of({**record, "answer": texts[0] if texts else None})
    except (StoreError, TypeError, AttributeError) as error:
        raise DataError(f"what its metadata say under {KEY!r} is not what Snellen's tasks write ({error})") from error
    if item.kind != "choice":
        return item
    if [option.text for option in item.options] != list(choices):
        raise DataError(
            "its choices were moved after its prompt was written, and its target with them; ask it under the condition "
            "options-shuffled instead"
        )
    return replace(item, answer=LETTERS.index(texts[0]) if texts and texts[0] in tuple(LETTERS) else None)
