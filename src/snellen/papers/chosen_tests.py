"""Stress tests that a study lists, with its suites expanded into tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from snellen.papers import suite_named
from snellen.papers.protocol import Suite
from snellen.prompts import PROVIDER_DEFAULTS, Settings
from snellen.stress import stress_test
from snellen.stress.base import StressTest

USUAL_PROMPT = "letter"


@dataclass(frozen=True)
class ChosenTests:
    """The tests of a study, listed by name or as test objects. A name may be that of a suite."""

    named: Sequence[str | StressTest]

    @cached_property
    def tests(self) -> tuple[StressTest, ...]:
        """Every test once."""
        found: list[StressTest] = []
        for entry in self.named:
            suite = self._suites.get(entry) if isinstance(entry, str) else None
            for each in suite.tests if suite else [entry]:
                test = stress_test(each) if isinstance(each, str) else each
                # A test object of the user is always kept: the plan refuses a name that is used twice.
                if isinstance(each, StressTest) or test.name not in {one.name for one in found}:
                    found.append(test)
        return tuple(found)

    @cached_property
    def _suites(self) -> dict[str, Suite]:
        found = {entry: suite_named(entry) for entry in self.named if isinstance(entry, str)}
        return {name: suite for name, suite in found.items() if suite}

    @property
    def alone(self) -> set[str]:
        """Names as listed, of tests and suites, without their settings."""
        return {(each if isinstance(each, str) else each.name).partition(":")[0] for each in self.named}

    @property
    def prompt(self) -> str:
        """Name of the prompt of the first suite that has one; otherwise the usual prompt."""
        return next((suite.prompt for suite in self._suites.values() if suite.prompt), USUAL_PROMPT)

    @property
    def settings(self) -> Settings:
        """Model settings of the first suite that has any; otherwise the provider's defaults."""
        own = (suite.settings for suite in self._suites.values() if suite.settings != PROVIDER_DEFAULTS)
        return next(own, PROVIDER_DEFAULTS)

    def name_benchmarks(self, usual: str) -> tuple[str, ...]:
        """Return the benchmarks that the tests need, by default `usual`. Empty if all bring their own questions."""
        if all(test.questions for test in self.tests):
            return ()
        if len(self._suites) == len(self.named):
            own = [suite.benchmark for suite in self._suites.values()]
        else:
            own = [test.benchmark for test in self.tests if not test.questions]
        return tuple(dict.fromkeys(each or usual for each in own)) or (usual,)
