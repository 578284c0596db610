"""PathVQA: questions about pathology images from textbooks, from the hub's Parquet files or in the LXMERT form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import yes_or_no
from snellen.benchmarks.pictures import shared
from snellen.benchmarks.published import Source, frozen, loads
from snellen.benchmarks.rows import Row
from snellen.items import Benchmark, Item, Option


@loads("path-vqa")
def load(source: Source) -> Benchmark:
    """PathVQA: questions about pathology images from textbooks, from Parquet files or in the LXMERT form.

    Questions answered yes or no are choices between the two, all others are open. The files name no patient: questions
    about the same image are one cluster. In the LXMERT form a row is an image (`img_id`) with its questions
    (`sentf.pvqa`) and their answers (`labelf.pvqa`); of several answers the likeliest comes first. Its images are
    looked for in `images`, by the split or not.
    """
    rows = source.rows()
    if source.files[0].suffix != ".parquet":
        rows = (each for row in rows for each in _asked(row))
    return source.collect(rows, partial(_item, source))


def _asked(row: Row) -> Iterator[Row]:
    """The questions of a row in the LXMERT form, each as a row of its own."""
    questions, answers = (_nested(row.fields, name) for name in ("sentf", "labelf"))
    if row.reason or questions is None or answers is None or len(questions) != len(answers):
        reason = row.reason or "expected as many questions in 'sentf' as answers in 'labelf', both under 'pvqa'"
        yield row._replace(reason=reason)
        return
    image = row.fields.get("img_id")
    for place, (question, likely) in enumerate(zip(questions, answers, strict=True), start=1):
        ranked = sorted(likely, key=lambda each: -likely[each]) if isinstance(likely, Mapping) else [likely]
        fields = {"id": f"{image}-{place}", "image": image, "question": question, "answer": ranked}
        yield row._replace(where=f"{row.where}, question {place}", fields=fields)


def _nested(fields: Mapping[str, Any], name: str) -> list[Any] | None:
    found = fields.get(name, fields.get(f"{name}.pvqa"))
    found = found.get("pvqa") if isinstance(found, Mapping) else found
    return found if isinstance(found, list) else None


def _item(source: Source, row: Row) -> Item:
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
        cluster=shared(image, found),
        metadata=frozen(modality="pathology", answers=texts if len(texts) > 1 and not options else None),
    )
