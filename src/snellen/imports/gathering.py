"""Gathering: what a set of answers is about (benchmarks, arms, models, forms of response), before any is stored."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from snellen.errors import BrokenRow, StudyError
from snellen.grading.parsers import Parser, our_parsers
from snellen.imports.answer import AS_ASKED, Answer
from snellen.imports.conditions import Sightings
from snellen.imports.waiting import Entry, Waiting
from snellen.items import Item
from snellen.models.base import ZERO_SHOT
from snellen.prompts import DETECTION, Settings

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
        self.put: dict[tuple[str, str], dict[str, Put]] = {}
        self.settings: dict[tuple[str, str], set[Settings]] = {}
        """By benchmark and arm, as `put`."""
        self._last_settings: dict[tuple[str, str], Settings] = {}
        self.revisions: dict[str, str] = {}
        self.broken: list[BrokenRow] = []
        self.replies: Counter[tuple[str, str, str]] = Counter()
        """By model, benchmark and arm."""
        self.failed = 0
        self.unknown_ends = 0
        """Responses of which nobody says how they ended, so that one that was cut off cannot be told."""
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
        for answer, replicate in numbered(answers, broken):
            cell, said = (b"", b"") if answer.response is None else (cell_of(answer, replicate), reply_of(answer))
            self._waiting.add(_entry(answer, replicate, cell + said))
            problem = self._problem(answer, replicate, cell, said)
            if problem is not None:
                broken.append(BrokenRow(answer.where, answer.item.id, problem))
                continue
            if answer.response is None:
                failed += 1
            else:
                replies += 1
                self.sightings.add(answer, stored=stored)
            if answer.item.cluster:
                patients = self._stored_patients if stored else self._patients
                patients[answer.benchmark, answer.item.id] = answer.item.cluster
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
        return tuple(self._of_patient(benchmark, item) for item in items.values())

    def _of_patient(self, benchmark: str, item: Item) -> Item:
        patient = self._patient(benchmark, item)
        return item if patient == item.cluster else replace(item, cluster=patient)

    def _patient(self, benchmark: str, item: Item) -> str:
        """The patient of an item; the store keeps numbers, which only items that are in both lead back to names."""
        if not self._stored_patients:
            return item.cluster
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

    def parsers(self) -> list[str]:
        """The published parsers whose form most responses have."""
        return [name for name, count in self._in_form.items() if count >= USUAL * self.replies.total()]

    def _problem(self, answer: Answer, replicate: int, cell: bytes, said: bytes) -> str | None:
        """Why an answer cannot stand beside those before it; None where it was taken in."""
        revision = self.revisions.setdefault(answer.model, answer.revision)
        if revision != answer.revision:
            return f"its model has the revision {answer.revision!r} here and {revision!r} before; name them differently"
        place = (answer.benchmark, answer.arm)
        arm = self.put.setdefault(place, {})
        if (put := arm.get(answer.item.id)) is None:
            put = arm[answer.item.id] = Put(answer.item, answer.text, answer.system, answer.where)
        if put.item is not answer.item and any(getattr(put.item, n) != getattr(answer.item, n) for n in _WORDS):
            before = put.where or "what is stored"
            return (
                f"its question or options differ from those in {before} under the same condition {answer.arm!r}; give "
                "it a condition of its own (options shuffled anew for each model or run cannot share one condition)"
            )
        if self._last_settings.get(place) is not answer.settings:
            self._last_settings[place] = answer.settings
            self.settings.setdefault(place, set()).add(answer.settings)
        if answer.response is None:
            self.failed += 1
            return None
        if cell in self._said:
            earlier, where = self._said[cell]
            if earlier == said:
                return None
            return (
                f"{where or 'the store'} has another response of {answer.model!r} to it under {answer.arm!r} as "
                f"replicate {replicate}; number the replicates"
            )
        self._said[cell] = said, answer.where
        self._count(answer)
        return None

    def _count(self, answer: Answer) -> None:
        assert answer.response is not None
        self.replies[answer.model, answer.benchmark, answer.arm] += 1
        self.unknown_ends += not answer.response.finish
        if answer.item.kind == "choice" and answer.response.finish != ZERO_SHOT:
            for parser in _published():
                # who flags the image chooses nothing, and is in the form of the detection prompts all the same
                if parser.name == DETECTION.parser:
                    self._in_form[parser.name] += answer.item.normal is not None
                elif parser.read(answer.response, answer.item).choice is not None:
                    self._in_form[parser.name] += 1


@cache
def _published() -> tuple[Parser, ...]:
    """The parsers that take one published form of response and no other."""
    return tuple(parser for parser in our_parsers() if parser.strict or parser.name == DETECTION.parser)


def _entry(answer: Answer, replicate: int, key: bytes) -> Entry:
    return Entry(
        answer.model,
        answer.benchmark,
        answer.arm,
        answer.item.id,
        replicate,
        answer.where,
        answer.response,
        answer.error,
        key,
    )


def numbered(
    answers: Iterable[Answer | BrokenRow], broken: list[BrokenRow] | None = None
) -> Iterator[tuple[Answer, int]]:
    """The answers with their replicates; where the source has none, counted from 1 as they come."""
    turns: Counter[bytes] = Counter()
    for answer in answers:
        if isinstance(answer, BrokenRow):
            if broken is not None:
                broken.append(answer)
        elif answer.replicate is not None:
            yield answer, answer.replicate
        else:
            cell = cell_of(answer, 0)
            turns[cell] += 1
            yield answer, turns[cell]


def cell_of(answer: Answer, replicate: int) -> bytes:
    """What tells one response from all others."""
    return _hash(answer.model, answer.benchmark, answer.arm, answer.item.id, str(replicate))


def reply_of(answer: Answer) -> bytes:
    """What was said, as a hash."""
    assert answer.response is not None
    return _hash(answer.response.text, answer.response.reasoning, answer.response.finish)


def _hash(*words: str) -> bytes:
    return hashlib.blake2b("\0".join(words).encode(errors="replace"), digest_size=16).digest()
