"""Kermany OCT: optical coherence tomography of the retina in four classes, from the published folders.

Kermany et al., "Identifying medical diagnoses and treatable diseases by image-based deep learning", Cell 2018.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published
from snellen.benchmarks.sorted_images import FolderSettings, asked_about, folder_called, look_through, whole_path
from snellen.items import Benchmark

ABOUT = Published(
    name="kermany-oct",
    title="Kermany OCT",
    asks="does an OCT image of the retina show disease, or which (CNV, DME, drusen)",
    tier="public",
    get="download OCT2017 from Mendeley Data (10.17632/rscbjbr9sj) or Kaggle (paultimothymooney/kermany2018) and "
    "unpack it.",
    licence="CC BY 4.0",
    citation='Kermany et al., "Identifying medical diagnoses and treatable diseases by image-based deep learning", '
    "Cell 2018",
    splits=MappingProxyType({"test": 968, "train": 83484, "val": 32}),
    clusters="the patient, whose number stands in the file's name",
    modalities="OCT",
    prompt="detection",
)


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
    """Images of a split, asked about in the words of the artefacts paper: is there disease (`detection`), or which.

    `per_class` of each answer are drawn, or `all`; the paper drew 100 normal and 100 diseased images.
    """
    root = folder_called(whole_path(ABOUT.folder(path)), ABOUT.split(split))
    wanted = FolderSettings(modality="OCT", task=task, per_class=per_class, seed=seed, normal="NORMAL")
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
