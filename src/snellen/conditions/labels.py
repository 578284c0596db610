"""Names of arms, split into condition and ways of asking."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from snellen.conditions import Condition, NoImage, Together, condition_named
from snellen.conditions.effects import UNKNOWN, Effects
from snellen.errors import PluginError, StudyError


class ArmLabel(NamedTuple):
    """The parts of an arm's name: the condition, and the ways of asking (prompt, rewording, effort)."""

    condition: Condition | None
    """None if the name does not begin with a known condition."""
    ways: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The condition, or its parts if it is a combination."""
        if self.condition is None:
            return ()
        return self.condition.parts if isinstance(self.condition, Together) else (self.condition,)

    def has(self, kind: type[Condition]) -> bool:
        """Return True if one of the conditions has this type."""
        return any(isinstance(each, kind) for each in self.conditions)

    @property
    def effects(self) -> Effects:
        """Effects of the condition; unknown if there is none."""
        return UNKNOWN if self.condition is None else self.condition.effects

    @property
    def takes_image(self) -> bool:
        """Whether the arm hides an image that the item has. This is False for `no-image`, whose items have none."""
        return not self.effects.sees and not self.has(NoImage)


@lru_cache(maxsize=4096)
def read_label(arm: str) -> ArmLabel:
    """Split an arm's name into the condition and the ways of asking.

    >>> label = read_label("image-removed+options-shuffled+cot")
    >>> label.condition.label, label.ways
    ('image-removed+options-shuffled', ('cot',))
    """
    parts = arm.split("+")
    known = [part for place, part in enumerate(parts) if _find_condition(part) is not None or not place]
    condition = _find_condition("+".join(known))
    return ArmLabel(condition, tuple(part for part in parts if part not in known) if condition else ())


def find_ways(arm: str, condition: str) -> tuple[str, ...]:
    """Return the ways of asking after a condition in an arm's name, also unknown ones.

    >>> find_ways("mine+cot+high", "mine"), find_ways("mine", "mine"), find_ways("yours+cot", "mine")
    (('cot', 'high'), (), ())
    """
    return tuple(arm.removeprefix(f"{condition}+").split("+")) if arm.startswith(f"{condition}+") else ()


def arm_effects(arm: str) -> Effects:
    """Return the effects of an arm by its name; unknown for an unknown condition.

    >>> arm_effects("image-blank:fill=noise+cot").image, arm_effects("somebody's").image
    ('blank', 'unknown')
    """
    return read_label(arm).effects


def _find_condition(label: str) -> Condition | None:
    """Return the condition of a label; None if the name or its settings are unknown."""
    try:
        return condition_named(label)
    except (PluginError, StudyError):
        return None
