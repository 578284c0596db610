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
from collections.abc import Iterator
from typing import NamedTuple

MODELS = {"c": "anthropic/claude-sonnet-4-5", "g": "openai/gpt-5-mini"}
ARMS = {"o": "original", "b": "image-blank"}

SAMPLE = """
IT0006: co2s cb3s go4s gb10s | IT0007: co4s cb7nh go9s gb3- | IT0031: co2s cb9- go4- gb4-
IT0032: co10s cb3- go6- gb1- | IT0053: co8s cb3- go6s gb9- | IT0054: co10- cb3- go3- gb8-
IT0063: co2s cb8nh go9s gb4- | IT0064: co9s cb1- go5s gb4- | IT0065: co7s cb2nh go8s gb7-
IT0095: co1s cb5- go1s gb3- | IT0111: co3s cb2- go9s gb2- | IT0130: co5s cb1s go2s gb9s
IT0131: co2- cb8- go10- gb3- | IT0136: co3s cb6s go8s gb8s | IT0169: co10- cb2- go5- gb6-
IT0198: co6- cb9- go1- gb10- | IT0200: co7s cb3s go6s gb6s | IT0213: co5s cb6s go3s gb3s
IT0214: co4s cb1- go5s gb7- | IT0229: co10s cb4- go9s gb4- | IT0235: co1s cb5- go1s gb4-
IT0236: co6- cb5- go1- gb6- | IT0250: co3s cb10- go4s gb10s | IT0311: co7- cb7- go2- gb7-
IT0340: co3s cb6s go5s gb2s | IT0375: co2s cb2nh go1s gb9s | IT0390: co9- cb10- go3- gb3-
IT0455: co4s cb1- go1s gb2s | IT0456: co6s cb6- go7s gb6s | IT0507: co2s cb5s go5s gb2s
IT0512: co3- cb2- go9s gb4- | IT0532: co2s cb8s go7s gb5s | IT0533: co2s cb7- go2s gb3-
IT0563: co3s cb1- go4s gb7- | IT0593: co7s cb5- go6s gb9- | IT0597: co4s cb8nh go9s gb1s
IT0653: co2s cb7s go6s gb9- | IT0675: co6s cb8- go5s gb10- | IT0676: co4s cb8s go1s gb7-
IT0713: co8s cb4nh go2s gb9s | IT0783: co3s cb5- go6s gb5- | IT0784: co8s cb8- go10s gb6s
IT0785: co8s cb8- go9s gb8s | IT0860: co4s cb2s go6s gb4s | IT0861: co2s cb6h go3s gb4s
IT0890: co5- cb6- go8- gb6- | IT0891: co7s cb8- go4- gb9- | IT0892: co3s cb1- go10s gb7-
IT0908: co8s cb6- go3s gb2s | IT0919: co7s cb4- go5s gb1s | IT0949: co10s cb6- go4- gb7-
IT0972: co6s cb6- go6- gb6- | IT1022: co8- cb1- go6- gb4- | IT1023: co6- cb1- go7- gb7-
IT1044: co5s cb6s go4s gb7- | IT1053: co1s cb9- go10s gb3s | IT1100: co2s cb2h go10- gb10s
IT1113: co7s cb9- go7s gb5s | IT1114: co2s cb7- go2s gb8- | IT1118: co3s cb6- go3s gb6-
"""
"""One reply drawn at random for each item, model and arm."""

IN_DOUBT = """
IT0007: cb1nh cb2nh cb3nh cb4nh cb5nh cb6nh cb8nh cb10nh | IT0063: cb7nh | IT0064: cb7nh
IT0065: cb3h cb4nh cb6nh cb8nh cb10h gb8h | IT0130: cb5- | IT0136: cb1h cb7nh | IT0340: co2- go9- | IT0375: cb10h
IT0455: cb7h | IT0507: cb3h | IT0533: cb1- cb9h | IT0563: cb4h | IT0593: cb2h cb8h cb9h
IT0597: cb1nh cb2h cb3h cb4nh cb5nh cb6h cb7nh cb9nh cb10nh | IT0653: cb1nh co9- | IT0676: cb7-
IT0713: cb1nh cb2nh cb3nh cb5nh cb6nh cb7h cb8h cb9h cb10nh gb4h | IT0784: cb4h | IT0785: cb1nh cb4nh cb6h
IT0860: co8- | IT0861: cb1h cb3h co6- go10- | IT0908: co2- co4- cb4nh co7- cb8nh co9- go5- go7- go8- go9-
IT0919: cb2h cb5nh cb10h gb9h | IT1053: cb1nh cb2nh cb3nh cb5h cb6nh cb7h cb8h | IT1100: cb3h | IT1114: cb10h
IT1118: co2- cb3- cb4- co5- cb5- co6- co7- cb7- cb8- gb3-
"""
"""Replies with some word of blank, unclear or presumed; claims were not judged."""

LATER = """
IT0006: co3s gb7s | IT0007: go3s gb2s | IT0031: cb8- | IT0032: gb9- | IT0053: co5s | IT0064: go3s
IT0065: co9s cb7- go7s | IT0111: cb1- go7s go1s gb9- | IT0130: co9s | IT0131: co10- co3- | IT0136: co8s cb10s gb7-
IT0169: gb2- gb3- | IT0229: cb8s go2s gb8s gb3- | IT0235: go4s | IT0236: cb9- gb5- | IT0340: go10s | IT0375: cb7-
IT0390: co2- | IT0507: go3s | IT0512: co9s co6s cb9- gb3- gb6- | IT0532: go4s | IT0533: co10s co9s | IT0593: gb10s
IT0653: cb10s go5s | IT0675: cb5- | IT0676: co6s co2s co8s cb10s | IT0784: cb1- | IT0785: co2s go10s
IT0860: cb7- go8s | IT0861: co8s gb1- | IT0890: go1- | IT0891: gb4- | IT0908: gb4s | IT0949: go7-
IT0972: co7s go10- | IT1022: cb8- cb7- cb3- | IT1023: cb3- gb10- | IT1053: go3s | IT1100: cb9- gb9s | IT1113: go2s
"""
"""Drawn at random and read once the rules stood. First count: 37 found, 6 wrong, 3 missed; then two rules changed."""

BLANK = """
IT0006: cb7s cb8s gb2s gb4s gb6s | IT0007: gb1- gb7s gb8? | IT0031: cb5- cb6- cb7- gb7- gb10-
IT0032: cb6- cb8- cb10- | IT0053: cb2- cb5- cb9- cb10- gb1- gb3- gb7- | IT0054: cb2- cb4- cb5- gb7- gb9- gb10-
IT0063: cb5- gb6? gb8? gb10s | IT0064: cb4- cb5- gb2? | IT0095: cb1- cb4- cb7- cb8- gb4- gb6- | IT0111: cb8- gb7-
IT0130: cb4s cb9s gb3- gb5s | IT0131: cb5- gb5- | IT0136: gb2- gb4- | IT0169: cb1- cb5- gb8-
IT0198: cb10- gb2- gb4- gb5- gb6- gb9- | IT0200: cb1s cb2s cb5- cb8s cb9s cb10s gb3s | IT0213: cb2s cb3s gb4s gb5-
IT0214: cb2- cb8- cb9- gb9- | IT0229: cb6- cb7- gb2- gb7- gb10? | IT0235: cb4- cb6s cb7- gb1- gb2- gb9-
IT0236: cb4- cb8- | IT0250: cb2- cb4- cb5- cb8- gb1- gb5- | IT0311: cb6- gb2- gb5-
IT0340: cb1s cb4s cb5s gb3? gb6? gb9? gb10? | IT0375: cb3s cb9- gb1s gb5s gb6s
IT0390: cb1- cb2- cb3- cb4- cb7- gb1- gb4- gb8- | IT0455: cb2- gb4s gb6s | IT0456: cb8- gb2? gb5? gb7? gb10?
IT0507: cb1s cb7s cb10s gb5s gb10s | IT0512: cb1- cb5- cb7- gb1- gb9- | IT0532: cb2s cb3s cb4s gb1s gb4s gb9? gb10s
IT0533: cb2- gb9? | IT0563: cb6- gb8- gb9s | IT0593: gb5s | IT0653: cb2s cb4s cb6s cb8s gb5- | IT0675: cb1- cb3- gb3-
IT0676: cb6s gb2? gb4? gb5? gb6? gb8? | IT0713: gb7? gb10? | IT0783: cb8- cb10- | IT0784: cb5- cb9- gb1- gb8s
IT0785: cb2s cb5? cb9- gb2? | IT0860: cb10- gb3s gb5s gb10s | IT0861: cb5- cb7- gb5? gb7- gb8? gb10s
IT0890: cb2- cb3- cb5- cb10- gb1- gb10- | IT0891: cb6- cb9- cb10- gb2- gb7- gb10- | IT0892: cb3- cb4-
IT0908: cb10- gb8s | IT0919: cb8- gb4? gb7- gb8? gb10- | IT0949: gb9- | IT0972: cb2- cb4- cb5- cb7- cb8- gb10-
IT1022: cb2- gb5- gb7- | IT1023: cb5- cb8- gb5- | IT1044: gb8- gb10? | IT1053: cb4- cb10- gb2s
IT1100: cb5- cb7? gb5? gb7- gb8s | IT1113: gb6- | IT1114: cb3- cb4- cb6- gb3? gb4- gb10?
IT1118: cb9- cb10- gb1- gb2-
"""
"""Blank images only, 120 of each model drawn at random; only the first question was asked."""


FRESH = """
IT0006: cb2s gb3s | IT0007: gb5? | IT0031: cb1- gb3- gb6- gb8- gb9- | IT0032: cb1- cb2- cb4- cb5- gb10- gb3- gb4- gb5-
IT0053: cb4- cb7- gb2- | IT0054: cb10- gb2- gb4- | IT0063: cb6- gb7? | IT0064: gb9?
IT0065: cb5- gb1- gb10- gb2- gb4s gb9? | IT0095: cb9- gb10- gb2? gb8- | IT0111: gb1- gb10- gb3- gb4- gb8?
IT0130: cb2s cb7s gb2s gb7s gb8s | IT0131: cb7- gb1- gb4- gb7- gb9- | IT0136: cb4- gb1- gb3? gb5? gb6s gb9-
IT0169: gb1- gb10- gb7- | IT0198: cb4- gb1- gb7- | IT0200: gb4s gb5s | IT0213: cb5s gb7- gb9- | IT0214: cb3- gb1-
IT0229: cb10- gb1- gb6- gb9- | IT0235: cb2- gb10- | IT0236: cb7- gb4- | IT0250: cb1- gb3- gb6- gb8- gb9-
IT0311: gb1- gb10- gb9- | IT0340: gb4s gb5s gb7s | IT0375: gb3s gb7? gb8s | IT0390: gb7-
IT0455: cb3- cb6- gb10- gb3s gb8s | IT0456: cb10- | IT0507: gb1s gb3s gb9s | IT0512: cb10- gb2- gb5-
IT0532: cb1s cb6s cb7s gb3s gb6s | IT0533: cb5- gb1? gb2- gb4- gb7? | IT0563: cb3s cb5- cb7- cb8- gb1- gb10- gb4-
IT0593: cb1s cb7- gb6s gb8s | IT0597: gb4? gb5? gb8? | IT0653: gb10- gb1s gb7- gb8- | IT0675: gb2- gb5- gb8?
IT0676: cb3s gb9s | IT0713: gb5? gb8? | IT0783: cb7- gb2- gb4- | IT0784: cb10- cb2- gb2s gb5? | IT0785: gb6- gb7- gb9-
IT0860: cb5- gb6- | IT0861: cb8- cb9- gb3s | IT0890: gb4- gb7- | IT0891: cb4- gb3- | IT0892: gb10- gb3- gb8-
IT0908: cb9- gb3- gb5s | IT0919: cb3- cb9- gb2? gb3? | IT0949: cb10- cb3- gb1- gb4- gb5- | IT1022: gb2- gb6- gb8-
IT1023: gb3- | IT1044: cb10s cb4s gb3s gb5s gb9? | IT1053: gb1s gb4s gb5? gb6s gb7? | IT1100: cb4- cb8- gb3? gb6s
IT1113: cb4- cb5- cb6- cb7- gb3- | IT1114: cb2- gb1? | IT1118: cb2- gb7-
"""
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


def labels(rows: str) -> Iterator[tuple[Key, Label]]:
    """The replies of some rows with their labels."""
    for row in rows.replace("|", "\n").strip().split("\n"):
        item, replies = row.strip().split(": ")
        for reply in replies.split():
            number = reply[2:].rstrip("snh-?")
            letters = reply[2 + len(number) :]
            key = (MODELS[reply[0]], item, ARMS[reply[1]], int(number))
            yield key, Label("s" in letters, "n" in letters, "h" in letters, "?" in letters)


def for_development(key: Key) -> bool:
    """Whether a reply belongs to the half on which rules were made; the other half only counted them."""
    return hashlib.sha256("|".join(map(str, key)).encode()).digest()[0] % 2 == 1
