"""Allocation: how many items and repeats each test is asked so that every verdict keeps its power at the least cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import NamedTuple

from snellen.tools.planner.claims import Claim


class Size(NamedTuple):
    """How many items are asked, and how often each."""

    items: int
    repeats: int


NOTHING = Size(0, 0)
Levels = Mapping[str, tuple[int, ...]]
"""By condition, how many items are asked at least once, at least twice and so on."""


@dataclass(frozen=True)
class Asking:
    """One test on one benchmark: its conditions, and what its verdict must tell apart."""

    test: str
    arms: tuple[str, ...]
    claims: tuple[Claim, ...] | None
    """Empty where it has no verdict; None where no formula is known, so that it is asked whole."""
    share: float = 1.0
    """The share of the items that can be asked under all of its conditions."""
    repeated: int = 0
    """How many items are asked once more under its conditions, if each item is asked once."""

    def list_sizes(self, size: Size) -> tuple[Size, ...]:
        """The size, and that of the items that are asked once more."""
        return (size, Size(min(self.repeated, size.items), 2)) if self.repeated and size.repeats == 1 else (size,)

    def power(self, size: Size) -> float | None:
        """How often the verdict is right, at least; None where that is not known."""
        if not self.claims:
            return None
        return min(claim.power(self._paired(size), max(1, size.repeats)) for claim in self.claims)

    def hardest(self, power: float, repeats: int) -> Claim:
        """The claim that needs most items; for a test that has a verdict."""
        return max(self.claims or (), key=lambda claim: claim.items(power, max(1, repeats)))

    def detectable(self, claim: Claim, size: Size, power: float) -> str:
        """The smallest effect that one of its claims decides with this power, in words."""
        if not size.repeats:
            return "–"
        return claim.in_words(claim.detectable(self._paired(size), power, size.repeats))

    def needs(self, power: float, repeats: int) -> float:
        """The fewest items with which every claim of its verdict is decided this often."""
        return max(claim.items(power, repeats) for claim in self.claims or ()) / self.share

    def _paired(self, size: Size) -> int:
        return int(size.items * self.share + 1e-9)

    def choices(self, power: float, most: Size) -> tuple[Size, ...]:
        """The sizes that keep the power, none of them smaller than another in both; empty where no size keeps it."""
        found: list[Size] = []
        for repeats in range(1, most.repeats + 1):
            items = self.needs(power, repeats)
            if items <= most.items and (not found or ceil(items) < found[-1].items):
                found.append(Size(ceil(items), repeats))
        return tuple(found)


def area(sizes: Sequence[Size]) -> int:
    """How many responses one condition takes if so many items are asked so often for one test or another.

    The items of a smaller size are among those of a larger one, and so are their repeats.

    >>> area([Size(100, 1), Size(40, 3)]), area([])
    (180, 0)
    """
    most = max((size.repeats for size in sizes), default=0)
    return sum(max(size.items for size in sizes if size.repeats >= level) for level in range(1, most + 1))


@dataclass(frozen=True)
class Allocation:
    """The tests of one benchmark, the weight of one response under each condition, and the most that can be asked."""

    askings: tuple[Asking, ...]
    weights: Mapping[str, float]
    most: Size

    def cost(self, sizes: Mapping[str, Size]) -> float:
        """The weight of all responses; what tests share counts once."""
        return sum(weight * area(self.of_arm(arm, sizes)) for arm, weight in self.weights.items())

    def of_arm(self, arm: str, sizes: Mapping[str, Size]) -> list[Size]:
        """The sizes of the tests that ask a condition."""
        return [size for each in self.askings if arm in each.arms for size in each.list_sizes(sizes[each.test])]

    def whole(self) -> dict[str, Size]:
        """Everything asked."""
        return {each.test: self.most for each in self.askings}

    def least(self, power: float) -> dict[str, Size]:
        """The sizes of least cost at which no verdict has less than this power, or less than it has with everything.

        A test without a verdict is not asked. One that cannot reach the power, or for which no formula is known, is
        asked whole. The search is exact: a part of it is left out only if even the least that the other tests need
        would make it dearer than the best that was found.
        """
        fixed: dict[str, Size] = {}
        choices: dict[str, tuple[Size, ...]] = {}
        for each in self.askings:
            if each.claims == ():
                fixed[each.test] = NOTHING
            elif each.claims is None or not (found := each.choices(power, self.most)):
                fixed[each.test] = self.most
            elif len(found) == 1:
                fixed[each.test] = found[0]
            else:
                choices[each.test] = found
        return _Search(self, fixed, choices).best()


@dataclass
class _Search:
    """Depth first, the cheapest next choice first."""

    allocation: Allocation
    fixed: Mapping[str, Size]
    choices: Mapping[str, tuple[Size, ...]]

    @cached_property
    def _arms(self) -> Mapping[str, tuple[str, ...]]:
        return {test: each.arms for test, each in self._askings.items()}

    @cached_property
    def _askings(self) -> Mapping[str, Asking]:
        return {each.test: each for each in self.allocation.askings}

    def best(self) -> dict[str, Size]:
        weights, depth = self.allocation.weights, max(2, self.allocation.most.repeats)
        levels: Levels = dict.fromkeys(weights, (0,) * depth)
        for test, size in self.fixed.items():
            levels = _with(levels, self._askings[test], size)
        for test, found in self.choices.items():  # whatever is chosen, so much of it is asked
            least = replace(self._askings[test], repeated=0)
            levels = _with(levels, least, Size(found[-1].items, found[0].repeats))
        order = sorted(self.choices, key=lambda test: -sum(weights[arm] for arm in self._arms[test]))
        self._found: dict[str, Size] = {}
        self._cost = float("inf")
        self._seen: dict[tuple[int, tuple[tuple[int, ...], ...]], float] = {}
        self._go(order, levels, self._rest(order), {})
        return {**self.fixed, **self._found}

    @cached_property
    def _shared(self) -> tuple[str, ...]:
        """The conditions that several tests ask."""
        users = Counter(arm for arms in self._arms.values() for arm in arms)
        return tuple(arm for arm in self.allocation.weights if users[arm] > 1)

    def _rest(self, order: Sequence[str]) -> list[float]:
        """What the tests from each on add at least, under conditions that they alone ask."""
        added = []
        for test in order:
            own = sum(self.allocation.weights[arm] for arm in self._arms[test] if arm not in self._shared)
            found = self.choices[test]
            sure = found[-1].items * found[0].repeats
            added.append(own * (min(size.items * size.repeats for size in found) - sure))
        return [sum(added[place:]) for place in range(len(order) + 1)]

    def _go(self, order: Sequence[str], levels: Levels, rest: Sequence[float], chosen: Mapping[str, Size]) -> None:
        weights, place = self.allocation.weights, len(chosen)
        cost = sum(weights[arm] * sum(level) for arm, level in levels.items())
        # What is left to choose costs the same wherever the conditions that it shares stand alike.
        alike = (place, tuple(levels[arm] for arm in self._shared))
        if cost + rest[place] >= self._cost or cost >= self._seen.get(alike, float("inf")):
            return
        self._seen[alike] = cost
        if place == len(order):
            self._found, self._cost = dict(chosen), cost
            return
        test = order[place]
        for size, then in self._next(test, levels):
            self._go(order, then, rest, {**chosen, test: size})

    def _next(self, test: str, levels: Levels) -> Iterator[tuple[Size, Levels]]:
        weights, arms = self.allocation.weights, self._arms[test]
        made = [(size, _with(levels, self._askings[test], size)) for size in self.choices[test]]
        yield from sorted(made, key=lambda each: sum(weights[arm] * sum(each[1][arm]) for arm in arms))


def _with(levels: Levels, asking: Asking, size: Size) -> dict[str, tuple[int, ...]]:
    """The same if a test asks so many items so often, too."""
    wider = dict(levels)
    for arm in asking.arms:
        for each in asking.list_sizes(size):
            wider[arm] = tuple(
                max(items, each.items) if level < each.repeats else items for level, items in enumerate(wider[arm])
            )
    return wider
