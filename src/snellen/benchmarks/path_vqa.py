"""PathVQA: questions about pathology images from textbooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import yes_or_no
from snellen.benchmarks.pictures import name_cluster
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.rows import FileRow
from snellen.items import Benchmark, Item, Option


@loads("path-vqa")
def load(source: SplitSource) -> Benchmark:
    """PathVQA: questions about pathology images from textbooks, from Parquet files or in the LXMERT form.

    Yes/no questions are choices, all others are open. The files name no patient: questions about the same image are one
    cluster. In the LXMERT form, a row is an image (`img_id`) with its questions (`sentf.pvqa`) and their answers
    (`labelf.pvqa`); the likeliest of several answers comes first. Its images are searched in `images` or its sub-folder
    for the split.
    """
    rows = source.rows()
    if source.files[0].suffix != ".parquet":
        rows = (each for row in rows for each in _split_questions(row))
    return source.collect(rows, partial(_item, source))


def _split_questions(row: FileRow) -> Iterator[FileRow]:
    """Split a row in the LXMERT form into one row per question."""
    questions, answers = (_find_nested(row.fields, name) for name in ("sentf", "labelf"))
    if row.reason or questions is None or answers is None or len(questions) != len(answers):
        reason = row.reason or "expected as many questions in 'sentf' as answers in 'labelf', both under 'pvqa'"
        yield row._replace(reason=reason)
        return
    image = row.fields.get("img_id")
    for place, (question, likely) in enumerate(zip(questions, answers, strict=True), start=1):
        ranked = sorted(likely, key=lambda each: -likely[each]) if isinstance(likely, Mapping) else [likely]
        fields = {"id": f"{image}-{place}", "image": image, "question": question, "answer": ranked}
        yield row._replace(where=f"{row.where}, question {place}", fields=fields)


def _find_nested(fields: Mapping[str, Any], name: str) -> list[Any] | None:
    found = fields.get(name, fields.get(f"{name}.pvqa"))
    found = found.get("pvqa") if isinstance(found, Mapping) else found
    return found if isinstance(found, list) else None


def _item(source: SplitSource, row: FileRow) -> Item:
    fields = row.fields
    answers = fields["answer"] if isinstance(fields["answer"], list) else [fields["answer"]]
    texts = [as_text(each, "its answer").strip() for each in answers]
    options, right = yes_or_no(texts[0]) or ((), texts[0])
    image = fields["image"]
    found = source.pictures.find(f"{image}.jpg" if isinstance(image, str) and not Path(image).suffix else image)
    return Item(
        id=f"path-vqa/{source.split}-{fields.get('id', row.number)}",
        question=as_text(fields["question"], "its question").strip(),
        options=tuple(map(Option, options)),
        answer=right,
        images=(found,),
        kind="choice" if options else "open",
        cluster=name_cluster(image, found),
        metadata=freeze_metadata(modality="pathology", answers=texts if len(texts) > 1 and not options else None),
    )
