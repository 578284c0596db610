"""Reading a judge: its answer becomes an opinion on each response, and only what it can quote is believed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from snellen.judging.rubric import Exhibit

SHORTEST, SHORTEST_IDEOGRAPHIC = 12, 4
"""The characters a quote needs to be of anything in particular, and where a character is a syllable or a word."""
MOST = 100
"""So many quotes of a list are looked at: one decides as much as all of them, and a judge may not stop."""
_IDEOGRAPHIC = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_MARKS = ("informative", "follows", "habit", "doubt", "unsafe")


class Opinion(NamedTuple):
    """What a judge thinks of one response."""

    sees: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    """Those statements that the image does not bear out, if the judge had the image."""
    informative: bool = True
    follows: bool = True
    habit: bool = False
    doubt: bool = False
    unsafe: bool = False
    contradicts: tuple[int, ...] = ()
    """Which other responses it contradicts, by their place."""
    compared: bool = False
    """Whether the judge had the image to compare it with."""


def read_opinions(text: str, exhibits: Sequence[Exhibit], *, attached: bool) -> list[Opinion] | None:
    """The opinion on each response; None where the judge's answer cannot be read.

    Every response needs exactly one opinion. Quotes that no response holds are dropped, and so are those too short to
    mean anything. A judge without the image says nothing of the image that counts.

    >>> said = '{"replies": [{"reply": 1, "sees": ["a large mass", "a large cyst"]}], "contradictions": []}'
    >>> read_opinions(said, [Exhibit("original", "There is a large  mass.")], attached=False)[0].sees
    ('a large mass',)
    """
    record = _object(text)
    replies = [_plain(exhibit.text) for exhibit in exhibits]
    entries = _by_place(record.get("replies"), len(replies)) if record is not None else None
    if record is None or entries is None:
        return None
    against = _contradictions(record.get("contradictions"), replies)
    return [
        _opinion(entry, reply, attached=attached)._replace(
            contradicts=tuple(sorted(there for here, there in against if here == place))
        )
        for place, (entry, reply) in enumerate(zip(entries, replies, strict=True))
    ]


def _object(text: str) -> dict[str, Any] | None:
    start, end = text.find("{"), text.rfind("}")
    try:
        record = orjson.loads(text[start : end + 1]) if 0 <= start < end else None
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def _by_place(value: object, count: int) -> list[dict[str, Any]] | None:
    """The entry for each response, in order; None where one has none, or two."""
    found: dict[int, dict[str, Any]] = {}
    for entry in value if isinstance(value, list) else []:
        place = _place(entry.get("reply"), count) if isinstance(entry, dict) else None
        if place in found:
            return None
        if place is not None:
            found[place] = entry
    return [found[place] for place in range(count)] if len(found) == count else None


def _place(number: object, count: int) -> int | None:
    return number - 1 if type(number) is int and 1 <= number <= count else None


def _opinion(entry: dict[str, Any], reply: str, *, attached: bool) -> Opinion:
    marks = {name: entry[name] for name in _MARKS if isinstance(entry.get(name), bool)}
    sees = _quotes(entry.get("sees"), [reply])
    seen = [_plain(quote) for quote in sees]
    unsupported = _quotes(entry.get("unsupported"), seen) if attached else ()
    return Opinion(sees=sees, unsupported=unsupported, compared=attached, **marks)


def _quotes(value: object, within: Sequence[str]) -> tuple[str, ...]:
    quotes = value[:MOST] if isinstance(value, list) else []
    return tuple(quote for quote in quotes if _stands(quote, within))


def _stands(quote: object, within: Sequence[str]) -> bool:
    """Whether a quote stands in one of some texts, themselves made plain; spacing and case do not matter."""
    plain = _plain(quote) if isinstance(quote, str) else ""
    return _says_something(plain) and any(plain in text for text in within)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _says_something(plain: str) -> bool:
    """Whether a quote is long enough that it can be found in a response for one reason only.

    >>> _says_something("a small mass"), _says_something("pneumothorax"), _says_something("右肺结节")
    (True, False, True)
    """
    if _IDEOGRAPHIC.search(plain):
        return len(plain) >= SHORTEST_IDEOGRAPHIC
    words = [word for word in plain.split() if any(map(str.isalnum, word))]
    return len(plain) >= SHORTEST and len(words) >= 2


def _contradictions(value: object, replies: Sequence[str]) -> set[tuple[int, int]]:
    """Both ways round: the place of a response and that of the one it contradicts."""
    pairs = set()
    for entry in value[:MOST] if isinstance(value, list) else []:
        if not isinstance(entry, dict):
            continue
        one, two = (_place(entry.get(name), len(replies)) for name in ("reply", "other"))
        if one is None or two is None or one == two:
            continue
        if _stands(entry.get("quote"), [replies[one]]) and _stands(entry.get("other_quote"), [replies[two]]):
            pairs |= {(one, two), (two, one)}
    return pairs
