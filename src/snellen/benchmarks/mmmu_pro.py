"""MMMU-Pro: MMMU's questions with up to ten options, or printed whole in an image, from the published shards.

Yue et al., "MMMU-Pro: A more robust multi-discipline multimodal understanding benchmark", ACL 2025.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.mmmu_questions import (
    ALL,
    image_in,
    in_words,
    of_subjects,
    question_of,
    subject_of,
    subjects_named,
)
from snellen.benchmarks.option_lists import listed
from snellen.benchmarks.published import Published, collected, frozen, needed, parquet_of
from snellen.benchmarks.rows import Row
from snellen.benchmarks.shards import read_shards
from snellen.errors import DataError
from snellen.items import LETTERS, Benchmark, Item, Option

ABOUT = Published(
    name="mmmu-pro",
    title="MMMU-Pro",
    asks="MMMU's questions with up to ten options, or printed whole in an image",
    tier="public",
    get="download MMMU/MMMU_Pro from the hub, or use `mmmu-pro:hf`.",
    licence="Apache-2.0",
    citation='Yue et al., "MMMU-Pro: A more robust multi-discipline multimodal understanding benchmark", ACL 2025',
    splits=MappingProxyType({"standard": 1730, "standard-4": 1730, "vision": 1730}),
    clusters="none named; questions that share an image",
    modalities="diagrams, photographs, medical images, and others; screenshots",
    hub="MMMU/MMMU_Pro",
    prompt="mirage-mmmu-pro",
)

CONFIGS = MappingProxyType(
    {"standard": "standard (10 options)", "standard-4": "standard (4 options)", "vision": "vision"}
)
PRINTED = "The image shows a question and its options. Which option is right?"
"""What is asked where the image holds the question."""


def load(
    path: str | Path,
    *,
    split: str = "standard",
    subjects: str = ALL,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """The questions with up to ten options (`standard`), with four (`standard-4`), or printed in an image (`vision`).

    In `vision` the question and its options can be read in the image alone: the question sent is `PRINTED`, the options
    are letters, and what the options say is in `metadata["printed_options"]`. `subjects=medical` are the five of health
    and medicine; others are named with strokes between them. The category is the subject. The Mirage paper used four
    options. `keep_unreadable` keeps the questions whose images cannot be read, for an audit.
    """
    folder, wanted = ABOUT.folder(path), subjects_named(subjects)
    files = parquet_of(folder, "test", config=CONFIGS[ABOUT.split(split)])
    gallery = Gallery(folder if folder.is_dir() else folder.parent, keep_unreadable=keep_unreadable)
    item_of = _printed if split == "vision" else question_of
    return collected(
        ABOUT,
        of_subjects(read_shards(files, keep_unreadable=keep_unreadable), wanted),
        lambda row: item_of(row, gallery),
        allow_broken=allow_broken,
        split=split,
        subjects=subjects,
    )


def _printed(row: Row, gallery: Gallery) -> Item:
    needed(row.fields, "id", "image", "options", "answer")
    options = listed(row.fields["options"], "options")
    letters = LETTERS[: len(options)]
    answer = str(row.fields["answer"]).strip()
    if len(answer) != 1 or answer not in letters:
        raise DataError(f"its answer is {answer!r}, expected a letter from A to {letters[-1:]}")
    return Item(
        id=str(row.fields["id"]),
        question=PRINTED,
        options=tuple(map(Option, letters)),
        answer=letters.index(answer),
        images=(image_in(row.fields["image"], gallery),),
        category=in_words(subject_of(row.fields)),
        metadata=frozen(printed_options=options, options_in_image=True),
    )
