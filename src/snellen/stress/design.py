"""Design and presentation of a stress test: all of it but what is measured and concluded."""

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
"""Items whose two orders of options are asked twice: what changes between repeats is no effect of the order."""


class Thresholds(NamedTuple):
    """Where verdicts divide, as a study sets it."""

    image_dependence: float = 0.5
    """The share of the accuracy above chance that may be kept without the image."""
    margin: float = 0.05
    """A change of accuracy smaller than this does not matter."""
    moved: float = 0.1
    """The share of answers that may move under what should not matter."""


USUAL_THRESHOLDS = Thresholds()


class Fallback(NamedTuple):
    """An arm that a test asks of a benchmark only where another condition applies to too few items."""

    arm: Arm
    unless: Condition
    fewest: int = 30
    """To so many items the other condition must apply, or the arm is asked."""


@dataclass(frozen=True)
class Design:
    """A question, the arms that answer it, their baseline, and the questions that it is about."""

    name: str
    asks: str
    """Its question in a clinician's words."""
    arms: tuple[Arm | Condition, ...] = ()
    baseline: Arm = field(default=Arm(ORIGINAL))
    item_kind: Kind = "choice"
    """The kind of questions that it asks of a benchmark: those with options, or open ones."""
    concerns: Callable[[Item], bool] | None = None
    """Which questions of that kind it is about, where those are not all."""
    benchmark: str = ""
    """The benchmark that it is asked of where a study names none."""
    questions: str = ""
    """The benchmark of its own that it asks instead of the study's: questions that come without an image."""
    epochs: int | None = None
    """How often questions of its own are asked, where that is not as often as the study says."""
    whole: bool = False
    """Whether its questions are all asked under any limit, which then cuts how often they are."""
    fallback: Fallback | None = None
    """A condition that is asked of some benchmarks only."""
    repeated: int = 0
    """How many items are asked once more under its conditions, if the study asks each item once."""
    reads: tuple[str, ...] = ()
    """The parsers that it needs, by name; they read the responses to its own arms only.

    Those with an `outcome` grade the questions that the test brings, the others give columns.
    """
    explain_mismatch: Callable[[Sequence[Item]], str] | None = None
    """Why its settings leave none of some items to measure, in words; empty if they leave some."""
    every_item: bool = False
    """Whether items without an image count too, though one of its conditions changes the image."""

    def __post_init__(self) -> None:
        names = [arm.name for arm in self.all_arms]
        if len(set(names)) < len(names):
            raise StudyError(f"Two conditions of the test {self.name!r} have one name: {names}.")

    @property
    def compared(self) -> tuple[Arm, ...]:
        """The arms that are compared with the baseline."""
        return tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in self.arms)

    @property
    def all_arms(self) -> tuple[Arm, ...]:
        """The baseline, then the arms."""
        return (self.baseline, *self.compared)

    @property
    def possible_arms(self) -> tuple[Arm, ...]:
        """All arms, and the one that is asked of some benchmarks only."""
        return (*self.all_arms, self.fallback.arm) if self.fallback else self.all_arms

    @property
    def sends_images(self) -> bool:
        """Whether images of a benchmark are sent under any of its arms; one that brings its questions sends none."""
        return not self.questions and any(arm.effects.sends_image for arm in self.all_arms)

    @property
    def about_images(self) -> bool:
        """Whether it is about what images do: one of its conditions changes the image of an item."""
        changed = any("image" in arm.condition.changes for arm in self.all_arms)
        return changed and not (self.every_item or self.questions)


@dataclass(frozen=True)
class Presentation:
    """How terminal and report present a test."""

    label: str = ""
    """Its question in a few words, for a line of the terminal; by default its name."""
    passes: str = ""
    """What is expected of a good model, in sentences, where the words of `expects` do not say it.

    `{image_dependence}`, `{margin}` and `{moved}` stand for the thresholds of the study.
    """
    in_steps: bool = False
    """Whether every arm takes more away than the one before it, so that a report draws them as steps."""
    chapter: str = ""
    """The chapter of the report that it brings along, as `module:ATTRIBUTE`; several tests may share one."""


Asking = TypeVar("Asking", bound="Design | StressTest")


def asked_of(tests: Iterable[Asking], benchmark: str, kind: Kind = "choice") -> list[Asking]:
    """The tests that ask something of a benchmark: those it is the own questions of, or else those of its kind."""
    known = list(tests)
    if any(test.questions == benchmark for test in known):
        return [test for test in known if test.questions == benchmark]
    return [test for test in known if not test.questions and test.item_kind == kind]


def concerned(designs: Iterable[Design], benchmark: Benchmark) -> Benchmark:
    """A benchmark without the questions that none of the tests which ask it is about."""
    asking = [each for each in asked_of(designs, benchmark.name, benchmark.kind) if not each.questions]
    wanted = [each.concerns for each in asking if each.concerns is not None]
    if not asking or len(wanted) < len(asking):
        return benchmark
    kept = tuple(item for item in benchmark if any(about(item) for about in wanted))
    if not kept:
        names = ", ".join(each.name for each in asking)
        raise StudyError(
            f"{benchmark.name!r} has no question for {names}. Questions that name their `premise` are asked by "
            "false-premise alone, those of the task mismatch by mismatched-image, and other open ones by "
            "open-answers. phantoms:task=premises has such premises. "
            "mirror asks questions whose right answer names a side, such as 'left lung'; phantoms has some."
        )
    return benchmark if len(kept) == len(benchmark) else replace(benchmark, items=kept)


def baseline(image: str, change: Condition | None = None) -> Arm:
    """The arm with or without the image; with a change, what is held against it."""
    if image not in ("kept", "removed"):
        raise StudyError(f"The image is kept or removed, got image={image}.")
    if image == "kept":
        return Arm(change or ORIGINAL)
    return Arm(Together((IMAGE_REMOVED, change)) if change else IMAGE_REMOVED)


def find_blind_condition(label: str) -> Condition:
    """The condition of that label; StudyError unless it hides the image and leaves the words."""
    condition = condition_named(label)
    if condition is None or condition.effects.sees or not condition.effects.reads_all_words:
        raise StudyError(
            f"Expected without to be a condition that hides the image, such as {IMAGE_REMOVED.name} or "
            f"{IMAGE_BLANK.name}, got {label!r}."
        )
    return condition


def under(name: str, image: str) -> str:
    """A test's name, with how it treats the image where that is not as usual."""
    return name if image == "kept" else f"{name}:image={image}"


def parsers_for(image: str) -> tuple[str, ...]:
    """The parsers that a test needs beside those that grade: without the image, what a response says that it sees."""
    return () if image == "kept" else ("claims",)
