"""Degraded images: an artefact of scanner, patient or file, from none to ungradable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.conditions.which import ALL, check_which, choose_images
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.perturb import artefacts
from snellen.perturb.mirror import SAME, UNFIT, read_column
from snellen.perturb.sides import speaks_of_sides

if TYPE_CHECKING:
    from snellen.perturb.artefacts import Artefact, Scale

STRENGTHS: Mapping[str, float] = {"weak": 0.5, "strong": 1.0}
"""The paper's two strengths as severities: weak images can still be read, strong ones cannot be graded."""

MOVES_SIDES = 45.0
"""From this rotation on, in degrees, the left side becomes the top or bottom."""

TURNED = "turn"
"""Metadata field in which a benchmark states what a rotation does to the answer."""

_KINDS = (
    ("MRI", re.compile(r"mri\b|\bmra?\b|magnetic", re.IGNORECASE)),
    ("OCT", re.compile(r"\bocta?\b|optical coherence", re.IGNORECASE)),
)


def kind_of(modality: str) -> str:
    """Return the kind of image whose settings apply: MRI, OCT, or X-ray for everything else.

    >>> kind_of("brain MRI"), kind_of("fundus photograph")
    ('MRI', 'X-ray')
    """
    words = modality.replace("_", " ")
    return next((kind for kind, pattern in _KINDS if pattern.search(words)), "X-ray")


@dataclass(frozen=True)
class ImageDegraded(Condition):
    """The same words, every image with one artefact (`noise`) or several (`noise/motion`).

    `strength` is `weak`, `strong`, or a severity from 0 to 1 on the path that runs through both. An item's draw does
    not depend on the strength: the same artefact gets worse. `scale="stretched"` spreads each degraded image from its
    darkest to its brightest point over the whole range, as the artefacts paper did.
    """

    name: ClassVar[str] = "degraded"
    declared: ClassVar[Effects] = Effects("altered", makes_image=True, shown="shown the image, degraded")
    later: ClassVar[frozenset[str]] = frozenset({"which"})

    artefact: str
    strength: str | float = "weak"
    scale: Scale = "kept"
    which: str = ALL
    """Which of several images are degraded: all, first, last, or those of a role."""

    def __post_init__(self) -> None:
        check_which(self.which)
        if unknown := [name for name in str(self.artefact).split("/") if name not in artefacts.ARTEFACTS]:
            raise StudyError(f"There is no artefact {unknown[0]!r}. There are: {', '.join(artefacts.ARTEFACTS)}.")
        if self.scale not in ("kept", "stretched"):
            raise StudyError(f"Expected the grey scale to be kept or stretched, got {self.scale!r}.")
        given = STRENGTHS.get(str(self.strength), self.strength)
        try:
            severity = float(given)
        except (TypeError, ValueError):
            severity = -1.0
        if not 0 <= severity <= 1:
            raise StudyError(f"Expected the strength weak, strong or a severity from 0 to 1, got {self.strength!r}.")
        # 0.5, "0.5" and "weak" are the same strength and the same arm
        named = {value: name for name, value in STRENGTHS.items()}
        object.__setattr__(self, "strength", named.get(severity, severity))

    @property
    def severity(self) -> float:
        """The strength as a number: 0.5 is weak, 1 is strong."""
        return float(STRENGTHS.get(str(self.strength), self.strength))

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the artefacts of each image with all their parameters."""
        kind = kind_of(str(item.metadata.get("modality") or item.category))
        return {"images": [[record(part) for part in self.parts(rng, kind)] for _ in item.images]}

    def parts(self, rng: Generator, kind: str) -> Iterator[Artefact]:
        """Draw the artefacts of one image of this kind, in order."""
        for name in self.artefact.split("/"):
            yield artefacts.ARTEFACTS[name].draw(self.severity, rng, kind=kind)

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with degraded images."""
        if not item.images:
            raise Inapplicable("the item has no image to degrade")
        turns = [sum(each["degrees"] for each in parts if each["artefact"] == "rotation") for parts in drawn["images"]]
        if any(abs((turn + 180) % 360 - 180) >= MOVES_SIDES for turn in turns) and _speaks_of_sides(item):
            raise Inapplicable(
                f"a turn of {MOVES_SIDES:g}° or more moves the side or position that the question or an option names"
            )
        steps = (artefacts.Degradation(tuple(map(_restore, parts)), self.scale) for parts in drawn["images"])
        places = choose_images(item, self.which)
        images = zip(item.images, steps, strict=True)
        return replace(
            item, images=tuple(image.then(step) if at in places else image for at, (image, step) in enumerate(images))
        )

    @cached_property
    def label(self) -> str:
        """Name with the artefact and its strength."""
        stretched = ",scale=stretched" if self.scale == "stretched" else ""
        part = f",which={self.which}" if self.which != ALL else ""
        return f"{self.name}:{self.artefact},{self.strength}{stretched}{part}"

    @cached_property
    def identity(self) -> str:
        """Name and settings, with the revision of each artefact that was changed later."""
        revisions = {name: artefacts.ARTEFACTS[name].revision for name in self.artefact.split("/")}
        return super().identity + "".join(f"@{name}-{number}" for name, number in revisions.items() if number > 1)

    @property
    def stream(self) -> str:
        """Key of the random numbers; the same draws at every strength."""
        return f"{self.name}:{self.artefact}"


def record(part: Artefact) -> dict[str, Any]:
    """Return an artefact's name and parameters for JSON."""
    return {"artefact": part.name, **asdict(part)}


def _restore(record: Mapping[str, Any]) -> Artefact:
    fields = {name: _freeze(value) for name, value in record.items() if name != "artefact"}
    return artefacts.ARTEFACTS[record["artefact"]](**fields)


def _speaks_of_sides(item: Item) -> bool:
    """Return True if the item's texts name a side or position.

    The texts are the question, the options and an open answer. A benchmark may state in the metadata field `turn` that
    a rotation keeps or spoils the answer.
    """
    if (listed := read_column(item, TURNED)) in (SAME, UNFIT):
        return listed == UNFIT
    answer = [item.answer] if isinstance(item.answer, str) else []
    return any(map(speaks_of_sides, (item.question, *(option.text for option in item.options), *answer)))


def _freeze(value: Any) -> Any:
    """Convert lists to tuples, which JSON does not have, because artefacts must not change."""
    return tuple(map(_freeze, value)) if isinstance(value, list | tuple) else value
