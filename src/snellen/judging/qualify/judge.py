"""A judge asked about labelled responses what the parser was asked, and held against the same people."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from snellen.asking.progress import Bar
from snellen.asking.requests import BATCH, Address, Batch, Ready
from snellen.asking.run import Progress, Watch, ask_all
from snellen.items import Benchmark
from snellen.judging import admission, mismatch, premise, quality
from snellen.judging.qualify.mismatch import naming
from snellen.judging.qualify.missing_image import flagging
from snellen.judging.qualify.premise import judged_word
from snellen.judging.qualify.qualification import Labelled, Qualification, Read
from snellen.judging.qualify.quality import AS_PUBLISHED, QUALITY, item_of, word
from snellen.models.base import Model
from snellen.models.client.client import open_client
from snellen.prompts import Request
from snellen.reading.detection import Seen
from snellen.reading.mismatch import parser as mismatches
from snellen.reading.parsers import MISMATCHED, PREMISED, parser_named
from snellen.reading.premise import parser as premises
from snellen.store import Cell, Store, Writer

Verdict = Any
"""What a judge says of a row, in a form that JSON knows."""


class JudgeTask(NamedTuple):
    """A judge's question: the labels it is held against, its words, its verdict, and the label that a verdict is."""

    version: str
    question: Callable[[Qualification], Qualification]
    request: Callable[[Read], Request]
    verdict: Callable[[str], Verdict | None]
    word: Callable[[Verdict], str]


def _quality_verdict(answer: str) -> dict[str, Any] | None:
    said = quality.read(answer)
    return None if said is None else {"label": word(said.label), "flags": said.flags, "conflict": said.conflict}


ADMISSION = JudgeTask(
    admission.VERSION,
    flagging,
    lambda row: admission.request(str(row.fields["response"])),
    admission.flagged,
    lambda flags: "flagged" if flags else "not flagged",
)
"""The question of the Mirage paper: does a response admit that it saw no image?"""
CONCLUSION = JudgeTask(
    quality.VERSION,
    lambda done: done,
    lambda row: quality.request(str(row.fields["response"]), item_of(Labelled(row.where, row.fields))),
    _quality_verdict,
    lambda verdict: str(verdict["label"]),
)
"""Our question about detection responses: what does a response conclude?"""
COUNTED = CONCLUSION._replace(word=lambda verdict: word(Seen.QUALITY) if verdict["flags"] else str(verdict["label"]))
"""The same, counted as the artefacts paper does: any response that flags quality."""

NAMING = JudgeTask(
    mismatch.VERSION,
    naming,
    lambda row: mismatch.request(str(row.fields["response"]), mismatches.item_of(row.where, row.fields)),
    mismatch.read,
    lambda names: mismatches.NAMED if names else mismatches.NOT_NAMED,
)
"""Our question about words and image that contradict each other: does a response name the contradiction?"""
HANDLING = JudgeTask(
    premise.VERSION,
    lambda done: done.simplify(judged_word),
    lambda row: premise.request(str(row.fields["response"]), premises.item_of(row.where, row.fields)),
    premise.read,
    str,
)
"""Our question about what a question takes for granted: does a response correct it, comply or evade?"""


def asked_of(done: Qualification) -> JudgeTask:
    """What a judge is asked about the rows of a parser; rows that no judge can be asked about are refused there."""
    asked = {QUALITY: CONCLUSION, AS_PUBLISHED: COUNTED, MISMATCHED: NAMING, PREMISED: HANDLING}
    return asked.get(parser_named(done.parser).kind, ADMISSION)


@dataclass(frozen=True)
class Judged:
    """What a judge answers about each row, None where a call failed; `question` is the parser on the same question."""

    judge: str
    question: Qualification
    answers: tuple[str | None, ...]
    progress: Progress
    asked: JudgeTask = ADMISSION

    @cached_property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """What the judge says of each row; None where it gave no answer that can be read."""
        return tuple(None if answer is None else self.asked.verdict(answer) for answer in self.answers)

    @cached_property
    def given(self) -> tuple[Verdict, ...]:
        """The verdicts that there are, in the order of the rows."""
        return tuple(verdict for verdict in self.verdicts if verdict is not None)

    @property
    def failed(self) -> int:
        """How many rows got no answer at all."""
        return self.answers.count(None)

    @property
    def unread(self) -> int:
        """How many rows got an answer that could not be read."""
        return self.verdicts.count(None) - self.failed

    @cached_property
    def by_judge(self) -> Qualification:
        """The judge held against people, on the rows it gave a verdict on."""
        rows = (
            row._replace(predicted=self.asked.word(verdict), rule=self.judge)
            for row, verdict in zip(self.question.rows, self.verdicts, strict=True)
            if verdict is not None
        )
        return Qualification(self.judge, tuple(rows))

    @cached_property
    def by_parser(self) -> Qualification:
        """The parser held against people, on those same rows."""
        rows = (row for row, verdict in zip(self.question.rows, self.verdicts, strict=True) if verdict is not None)
        return Qualification(self.question.parser, tuple(rows))


def judge_rows(
    done: Qualification,
    model: str | Model,
    *,
    max_connections: int = 64,
    timeout: float | None = None,
    watch: Watch | None = None,
) -> Judged:
    """Ask a judge about each response what can be asked of rows of this parser; equal requests are asked once."""
    asked = asked_of(done)
    question = asked.question(done)
    requests = [[Repeated(asked.request(row), 0)] for row in done.rows]
    given = answers_to(
        requests, model, version=asked.version, max_connections=max_connections, timeout=timeout, watch=watch
    )
    return Judged(given.judge, question, tuple(answer for (answer,) in given.texts), given.progress, asked)


class Repeated(NamedTuple):
    """A request about a row, and which of several equal ones it is."""

    request: Request
    replicate: int


class Answers(NamedTuple):
    """What a judge answers to each request about each row, None where a call failed."""

    judge: str
    texts: tuple[tuple[str | None, ...], ...]
    progress: Progress


def answers_to(
    requests: Sequence[Sequence[Repeated]],
    model: str | Model,
    *,
    version: str,
    max_connections: int = 64,
    timeout: float | None = None,
    watch: Watch | None = None,
) -> Answers:
    """Ask a judge some requests about each row; equal requests are asked once."""
    judging = open_client(model, timeout=timeout)
    with (
        TemporaryDirectory(prefix="snellen-") as folder,
        Store.open(folder, write=True) as store,
        Bar() if watch is None else nullcontext(watch) as seen,
    ):
        number, _ = store.studies.add_benchmark(Benchmark("labelled responses", ()))
        arm = store.studies.add_arm(number, "judging", version, {})
        progress = ask_all([judging], _Requests(requests, arm), store, connections=max_connections, watch=seen)
        stored = store.responses.replies(store.studies.model_number(judging.name, judging.revision), arm)
        answers = {(reply.ordinal, reply.replicate): reply.text for reply in stored}
    texts = (tuple(answers.get((at, place)) for place in range(len(each))) for at, each in enumerate(requests))
    return Answers(judging.name, tuple(texts), progress)


class _Requests:
    """Where the judge's requests come from, row by row."""

    def __init__(self, requests: Sequence[Sequence[Repeated]], arm: int) -> None:
        self._requests = [(at, place, each) for at, row in enumerate(requests) for place, each in enumerate(row)]
        self._arm = arm
        self._given: dict[int, int] = {}

    def count(self, addresses: Sequence[Address]) -> list[int]:
        """How many answers of each judge are wanted."""
        return [len(self._requests)] * len(addresses)

    async def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """The requests, in the order of the rows, from where these judges were left."""
        for start in range(self._given.get(addresses[0].number, 0), len(self._requests), BATCH):
            self._given.update(dict.fromkeys((address.number for address in addresses), start + BATCH))
            yield Batch(
                [
                    Ready(
                        Cell(address.number, self._arm, at, place),
                        each.request.to(address.name, address.revision, each.replicate),
                    )
                    for at, place, each in self._requests[start : start + BATCH]
                    for address in addresses
                ]
            )
