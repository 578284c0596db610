"""Gathering: what a set of answers is about (benchmarks, arms, models, forms of response), before any is stored."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from snellen.asking.repeats import Repeats
from snellen.errors import BrokenRow, StudyError
from snellen.imports.answer import AS_ASKED, LONGEST_TEXT, Answer
from snellen.imports.conditions import Sightings
from snellen.imports.waiting import Waiting
from snellen.items import Item
from snellen.models.base import ZERO_SHOT
from snellen.prompts import DETECTION, Settings
from snellen.reading.parsers import Parser, our_parsers

USUAL = 0.5
"""A published form counts as the responses' own if at least so many of them have it."""
_WORDS = ("kind", "question", "context", "options", "answer")


class Put(NamedTuple):
    """How an arm put an item: the item as the arm left it, the words sent where they are known, and who says so."""

    item: Item
    text: str
    system: str
    where: str


class Taken(NamedTuple):
    """What one source gave: responses, failed calls, and rows that cannot be used."""

    replies: int
    failed: int
    broken: tuple[BrokenRow, ...]


class Gathering:
    """Everything about a set of answers but the responses themselves: of these it keeps hashes, and lets them wait."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self.put: defaultdict[tuple[str, str], dict[str, Put]] = defaultdict(dict)
        self.settings: defaultdict[tuple[str, str], set[Settings]] = defaultdict(set)
        """By benchmark and arm, as `put`."""
        self._last_settings: dict[tuple[str, str], Settings] = {}
        self.revisions: dict[str, str] = {}
        self.broken: list[BrokenRow] = []
        self.replies: Counter[tuple[str, str, str]] = Counter()
        """By model, benchmark and arm."""
        self.failed = 0
        self.unknown_ends = 0
        """Responses of which nobody says how they ended, so that one that was cut off cannot be told."""
        self._second: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        """By benchmark, the arms and items of second responses."""
        self._numbered: set[str] = set()
        """The benchmarks with ordinary repeats."""
        self.sightings = Sightings()
        self._in_form: Counter[str] = Counter()
        self._said: dict[bytes, tuple[bytes, str]] = {}
        self._stored_patients: dict[tuple[str, str], str] = {}
        self._patients: dict[tuple[str, str], str] = {}

    def add(self, answers: Iterable[Answer | BrokenRow], *, stored: bool = False) -> Taken:
        """Take in answers; one that contradicts another becomes a broken row."""
        broken: list[BrokenRow] = []
        replies = failed = 0
        if not stored:
            self._waiting.next_source()
        wait, see = self._waiting.add, self.sightings.add
        turns: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        for answer in answers:
            if isinstance(answer, BrokenRow):
                broken.append(answer)
                continue
            if not stored and (length := _count_longest(answer)) > LONGEST_TEXT:
                long = f"one of its texts has {length:,} characters, at most {LONGEST_TEXT:,} are read"
                broken.append(BrokenRow(answer.where, answer.item.id, long))
                continue
            model, benchmark, arm, item, response = answer[:5]
            replicate = answer.replicate
            if replicate is None:  # the source has none: counted from 1 as they come
                counted = turns[model, benchmark, arm]
                replicate = counted[item.id] = counted[item.id] + 1
            if response is None:
                cell, said, parts = b"", b"", None
            else:
                text, finish, reasoning = response.text, response.finish, response.reasoning
                cell = _hash(f"{model}\0{benchmark}\0{arm}\0{item.id}\0{replicate}")
                said = _hash(f"{text}\0{reasoning}\0{finish}")
                parts = (text, finish, reasoning, tuple(response.usage), response.latency, response.served_by)
            wait((model, benchmark, arm, item.id, replicate, answer.where, parts, answer.error, cell + said))
            if response is not None:  # seen though it may be broken: a wrong condition often is the cause
                see(answer, stored=stored)
            problem = self._problem(answer, replicate, cell, said)
            if problem is not None:
                broken.append(BrokenRow(answer.where, item.id, problem))
                continue
            if response is None:
                failed += 1
            else:
                replies += 1
            if answer.second and replicate == 1:
                self._second[benchmark].add((arm, item.id))
            elif replicate:
                self._numbered.add(benchmark)
            if item.cluster:
                patients = self._stored_patients if stored else self._patients
                patients[benchmark, item.id] = item.cluster
        self.broken += broken
        return Taken(replies, failed, tuple(broken))

    def benchmarks(self) -> list[str]:
        """The benchmarks' names, in the order they were met."""
        return list(dict.fromkeys(benchmark for benchmark, _ in self.put))

    def arms(self, benchmark: str) -> list[str]:
        """The arms of a benchmark, as asked first."""
        arms = [arm for name, arm in self.put if name == benchmark]
        return sorted(arms, key=lambda arm: (arm != AS_ASKED, arms.index(arm)))

    def all_arms(self) -> list[str]:
        """The arms of all benchmarks, each once."""
        return list(dict.fromkeys(arm for _, arm in self.put))

    def items(self, benchmark: str) -> tuple[Item, ...]:
        """The benchmark's items as they are without any arm: as asked, or as the first arm that has them put them."""
        items: dict[str, Item] = {}
        for arm in self.arms(benchmark):
            for item_id, put in self.put[benchmark, arm].items():
                items.setdefault(item_id, put.item)
        if not self._stored_patients:
            return tuple(items.values())
        return tuple(self._of_patient(benchmark, item) for item in items.values())

    def _of_patient(self, benchmark: str, item: Item) -> Item:
        patient = self._patient(benchmark, item)
        return item if patient == item.cluster else replace(item, cluster=patient)

    def _patient(self, benchmark: str, item: Item) -> str:
        """The patient of an item; the store keeps numbers, which only items that are in both lead back to names."""
        stored = self._stored_patients.get((benchmark, item.id))
        name = self._patients.get((benchmark, item.id))
        if stored is None and name is not None:
            known = {
                self._stored_patients[at]
                for at, patient in self._patients.items()
                if patient == name and at in self._stored_patients
            }
            if len(known) != 1:
                raise StudyError(
                    "Both the answers that are stored and those to be added have patients (`cluster`), and no names "
                    "are stored by which to tell whether they are the same. Import all files in one command."
                )
            stored = known.pop()
        return f"stored {stored}" if stored is not None else item.cluster

    def repeated(self) -> dict[str, Repeats]:
        """What was asked once more for *Steady?* alone; not where other repeats stand beside."""
        found = {}
        for name, again in self._second.items():
            if name not in self._numbered:
                items, ids = self.items(name), {item_id for _, item_id in again}
                places = tuple(at for at, item in enumerate(items) if item.id in ids)
                found[name] = Repeats(len(items), 1, tuple(sorted({arm for arm, _ in again})), places)
        return found

    def parsers(self) -> list[str]:
        """The published parsers whose form most responses have."""
        return [name for name, count in self._in_form.items() if count >= USUAL * self.replies.total()]

    def _problem(self, answer: Answer, replicate: int, cell: bytes, said: bytes) -> str | None:
        """Why an answer cannot stand beside those before it; None where it was taken in."""
        revision = self.revisions.setdefault(answer.model, answer.revision)
        if revision != answer.revision:
            return f"its model has the revision {answer.revision!r} here and {revision!r} before; name them differently"
        place, item = answer[1:3], answer.item
        arm = self.put[place]
        if (put := arm.get(item.id)) is None:
            put = arm[item.id] = Put(item, answer.text, answer.system, answer.where)
        if put.item is not item and any(getattr(put.item, name) != getattr(item, name) for name in _WORDS):
            before = put.where or "what is stored"
            return (
                f"its question or options differ from those in {before} under the same condition {answer.arm!r}; give "
                "it a condition of its own (options shuffled anew for each model or run cannot share one condition)"
            )
        if self._last_settings.get(place) is not answer.settings:
            self._last_settings[place] = answer.settings
            self.settings[place].add(answer.settings)
        if answer.response is None:
            self.failed += 1
            return None
        if cell in self._said:
            earlier, where = self._said[cell]
            if earlier == said:
                return None
            return (
                f"{where or 'the store'} has another response of {answer.model!r} to it under {answer.arm!r} as "
                f"replicate {replicate}; number the replicates, or name the condition if it was asked otherwise "
                "(--condition)"
            )
        self._said[cell] = said, answer.where
        self._count(answer)
        return None

    def _count(self, answer: Answer) -> None:
        item, response = answer.item, answer.response
        assert response is not None
        self.replies[answer[:3]] += 1
        self.unknown_ends += not response.finish
        if item.kind == "choice" and response.finish != ZERO_SHOT:
            text = response.text
            for parser in _published():
                # who flags the image chooses nothing, and is in the form of the detection prompts all the same
                if parser.name == DETECTION.parser:
                    self._in_form[parser.name] += bool(item.metadata) and item.normal is not None
                    continue
                for mark in parser.marks:
                    if mark in text:
                        if parser.read(response, item).choice is not None:
                            self._in_form[parser.name] += 1
                        break


@cache
def _published() -> tuple[Parser, ...]:
    """The parsers that take one published form of response and no other."""
    return tuple(parser for parser in our_parsers() if parser.strict or parser.name == DETECTION.parser)


def _count_longest(answer: Answer) -> int:
    """The characters of the longest text of an answer, its question aside."""
    sent = max(len(answer.text), len(answer.system), len(answer.error))
    return sent if answer.response is None else max(sent, len(answer.response.text), len(answer.response.reasoning))


def _hash(words: str) -> bytes:
    return hashlib.blake2b(words.encode(errors="replace"), digest_size=16).digest()
