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
MOST = 300_000
"""Responses, and items as arms left them, that are kept at most, so that memory does not grow with the study."""


Words = tuple[int, int, str, str, str]
"""What a reading depends on: the item as an arm left it, and a response's text, end and reasoning."""


class Read(NamedTuple):
    """What was made of one response to an item, by the parsers that grade and then by those beside them."""

    grades: tuple[Grade, ...]
    records: tuple[Any, ...]
    """What each parser read in it; None where that was settled before it read."""


@dataclass(frozen=True)
class Reader:
    """Reads the responses to the items of one benchmark, whichever model gave them under whichever arm.

    A parser looks at nothing but a response's words and its item, so that the same words to the same item are read
    once: short responses come again and again.
    """

    store: Store
    items: Sequence[Item]
    parsers: Sequence[Parser]
    _known: dict[Words, Read] = field(default_factory=dict)
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
        places = {at: same if variant is self.items[at] else changed for at, variant in variants.items()}
        made = ArmReader(self.parsers, beside, variants, places, self._known)
        if sum(len(each.variants) for each in self._arms.values()) + len(variants) <= MOST:
            self._arms[key] = made
        return made


class ArmReader(NamedTuple):
    """Reads the responses of one arm."""

    parsers: Sequence[Parser]
    beside: Sequence[Parser]
    variants: Mapping[int, Item]
    places: Mapping[int, int]
    """Of each item, a number that is the same under all arms that left its words alone."""
    known: dict[Words, Read]

    def __call__(self, ordinal: int, reply: Readable) -> Read:
        """What a response to the item at that place is read as."""
        key = (self.places[ordinal], ordinal, reply.text, reply.finish, reply.reasoning)
        if (found := self.known.get(key)) is None:
            found = self._read(reply, self.variants[ordinal])
            if len(reply.text) + len(reply.reasoning) <= LONGEST:
                if len(self.known) >= MOST:
                    self.known.clear()
                self.known[key] = found
        return found

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
