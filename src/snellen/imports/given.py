"""Given: what was said on import that holds for a whole file, where its rows do not say it themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from snellen.imports.answer import AS_ASKED
from snellen.imports.conditions import arm_name
from snellen.imports.fields import Note
from snellen.items import Benchmark


def unheard(sentence: str) -> None:
    """Hears nothing."""


@dataclass(frozen=True)
class Given:
    """The condition, the benchmark's name, the model, the fields' names, and the benchmarks that hold the questions."""

    arm: str | None = None
    name: str | None = None
    model: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Benchmark] = field(default_factory=dict)
    note: Note = unheard

    def arm_of(self, own: object = None) -> str:
        """The condition that a row names, else the one given, else the original."""
        said = own if own is not None else self.arm if self.arm is not None else AS_ASKED
        return _arm_called(said) if isinstance(said, str) else arm_name(said)


@lru_cache(maxsize=4096)
def _arm_called(name: str) -> str:
    return arm_name(name)
