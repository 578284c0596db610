"""Provider keys and a few numbers, read from .env in the working directory."""

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
"""Options that a .env file may set, even in a foreign folder. They send no data elsewhere and change no verdict."""
LARGEST = 100_000
"""Most bytes of the file that are read."""
_COPYING = re.compile(r"\0|\$\{")
"""Pattern of values that would copy another variable, or that cannot be set."""
NAMED = 5
"""Number of ignored variables that are named in the message."""


def load_env_file(path: Path) -> list[str]:
    """Set allowed variables of a .env file; return the names of all others."""
    try:
        with open_plain(path) as file:
            text = file.read(LARGEST).decode(errors="replace")
    except OSError:
        text = ""
    given = dotenv_values(stream=StringIO(text), interpolate=False)
    new = {name: value for name, value in given.items() if value is not None and name not in os.environ}
    taken = {name: value for name, value in new.items() if _may_set(name) and not _COPYING.search(value)}
    os.environ.update(taken)
    unread = [name for name in new if name not in taken]
    for names, found in ((FROM_FILE, taken), (UNREAD, unread)):
        names.clear()
        names.update(found)
    return unread


def describe_unread(names: list[str]) -> str:
    """Describe the variables that are not read.

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
