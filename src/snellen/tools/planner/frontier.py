"""Frontier: what a large study costs, what can be dropped without a verdict losing its power, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Literal, NamedTuple, Protocol, get_args

from snellen.errors import StudyError
from snellen.models.prices import Price
from snellen.models.request_tokens import CHARACTERS, Range
from snellen.models.request_tokens import NOTHING as NO_TOKENS
from snellen.tools.planner.claims import Assumptions, Claim, Gpu, constant


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


By = Literal["requests", "money", "gpu"]
"""What is to be as small as possible."""


class Cost(NamedTuple):
    """What responses cost; bytes are those of the store."""

    requests: float = 0.0
    read: Range = NO_TOKENS
    written: Range = NO_TOKENS
    dollars: Range = NO_TOKENS
    """Of the models whose price is known."""
    gpu_seconds: Range = NO_TOKENS
    """Of the models that run on a GPU of one's own."""
    stored: Range = NO_TOKENS

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(self.requests + other.requests, *(a.plus(b) for a, b in zip(self[1:], other[1:], strict=True)))

    def times(self, count: float) -> Cost:
        """So many of them."""
        return Cost(self.requests * count, *(each.times(count) for each in self[1:]))

    def weight(self, by: By) -> float:
        """What is to be as small as possible, of a range its middle."""
        if by == "requests":
            return self.requests
        return sum(self.dollars if by == "money" else self.gpu_seconds) / 2


class Asked(NamedTuple):
    """What one response of a model takes: a model that is priced, one on a GPU, or neither."""

    price: Price | None = None
    gpu: Gpu | None = None

    def cost(self, read: Range, written: Range) -> Cost:
        """What one request of so many tokens costs."""
        price, gpu = self.price, self.gpu
        dollars = Range(*(price.of(*each) for each in zip(read, written, strict=True))) if price else NO_TOKENS
        texts = written.times(CHARACTERS * constant("storage", "character").value)
        stored = texts.plus(2 * (constant("storage", "response").value,))
        return Cost(1, read, written, dollars, gpu.seconds(read, written) if gpu else NO_TOKENS, stored)


@dataclass(frozen=True)
class Condition:
    """One condition of a benchmark: what one item asked once of every model costs, and what each item adds."""

    name: str
    once: Cost
    kept: float = 0.0
    """Bytes of the store for each item, whatever number of models and repeats: its question, and an image if made."""


@dataclass(frozen=True)
class Block:
    """Benchmarks that are asked alike, so many of them; the conditions and tests of each."""

    name: str
    count: int
    most: Size
    conditions: tuple[Condition, ...]
    askings: tuple[Asking, ...]

    def allocation(self, by: By) -> Allocation:
        """What there is to be chosen; a condition that costs nothing by this measure weighs next to nothing."""
        weights = {each.name: each.once.weight(by) for each in self.conditions}
        tiny = 1e-9 * max([*weights.values(), 1.0])
        return Allocation(self.askings, {name: max(weight, tiny) for name, weight in weights.items()}, self.most)

    def cost(self, sizes: Mapping[str, Size]) -> Cost:
        """What all benchmarks of the block cost."""
        total, arms = Cost(), self.allocation("requests")
        items = 0
        for each in self.conditions:
            asked = arms.of_arm(each.name, sizes)
            total = total.plus(each.once.times(area(asked)))
            reach = max((size.items for size in asked), default=0)
            total = total.plus(Cost(stored=Range(each.kept * reach, each.kept * reach)))
            items = max(items, reach)
        own = constant("storage", "item").value * items
        return total.plus(Cost(stored=Range(own, own))).times(self.count)


Design = Mapping[tuple[str, str], Size]
"""By block and test, how many items are asked and how often."""


What = Literal["test", "repeats", "items"]


class Step(NamedTuple):
    """One thing to drop on all benchmarks that it is asked of: how much it saves in this place, what power is left."""

    test: str
    what: What
    benchmarks: int
    sizes: tuple[tuple[Size, Size], ...]
    """Before and after, for each kind of benchmark."""
    saved: Cost
    left: Cost
    power: tuple[float, float] | None
    """The least of the test's verdicts, before and after; None where it has none."""

    @property
    def words(self) -> str:
        """What is dropped, in words."""
        if self.what == "test":
            return f"{self.test}: no verdict rests on {'them' if ', ' in self.test else 'it'}"
        if self.what == "repeats":
            before, after = (" or ".join(times(each) for each in sorted(set(ends))) for ends in self._ends("repeats"))
            return f"{self.test}: each item {after} instead of {before}"
        before, after = (_from_to(ends) for ends in self._ends("items"))
        return f"{self.test}: {after} of {before} items"

    def _ends(self, what: str) -> tuple[list[int], list[int]]:
        before, after = ([getattr(pair[end], what) for pair in self.sizes] for end in (0, 1))
        return before, after


def _from_to(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def times(count: int) -> str:
    """How often, in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


class Wanted(NamedTuple):
    """What a plan is for: how models are taken to answer, what every verdict is to tell, and what is to be small."""

    about: Assumptions
    power: float = 0.8
    change: float | None = None
    """The change of accuracy that is to be found, in place of each test's own margin."""
    by: By = "requests"
    family: int | None = None
    """So many p-values are corrected together; by default, all of a model and benchmark."""


class Source(Protocol):
    """A study on paper, or one that is planned."""

    @property
    def size(self) -> int:
        """How many models it asks."""

    def blocks(self, wanted: Wanted) -> tuple[Block, ...]:
        """What it asks of which benchmarks, and what each verdict is to tell."""

    def words(self) -> Iterator[str]:
        """What is to be said of how it was counted, a sentence each."""


class Level(NamedTuple):
    """A point of the frontier: what is asked for, what it costs at least, and how many verdicts reach it."""

    words: str
    cost: Cost
    reached: int
    of: int


CHANGES = (0.025, 0.05, 0.075, 0.1, 0.15, 0.2)
POWERS = (0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Frontier:
    """What a study costs as it is and at least, and the steps from one to the other."""

    source: Source
    wanted: Wanted

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
            what = "has a known price" if by == "money" else "runs on a GPU of one's own"
            raise StudyError(f"Nothing can be planned by={by}: no model of this study {what}.")

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """What is asked of which benchmarks."""
        return self.source.blocks(self.wanted)

    @property
    def power(self) -> float:
        """The power that every verdict is to have."""
        return self.wanted.power

    @property
    def by(self) -> By:
        """What is to be as small as possible."""
        return self.wanted.by

    def levels(self) -> Iterator[Level]:
        """The least cost for each change that is to be found, and for other powers at each test's own margin."""
        for change in CHANGES:
            words = f"a change of {100 * change:g} points, power {self.power:.0%}"
            yield replace(self, wanted=self.wanted._replace(change=change))._level(words)
        for power in POWERS:
            words = f"each test's own margin, power {power:.0%}"
            yield replace(self, wanted=self.wanted._replace(change=None, power=power))._level(words)

    def _level(self, words: str) -> Level:
        return Level(words, self.total(self.least), *self.reached())

    def at_the_ends(self) -> list[Cost]:
        """The least cost if what was estimated is at the ends of its 95% CI; empty where nothing was."""
        if not any(each.estimated for each in self.wanted.about[1:]):
            return []
        moved = (replace(self, wanted=self.wanted._replace(about=self.wanted.about.at(end))) for end in ("low", "high"))
        return [each.total(each.least) for each in moved]

    @cached_property
    def whole(self) -> dict[tuple[str, str], Size]:
        """Everything asked, as the study says."""
        return {(block.name, each.test): block.most for block in self.blocks for each in block.askings}

    @cached_property
    def least(self) -> dict[tuple[str, str], Size]:
        """The least cost at which no verdict falls below the power."""
        return {
            (block.name, test): size
            for block in self.blocks
            for test, size in block.allocation(self.by).least(self.power).items()
        }

    def total(self, design: Design) -> Cost:
        """What a design costs."""
        total = Cost()
        for block in self.blocks:
            total = total.plus(block.cost({each.test: design[block.name, each.test] for each in block.askings}))
        return total

    def askings(self) -> Iterator[tuple[Block, Asking]]:
        """Every test on every block."""
        return ((block, each) for block in self.blocks for each in block.askings)

    def by_test(self) -> dict[str, list[tuple[Block, Asking]]]:
        """Every test that has a verdict, with the benchmarks that it is asked of."""
        found: dict[str, list[tuple[Block, Asking]]] = {}
        for block, each in self.askings():
            if each.claims:
                found.setdefault(each.test, []).append((block, each))
        return found

    def too_few(self) -> list[tuple[Block, Asking]]:
        """The verdicts that have less than the power even if everything is asked."""
        return [
            (block, each) for block, each in self.askings() if each.claims and not each.choices(self.power, block.most)
        ]

    def without_formula(self) -> list[str]:
        """The tests that are kept whole because no formula is known."""
        return list(dict.fromkeys(each.test for _, each in self.askings() if each.claims is None))

    def reached(self) -> tuple[int, int]:
        """How many verdicts have the power if everything is asked, and how many there are."""
        of = sum(block.count * self.source.size for block, each in self.askings() if each.claims)
        return of - sum(block.count * self.source.size for block, _ in self.too_few()), of

    def steps(self) -> list[Step]:
        """What to drop, in order: tests without a verdict, what costs no power, what saves most for a point of power.

        Every state on the way keeps the power of every verdict; the last one is the least.
        """
        state: dict[tuple[str, str], Size] = dict(self.whole)
        steps: list[Step] = []
        moves, total = self._moves(), self.total(self.whole)
        while moves:
            best = max(moves, key=lambda move: self._worth(state, *move))
            keys, what = moves.pop(best), best[1]
            then = self._after(state, keys, what)
            cost, power = self.total(then), self._power(state, then, keys)
            sizes = tuple((state[key], then[key]) for key in keys)
            asked = {name for name, _ in keys}
            count = sum(block.count for block in self.blocks if block.name in asked)
            named = ", ".join(dict.fromkeys(test for _, test in keys))
            steps.append(Step(named, what, count, sizes, total.plus(cost.times(-1)), cost, power))
            state, total = then, cost
        return steps

    def _moves(self) -> dict[tuple[str, What], list[tuple[str, str]]]:
        """By test, what of it is less in the end, and on which blocks."""
        found: dict[tuple[str, What], list[tuple[str, str]]] = {}
        for key, size in self.least.items():
            full = self.whole[key]
            dropped: list[What] = ["test"] if size == NOTHING else []
            if not dropped:
                dropped += ["repeats"] if size.repeats < full.repeats else []
                dropped += ["items"] if size.items < full.items else []
            for what in dropped:
                found.setdefault(("" if what == "test" else key[1], what), []).append(key)
        return found

    def _after(self, state: Design, keys: Sequence[tuple[str, str]], what: What) -> dict[tuple[str, str], Size]:
        then = dict(state)
        for key in keys:
            then[key] = NOTHING if what == "test" else state[key]._replace(**{what: getattr(self.least[key], what)})
        return then

    def _power(self, before: Design, after: Design, keys: Sequence[tuple[str, str]]) -> tuple[float, float] | None:
        """The least power among these tests, before and after."""
        found = [
            [power for key in keys if (power := self._asking[key].power(design[key])) is not None]
            for design in (before, after)
        ]
        return (min(found[0]), min(found[1])) if found[0] and self._asking[keys[0]].claims else None

    def _worth(self, state: Design, test: str, what: What) -> tuple[bool, bool, float]:
        """Whether it has no verdict, whether it costs no power, and what it saves for each point that it costs."""
        keys = self._moves_once[test, what]
        then = self._after(state, keys, what)
        saved = sum(self._weight(name, state) - self._weight(name, then) for name in {name: 0 for name, _ in keys})
        power = self._power(state, then, keys)
        lost = 0.0 if power is None else max(0.0, power[0] - power[1])
        return (what == "test", lost < NO_LOSS and saved > 0, saved if lost < NO_LOSS else saved / lost)

    def _weight(self, name: str, design: Design) -> float:
        block, allocation = self._blocks[name]
        return block.count * allocation.cost({each.test: design[name, each.test] for each in block.askings})

    @cached_property
    def _moves_once(self) -> dict[tuple[str, What], list[tuple[str, str]]]:
        return self._moves()

    @cached_property
    def _blocks(self) -> dict[str, tuple[Block, Allocation]]:
        return {block.name: (block, block.allocation(self.by)) for block in self.blocks}

    @cached_property
    def _asking(self) -> dict[tuple[str, str], Asking]:
        return {(block.name, each.test): each for block, each in self.askings()}


LARGEST_WITHIN = 0.25
"""The variance of a coin: no response varies more within its item."""
NO_LOSS = 0.0005
"""A verdict that loses less power than this loses none that is printed."""


def merged(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Blocks that differ in nothing but their names, as one."""
    found: dict[object, Block] = {}
    for block in blocks:
        key = (block.most, block.conditions, block.askings)
        old = found.get(key)
        found[key] = (
            block if old is None else replace(old, name=f"{old.name}, {block.name}", count=old.count + block.count)
        )
    return tuple(found.values())
