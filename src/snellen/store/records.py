"""Items as they are stored: words only, nothing that names a patient."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from snellen.errors import StoreError
from snellen.items import Item, Option

_IDENTIFYING = re.compile(
    r"patient|birth|\bdob\b|(?:first|last|full|given|family|middle|sur|maiden)[ _-]?name|^(?:name|nome|apellidos?)$|"
    r"cognome|codice_?fiscale|mrn|accession|uid|study_?(?:id|date)|ssn|e?mail|phone|address",
    re.IGNORECASE,
)


def item_record(item: Item, patients: dict[str, str]) -> str:
    """The item as stored: images are kept apart as sent, and a patient is a number that says nothing."""
    record = {
        "id": item.id,
        "kind": item.kind,
        "question": item.question,
        "context": item.context,
        "options": _option_records(item),
        "answer": item.answer,
        "category": item.category,
        "language": item.language,
        "cluster": patients.setdefault(item.cluster, str(len(patients))) if item.cluster else "",
        "metadata": _impersonal(item.metadata) if item.metadata else {},
    }
    return orjson.dumps(record, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _impersonal(value: Any) -> Any:
    """The value without the fields that name a patient, however deep they stand."""
    if isinstance(value, Mapping):
        return {name: _impersonal(each) for name, each in value.items() if not _IDENTIFYING.search(str(name))}
    return [_impersonal(each) for each in value] if isinstance(value, list | tuple) else value


def _option_records(item: Item) -> list[dict[str, Any]]:
    return [{"text": option.text, "abstains": option.abstains} for option in item.options]


def item_of(record: dict[str, Any]) -> Item:
    """A stored item; its images are kept apart."""
    return _item(record, record.get("options"))


def changed_fields(original: Item, item: Item) -> dict[str, Any]:
    """What a condition changed of an item's words: enough to grade and show the variant without the condition."""
    changed: dict[str, Any] = {
        name: getattr(item, name)
        for name in ("kind", "question", "context", "answer")
        if getattr(item, name) != getattr(original, name)
    }
    if item.metadata != original.metadata:
        changed["metadata"] = _impersonal(
            {name: value for name, value in item.metadata.items() if original.metadata.get(name) != value}
        )
    if item.options != original.options:
        changed["options"] = _option_records(item)
    return changed


def as_changed(original: Item, changed: Mapping[str, Any]) -> Item:
    """The stored item with those changes."""
    if not changed:
        return original
    metadata = {**original.metadata, **changed.get("metadata", {})}
    return _item({**vars(original), **changed, "metadata": metadata}, changed.get("options", _option_records(original)))


def _item(fields: Mapping[str, Any], options: Any) -> Item:
    try:
        return Item(**{**fields, "options": tuple(Option(**option) for option in options)})
    except TypeError as error:
        raise StoreError(
            f"The store is damaged: an item in it is not what was stored ({error}). "
            "Restore it from a copy, or run the study with another --out."
        ) from error
