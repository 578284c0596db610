"""Stress tests: one file a test; each asks one question and says how the answer is measured."""

from __future__ import annotations

from snellen.plugins import find
from snellen.stress.base import StressTest

MEMBERS = {
    "image-needed": "snellen.stress.image_needed:TEST",
    "option-order": "snellen.stress.option_order:TEST",
}


def stress_test(name: str) -> StressTest:
    """The test of that name."""
    test: StressTest = find("stress", MEMBERS, name)
    return test
