"""The blocks of a planned study, with the tokens and costs of its requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

import orjson

from snellen.asking.bill import ArmBill, price_models, sheets_of
from snellen.asking.plan import Plan
from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.images.sent_size import SentSizes
from snellen.items import Benchmark, Item
from snellen.models.base import Model
from snellen.models.image_tokens import rule_of
from snellen.models.prices import UNBILLED, Price
from snellen.models.request_tokens import NOTHING, TokenRange, output_tokens, text_tokens
from snellen.prompts import PROVIDER_DEFAULTS, STEPS, Arm
from snellen.stress import known_test
from snellen.stress.base import StressTest
from snellen.stress.design import USUAL_THRESHOLDS
from snellen.tools.planner.claims import (
    Assumptions,
    ClaimSetting,
    Gpu,
    claims_of,
    constant,
    given_assumptions,
    gpu_named,
    source,
    token_range,
    usual_assumptions,
)
from snellen.tools.planner.frontier import (
    BenchmarkBlock,
    ConditionCost,
    Cost,
    Frontier,
    ModelCost,
    PlanGoal,
    Size,
    VerdictNeeds,
    merge_blocks,
)

MOST = {"models": 100_000, "benchmarks": 10_000, "conditions": 1_000, "items": 100_000_000, "epochs": 20}
"""Maximum size of a study that can be planned."""


@dataclass(frozen=True)
class PaperStudy:
    """The size of a study without its data: models, benchmarks, conditions, items, repeats, prices."""

    models: int = 1
    benchmarks: int = 1
    conditions: int | None = None
    """None for the conditions of the tests."""
    items: int = 1000
    epochs: int = 1
    chance: float = 0.25
    price: Price | None = None
    gpu: Gpu | None = None
    tests: tuple[StressTest, ...] = ()

    def __post_init__(self) -> None:
        for name, most in MOST.items():
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                raise StudyError(f"Expected {name} to be a whole number from 1 to {most:,}, got {value:,}.")
        if not 0 <= self.chance < 1:
            raise StudyError(f"Expected chance to be at least 0 and below 1, got {self.chance:g}.")

    def select_tests(self) -> tuple[StressTest, ...]:
        """List the tests whose conditions fit into the number of conditions."""
        names: set[str] = set()
        kept = []
        for test in self.tests:
            more = names | {arm.name for arm in test.all_arms}
            if self.conditions is None or len(more) <= self.conditions:
                names = more
                kept.append(test)
        if not kept:
            raise StudyError(f"Expected at least 2 conditions, got {self.conditions}.")
        return tuple(kept)

    @property
    def size(self) -> int:
        """Number of models."""
        return self.models

    def words(self) -> Iterator[str]:
        """Yield sentences on how the cost was computed."""
        gpu = self.gpu or gpu_named()
        yield f"Chance is {self.chance:.0%}. Tests: {', '.join(test.name for test in self.select_tests())}."
        yield f"GPU hours assume that every model runs on a GPU: {gpu.words}."
        yield (
            f"Money assumes that every model costs {self.price.words}."
            if self.price
            else "Money is not counted: no price is given (price=…)."
        )
        for name in ("text_tokens", "image_tokens"):
            low, high = token_range(name)
            words = f"{name.partition('_')[0].capitalize()} of a request"
            yield f"{words}: {low:,.0f} to {high:,.0f} tokens ({source('request', name)})."

    def blocks(self, wanted: PlanGoal) -> tuple[BenchmarkBlock, ...]:
        """Return one block for all benchmarks; extra conditions have no verdict."""
        tests = self.select_tests()
        arms = {arm.name: arm for test in tests for arm in test.all_arms}
        corrected = wanted.family or family(tests)
        setting = ClaimSetting(wanted.about, self.chance, corrected, self.epochs, USUAL_THRESHOLDS, wanted.change)
        askings = [asking(test, setting) for test in tests]
        conditions = [self._condition(name, arm) for name, arm in arms.items()]
        if self.conditions is not None and self.conditions > len(arms):
            count = self.conditions - len(arms)
            others = [f"condition {number}" for number in range(len(arms) + 1, self.conditions + 1)]
            askings.append(VerdictNeeds(f"{count} conditions without a verdict", tuple(others), ()))
            conditions += [self._condition(name, None) for name in others]
        name, most = "each benchmark" if self.benchmarks > 1 else "the benchmark", Size(self.items, self.epochs)
        return (BenchmarkBlock(name, self.benchmarks, most, tuple(conditions), tuple(askings)),)

    def _condition(self, name: str, arm: Arm | None) -> ConditionCost:
        effects = arm.effects if arm else ORIGINAL.effects
        read = token_range("text_tokens").plus(token_range("image_tokens") if effects.sends_image else NOTHING)
        settings = (arm.settings if arm else None) or PROVIDER_DEFAULTS
        written = output_tokens("", settings, in_steps=STEPS in name)
        kept = constant("storage", "variant").value + effects.makes_image * constant("storage", "image").value
        once = ModelCost(self.price, self.gpu or gpu_named()).cost(read, written)
        return ConditionCost(name, once.times(self.models), kept)


def family(tests: Iterable[StressTest]) -> int:
    """Return the maximum number of p-values corrected together: one per compared condition."""
    return max(1, sum(len(test.compared) for test in tests if not test.scores))


def asking(test: StressTest, setting: ClaimSetting, share: float = 1.0) -> VerdictNeeds:
    """Return the conditions and claims of a test."""
    arms = tuple(arm.name for arm in test.all_arms)
    return VerdictNeeds(test.name, arms, claims_of(test, setting), share, test.repeated)


def in_order(tests: Sequence[StressTest]) -> Iterator[StressTest]:
    """Yield the tests for questions with options, each once."""
    seen: set[str] = set()
    for test in tests:
        if test.item_kind == "choice" and not test.questions and test.name not in seen:
            seen.add(test.name)
            yield test


ALIKE = 0.2
"""Correlation between items of one patient, assumed as an example."""
ON_A_GPU = ("hf", "llama-cpp", "lmstudio", "ollama", "openai", "sglang", "vllm")
"""Providers whose models need the user's own GPU if they are free of charge."""


def find_frontier(
    plan: Plan,
    tests: Sequence[StressTest] = (),
    *,
    gpu: str = "",
    about: Assumptions | None = None,
    assumed: Mapping[str, float] | None = None,
    **wanted: Any,
) -> Frontier:
    """Compute a plan's cost and possible savings; sends and writes nothing.

    `tests` are tests of your own that no package registers. `wanted` are `power`, `change`, `by` and `family`. `about`
    holds assumptions, such as from `read_assumptions`; by default the usual ones. `assumed` replaces some of
    them (`accuracy`, `within`, `rerun`, `moved`).
    """
    own = {test.name: test for test in tests}
    asked = {each.name: known_test(each.name, own) for each in plan.tests}
    source = PlannedStudy(plan, asked, price_models(plan, batch=plan.batch), gpu_named(gpu))
    return Frontier(source, PlanGoal(given_assumptions(about or usual_assumptions(), assumed or {}), **wanted))


@dataclass(frozen=True)
class PlannedStudy:
    """A plan with its tests, its models' prices, and a GPU."""

    plan: Plan
    tests: Mapping[str, StressTest]
    """The tests of the plan, by name."""
    prices: Mapping[str, Price | None]
    gpu: Gpu

    @property
    def size(self) -> int:
        """Number of models."""
        return len(self.plan.models)

    def blocks(self, wanted: PlanGoal) -> tuple[BenchmarkBlock, ...]:
        """Return the plan's benchmarks as blocks; equal ones are merged."""
        return merge_blocks([self._block(each, self._sheets[each.name], wanted) for each in self.plan.benchmarks])

    @cached_property
    def _sheets(self) -> Mapping[str, Sequence[ArmBill]]:
        rules = {rule_of(model.spec or model.name) for model in self.plan.models}
        sizes = SentSizes(self.plan.image_side)
        return {each.name: tuple(sheets_of(self.plan, each, sizes, rules, None)) for each in self.plan.benchmarks}

    def _block(self, benchmark: Benchmark, sheets: Sequence[ArmBill], wanted: PlanGoal) -> BenchmarkBlock:
        plan, tests = self.plan, self.plan.tests_of(benchmark)
        items, epochs = plan.count_wanted(benchmark), plan.epochs_of(benchmark)
        chance = fmean([item.chance for item in benchmark.items[:items] if item.kind == benchmark.kind] or [0.0])
        corrected = wanted.family or family(self.tests[test.name] for test in tests)
        setting = ClaimSetting(wanted.about, chance, corrected, epochs, plan.thresholds, wanted.change)
        alike = {orjson.dumps(sheet.arm.record(plan.seed)): sheet for sheet in sheets}
        of = {arm.name: alike[orjson.dumps(arm.record(plan.seed))] for arm in plan.arms_of(benchmark)}
        askings = []
        for test in tests:
            names = [of[arm.name].arm.name for arm in plan.arms_of_test(test, benchmark)]
            share = min((float(of[arm.name].asked.mean()) for arm in test.all_arms), default=1.0)
            made = asking(self.tests[test.name], setting, share or 1.0)
            own = test.questions or test.whole  # its questions are few and asked in full
            claims = None if own or not share else made.claims
            repeated = made.repeated if plan.repeat else 0
            askings.append(replace(made, arms=tuple(dict.fromkeys(names)), claims=claims, repeated=repeated))
        conditions = tuple(self._condition(sheet) for sheet in sheets)
        return BenchmarkBlock(benchmark.name, 1, Size(items, epochs), conditions, tuple(askings))

    def _condition(self, sheet: ArmBill) -> ConditionCost:
        once = Cost()
        for model in self.plan.models:
            once = once.plus(self._price_condition(model, sheet))
        made = sheet.arm.arm.effects.makes_image
        images = constant("storage", "image").value * float(sheet.shown.mean()) * made
        return ConditionCost(sheet.arm.name, once, constant("storage", "variant").value + images)

    def _price_condition(self, model: Model, sheet: ArmBill) -> Cost:
        """Return the cost per item of one repeat of a condition."""
        spec = model.spec or model.name
        asked = sheet.asked & ~sheet.shown if model.text_only else sheet.asked
        share = float(asked.mean())
        if not share:
            return Cost()
        tokens = sheet.text[asked].mean(axis=0) + sheet.images[rule_of(spec)][asked].mean(axis=0)
        told_first = text_tokens(str(model.about.get("system", "")))
        written = output_tokens(spec, sheet.arm.settings, in_steps=STEPS in sheet.arm.name)
        read = TokenRange(*map(float, tokens)).plus(told_first)
        return self._price_model(model).cost(read, written).times(share)

    def _price_model(self, model: Model) -> ModelCost:
        price = self.prices[model.name]
        own = price in UNBILLED and (model.spec or model.name).partition("/")[0] in ON_A_GPU
        return ModelCost(None if price in UNBILLED else price, self.gpu if own else None)

    def words(self) -> Iterator[str]:
        """Yield sentences on how the cost was computed."""
        for benchmark in self.plan.benchmarks:
            yield from _describe_clusters(benchmark.name, benchmark.items[: self.plan.count_wanted(benchmark)])
        if own := [model.name for model in self.plan.models if self._price_model(model).gpu]:
            yield f"GPU hours: {', '.join(own)}. {self.gpu.words}."
        if unknown := [name for name, price in self.prices.items() if price is None]:
            yield f"The price of {', '.join(unknown)} is unknown and not counted. Set it in [prices]."
        free = [model.name for model in self.plan.models if self._price_model(model) == ModelCost()]
        if free := [name for name in free if name not in unknown]:
            yield f"{', '.join(free)}: counted as free and without a GPU."


def _describe_clusters(name: str, items: Sequence[Item]) -> Iterator[str]:
    """Describe items that share a patient, and their effect on power, if any."""
    sizes = Counter(item.cluster or f"\0{at}" for at, item in enumerate(items)).values()
    if len(sizes) < len(items):
        others = sum(size * size for size in sizes) / len(items) - 1
        worth = len(items) / (1 + others * ALIKE)
        yield (
            f"{name}: {len(items):,} items of {len(sizes):,} patients or images (up to {max(sizes):,} each), counted "
            f"as independent above. With a correlation of {ALIKE:g} within a patient or image, they are worth "
            f"{worth:,.0f} independent items."
        )
