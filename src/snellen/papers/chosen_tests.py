"""Chosen tests: the tests that a study names, suites taken apart, and how the suites' protocols ask."""

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
    """What a study lists as tests: names of tests and suites, or tests themselves."""

    named: Sequence[str | StressTest]

    @cached_property
    def tests(self) -> tuple[StressTest, ...]:
        """Every test once."""
        found: list[StressTest] = []
        for entry in self.named:
            suite = self._suites.get(entry) if isinstance(entry, str) else None
            for each in suite.tests if suite else [entry]:
                test = stress_test(each) if isinstance(each, str) else each
                # One of the user's own is never dropped in silence: the plan refuses a name that is taken.
                if isinstance(each, StressTest) or test.name not in {one.name for one in found}:
                    found.append(test)
        return tuple(found)

    @cached_property
    def _suites(self) -> dict[str, Suite]:
        found = {entry: suite_named(entry) for entry in self.named if isinstance(entry, str)}
        return {name: suite for name, suite in found.items() if suite}

    @property
    def alone(self) -> set[str]:
        """The names of those that are no part of a suite, without their settings."""
        return {(each if isinstance(each, str) else each.name).partition(":")[0] for each in self.named}

    @property
    def prompt(self) -> str:
        """The prompt of the first protocol that has one."""
        return next((suite.prompt for suite in self._suites.values() if suite.prompt), USUAL_PROMPT)

    @property
    def settings(self) -> Settings:
        """How models answer by the first protocol that says so."""
        own = (suite.settings for suite in self._suites.values() if suite.settings != PROVIDER_DEFAULTS)
        return next(own, PROVIDER_DEFAULTS)

    def name_benchmarks(self, usual: str) -> tuple[str, ...]:
        """The benchmarks that the protocols are for, or else the usual one; none if tests bring all questions."""
        if all(test.questions for test in self.tests):
            return ()
        if len(self._suites) == len(self.named):
            own = [suite.benchmark for suite in self._suites.values()]
        else:
            own = [test.benchmark for test in self.tests if not test.questions]
        return tuple(dict.fromkeys(each or usual for each in own)) or (usual,)
