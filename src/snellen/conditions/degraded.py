"""Degraded images: an artefact of the scanner, the patient or the file, at a strength from none to ungradable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.conditions.which import ALL, check_which, chosen
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.perturb import artefacts
from snellen.perturb.mirror import SAME, UNFIT, told
from snellen.perturb.sides import speaks_of_sides

if TYPE_CHECKING:
    from snellen.perturb.artefacts import Artefact, Scale

STRENGTHS: Mapping[str, float] = {"weak": 0.5, "strong": 1.0}
"""The paper's two strengths as severities: partially obscured yet interpretable, and ungradable."""

MOVES_SIDES = 45.0
"""From this turn on, in degrees, what was on the left is rather at the top or the bottom."""

TURNED = "turn"
"""The name in an item's metadata by which a benchmark says itself what a turn does to the answer."""

_KINDS = (
    ("MRI", re.compile(r"mri\b|\bmra?\b|magnetic", re.IGNORECASE)),
    ("OCT", re.compile(r"\bocta?\b|optical coherence", re.IGNORECASE)),
)


def kind_of(modality: str) -> str:
    """Whose settings an image gets: MRI and OCT their own, everything else those of X-rays.

    >>> kind_of("brain MRI"), kind_of("fundus photograph")
    ('MRI', 'X-ray')
    """
    words = modality.replace("_", " ")
    return next((kind for kind, pattern in _KINDS if pattern.search(words)), "X-ray")


@dataclass(frozen=True)
class ImageDegraded(Condition):
    """The same words, every image with an artefact: `noise`, or `noise/motion` for one after the other.

    `strength` is `weak`, `strong`, or a severity from 0 to 1 on the path that runs through both. One item's image gets
    worse along one path: what is drawn for it does not depend on the strength. `scale="stretched"` spreads each
    degraded image from its darkest to its brightest point over the whole range, as the artefacts paper did.
    """

    name: ClassVar[str] = "degraded"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    declared: ClassVar[Effects] = Effects("altered", makes_image=True, shown="shown the image, degraded")
    later: ClassVar[frozenset[str]] = frozenset({"which"})

    artefact: str
    strength: str | float = "weak"
    scale: Scale = "kept"
    which: str = ALL
    """Of several images, which are degraded: all, first, last, or those of a role."""

    def __post_init__(self) -> None:
        check_which(self.which)
        if unknown := [name for name in str(self.artefact).split("/") if name not in artefacts.ARTEFACTS]:
            raise StudyError(f"There is no artefact {unknown[0]!r}. There are: {', '.join(artefacts.ARTEFACTS)}.")
        if self.scale not in ("kept", "stretched"):
            raise StudyError(f"The grey scale is kept or stretched, got {self.scale!r}.")
        given = STRENGTHS.get(str(self.strength), self.strength)
        try:
            severity = float(given)
        except (TypeError, ValueError):
            severity = -1.0
        if not 0 <= severity <= 1:
            raise StudyError(f"Expected the strength weak, strong or a severity from 0 to 1, got {self.strength!r}.")
        # 0.5, "0.5" and "weak" are one strength, and one arm
        named = {value: name for name, value in STRENGTHS.items()}
        object.__setattr__(self, "strength", named.get(severity, severity))

    @property
    def severity(self) -> float:
        """The strength as a number: 0.5 is weak, 1 is strong."""
        return float(STRENGTHS.get(str(self.strength), self.strength))

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """The artefacts of each image, every one with all its parameters."""
        kind = kind_of(str(item.metadata.get("modality") or item.category))
        return {"images": [[record(part) for part in self.parts(rng, kind)] for _ in item.images]}

    def parts(self, rng: Generator, kind: str) -> Iterator[Artefact]:
        """The artefacts of one image, one after the other, as drawn for its kind."""
        for name in self.artefact.split("/"):
            yield artefacts.ARTEFACTS[name].drawn(self.severity, rng, kind=kind)

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with its images degraded."""
        if not item.images:
            raise Inapplicable("the item has no image to degrade")
        if any(_turned(parts) >= MOVES_SIDES for parts in drawn["images"]) and _speaks_of_sides(item):
            raise Inapplicable(
                f"a turn of {MOVES_SIDES:g}° or more moves the side or position that the question or an option names"
            )
        steps = (artefacts.Degradation(tuple(map(_artefact, parts)), self.scale) for parts in drawn["images"])
        places = chosen(item, self.which)
        images = zip(item.images, steps, strict=True)
        return replace(
            item, images=tuple(image.then(step) if at in places else image for at, (image, step) in enumerate(images))
        )

    @cached_property
    def label(self) -> str:
        """The artefact and how strong it is."""
        stretched = ",scale=stretched" if self.scale == "stretched" else ""
        part = f",which={self.which}" if self.which != ALL else ""
        return f"{self.name}:{self.artefact},{self.strength}{stretched}{part}"

    @cached_property
    def identity(self) -> str:
        """Name and settings, and the revision of each artefact whose images are no longer the first ones."""
        revisions = {name: artefacts.ARTEFACTS[name].revision for name in self.artefact.split("/")}
        return super().identity + "".join(f"@{name}-{number}" for name, number in revisions.items() if number > 1)

    @property
    def stream(self) -> str:
        """The same draws at every strength."""
        return f"{self.name}:{self.artefact}"


def record(part: Artefact) -> dict[str, Any]:
    """An artefact by its name with all its parameters, as JSON can hold it."""
    return {"artefact": part.name, **asdict(part)}


def _artefact(record: Mapping[str, Any]) -> Artefact:
    fields = {name: _frozen(value) for name, value in record.items() if name != "artefact"}
    return artefacts.ARTEFACTS[record["artefact"]](**fields)


def _turned(parts: Iterable[Mapping[str, Any]]) -> float:
    """How far from upright an image ends up, in degrees."""
    turn = sum(part["degrees"] for part in parts if part["artefact"] == "rotation")
    return float(abs((turn + 180) % 360 - 180))


def _speaks_of_sides(item: Item) -> bool:
    """Whether the question, an option or an answer in words speaks of a side or a position.

    The benchmark may say itself, by `turn` in the item's metadata, that a turn leaves the answer the same or unfit.
    """
    if (listed := told(item, TURNED)) in (SAME, UNFIT):
        return listed == UNFIT
    answer = [item.answer] if isinstance(item.answer, str) else []
    return any(map(speaks_of_sides, (item.question, *(option.text for option in item.options), *answer)))


def _frozen(value: Any) -> Any:
    """Lists as tuples: JSON has no others, and a step must not change."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
