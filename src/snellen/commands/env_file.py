"""The file .env of the working directory: keys of providers and a few numbers are read from it, and nothing else."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from dotenv import dotenv_values

from snellen.models.secrets import holds_key

SETTINGS = frozenset(
    f"SNELLEN_{name}"
    for name in (
        *("LIMIT", "SAMPLE", "BUDGET", "SEED", "MAX_CONNECTIONS", "TIMEOUT", "IMAGE_SIDE"),
        *("TEMPERATURE", "MAX_TOKENS", "REASONING_EFFORT"),
    )
)
"""The options that a folder from elsewhere may set: none sends more, elsewhere, or decides what a verdict is."""
LARGEST = 100_000
"""Bytes that are read of the file."""
NAMED = 5
"""So many of the variables that are not read are named."""


def load_env_file(path: Path) -> list[str]:
    """Set what a .env may set and the environment does not; return the names of all else in it."""
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            given = dotenv_values(stream=StringIO(file.read(LARGEST)), interpolate=False)
    except OSError as error:
        return [f"all of it ({error.strerror})"]
    new = {name: value for name, value in given.items() if value is not None and name not in os.environ}
    # a value with ${…} would copy any other variable into a key
    taken = {name: value for name, value in new.items() if _may_set(name) and not {"\0", "${"} & _marks(value)}
    os.environ.update(taken)
    return [name for name in new if name not in taken]


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
    return name in SETTINGS or (holds_key(name) and not name.startswith("SNELLEN_"))


def _marks(value: str) -> set[str]:
    return {mark for mark in ("\0", "${") if mark in value}
