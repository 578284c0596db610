"""Steady? Does the order of the options change answers, beyond what changes from repeat to repeat?"""

from __future__ import annotations

from snellen.conditions import OptionsShuffled
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.design import REPEATED, Design, Presentation

TEST = StressTest(
    Design(
        "steady",
        "Would the model give the same answer if the options were listed in another order?",
        arms=(OptionsShuffled(),),
        repeated=REPEATED,
    ),
    Analysis(Expectation.INVARIANT, headline="order_adds", marks=True),
    Presentation(
        "steady?",
        "The order of the options adds fewer than 10 points of changed answers to those of two equal runs.",
    ),
)
