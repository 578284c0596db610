"""Parts of the machine that some tests need and `make test` does not install: programs, and packages of extras."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
POSTGRES = next((str(path) for path in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
PROGRAMS = {"chromium": CHROMIUM, "postgresql": POSTGRES}
INSTALL = {
    "chromium": "apt-get install chromium",
    "postgresql": "apt-get install postgresql",
    "rapidocr": "pip install -e '.[ocr]'",
    "presidio_analyzer": "pip install -e '.[audit-names]'",
    "zensical": "pip install -e '.[docs]'",
}
REQUIRED = "REQUIRE_ALL_PARTS" in os.environ
"""Whether a missing part fails its tests instead of skipping them."""
MISSING = "Missing part: "


def require(*parts):
    """Skip the running test if one of these programs or packages is missing; fail it if all are required."""
    for part in parts:
        if not (PROGRAMS[part] if part in PROGRAMS else find_spec(part)):
            reason = f"{MISSING}{part}. Install it: {INSTALL.get(part, 'make test')}"
            pytest.fail(reason, pytrace=False) if REQUIRED else pytest.skip(reason)


def describe_missing(reasons):
    """One line per missing part: how many tests were skipped for it, and the command that installs it."""
    counts = Counter(reason.partition(MISSING)[2] for reason in reasons if MISSING in reason)
    return [f"Skipped tests: {count}. {MISSING}{part}" for part, count in sorted(counts.items())]
