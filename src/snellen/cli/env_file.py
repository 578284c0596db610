"""The file .env of the working directory: keys of providers and a few numbers are read from it, and nothing else."""

from __future__ import annotations

import os
import re
from io import StringIO
from pathlib import Path

from dotenv import dotenv_values

from snellen.files import open_plain
from snellen.models.client.address import FROM_FILE, UNREAD
from snellen.models.secrets import holds_key

SETTINGS = re.compile(
    r"SNELLEN_(?:[A-Z]+_){0,2}"
    r"(?:LIMIT|SAMPLE|BUDGET|SEED|MAX_CONNECTIONS|TIMEOUT|IMAGE_SIDE|TEMPERATURE|MAX_TOKENS|REASONING_EFFORT)"
)
"""The options that a folder from elsewhere may set: none sends more, elsewhere, or decides what a verdict is."""
LARGEST = 100_000
"""Bytes that are read of the file."""
_COPYING = re.compile(r"\0|\$\{")
"""A value that would copy another variable into a key, or cannot be set."""
NAMED = 5
"""So many of the variables that are not read are named."""


def load_env_file(path: Path) -> list[str]:
    """Set what a .env may set and the environment does not; return the names of all else in it."""
    given = _read_values(path)
    new = {name: value for name, value in given.items() if value is not None and name not in os.environ}
    taken = {name: value for name, value in new.items() if _may_set(name) and not _COPYING.search(value)}
    os.environ.update(taken)
    unread = [name for name in new if name not in taken]
    for names, found in ((FROM_FILE, taken), (UNREAD, unread)):
        names.clear()
        names.update(found)
    return unread


def _read_values(path: Path) -> dict[str, str | None]:
    try:
        with open_plain(path) as file:
            text = file.read(LARGEST).decode(errors="replace")
    except OSError:
        return {}
    return dotenv_values(stream=StringIO(text), interpolate=False)


def describe_unread(names: list[str]) -> str:
    """What to say of the variables that are not read.

    >>> describe_unread(["SNELLEN_YES"])
    '.env: SNELLEN_YES is not read. A .env sets keys and a few numbers; set the rest in your shell or as options.'
    """
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    shown = ", ".join(name[:80] for name in names[:NAMED])
    verb = "is" if len(names) == 1 else "are"
    rest = "A .env sets keys and a few numbers; set the rest in your shell or as options."
    return f".env: {shown}{more} {verb} not read. {rest}"


def _may_set(name: str) -> bool:
    return bool(SETTINGS.fullmatch(name)) or (holds_key(name) and not name.startswith("SNELLEN_"))
