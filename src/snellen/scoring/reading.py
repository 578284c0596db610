"""Parsing of the responses to a benchmark: equal texts to the same item are parsed once.

A *reading* is what a parser found in a response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.columns import NEW_OPTION, NOTHING
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import Grade
from snellen.reading.parsers import Parser, Readable, parser_named, read_response
from snellen.store import Store, as_changed

LONGEST = 300
"""Longest response (in characters) whose reading is cached; longer texts rarely occur twice."""
MOST = 1_000_000
"""Most readings, or changed items, in a cache, so that memory does not grow with the study."""
Words = str | tuple[str, str, str]
"""The text of a response; with finish reason and reasoning unless it ended normally without reasoning."""
Place = tuple[int, int]
"""Cache key of an item: the condition that changed its text (or NOTHING), and its place in the benchmark."""


class ParserReading(NamedTuple):
    """One parser's reading of one response."""

    grade: Grade | None
    """None if the parser does not grade."""
    record: Any
    """What a parser with columns found; None if a judge settled the grade or the parser does not take the item."""


class ParserReadings:
    """Cache of one parser's readings by item and text; equal readings are stored once."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self._by_item: dict[Place, dict[Words, ParserReading]] = {}
        self._held: dict[ParserReading, ParserReading] = {}
        self._count = 0

    def read(self, place: Place, words: Words, reply: Readable, item: Item) -> ParserReading:
        """Return the parser's reading of a response to an item, from the cache if possible."""
        if (of_item := self._by_item.get(place)) is not None and (found := of_item.get(words)) is not None:
            return found
        if self.parser.outcome is not None:
            made = ParserReading(*grade_reply(reply, item, self.parser))
        else:
            made = ParserReading(None, read_response(self.parser, reply, item) if self.parser.takes(item) else None)
        if len(reply.text) + len(reply.reasoning) > LONGEST:
            return made
        if self._count >= MOST:
            self._by_item.clear()
            self._held.clear()
            self._count = 0
        self._count += 1
        # two records of a plug-in may be equal and still differ in some field
        ours = made.record is None or type(made.record).__module__.startswith("snellen.")
        held = self._held.setdefault(made, made) if ours else made
        self._by_item.setdefault(place, {})[words] = held
        return held


class ArmItems(NamedTuple):
    """Items of a benchmark as a condition shows them."""

    variants: Mapping[int, Item]
    places: Mapping[int, Place]
    """Cache key of each item; the same for all conditions that do not change the item's text."""


class ResponseParser:
    """Parser of the responses to one benchmark, of any model and condition.

    A parser uses only the text and the item, so equal texts to one item are parsed once; short responses often recur.
    """

    def __init__(self, store: Store, items: Sequence[Item], graders: Sequence[Parser]) -> None:
        self.items = items
        self.graders = graders
        self._store = store
        self._readings: dict[str, ParserReadings] = {}
        self._arms: dict[int, ArmItems] = {}

    def find_readings(self, names: Sequence[str]) -> list[ParserReadings]:
        """Return the caches of the graders, then of the named parsers with columns."""
        every = (*self.graders, *map(parser_named, dict.fromkeys(names)))
        return [self._readings.setdefault(each.name, ParserReadings(each)) for each in every]

    def find_items(self, arm: int) -> ArmItems:
        """Return the items as a condition shows them."""
        if arm in self._arms:
            return self._arms[arm]
        items, changes = self.items, self._store.variants.changes(arm).items()
        variants = {at: as_changed(items[at], changed) for at, changed in changes if at < len(items)}
        places = {at: (NOTHING if variant is items[at] else arm, at) for at, variant in variants.items()}
        made = ArmItems(variants, places)
        if sum(len(each.variants) for each in self._arms.values()) + len(variants) <= MOST:
            self._arms[arm] = made
        return made


def find_words(reply: Readable) -> Words:
    """Return all that a parser uses of a response, as a cache key."""
    plain = reply.finish == "stop" and not reply.reasoning
    return reply.text if plain else (reply.text, reply.finish, reply.reasoning)


def as_originally(original: Item, variant: Item, choice: int | None) -> int:
    """Number the chosen option as in the original item.

    NOTHING if there is no choice. An option that the condition added gets a number from NEW_OPTION downwards.
    """
    if choice is None:
        return NOTHING
    if variant is original:
        return choice
    option = variant.options[choice]
    return original.options.index(option) if option in original.options else NEW_OPTION - choice
