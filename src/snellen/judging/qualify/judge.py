"""A judge that is asked a parser's question, compared with the same raters' labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from snellen.asking.progress import ProgressBar
from snellen.asking.run import RunProgress, Watch, ask_all
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.judging import admission, mismatch, premise, quality
from snellen.judging.qualify.qualification import Labelled, Qualification
from snellen.judging.qualify.quality import AS_PUBLISHED, QUALITY, item_of, word
from snellen.judging.single import JudgeQuestion
from snellen.judging.source import OpinionList, WantedOpinion
from snellen.models.base import Model
from snellen.models.client.client import open_client
from snellen.prompts import Request
from snellen.reading.detection import DetectionLabel
from snellen.reading.missing_image.columns import flag_word
from snellen.reading.parsers import MISMATCHED, PREMISED, USUAL, WITHOUT_IMAGE, parser_named
from snellen.store import Store

Verdict = Any
"""A judge's opinion on a row, as JSON values."""


class JudgeTask(NamedTuple):
    """A parser's question as put to a judge: its wording, its rows and items, and the label of an opinion."""

    asked: JudgeQuestion
    rows: Callable[[Qualification], Qualification]
    item_of: Callable[[str, Mapping[str, Any]], Item]
    label_of: Callable[[Any], str]
    record: Callable[[Any], Verdict] = lambda opinion: opinion
    """Converts an opinion to JSON values."""

    def verdict(self, answer: str) -> Verdict | None:
        """Return the opinion in a judge's text; None if it cannot be read."""
        opinion = self.asked.read(answer)
        return None if opinion is None else self.record(opinion)


def flagging(done: Qualification) -> Qualification:
    """Simplify labels to the Mirage paper's one question: is the response flagged?

    >>> from snellen.judging.qualify.qualification import QualifiedRow as Row
    >>> rows = (Row("row 1", {}, "missing", "hedges", "doubts"), Row("row 2", {}, "generic", "describes", "states"))
    >>> done = Qualification("missing-image", rows)
    >>> done.agreement.value, flagging(done).agreement.value
    (0.0, 1.0)
    """
    if parser_named(done.parser).kind != WITHOUT_IMAGE:
        usual = USUAL[WITHOUT_IMAGE]
        raise StudyError(
            f"The judge can be compared with the parser {usual} only, got {done.parser}. Qualify {usual}, or leave the "
            "judge out."
        )
    return done.simplify(flag_word)


def _put(asked: JudgeQuestion) -> JudgeTask:
    """Make a task from a question that defines its own rows."""
    rows = asked.rows
    assert rows is not None
    return JudgeTask(asked, lambda done: done.simplify(rows.word_of), rows.item_of, rows.label_of)


ADMISSION = JudgeTask(
    admission.ADMISSION, flagging, mismatch.ROWS.item_of, lambda flags: "flagged" if flags else "not flagged"
)
"""The Mirage paper's question: does a response admit that it saw no image?"""
CONCLUSION = JudgeTask(
    quality.QUALITY,
    lambda done: done,
    lambda where, fields: item_of(Labelled(where, fields)),
    lambda verdict: str(verdict["label"]),
    lambda said: {"label": word(said.label), "flags": said.flags, "conflict": said.conflict},
)
"""Our question about detection responses: what does a response conclude?"""
COUNTED = CONCLUSION._replace(
    label_of=lambda said: word(DetectionLabel.QUALITY) if said["flags"] else str(said["label"])
)
"""The same question, counted as in the artefacts paper: any remark on quality counts as "quality"."""
TASKS = {
    QUALITY: CONCLUSION,
    AS_PUBLISHED: COUNTED,
    MISMATCHED: _put(mismatch.MISMATCH_NAMED),
    PREMISED: _put(premise.PREMISE_HANDLED),
}
"""The judge's task for the rows of a parser, by the parser's kind."""


def asked_of(done: Qualification) -> JudgeTask:
    """Return the judge's task for the rows of a parser. By default the Mirage paper's question."""
    return TASKS.get(parser_named(done.parser).kind, ADMISSION)


@dataclass(frozen=True)
class JudgedRows:
    """A judge's texts on each row, None for failed calls; `question` is the parser's result."""

    judge: str
    question: Qualification
    answers: tuple[str | None, ...]
    progress: RunProgress
    asked: JudgeTask = ADMISSION

    @cached_property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """The judge's opinion on each row. None if the call failed or the text is unreadable."""
        return tuple(None if answer is None else self.asked.verdict(answer) for answer in self.answers)

    @cached_property
    def given(self) -> tuple[Verdict, ...]:
        """The opinions that could be read, in the order of the rows."""
        return tuple(verdict for verdict in self.verdicts if verdict is not None)

    @property
    def failed(self) -> int:
        """Number of rows whose call failed."""
        return self.answers.count(None)

    @property
    def unread(self) -> int:
        """Number of rows with a text that could not be read."""
        return self.verdicts.count(None) - self.failed

    @cached_property
    def by_judge(self) -> Qualification:
        """The judge compared with raters, on the rows with an opinion."""
        rows = (
            row._replace(predicted=self.asked.label_of(verdict), rule=self.judge)
            for row, verdict in zip(self.by_parser.rows, self.given, strict=True)
        )
        return Qualification(self.judge, tuple(rows))

    @cached_property
    def by_parser(self) -> Qualification:
        """The parser compared with raters, on the same rows."""
        rows = (row for row, verdict in zip(self.question.rows, self.verdicts, strict=True) if verdict is not None)
        return Qualification(self.question.parser, tuple(rows))


def judge_rows(
    done: Qualification,
    model: str | Model,
    *,
    max_connections: int = 64,
    timeout: float | None = None,
    watch: Watch | None = None,
) -> JudgedRows:
    """Ask a judge about each row; equal requests are sent once."""
    asked = asked_of(done)
    question = asked.rows(done)
    items = [asked.item_of(row.where, row.fields) for row in done.rows]
    requests = [
        [(asked.asked.request(str(row.fields["response"]), item), 0)]
        for row, item in zip(done.rows, items, strict=True)
    ]
    how: dict[str, Any] = {"max_connections": max_connections, "timeout": timeout, "watch": watch}
    given = answers_to(requests, model, version=asked.asked.version, **how)
    return JudgedRows(given.judge, question, tuple(answer for (answer,) in given.texts), given.progress, asked)


RepeatedRequest = tuple[Request, int]
"""A request about a row, and its number among repeated equal requests."""


class JudgeTexts(NamedTuple):
    """A judge's text for each request about each row; None if a call failed."""

    judge: str
    texts: tuple[tuple[str | None, ...], ...]
    progress: RunProgress


def answers_to(
    requests: Sequence[Sequence[RepeatedRequest]],
    model: str | Model,
    *,
    version: str,
    max_connections: int = 64,
    timeout: float | None = None,
    watch: Watch | None = None,
) -> JudgeTexts:
    """Send a judge's requests about each row, using a temporary store. Equal requests are sent once."""
    judging = open_client(model, timeout=timeout)
    with (
        TemporaryDirectory(prefix="snellen-") as folder,
        Store.open(folder, write=True) as store,
        ProgressBar() if watch is None else nullcontext(watch) as seen,
    ):
        number, _ = store.studies.add_benchmark(Benchmark("labelled responses", ()))
        arm = store.studies.add_arm(number, "judging", version, {})
        wanted = (
            WantedOpinion(arm, at, place, partial(_return, request), replicate)
            for at, row in enumerate(requests)
            for place, (request, replicate) in enumerate(row)
        )
        progress = ask_all([judging], OpinionList(wanted), store, connections=max_connections, watch=seen)
        stored = store.responses.replies(store.studies.model_number(judging.name, judging.revision), arm)
        answers = {(reply.ordinal, reply.replicate): reply.text for reply in stored}
    texts = (tuple(answers.get((at, place)) for place in range(len(each))) for at, each in enumerate(requests))
    return JudgeTexts(judging.name, tuple(texts), progress)


def _return(request: Request) -> Request:
    return request
