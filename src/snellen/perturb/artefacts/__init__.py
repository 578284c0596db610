"""Artefacts: pictures spoilt as scanners, patients and files spoil them, at a severity from none to ungradable."""

from __future__ import annotations

from snellen.perturb.artefacts.base import Artefact, Picture
from snellen.perturb.artefacts.bias_field import BiasField
from snellen.perturb.artefacts.blur import Blur
from snellen.perturb.artefacts.crop import Crop
from snellen.perturb.artefacts.degradation import Degradation, Scale
from snellen.perturb.artefacts.device import Device
from snellen.perturb.artefacts.distance import Distance, distance
from snellen.perturb.artefacts.exposure import Exposure
from snellen.perturb.artefacts.ghosting import Ghosting
from snellen.perturb.artefacts.jpeg import Jpeg
from snellen.perturb.artefacts.low_contrast import LowContrast
from snellen.perturb.artefacts.motion import Motion
from snellen.perturb.artefacts.motion_as_published import MotionAsPublished
from snellen.perturb.artefacts.noise import Noise
from snellen.perturb.artefacts.rotation import Rotation
from snellen.perturb.artefacts.strengths import KINDS, SETTINGS, Kind, Setting, strength
from snellen.perturb.artefacts.text import BurnedText

MEMBERS: tuple[type[Artefact], ...] = (
    *(Noise, Motion, BiasField, Crop, Rotation),
    *(MotionAsPublished, Ghosting, Blur, LowContrast, Exposure, Jpeg, Device, BurnedText),
)

ARTEFACTS: dict[str, type[Artefact]] = {member.name: member for member in MEMBERS}
"""Every artefact by its name."""

PUBLISHED: tuple[str, ...] = ("noise", "motion", "bias-field", "crop", "rotation")
"""The five of paper 004."""

__all__ = [
    "ARTEFACTS",
    "KINDS",
    "PUBLISHED",
    "SETTINGS",
    "Artefact",
    "BiasField",
    "Blur",
    "BurnedText",
    "Crop",
    "Degradation",
    "Device",
    "Distance",
    "Exposure",
    "Ghosting",
    "Jpeg",
    "Kind",
    "LowContrast",
    "Motion",
    "MotionAsPublished",
    "Noise",
    "Picture",
    "Rotation",
    "Scale",
    "Setting",
    "distance",
    "strength",
]
