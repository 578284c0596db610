"""Brain MRI: slices with glioma, meningioma, pituitary tumour or none, from the published folders.

Nickparvar, "Brain Tumor MRI Dataset", Kaggle 2021.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published
from snellen.benchmarks.sorted_images import FolderSettings, asked_about, folder_called, look_through, whole_path
from snellen.items import Benchmark

ABOUT = Published(
    name="brain-mri",
    title="Brain MRI (Nickparvar)",
    asks="does a slice of a brain MRI show a tumour, or which (glioma, meningioma, pituitary)",
    tier="public",
    get="download masoudnickparvar/brain-tumor-mri-dataset from Kaggle and unpack it.",
    licence="CC0-1.0, as its page on Kaggle says; it is put together from three older sets",
    citation='Nickparvar, "Brain Tumor MRI Dataset", Kaggle 2021',
    splits=MappingProxyType({"test": 1311, "train": 5712}),
    clusters="none named: slices of one patient cannot be told apart, so intervals are too narrow",
    modalities="MRI",
    prompt="detection",
)

_FOLDERS = MappingProxyType({"test": "Testing", "train": "Training"})


def load(
    path: str | Path,
    *,
    split: str = "test",
    task: str = "detection",
    per_class: int | str = 100,
    seed: int = 0,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """Slices of a split, asked about in the words of the artefacts paper: is there a tumour (`detection`), or which.

    `per_class` of each answer are drawn, or `all`; the paper drew 100 normal and 100 diseased images.
    """
    root = folder_called(whole_path(ABOUT.folder(path)), _FOLDERS[ABOUT.split(split)])
    wanted = FolderSettings(modality="MRI", task=task, per_class=per_class, seed=seed, normal="notumor")
    return asked_about(
        look_through(root),
        wanted,
        Gallery(root, check_files=True, keep_unreadable=keep_unreadable),
        name=ABOUT.name,
        allow_broken=allow_broken,
        split=split,
        licence=ABOUT.licence,
        citation=ABOUT.citation,
    )
