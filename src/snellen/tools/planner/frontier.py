"""The cost of a large study, and the savings that keep its statistical power.

Power is the probability of deciding a verdict. A *block* is a group of benchmarks with the same conditions and tests. A
*design* says how many items and repeats each test asks on each block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Literal, NamedTuple, Protocol, get_args

from snellen.errors import StudyError
from snellen.models.prices import Price
from snellen.models.request_tokens import CHARACTERS, TokenRange
from snellen.models.request_tokens import NOTHING as NO_TOKENS
from snellen.tools.planner.claims import Assumptions, Gpu, VerdictClaim, constant


class Size(NamedTuple):
    """Number of items, and number of repeats of each."""

    items: int
    repeats: int


NOTHING = Size(0, 0)
Levels = Mapping[str, tuple[int, ...]]
"""By condition: the number of items asked at least once, at least twice, and so on."""


@dataclass(frozen=True)
class VerdictNeeds:
    """One test on one benchmark: its conditions, and the claims of its verdict."""

    test: str
    arms: tuple[str, ...]
    claims: tuple[VerdictClaim, ...] | None
    """Empty without a verdict; None without a formula, so that the test is asked in full."""
    share: float = 1.0
    """Share of the items that can be asked under all conditions of the test."""
    repeated: int = 0
    """Number of items asked a second time under the test's conditions, if there is only one repeat."""

    def list_sizes(self, size: Size) -> tuple[Size, ...]:
        """Return the size, and that of the items asked a second time, if any."""
        return (size, Size(min(self.repeated, size.items), 2)) if self.repeated and size.repeats == 1 else (size,)

    def power(self, size: Size) -> float | None:
        """Return a lower bound of the verdict's power; None without a formula or verdict."""
        if not self.claims:
            return None
        return min(claim.power(self._count_paired(size), max(1, size.repeats)) for claim in self.claims)

    def hardest(self, power: float, repeats: int) -> VerdictClaim:
        """Return the claim that needs most items; the test must have a verdict."""
        return max(self.claims or (), key=lambda claim: claim.items(power, max(1, repeats)))

    def detectable(self, claim: VerdictClaim, size: Size, power: float) -> str:
        """Describe the smallest effect that decides a claim with this power."""
        if not size.repeats:
            return "–"
        return claim.in_words(claim.detectable(self._count_paired(size), power, size.repeats))

    def needs(self, power: float, repeats: int) -> float:
        """Return the fewest items that decide every claim with this power."""
        return max(claim.items(power, repeats) for claim in self.claims or ()) / self.share

    def _count_paired(self, size: Size) -> int:
        return int(size.items * self.share + 1e-9)

    def choices(self, power: float, most: Size) -> tuple[Size, ...]:
        """List the smallest sizes with this power, trading items for repeats."""
        found: list[Size] = []
        for repeats in range(1, most.repeats + 1):
            items = self.needs(power, repeats)
            if items <= most.items and (not found or ceil(items) < found[-1].items):
                found.append(Size(ceil(items), repeats))
        return tuple(found)


def area(sizes: Sequence[Size]) -> int:
    """Count the responses of one condition that several tests share.

    The items of a smaller size are among those of a larger one; the same holds for repeats.

    >>> area([Size(100, 1), Size(40, 3)]), area([])
    (180, 0)
    """
    most = max((size.repeats for size in sizes), default=0)
    return sum(max(size.items for size in sizes if size.repeats >= level) for level in range(1, most + 1))


@dataclass(frozen=True)
class Allocation:
    """The choice of sizes for one benchmark's tests: conditions' cost weights and maximum size."""

    askings: tuple[VerdictNeeds, ...]
    weights: Mapping[str, float]
    most: Size

    def cost(self, sizes: Mapping[str, Size]) -> float:
        """Return the weighted number of responses; responses shared by tests count once."""
        return sum(weight * area(self.of_arm(arm, sizes)) for arm, weight in self.weights.items())

    def of_arm(self, arm: str, sizes: Mapping[str, Size]) -> list[Size]:
        """List the sizes of all tests that use a condition."""
        return [size for each in self.askings if arm in each.arms for size in each.list_sizes(sizes[each.test])]

    def least(self, power: float) -> dict[str, Size]:
        """Find the cheapest sizes at which every verdict keeps its power.

        A test without a verdict is not asked. One without a formula, or that cannot reach the power, is asked in full.
        The search is exact: it skips a branch only if even the least cost of the remaining tests exceeds the best
        found.
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


class _Search:
    """Depth-first search for the cheapest sizes, cheapest choice first."""

    def __init__(
        self, allocation: Allocation, fixed: Mapping[str, Size], choices: Mapping[str, tuple[Size, ...]]
    ) -> None:
        self._weights, self._fixed, self._choices = allocation.weights, fixed, choices
        self._askings = {each.test: each for each in allocation.askings}
        users = Counter(arm for each in self._askings.values() for arm in each.arms)
        self._shared = tuple(arm for arm in self._weights if users[arm] > 1)
        """Conditions used by several tests."""
        self._depth = max(2, allocation.most.repeats)
        self._order = sorted(choices, key=lambda test: -sum(self._weights[arm] for arm in self._askings[test].arms))
        self._found: dict[str, Size] = {}
        self._cost = float("inf")
        self._seen: dict[tuple[int, tuple[tuple[int, ...], ...]], float] = {}

    def best(self) -> dict[str, Size]:
        levels: Levels = dict.fromkeys(self._weights, (0,) * self._depth)
        for test, size in self._fixed.items():
            levels = _add_test(levels, self._askings[test], size)
        for test, found in self._choices.items():  # whatever is chosen, so much of it is asked
            least = replace(self._askings[test], repeated=0)
            levels = _add_test(levels, least, Size(found[-1].items, found[0].repeats))
        self._go(levels, self._bound_rest(), {})
        return {**self._fixed, **self._found}

    def _bound_rest(self) -> list[float]:
        """Return lower bounds of the cost that the remaining tests add, at each step.

        Only conditions that a single test uses are counted.
        """
        added = []
        for test in self._order:
            own = sum(self._weights[arm] for arm in self._askings[test].arms if arm not in self._shared)
            found = self._choices[test]
            sure = found[-1].items * found[0].repeats
            added.append(own * (min(size.items * size.repeats for size in found) - sure))
        return [sum(added[place:]) for place in range(len(self._order) + 1)]

    def _go(self, levels: Levels, rest: Sequence[float], chosen: Mapping[str, Size]) -> None:
        weights, place = self._weights, len(chosen)
        cost = sum(weights[arm] * sum(level) for arm, level in levels.items())
        # States with equal levels of the shared conditions have equal further costs: continue only the cheapest.
        alike = (place, tuple(levels[arm] for arm in self._shared))
        if cost + rest[place] >= self._cost or cost >= self._seen.get(alike, float("inf")):
            return
        self._seen[alike] = cost
        if place == len(self._order):
            self._found, self._cost = dict(chosen), cost
            return
        asking = self._askings[self._order[place]]
        made = [(size, _add_test(levels, asking, size)) for size in self._choices[asking.test]]
        for size, then in sorted(made, key=lambda each: sum(weights[arm] * sum(each[1][arm]) for arm in asking.arms)):
            self._go(then, rest, {**chosen, asking.test: size})


def _add_test(levels: Levels, asking: VerdictNeeds, size: Size) -> dict[str, tuple[int, ...]]:
    """Add the items and repeats of a test to the levels of its conditions."""
    wider = dict(levels)
    for arm in asking.arms:
        for each in asking.list_sizes(size):
            wider[arm] = tuple(
                max(items, each.items) if level < each.repeats else items for level, items in enumerate(wider[arm])
            )
    return wider


By = Literal["requests", "money", "gpu"]
"""The cost to be minimised."""


class Cost(NamedTuple):
    """Cost of responses; `stored` is in bytes."""

    requests: float = 0.0
    read: TokenRange = NO_TOKENS
    written: TokenRange = NO_TOKENS
    dollars: TokenRange = NO_TOKENS
    """US dollars, only of models with a known price."""
    gpu_seconds: TokenRange = NO_TOKENS
    """GPU time, only of models on the user's own GPU."""
    stored: TokenRange = NO_TOKENS

    def plus(self, other: Cost) -> Cost:
        """Add two costs."""
        return Cost(self.requests + other.requests, *(a.plus(b) for a, b in zip(self[1:], other[1:], strict=True)))

    def times(self, count: float) -> Cost:
        """Multiply the cost by a number."""
        return Cost(self.requests * count, *(each.times(count) for each in self[1:]))

    def weight(self, by: By) -> float:
        """Return the cost to be minimised; the middle of a range."""
        if by == "requests":
            return self.requests
        return sum(self.dollars if by == "money" else self.gpu_seconds) / 2


class ModelCost(NamedTuple):
    """Rates for one model's responses: a price, a GPU, or neither."""

    price: Price | None = None
    gpu: Gpu | None = None

    def cost(self, read: TokenRange, written: TokenRange) -> Cost:
        """Return the cost of one request with these tokens."""
        price, gpu = self.price, self.gpu
        dollars = NO_TOKENS
        if price:
            dollars = TokenRange(*(price.cost_of_tokens(*each) for each in zip(read, written, strict=True)))
        texts = written.times(CHARACTERS * constant("storage", "character").value)
        stored = texts.plus(2 * (constant("storage", "response").value,))
        return Cost(1, read, written, dollars, gpu.seconds(read, written) if gpu else NO_TOKENS, stored)


@dataclass(frozen=True)
class ConditionCost:
    """A condition's cost: `once` for asking one item of every model, plus storage per item."""

    name: str
    once: Cost
    kept: float = 0.0
    """Bytes stored per item, for any number of models and repeats: the question, and the image if changed."""


@dataclass(frozen=True)
class BenchmarkBlock:
    """Benchmarks with the same conditions and tests; `count` is their number."""

    name: str
    count: int
    most: Size
    conditions: tuple[ConditionCost, ...]
    askings: tuple[VerdictNeeds, ...]

    def allocation(self, by: By) -> Allocation:
        """Return the choice of sizes for one benchmark; conditions without cost get a tiny weight."""
        weights = {each.name: each.once.weight(by) for each in self.conditions}
        tiny = 1e-9 * max([*weights.values(), 1.0])
        return Allocation(self.askings, {name: max(weight, tiny) for name, weight in weights.items()}, self.most)

    def cost(self, sizes: Mapping[str, Size]) -> Cost:
        """Return the cost of all benchmarks of the block."""
        total, arms = Cost(), self.allocation("requests")
        items = 0
        for each in self.conditions:
            asked = arms.of_arm(each.name, sizes)
            total = total.plus(each.once.times(area(asked)))
            reach = max((size.items for size in asked), default=0)
            total = total.plus(Cost(stored=TokenRange(each.kept * reach, each.kept * reach)))
            items = max(items, reach)
        own = constant("storage", "item").value * items
        return total.plus(Cost(stored=TokenRange(own, own))).times(self.count)


Design = Mapping[tuple[str, str], Size]
"""Items and repeats, by block and test."""


What = Literal["test", "repeats", "items"]


class SavingStep(NamedTuple):
    """One saving on all its benchmarks: what is dropped, and the remaining cost and power."""

    test: str
    what: What
    benchmarks: int
    sizes: tuple[tuple[Size, Size], ...]
    """Size before and after, for each block."""
    saved: Cost
    left: Cost
    power: tuple[float, float] | None
    """Lowest power of the test's verdicts, before and after; None without a verdict."""

    @property
    def words(self) -> str:
        """The saving in words."""
        if self.what == "test":
            return f"{self.test}: no verdict rests on {'them' if ', ' in self.test else 'it'}"
        ends = [sorted({getattr(pair[end], self.what) for pair in self.sizes}) for end in (0, 1)]
        if self.what == "repeats":
            before, after = (" or ".join(map(times, counts)) for counts in ends)
            return f"{self.test}: each item {after} instead of {before}"
        before, after = (
            f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}" for counts in ends
        )
        return f"{self.test}: {after} of {before} items"


def times(count: int) -> str:
    """Write a number of times in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


class PlanGoal(NamedTuple):
    """The goal of a plan: assumptions, effects to find, power, and the cost to minimise."""

    about: Assumptions
    power: float = 0.8
    change: float | None = None
    """The change of accuracy to be found; None for each test's own margin."""
    by: By = "requests"
    family: int | None = None
    """Number of p-values corrected together; None for all of a model and benchmark."""


class StudySource(Protocol):
    """A study to be planned: a real plan, or only the size of a study."""

    @property
    def size(self) -> int:
        """Number of models."""

    def blocks(self, wanted: PlanGoal) -> tuple[BenchmarkBlock, ...]:
        """Return the study's blocks, with the claims of each verdict."""

    def words(self) -> Iterator[str]:
        """Yield sentences on how the cost was computed."""


class Level(NamedTuple):
    """A point of the frontier: a goal, its least cost, and how many verdicts reach it."""

    words: str
    cost: Cost
    reached: int
    of: int


CHANGES = (0.025, 0.05, 0.075, 0.1, 0.15, 0.2)
POWERS = (0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Frontier:
    """The cost of a study in full and at least, and the savings in between."""

    source: StudySource
    wanted: PlanGoal

    def __post_init__(self) -> None:
        _, power, change, by, family = self.wanted
        if not 0 < power < 1:
            raise StudyError(f"Expected power to be a share between 0 and 1, got {power:g}.")
        if change is not None and not 0 < change < 1:
            raise StudyError(f"Expected change to be a share between 0 and 1 (0.05 is 5 points), got {change:g}.")
        if by not in get_args(By):
            raise StudyError(f"Expected by to be one of {', '.join(get_args(By))}, got {by!r}.")
        if family is not None and family < 1:
            raise StudyError(f"Expected family to be a whole number of at least 1, got {family}.")
        for name, each in zip(Assumptions._fields, self.wanted.about, strict=True):
            if not 0 <= each.value <= 1 or (name == "within" and each.value > LARGEST_WITHIN):
                most = LARGEST_WITHIN if name == "within" else 1
                raise StudyError(f"Expected {name} to lie between 0 and {most:g}, got {each.value:g}.")
        whole = self.total(self.whole)
        if by != "requests" and not whole.weight(by):
            what = "has a known price" if by == "money" else "runs on your own GPU"
            raise StudyError(f"The study cannot be planned with by={by}: no model of it {what}.")

    @cached_property
    def blocks(self) -> tuple[BenchmarkBlock, ...]:
        """The blocks of the study."""
        return self.source.blocks(self.wanted)

    @property
    def power(self) -> float:
        """The power required of every verdict."""
        return self.wanted.power

    @property
    def by(self) -> By:
        """The cost to be minimised."""
        return self.wanted.by

    def levels(self) -> Iterator[Level]:
        """Yield the least cost for several changes to find, and for several powers."""
        for change in CHANGES:
            words = f"a change of {100 * change:g} points, power {self.power:.0%}"
            yield replace(self, wanted=self.wanted._replace(change=change))._level(words)
        for power in POWERS:
            words = f"each test's own margin, power {power:.0%}"
            yield replace(self, wanted=self.wanted._replace(change=None, power=power))._level(words)

    def _level(self, words: str) -> Level:
        return Level(words, self.total(self.least), *self.count_powered())

    def at_the_ends(self) -> list[Cost]:
        """List the least costs at the ends of the estimates' 95% CIs; empty without estimates."""
        if not any(each.estimated for each in self.wanted.about[1:]):
            return []
        moved = (
            replace(self, wanted=self.wanted._replace(about=self.wanted.about.at_interval_end(end)))
            for end in ("low", "high")
        )
        return [each.total(each.least) for each in moved]

    @cached_property
    def whole(self) -> dict[tuple[str, str], Size]:
        """The design in full, as the study defines it."""
        return {(block.name, each.test): block.most for block in self.blocks for each in block.askings}

    @cached_property
    def least(self) -> dict[tuple[str, str], Size]:
        """The cheapest design in which every verdict keeps the required power."""
        return {
            (block.name, test): size
            for block in self.blocks
            for test, size in block.allocation(self.by).least(self.power).items()
        }

    def total(self, design: Design) -> Cost:
        """Return the cost of a design."""
        total = Cost()
        for block in self.blocks:
            total = total.plus(block.cost({each.test: design[block.name, each.test] for each in block.askings}))
        return total

    def askings(self) -> Iterator[tuple[BenchmarkBlock, VerdictNeeds]]:
        """Yield every test on every block."""
        return ((block, each) for block in self.blocks for each in block.askings)

    def by_test(self) -> dict[str, list[tuple[BenchmarkBlock, VerdictNeeds]]]:
        """Return the blocks of each test that has a verdict."""
        found: dict[str, list[tuple[BenchmarkBlock, VerdictNeeds]]] = {}
        for block, each in self.askings():
            if each.claims:
                found.setdefault(each.test, []).append((block, each))
        return found

    def too_few(self) -> list[tuple[BenchmarkBlock, VerdictNeeds]]:
        """List the verdicts that lack the required power even in full."""
        tested = ((block, each) for block, each in self.askings() if each.claims)
        return [(block, each) for block, each in tested if not each.choices(self.power, block.most)]

    def without_formula(self) -> list[str]:
        """List the tests asked in full because no formula is known."""
        return list(dict.fromkeys(each.test for _, each in self.askings() if each.claims is None))

    def count_powered(self) -> tuple[int, int]:
        """Count the verdicts with enough power in full, and all verdicts."""
        of = sum(block.count * self.source.size for block, each in self.askings() if each.claims)
        return of - sum(block.count * self.source.size for block, _ in self.too_few()), of

    def steps(self) -> list[SavingStep]:
        """List the savings in order; every verdict keeps the required power after each.

        The last step reaches the cheapest design.
        """
        state: dict[tuple[str, str], Size] = dict(self.whole)
        steps: list[SavingStep] = []
        moves, total = dict(self._moves), self.total(self.whole)
        while moves:
            best = max(moves, key=lambda move: self._worth(state, *move))
            keys, what = moves.pop(best), best[1]
            then = self._drop(state, keys, what)
            cost, power = self.total(then), self._power(state, then, keys)
            sizes = tuple((state[key], then[key]) for key in keys)
            asked = {name for name, _ in keys}
            count = sum(block.count for block in self.blocks if block.name in asked)
            named = ", ".join(dict.fromkeys(test for _, test in keys))
            steps.append(SavingStep(named, what, count, sizes, total.plus(cost.times(-1)), cost, power))
            state, total = then, cost
        return steps

    @cached_property
    def _moves(self) -> dict[tuple[str, What], list[tuple[str, str]]]:
        """Return, by test and kind of saving, the blocks on which it applies."""
        found: dict[tuple[str, What], list[tuple[str, str]]] = {}
        for key, size in self.least.items():
            full = self.whole[key]
            dropped: list[What] = ["test"] if size == NOTHING else []
            if not dropped:
                dropped += ["repeats"] * (size.repeats < full.repeats)
                dropped += ["items"] * (size.items < full.items)
            for what in dropped:
                found.setdefault(("" if what == "test" else key[1], what), []).append(key)
        return found

    def _drop(self, state: Design, keys: Sequence[tuple[str, str]], what: What) -> dict[tuple[str, str], Size]:
        then = dict(state)
        for key in keys:
            then[key] = NOTHING if what == "test" else state[key]._replace(**{what: getattr(self.least[key], what)})
        return then

    def _power(self, before: Design, after: Design, keys: Sequence[tuple[str, str]]) -> tuple[float, float] | None:
        """Return the lowest power among these tests, before and after."""
        found = [
            [power for key in keys if (power := self._asking[key].power(design[key])) is not None]
            for design in (before, after)
        ]
        return (min(found[0]), min(found[1])) if found[0] and self._asking[keys[0]].claims else None

    def _worth(self, state: Design, test: str, what: What) -> tuple[bool, bool, float]:
        """Rank a saving: first those without loss of verdict or power, then by cost saved per power lost."""
        keys = self._moves[test, what]
        then = self._drop(state, keys, what)
        saved = sum(self._weight(name, state) - self._weight(name, then) for name in {name: 0 for name, _ in keys})
        power = self._power(state, then, keys)
        lost = 0.0 if power is None else max(0.0, power[0] - power[1])
        return (what == "test", lost < NO_LOSS and saved > 0, saved if lost < NO_LOSS else saved / lost)

    def _weight(self, name: str, design: Design) -> float:
        block, allocation = self._blocks[name]
        return block.count * allocation.cost({each.test: design[name, each.test] for each in block.askings})

    @cached_property
    def _blocks(self) -> dict[str, tuple[BenchmarkBlock, Allocation]]:
        return {block.name: (block, block.allocation(self.by)) for block in self.blocks}

    @cached_property
    def _asking(self) -> dict[tuple[str, str], VerdictNeeds]:
        return {(block.name, each.test): each for block, each in self.askings()}


LARGEST_WITHIN = 0.25
"""Maximum variance within an item: that of a coin flip."""
NO_LOSS = 0.0005
"""Loss of power too small to show in printed numbers."""


def merge_blocks(blocks: Sequence[BenchmarkBlock]) -> tuple[BenchmarkBlock, ...]:
    """Merge blocks that differ only in their names."""
    found: dict[object, BenchmarkBlock] = {}
    for block in blocks:
        key = (block.most, block.conditions, block.askings)
        if old := found.get(key):
            block = replace(old, name=f"{old.name}, {block.name}", count=old.count + block.count)
        found[key] = block
    return tuple(found.values())
