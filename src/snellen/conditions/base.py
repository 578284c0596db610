"""Condition: one controlled change to an item; Variant: the item as the change left it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import orjson
from numpy.random import PCG64, Generator
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from snellen.conditions.effects import Effects, derive_effects
from snellen.conditions.pool import Pool
from snellen.items import Item

Drawn = Mapping[str, Any]
"""What a condition drew, as JSON can hold it: enough to do the same again."""


@dataclass(frozen=True)
class Condition(ABC):
    """One controlled change. Its fields are its settings; choosing (`draw`) is apart from doing (`apply`)."""

    name: ClassVar[str]
    touches: ClassVar[frozenset[str]] = frozenset()
    """What it changes: image, text, or the options with their answer; no two changes of one thing go together."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Settings that came after responses were stored: as usual, they are no part of what a condition is known by."""

    told: ClassVar[str] = ""
    """How a verdict tells it, such as "without the image"; by default by its name."""

    declared: ClassVar[Effects | None] = None
    """What it does to an item. None derives it from `touches`: an image that it touches counts as unknown."""

    @property
    def effects(self) -> Effects:
        """What it does to an item, with its settings; no part of what it is known by."""
        return self.declared or derive_effects(self.touches)

    @property
    def hides_options(self) -> bool:
        """Whether the options are not shown: the answer is asked for in words, and read as one of them."""
        return False

    @property
    def changes(self) -> frozenset[str]:
        """What it changes: what it touches, or else what its effects say; also of several conditions together."""
        return self.touches or self.effects.changes

    def equip(self, item: Item, pool: Pool) -> Item:
        """The item with what the change needs of others; most need nothing."""
        return item

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Choose what to do to this item; the choice is stored. Raises Inapplicable with the reason."""
        return {}

    @abstractmethod
    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item afterwards: the same id, the right answer as it now is, the input untouched; or Inapplicable."""

    def choose(self, item: Item, *, seed: int, pool: Pool) -> Drawn:
        """What is drawn for an equipped item under a seed."""
        draws = type(self).draw is not Condition.draw
        return self.draw(item, generator(seed, self.stream, item.id), pool) if draws else {}

    @cached_property
    def label(self) -> str:
        """The name, with the settings that are not the usual ones."""
        unusual = [each.name for each in fields(self) if not _is_usual(self, each)]
        settings = ",".join(f"{name}={getattr(self, name)}" for name in unusual)
        return f"{self.name}:{settings}" if settings else self.name

    @property
    def in_words(self) -> str:
        """How it is told in a sentence: "without the image"."""
        return self.told or f"under {self.label}"

    @cached_property
    def identity(self) -> str:
        """Name and settings: two conditions of one identity do the same."""
        usual = {each.name for each in fields(self) if each.name in self.later and _is_usual(self, each)}
        settings = {name: value for name, value in asdict(self).items() if name not in usual}
        return f"{self.name}{orjson.dumps(settings, option=orjson.OPT_SORT_KEYS).decode()}"

    @property
    def stream(self) -> str:
        """What the draws depend on beside seed and item: conditions that share it draw from the same numbers."""
        return self.identity


def _is_usual(condition: Condition, setting: Field[Any]) -> bool:
    return bool(getattr(condition, setting.name) == setting.default)


@dataclass(frozen=True)
class Variant:
    """An item as a condition left it, with what was drawn: `original.answer` was right before, `item.answer` is now."""

    original: Item
    item: Item
    condition: str
    drawn: Drawn


def generator(seed: int, *names: str) -> Generator:
    """A generator that depends on the seed and the names alone: no order, batch, worker or machine changes a draw.

    >>> bool(generator(1, "a", "b").random() == generator(1, "a", "b").random())
    True
    """
    digest = hashlib.sha256("\x00".join((str(seed), *names)).encode()).digest()
    return np.random.Generator(PCG64(Seed(digest)))  # type: ignore[arg-type]  # NumPy takes it, its stubs do not


class Seed(ISeedSequence):
    """A hash as the seed of a generator, as it is: it needs no further mixing."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """The first words of the hash."""
        return np.frombuffer(self._digest, dtype=np.dtype(dtype).newbyteorder("<"))[:n_words].astype(dtype)


def vary(item: Item, condition: Condition, *, seed: int, pool: Pool, drawn: Drawn | None = None) -> Variant:
    """The item under a condition; raises Inapplicable where the condition has no meaning for it.

    `drawn` is what was drawn before: the same is done again, whatever would be drawn now.
    """
    equipped = condition.equip(item, pool)
    drawn = condition.choose(equipped, seed=seed, pool=pool) if drawn is None else drawn
    return Variant(item, condition.apply(equipped, drawn), condition.label, drawn)
