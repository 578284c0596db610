"""Sight: looking at a request's images, each picture once, away from the event loop."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from snellen.errors import ImageError, RejectedError
from snellen.images import EncodedImage, decode

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept

    Eyes = Callable[[bytes], Percept]

NOTHING = "none"
"""The modality of an image that shows nothing."""

_WEIGHTS = Path(__file__).with_name("vision.npz")
_UNIFORM = 3.0


def network(data: bytes) -> Percept:
    """What the bundled network makes of an image file."""
    # Only those who look need the network: importing the organisms stays cheap.
    from snellen.models.organisms.vision import look

    return look(data)


@cache
def weights_digest() -> str:
    """The first twelve digits of the network's sha256: other weights are another model."""
    return hashlib.sha256(_WEIGHTS.read_bytes()).hexdigest()[:12]


class Sight:
    """Eyes with a memory: a picture is looked at once, whichever thread asks first, and the last ones are kept."""

    def __init__(self, eyes: Eyes = network, *, remembers: int = 8192) -> None:
        self._eyes = eyes
        self._remembers = remembers
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[Percept]] = OrderedDict()

    async def see(self, images: tuple[EncodedImage, ...]) -> Percept | None:
        """What the first image that shows something shows; None where there is no image at all."""
        last = None
        for image in images:
            known = self._recalled(image.sha256)
            percept = await asyncio.to_thread(self._look, image) if known is None else known
            if percept.modality != NOTHING:
                return percept
            last = percept
        return last

    def _recalled(self, sha256: str) -> Percept | None:
        with self._lock:
            known = self._known.get(sha256)
            if known is None or not known.done():
                return None
            self._known.move_to_end(sha256)
        return known.result()

    def _look(self, image: EncodedImage) -> Percept:
        mine: Future[Percept] = Future()
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


async def featureless(images: tuple[EncodedImage, ...]) -> bool:
    """Whether all the images are of one even shade."""
    spreads = [await asyncio.to_thread(_spread, image) for image in images]
    return all(spread < _UNIFORM for spread in spreads)


def _spread(image: EncodedImage) -> float:
    return float(decode(image.data, name="sent to the organism").std())


SIGHT = Sight()
"""The bundled eyes, shared by all organisms: what one has seen, the others need not look at again."""
