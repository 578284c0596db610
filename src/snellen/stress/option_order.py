"""Option order (T3): does the answer move when the options do?"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from numpy.random import Generator

from snellen.conditions import Condition, Drawn, Pool
from snellen.errors import Inapplicable
from snellen.items import Item
from snellen.stress.base import Expectation, StressTest

_REFERS_TO_OTHERS = re.compile(
    r"(?i:\b(?:all|any|none|both|neither|either) of (?:the|these)\b|\bthe above\b)"
    r"|^(?i:both |only )?[A-H](?:, ?[A-H])*,? (?:and|or|&) [A-H](?: only)?\.?$"
)


@dataclass(frozen=True)
class OptionsShuffled(Condition):
    """The options in another order, drawn at random, the answer key moved with them."""

    name: ClassVar[str] = "options-shuffled"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Any order but the one there is."""
        if item.kind != "choice" or len(item.options) < 2:
            raise Inapplicable("the question offers no options to reorder")
        if any(_REFERS_TO_OTHERS.search(option.text) for option in item.options):
            raise Inapplicable("an option refers to others by their place")
        listed = list(range(len(item.options)))
        order = listed
        while order == listed:
            order = rng.permutation(len(listed)).tolist()
        return {"order": order}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The options in the drawn order; the right one stays right."""
        order = drawn["order"]
        return replace(item, options=tuple(item.options[i] for i in order), answer=order.index(item.answer))


TEST = StressTest(
    name="option-order",
    asks="Would the model give the same diagnosis if the options were listed in another order?",
    arms=(OptionsShuffled(),),
    expects=Expectation.INVARIANT,
)
