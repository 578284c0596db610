"""Classes: a folder of images with a sub-folder per class, one normal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.sorted_images import FolderSettings, asked_about, look_through, whole_path
from snellen.items import Benchmark
from snellen.plugins import settings_from


@settings_from(FolderSettings)
def load(path: str | Path, *, allow_broken: bool = False, keep_unreadable: bool = False, **settings: Any) -> Benchmark:
    """Images sorted into sub-folders by class: modality=MRI,task=detection,per_class=100,seed=0,normal=,abnormal=

    The settings are those of `FolderSettings`. The same number of images is drawn for each answer (normal and diseased,
    or every class): that of the rarest answer, at most `per_class`. In a detection, the diseases take turns. A larger
    draw begins with the smaller one, and answers alternate, so that the first questions are balanced too. A sub-folder
    of a class is a patient.

    Hidden files and other files than images are counted in `about`. Damaged images, links out of the folder, and images
    under two answers are broken rows. `keep_unreadable` keeps damaged images, for an audit.
    """
    wanted, root = FolderSettings(**settings), whole_path(path)
    gallery = Gallery(root, check_files=True, keep_unreadable=keep_unreadable)
    return asked_about(look_through(root), wanted, gallery, name=root.name, allow_broken=allow_broken)
