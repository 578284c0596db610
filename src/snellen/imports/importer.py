"""Importer: how the logs of one tool are recognised and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.errors import BrokenRow, PluginError
from snellen.imports import MEMBERS
from snellen.imports.answer import Answer
from snellen.imports.given import Given
from snellen.plugins import find


class Importer(NamedTuple):
    """What the files of a tool are, how they are read, how they are called in a folder, and how they are recognised."""

    title: str
    """The files in words: "a log of Inspect AI"."""
    read: Callable[[Path, Given], Iterator[Answer | BrokenRow]]
    """Yields each response of a file; raises DataError for a file that cannot be used."""
    files: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    """Conditions that the tool has and Snellen does not."""
    beside: tuple[str, ...] = ()
    """Files that the tool writes beside its logs."""
    recognises: Callable[[Path], bool] | None = None
    """Whether a file is one of them. Without it, --from has to name the tool; ours are recognised in one look."""


def importer_named(name: str) -> Importer:
    """The importer of that name, ours or a plug-in's."""
    found = find("importers", MEMBERS, name)
    if not isinstance(found, Importer):
        raise PluginError(f"The plug-in {name!r} of the importers gave {found!r}. Expected an Importer.")
    return found
