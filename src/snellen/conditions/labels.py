"""Names of arms, taken apart: the way to what an arm does if only its name is stored."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from snellen.conditions import Condition, NoImage, Together, condition_named
from snellen.conditions.effects import UNKNOWN, Effects
from snellen.errors import PluginError, StudyError


class ArmLabel(NamedTuple):
    """The condition that an arm's name says, and its ways of asking: prompt, rewording, effort."""

    condition: Condition | None
    """None if the name does not begin with a condition that is known here."""
    ways: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The condition, or its parts if it is several."""
        if self.condition is None:
            return ()
        return self.condition.parts if isinstance(self.condition, Together) else (self.condition,)

    def has(self, kind: type[Condition]) -> bool:
        """Whether one of the conditions is of a kind."""
        return any(isinstance(each, kind) for each in self.conditions)

    @property
    def effects(self) -> Effects:
        """What the condition does."""
        return UNKNOWN if self.condition is None else self.condition.effects

    @property
    def takes_image(self) -> bool:
        """Whether it hides an image that the item has; `no-image` asks items that have none."""
        return not self.effects.sees and not self.has(NoImage)


@lru_cache(maxsize=4096)
def read_label(arm: str) -> ArmLabel:
    """The condition and the ways of asking that an arm's name says.

    >>> label = read_label("image-removed+options-shuffled+cot")
    >>> label.condition.label, label.ways
    ('image-removed+options-shuffled', ('cot',))
    """
    parts = arm.split("+")
    known = [part for place, part in enumerate(parts) if _find_condition(part) is not None or not place]
    condition = _find_condition("+".join(known))
    return ArmLabel(condition, tuple(part for part in parts if part not in known) if condition else ())


def find_ways(arm: str, condition: str) -> tuple[str, ...]:
    """The ways of asking after a condition in an arm's name, also one that is not known here; none if it has none.

    >>> find_ways("mine+cot+high", "mine"), find_ways("mine", "mine"), find_ways("yours+cot", "mine")
    (('cot', 'high'), (), ())
    """
    return tuple(arm.removeprefix(f"{condition}+").split("+")) if arm.startswith(f"{condition}+") else ()


def arm_effects(arm: str) -> Effects:
    """What the arm of that name does to an item; unknown if its first condition is not known here.

    >>> arm_effects("image-blank:fill=noise+cot").image, arm_effects("somebody's").image
    ('blank', 'unknown')
    """
    return read_label(arm).effects


def _find_condition(label: str) -> Condition | None:
    """The condition of that label; None if there is none, or none with such settings."""
    try:
        return condition_named(label)
    except (PluginError, StudyError):
        return None
