"""Importers: how to recognise and read the files of one tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.errors import BrokenRow, PluginError
from snellen.imports import MEMBERS
from snellen.imports.answer import Answer
from snellen.imports.fields import Given
from snellen.plugins import find


class Importer(NamedTuple):
    """Format of a tool: its files, and functions to read and recognise them."""

    title: str
    """Description of the files, such as "a log of Inspect AI"."""
    read: Callable[[Path, Given], Iterator[Answer | BrokenRow]]
    """Function that yields each response of a file; DataError if the file cannot be used."""
    files: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    """Conditions that the tool has and Snellen does not."""
    beside: tuple[str, ...] = ()
    """Names of further files that the tool writes next to its logs."""
    recognises: Callable[[Path], bool] | None = None
    """Function that returns True for a file of this tool. Without it, users of a plug-in must name it with --from."""


def importer_named(name: str) -> Importer:
    """Return the importer with this name, ours or a plug-in's."""
    found = find("importers", MEMBERS, name)
    if not isinstance(found, Importer):
        raise PluginError(f"The plug-in {name!r} of the importers gave {found!r}. Expected an Importer.")
    return found
