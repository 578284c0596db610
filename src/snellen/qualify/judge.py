"""A judge asked the paper's question about labelled replies, and held against the same people as the reader."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory

from snellen.items import Benchmark
from snellen.judging import admission
from snellen.models import open_model
from snellen.models.base import Model
from snellen.models.retrying import Retrying
from snellen.preparing import BATCH, Address, Batch, Ready
from snellen.progress import Bar
from snellen.qualify.missing_image import flag_word, flagging
from snellen.qualify.qualification import Qualification
from snellen.run import Progress, Watch, ask_all
from snellen.store import Cell, Store, Writer


@dataclass(frozen=True)
class Judged:
    """What a judge answers about each row, None where a call failed; `question` is the reader on the same question."""

    judge: str
    question: Qualification
    answers: tuple[str | None, ...]
    progress: Progress

    @cached_property
    def verdicts(self) -> tuple[bool | None, ...]:
        """Whether the judge flags each row; None where it gave no answer that can be read."""
        return tuple(None if answer is None else admission.flagged(answer) for answer in self.answers)

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
            row._replace(predicted=flag_word(verdict), rule=self.judge)
            for row, verdict in zip(self.question.rows, self.verdicts, strict=True)
            if verdict is not None
        )
        return Qualification(self.judge, tuple(rows))

    @cached_property
    def by_reader(self) -> Qualification:
        """The reader held against people, on those same rows."""
        rows = (row for row, verdict in zip(self.question.rows, self.verdicts, strict=True) if verdict is not None)
        return Qualification(self.question.reader, tuple(rows))


def judge_rows(
    done: Qualification, model: str | Model, *, max_connections: int = 64, watch: Watch | None = None
) -> Judged:
    """Ask a judge whether each reply admits that it saw no image; equal replies are asked about once."""
    question = flagging(done)
    judging = Retrying(open_model(model) if isinstance(model, str) else model)
    replies = [str(row.fields["response"]) for row in done.rows]
    with (
        TemporaryDirectory(prefix="snellen-") as folder,
        Store.open(folder, write=True) as store,
        Bar() if watch is None else nullcontext(watch) as seen,
    ):
        number, _ = store.add_benchmark(Benchmark("labelled replies", ()))
        arm = store.add_arm(number, "judging", admission.VERSION, {})
        progress = ask_all([judging], _Replies(replies, arm), store, connections=max_connections, watch=seen)
        stored = store.replies(store.model(judging.name, judging.revision), arm)
        answers = {reply.ordinal: reply.text for reply in stored}
    return Judged(judging.name, question, tuple(map(answers.get, range(len(replies)))), progress)


class _Replies:
    """Where the judge's requests come from: one about each reply."""

    def __init__(self, replies: Sequence[str], arm: int) -> None:
        self._replies = replies
        self._arm = arm

    def count(self, addresses: Sequence[Address]) -> int:
        """How many answers are wanted."""
        return len(self._replies) * len(addresses)

    async def batches(self, addresses: Sequence[Address], writer: Writer) -> AsyncGenerator[Batch, None]:
        """The requests, in the order of the rows."""
        for start in range(0, len(self._replies), BATCH):
            some = enumerate(self._replies[start : start + BATCH], start)
            yield Batch(
                [
                    Ready(
                        Cell(address.number, self._arm, place, 0),
                        admission.request(reply).to(address.name, address.revision, 0),
                    )
                    for place, reply in some
                    for address in addresses
                ],
                0,
            )
