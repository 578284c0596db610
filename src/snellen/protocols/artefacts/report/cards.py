"""Artefacts on the first screen: which of their numbers is shown, and what their tests are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snellen.protocols.artefacts.report.tests import STRONG, WEAK, about_artefacts, strategy
from snellen.protocols.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.protocols.artefacts.tests.strong import RATE
from snellen.stress.base import StressTest

SHOWN = {WEAK: (ALL_ARTEFACTS, "percent_change"), STRONG: (ALL_ARTEFACTS, RATE)}
"""The arm and the measure that tell most of each family."""
HEADINGS = {
    WEAK: "Does the answer hold on an image that is worse?",
    STRONG: "Does it say so when an image cannot be read?",
}


def shown_of(test: StressTest) -> tuple[tuple[str, str], ...]:
    """The arm and measure that a test of artefacts shows on the first screen; nothing for any other test."""
    found = SHOWN.get(test.name.partition(":")[0])
    return () if found is None else (found,)


def heading_of(test: StressTest, study: Mapping[str, Any]) -> str:
    """What a test of artefacts is called there, with how it was asked; nothing for any other test."""
    words = HEADINGS.get(test.name.partition(":")[0], "") if about_artefacts(test) else ""
    return f"{words} ({strategy(test, study)})" if words else ""


def asked_before(test: StressTest, others: Sequence[StressTest]) -> bool:
    """Whether a test of artefacts was told of already, asked by another prompt: one picture of it is enough."""
    own = test.name.partition(":")[0]
    return own in SHOWN and any(each.name.startswith(own) and each.name != test.name for each in others)
