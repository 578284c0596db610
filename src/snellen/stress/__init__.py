"""Stress tests: one file a test; each asks one question and says how the answer is measured."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.errors import PluginError
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


def known_test(name: str, given: Mapping[str, StressTest]) -> StressTest:
    """The test of that name among those given, or among all; says what to do for one that is no longer at hand."""
    if name in given:
        return given[name]
    try:
        return stress_test(name)
    except PluginError as error:
        raise PluginError(f"{error} A test of your own is scored with Study(...).score(), or as a plug-in.") from error
