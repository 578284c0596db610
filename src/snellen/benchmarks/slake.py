"""SLAKE: questions in English and Chinese about radiology images, from the benchmark's published files."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import orjson

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import find_closed_options
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.regions import add_regions
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.images import Box, Image, Region
from snellen.items import Benchmark, Item, Option

LANGUAGES = ("all", "en", "zh")


@loads("slake")
def load(source: SplitSource, *, language: str = "all") -> Benchmark:
    """SLAKE: questions in English and Chinese about radiology images, from its published folder.

    Questions that the authors call closed are choices if the answer is yes or no (`是` and `否` in Chinese), or if the
    question names two opposites; all others are open. `language` is `en`, `zh` or `all`. The category is the
    `content_type`, the cluster is the image. Images are read from `imgs` or `imgs.zip`. If `detection.json` is beside
    an unpacked image, the organs and lesions that question or answer name have their boxes (untried on real files);
    `about["without_region"]` counts the questions that have none.
    """
    if language not in LANGUAGES:
        raise DataError(f"Expected one of the languages of SLAKE ({', '.join(LANGUAGES)}), got {language!r}.")
    rows = (row for row in source.rows() if language == "all" or row.reason or row.fields.get("q_lang") == language)
    benchmark = source.collect(rows, partial(_item, source.pictures))
    without = sum(not item.images[0].regions for item in benchmark)
    if without == len(benchmark):
        return benchmark
    return replace(benchmark, about={**benchmark.about, "without_region": without})


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
        images=(_add_detections(pictures.find(image), f"{question} {answer}"),),
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


def _add_detections(image: Image, words: str) -> Image:
    """Return the image with the boxes of all organs and lesions that are named."""
    file = image.path.with_name("detection.json") if image.path else None
    if file is None or not file.is_file():
        return image
    regions = []
    try:
        for name, box in (pair for each in orjson.loads(file.read_bytes()) for pair in each.items()):
            x, y, width, height = map(float, box)
            regions.append(Region(name, Box(x, y, x + width, y + height)))
    except (AttributeError, TypeError, ValueError) as error:
        raise DataError(f"its {file.name} is not a list of names with [x, y, width, height]: {error}") from error
    return add_regions(image, [each for each in regions if _names(words, each.finding)])


def _names(words: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", words, re.IGNORECASE) is not None
