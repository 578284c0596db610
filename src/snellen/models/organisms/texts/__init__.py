"""The texts of the organisms as JSON: languages, medicine and report words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import orjson


@cache
def read_texts(name: str) -> Any:
    """Return the content of a JSON file in this folder; it is read once."""
    return orjson.loads(Path(__file__).with_name(f"{name}.json").read_bytes())
