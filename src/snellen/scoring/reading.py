"""Reading: what parsers make of the responses to a benchmark; one that an item has had before is not read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snellen.grading.columns import NEW_OPTION, NOTHING
from snellen.grading.outcomes import Grade
from snellen.grading.parsers import Parser, Readable, graded
from snellen.grading.parsers import read_by as said_by
from snellen.items import Item
from snellen.store import Store, as_changed

LONGEST = 300
"""Characters of a response that is kept with what was read in it: longer ones hardly ever come twice."""
MOST = 1_000_000
"""Responses, and items as arms left them, that are kept at most, so that memory does not grow with the study."""
Words = str | tuple[str, str, str]
"""A response's text, and also its end and reasoning where it did not just end."""


class Read(NamedTuple):
    """What was made of one response to an item, by the parsers that grade and then by those beside them."""

    grades: tuple[Grade, ...]
    records: tuple[Any, ...]
    """What each parser read in it; None where that was settled before it read."""


class Kept:
    """What was read in responses, by item and words; equal words and equal readings are held once."""

    def __init__(self) -> None:
        self.by_item: dict[tuple[int, int], dict[Words, Read]] = {}
        self._count = 0
        self._words: dict[Words, Words] = {}
        self._reads: dict[Read, Read] = {}

    def add(self, item: tuple[int, int], words: Words, read: Read) -> Read:
        """Keep a reading, and return the one that is held."""
        if self._count >= MOST:
            self.by_item.clear()
            self._words.clear()
            self._reads.clear()
            self._count = 0
        self._count += 1
        held = self._reads.setdefault(read, read) if _is_ours(read) else read
        self.by_item.setdefault(item, {})[self._words.setdefault(words, words)] = held
        return held


def _is_ours(read: Read) -> bool:
    """Whether equal readings are the same in all: a plug-in's record may leave out something when it is compared."""
    return all(each is None or type(each).__module__.startswith("snellen.") for each in read.records)


@dataclass(frozen=True)
class Reader:
    """Reads the responses to the items of one benchmark, whichever model gave them under whichever arm.

    A parser looks at nothing but a response's words and its item, so that the same words to the same item are read
    once: short responses come again and again.
    """

    store: Store
    items: Sequence[Item]
    parsers: Sequence[Parser]
    _kept: Kept = field(default_factory=Kept)
    _arms: dict[tuple[int, tuple[str, ...]], ArmReader] = field(default_factory=dict)
    _places: dict[tuple[int | None, tuple[str, ...]], int] = field(default_factory=dict)

    def under(self, arm: int, beside: Sequence[Parser]) -> ArmReader:
        """One who reads the responses to the items as an arm left them."""
        key = (arm, tuple(parser.name for parser in beside))
        if key in self._arms:
            return self._arms[key]
        changes = self.store.changes(arm).items()
        variants = {at: as_changed(self.items[at], changed) for at, changed in changes if at < len(self.items)}
        same, changed = (self._places.setdefault((of, key[1]), len(self._places)) for of in (None, arm))
        places = {at: (same if variant is self.items[at] else changed, at) for at, variant in variants.items()}
        made = ArmReader(self.parsers, beside, variants, places, self._kept)
        if sum(len(each.variants) for each in self._arms.values()) + len(variants) <= MOST:
            self._arms[key] = made
        return made


class ArmReader(NamedTuple):
    """Reads the responses of one arm."""

    parsers: Sequence[Parser]
    beside: Sequence[Parser]
    variants: Mapping[int, Item]
    places: Mapping[int, tuple[int, int]]
    """Of each item, what it is kept by: the same under all arms that left its words alone."""
    kept: Kept

    def __call__(self, ordinal: int, reply: Readable) -> Read:
        """What a response to the item at that place is read as."""
        text, finish, reasoning = reply.text, reply.finish, reply.reasoning
        words = text if finish == "stop" and not reasoning else (text, finish, reasoning)
        item = self.places[ordinal]
        if (of_item := self.kept.by_item.get(item)) is not None and (found := of_item.get(words)) is not None:
            return found
        read = self._read(reply, self.variants[ordinal])
        return self.kept.add(item, words, read) if len(text) + len(reasoning) <= LONGEST else read

    def _read(self, reply: Readable, item: Item) -> Read:
        beside = [said_by(parser, reply, item) for parser in self.beside]
        made = [graded(reply, item, parser) for parser in self.parsers]
        return Read(tuple(grade for grade, _ in made), (*(record for _, record in made), *beside))


def as_originally(original: Item, variant: Item, choice: int | None) -> int:
    """The chosen option as the original item numbers it; one that it does not have, by its own place."""
    if choice is None:
        return NOTHING
    if variant is original:
        return choice
    option = variant.options[choice]
    return original.options.index(option) if option in original.options else NEW_OPTION - choice
