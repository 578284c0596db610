"""Artefacts of scanners, patients and files, at a severity from none to ungradable.

Modules are imported when they are first used: naming an arm needs no image libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snellen.perturb.artefacts.base import Artefact as Artefact
    from snellen.perturb.artefacts.base import Picture as Picture
    from snellen.perturb.artefacts.bias_field import BiasField as BiasField
    from snellen.perturb.artefacts.blur import Blur as Blur
    from snellen.perturb.artefacts.crop import Crop as Crop
    from snellen.perturb.artefacts.degradation import Degradation as Degradation
    from snellen.perturb.artefacts.degradation import Scale as Scale
    from snellen.perturb.artefacts.device import Device as Device
    from snellen.perturb.artefacts.distances import Distance as Distance
    from snellen.perturb.artefacts.distances import distance as distance
    from snellen.perturb.artefacts.exposure import Exposure as Exposure
    from snellen.perturb.artefacts.ghosting import Ghosting as Ghosting
    from snellen.perturb.artefacts.jpeg import Jpeg as Jpeg
    from snellen.perturb.artefacts.low_contrast import LowContrast as LowContrast
    from snellen.perturb.artefacts.members import ARTEFACTS as ARTEFACTS
    from snellen.perturb.artefacts.motion import Motion as Motion
    from snellen.perturb.artefacts.motion_as_published import MotionAsPublished as MotionAsPublished
    from snellen.perturb.artefacts.noise import Noise as Noise
    from snellen.perturb.artefacts.rotation import Rotation as Rotation
    from snellen.perturb.artefacts.strengths import KINDS as KINDS
    from snellen.perturb.artefacts.strengths import SETTINGS as SETTINGS
    from snellen.perturb.artefacts.strengths import strength as strength
    from snellen.perturb.artefacts.text import BurnedText as BurnedText

__all__ = ["ARTEFACTS", "PUBLISHED", "Artefact", "Degradation", "Scale"]

PUBLISHED: tuple[str, ...] = ("noise", "motion", "bias-field", "crop", "rotation")
"""The five artefacts of the artefacts paper."""

_HOME = {
    "base": ("Artefact", "Picture"),
    "bias_field": ("BiasField",),
    "blur": ("Blur",),
    "crop": ("Crop",),
    "degradation": ("Degradation", "Scale"),
    "device": ("Device",),
    "distances": ("Distance", "distance"),
    "exposure": ("Exposure",),
    "ghosting": ("Ghosting",),
    "jpeg": ("Jpeg",),
    "low_contrast": ("LowContrast",),
    "members": ("ARTEFACTS",),
    "motion": ("Motion",),
    "motion_as_published": ("MotionAsPublished",),
    "noise": ("Noise",),
    "rotation": ("Rotation",),
    "strengths": ("KINDS", "SETTINGS", "strength"),
    "text": ("BurnedText",),
}
_MODULE = {name: f"{__name__}.{module}" for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE[name]), name)
