"""Degraded arms: which tests of image artefacts the arms of imported answers allow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from snellen.conditions import ImageDegraded, condition_named
from snellen.perturb.artefacts import ARTEFACTS, PUBLISHED
from snellen.protocols.artefacts.tests.arms import STRATEGIES, as_it_is
from snellen.protocols.artefacts.tests.dose_response import dose_response_test
from snellen.protocols.artefacts.tests.strong import strong_artefacts
from snellen.protocols.artefacts.tests.weak import weak_artefacts
from snellen.stress.base import StressTest

OF_ARTEFACTS = frozenset(make().name for make in (weak_artefacts, strong_artefacts, dose_response_test))
"""The tests that are not simply there or not, but with the artefacts that were asked."""

Severities = dict[str, set[float]]
"""At which severities each artefact was asked."""

_STRATEGY = {prompt.name if prompt else "": name for name, prompt in STRATEGIES.items()}
_WEAK, _STRONG = 0.5, 1.0
_STEPS = range(20, 2, -1)
"""A curve has at least three steps: through weak and strong alone none is drawn that nobody asked for."""


def artefact_tests(arms: Collection[str]) -> list[StressTest]:
    """The tests of weak and strong artefacts and of dose and response, for each prompt strategy and grey scale.

    >>> [test.name for test in artefact_tests(["original", "degraded:blur,weak", "degraded:blur/noise,strong"])]
    ['weak-artefacts:blur', 'strong-artefacts:blur/noise']
    """
    found: list[StressTest] = []
    for (strategy, scale), asked in _by_way(arms).items():
        if as_it_is(strategy).name in arms:
            found += _tests(asked, {"prompt": strategy, "scale": scale})
    return found


def _by_way(arms: Iterable[str]) -> Mapping[tuple[str, str], Severities]:
    """What was asked by each strategy and saved in each scale."""
    ways: dict[tuple[str, str], Severities] = {}
    for arm in sorted(arms):
        label, _, prompt = arm.partition("+")
        if not label.startswith(f"{ImageDegraded.name}:") or prompt not in _STRATEGY:
            continue
        condition = condition_named(label)
        if isinstance(condition, ImageDegraded):
            asked = ways.setdefault((_STRATEGY[prompt], condition.scale), {})
            asked.setdefault(condition.artefact, set()).add(condition.severity)
    return ways


def _tests(asked: Severities, way: Mapping[str, str]) -> Iterator[StressTest]:
    for make, severity in ((weak_artefacts, _WEAK), (strong_artefacts, _STRONG)):
        names = [name for name, severities in asked.items() if severity in severities]
        if names:
            yield make(*_told(names), **way)
    by_steps: dict[int, list[str]] = {}
    for name, severities in asked.items():
        if steps := _steps(severities):
            by_steps.setdefault(steps, []).append(name)
    for steps, names in by_steps.items():
        yield dose_response_test(*_told(names), steps=steps, **way)


def _steps(severities: set[float]) -> int:
    """Into how many even steps they cut the path, the finest cut that is there whole; 0 if there is none."""
    whole = (steps for steps in _STEPS if {(step + 1) / steps for step in range(steps)} <= severities)
    return next(whole, 0)


def _told(names: Collection[str]) -> list[str]:
    """The artefacts as a test is told them, in the order we list them; nothing where they are the paper's five."""
    if set(names) == set(PUBLISHED):
        return []
    order = list(ARTEFACTS)
    return sorted(names, key=lambda name: [order.index(part) for part in name.split("/")])
