"""Which artefacts are done for a batch at once, and which one picture at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch

from snellen.perturb.artefacts import (
    ARTEFACTS,
    Artefact,
    BiasField,
    Blur,
    Crop,
    Exposure,
    Ghosting,
    LowContrast,
    Motion,
    MotionAsPublished,
    Noise,
    Rotation,
)
from snellen.perturb.batch.blurring import BLUR
from snellen.perturb.batch.geometry import CROP, ROTATION
from snellen.perturb.batch.intensity import BIAS_FIELD, EXPOSURE, LOW_CONTRAST, NOISE
from snellen.perturb.batch.scans import GHOSTING, MOTION, MOTION_AS_PUBLISHED
from snellen.perturb.batch.stage import Fuse, Planes, Stage

STAGES: dict[type[Artefact], Stage] = {
    Noise: NOISE,
    Motion: MOTION,
    BiasField: BIAS_FIELD,
    Crop: CROP,
    Rotation: ROTATION,
    MotionAsPublished: MOTION_AS_PUBLISHED,
    Ghosting: GHOSTING,
    Blur: BLUR,
    LowContrast: LOW_CONTRAST,
    Exposure: EXPOSURE,
}
"""The artefacts that are done for all pictures at once."""

ONE_BY_ONE: tuple[str, ...] = tuple(name for name, member in ARTEFACTS.items() if member not in STAGES)
"""Those that need a codec or are drawn: done on the CPU by the artefact itself, one picture after the other."""


def _itself(part: Artefact, height: int, width: int) -> Hashable:
    return type(part)


def _parts(parts: Sequence[Artefact], height: int, width: int) -> tuple[Any, ...]:
    return (tuple(parts),)


def one_by_one(planes: Planes, parts: Sequence[Artefact], *, fuse: Fuse) -> Planes:
    """Each picture by its own artefact, on the CPU; also what other packages add."""
    pictures = planes.permute(0, 2, 3, 1).cpu().numpy()
    if pictures.shape[3] == 1:
        pictures = pictures[..., 0]
    done = np.stack([part(np.ascontiguousarray(picture)) for part, picture in zip(parts, pictures, strict=True)])
    spoilt = torch.from_numpy(done).to(planes.device)
    return spoilt[:, None] if spoilt.ndim == 3 else spoilt.permute(0, 3, 1, 2)


ALONE = Stage(_parts, one_by_one, alike=_itself, pointwise=False)


def stage_of(part: Artefact) -> Stage:
    """How an artefact is done here."""
    return STAGES.get(type(part), ALONE)
