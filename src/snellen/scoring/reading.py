"""Reading: what parsers make of the responses to a benchmark; a parser reads equal words to one item once."""

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
"""Characters of a response that is kept with what was read in it: longer ones hardly ever come twice."""
MOST = 1_000_000
"""Responses, and items as arms left them, that are kept at most, so that memory does not grow with the study."""
Words = str | tuple[str, str, str]
"""A response's text, and also its end and reasoning where it did not just end."""
Place = tuple[int, int]
"""An item: the arm that changed its words or NOTHING, and its place in the benchmark."""


class Read(NamedTuple):
    """What one parser made of one response."""

    grade: Grade | None
    """None of a parser that grades nothing."""
    record: Any
    """None if it was settled without a record, or if the parser does not take the item."""


class ParserReadings:
    """What one parser read in responses, by item and words; equal words and equal readings are held once."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self._by_item: dict[Place, dict[Words, Read]] = {}
        self._held: dict[Read, Read] = {}
        self._count = 0

    def read(self, place: Place, words: Words, reply: Readable, item: Item) -> Read:
        """What the parser reads in a response to an item; read now or before."""
        if (of_item := self._by_item.get(place)) is not None and (found := of_item.get(words)) is not None:
            return found
        made = self._read(reply, item)
        if len(reply.text) + len(reply.reasoning) > LONGEST:
            return made
        if self._count >= MOST:
            self._by_item.clear()
            self._held.clear()
            self._count = 0
        self._count += 1
        # a plug-in's record may leave out something when it is compared
        ours = made.record is None or type(made.record).__module__.startswith("snellen.")
        held = self._held.setdefault(made, made) if ours else made
        self._by_item.setdefault(place, {})[words] = held
        return held

    def _read(self, reply: Readable, item: Item) -> Read:
        if self.parser.outcome is not None:
            return Read(*grade_reply(reply, item, self.parser))
        return Read(None, read_response(self.parser, reply, item) if self.parser.takes(item) else None)


class ArmItems(NamedTuple):
    """The items of a benchmark as an arm left them."""

    variants: Mapping[int, Item]
    places: Mapping[int, Place]
    """Of each item, what its readings are kept by: the same under all arms that left its words alone."""


class Reader:
    """Reads the responses to the items of one benchmark, whichever model gave them under whichever arm.

    A parser looks at nothing but a response's words and its item, so that the same words to the same item are read
    once: short responses come again and again.
    """

    def __init__(self, store: Store, items: Sequence[Item], graders: Sequence[Parser]) -> None:
        self.items = items
        self.graders = graders
        self._store = store
        self._readings: dict[str, ParserReadings] = {}
        self._arms: dict[int, ArmItems] = {}

    def find_readings(self, names: Sequence[str]) -> list[ParserReadings]:
        """What the graders read, and then parsers that give columns, by their names."""
        every = (*self.graders, *map(parser_named, dict.fromkeys(names)))
        return [self._readings.setdefault(each.name, ParserReadings(each)) for each in every]

    def find_items(self, arm: int) -> ArmItems:
        """The items as an arm left them."""
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
    """All that a parser can see of a response, in short."""
    plain = reply.finish == "stop" and not reply.reasoning
    return reply.text if plain else (reply.text, reply.finish, reply.reasoning)


def as_originally(original: Item, variant: Item, choice: int | None) -> int:
    """The chosen option as the original item numbers it; one that it does not have, by its own place."""
    if choice is None:
        return NOTHING
    if variant is original:
        return choice
    option = variant.options[choice]
    return original.options.index(option) if option in original.options else NEW_OPTION - choice
