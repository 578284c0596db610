"""Plan: a study with its names resolved: which arms are asked of which items, each once."""

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

from snellen.asking.examples import Solved, solved
from snellen.asking.repeats import Repeats, Runs, draw_repeated
from snellen.conditions import Condition, Given, Pool, Variant, generator, vary
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
"""A benchmark of up to so many items is counted whole for a plan; of a larger one so many items are looked at."""


@dataclass(frozen=True)
class ResolvedArm:
    """An arm whose prompt and settings are settled."""

    name: str
    arm: Arm
    prompt: Prompt
    settings: Settings
    kind: Kind = "choice"
    """The kind of question that it asks."""
    by_reference: bool = False
    """Whether its responses are held against reference answers."""
    image_side: int | None = USUAL_SIDE
    """Pixels on the longer side beyond which images are scaled down; None where they are sent as they are."""
    examples: tuple[Solved, ...] = ()
    """Solved questions that stand before each question."""

    def record(self, seed: int) -> dict[str, object]:
        """All that decides what this arm asks, for the store and for its digest."""
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
        """The words of the arm's prompt; those of its tasks only where an item of theirs may be asked.

        A study of questions with options is the same study however open ones would be worded.
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
        """The item under this arm, as drawn before if it was; Inapplicable, also for what cannot be graded yet."""
        if item.kind != self.kind:
            raise Inapplicable(_NOT_ASKED[self.kind])
        return vary(item, self.arm.condition, seed=seed, pool=pool, drawn=drawn)

    def digest(self, benchmark_digest: str, seed: int) -> str:
        """The same digest, the same requests for the same items."""
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


class Count(NamedTuple):
    """What one test asks on one benchmark: `shared` of its requests are asked by an earlier test as well.

    `inapplicable` are the reasons, each with the most items that it keeps from one arm, and `under` the conditions that
    a reason concerns, in words, unless it concerns all.
    """

    benchmark: str
    test: str
    requests: int
    shared: int
    items: int
    asked: int
    """How many of the items it asks under at least one condition."""
    inapplicable: dict[str, int]
    under: dict[str, str]
    simulated: str
    """The test whose simulated power is this one's."""
    observed: int
    """How many independent responses each comparison has."""
    chance: float
    """What a blind guess scores."""
    counted_on: int | None = None
    """So many items were looked at, and the numbers scaled up to all of them; None where all were."""
    by_text: Mapping[str, int] = MappingProxyType({})
    """The most items of one arm that are related to others by text and images, by the columns that they lack."""
    repeated: int = 0
    """How many of the requests ask an item once more."""


class Drawn(NamedTuple):
    """How many items an arm asks, how many of them with an image, and why it does not ask the others."""

    asked: int
    with_image: int
    inapplicable: Counter[str]
    by_text: Counter[str]
    """How many items are related to others by text and images, by the columns that they lack."""

    def scaled(self, times: float) -> Drawn:
        """The same of so many times the items."""
        if times == 1:
            return self
        reasons, by_text = (
            Counter({name: round(count * times) for name, count in each.items()})
            for each in (self.inapplicable, self.by_text)
        )
        return Drawn(round(self.asked * times), round(self.with_image * times), reasons, by_text)


@dataclass(frozen=True)
class Plan:
    """What is to be asked, of whom, how often."""

    benchmarks: tuple[Benchmark, ...]
    models: tuple[Model, ...]
    tests: tuple[Design, ...]
    prompt: Prompt
    settings: Settings
    protocol: Settings = PROVIDER_DEFAULTS
    """How the paper of a suite had models answer; `settings`, where they are set, win."""
    seed: int = 0
    epochs: int = 1
    limit: int | None = None
    parser: str = "lenient"
    human: Human | None = None
    thresholds: Thresholds = USUAL_THRESHOLDS
    image_side: int | None = USUAL_SIDE
    """Pixels on the longer side beyond which images are scaled down; None where they are sent as they are."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Models that are compared as a group, by the group's name."""
    until_settled: bool = False
    """Whether nothing more is asked of a model and benchmark once all their verdicts are settled."""
    examples: tuple[Item, ...] = ()
    """Solved questions that stand before each question of their kind; none of them is asked."""
    repeat: bool = False
    """Whether tests may have some items asked once more, if each item is asked once."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """What models cost if the table of prices is not to say it, by their name or the name they are asked by."""
    batch: bool = False
    """Whether questions are handed in to the providers' batch APIs."""
    out: Path | None = None
    """Where the responses are stored."""

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
                raise StudyError(
                    f"No test of this study asks anything of {benchmark.name!r}: {self._why_not(benchmark)}."
                )
        for test in self.tests:
            if not any(test in self.tests_of(benchmark) for benchmark in self.benchmarks):
                raise StudyError(
                    f"The test {test.name!r} has no benchmark to ask: name one with {_ASKED[test.item_kind]}."
                )
            self._check_choice(test)
        known = {model.name for model in self.models}
        for group, members in self.groups.items():
            if strangers := [name for name in members if name not in known]:
                raise StudyError(f"The group {group!r} names {strangers[0]!r}, which is none of the study's models.")
        if self.until_settled and not any(map(self.in_rounds, self.benchmarks)):
            raise StudyError(
                "until_settled can stop only questions with options, and this study asks none of a benchmark. Leave it "
                "out."
            )
        if self.epochs < 1 or (self.limit is not None and self.limit < 1):
            raise StudyError(f"Expected at least one epoch and one item, got epochs={self.epochs}, limit={self.limit}.")
        if self.examples:
            self._check_examples()

    def _check_choice(self, test: Design) -> None:
        """Refuse a test whose settings choose no item of any benchmark: all that is asked would measure nothing."""
        if test.explain_mismatch is None:
            return
        asked = {each.name: each.items[: self.wanted(each)] for each in self.benchmarks if test in self.tests_of(each)}
        problems = {name: test.explain_mismatch(items) for name, items in asked.items()}
        if all(problems.values()):
            name, problem = next(iter(problems.items()))
            raise StudyError(
                f"The test {test.name!r} chooses no item of {name!r} that is asked: {problem}. Fix the list or the "
                "rating, or leave it out."
            )

    def _check_examples(self) -> None:
        """Refuse examples that cannot be shown to a model, or that stand before no question."""
        for model in self.models:
            if not model.takes_examples:
                raise StudyError(f"{model.name} takes no examples: it reads its question alone. Leave out one of them.")
            if model.text_only and (shown := [item.id for item in self.examples if item.images]):
                raise StudyError(
                    f"{model.name} takes no images, and the example {shown[0]!r} has one. Leave out the model, or "
                    "choose examples without images."
                )
        if not any(arm.examples for benchmark in self.benchmarks for arm in self.arms_of(benchmark)):
            kinds = " and ".join(dict.fromkeys(_ASKED[item.kind] for item in self.examples))
            raise StudyError(f"The examples are {kinds}, and this study asks none of these.")

    def in_rounds(self, benchmark: Benchmark) -> bool:
        """Whether asking a benchmark stops when its verdicts are settled.

        Answers in words are graded by judges only later, and questions that a test brings are few and asked in full.
        """
        tests = self.tests_of(benchmark)
        return self.until_settled and benchmark.kind == "choice" and not any(t.questions or t.whole for t in tests)

    def tests_of(self, benchmark: Benchmark) -> list[Design]:
        """The tests that ask something of a benchmark."""
        return asked_of(self.tests, benchmark.name, benchmark.kind)

    def _why_not(self, benchmark: Benchmark) -> str:
        if all(test.questions for test in self.tests):
            return _all_own(self.tests)
        if benchmark.kind == "report":
            return "it asks for reports, and these tests ask questions. Add the test reports"
        if benchmark.kind == "open":
            return "its questions are open, and these tests need options. Add the test open-answers"
        return "its questions have options, and these tests ask open ones, or for reports"

    def epochs_of(self, benchmark: Benchmark) -> int:
        """How often each item of a benchmark is asked; a limit cuts this where it may not cut the items."""
        most = max(test.epochs or self.epochs for test in self.tests_of(benchmark))
        return most if self.limit is None or not self._whole(benchmark) else min(most, self.limit)

    def repeats_of(self, benchmark: Benchmark) -> Repeats:
        """How often each item of a benchmark is asked, by arm."""
        if benchmark.name not in self._repeats:
            epochs = self.epochs_of(benchmark)
            tests = [test for test in self.tests_of(benchmark) if self.repeat and epochs == 1 and test.repeated]
            arms = tuple(dict.fromkeys(arm.name for test in tests for arm in test.all_arms))
            asked, most = self.wanted(benchmark), max((test.repeated for test in tests), default=0)
            again = draw_repeated(benchmark.items, asked, most, self.seed) if tests else ()
            self._repeats[benchmark.name] = Repeats(asked, epochs, arms, again)
        return self._repeats[benchmark.name]

    def count_runs(self, benchmark: Benchmark, arms: Sequence[ResolvedArm]) -> Runs:
        """How often each item is asked under arms that ask the same."""
        repeats = self.repeats_of(benchmark)
        runs: Runs = np.maximum.reduce([repeats.count_runs(arm.name) for arm in arms])
        return runs

    @cached_property
    def _repeats(self) -> dict[str, Repeats]:
        return {}

    def limit_of(self, benchmark: Benchmark) -> int | None:
        """How many of a benchmark's items are asked at most; None where all of them are, whatever the limit."""
        return None if self._whole(benchmark) else benchmark.limit or self.limit

    def _whole(self, benchmark: Benchmark) -> bool:
        return any(test.whole for test in self.tests_of(benchmark))

    def arms_of(self, benchmark: Benchmark) -> tuple[ResolvedArm, ...]:
        """Every arm of every test that is asked of a benchmark, once."""
        return self._arms[benchmark.name]

    @cached_property
    def _arms(self) -> dict[str, tuple[ResolvedArm, ...]]:
        return {benchmark.name: tuple(self._resolved(benchmark).values()) for benchmark in self.benchmarks}

    def _resolved(self, benchmark: Benchmark) -> dict[str, ResolvedArm]:
        arms: dict[str, ResolvedArm] = {}
        for test in self.tests_of(benchmark):
            for arm in self.arms_of_test(test, benchmark):
                resolved = self._resolve(arm, benchmark, test)
                if arms.setdefault(arm.name, resolved) != resolved:
                    raise StudyError(
                        f"Two tests have different conditions of the name {arm.name!r}. Rename one of them."
                    )
        return arms

    def arms_of_test(self, test: Design, benchmark: Benchmark) -> tuple[Arm, ...]:
        """Every arm that a test asks of a benchmark."""
        back = test.fallback
        if back is None:
            return test.all_arms
        key = (benchmark.name, back)
        if key not in self._fallbacks:
            enough = self._applies_to(back.unless, benchmark, back.fewest)
            self._fallbacks[key] = not enough and self._applies_to(back.arm.condition, benchmark, 1)
        return test.possible_arms if self._fallbacks[key] else test.all_arms

    @cached_property
    def _fallbacks(self) -> dict[tuple[str, Fallback], bool]:
        return {}

    def _applies_to(self, condition: Condition, benchmark: Benchmark, fewest: int) -> bool:
        """Whether a condition applies to so many of the items that are asked; of many items, by a random part."""
        asked, pool, found = self.wanted(benchmark), self.pool_of(benchmark), 0
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
        if isinstance(arm.condition, Given):
            raise StudyError(f"The condition {arm.name!r} is known only from imported answers; it cannot be asked.")
        settings = arm.asked_with(self.settings, self.protocol)
        prompt = arm.asked_by(self.prompt, benchmark.name.partition(":")[0], benchmark.about.get("prompts", {}))
        self._check_wording(arm, benchmark, kind, prompt)
        return ResolvedArm(
            arm.name,
            arm,
            # Only the wordings in use decide what is asked: better Italian makes no other study of one in English.
            prompt.spoken(self._languages).fitted(benchmark.items),
            settings,
            kind,
            by_reference=kind != "choice" and not test.questions,
            image_side=self.image_side,
            examples=()
            if test.questions
            else tuple(solved(each, prompt) for each in self.examples if each.kind == kind),
        )

    def _check_wording(self, arm: Arm, benchmark: Benchmark, kind: Kind, prompt: Prompt) -> None:
        """Raise StudyError if the prompt cannot ask the benchmark's questions as the condition wants."""
        if kind == "choice" and not prompt.shows_options:
            if not prompt.in_words:
                raise StudyError(
                    f"The prompt {prompt.name!r} does not show the options of a question. Put in {{options}}."
                )
            if "options" in arm.condition.changes:
                raise StudyError(
                    f"The condition {arm.name!r} changes the options of {benchmark.name!r}, and the prompt "
                    f"{prompt.name!r} does not show them. Choose another --prompt, or another test."
                )
        if arm.rewording == WITH_STEPS:
            lacks = kind != "choice" and kind not in prompt.tasks
            tasks = benchmark.about.get("prompts", {})
            own = self.prompt.worded(tasks).tasks
            if lacks or any(kind != "choice" or own[name].words_choices for name in tasks):
                words = f"the prompt {prompt.name!r} has" if lacks else f"{benchmark.name!r} brings"
                raise StudyError(
                    f"The condition {arm.name!r} asks for steps before an answer, and {words} no wording that asks for "
                    "them. Choose another --prompt, or another test."
                )

    @cached_property
    def _languages(self) -> frozenset[str]:
        return frozenset(item.language for benchmark in self.benchmarks for item in benchmark)

    def wanted(self, benchmark: Benchmark) -> int:
        """How many of the benchmark's items are asked: the first `limit`."""
        return min(len(benchmark), self.limit_of(benchmark) or len(benchmark))

    def sends_images(self, benchmark: Benchmark) -> bool:
        """Whether anything is asked of a benchmark with an image; draws its conditions until one is."""
        pool, items = self.pool_of(benchmark), benchmark.items[: self.wanted(benchmark)]
        return any(self._drawn(arm, items, pool).with_image for arm in self.arms_of(benchmark))

    def pool_of(self, benchmark: Benchmark) -> Pool:
        """All items of a benchmark, from which conditions draw; put in order once."""
        if benchmark.name not in self._pools:
            self._pools[benchmark.name] = Pool(benchmark.items)
        return self._pools[benchmark.name]

    @cached_property
    def _pools(self) -> dict[str, Pool]:
        return {}

    def not_sent(self) -> dict[str, dict[str, float | int | str]]:
        """The settings that are wanted and that a model does not take, by the model's name."""
        wanted = [arm.settings for benchmark in self.benchmarks for arm in self.arms_of(benchmark)]
        found = {
            model.name: {name: each.chosen[name] for each in wanted for name in model.untaken(each)}
            for model in self.models
        }
        return {name: settings for name, settings in found.items() if settings}

    def counts(self) -> Iterator[Count]:
        """What each test asks; draws every condition, sends nothing and makes no image.

        Of a benchmark with many items, some are looked at, drawn at random, and the numbers are scaled up.
        """
        for benchmark in self.benchmarks:
            items = benchmark.items[: self.wanted(benchmark)]
            pool = self.pool_of(benchmark)
            some = [items[place] for place in looked_at_of(len(items), COUNTED_ON, whole=COUNTED_WHOLE)]
            looked = {arm.name: self._drawn(arm, some, pool) for arm in self.arms_of(benchmark)}
            drawn = {name: each.scaled(len(items) / len(some)) for name, each in looked.items()}
            reasons = {name: each.inapplicable for name, each in drawn.items()}
            seen: set[bytes] = set()
            again = self._count_again(benchmark)
            # Open questions that are not asked would lower what a guess scores; a limit may leave only those.
            chance = fmean([item.chance for item in items if item.kind == benchmark.kind] or [0.0])
            words = {arm.name: orjson.dumps(arm.record(self.seed)) for arm in self.arms_of(benchmark)}
            epochs = self.epochs_of(benchmark)
            for test in self.tests_of(benchmark):
                arms = self.arms_of_test(test, benchmark)
                asked = {arm.name: epochs * self._count_requests(drawn[arm.name]) for arm in arms}
                # What is asked once more belongs to the first test that wants it.
                repeated = sum(again.pop(arm.name, 0) for arm in test.all_arms) if test.repeated else 0
                compared = reduce(or_, (reasons[arm.name] for arm in test.compared), Counter[str]())
                decide, simulated = test.compared, test.name
                if len(arms) > len(test.all_arms):  # the fallback decides
                    decide, simulated = arms[-1:], f"{test.name.partition(':')[0]}:{arms[-1].condition.name}"
                paired = len(items) - max((sum(reasons[arm.name].values()) for arm in decide), default=0)
                # Where a limit cuts how often items are asked, each response counts as an observation of its own.
                observed = paired * self.epochs_of(benchmark) if test.whole else paired
                yield Count(
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

    def _count_requests(self, drawn: Drawn) -> int:
        """How many requests ask an arm's items once, of all models."""
        return drawn.asked * len(self.models) - drawn.with_image * sum(model.text_only for model in self.models)

    def _count_again(self, benchmark: Benchmark) -> dict[str, int]:
        """How many requests ask an item once more, by arm."""
        repeats, pool = self.repeats_of(benchmark), self.pool_of(benchmark)
        items = [benchmark.items[at] for at in repeats.items]
        arms = [arm for arm in self.arms_of(benchmark) if arm.name in repeats.arms]
        return {arm.name: self._count_requests(self._drawn(arm, items, pool)) for arm in arms}

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

    def _drawn(self, arm: ResolvedArm, items: Sequence[Item], pool: Pool) -> Drawn:
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
        return Drawn(asked, with_image, reasons, by_text)


def _conditions_concerned(test: Design, reasons: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """The conditions of a test that a reason keeps items from, in words; nothing for a reason that concerns all."""
    arms: dict[str, list[str]] = {}
    for arm in test.all_arms:
        for reason in reasons[arm.name]:
            arms.setdefault(reason, []).append(arm.in_words)
    some = {reason: words for reason, words in arms.items() if len(words) < len(test.all_arms)}
    several = {reason: f"under {len(words)} of the conditions" for reason, words in some.items()}
    return {reason: words[0] if len(words) == 1 else several[reason] for reason, words in some.items()}


def looked_at_of(count: int, most: int, *, whole: int) -> list[int]:
    """The places of all items, or where these are more than `whole`, of `most` that are drawn at random."""
    if count <= whole:
        return list(range(count))
    return sorted(np.random.default_rng(0).choice(count, most, replace=False).tolist())


def _all_own(tests: Sequence[Design]) -> str:
    names = ", ".join(test.name for test in tests)
    return f"{names} brings questions of its own" if len(tests) == 1 else f"{names} bring questions of their own"


def _check(benchmark: Benchmark) -> None:
    """Refuse what no loader would have let pass: a benchmark may be given as it is."""
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
    """The store in a folder, open to read; None if there is none."""
    return Store.open(out) if out is not None and Store.is_in(out) else nullcontext()


def total(counts: Sequence[Count]) -> int:
    """How many requests a plan sends at most, shared ones once."""
    return sum(count.requests - count.shared for count in counts)
