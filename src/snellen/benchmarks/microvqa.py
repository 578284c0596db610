"""MicroVQA: five-option questions that biologists asked of microscopy images, from the hub's Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from snellen.benchmarks.answers import as_text, parse_index, parse_options
from snellen.benchmarks.pictures import Pictures, name_cluster
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads, require_fields
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item

VERSIONS = ("final", "0", "1", "2", "3")


@loads("microvqa")
def load(source: SplitSource, *, version: str | int = "final") -> Benchmark:
    """MicroVQA: five-option questions that biologists asked of microscopy images, from Parquet files.

    `version` is `final`, or an earlier wording: `1`, `2` and `3` have their own options; `0` is open, with
    `correct_answer` as the reference. The hub names the only split `test` or `train`. The category is the task.
    Questions with the same `key_image`, or else the same first image, are one cluster. The author's notes on the image
    are not in the prompt, and the author's name is not in the metadata.
    """
    chosen = source.told["version"] = str(version)
    if chosen not in VERSIONS:
        raise DataError(f"MicroVQA has no version {chosen!r}. Expected one of {', '.join(VERSIONS)}.")
    return source.collect(source.rows(), partial(_item, source.pictures, chosen))


def _item(pictures: Pictures, version: str, row: FileRow) -> Item:
    fields = row.fields
    end = "" if version == "final" else f"_{version}"
    require_fields(fields, f"question{end}")
    references = fields["images_list"] if isinstance(fields["images_list"], list) else [fields["images_list"]]
    images = tuple(map(pictures.find, references))
    task = str(fields.get("task_str") or fields.get("task") or "")
    given = _open(fields) if version == "0" else _choice(fields, end)
    return Item(
        id=f"microvqa/{fields['key_question']}",
        question=as_text(fields[f"question{end}"], "its question").strip(),
        images=images,
        category=task,
        cluster=str(fields.get("key_image") or name_cluster(references[0], images[0])),
        metadata=freeze_metadata(modality="microscopy", images_source=fields.get("images_source")),
        **given,
    )


def _choice(fields: Mapping[str, Any], end: str) -> dict[str, Any]:
    require_fields(
        {**fields, "correct_index": str(fields.get(f"correct_index{end}", ""))}, f"choices{end}", "correct_index"
    )
    options = parse_options(fields[f"choices{end}"])
    return {
        "options": tuple(option for _, option in options),
        "answer": parse_index(fields[f"correct_index{end}"], options),
    }


def _open(fields: Mapping[str, Any]) -> dict[str, Any]:
    require_fields(fields, "correct_answer")
    return {"kind": "open", "answer": as_text(fields["correct_answer"], "its correct_answer").strip()}
