"""MicroVQA: five-option questions that biologists asked of microscopy images, from the hub's Parquet files.

Burgess et al., "MicroVQA: A multimodal reasoning benchmark for microscopy-based scientific research", CVPR 2025.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.answers import as_text, parse_index, parse_options
from snellen.benchmarks.pictures import Pictures, shared
from snellen.benchmarks.published import Published, collected, files_of, frozen, needed
from snellen.benchmarks.rows import Row
from snellen.benchmarks.shards import read_shards
from snellen.errors import DataError
from snellen.items import Benchmark, Item

ABOUT = Published(
    name="microvqa",
    title="MicroVQA",
    asks="questions with up to five options that biologists asked of microscopy images",
    tier="public",
    get="download jmhb/microvqa from the hub and write microvqa:FOLDER, or write microvqa:hf.",
    licence="CC-BY-SA-4.0",
    citation='Burgess et al., "MicroVQA: A multimodal reasoning benchmark for microscopy-based scientific research", '
    "CVPR 2025",
    splits=MappingProxyType({"test": 1042}),
    kinds=("choice", "open"),
    clusters="the image or set of images",
    modalities="light, fluorescence and electron microscopy",
    hub="jmhb/microvqa",
    prompt="mirage-microvqa",
)

VERSIONS = ("final", "0", "1", "2", "3")


def load(
    path: str | Path,
    *,
    split: str = "test",
    version: str | int = "final",
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """MicroVQA: five-option questions that biologists asked of microscopy images, from Parquet files.

    `version` is `final`, or the wording on the way there: `1`, `2` and `3` have options of their own; `0` has none and
    is open, with `correct_answer` as the reference. The hub calls the one split `test` or `train`. The category is the
    task. Questions that share `key_image` are one cluster; so are those with the same first image where there is none.
    What the question's author wrote about the image is left out of the prompt, and who wrote it out of the metadata.
    """
    ABOUT.split(split)
    if str(version) not in VERSIONS:
        raise DataError(f"MicroVQA has no version {str(version)!r}. Expected one of {', '.join(VERSIONS)}.")
    folder = ABOUT.folder(path)
    places = [f"{place}{name}{end}" for name in ("test", "train") for place in ("data/", "", "*/") for end in _ENDINGS]
    files = files_of(folder, *places, what="MicroVQA's Parquet files")
    pictures = Pictures(folder, keep_unreadable=keep_unreadable)
    rows = read_shards(files, keep_unreadable=keep_unreadable)
    told = {"split": split, "version": str(version)}
    return collected(ABOUT, rows, lambda row: _item(row, str(version), pictures), allow_broken=allow_broken, **told)


_ENDINGS = ("-*.parquet", ".parquet")


def _item(row: Row, version: str, pictures: Pictures) -> Item:
    fields = row.fields
    end = "" if version == "final" else f"_{version}"
    needed(fields, "key_question", "images_list", f"question{end}")
    references = fields["images_list"] if isinstance(fields["images_list"], list) else [fields["images_list"]]
    images = tuple(map(pictures.find, references))
    task = str(fields.get("task_str") or fields.get("task") or "")
    given = _open(fields) if version == "0" else _choice(fields, end)
    return Item(
        id=f"microvqa/{fields['key_question']}",
        question=as_text(fields[f"question{end}"], "its question").strip(),
        images=images,
        category=task,
        cluster=str(fields.get("key_image") or shared(references[0], images[0])),
        metadata=frozen(modality="microscopy", images_source=fields.get("images_source")),
        **given,
    )


def _choice(fields: Mapping[str, Any], end: str) -> dict[str, Any]:
    needed({**fields, "correct_index": str(fields.get(f"correct_index{end}", ""))}, f"choices{end}", "correct_index")
    options = parse_options(fields[f"choices{end}"])
    return {
        "options": tuple(option for _, option in options),
        "answer": parse_index(fields[f"correct_index{end}"], options),
    }


def _open(fields: Mapping[str, Any]) -> dict[str, Any]:
    needed(fields, "correct_answer")
    return {"kind": "open", "answer": as_text(fields["correct_answer"], "its correct_answer").strip()}
