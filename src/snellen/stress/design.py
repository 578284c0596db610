"""Design and presentation of a stress test, without its analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, Condition, Together, condition_named
from snellen.errors import StudyError
from snellen.items import Benchmark, Item, Kind
from snellen.prompts import Arm

if TYPE_CHECKING:
    from snellen.stress.base import StressTest

REPEATED = 200
"""Number of items asked twice with both orders of options. Changes between repeats are not an effect of the order."""


class Thresholds(NamedTuple):
    """Thresholds of verdicts, which a study can set."""

    image_dependence: float = 0.5
    """Largest share of the accuracy above chance that may be kept without the image."""
    margin: float = 0.05
    """A change of accuracy below this does not matter."""
    moved: float = 0.1
    """Largest share of answers that may change when nothing relevant changes."""


USUAL_THRESHOLDS = Thresholds()


class Fallback(NamedTuple):
    """An arm that replaces a condition if the condition applies to too few items."""

    arm: Arm
    unless: Condition
    fewest: int = 30
    """The arm is used if the other condition applies to fewer items than this."""


@dataclass(frozen=True)
class Design:
    """Design of a test: its question, its arms with their baseline, and its items."""

    name: str
    asks: str
    """The test's question in a clinician's words."""
    arms: tuple[Arm | Condition, ...] = ()
    baseline: Arm = field(default=Arm(ORIGINAL))
    item_kind: Kind = "choice"
    """Kind of items that the test uses: with options, or open."""
    concerns: Callable[[Item], bool] | None = None
    """Selects the items that the test uses; None for all of this kind."""
    benchmark: str = ""
    """Benchmark of the test if a study names none."""
    questions: str = ""
    """The test's own benchmark, whose questions have no image; it replaces the study's benchmarks."""
    epochs: int | None = None
    """Number of responses to each of the test's own questions; None for the study's setting."""
    whole: bool = False
    """Whether all questions are asked under any limit; the limit then reduces the repeats."""
    fallback: Fallback | None = None
    """Arm that is used for some benchmarks only."""
    repeated: int = 0
    """Number of items asked a second time in the test's arms, if the study asks each item once."""
    reads: tuple[str, ...] = ()
    """Names of parsers that the test needs; they only read responses to its own arms.

    Parsers with an `outcome` grade the questions of the test itself; others add columns.
    """
    explain_mismatch: Callable[[Sequence[Item]], str] | None = None
    """Explains why the settings leave no items to measure; returns "" if they leave some."""
    every_item: bool = False
    """Whether items without an image count, although a condition of the test changes the image."""

    def __post_init__(self) -> None:
        names = [arm.name for arm in self.all_arms]
        if len(set(names)) < len(names):
            raise StudyError(f"Two conditions of the test {self.name!r} have one name: {names}.")

    @property
    def compared(self) -> tuple[Arm, ...]:
        """Arms that are compared with the baseline."""
        return tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in self.arms)

    @property
    def all_arms(self) -> tuple[Arm, ...]:
        """The baseline, then the arms."""
        return (self.baseline, *self.compared)

    @property
    def possible_arms(self) -> tuple[Arm, ...]:
        """All arms, and the one that is used for some benchmarks only."""
        return (*self.all_arms, self.fallback.arm) if self.fallback else self.all_arms

    @property
    def sends_images(self) -> bool:
        """Whether an arm sends a benchmark's images; never for tests with their own questions."""
        return not self.questions and any(arm.effects.sends_image for arm in self.all_arms)

    @property
    def about_images(self) -> bool:
        """Whether the test needs items with an image, because a condition changes it."""
        changed = any("image" in arm.condition.changes for arm in self.all_arms)
        return changed and not (self.every_item or self.questions)


@dataclass(frozen=True)
class Presentation:
    """Presentation of a test in terminal and report."""

    label: str = ""
    """The test's question in a few words for the terminal; by default its name."""
    passes: str = ""
    """Expected behaviour of a good model, in sentences; only needed if `expects` does not imply it.

    `{image_dependence}`, `{margin}` and `{moved}` stand for the thresholds of the study.
    """
    in_steps: bool = False
    """Whether every arm removes more than the one before, so that the report draws the arms as steps."""
    chapter: str = ""
    """Report chapter of the test, as `module:ATTRIBUTE`; several tests may share one."""


Asking = TypeVar("Asking", bound="Design | StressTest")


def asked_of(tests: Iterable[Asking], benchmark: str, kind: Kind = "choice") -> list[Asking]:
    """Select the tests that use a benchmark: those that own its questions, otherwise those for its kind."""
    known = list(tests)
    if any(test.questions == benchmark for test in known):
        return [test for test in known if test.questions == benchmark]
    return [test for test in known if not test.questions and test.item_kind == kind]


def drop_unused_questions(designs: Iterable[Design], benchmark: Benchmark) -> Benchmark:
    """Return the benchmark without questions that no test on it uses. Raises StudyError if no question is left."""
    asking = [each for each in asked_of(designs, benchmark.name, benchmark.kind) if not each.questions]
    wanted = [each.concerns for each in asking if each.concerns is not None]
    if not asking or len(wanted) < len(asking):
        return benchmark
    kept = tuple(item for item in benchmark if any(about(item) for about in wanted))
    if not kept:
        names = ", ".join(each.name for each in asking)
        raise StudyError(
            f"{benchmark.name!r} has no question for {names}. false-premise needs questions with a `premise`, as "
            "in phantoms:task=premises. mismatched-image needs the task mismatch. open-answers needs other open "
            "questions. mirror needs correct answers that name a side, such as 'left lung', as in phantoms."
        )
    return benchmark if len(kept) == len(benchmark) else replace(benchmark, items=kept)


def baseline(image: str, change: Condition | None = None) -> Arm:
    """Return the baseline arm with or without the image; `change` adds a condition to it."""
    if image not in ("kept", "removed"):
        raise StudyError(f"Expected image=kept or image=removed, got image={image}.")
    if image == "kept":
        return Arm(change or ORIGINAL)
    return Arm(Together((IMAGE_REMOVED, change)) if change else IMAGE_REMOVED)


def find_blind_condition(label: str) -> Condition:
    """Return the condition with this label; raise StudyError unless it only hides the image."""
    condition = condition_named(label)
    if condition is None or condition.effects.sees or not condition.effects.reads_all_words:
        raise StudyError(
            f"Expected without to be a condition that hides the image, such as {IMAGE_REMOVED.name} or "
            f"{IMAGE_BLANK.name}, got {label!r}."
        )
    return condition


def name_with_image(name: str, image: str) -> str:
    """Name a test with its setting of the image, unless the image is kept."""
    return name if image == "kept" else f"{name}:image={image}"


def parsers_for(image: str) -> tuple[str, ...]:
    """Return the additional parsers: without the image, the parser of claims to see it."""
    return () if image == "kept" else ("claims",)
