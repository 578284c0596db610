"""All artefacts, by name."""

from __future__ import annotations

from snellen.perturb.artefacts.base import Artefact
from snellen.perturb.artefacts.bias_field import BiasField
from snellen.perturb.artefacts.blur import Blur
from snellen.perturb.artefacts.crop import Crop
from snellen.perturb.artefacts.device import Device
from snellen.perturb.artefacts.exposure import Exposure
from snellen.perturb.artefacts.ghosting import Ghosting
from snellen.perturb.artefacts.jpeg import Jpeg
from snellen.perturb.artefacts.low_contrast import LowContrast
from snellen.perturb.artefacts.motion import Motion
from snellen.perturb.artefacts.motion_as_published import MotionAsPublished
from snellen.perturb.artefacts.noise import Noise
from snellen.perturb.artefacts.rotation import Rotation
from snellen.perturb.artefacts.text import BurnedText

MEMBERS: tuple[type[Artefact], ...] = (
    *(Noise, Motion, BiasField, Crop, Rotation),
    *(MotionAsPublished, Ghosting, Blur, LowContrast, Exposure, Jpeg, Device, BurnedText),
)

ARTEFACTS: dict[str, type[Artefact]] = {member.name: member for member in MEMBERS}
"""All artefacts by name, the paper's five first."""
