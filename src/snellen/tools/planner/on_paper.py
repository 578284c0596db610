"""On paper: the blocks of a study of which only the size is known, with nothing loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.models.prices import Price
from snellen.models.request_tokens import NOTHING, output_tokens
from snellen.prompts import PROVIDER_DEFAULTS, STEPS, Arm
from snellen.stress.base import StressTest
from snellen.stress.design import USUAL_THRESHOLDS
from snellen.tools.planner.allocation import Asking, Size
from snellen.tools.planner.claims import Setting, claims_of
from snellen.tools.planner.constants import Gpu, constant, source, token_range, usual_gpu
from snellen.tools.planner.frontier import Asked, Block, Condition, Wanted

MOST = {"models": 100_000, "benchmarks": 10_000, "conditions": 1_000, "items": 100_000_000, "epochs": 20}
"""No larger study is planned."""


@dataclass(frozen=True)
class PaperStudy:
    """How many models, benchmarks, conditions, items of each benchmark and repeats; and what a model costs."""

    models: int = 1
    benchmarks: int = 1
    conditions: int | None = None
    """By default, those of the tests."""
    items: int = 1000
    epochs: int = 1
    chance: float = 0.25
    price: Price | None = None
    gpu: Gpu | None = None
    tests: tuple[StressTest, ...] = ()

    def __post_init__(self) -> None:
        for name, most in MOST.items():
            value = getattr(self, name)
            if name == "conditions" and value is None:
                continue
            if not 1 <= value <= most:
                raise StudyError(f"Expected {name} to be a whole number from 1 to {most:,}, got {value:,}.")
        if not 0 <= self.chance < 1:
            raise StudyError(f"Expected chance to be at least 0 and below 1, got {self.chance:g}.")

    def asked(self) -> tuple[StressTest, ...]:
        """The tests whose conditions fit into the number of conditions, in their order."""
        names: set[str] = set()
        kept = []
        for test in self.tests:
            more = names | {arm.name for arm in test.all_arms}
            if self.conditions is None or len(more) <= self.conditions:
                names = more
                kept.append(test)
        if not kept:
            raise StudyError(f"No test has as few as {self.conditions} conditions: a comparison has at least 2.")
        return tuple(kept)

    @property
    def size(self) -> int:
        """How many models it asks."""
        return self.models

    def words(self) -> Iterator[str]:
        """What is to be said of how it was counted."""
        gpu = self.gpu or usual_gpu()
        yield f"A guess is right in {self.chance:.0%}. Tests: {', '.join(test.name for test in self.asked())}."
        yield f"GPU hours: if every model runs on one. {gpu.words}."
        yield (
            f"Money: if every model costs {self.price.words}." if self.price else "Money: no price is given (price=…)."
        )
        for name in ("text_tokens", "image_tokens"):
            low, high = token_range(name)
            words = f"{name.partition('_')[0].capitalize()} of a request"
            yield f"{words}: {low:,.0f} to {high:,.0f} tokens ({source('request', name)})."

    def blocks(self, wanted: Wanted) -> tuple[Block, ...]:
        """All benchmarks as one block; conditions beyond those of the tests are taken to have no verdict."""
        tests = self.asked()
        arms = {arm.name: arm for test in tests for arm in test.all_arms}
        corrected = wanted.family or family(tests)
        setting = Setting(wanted.about, self.chance, corrected, self.epochs, USUAL_THRESHOLDS, wanted.change)
        askings = [asking(test, setting) for test in tests]
        conditions = [self._condition(name, arm) for name, arm in arms.items()]
        if self.conditions is not None and self.conditions > len(arms):
            count = self.conditions - len(arms)
            others = [f"condition {number}" for number in range(len(arms) + 1, self.conditions + 1)]
            askings.append(Asking(f"{count} conditions without a verdict", tuple(others), ()))
            conditions += [self._condition(name, None) for name in others]
        name = "each benchmark" if self.benchmarks > 1 else "the benchmark"
        return (Block(name, self.benchmarks, Size(self.items, self.epochs), tuple(conditions), tuple(askings)),)

    def _condition(self, name: str, arm: Arm | None) -> Condition:
        effects = arm.effects if arm else ORIGINAL.effects
        read = token_range("text_tokens").plus(token_range("image_tokens") if effects.sends_image else NOTHING)
        settings = (arm.settings if arm else None) or PROVIDER_DEFAULTS
        written = output_tokens("", settings, in_steps=STEPS in name)
        kept = constant("storage", "variant").value + effects.makes_image * constant("storage", "image").value
        return Condition(name, Asked(self.price, self.gpu or usual_gpu()).cost(read, written).times(self.models), kept)


def family(tests: Iterable[StressTest]) -> int:
    """How many p-values are corrected together at most: one for each condition that is compared."""
    return max(1, sum(len(test.compared) for test in tests if not test.scores))


def asking(test: StressTest, setting: Setting, share: float = 1.0) -> Asking:
    """A test as a plan on paper has it."""
    arms = tuple(arm.name for arm in test.all_arms)
    return Asking(test.name, arms, claims_of(test, setting), share, test.repeated)


def in_order(tests: Sequence[StressTest]) -> Iterator[StressTest]:
    """The tests that ask a benchmark of questions with options, each once."""
    seen: set[str] = set()
    for test in tests:
        if test.item_kind == "choice" and not test.questions and test.name not in seen:
            seen.add(test.name)
            yield test
