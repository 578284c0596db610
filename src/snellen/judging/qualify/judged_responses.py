"""Judges' opinions on a plug-in's question about each stored response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.asking.run import RunProgress
from snellen.errors import StudyError
from snellen.items import LETTERS, Item
from snellen.judging.asking import judge
from snellen.judging.gate import JudgeGate
from snellen.judging.held_against_people import most_say
from snellen.judging.qualify import MEMBERS
from snellen.judging.qualify.held import write_lines
from snellen.judging.qualify.judge_agreement import question_named
from snellen.judging.qualify.labelled_question import LabelledQuestion
from snellen.judging.qualify.qualification import Labelled
from snellen.judging.single import JudgeQuestion, changed_items, iter_opinions, replies
from snellen.models.base import Model
from snellen.store import Store


class JudgedResponses(NamedTuple):
    """Judges' opinions on the responses of a study, and whether the judges are qualified."""

    question: LabelledQuestion
    progress: RunProgress
    rows: tuple[Mapping[str, Any], ...]
    """One row per response and judge, in the form that `snellen parser qualify` reads."""
    file: Path
    qualified: Mapping[str, str | None]
    """By judge: None if not compared with raters, empty if qualified, else the reason why not."""


def judge_responses(
    out: str | Path,
    models: str | Model | Sequence[str | Model],
    question: str,
    *,
    study: str | None = None,
    opinions: int | None = None,
    **asking: Any,
) -> JudgedResponses:
    """Ask judges a plug-in's question about the stored responses; write all opinions to judged-QUESTION.jsonl.

    `asking` are the other arguments of `snellen.judging.asking.judge`.
    """
    if question in MEMBERS:
        raise StudyError(
            f"The question {question!r} is built in and needs no --question. Expected the question of a plug-in."
        )
    asked = question_named(question)
    if not asked.one_by_one:
        raise StudyError(
            f"The question {question!r} shows several responses at once. Expected a question about one response."
        )
    put = JudgeQuestion(asked.name, asked.version, lambda text, item: asked.request(_make_row(text, item), False))
    progress = judge(out, models, study=study, opinions=opinions or asked.opinions, question=put, **asking)
    with Store.open(out) as store:
        record = store.studies.record(study)
        rows = tuple(_list_rows(store, record, asked, put))
        gate = JudgeGate.from_store(store, versions={asked.name: asked.version})
        file = store.studies.results_folder(record["name"]) / f"judged-{question}.jsonl"
    known = {judge: gate.records.get((judge, asked.name)) for judge in dict.fromkeys(row["judge"] for row in rows)}
    qualified = {judge: None if each is None else str(each["why_not"]) for judge, each in known.items()}
    write_lines(file, rows)
    return JudgedResponses(asked, progress, rows, file, qualified)


def _list_rows(
    store: Store, study: Mapping[str, Any], asked: LabelledQuestion, put: JudgeQuestion
) -> Iterator[dict[str, Any]]:
    for benchmark, digest in study["benchmarks"].items():
        items, changed = store.studies.benchmark(digest).items, changed_items(store, study, benchmark)
        for model, revision in study["models"]:
            given: dict[tuple[str, int, int], dict[str, list[str]]] = {}
            for arm in study["arms"][benchmark]:
                for judge_name, run, text in iter_opinions(store, study, benchmark, arm, model, put):
                    given.setdefault((arm, *run), {}).setdefault(judge_name, []).append(text)
            for arm, reply in replies(store, study, benchmark, (model, revision)):
                row = _make_row(reply.text, changed[arm].get(reply.ordinal, items[reply.ordinal]))
                place = {"model": model, "benchmark": benchmark, "arm": arm, "replicate": reply.replicate}
                for judge_name, texts in given.get((arm, reply.ordinal, reply.replicate), {}).items():
                    yield {**place, **row.fields, "judge": judge_name, **_read_opinions(asked, row, texts)}


def _read_opinions(asked: LabelledQuestion, row: Labelled, texts: Sequence[str]) -> dict[str, Any]:
    """Return the label of each opinion, None if unreadable, and the most frequent label."""
    read = [asked.read(text, row, False) for text in texts]
    labels = [None if each is None else each[()] for each in read]
    return {"opinions": labels, "grade": most_say([each for each in labels if each is not None], asked.undecided)}


def _make_row(text: str, item: Item) -> Labelled:
    fields: dict[str, Any] = {"item_id": item.id, "question": item.question, "response": text}
    if item.context:
        fields["context"] = item.context
    if item.references:
        fields["references"] = list(item.references)
    if item.options:
        fields["options"] = [option.text for option in item.options]
    if isinstance(item.answer, int):
        fields["answer"] = LETTERS[item.answer]
    return Labelled(item.id, fields)
