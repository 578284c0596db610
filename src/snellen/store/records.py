"""JSON records of items as stored: without images, and without fields that name a patient."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from snellen.items import Item, Option, to_plain
from snellen.runtime import is_encodable
from snellen.store.shapes import not_as_stored

_IDENTIFYING = re.compile(
    r"patient|birth|\bdob\b|(?:first|last|full|given|family|middle|sur|maiden)[ _-]?name|^(?:name|nome|apellidos?)$|"
    r"cognome|codice_?fiscale|mrn|accession|uid|study_?(?:id|date)|ssn|e?mail|phone|address",
    re.IGNORECASE,
)


def item_record(item: Item, patients: dict[str, str]) -> str:
    """Return the JSON of an item without its images. The patient is replaced by a number."""
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
    return dump_json(record)


TYPED = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
"""Options for orjson that keep NumPy's numbers as JSON numbers.

Stored items hold such numbers as text, so items are written without these options.
"""


def dump_json(value: Any, option: int = orjson.OPT_NON_STR_KEYS) -> str:
    """Return the JSON of any value; whatever JSON or SQLite cannot hold becomes text.

    >>> dump_json({"n": 2**64, "set": {2, 1}})
    '{"n":"18446744073709551616","set":[1,2]}'
    """
    try:
        return orjson.dumps(value, default=to_plain, option=option).decode()
    except TypeError:
        return orjson.dumps(_storable_value(value), default=to_plain, option=option).decode()


def _storable_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {storable(str(name)): _storable_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_storable_value(each) for each in (value if isinstance(value, list | tuple) else to_plain(value))]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return storable(value) if isinstance(value, str) else value


def dump_numbers(numbers: Iterable[int]) -> str:
    """Return the JSON list of these numbers in ascending order, for a query."""
    return orjson.dumps(sorted(numbers)).decode()


def storable(text: str) -> str:
    """Return the text with unpaired surrogates escaped as in JSON."""
    return text if text.isascii() or is_encodable(text) else text.encode(errors="backslashreplace").decode()


def _impersonal(value: Any) -> Any:
    """Remove the fields that name a patient, at any depth."""
    if isinstance(value, Mapping):
        return {name: _impersonal(each) for name, each in value.items() if not _IDENTIFYING.search(str(name))}
    return [_impersonal(each) for each in value] if isinstance(value, list | tuple) else value


def _option_records(item: Item) -> list[dict[str, Any]]:
    return [{"text": option.text, "abstains": option.abstains} for option in item.options]


def item_of(record: dict[str, Any]) -> Item:
    """Make an item from its stored record, without images."""
    return _item(record, record.get("options"))


def changed_fields(original: Item, item: Item) -> dict[str, Any]:
    """Return the fields of an item that a condition changed, for grading and display."""
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
    """Return the stored item with these changed fields."""
    if not changed:
        return original
    fields = {each.name: getattr(original, each.name) for each in dataclasses.fields(Item)}
    metadata = {**original.metadata, **changed.get("metadata", {})}
    return _item({**fields, **changed, "metadata": metadata}, changed.get("options", _option_records(original)))


def _item(fields: Mapping[str, Any], options: Any) -> Item:
    try:
        item = Item(**{**fields, "options": tuple(Option(**option) for option in options)})
        told = (item.id, item.kind, item.question, item.context, item.category, item.language, item.cluster)
        types = {*map(type, told), *(type(option.text) for option in item.options)}
        if types != {str} or not isinstance(item.metadata, Mapping) or not isinstance(item.answer, int | str | None):
            raise TypeError("one of its fields is of another type")
        return item
    except TypeError as error:
        raise not_as_stored("an item", str(error)) from error
