"""Sight: looking at a request's images, each image once, away from the event loop."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from snellen.errors import ImageError, RejectedError
from snellen.images import EncodedImage, decode

if TYPE_CHECKING:
    from snellen.models.organisms.quality import Quality
    from snellen.models.organisms.vision import Percept

    Eyes = Callable[[bytes], Percept]

NOTHING = "none"
"""The modality of an image that shows nothing."""

_WEIGHTS = Path(__file__).with_name("vision.npz")
_UNIFORM = 3.0
_UNRELATED = 0.05


def network(data: bytes) -> Percept:
    """What the bundled network makes of an image file."""
    # Only those who look need the network: importing the organisms stays cheap.
    from snellen.models.organisms.vision import look

    return look(data)


@cache
def weights_digest() -> str:
    """The first twelve digits of the network's sha256: other weights are another model."""
    return hashlib.sha256(_WEIGHTS.read_bytes()).hexdigest()[:12]


Made = TypeVar("Made")


class Looking(Generic[Made]):
    """Looking, with a memory: a image is looked at once, whichever thread asks first, and the last ones are kept."""

    def __init__(self, look: Callable[[bytes], Made], *, remembers: int = 8192) -> None:
        self._eyes = look
        self._remembers = remembers
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[Made]] = OrderedDict()

    async def at(self, image: EncodedImage) -> Made:
        """What is made of an image."""
        known = self._recalled(image.sha256)
        return await asyncio.to_thread(self._look, image) if known is None else known

    def _recalled(self, sha256: str) -> Made | None:
        with self._lock:
            known = self._known.get(sha256)
            if known is None or not known.done():
                return None
            self._known.move_to_end(sha256)
        return known.result()

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


class Sight(Looking["Percept"]):
    """Eyes with a memory."""

    def __init__(self, eyes: Eyes = network, *, remembers: int = 8192) -> None:
        super().__init__(eyes, remembers=remembers)

    async def see(self, images: tuple[EncodedImage, ...]) -> Percept | None:
        """What the first image that shows something shows; None where there is no image at all."""
        last = None
        for image in images:
            last = await self.at(image)
            if last.modality != NOTHING:
                break
        return last


async def featureless(images: tuple[EncodedImage, ...], *, below: float = _UNIFORM) -> bool:
    """Whether all the images are of one shade, as even as that."""
    spreads = [await asyncio.to_thread(_spread, image) for image in images]
    return all(spread < below for spread in spreads)


async def structureless(images: tuple[EncodedImage, ...]) -> bool:
    """Whether all the images are of one even shade, or of nothing but noise: no pixel is like its neighbour."""
    shown = [await asyncio.to_thread(_structured, image) for image in images]
    return not any(shown)


def _structured(image: EncodedImage) -> bool:
    pixels = decode(image.data, name="sent to the organism").astype("f4")
    if pixels.std() < _UNIFORM:
        return False
    varied = pixels - pixels.mean()
    return bool((varied[:, 1:] * varied[:, :-1]).sum() > _UNRELATED * (varied**2).sum())


def _spread(image: EncodedImage) -> float:
    return float(decode(image.data, name="sent to the organism").std())


SIGHT = Sight()
"""The bundled eyes, shared by all organisms: what one has seen, the others need not look at again."""


def judged(data: bytes) -> Quality:
    """What the bundled judge makes of the quality of an image file."""
    # Only those who look need the judge, as with the network.
    from snellen.models.organisms import quality

    return quality.judged(data)


JUDGING = Looking(judged)
"""The bundled judge of quality, shared by all organisms."""


async def on_its_side(images: tuple[EncodedImage, ...]) -> bool:
    """Whether what the images show is turned so far that it no longer looks like what it is."""
    found = [await JUDGING.at(image) for image in images]
    return all(not one.readable and one.problem == "rotation" for one in found)
