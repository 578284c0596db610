"""organism/nearsighted-2, -4, -8: grounded, but fine details of images are lost first."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import ClassVar

import numpy as np

from snellen.errors import ImageError, RejectedError
from snellen.images import EncodedImage, decode, encode
from snellen.models.organisms.grounded import Grounded
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.reporting import WantedReport
from snellen.models.organisms.sight import SIGHT, Eyes, network
from snellen.prompts import Request


class Nearsighted(Organism):
    """Sees every image at a fraction of its size and answers like `grounded`.

    The smallest letters that it reads are larger than those of `grounded` by the same factor. So it is a patient with a
    known acuity, on whom the eye chart is checked. Other `eyes` have an acuity of their own and get the whole images.
    """

    sees: ClassVar[bool] = True
    times: ClassVar[int]

    def __init__(self, *, eyes: Eyes = network) -> None:
        super().__init__(eyes=eyes)
        self._mind = Grounded(eyes=eyes)

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return what `grounded` answers to the reduced images."""
        return await self._mind.reply(await self._blur_request(request), question)

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return the report that `grounded` writes on the reduced images."""
        return await self._mind.report(await self._blur_request(request), question, wanted)

    async def letters(self, request: Request, question: ParsedQuestion) -> str:
        """Return the letters that are large enough to be read."""
        return await self._mind.letters(await self._blur_request(request), question)

    async def _blur_request(self, request: Request) -> Request:
        if self.sight is not SIGHT:
            return request
        images = [await asyncio.to_thread(smaller, image, self.times) for image in request.images]
        return replace(request, images=tuple(images))


class Nearsighted2(Nearsighted):
    """Sees every image at half its size and answers like `grounded`."""

    behaviour: ClassVar[str] = "nearsighted-2"
    times: ClassVar[int] = 2


class Nearsighted4(Nearsighted):
    """Sees every image at a quarter of its size and answers like `grounded`."""

    behaviour: ClassVar[str] = "nearsighted-4"
    times: ClassVar[int] = 4


class Nearsighted8(Nearsighted):
    """Sees every image at an eighth of its size and answers like `grounded`."""

    behaviour: ClassVar[str] = "nearsighted-8"
    times: ClassVar[int] = 8


def smaller(image: EncodedImage, times: int) -> EncodedImage:
    """Return the image with `times` fewer pixels on each side, by area means."""
    import cv2

    try:
        pixels = decode(image.data, name="sent to the organism")
    except ImageError as error:
        raise RejectedError(f"An image sent to the organism cannot be read: {error}") from error
    height, width = (max(1, round(side / times)) for side in pixels.shape[:2])
    # Means of whole numbers are exact as floats, so every processor rounds them equally.
    shrunk = cv2.resize(pixels.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    return encode(np.rint(shrunk).astype(np.uint8))
