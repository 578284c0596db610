"""Organism: a small model with one known flaw, which sees only the request."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import ClassVar

from snellen.models.base import Model, Response, Usage, receipt
from snellen.models.organisms.reading import ParsedQuestion, read
from snellen.models.organisms.replies import replies_to, wording
from snellen.models.organisms.reporting import WantedReport, report_wanted, seen_report, supposed_report
from snellen.models.organisms.sight import SIGHT, CachedSight, Eyes, network, weights_digest
from snellen.prompts import Request
from snellen.prompts.letters import asks_for_letters

VERSION = "1"
"""Increased whenever an organism's answers change."""

_CHARACTERS_A_TOKEN = 4
_PIXELS_A_PATCH = 28


class Organism(Model):
    """Base class of organisms: reads requests, asks the subclass, and counts tokens.

    `eyes` is its sight: a function from an image file to a Percept, by default the bundled network.
    """

    behaviour: ClassVar[str]
    sees: ClassVar[bool] = False
    takes_examples = False

    def __init__(self, *, eyes: Eyes = network) -> None:
        bundled = eyes is network
        self.name = f"organism/{self.behaviour}"
        self.revision = f"{VERSION}+{weights_digest() if bundled else 'own-eyes'}" if self.sees else VERSION
        self.sight = SIGHT if bundled else CachedSight(eyes)

    @abstractmethod
    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return this organism's response."""

    async def report(self, request: Request, question: ParsedQuestion, wanted: WantedReport) -> str:
        """Return the report of this organism: after looking if it sees, otherwise by a fixed preference."""
        if self.sees:
            return await seen_report(request, question, wanted, self.sight)
        return supposed_report(wanted, request.key)

    async def letters(self, request: Request, question: ParsedQuestion) -> str:
        """Return the rows of letters that it reads, ? for unreadable ones; blind organisms invent them."""
        # Imported here, so that importing the organisms stays fast.
        from snellen.models.organisms.letters import invent_letters, rows_read

        if not self.sees:
            return invent_letters(request.key)
        rows = await rows_read(request)
        if rows is None:
            return wording(replies_to(question).no_image, request.key)
        return "\n".join(rows) or "There are no letters in the image."

    async def answer(self, request: Request) -> Response:
        """Return the organism's response, truncated at `max_tokens` if that is set."""
        started = time.perf_counter()
        text = await self._word_answer(request, read(request))
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

    async def _word_answer(self, request: Request, question: ParsedQuestion) -> str:
        if asks_for_letters(request.text) and not question.options:
            return await self.letters(request, question)
        wanted = report_wanted(request, question)
        return await (self.reply(request, question) if wanted is None else self.report(request, question, wanted))


def rough_usage(request: Request, reply: str) -> Usage:
    """Estimate tokens: one per four characters, and one per 28 × 28 pixels of an image."""
    images = sum(-(-image.width // _PIXELS_A_PATCH) * -(-image.height // _PIXELS_A_PATCH) for image in request.images)
    words = _tokens(request.system) + _tokens(request.text)
    return Usage(words + images, _tokens(reply), images)


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_A_TOKEN)
