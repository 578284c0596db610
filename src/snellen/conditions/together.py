"""Together: several conditions at once, each with the same draw as alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects, merge_effects
from snellen.conditions.pool import Pool
from snellen.errors import StudyError
from snellen.items import Item


@dataclass(frozen=True)
class Together(Condition):
    """Several changes, one after the other, each the same as alone.

    Each draws from the unchanged item, so two of them may not change the same part. Otherwise, replacing options after
    a shuffle might replace the correct one.
    """

    name: ClassVar[str] = "together"

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        touched = Counter(thing for part in self.parts for thing in part.changes)
        if twice := [thing for thing, count in touched.items() if count > 1]:
            raise StudyError(f"The conditions {self.label} cannot be combined: more than one changes the {twice[0]}.")

    @property
    def changes(self) -> frozenset[str]:
        """Everything that the parts change."""
        return frozenset().union(*(part.changes for part in self.parts))

    @property
    def effects(self) -> Effects:
        """Merged effects of the parts."""
        return merge_effects(part.effects for part in self.parts)

    @property
    def hides_options(self) -> bool:
        """Whether any part hides the options."""
        return any(part.hides_options for part in self.parts)

    def equip(self, item: Item, pool: Pool) -> Item:
        """Return the item with everything that the parts need."""
        for part in self.parts:
            item = part.equip(item, pool)
        return item

    def choose(self, item: Item, *, seed: int, pool: Pool) -> Drawn:
        """Draw for each part from the unchanged item. Return the draws by the part's label."""
        return {part.label: part.choose(item, seed=seed, pool=pool) for part in self.parts}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item after all parts."""
        for part in self.parts:
            item = part.apply(item, drawn[part.label])
        return item

    @cached_property
    def label(self) -> str:
        """Labels of the parts, joined."""
        return "+".join(part.label for part in self.parts)

    @property
    def in_words(self) -> str:
        """Words of the parts, joined."""
        return " and ".join(part.in_words for part in self.parts)

    @cached_property
    def identity(self) -> str:
        """Identities of the parts, joined."""
        return "+".join(part.identity for part in self.parts)
