"""Collection of imported responses and checks between them, before any is stored."""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import NamedTuple

from snellen.asking.repeats import Repeats
from snellen.errors import BrokenRow, StoreError, StudyError
from snellen.imports.answer import AS_ASKED, LONGEST_TEXT, Answer
from snellen.imports.conditions import Sightings
from snellen.items import Item
from snellen.models.base import ZERO_SHOT
from snellen.prompts import DETECTION, Settings
from snellen.reading.parsers import Parser, our_parsers
from snellen.store import Said

AT_ONCE = 500


Entry = tuple[str, str, str, str, int, str, Said | None, str, bytes]
"""A response or failed call: model, benchmark, arm, item id, repeat, place, text, error, key."""


class DiskQueue:
    """Queue of entries in an unnamed temporary file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - it is closed with this object
        self._source = 0
        self._entries: list[Entry] = []

    def __enter__(self) -> DiskQueue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, entry: Entry) -> None:
        """Add an entry."""
        self._entries.append(entry)
        if len(self._entries) == AT_ONCE:
            self._put_away()

    def next_source(self) -> None:
        """Assign all following entries to a new source."""
        self._put_away()
        self._source += 1

    def _put_away(self) -> None:
        if not self._entries:
            return
        try:
            pickle.dump((self._source, self._entries), self._file, pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise StoreError(
                f"The import cannot write to {self._folder}: {error.strerror or error}. Nothing is imported."
            ) from error
        self._entries = []

    def batches(self) -> Iterator[tuple[int, list[Entry]]]:
        """Yield all entries in batches, with the number of their source."""
        self._put_away()
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 - only this process can write to the file


USUAL = 0.5
"""Share of responses that must have a published answer format before its parser is used."""
_WORDS = ("kind", "question", "context", "options", "answer")


class Put(NamedTuple):
    """Item as an arm sent it: with the texts sent, if known, and the file and row."""

    item: Item
    text: str
    system: str
    where: str


class Taken(NamedTuple):
    """Content of one source: numbers of responses and failed calls, and unusable rows."""

    replies: int
    failed: int
    broken: tuple[BrokenRow, ...]


class Gathering:
    """Set of responses: hashes and counts in memory, the responses on disk."""

    def __init__(self, waiting: DiskQueue) -> None:
        self._waiting = waiting
        self.put: defaultdict[tuple[str, str], dict[str, Put]] = defaultdict(dict)
        self.settings: defaultdict[tuple[str, str], set[Settings]] = defaultdict(set)
        """Settings by benchmark and arm."""
        self._last_settings: dict[tuple[str, str], Settings] = {}
        self.revisions: dict[str, str] = {}
        self.broken: list[BrokenRow] = []
        self.replies: Counter[tuple[str, str, str]] = Counter()
        """Number of responses by model, benchmark and arm."""
        self.failed = 0
        self.unknown_ends = 0
        """Responses without a recorded ending, so that truncation cannot be detected."""
        self._second: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        """Arms and items of second responses, by benchmark."""
        self._numbered: set[str] = set()
        """Benchmarks with repeats that were not asked only for the test *Steady?*."""
        self.sightings = Sightings()
        self._in_form: Counter[str] = Counter()
        self._said: dict[bytes, tuple[bytes, str]] = {}
        self._stored_patients: dict[tuple[str, str], str] = {}
        self._patients: dict[tuple[str, str], str] = {}

    def add(self, answers: Iterable[Answer | BrokenRow], *, stored: bool = False) -> Taken:
        """Add answers; an answer that contradicts an earlier one becomes a broken row."""
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
            if not stored and (length := answer.longest) > LONGEST_TEXT:
                long = f"one of its texts has {length:,} characters, at most {LONGEST_TEXT:,} are read"
                broken.append(BrokenRow(answer.where, answer.item.id, long))
                continue
            model, benchmark, arm, item, response = answer[:5]
            replicate = answer.replicate
            if replicate is None:  # the source has no number: repeats count from 1 in their order
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
            if response is not None:  # record broken rows too: a wrong condition is often the cause
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
        """Return the names of the benchmarks in the order of their first answer."""
        return list(dict.fromkeys(benchmark for benchmark, _ in self.put))

    def arms(self, benchmark: str) -> list[str]:
        """Return the arms of a benchmark: the original first, then in order of appearance."""
        arms = [arm for name, arm in self.put if name == benchmark]
        return sorted(arms, key=lambda arm: (arm != AS_ASKED, arms.index(arm)))

    def all_arms(self) -> list[str]:
        """Return the arms of all benchmarks, each once."""
        return list(dict.fromkeys(arm for _, arm in self.put))

    def items(self, benchmark: str) -> tuple[Item, ...]:
        """Return the benchmark's items: as the original arm sent them, or else the first arm."""
        items: dict[str, Item] = {}
        for arm in self.arms(benchmark):
            for item_id, put in self.put[benchmark, arm].items():
                items.setdefault(item_id, put.item)
        if not self._stored_patients:
            return tuple(items.values())
        patients = (self._patient(benchmark, item) for item in items.values())
        return tuple(
            item if patient == item.cluster else replace(item, cluster=patient)
            for item, patient in zip(items.values(), patients, strict=True)
        )

    def _patient(self, benchmark: str, item: Item) -> str:
        """Return the patient of an item: `stored N` if stored responses already have this patient."""
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
                    "Stored and new responses both have patients (`cluster`), but the names of stored patients are "
                    "not kept, so they cannot be matched. Import all files in one command."
                )
            stored = known.pop()
        return f"stored {stored}" if stored is not None else item.cluster

    def find_repeats(self) -> dict[str, Repeats]:
        """Find the items that were asked a second time, only for the test *Steady?*."""
        found = {}
        for name, again in self._second.items():
            if name not in self._numbered:
                items, ids = self.items(name), {item_id for _, item_id in again}
                places = tuple(at for at, item in enumerate(items) if item.id in ids)
                found[name] = Repeats(len(items), 1, tuple(sorted({arm for arm, _ in again})), places)
        return found

    def parsers(self) -> list[str]:
        """Return the published parsers whose format most responses have."""
        return [name for name, count in self._in_form.items() if count >= USUAL * self.replies.total()]

    def _problem(self, answer: Answer, replicate: int, cell: bytes, said: bytes) -> str | None:
        """Record an answer; return the reason if it contradicts earlier ones, else None."""
        revision = self.revisions.setdefault(answer.model, answer.revision)
        if revision != answer.revision:
            return (
                f"its model has the revision {answer.revision!r} here but {revision!r} before; give the two different "
                "names"
            )
        place, item = answer[1:3], answer.item
        arm = self.put[place]
        if (put := arm.get(item.id)) is None:
            put = arm[item.id] = Put(item, answer.text, answer.system, answer.where)
        if put.item is not item and any(getattr(put.item, name) != getattr(item, name) for name in _WORDS):
            before = put.where or "the store"
            return (
                f"its question or options differ from {before} under the same condition {answer.arm!r}; name another "
                "condition for it (options shuffled again for each model or run need one condition each)"
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
                f"{where or 'the store'} already has a different response of {answer.model!r} to this item under "
                f"{answer.arm!r} as repeat {replicate}; number the repeats (`replicate`), or name another condition "
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
            for parser in _list_published_parsers():
                # a response that flags the image has no choice, but still has the format of the detection prompts
                if parser.name == DETECTION.parser:
                    self._in_form[parser.name] += bool(item.metadata) and item.normal is not None
                    continue
                for mark in parser.marks:
                    if mark in text:
                        if parser.read(response, item).choice is not None:
                            self._in_form[parser.name] += 1
                        break


@cache
def _list_published_parsers() -> tuple[Parser, ...]:
    """Return the parsers that read exactly one published answer format."""
    return tuple(parser for parser in our_parsers() if parser.strict or parser.name == DETECTION.parser)


def _hash(words: str) -> bytes:
    return hashlib.blake2b(words.encode(errors="replace"), digest_size=16).digest()
