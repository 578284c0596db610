"""What a person read in real replies to the Italian exam: labels keyed by model, item, arm and replicate.

The replies of `SAMPLE`, `LATER` and `BLANK` were read whole, by one parser, before the rules were tried; of `IN_DOUBT`,
only the sentences that a broad net of words had found. Three questions were asked: does it claim to see in the picture
what the question had not told (s), does it say that there was nothing to see (n), does it voice doubt: it could not see
well, presumes what the picture shows, is not sure (h).

A row is `item: replies`; a reply is its model (c Claude Sonnet 4.5, g GPT-5-mini), arm (o original, b blank image),
replicate and letters, a dash for none, or a question mark where a careful colleague could say either of (s).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

MODELS = {"c": "anthropic/claude-sonnet-4-5", "g": "openai/gpt-5-mini"}
ARMS = {"o": "original", "b": "image-blank"}

_TABLES = json.loads(
    (Path(__file__).parents[1] / "data" / "replies" / "reading" / "claims_by_hand.json").read_text(encoding="utf-8")
)
SAMPLE = _TABLES["SAMPLE"]
"""One reply drawn at random for each item, model and arm."""

IN_DOUBT = _TABLES["IN_DOUBT"]
"""Replies with some word of blank, unclear or presumed; claims were not judged."""

LATER = _TABLES["LATER"]
"""Drawn at random and read once the rules stood. First count: 37 found, 6 wrong, 3 missed; then two rules changed."""

BLANK = _TABLES["BLANK"]
"""Blank images only, 120 of each model drawn at random; only the first question was asked."""


FRESH = _TABLES["FRESH"]
"""Blank images only, of the test half and of no list above, drawn at random (seed 53): 140 of GPT-5-mini and 60 of
Claude. A language model read them whole, or up to the first claim, on 18 November 2026, when the rules stood; only the
first question was asked."""


Key = tuple[str, str, str, int]


class Label(NamedTuple):
    """What a person read in a reply."""

    sees: bool
    notices: bool
    hedges: bool
    borderline: bool = False


def labels(rows: Iterable[str]) -> Iterator[tuple[Key, Label]]:
    """The replies of some rows with their labels."""
    for row in "|".join(rows).split("|"):
        item, replies = row.strip().split(": ")
        for reply in replies.split():
            number = reply[2:].rstrip("snh-?")
            letters = reply[2 + len(number) :]
            key = (MODELS[reply[0]], item, ARMS[reply[1]], int(number))
            yield key, Label("s" in letters, "n" in letters, "h" in letters, "?" in letters)


def for_development(key: Key) -> bool:
    """Whether a reply belongs to the half on which rules were made; the other half only counted them."""
    return hashlib.sha256("|".join(map(str, key)).encode()).digest()[0] % 2 == 1
