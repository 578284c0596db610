"""A judge asked about labelled responses what the parser was asked, and held against the same people."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from snellen.asking.progress import Bar
from snellen.asking.requests import BATCH, Address, Batch, Ready
from snellen.asking.run import Progress, Watch, ask_all
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.judging import admission, mismatch, premise, quality
from snellen.judging.qualify.qualification import Labelled, Qualification
from snellen.judging.qualify.quality import AS_PUBLISHED, QUALITY, item_of, word
from snellen.judging.single import JudgeQuestion
from snellen.models.base import Model
from snellen.models.client.client import open_client
from snellen.prompts import Request
from snellen.reading.detection import Seen
from snellen.reading.missing_image.columns import flag_word
from snellen.reading.parsers import MISMATCHED, PREMISED, USUAL, WITHOUT_IMAGE, parser_named
from snellen.store import Cell, Store, Writer

Verdict = Any
"""What a judge says of a row, in a form that JSON knows."""


class JudgeTask(NamedTuple):
    """What a judge is asked beside a parser: its question, the rows on that question, and the label of an opinion."""

    asked: JudgeQuestion
    rows: Callable[[Qualification], Qualification]
    item_of: Callable[[str, Mapping[str, Any]], Item]
    label_of: Callable[[Any], str]
    record: Callable[[Any], Verdict] = lambda opinion: opinion
    """An opinion in a form that JSON knows."""

    def verdict(self, answer: str) -> Verdict | None:
        """The opinion in an answer; None if it cannot be read."""
        opinion = self.asked.read(answer)
        return None if opinion is None else self.record(opinion)


def flagging(done: Qualification) -> Qualification:
    """The same on the Mirage paper's one question: is the response flagged, as missing or hedging, or not?

    >>> from snellen.judging.qualify.qualification import Read
    >>> rows = (Read("row 1", {}, "missing", "hedges", "doubts"), Read("row 2", {}, "generic", "describes", "states"))
    >>> done = Qualification("missing-image", rows)
    >>> done.agreement.value, flagging(done).agreement.value
    (0.0, 1.0)
    """
    if parser_named(done.parser).kind != WITHOUT_IMAGE:
        usual = USUAL[WITHOUT_IMAGE]
        raise StudyError(
            f"Whether a response admits that it saw no image is known for {usual} only, got rows read by "
            f"{done.parser}. Qualify {usual}, or leave the judge out."
        )
    return done.simplify(flag_word)


def _put(asked: JudgeQuestion) -> JudgeTask:
    """An act whose rows say themselves how they are put."""
    rows = asked.rows
    assert rows is not None
    return JudgeTask(asked, lambda done: done.simplify(rows.word_of), rows.item_of, rows.label_of)


ADMISSION = JudgeTask(
    admission.ADMISSION, flagging, mismatch.ROWS.item_of, lambda flags: "flagged" if flags else "not flagged"
)
"""The question of the Mirage paper: does a response admit that it saw no image?"""
CONCLUSION = JudgeTask(
    quality.QUALITY,
    lambda done: done,
    lambda where, fields: item_of(Labelled(where, fields)),
    lambda verdict: str(verdict["label"]),
    lambda said: {"label": word(said.label), "flags": said.flags, "conflict": said.conflict},
)
"""Our question about detection responses: what does a response conclude?"""
COUNTED = CONCLUSION._replace(label_of=lambda said: word(Seen.QUALITY) if said["flags"] else str(said["label"]))
"""The same, counted as the artefacts paper does: any response that flags quality."""
TASKS = {
    QUALITY: CONCLUSION,
    AS_PUBLISHED: COUNTED,
    MISMATCHED: _put(mismatch.MISMATCH_NAMED),
    PREMISED: _put(premise.PREMISE_HANDLED),
}
"""What a judge is asked about the rows of a parser, by its kind."""


def asked_of(done: Qualification) -> JudgeTask:
    """What a judge is asked about the rows of a parser; rows that no judge can be asked about are refused there."""
    return TASKS.get(parser_named(done.parser).kind, ADMISSION)


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
            row._replace(predicted=self.asked.label_of(verdict), rule=self.judge)
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
    question = asked.rows(done)
    requests = [
        [Repeated(asked.asked.request(str(row.fields["response"]), asked.item_of(row.where, row.fields)), 0)]
        for row in done.rows
    ]
    given = answers_to(
        requests, model, version=asked.asked.version, max_connections=max_connections, timeout=timeout, watch=watch
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
