"""Stored responses of a model under a condition, and their parsing.

Equal texts to the same item are parsed once. A *reading* is what a parser found in a response. An *arm* is a condition
with its prompt and settings, an *ordinal* an item's place in its benchmark; repeats of an item are numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.repeats import Runs
from snellen.items import Item
from snellen.reading.columns import NEW_OPTION, NOTHING, Integers
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import Grade
from snellen.reading.parsers import Parser, Readable, parser_named, read_response
from snellen.store import Store, StoredResponse, as_changed

LONGEST = 300
"""Longest response (in characters) whose reading is cached; longer texts rarely occur twice."""
MOST = 1_000_000
"""Maximum number of cached readings or changed items, to limit memory in large studies."""
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


# Stored responses -----------------------------------------------------------------------------------------------------


TAKES_NO_IMAGES = "this model takes no images"


def not_asked(store: Store, arm: int, *, text_only: bool) -> dict[int, str]:
    """Return the items that a model was not asked under a condition, with the reason."""
    shown = dict.fromkeys(store.variants.with_images(arm), TAKES_NO_IMAGES) if text_only else {}
    return {**store.variants.inapplicable(arm), **shown}


class ArmCells(NamedTuple):
    """Access to the responses of one model under one condition."""

    store: Store
    model: int
    arm: int
    runs: Runs | None
    """Number of responses expected to each item; None if unknown."""
    text_only: bool = False
    only: NDArray[np.bool_] | None = None
    """True for the items that count; None if all count."""

    def replies(self) -> Iterator[StoredResponse]:
        """Yield the expected responses to the items that count."""
        found = self.store.responses.replies(self.model, self.arm)
        return (each for each in found if self.wants(each.ordinal, each.replicate) and self.counts(each.ordinal))

    def wants(self, ordinal: int, replicate: int) -> bool:
        """Return True if a response is expected. All are if the study does not record what it expects."""
        return self.runs is None or (ordinal < len(self.runs) and replicate < self.runs[ordinal])

    def counts(self, ordinal: int) -> bool:
        """Return True if an item counts."""
        return self.only is None or (ordinal < len(self.only) and bool(self.only[ordinal]))

    def find_unasked_items(self) -> dict[int, str]:
        """Return the items that the model was not asked, with the reason."""
        return not_asked(self.store, self.arm, text_only=self.text_only)

    def account(self, items: Sequence[Item], replicates: Integers) -> dict[str, Any]:
        """Count inapplicable, failed and expected responses; return them as fields of `Grades`."""
        unasked = {
            at: reason for at, reason in self.find_unasked_items().items() if at < len(items) and self.counts(at)
        }
        reasons = list(unasked.values())
        wanted = None if self.runs is None else self.runs.tolist()
        lacking = self.store.variants.missing_columns(self.arm)
        if self.runs is None:
            tried = [each for _, each, _ in self.store.responses.failed_cells(self.model, self.arm)]
            runs = len(np.unique(np.append(replicates, np.array(tried, dtype=np.int64))))
            due = np.full(len(items), runs, dtype=np.int64)
        else:
            due, runs = self.runs.copy(), int(self.runs.min(initial=self.runs.max(initial=1)))
        due[list(unasked)] = 0
        if self.only is not None:
            due[~self.only[: len(items)]] = 0
        return {
            "inapplicable": {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
            "by_text": Counter(" and ".join(lacking[at]) for at in lacking if at < len(items) and self.counts(at)),
            "failed": self.store.responses.failures(self.model, self.arm, items=len(items), runs=wanted),
            "due": due,
            "epochs": runs,
        }
