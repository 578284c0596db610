"""Strength of each artefact for each kind of image: none, weak and strong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

import numpy as np

Kind = Literal["MRI", "OCT", "X-ray"]
KINDS: tuple[str, ...] = get_args(Kind)


class Amounts(NamedTuple):
    """Values of one parameter of an artefact for no, weak and strong effect."""

    none: float
    weak: float
    strong: float


def _for_all_kinds(none: float, weak: float, strong: float) -> dict[str, Amounts]:
    return dict.fromkeys(KINDS, Amounts(none, weak, strong))


SETTINGS: Mapping[str, Mapping[str, Amounts]] = {
    # as in the artefacts paper
    "noise": {"MRI": Amounts(0, 0.15, 0.40), "OCT": Amounts(0, 0.10, 0.35), "X-ray": Amounts(0, 0.15, 0.40)},
    "motion-degrees": {"MRI": Amounts(0, 30, 120), "OCT": Amounts(0, 30, 160), "X-ray": Amounts(0, 30, 120)},
    "motion-translation": {"MRI": Amounts(0, 30, 100), "OCT": Amounts(0, 30, 120), "X-ray": Amounts(0, 15, 80)},
    # below weak there are the same eight movements, only smaller
    "motion-movements": {"MRI": Amounts(8, 8, 24), "OCT": Amounts(8, 8, 32), "X-ray": Amounts(8, 8, 16)},
    "bias-field": {"MRI": Amounts(0, 0.7, 1.8), "OCT": Amounts(0, 0.7, 1.8), "X-ray": Amounts(0, 0.7, 1.5)},
    "crop": _for_all_kinds(1, 0.8, 0.4),
    "rotation": _for_all_kinds(0, 30, 90),
    # ours, chosen by eye on real images: weak ones still show what matters, strong ones only outlines
    "ghosting": _for_all_kinds(0, 0.008, 0.04),
    "blur": _for_all_kinds(0, 3, 12),
    "low-contrast": _for_all_kinds(1, 0.4, 0.06),
    "over-exposure": _for_all_kinds(0, 0.4, 2.5),
    "under-exposure": _for_all_kinds(0, 1.5, 5),
    "jpeg": _for_all_kinds(100, 20, 3),
    "device": _for_all_kinds(0, 0.12, 0.4),
    "burned-text-lines": _for_all_kinds(0, 3, 14),
    "burned-text-height": _for_all_kinds(0.03, 0.03, 0.05),
}
"""Noise: SD. Motion: degrees, pixels, number of movements. Bias field: largest coefficient. Crop: share kept. Rotation:
degrees. Ghosting: amplitude as a share of the axis. Blur: sigma at 512 pixels. Low contrast: contrast left. Exposure:
stops. JPEG: quality. Device: half-length as a share of the shorter side. Text: number of lines, and the height of a
capital as a share of the image's height.
"""

MOST_MOVEMENTS = int(max(setting.strong for setting in SETTINGS["motion-movements"].values()))


def strength(parameter: str, severity: float, *, kind: str) -> float:
    """Return a parameter at a severity.

    It is linear from none (0) to weak (0.5) to strong (1).

    >>> [strength("rotation", severity, kind="OCT") for severity in (0, 0.25, 0.5, 0.75, 1)]
    [0.0, 15.0, 30.0, 60.0, 90.0]
    """
    if not 0 <= severity <= 1:
        raise ValueError(f"Severity must lie between 0 (no change) and 1 (strong), got {severity!r}.")
    if kind not in KINDS:
        raise ValueError(f"Expected the kind of image to be one of {', '.join(KINDS)}, got {kind!r}.")
    return float(np.interp(severity, (0.0, 0.5, 1.0), SETTINGS[parameter][kind]))
