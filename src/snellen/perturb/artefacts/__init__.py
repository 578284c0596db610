"""Artefacts of scanners, patients and files, at a severity from none to ungradable.

Modules are imported when they are first used: naming an arm needs no image libraries.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from snellen.plugins import Members, load_reference

if TYPE_CHECKING:
    from snellen.perturb.artefacts.base import Artefact as Artefact
    from snellen.perturb.artefacts.base import Picture as Picture
    from snellen.perturb.artefacts.degradation import Degradation as Degradation
    from snellen.perturb.artefacts.degradation import Scale as Scale

    ARTEFACTS: dict[str, type[Artefact]]

__all__ = ["ARTEFACTS", "PUBLISHED", "Artefact", "Degradation", "Scale"]

PUBLISHED: tuple[str, ...] = ("noise", "motion", "bias-field", "crop", "rotation")
"""The five artefacts of the artefacts paper."""
MEMBERS: Members = {
    "noise": "snellen.perturb.artefacts.noise:Noise",
    "motion": "snellen.perturb.artefacts.motion:Motion",
    "bias-field": "snellen.perturb.artefacts.bias_field:BiasField",
    "crop": "snellen.perturb.artefacts.crop:Crop",
    "rotation": "snellen.perturb.artefacts.rotation:Rotation",
    "motion-as-published": "snellen.perturb.artefacts.motion_as_published:MotionAsPublished",
    "ghosting": "snellen.perturb.artefacts.ghosting:Ghosting",
    "blur": "snellen.perturb.artefacts.blur:Blur",
    "low-contrast": "snellen.perturb.artefacts.low_contrast:LowContrast",
    "exposure": "snellen.perturb.artefacts.exposure:Exposure",
    "jpeg": "snellen.perturb.artefacts.jpeg:Jpeg",
    "device": "snellen.perturb.artefacts.device:Device",
    "burned-text": "snellen.perturb.artefacts.text:BurnedText",
}
_OTHERS = {
    "base": ("Artefact", "Picture"),
    "degradation": ("Degradation", "Distance", "Scale", "distance"),
    "strengths": ("KINDS", "SETTINGS", "strength"),
}
_REFERENCES = (*MEMBERS.values(), *(f"{__name__}.{home}:{name}" for home, names in _OTHERS.items() for name in names))
_BY_NAME = {reference.partition(":")[2]: reference for reference in _REFERENCES}


@cache
def _load_artefacts() -> dict[str, type[Artefact]]:
    """Return all artefacts by name, the paper's five first."""
    return {name: load_reference(reference) for name, reference in MEMBERS.items()}


def __getattr__(name: str) -> Any:
    if name == "ARTEFACTS":
        return _load_artefacts()
    if name not in _BY_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load_reference(_BY_NAME[name])
