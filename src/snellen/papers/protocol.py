"""Protocol: a paper's suite of tests and its printed tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snellen.prompts import PROVIDER_DEFAULTS, Settings


class Suite(NamedTuple):
    """Names of tests, with an optional prompt, benchmark and model settings."""

    tests: tuple[str, ...]
    prompt: str = ""
    benchmark: str = ""
    settings: Settings = PROVIDER_DEFAULTS


class Protocol(NamedTuple):
    """A paper's protocol: its tests and its printed tables.

    `suite` makes the tests from settings such as those in `readiness:images=3`. `tables` is a module with
    `sheets(results)`, which returns the paper's tables and those of a study. If the paper's responses are public, it
    also has `compared(results)`, every printed figure with ours.
    """

    suite: Callable[..., Suite] | None = None
    tables: str = ""
