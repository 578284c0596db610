"""Answers of an import: existing responses, each with its question as it was sent."""

from __future__ import annotations

from typing import NamedTuple

from snellen.items import Item
from snellen.models.base import Response
from snellen.prompts import PROVIDER_DEFAULTS, Settings

AS_ASKED = "original"
MOST_REPEATS = 2**20
"""Repeats have numbers below this."""
LONGEST_TEXT = 16_000_000
"""Most characters of a response or prompt; a server's responses have the same limit."""


class Answer(NamedTuple):
    """One existing response, or one call that failed.

    `item` is the question as this arm sent it: with its options in the order shown and its images as sent. `replicate`
    is the source's number of the repeat, None if it has none. `response` is None if the call failed; `error` is the
    reason. `text` and `system` are the texts sent, "" if unknown.
    """

    model: str
    benchmark: str
    arm: str
    item: Item
    response: Response | None
    error: str = ""
    replicate: int | None = None
    revision: str = ""
    text: str = ""
    system: str = ""
    settings: Settings = PROVIDER_DEFAULTS
    image_sent: bool | None = None
    """True if an image was sent; None if the source does not record it."""
    has_image: bool = False
    """True if the question has an image according to the source, even if it was not sent."""
    second: bool = False
    """True for a second response that was requested only for the test *Steady?*."""
    where: str = ""
    """File and row of the answer, for messages."""

    @property
    def longest(self) -> int:
        """Number of characters of the longest text; the question does not count."""
        response = self.response or Response("")
        return max(map(len, (self.text, self.system, self.error, response.text, response.reasoning)))
