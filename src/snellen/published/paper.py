"""What every paper has: the figures that it prints, shipped with the package, and sheets that show them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, NamedTuple

import orjson


class Sheet(NamedTuple):
    """A table to print, with notes under it; its first columns, as many as `words`, hold words and may be folded."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1


def figures(paper: str) -> dict[str, Any]:
    """The printed figures of a paper that we have."""
    record: dict[str, Any] = orjson.loads(files("snellen.published").joinpath(f"{paper}.json").read_bytes())
    return record
