"""The texts of the organisms, as JSON beside this file: their languages, their medicine, the words of their reports."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import orjson


@cache
def read_texts(name: str) -> Any:
    """What stands in the file of that name, read at its first use; nobody changes it."""
    return orjson.loads(Path(__file__).with_name(f"{name}.json").read_bytes())
