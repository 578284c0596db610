"""PathVQA: questions about pathology images from textbooks, from the hub's Parquet files or in the LXMERT form.

He et al., "PathVQA: 30000+ questions for medical visual question answering", 2020.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import yes_or_no
from snellen.benchmarks.pictures import Pictures, shared
from snellen.benchmarks.published import Published, collected, files_of, frozen, needed, rows_of
from snellen.benchmarks.rows import Row
from snellen.benchmarks.shards import read_shards
from snellen.items import Benchmark, Item, Option

ABOUT = Published(
    name="path-vqa",
    title="PathVQA",
    asks="questions about pathology images from textbooks",
    tier="public",
    get="download flaviagiammarino/path-vqa from the hub and write path-vqa:FOLDER, or write path-vqa:hf.",
    licence="MIT (the images are their publishers')",
    citation='He et al., "PathVQA: 30000+ questions for medical visual question answering", 2020',
    splits=MappingProxyType({"test": 6719, "validation": 6259, "train": 19654}),
    kinds=("choice", "open"),
    clusters="the image",
    modalities="pathology",
    hub="flaviagiammarino/path-vqa",
)

_SHORT = MappingProxyType({"test": ("test",), "validation": ("validation", "val"), "train": ("train",)})


def load(
    path: str | Path, *, split: str = "test", allow_broken: bool = False, keep_unreadable: bool = False
) -> Benchmark:
    """PathVQA: questions about pathology images from textbooks, from Parquet files or in the LXMERT form.

    Questions answered yes or no are choices between the two, all others are open. The files name no patient: questions
    about the same image are one cluster. In the LXMERT form a row is an image (`img_id`) with its questions
    (`sentf.pvqa`) and their answers (`labelf.pvqa`); of several answers the likeliest comes first. Its images are
    looked for in `images`, by the split or not.
    """
    names = _SHORT[ABOUT.split(split)]
    folder = ABOUT.folder(path)
    patterns = [f"{place}{name}{end}" for place in ("data/", "", "*/") for name in names for end in _ENDINGS]
    files = files_of(folder, *patterns, what=f"PathVQA's files of the split {split!r}")
    places = (*(f"images/{name}" for name in names), "images", "")
    pictures = Pictures(folder, folders=places, keep_unreadable=keep_unreadable)
    if files[0].suffix == ".parquet":
        rows = read_shards(files, keep_unreadable=keep_unreadable)
    else:
        rows = (each for row in rows_of(files) for each in _asked(row))
    return collected(ABOUT, rows, lambda row: _item(row, split, pictures), allow_broken=allow_broken, split=split)


_ENDINGS = ("-*.parquet", ".parquet", ".json", "_vqa.json", "_qa.json")


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


def _item(row: Row, split: str, pictures: Pictures) -> Item:
    fields = row.fields
    needed(fields, "image", "question", "answer")
    answers = fields["answer"] if isinstance(fields["answer"], list) else [fields["answer"]]
    texts = [as_text(each, "its answer").strip() for each in answers]
    options, right = yes_or_no(texts[0]) or ((), texts[0])
    image = fields["image"]
    found = pictures.find(f"{image}.jpg" if isinstance(image, str) and not Path(image).suffix else image)
    return Item(
        id=f"path-vqa/{split}-{fields.get('id', row.number)}",
        question=as_text(fields["question"], "its question").strip(),
        options=tuple(map(Option, options)),
        answer=right,
        images=(found,),
        kind="choice" if options else "open",
        cluster=shared(image, found),
        metadata=frozen(modality="pathology", answers=texts if len(texts) > 1 and not options else None),
    )
