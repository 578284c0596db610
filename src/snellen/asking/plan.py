"""Plan: a study with its names resolved, and which arm asks which item.

An "arm" is one condition with one prompt and one set of settings; it "applies" to an item if its condition can change
it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from snellen.asking.examples import Solved, solve_item
from snellen.asking.repeats import Repeats, Runs, draw_repeated
from snellen.conditions import Condition, ImportedCondition, Pool, Variant, generator, vary
from snellen.errors import DataError, Inapplicable, StudyError
from snellen.images import USUAL_SIDE
from snellen.items import Benchmark, Item, Kind
from snellen.models.base import Model
from snellen.models.prices import Price
from snellen.prompts import PROVIDER_DEFAULTS, REPORT, WITH_STEPS, Arm, Prompt, Settings
from snellen.runtime import counted, html_table, visible
from snellen.store import Store
from snellen.stress.design import USUAL_THRESHOLDS, Design, Fallback, Thresholds, asked_of

if TYPE_CHECKING:
    from snellen.stats import Human

COUNTED_WHOLE, COUNTED_ON = 10_000, 1_000
"""Benchmarks up to the first number of items are counted in full. For larger ones, the second number is sampled."""


@dataclass(frozen=True)
class ResolvedArm:
    """An arm with its final prompt and settings."""

    name: str
    arm: Arm
    prompt: Prompt
    settings: Settings
    kind: Kind = "choice"
    """The kind of question that this arm asks."""
    by_reference: bool = False
    """True if responses are compared with reference answers."""
    image_side: int | None = USUAL_SIDE
    """Longest side of a sent image in pixels; larger images are scaled down. None sends the original size."""
    examples: tuple[Solved, ...] = ()
    """Solved questions before each question."""

    def record(self, seed: int) -> dict[str, object]:
        """Return everything that decides what this arm asks, for store and digest."""
        return {
            "condition": self.arm.condition.identity,
            "prompt": self._wording(),
            "settings": self.settings.chosen,
            "seed": seed,
            "kinds": [self.kind],
            **({"read": self.kind} if self.by_reference else {}),
            **({"image_side": self.image_side} if self.image_side != USUAL_SIDE else {}),
            **({"examples": [each.record for each in self.examples]} if self.examples else {}),
        }

    def _wording(self) -> dict[str, object]:
        """Return the wording of the arm's prompt, including wordings for other kinds of tasks.

        Wordings for open questions are left out if the arm asks questions with options, so they do not change its
        digest.
        """
        words = _words(self.prompt)
        tasks = {name: each for name, each in self.prompt.tasks.items() if name != "report"}
        if self.kind == "report":
            tasks = {} if self.prompt.of_reports else {"report": self.prompt.tasks.get("report", REPORT)}
        elif self.kind == "choice":
            tasks = {name: each for name, each in tasks.items() if each.words_choices}
        elif self.prompt.shows_options:
            tasks = {"open": self.prompt.without_options, **tasks}
        return {**words, "tasks": {name: _words(each) for name, each in tasks.items()}} if tasks else words

    def vary(self, item: Item, *, seed: int, pool: Pool, drawn: Mapping[str, Any] | None = None) -> Variant:
        """Return the item under this arm, using an earlier draw `drawn`. Inapplicable if it does not apply."""
        if item.kind != self.kind:
            raise Inapplicable(_NOT_ASKED[self.kind])
        return vary(item, self.arm.condition, seed=seed, pool=pool, drawn=drawn)

    def digest(self, benchmark_digest: str, seed: int) -> str:
        """Return the arm's digest; equal digests mean equal requests for the same items."""
        parts = (benchmark_digest, self.name, self.record(seed))
        return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _words(prompt: Prompt) -> dict[str, object]:
    words: dict[str, object] = {"name": prompt.name, "system": prompt.system, "user": prompt.user}
    others = {name: _words(each) for name, each in prompt.tasks.items()} if prompt.images else {}
    told = {"translations": dict(prompt.translations), "tasks": others}
    return words | {name: each for name, each in told.items() if each}


_NOT_ASKED: dict[Kind, str] = {
    "choice": "the tests of this study ask questions with options only",
    "open": "only open questions are asked here",
    "report": "only reports are asked for here",
}


_ASKED: dict[Kind, str] = {
    "choice": "questions with options",
    "open": "open questions",
    "report": "reports (items of the kind report)",
}


class TestCount(NamedTuple):
    """Number of requests of one test on one benchmark; `shared` ones also serve earlier tests.

    `inapplicable` maps each reason to the most items that it removes from one arm. `under` maps a reason to the
    conditions that it concerns, unless it concerns all.
    """

    benchmark: str
    test: str
    requests: int
    shared: int
    items: int
    asked: int
    """Items that the test asks under at least one condition."""
    inapplicable: dict[str, int]
    under: dict[str, str]
    simulated: str
    """Test, or its version with the fallback condition, whose power is simulated."""
    observed: int
    """Independent responses in each comparison."""
    chance: float
    """Accuracy of random guessing."""
    counted_on: int | None = None
    """The number of items that were sampled if counts are scaled up. None if all were counted."""
    by_text: Mapping[str, int] = MappingProxyType({})
    """Most items of one arm matched by text and images only, by missing column."""
    repeated: int = 0
    """Requests that ask an item one more time."""


class ArmCount(NamedTuple):
    """Items and images that an arm asks, and the reasons why items are left out."""

    asked: int
    with_image: int
    inapplicable: Counter[str]
    by_text: Counter[str]
    """Items that are matched by text and images only, by missing column."""

    def scale(self, times: float) -> ArmCount:
        """Return the counts multiplied by `times`."""
        if times == 1:
            return self
        reasons, by_text = (
            Counter({name: round(count * times) for name, count in each.items()})
            for each in (self.inapplicable, self.by_text)
        )
        return ArmCount(round(self.asked * times), round(self.with_image * times), reasons, by_text)


@dataclass(frozen=True)
class Plan:
    """Plan of a study: which models are asked which questions, and how often."""

    benchmarks: tuple[Benchmark, ...]
    models: tuple[Model, ...]
    tests: tuple[Design, ...]
    prompt: Prompt
    settings: Settings
    protocol: Settings = PROVIDER_DEFAULTS
    """Settings from the paper of a suite; `settings` override them."""
    seed: int = 0
    epochs: int = 1
    limit: int | None = None
    parser: str = "lenient"
    human: Human | None = None
    thresholds: Thresholds = USUAL_THRESHOLDS
    image_side: int | None = USUAL_SIDE
    """Longest side of a sent image in pixels; larger images are scaled down. None sends the original size."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Models that are compared as a group, by the group's name."""
    until_settled: bool = False
    """True if asking about a benchmark stops once all verdicts on a model are settled."""
    examples: tuple[Item, ...] = ()
    """Solved questions before each question of their kind; they are never asked themselves."""
    repeat: bool = False
    """True if tests may ask some items a second time. It applies if each item is asked once."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices that override the price table, by the model's name here or at the provider."""
    batch: bool = False
    """True if questions are sent through the providers' batch APIs."""
    out: Path | None = None
    """Folder where the responses are stored."""
    _repeats: dict[str, Repeats] = field(default_factory=dict, init=False, compare=False)
    _fallbacks: dict[tuple[str, Fallback], bool] = field(default_factory=dict, init=False, compare=False)
    _pools: dict[str, Pool] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        for what, names in (
            ("models", [model.name for model in self.models]),
            ("benchmarks", [benchmark.name for benchmark in self.benchmarks]),
            ("tests", [test.name for test in self.tests]),
        ):
            if not names:
                raise StudyError(f"The study names no {what}.")
            if twice := [name for name, count in Counter(names).items() if count > 1]:
                raise StudyError(f"The study names some {what} twice: {', '.join(twice)}.")
        for benchmark in self.benchmarks:
            _check(benchmark)
            if not self.tests_of(benchmark):
                raise StudyError(f"No test of this study applies to {benchmark.name!r}: {self._why_not(benchmark)}.")
        for test in self.tests:
            if not any(test in self.tests_of(benchmark) for benchmark in self.benchmarks):
                raise StudyError(f"The test {test.name!r} needs a benchmark with {_ASKED[test.item_kind]}. Add one.")
            self._check_choice(test)
        known = {model.name for model in self.models}
        for group, members in self.groups.items():
            if strangers := [name for name in members if name not in known]:
                raise StudyError(f"The group {group!r} names {strangers[0]!r}, which is not a model of this study.")
        if self.until_settled and not any(map(self.in_rounds, self.benchmarks)):
            raise StudyError(
                "until_settled works only for questions with options from a benchmark, and this study has none. Remove "
                "until_settled."
            )
        if self.epochs < 1 or (self.limit is not None and self.limit < 1):
            raise StudyError(f"Expected at least one epoch and one item, got epochs={self.epochs}, limit={self.limit}.")
        if self.examples:
            self._check_examples()

    def _check_choice(self, test: Design) -> None:
        """Raise StudyError if a test's settings fit no item of any benchmark."""
        if test.explain_mismatch is None:
            return
        asked = {
            each.name: each.items[: self.count_wanted(each)] for each in self.benchmarks if test in self.tests_of(each)
        }
        problems = {name: test.explain_mismatch(items) for name, items in asked.items()}
        if all(problems.values()):
            name, problem = next(iter(problems.items()))
            raise StudyError(
                f"The test {test.name!r} selects none of the items asked from {name!r}: {problem}. Fix its list or "
                "rating, or remove the test."
            )

    def _check_examples(self) -> None:
        """Raise StudyError if a model cannot be shown the examples or no question has them."""
        for model in self.models:
            if not model.takes_examples:
                raise StudyError(f"{model.name} accepts no examples. Remove the examples or the model.")
            if model.text_only and (shown := [item.id for item in self.examples if item.images]):
                raise StudyError(
                    f"{model.name} takes no images, and the example {shown[0]!r} has one. Leave out the model, or "
                    "choose examples without images."
                )
        if not any(arm.examples for benchmark in self.benchmarks for arm in self.arms_of(benchmark)):
            kinds = " and ".join(dict.fromkeys(_ASKED[item.kind] for item in self.examples))
            raise StudyError(f"The examples are {kinds}, and this study asks none of these.")

    def in_rounds(self, benchmark: Benchmark) -> bool:
        """Return whether asking a benchmark stops when its verdicts are settled.

        Open answers are graded later by judges, and questions that a test adds are few, so both are asked in full.
        """
        tests = self.tests_of(benchmark)
        return self.until_settled and benchmark.kind == "choice" and not any(t.questions or t.whole for t in tests)

    def tests_of(self, benchmark: Benchmark) -> list[Design]:
        """Return the tests that ask questions of a benchmark."""
        return asked_of(self.tests, benchmark.name, benchmark.kind)

    def _why_not(self, benchmark: Benchmark) -> str:
        if all(test.questions for test in self.tests):
            names, several = ", ".join(test.name for test in self.tests), len(self.tests) > 1
            return f"{names} {'bring questions of their own' if several else 'brings questions of its own'}"
        if benchmark.kind == "report":
            return "it asks for reports, and these tests ask questions. Add the test reports"
        if benchmark.kind == "open":
            return "its questions are open, and these tests need options. Add the test open-answers"
        return "its questions have options, and these tests ask open ones, or for reports"

    def epochs_of(self, benchmark: Benchmark) -> int:
        """Return the repeats of each item. If the limit cannot reduce the items, it reduces the repeats."""
        most = max(test.epochs or self.epochs for test in self.tests_of(benchmark))
        return most if self.limit is None or not self._asks_all_items(benchmark) else min(most, self.limit)

    def repeats_of(self, benchmark: Benchmark) -> Repeats:
        """Return the repeats of each item of a benchmark, by arm."""
        if benchmark.name not in self._repeats:
            epochs = self.epochs_of(benchmark)
            tests = [test for test in self.tests_of(benchmark) if self.repeat and epochs == 1 and test.repeated]
            arms = tuple(dict.fromkeys(arm.name for test in tests for arm in test.all_arms))
            asked, most = self.count_wanted(benchmark), max((test.repeated for test in tests), default=0)
            again = draw_repeated(benchmark.items, asked, most, self.seed) if tests else ()
            self._repeats[benchmark.name] = Repeats(asked, epochs, arms, again)
        return self._repeats[benchmark.name]

    def count_runs(self, benchmark: Benchmark, arms: Sequence[ResolvedArm]) -> Runs:
        """Return the repeats of each item under arms with identical requests."""
        repeats = self.repeats_of(benchmark)
        runs: Runs = np.maximum.reduce([repeats.count_runs(arm.name) for arm in arms])
        return runs

    def limit_of(self, benchmark: Benchmark) -> int | None:
        """Return the most items of a benchmark to ask; None for all."""
        return None if self._asks_all_items(benchmark) else benchmark.limit or self.limit

    def _asks_all_items(self, benchmark: Benchmark) -> bool:
        return any(test.whole for test in self.tests_of(benchmark))

    def arms_of(self, benchmark: Benchmark) -> tuple[ResolvedArm, ...]:
        """Return every arm of every test on a benchmark, without duplicates."""
        return self._arms[benchmark.name]

    def group_arms(self, benchmark: Benchmark) -> list[list[ResolvedArm]]:
        """Return the arms of a benchmark, those with identical requests together."""
        alike: dict[bytes, list[ResolvedArm]] = {}
        for arm in self.arms_of(benchmark):
            alike.setdefault(orjson.dumps(arm.record(self.seed)), []).append(arm)
        return list(alike.values())

    @cached_property
    def _arms(self) -> dict[str, tuple[ResolvedArm, ...]]:
        return {benchmark.name: tuple(self._resolve_arms(benchmark).values()) for benchmark in self.benchmarks}

    def _resolve_arms(self, benchmark: Benchmark) -> dict[str, ResolvedArm]:
        arms: dict[str, ResolvedArm] = {}
        for test in self.tests_of(benchmark):
            for arm in self.arms_of_test(test, benchmark):
                resolved = self._resolve(arm, benchmark, test)
                if arms.setdefault(arm.name, resolved) != resolved:
                    raise StudyError(f"Two tests have different conditions named {arm.name!r}. Rename one of them.")
        return arms

    def arms_of_test(self, test: Design, benchmark: Benchmark) -> tuple[Arm, ...]:
        """Return every arm that a test asks on a benchmark."""
        back = test.fallback
        if back is None:
            return test.all_arms
        key = (benchmark.name, back)
        if key not in self._fallbacks:
            enough = self._applies_to(back.unless, benchmark, back.fewest)
            self._fallbacks[key] = not enough and self._applies_to(back.arm.condition, benchmark, 1)
        return test.possible_arms if self._fallbacks[key] else test.all_arms

    def _applies_to(self, condition: Condition, benchmark: Benchmark, fewest: int) -> bool:
        """Return whether a condition applies to enough items; for large benchmarks, a sample is checked."""
        asked, pool, found = self.count_wanted(benchmark), self.pool_of(benchmark), 0
        some = looked_at_of(asked, COUNTED_ON, whole=COUNTED_ON)
        for item in (benchmark.items[place] for place in some):
            with suppress(Inapplicable):
                rng = generator(self.seed, condition.stream, item.id)
                condition.draw(condition.equip(item, pool), rng, pool)
                found += 1
            if found * asked >= fewest * len(some):
                return True
        return False

    def _resolve(self, arm: Arm, benchmark: Benchmark, test: Design) -> ResolvedArm:
        kind: Kind = "open" if test.questions else test.item_kind
        if isinstance(arm.condition, ImportedCondition):
            raise StudyError(f"The condition {arm.name!r} is known only from imported answers; it cannot be asked.")
        settings = arm.asked_with(self.settings, self.protocol)
        prompt = arm.asked_by(self.prompt, benchmark.name.partition(":")[0], benchmark.about.get("prompts", {}))
        self._check_wording(arm, benchmark, kind, prompt)
        return ResolvedArm(
            arm.name,
            arm,
            # Only the languages in use are kept: a better Italian wording must not change the digest of a study in
            # English.
            prompt.keep_languages(self._languages).fit_items(benchmark.items),
            settings,
            kind,
            by_reference=kind != "choice" and not test.questions,
            image_side=self.image_side,
            examples=()
            if test.questions
            else tuple(solve_item(each, prompt) for each in self.examples if each.kind == kind),
        )

    def _check_wording(self, arm: Arm, benchmark: Benchmark, kind: Kind, prompt: Prompt) -> None:
        """Raise StudyError if the prompt cannot ask the benchmark's questions as the condition requires."""
        if kind == "choice" and not prompt.shows_options:
            if not prompt.in_words:
                raise StudyError(
                    f"The prompt {prompt.name!r} does not show the options of a question. Add {{options}} to it."
                )
            if "options" in arm.condition.changes:
                raise StudyError(
                    f"The condition {arm.name!r} changes the options of {benchmark.name!r}, and the prompt "
                    f"{prompt.name!r} does not show them. Choose another --prompt, or another test."
                )
        if arm.rewording == WITH_STEPS:
            lacks = kind != "choice" and kind not in prompt.tasks
            tasks = benchmark.about.get("prompts", {})
            own = self.prompt.with_tasks(tasks).tasks
            if lacks or any(kind != "choice" or own[name].words_choices for name in tasks):
                words = f"the prompt {prompt.name!r} has" if lacks else f"{benchmark.name!r} brings"
                raise StudyError(
                    f"The condition {arm.name!r} asks for steps before an answer, but {words} no wording for them. "
                    "Choose another --prompt, or another test."
                )

    @cached_property
    def _languages(self) -> frozenset[str]:
        return frozenset(item.language for benchmark in self.benchmarks for item in benchmark)

    def count_wanted(self, benchmark: Benchmark) -> int:
        """Return how many of the benchmark's items are asked: the first `limit`."""
        return min(len(benchmark), self.limit_of(benchmark) or len(benchmark))

    def sends_images(self, benchmark: Benchmark) -> bool:
        """Return whether any request of a benchmark has an image. Conditions are drawn until one has."""
        pool, items = self.pool_of(benchmark), benchmark.items[: self.count_wanted(benchmark)]
        return any(self._count_arm(arm, items, pool).with_image for arm in self.arms_of(benchmark))

    def pool_of(self, benchmark: Benchmark) -> Pool:
        """Return all items of a benchmark, from which conditions draw; they are sorted once."""
        if benchmark.name not in self._pools:
            self._pools[benchmark.name] = Pool(benchmark.items)
        return self._pools[benchmark.name]

    def not_sent(self) -> dict[str, dict[str, float | int | str]]:
        """Return the requested settings that a model does not support, by model."""
        wanted = [arm.settings for benchmark in self.benchmarks for arm in self.arms_of(benchmark)]
        found = {
            model.name: {name: each.chosen[name] for each in wanted for name in model.untaken(each)}
            for model in self.models
        }
        return {name: settings for name, settings in found.items() if settings}

    def counts(self) -> Iterator[TestCount]:
        """Yield the request counts of each test. It draws every condition, but sends nothing and makes no image.

        For benchmarks with many items, a random sample is counted and the numbers are scaled up.
        """
        for benchmark in self.benchmarks:
            items = benchmark.items[: self.count_wanted(benchmark)]
            pool = self.pool_of(benchmark)
            some = [items[place] for place in looked_at_of(len(items), COUNTED_ON, whole=COUNTED_WHOLE)]
            looked = {arm.name: self._count_arm(arm, some, pool) for arm in self.arms_of(benchmark)}
            drawn = {name: each.scale(len(items) / len(some)) for name, each in looked.items()}
            reasons = {name: each.inapplicable for name, each in drawn.items()}
            seen: set[bytes] = set()
            again = self._count_again(benchmark)
            # Open questions that are not asked would lower the chance of a guess; a limit may leave only open ones.
            chance = fmean([item.chance for item in items if item.kind == benchmark.kind] or [0.0])
            words = {arm.name: orjson.dumps(arm.record(self.seed)) for arm in self.arms_of(benchmark)}
            epochs = self.epochs_of(benchmark)
            for test in self.tests_of(benchmark):
                arms = self.arms_of_test(test, benchmark)
                asked = {arm.name: epochs * self._count_requests(drawn[arm.name]) for arm in arms}
                # The extra repeats count for the first test that wants them.
                repeated = sum(again.pop(arm.name, 0) for arm in test.all_arms) if test.repeated else 0
                compared = reduce(or_, (reasons[arm.name] for arm in test.compared), Counter[str]())
                decide, simulated = test.compared, test.name
                if len(arms) > len(test.all_arms):  # the test uses its fallback condition
                    decide, simulated = arms[-1:], f"{test.name.partition(':')[0]}:{arms[-1].condition.name}"
                paired = len(items) - max((sum(reasons[arm.name].values()) for arm in decide), default=0)
                # If the limit reduces repeats instead of items, each response is an observation of its own.
                observed = paired * self.epochs_of(benchmark) if test.whole else paired
                yield TestCount(
                    benchmark=benchmark.name,
                    test=test.name,
                    requests=sum(asked.values()) + repeated,
                    shared=sum(count for name, count in asked.items() if words[name] in seen),
                    items=len(items),
                    asked=max(drawn[arm.name].asked for arm in arms),
                    inapplicable=dict(compared),
                    under=_conditions_concerned(test, reasons),
                    simulated=simulated,
                    observed=observed,
                    chance=chance,
                    counted_on=len(some) if len(some) < len(items) else None,
                    by_text=reduce(or_, (drawn[arm.name].by_text for arm in arms), Counter[str]()),
                    repeated=repeated,
                )
                seen |= {words[name] for name in asked}

    def _count_requests(self, drawn: ArmCount) -> int:
        """Return the number of requests that ask all models an arm's items once."""
        return drawn.asked * len(self.models) - drawn.with_image * sum(model.text_only for model in self.models)

    def _count_again(self, benchmark: Benchmark) -> dict[str, int]:
        """Return the number of requests for extra repeats, by arm."""
        repeats, pool = self.repeats_of(benchmark), self.pool_of(benchmark)
        items = [benchmark.items[at] for at in repeats.items]
        arms = [arm for arm in self.arms_of(benchmark) if arm.name in repeats.arms]
        return {arm.name: self._count_requests(self._count_arm(arm, items, pool)) for arm in arms}

    def __repr__(self) -> str:
        named = ("model", self.models), ("benchmark", self.benchmarks), ("test", self.tests)
        return f"<Plan of {', '.join(counted(len(each), noun) for noun, each in named)}, seed {self.seed}>"

    def _repr_html_(self) -> str:
        counts = list(self.counts())
        rows = (
            (each.benchmark, each.test, f"{each.items:,}", f"{each.requests:,}", f"{each.shared:,}") for each in counts
        )
        columns = ("benchmark", "test", "items", "requests", "shared with an earlier test")
        return html_table(columns, rows, [f"{total(counts):,} requests in all", *self._left_out()])

    def _left_out(self) -> Iterator[str]:
        for benchmark in self.benchmarks:
            if benchmark.broken:
                yield f"{benchmark.name}: {len(benchmark.broken)} broken rows are left out"

    def __str__(self) -> str:
        counts = list(self.counts())
        lines = [
            f"{count.benchmark} · {count.test}: {count.requests} requests, {count.shared} of them shared"
            for count in counts
        ]
        return visible("\n".join([*lines, *self._left_out(), f"{total(counts)} requests in all"]))

    def _count_arm(self, arm: ResolvedArm, items: Sequence[Item], pool: Pool) -> ArmCount:
        reasons: Counter[str] = Counter()
        by_text: Counter[str] = Counter()
        asked = with_image = 0
        for item in items:
            try:
                variant = arm.vary(item, seed=self.seed, pool=pool)
            except Inapplicable as reason:
                reasons[str(reason)] += 1
            else:
                asked += 1
                with_image += bool(variant.item.images)
                if lacking := variant.drawn.get("without_columns"):
                    by_text[" and ".join(lacking)] += 1
        return ArmCount(asked, with_image, reasons, by_text)


def _conditions_concerned(test: Design, reasons: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """Describe the conditions that each reason concerns; reasons that concern all are left out."""
    arms: dict[str, list[str]] = {}
    for arm in test.all_arms:
        for reason in reasons[arm.name]:
            arms.setdefault(reason, []).append(arm.in_words)
    some = {reason: words for reason, words in arms.items() if len(words) < len(test.all_arms)}
    several = {reason: f"under {len(words)} of the conditions" for reason, words in some.items()}
    return {reason: words[0] if len(words) == 1 else several[reason] for reason, words in some.items()}


def looked_at_of(count: int, most: int, *, whole: int) -> list[int]:
    """Return the positions of all items; above `whole` items, `most` random positions."""
    if count <= whole:
        return list(range(count))
    return sorted(np.random.default_rng(0).choice(count, most, replace=False).tolist())


def _check(benchmark: Benchmark) -> None:
    """Raise DataError if a benchmark has contents that no loader would accept."""
    if not benchmark.items:
        raise DataError(f"The benchmark {benchmark.name!r} has no items.")
    for item in benchmark.items:
        if type(item) is Item and item.found_usable:
            continue
        if not isinstance(item, Item):
            raise DataError(f"The benchmark {benchmark.name!r} holds {item!r}, expected Item(…).")
        if (problem := item.problem()) is not None:
            raise DataError(f"Item {item.id!r} of {benchmark.name!r} cannot be used: {problem}.")
    if len(benchmark.by_id) < len(benchmark):
        twice = next(each for each, count in Counter(item.id for item in benchmark).items() if count > 1)
        raise DataError(f"Two items of {benchmark.name!r} have the id {twice!r}.")


def stored_in(out: str | Path | None) -> AbstractContextManager[Store | None]:
    """Open the store in a folder to read; None if there is no store."""
    return Store.open(out) if out is not None and Store.is_in(out) else nullcontext()


def total(counts: Sequence[TestCount]) -> int:
    """Return the most requests that a plan sends; shared ones count once."""
    return sum(count.requests - count.shared for count in counts)
