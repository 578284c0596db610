"""Dataset name: accuracy with and without the benchmark's name in the prompt, on the words alone or with the image."""

from __future__ import annotations

from dataclasses import dataclass

from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.report.lookup import Lookup
from snellen.report.removal import Comparison, Ways, compared
from snellen.stress.sighted import baseline

WORDS = ("not named", "named")
LOOKS = {"removed": ("blind", "plain"), "kept": ("plain", "seen")}
SHOWN = {"removed": "No image was sent.", "kept": "The image was there."}


@dataclass(frozen=True)
class Naming:
    """One benchmark: whether the image was there, how the two bars look, and every model."""

    shown: str
    looks: tuple[str, str]
    comparison: Comparison


def naming(lookup: Lookup) -> list[Naming]:
    """A part for every benchmark and way of asking."""
    made = []
    for image, looks in LOOKS.items():
        condition = baseline(image).condition
        arms = Arm(condition, rewording=UNNAMED).name, Arm(condition, rewording=NAMED).name
        found = compared(lookup, Ways(("dataset-name",), arms, WORDS, looks))
        made += [Naming(SHOWN[image], looks, each) for each in found]
    return made
