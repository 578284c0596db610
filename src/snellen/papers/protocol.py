"""What every protocol has: a suite of tests under one name, and the tables that its paper prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snellen.prompts import PROVIDER_DEFAULTS, Settings


class Suite(NamedTuple):
    """Test specs, and where the protocol has its own: the prompt's name, its benchmark, and the models' settings."""

    tests: tuple[str, ...]
    prompt: str = ""
    benchmark: str = ""
    settings: Settings = PROVIDER_DEFAULTS


class Protocol(NamedTuple):
    """A protocol as a study names it.

    `suite` makes its tests from the settings that a line gives, such as `readiness:images=3`. `tables` is the module
    that has `sheets(results)`, the paper's printed tables beside a study's own, and, where the paper's responses are
    public, `compared(results)`, every printed figure beside ours.
    """

    suite: Callable[..., Suite] | None = None
    tables: str = ""
