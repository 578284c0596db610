"""Samples of lmms-eval: `*_samples_TASK.jsonl`, as `--log_samples` writes it, with `*_results.json` beside it.

The file keeps the prompt and the right answer, and drops the dataset's record and every image: whether an image was
sent cannot be known from it. Of a call that failed it has a text that says so, or an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.benchmarks.rows import Row
from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import Answer
from snellen.imports.asked import Questions, Record
from snellen.imports.document import as_object, count
from snellen.imports.given import Given
from snellen.imports.importer import Importer
from snellen.imports.samples import (
    Evaluation,
    evaluation,
    item_id,
    likeliest,
    likelihoods,
    place,
    samples,
    target,
    texts,
)
from snellen.models.base import Response, Usage

FILES = ("*_samples_*.jsonl",)
_NAMED = re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)\.jsonl(?:\.gz)?")
_FAILED = re.compile(r"\[LMMS_EVAL_(?:REQUEST_FAILED|BUDGET_EXCEEDED)[^\]]*\]")


def read_lmms_eval(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """The responses of a samples file, one for each run of each question; the benchmark is the task."""
    named = _NAMED.fullmatch(path.name)
    date, task = (named["date"], named["task"]) if named else ("", path.name.partition(".")[0])
    about = evaluation(path, path.with_name(f"{date}_results.json"), task, given)
    questions = Questions(path.parent, given)
    given.note("Files of lmms-eval keep no images: whether one was sent is not known, and a condition is what it says.")
    for row in samples(path):
        try:
            yield from _answers(row, about, questions, given, given.name or task)
        except DataError as error:
            yield BrokenRow(row.where, item_id(row), str(error))


def _answers(row: Row, about: Evaluation, questions: Questions, given: Given, benchmark: str) -> Iterator[Answer]:
    if row.reason is not None:
        raise DataError(row.reason)
    fields = row.fields
    doc = as_object(fields.get("doc"))
    prompt = _prompt(fields)
    arm = given.arm_of(questions.arm_in(doc))
    found = likelihoods(fields)
    record = Record(
        (questions.ids_in(doc) or (item_id(row),))[0] if questions.id_is_said else item_id(row),
        fields=doc,
        prompt=prompt,
        target=target(row, likely=found is not None),
        place=place(row),
        ids=questions.ids_in(doc) if given.known else (),
    )
    item, has_image = questions.find(record, benchmark=benchmark, arm=arm)
    if found is not None and len(found) != len(item.options):
        raise DataError(f"it has {len(found)} log-likelihoods and {len(item.options)} options")
    responses = [likeliest(found, item)] if found is not None else _worded(fields, given)
    for replicate, response in enumerate(responses, 1):
        yield Answer(
            model=about.model,
            benchmark=benchmark,
            arm=arm,
            item=item,
            response=None if isinstance(response, str) else response,
            error=response if isinstance(response, str) else "",
            replicate=replicate,
            revision=about.revision,
            text=prompt,
            system=about.system,
            settings=about.settings,
            image_sent=None,
            has_image=has_image or bool(fields.get("input_media")),
            where=row.where,
        )


def _prompt(fields: Mapping[str, Any]) -> str:
    """The words that were sent; older versions keep them as the first argument."""
    value = fields.get("input", fields.get("arguments", ""))
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else ""


def _worded(fields: Mapping[str, Any], given: Given) -> list[Response | str]:
    """The responses in words, and for each call that failed the error."""
    found = texts(fields)
    counted = fields.get("token_counts")
    usages = counted if isinstance(counted, list) and len(counted) == len(found) else [None] * len(found)
    if "" in found:
        given.note(
            "{count} responses are empty. lmms-eval writes an empty text also where a call failed, so that the two "
            "cannot be told apart: they count as responses without an answer."
        )
    return [
        text
        if text.startswith("[LMMS_EVAL_") and _FAILED.match(text)
        else Response.of_fields(text=text, finish="", usage=_usage(usage))
        for text, usage in zip(found, usages, strict=True)
    ]


def _usage(counted: object) -> Usage:
    get = as_object(counted).get
    return Usage(count(get("input_tokens")), count(get("output_tokens")), None, count(get("reasoning_tokens")))


IMPORTER = Importer("a samples file of lmms-eval", read_lmms_eval, FILES)
