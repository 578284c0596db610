"""Artefacts of scanners, patients and files, at a severity from none to ungradable.

Modules are imported when they are first used: naming an arm needs no image libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snellen.perturb.artefacts.base import Artefact as Artefact
    from snellen.perturb.artefacts.base import Picture as Picture
    from snellen.perturb.artefacts.degradation import Degradation as Degradation
    from snellen.perturb.artefacts.degradation import Scale as Scale
    from snellen.perturb.artefacts.members import ARTEFACTS as ARTEFACTS

__all__ = ["ARTEFACTS", "PUBLISHED", "Artefact", "Degradation", "Scale"]

PUBLISHED: tuple[str, ...] = ("noise", "motion", "bias-field", "crop", "rotation")
"""The five artefacts of the artefacts paper."""

_HOME = {
    "base": ("Artefact", "Picture"),
    "bias_field": ("BiasField",),
    "blur": ("Blur",),
    "crop": ("Crop",),
    "degradation": ("Degradation", "Distance", "Scale", "distance"),
    "device": ("Device",),
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
