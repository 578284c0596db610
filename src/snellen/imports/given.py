"""Options of an import that apply to a whole file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from snellen.imports.answer import AS_ASKED
from snellen.imports.conditions import arm_name
from snellen.imports.fields import Note
from snellen.items import Benchmark


def ignore_note(sentence: str) -> None:
    """Ignore a note about guesses."""


@dataclass(frozen=True)
class Given:
    """Options of an import: condition, benchmark, model, field names, and known benchmarks."""

    arm: str | None = None
    name: str | None = None
    model: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Benchmark] = field(default_factory=dict)
    note: Note = ignore_note

    def arm_of(self, own: object = None) -> str:
        """Return the condition that a row names, else the given one, else the original."""
        said = own if own is not None else self.arm if self.arm is not None else AS_ASKED
        return _arm_called(said) if isinstance(said, str) else arm_name(said)


@lru_cache(maxsize=4096)
def _arm_called(name: str) -> str:
    return arm_name(name)
