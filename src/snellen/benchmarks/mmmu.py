"""MMMU: college-level questions with images of thirty subjects, five of them medical, from the published shards.

Yue et al., "MMMU: A massive multi-discipline multimodal understanding and reasoning benchmark for expert AGI", 2024.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.mmmu_questions import ALL, SUBJECTS, of_subjects, question_of, subjects_named
from snellen.benchmarks.published import Published, collected, parquet_of
from snellen.benchmarks.shards import read_shards
from snellen.items import Benchmark

ABOUT = Published(
    name="mmmu",
    title="MMMU",
    asks="college-level questions with images of thirty subjects, five of them medical",
    tier="public",
    get="download MMMU/MMMU from the hub, or use `mmmu:hf`. The answers to its test questions are not published.",
    licence="Apache-2.0",
    citation='Yue et al., "MMMU: A massive multi-discipline multimodal understanding and reasoning benchmark for '
    'expert AGI", CVPR 2024',
    splits=MappingProxyType({"validation": 900, "dev": 150}),
    kinds=("choice", "open"),
    clusters="none named; questions that share an image",
    modalities="diagrams, photographs, medical images, and others",
    hub="MMMU/MMMU",
)


def load(
    path: str | Path,
    *,
    split: str = "validation",
    subjects: str = ALL,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """The questions of a split (`validation` or `dev`) in the published shards, of all subjects or of some.

    `subjects=medical` are the five of health and medicine; others are named with strokes between them. Places such as
    `<image 1>` stay in the question, and the images follow in their order. The category is the subject. Questions
    without options are open. `keep_unreadable` keeps the questions whose images cannot be read, for an audit.
    """
    folder, wanted = ABOUT.folder(path), subjects_named(subjects)
    files = parquet_of(folder, ABOUT.split(split))
    files = [file for file in files if file.parent.name not in SUBJECTS or file.parent.name in wanted] or files
    gallery = Gallery(folder if folder.is_dir() else folder.parent, keep_unreadable=keep_unreadable)
    return collected(
        ABOUT,
        of_subjects(read_shards(files, keep_unreadable=keep_unreadable), wanted),
        lambda row: question_of(row, gallery),
        allow_broken=allow_broken,
        split=split,
        subjects=subjects,
    )
