"""SLAKE: questions in English and Chinese about radiology images, from the benchmark's published files."""

from __future__ import annotations

from functools import partial

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import find_closed_options
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option

LANGUAGES = ("all", "en", "zh")


@loads("slake")
def load(source: SplitSource, *, language: str = "all") -> Benchmark:
    """SLAKE: questions in English and Chinese about radiology images, from its published folder.

    Questions that the authors call closed are choices if the answer is yes or no (`是` and `否` in Chinese), or if the
    question names two opposites; all others are open. `language` is `en`, `zh` or `all`. The category is the
    `content_type`, the cluster is the image. Images are read from `imgs` or `imgs.zip`.
    """
    if language not in LANGUAGES:
        raise DataError(f"Expected one of the languages of SLAKE ({', '.join(LANGUAGES)}), got {language!r}.")
    rows = (row for row in source.rows() if language == "all" or row.reason or row.fields.get("q_lang") == language)
    return source.collect(rows, partial(_item, source.pictures))


def _item(pictures: Pictures, row: FileRow) -> Item:
    fields = row.fields
    question, answer = (as_text(fields[name], f"its {name}").strip() for name in ("question", "answer"))
    kind = str(fields["answer_type"]).strip().upper()
    if kind not in ("CLOSED", "OPEN"):
        raise DataError(f"its answer_type is {fields['answer_type']!r}, expected CLOSED or OPEN")
    options, right = (find_closed_options(question, answer) if kind == "CLOSED" else None) or ((), answer)
    image = as_text(fields["img_name"], "its img_name")
    return Item(
        id=f"slake/{fields['qid']}",
        question=question,
        options=tuple(map(Option, options)),
        answer=right,
        images=(pictures.find(image),),
        kind="choice" if options else "open",
        category=str(fields.get("content_type") or ""),
        language=str(fields["q_lang"]),
        cluster=image,
        metadata=freeze_metadata(
            modality=fields.get("modality"),
            body_part=fields.get("location"),
            answer_type=kind,
            base_type=fields.get("base_type"),
            triple=fields.get("triple"),
        ),
    )
