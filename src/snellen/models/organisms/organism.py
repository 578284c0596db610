"""Organism: a small model with one planted behaviour, which sees the request and nothing else."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from snellen.models.base import Model, Response, Usage, receipt
from snellen.models.organisms.reading import Question, read
from snellen.models.organisms.replies import replies_to, wording
from snellen.models.organisms.reporting import Wanted, report_wanted
from snellen.models.organisms.sight import SIGHT, Sight, network, weights_digest
from snellen.prompts import Request
from snellen.prompts.letters import asks_for_letters

if TYPE_CHECKING:
    from snellen.models.organisms.sight import Eyes

VERSION = "1"
"""Raised whenever an organism answers anything differently."""

_CHARACTERS_A_TOKEN = 4
_PIXELS_A_PATCH = 28


class Organism(Model):
    """The base of the family: reads the request, lets the member response, counts and cuts as a provider would.

    `eyes` is what it sees with: a function from an image file to a Percept, by default the bundled network.
    """

    behaviour: ClassVar[str]
    sees: ClassVar[bool] = False
    takes_examples = False

    def __init__(self, *, eyes: Eyes = network) -> None:
        bundled = eyes is network
        self.name = f"organism/{self.behaviour}"
        self.revision = f"{VERSION}+{weights_digest() if bundled else 'own-eyes'}" if self.sees else VERSION
        self.sight = SIGHT if bundled else Sight(eyes)

    @abstractmethod
    async def reply(self, request: Request, question: Question) -> str:
        """What this organism says."""

    async def report(self, request: Request, question: Question, wanted: Wanted) -> str:
        """What this organism writes when it is asked for a report; unless it says otherwise, its usual reply."""
        return await self.reply(request, question)

    async def letters(self, request: Request, question: Question) -> str:
        """The rows of letters that it reads, ? for each that it cannot; one that never looks makes them up."""
        # Only those who are asked for letters need the reader: importing the organisms stays cheap.
        from snellen.models.organisms.letters import invented, rows_read

        if not self.sees:
            return invented(request.key)
        rows = await rows_read(request)
        if rows is None:
            return wording(replies_to(question).no_image, request.key)
        return "\n".join(rows) or "There are no letters in the image."

    async def answer(self, request: Request) -> Response:
        """The organism's response, cut at `max_tokens` where that is set."""
        started = time.perf_counter()
        text = await self._said(request, read(request))
        limit = request.settings.max_tokens
        kept = text if limit is None else text[: limit * _CHARACTERS_A_TOKEN]
        return Response(
            kept,
            finish="stop" if kept == text else "length",
            usage=rough_usage(request, kept),
            latency=time.perf_counter() - started,
            served_by=self.name,
            sent=tuple(receipt(image) for image in request.images),
        )

    async def _said(self, request: Request, question: Question) -> str:
        if asks_for_letters(request.text) and not question.options:
            return await self.letters(request, question)
        wanted = report_wanted(request, question)
        return await (self.reply(request, question) if wanted is None else self.report(request, question, wanted))


def rough_usage(request: Request, reply: str) -> Usage:
    """Tokens at four characters each, and one for every 28 × 28 pixels of an image."""
    images = sum(-(-image.width // _PIXELS_A_PATCH) * -(-image.height // _PIXELS_A_PATCH) for image in request.images)
    words = _tokens(request.system) + _tokens(request.text)
    return Usage(words + images, _tokens(reply), images)


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_A_TOKEN)
