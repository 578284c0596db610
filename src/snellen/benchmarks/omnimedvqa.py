"""OmniMedVQA: questions with options made from 73 medical image datasets, from the benchmark's published folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import SplitSource, files_of, freeze_metadata, loads, rows_of
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option

_NO_LETTER = re.compile(r"[\W_]+")


@loads("omnimedvqa")
def load(source: SplitSource) -> Benchmark:
    """OmniMedVQA: questions with options made from 73 medical image datasets, from its unpacked folder.

    `open` and `restricted` are its two folders of questions. The answer key is a text: the correct option has the same
    letters and digits ("x_ray." equals "X-ray"). An answer that matches no option or two is a broken row. The category
    is the type of question, the cluster is the image. Unknown columns raise an error, since we know some column names
    only from descriptions.
    """
    root = source.folder
    inner = root if (root / "QA_information").is_dir() else root / "OmniMedVQA"
    if not (inner / "QA_information").is_dir():
        raise DataError(f"{root}: expected OmniMedVQA's folder with QA_information and Images. {source.about.get}")
    tables = [
        table
        for name in source.about.names_of(source.split)
        for table in files_of(inner / "QA_information" / name, "*.json", what="a file of questions for each dataset")
    ]
    pictures = Pictures(inner, keep_unreadable=source.keep_unreadable)
    return source.collect(rows_of(tables), partial(_item, pictures))


def _item(pictures: Pictures, row: FileRow) -> Item:
    fields = row.fields
    options = [as_text(fields[name], f"its {name}").strip() for name in _list_options(fields)]
    image = as_text(fields["image_path"], "its image_path")
    return Item(
        id=f"omnimedvqa/{fields['question_id']}",
        question=as_text(fields["question"], "its question").strip(),
        options=tuple(map(Option, options)),
        answer=_right(as_text(fields["gt_answer"], "its gt_answer"), options),
        images=(pictures.find(image),),
        category=str(fields.get("question_type") or ""),
        cluster=image,
        metadata=freeze_metadata(
            modality=fields.get("modality_type") or fields.get("modality"), dataset=fields.get("dataset")
        ),
    )


def _list_options(fields: Mapping[str, Any]) -> list[str]:
    """Return the option columns of a row; DataError if there is a gap."""
    names = [f"option_{letter}" for letter in "ABCD"]
    there = [name for name in names if fields.get(name) not in (None, "")]
    if there != names[: len(there)]:
        raise DataError(f"its options have a gap: only {', '.join(there)} are filled")
    return there


def _right(answer: str, options: list[str]) -> int:
    found = [place for place, option in enumerate(options) if option == answer.strip()]
    if not found:
        found = [place for place, option in enumerate(options) if _plain(option) == _plain(answer)]
    if len(found) != 1:
        how = "more than one" if found else "none"
        raise DataError(f"its gt_answer {answer!r} matches {how} of its options {options}")
    return found[0]


def _plain(text: str) -> str:
    return _NO_LETTER.sub("", text.casefold())
