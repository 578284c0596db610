"""Gathering: what a set of answers is about (benchmarks, arms, models, forms of reply), before any is stored."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from snellen.errors import BrokenRow, StudyError
from snellen.grading import READERS
from snellen.imports.answer import AS_ASKED, Answer
from snellen.items import Item

USUAL = 0.5
"""A published form counts as the replies' own if at least so many of them have it."""
_ARM = re.compile(r"[\w.+ -]{1,80}|image-blank:[a-z=,]{1,40}")
_WORDS = ("kind", "question", "context", "options", "answer")


class Put(NamedTuple):
    """How an arm put an item: the item as the arm left it, the words sent where they are known, and who says so."""

    item: Item
    text: str
    system: str
    where: str


class Gathering:
    """Everything about a set of answers but the replies themselves, of which it keeps only hashes."""

    def __init__(self) -> None:
        self.put: dict[tuple[str, str], dict[str, Put]] = {}
        self.revisions: dict[str, str] = {}
        self.broken: list[BrokenRow] = []
        self.replies: Counter[tuple[str, str, str]] = Counter()
        """By model, benchmark and arm."""
        self.failed = 0
        self._in_form: Counter[str] = Counter()
        self._said: dict[bytes, tuple[bytes, str]] = {}

    def add(self, answers: Iterable[Answer | BrokenRow]) -> None:
        """Take in answers; one that contradicts another becomes a broken row."""
        for answer, replicate in numbered(answers, self.broken):
            problem = self._problem(answer, replicate)
            if problem is not None:
                self.broken.append(BrokenRow(answer.where, answer.item.id, problem))

    def benchmarks(self) -> list[str]:
        """The benchmarks' names, in the order they were met."""
        return list(dict.fromkeys(benchmark for benchmark, _ in self.put))

    def arms(self, benchmark: str) -> list[str]:
        """The arms of a benchmark, as asked first."""
        arms = [arm for name, arm in self.put if name == benchmark]
        return sorted(arms, key=lambda arm: (arm != AS_ASKED, arms.index(arm)))

    def items(self, benchmark: str) -> tuple[Item, ...]:
        """The benchmark's items as they are without any arm: as asked, or as the first arm that has them put them."""
        items: dict[str, Item] = {}
        for arm in self.arms(benchmark):
            for item_id, put in self.put[benchmark, arm].items():
                items.setdefault(item_id, put.item)
        return tuple(items.values())

    def readers(self) -> list[str]:
        """The published readers whose form most replies have."""
        return [name for name, count in self._in_form.items() if count >= USUAL * self.replies.total()]

    def _problem(self, answer: Answer, replicate: int) -> str | None:
        """Why an answer cannot stand beside those before it; None where it was taken in."""
        revision = self.revisions.setdefault(answer.model, answer.revision)
        if revision != answer.revision:
            raise StudyError(
                f"{answer.where}: {answer.model!r} has the revision {answer.revision!r} here and {revision!r} before. "
                "Give each revision a name of its own."
            )
        if not _ARM.fullmatch(answer.arm):
            return f"its arm is {answer.arm!r}, expected a plain name such as 'original' or 'image-removed'"
        arm = self.put.setdefault((answer.benchmark, answer.arm), {})
        put = arm.setdefault(answer.item.id, Put(answer.item, answer.text, answer.system, answer.where))
        if put.item is not answer.item and any(getattr(put.item, n) != getattr(answer.item, n) for n in _WORDS):
            before = put.where or "what is stored"
            return f"it is put differently than in {before}, under one arm {answer.arm!r}; give it an arm of its own"
        if answer.response is None:
            self.failed += 1
            return None
        cell, said = cell_of(answer, replicate), reply_of(answer)
        if cell in self._said:
            earlier, where = self._said[cell]
            if earlier == said:
                return None
            return (
                f"{where or 'the store'} has another reply of {answer.model!r} to it under {answer.arm!r} as "
                f"replicate {replicate}; number the replicates"
            )
        self._said[cell] = said, answer.where
        self._count(answer)
        return None

    def _count(self, answer: Answer) -> None:
        assert answer.response is not None
        self.replies[answer.model, answer.benchmark, answer.arm] += 1
        if answer.item.kind == "choice":
            for name, reader in READERS.items():
                if name != "lenient" and reader(answer.response.text, answer.item).choice is not None:
                    self._in_form[name] += 1


def numbered(
    answers: Iterable[Answer | BrokenRow], broken: list[BrokenRow] | None = None
) -> Iterator[tuple[Answer, int]]:
    """The answers with their replicates, numbered as they come where the source does not; broken rows are put aside."""
    turns: Counter[bytes] = Counter()
    for answer in answers:
        if isinstance(answer, BrokenRow):
            if broken is not None:
                broken.append(answer)
        elif answer.replicate is not None:
            yield answer, answer.replicate
        else:
            cell = cell_of(answer, 0)
            yield answer, turns[cell]
            turns[cell] += 1


def cell_of(answer: Answer, replicate: int) -> bytes:
    """What tells one reply from all others."""
    return _hash(answer.model, answer.benchmark, answer.arm, answer.item.id, str(replicate))


def reply_of(answer: Answer) -> bytes:
    """What was said, as a hash."""
    assert answer.response is not None
    return _hash(answer.response.text, answer.response.reasoning, answer.response.finish)


def _hash(*words: str) -> bytes:
    return hashlib.blake2b("\0".join(words).encode(errors="replace"), digest_size=16).digest()
