"""Classes: a folder of images whose sub-folders are classes, one of them normal, as most public image sets are."""

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

    The settings are those of `FolderSettings`. As many images are drawn of each answer (normal and diseased, or every
    class) as the rarest has, at most `per_class`; the diseases of a detection take turns. A larger draw begins with a
    smaller one, and answers alternate, so that the first few questions are balanced too. A sub-folder of a class is a
    patient.
    Files that are hidden or no images are counted in `about`; images that are damaged, that are links out of the
    folder, or that lie under two answers are broken rows. `keep_unreadable` keeps the damaged ones, for an audit.
    """
    wanted, root = FolderSettings(**settings), whole_path(path)
    gallery = Gallery(root, check_files=True, keep_unreadable=keep_unreadable)
    return asked_about(look_through(root), wanted, gallery, name=root.name, allow_broken=allow_broken)
