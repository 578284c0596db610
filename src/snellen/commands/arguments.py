"""Arguments: the types of what is written on a command line, so that no number or path is one that nothing can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

import click

from snellen.runtime import is_encodable


class Int64(click.types.IntParamType):
    """A whole number of at most 64 bits, which JSON, SQLite and NumPy can hold."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error for a larger one."""
        number = super().convert(value, param, ctx)
        if not -(2**63) <= number < 2**63:
            self.fail(f"expected a whole number of at most 64 bits, got {str(value)[:40]}.", param, ctx)
        return number


class Int64Range(click.IntRange, Int64):
    """The same within a range."""


class Finite(click.types.FloatParamType):
    """A number that is neither infinite nor "not a number"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error for any other."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"expected a number, got {str(value)[:40]}.", param, ctx)
        return number


class FiniteRange(click.FloatRange, Finite):
    """The same within a range."""


class Words(click.types.StringParamType):
    """A text that can be stored and sent."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text; a usage error for bytes that are no text."""
        text = super().convert(value, param, ctx)
        if not is_encodable(text):
            self.fail(f"expected text in UTF-8, got {text[:40]!r}.", param, ctx)
        return text


class FilePath(click.Path):
    """A path; one that no file can have, or one to read that is a pipe or a device, is a usage error."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, checked."""
        try:
            if not str(value):
                raise ValueError("it is empty")
            found = super().convert(value, param, ctx)
            if self.exists and not (Path(value).is_file() or Path(value).is_dir()):
                self.fail(f"{str(value)[:200]!r} is a pipe or a device. Expected a file.", param, ctx)
            Path(value).resolve()
        except (ValueError, RuntimeError) as error:  # a null byte, half a character, links in a circle
            self.fail(f"no file can have the name {str(value)[:40]!r}: {error}.", param, ctx)
        return found


class LateChoice(click.Choice[str]):
    """One of several names that are looked up when they are needed."""

    def __init__(self, find_names: Callable[[], Iterable[str]]) -> None:
        self._find_names = find_names
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names."""
        return tuple(self._find_names())
