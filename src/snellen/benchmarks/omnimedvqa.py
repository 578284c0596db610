"""OmniMedVQA: questions with options made from 73 medical image datasets, from the benchmark's published folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import Source, files_of, frozen, loads, rows_of
from snellen.benchmarks.rows import Row
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option

_NO_LETTER = re.compile(r"[\W_]+")


@loads("omnimedvqa")
def load(source: Source) -> Benchmark:
    """OmniMedVQA: questions with options made from 73 medical image datasets, from its unpacked folder.

    `open` and `restricted` are its two folders of questions. The right answer is a text: the option that reads the same
    is right, where letters and digits alone count ("x_ray." is "X-ray"). An answer that fits none or two is a broken
    row. The category is the type of question, the cluster is the image. Columns that we do not know are refused: the
    names of some were told us, not seen.
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


def _item(pictures: Pictures, row: Row) -> Item:
    fields = row.fields
    options = [as_text(fields[name], f"its {name}").strip() for name in _lettered(fields)]
    image = as_text(fields["image_path"], "its image_path")
    return Item(
        id=f"omnimedvqa/{fields['question_id']}",
        question=as_text(fields["question"], "its question").strip(),
        options=tuple(map(Option, options)),
        answer=_right(as_text(fields["gt_answer"], "its gt_answer"), options),
        images=(pictures.find(image),),
        category=str(fields.get("question_type") or ""),
        cluster=image,
        metadata=frozen(modality=fields.get("modality_type") or fields.get("modality"), dataset=fields.get("dataset")),
    )


def _lettered(fields: Mapping[str, Any]) -> list[str]:
    """The columns of the options that are there; one after a gap would move its letter."""
    names = [f"option_{letter}" for letter in "ABCD"]
    there = [name for name in names if fields.get(name) not in (None, "")]
    if there != names[: len(there)]:
        raise DataError(f"it has the options {', '.join(there)} and none between")
    return there


def _right(answer: str, options: list[str]) -> int:
    found = [place for place, option in enumerate(options) if option == answer.strip()]
    if not found:
        found = [place for place, option in enumerate(options) if _plain(option) == _plain(answer)]
    if len(found) != 1:
        how = "more than one" if found else "none"
        raise DataError(f"its gt_answer {answer!r} is {how} of its options {options}")
    return found[0]


def _plain(text: str) -> str:
    """Letters and digits alone, in small letters."""
    return _NO_LETTER.sub("", text.casefold())
