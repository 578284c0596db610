"""Answer: one response that somebody already has, with the question as it was put."""

from __future__ import annotations

from typing import NamedTuple

from snellen.items import Item
from snellen.models.base import Response
from snellen.prompts import PROVIDER_DEFAULTS, Settings

AS_ASKED = "original"
MOST_REPEATS = 2**20
"""Repeats are numbered below this."""
LONGEST_TEXT = 16_000_000
"""Characters of a response, or of what was sent; as many as a server may reply."""


class Answer(NamedTuple):
    """One response, or one call that failed.

    `item` is the question as this arm put it: its options in the order shown, its images as they were sent.
    `replicate` is as the source counts them, None where it does not. `response` is None where the call failed, and
    `error` then says how. `text` and `system` are the words sent, empty where they are not known.
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
    """Whether an image was sent with it; None where the source does not say."""
    has_image: bool = False
    """Whether an image belongs to the question, as the source says, sent or not."""
    second: bool = False
    """Whether it is a second response, asked for *Steady?* alone."""
    where: str = ""
    """The file and row it was read from, for messages."""
