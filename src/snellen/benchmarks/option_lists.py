"""Lists in a cell: options, answers or categories that a row holds as a list, or as a text that writes one."""

from __future__ import annotations

from snellen.benchmarks.answers import as_text, from_json
from snellen.errors import DataError


def listed(value: object, what: str) -> list[str]:
    """A list of texts, also where it is written as JSON or as Python writes one; nothing is an empty list.

    >>> listed("['Left', 'Right']", "options"), listed(None, "options")
    (['Left', 'Right'], [])
    """
    if isinstance(value, str):
        value = from_json(value, what) if value.strip() else None
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise DataError(f"its {what} are {value!r}, expected a list")
    return [as_text(each, f"one of its {what}") for each in value]
