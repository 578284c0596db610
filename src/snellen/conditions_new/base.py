"""Condition: one controlled change to an item; Variant: the item as the change left it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import orjson
from numpy.random import PCG64, Generator
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.items import Item
from snellen.perturb.blank import TONES, Blanked, Fill, Placeholder

Drawn = Mapping[str, Any]
"""What a condition drew, as JSON can hold it: enough to do the same again."""


class Pool:
    """The whole benchmark, in an order that neither loader nor limit changes: where a condition finds donors."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = tuple(sorted(items, key=lambda item: item.id))

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class Condition(ABC):
    """One controlled change. Its fields are its settings; choosing (`draw`) is apart from doing (`apply`)."""

    name: ClassVar[str]

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Choose what to do to this item; the choice is stored. Raises Inapplicable with the reason."""
        return {}

    @abstractmethod
    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item afterwards: the same id, the right answer as it now is, the input untouched; or Inapplicable."""

    @cached_property
    def label(self) -> str:
        """The name, with the settings that are not the usual ones."""
        unusual = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        settings = ",".join(f"{name}={getattr(self, name)}" for name in unusual)
        return f"{self.name}:{settings}" if settings else self.name

    @cached_property
    def identity(self) -> str:
        """Name and settings: two conditions of one identity do the same."""
        return f"{self.name}{orjson.dumps(asdict(self), option=orjson.OPT_SORT_KEYS).decode()}"


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


def vary(item: Item, condition: Condition, *, seed: int, pool: Pool) -> Variant:
    """The item under a condition; raises Inapplicable where the condition has no meaning for it."""
    draws = type(condition).draw is not Condition.draw
    drawn = condition.draw(item, generator(seed, condition.identity, item.id), pool) if draws else {}
    return Variant(item, condition.apply(item, drawn), condition.label, drawn)


@dataclass(frozen=True)
class Original(Condition):
    """The item as it is."""

    name: ClassVar[str] = "original"

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item itself."""
        return item


@dataclass(frozen=True)
class ImageRemoved(Condition):
    """The same words, no image."""

    name: ClassVar[str] = "image-removed"

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item without its images."""
        if not item.images:
            raise Inapplicable("the item has no image to remove")
        return replace(item, images=())


@dataclass(frozen=True)
class ImageBlank(Condition):
    """The same words, every image replaced by a blank one."""

    name: ClassVar[str] = "image-blank"

    fill: Fill = "white"
    size: Literal["kept", "placeholder"] = "kept"

    def __post_init__(self) -> None:
        if self.fill not in (*TONES, "noise") or self.size not in ("kept", "placeholder"):
            raise StudyError(
                f"A blank image is white, black, grey or noise, its size kept or that of the placeholder; "
                f"got fill={self.fill}, size={self.size}."
            )

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """The seed of the noise, where there is noise."""
        return {"seed": int(rng.integers(2**53))} if self.fill == "noise" else {}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with its images blanked."""
        if not item.images:
            raise Inapplicable("the item has no image to blank")
        seed = drawn.get("seed", 0)
        return replace(item, images=tuple(self._blank(image, seed + i) for i, image in enumerate(item.images)))

    def _blank(self, image: Image, seed: int) -> Image:
        seed = seed if self.fill == "noise" else 0
        return image.then(Blanked(self.fill, seed)) if self.size == "kept" else Image(Placeholder(self.fill, seed))


@dataclass(frozen=True)
class Given(Condition):
    """An arm that came with imported replies; what was done to the items is not known here."""

    name: ClassVar[str] = "given"

    called: str = ""

    @cached_property
    def label(self) -> str:
        """The arm's own name."""
        return self.called

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """It cannot be done again."""
        raise Inapplicable(f"the arm {self.called!r} was imported; it cannot be asked here")


ORIGINAL = Original()
IMAGE_REMOVED = ImageRemoved()
IMAGE_BLANK = ImageBlank()
