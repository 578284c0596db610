"""organism/nearsighted-2, -4, -8: grounded behind poor eyes: images lose their fine detail before they are seen."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from snellen.errors import ImageError, RejectedError
from snellen.images import EncodedImage, decode, encode
from snellen.models.organisms.grounded import Grounded
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import Question
from snellen.models.organisms.reporting import Wanted
from snellen.models.organisms.sight import SIGHT, network
from snellen.prompts import Request

if TYPE_CHECKING:
    from snellen.models.organisms.sight import Eyes


class Nearsighted(Organism):
    """Sees every image so many times smaller, and answers as `grounded` does.

    So the smallest letters that it reads are as many times larger than those that `grounded` reads: a patient with a
    known acuity, on whom the eye chart is qualified. Eyes of one's own are as poor as they are: to them, images are
    shown whole.
    """

    sees: ClassVar[bool] = True
    times: ClassVar[int]

    def __init__(self, *, eyes: Eyes = network) -> None:
        super().__init__(eyes=eyes)
        self._mind = Grounded(eyes=eyes)

    async def reply(self, request: Request, question: Question) -> str:
        """What `grounded` says of the images as they are seen."""
        return await self._mind.reply(await self._seen(request), question)

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """The report that `grounded` writes of the images as they are seen."""
        return await self._mind.report(await self._seen(request), question, wanted)

    async def letters(self, request: Request, question: Question) -> str:
        """The letters that are large enough to be read."""
        return await self._mind.letters(await self._seen(request), question)

    async def _seen(self, request: Request) -> Request:
        if self.sight is not SIGHT:
            return request
        images = [await asyncio.to_thread(smaller, image, self.times) for image in request.images]
        return replace(request, images=tuple(images))


class Nearsighted2(Nearsighted):
    """Sees every image with half as many pixels on a side, and answers as `grounded` does."""

    behaviour: ClassVar[str] = "nearsighted-2"
    times: ClassVar[int] = 2


class Nearsighted4(Nearsighted):
    """Sees every image with a quarter as many pixels on a side, and answers as `grounded` does."""

    behaviour: ClassVar[str] = "nearsighted-4"
    times: ClassVar[int] = 4


class Nearsighted8(Nearsighted):
    """Sees every image with an eighth as many pixels on a side, and answers as `grounded` does."""

    behaviour: ClassVar[str] = "nearsighted-8"
    times: ClassVar[int] = 8


def smaller(image: EncodedImage, times: int) -> EncodedImage:
    """The image with so many times fewer pixels on each side, of which each is the mean of those it stands for."""
    import cv2

    try:
        pixels = decode(image.data, name="sent to the organism")
    except ImageError as error:
        raise RejectedError(f"An image sent to the organism cannot be read: {error}") from error
    height, width = (max(1, round(side / times)) for side in pixels.shape[:2])
    # Means of whole numbers are exact as fractions: each kind of processor rounds them alike.
    shrunk = cv2.resize(pixels.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    return encode(np.rint(shrunk).astype(np.uint8))
