"""Condition: one controlled change to an item. Variant: the changed item."""

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
"""Random choices of a condition for one item, as JSON; they suffice to repeat the change."""


@dataclass(frozen=True)
class Condition(ABC):
    """One controlled change; its fields are its settings. `draw` makes random choices, `apply` carries them out."""

    name: ClassVar[str]
    touches: ClassVar[frozenset[str]] = frozenset()
    """Changed parts: image, text or options. Conditions that change the same part cannot be combined."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Settings added after responses had been stored; their defaults are not part of the identity."""

    told: ClassVar[str] = ""
    """Words for verdicts, such as "without the image"; by default the label."""

    declared: ClassVar[Effects | None] = None
    """Effects on an item. None derives them from `touches`; the effect on a touched image is then unknown."""

    @property
    def effects(self) -> Effects:
        """Effects on an item; they are not part of the identity."""
        return self.declared or derive_effects(self.touches)

    @property
    def hides_options(self) -> bool:
        """Whether the options are hidden, so that the response is matched with them later."""
        return False

    @property
    def changes(self) -> frozenset[str]:
        """Parts of the item that change, from `touches` or the effects; also for combined conditions."""
        return self.touches or self.effects.changes

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with what the change needs from other items; most conditions need nothing."""
        return item

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the random choices for an item. Raise Inapplicable with the reason if the condition does not apply."""
        return {}

    @abstractmethod
    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the changed item with the same id and its current correct answer.

        The input item stays unchanged. Raises Inapplicable if the change has no meaning for it.
        """

    def choose(self, item: Item, *, seed: int, pool: Pool) -> Drawn:
        """Draw the choices for an equipped item with a seed."""
        draws = type(self).draw is not Condition.draw
        return self.draw(item, generator(seed, self.stream, item.id), pool) if draws else {}

    @cached_property
    def label(self) -> str:
        """Name with the settings that differ from the default."""
        unusual = [each.name for each in fields(self) if not _is_usual(self, each)]
        settings = ",".join(f"{name}={getattr(self, name)}" for name in unusual)
        return f"{self.name}:{settings}" if settings else self.name

    @property
    def in_words(self) -> str:
        """Words for a sentence, such as "without the image"."""
        return self.told or f"under {self.label}"

    @cached_property
    def identity(self) -> str:
        """Name and settings; conditions with the same identity make the same change."""
        usual = {each.name for each in fields(self) if each.name in self.later and _is_usual(self, each)}
        settings = {name: value for name, value in asdict(self).items() if name not in usual}
        return f"{self.name}{orjson.dumps(settings, option=orjson.OPT_SORT_KEYS).decode()}"

    @property
    def stream(self) -> str:
        """Key of the random numbers, besides seed and item. Conditions with the same key share draws."""
        return self.identity


def _is_usual(condition: Condition, setting: Field[Any]) -> bool:
    return bool(getattr(condition, setting.name) == setting.default)


@dataclass(frozen=True)
class Variant:
    """An item in a condition, with its draw. `original.answer` and `item.answer` are the answer keys."""

    original: Item
    item: Item
    condition: str
    drawn: Drawn


def generator(seed: int, *names: str) -> Generator:
    """Make a random generator from seed and names only. Order, batch and machine do not matter.

    >>> bool(generator(1, "a", "b").random() == generator(1, "a", "b").random())
    True
    """
    digest = hashlib.sha256("\x00".join((str(seed), *names)).encode()).digest()
    return np.random.Generator(PCG64(Seed(digest)))  # type: ignore[arg-type]  # NumPy takes it, its stubs do not


class Seed(ISeedSequence):
    """A hash used directly as the seed of a generator, without further mixing."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """Return the first words of the hash."""
        return np.frombuffer(self._digest, dtype=np.dtype(dtype).newbyteorder("<"))[:n_words].astype(dtype)


def vary(item: Item, condition: Condition, *, seed: int, pool: Pool, drawn: Drawn | None = None) -> Variant:
    """Apply a condition to an item. Raise Inapplicable if it has no meaning for the item.

    With `drawn`, an earlier draw is repeated and nothing new is drawn.
    """
    equipped = condition.equip(item, pool)
    drawn = condition.choose(equipped, seed=seed, pool=pool) if drawn is None else drawn
    return Variant(item, condition.apply(equipped, drawn), condition.label, drawn)
