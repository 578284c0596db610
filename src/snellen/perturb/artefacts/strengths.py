"""How strong each artefact is: none, weak and strong, for each kind of image, and the path between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

import numpy as np

Kind = Literal["MRI", "OCT", "X-ray"]
KINDS: tuple[str, ...] = get_args(Kind)


class Setting(NamedTuple):
    """One parameter of an artefact where it does nothing, where it is weak and where it is strong."""

    none: float
    weak: float
    strong: float


def _alike(none: float, weak: float, strong: float) -> dict[str, Setting]:
    return dict.fromkeys(KINDS, Setting(none, weak, strong))


SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    # as the artefacts paper set them
    "noise": {"MRI": Setting(0, 0.15, 0.40), "OCT": Setting(0, 0.10, 0.35), "X-ray": Setting(0, 0.15, 0.40)},
    "motion-degrees": {"MRI": Setting(0, 30, 120), "OCT": Setting(0, 30, 160), "X-ray": Setting(0, 30, 120)},
    "motion-translation": {"MRI": Setting(0, 30, 100), "OCT": Setting(0, 30, 120), "X-ray": Setting(0, 15, 80)},
    # below weak it is the same eight movements, only smaller
    "motion-movements": {"MRI": Setting(8, 8, 24), "OCT": Setting(8, 8, 32), "X-ray": Setting(8, 8, 16)},
    "bias-field": {"MRI": Setting(0, 0.7, 1.8), "OCT": Setting(0, 0.7, 1.8), "X-ray": Setting(0, 0.7, 1.5)},
    "crop": _alike(1, 0.8, 0.4),
    "rotation": _alike(0, 30, 90),
    # ours, chosen by eye on real images: what matters is still seen in weak ones, only outlines are in strong ones
    "ghosting": _alike(0, 0.008, 0.04),
    "blur": _alike(0, 3, 12),
    "low-contrast": _alike(1, 0.4, 0.06),
    "over-exposure": _alike(0, 0.4, 2.5),
    "under-exposure": _alike(0, 1.5, 5),
    "jpeg": _alike(100, 20, 3),
    "device": _alike(0, 0.12, 0.4),
    "burned-text-lines": _alike(0, 3, 14),
    "burned-text-height": _alike(0.03, 0.03, 0.05),
}
"""Noise: SD. Motion: degrees, pixels, number. Bias field: largest coefficient. Crop: scale kept. Rotation: degrees.

Ghosting: share of the axis moved. Blur: sigma at 512 pixels. Low contrast: contrast left. Exposure: stops. JPEG:
quality. Device: half-length as a share of the shorter side. Text: lines, and a capital's share of the image's height.
"""

MOST_MOVEMENTS = int(max(setting.strong for setting in SETTINGS["motion-movements"].values()))


def strength(parameter: str, severity: float, *, kind: str) -> float:
    """A parameter at a severity: straight from none (0) to weak (0.5), and straight on to strong (1).

    >>> [strength("rotation", severity, kind="OCT") for severity in (0, 0.25, 0.5, 0.75, 1)]
    [0.0, 15.0, 30.0, 60.0, 90.0]
    """
    if not 0 <= severity <= 1:
        raise ValueError(f"Severity must lie between 0 (no change) and 1 (strong), got {severity!r}.")
    if kind not in KINDS:
        raise ValueError(f"There are settings for {', '.join(KINDS)}; none for {kind!r}.")
    return float(np.interp(severity, (0.0, 0.5, 1.0), SETTINGS[parameter][kind]))
