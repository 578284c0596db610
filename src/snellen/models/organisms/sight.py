"""Sight of organisms: look at a request's images, each image once, in threads.

A "percept" is what the bundled network sees in an image: modality, finding, side, location, size and count.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Generic, TypeVar

from snellen.errors import ImageError, RejectedError
from snellen.images import EncodedImage, decode

NOTHING = "none"
"""The modality of a blank image."""

_UNIFORM = 3.0
_UNRELATED = 0.05


@dataclass(frozen=True)
class Percept:
    """What the network sees in an image. `modality` is "none" if it shows nothing that the network knows.

    `confidence` has the probability of each field's value, given the modality. Side, location, count and size are best
    guesses even if the finding has none, so use only those that make sense. `leanings` has the finding for each
    modality, if the image were of that modality.
    """

    modality: str
    finding: str
    side: str
    location: str
    count: int
    size: str
    confidence: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    leanings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class ShownFinding:
    """A finding that an image shows, a text mentions or an organism invents."""

    modality: str
    finding: str
    side: str = ""
    location: str = ""
    count: int = 0
    size: str = ""


@dataclass(frozen=True)
class Quality:
    """Quality of an image: `poor` is the probability of poor quality, `problem` the most probable cause."""

    poor: float
    problem: str

    @property
    def readable(self) -> bool:
        """True if it is probably good enough to be read."""
        return self.poor < 0.5


Eyes = Callable[[bytes], Percept]
"""An organism's sight: a function from an image file to a percept."""


def network(data: bytes) -> Percept:
    """Return the bundled network's percept of an image file."""
    # Imported here, so that importing the organisms stays fast.
    from snellen.models.organisms.vision import look

    return look(data)


@cache
def weights_digest(name: str = "vision") -> str:
    """Return the first twelve digits of the sha256 of a network's weights. Other weights are another model."""
    return hashlib.sha256(Path(__file__).with_name(f"{name}.npz").read_bytes()).hexdigest()[:12]


Made = TypeVar("Made")


class Looking(Generic[Made]):
    """Sight with a memory: each image is looked at once for all threads, and the latest results are kept."""

    def __init__(self, look: Callable[[bytes], Made], *, remembers: int = 8192) -> None:
        self._eyes = look
        self._remembers = remembers
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[Made]] = OrderedDict()

    async def look_at(self, image: EncodedImage) -> Made:
        """Return the result for an image."""
        with self._lock:
            known = self._known.get(image.sha256)
            if known is not None and known.done():
                self._known.move_to_end(image.sha256)
                return known.result()
        return await asyncio.to_thread(self._look, image)

    def _look(self, image: EncodedImage) -> Made:
        mine: Future[Made] = Future()
        with self._lock:
            known = self._known.setdefault(image.sha256, mine)
        if known is not mine:
            return known.result()
        try:
            mine.set_result(self._eyes(image.data))
        except BaseException as error:
            with self._lock:
                del self._known[image.sha256]
            unreadable = RejectedError(f"An image sent to the organism cannot be read: {error}")
            mine.set_exception(unreadable if isinstance(error, ImageError) else error)
        with self._lock:
            while len(self._known) > self._remembers:
                self._known.popitem(last=False)
        return mine.result()


class CachedSight(Looking[Percept]):
    """Sight that returns percepts."""

    async def see(self, images: tuple[EncodedImage, ...]) -> Percept | None:
        """Return the percept of the first image that is not blank, else of the last. None without an image."""
        last = None
        for image in images:
            last = await self.look_at(image)
            if last.modality != NOTHING:
                break
        return last


async def featureless(images: tuple[EncodedImage, ...], *, below: float = _UNIFORM) -> bool:
    """Return whether the grey values of each image spread by less than `below`."""
    spreads = [await asyncio.to_thread(_spread, image) for image in images]
    return all(spread < below for spread in spreads)


async def structureless(images: tuple[EncodedImage, ...]) -> bool:
    """Return whether each image is a single shade or pure noise, with unrelated neighbouring pixels."""
    shown = [await asyncio.to_thread(_has_structure, image) for image in images]
    return not any(shown)


def _has_structure(image: EncodedImage) -> bool:
    pixels = decode(image.data, name="sent to the organism").astype("f4")
    if pixels.std() < _UNIFORM:
        return False
    varied = pixels - pixels.mean()
    return bool((varied[:, 1:] * varied[:, :-1]).sum() > _UNRELATED * (varied**2).sum())


def _spread(image: EncodedImage) -> float:
    return float(decode(image.data, name="sent to the organism").std())


SIGHT = CachedSight(network)
"""The bundled sight, shared by all organisms, so each image is looked at once."""


def judge_quality(data: bytes) -> Quality:
    """Return the bundled network's judgement of an image file's quality."""
    # Imported here, so that importing the organisms stays fast.
    from snellen.models.organisms import quality

    return quality.judge_quality(data)


JUDGING = Looking(judge_quality)
"""The bundled judge of quality, shared by all organisms."""


async def on_its_side(images: tuple[EncodedImage, ...]) -> bool:
    """Return whether all images are rotated too far to be recognised."""
    found = [await JUDGING.look_at(image) for image in images]
    return all(not one.readable and one.problem == "rotation" for one in found)
