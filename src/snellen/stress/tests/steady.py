"""Steady? Does the order of the options change answers, beyond what changes from repeat to repeat?"""

from __future__ import annotations

from snellen.conditions import OptionsShuffled
from snellen.stress.base import REPEATED, Expectation, StressTest

TEST = StressTest(
    name="steady",
    label="steady?",
    asks="Would the model give the same answer if the options were listed in another order?",
    arms=(OptionsShuffled(),),
    expects=Expectation.INVARIANT,
    headline="order_adds",
    marks=True,
    repeated=REPEATED,
    passes="The order of the options adds fewer than 10 points of changed answers to those of two equal runs.",
)
