"""StressTest: a question a clinician would ask, the arms that answer it, and what is measured and concluded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, Condition, Together, condition_named
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.items import Kind as ItemKind
from snellen.prompts import Arm
from snellen.stats import Estimate
from snellen.stress.table import Table


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


class Expectation(StrEnum):
    """What a good model's answers do under the arms."""

    INVARIANT = "invariant"
    ABSTAIN = "abstain"
    CHANGE = "change"
    WORSE = "worse"
    UNKNOWN = "unknown"
    """Nobody knows what should happen: the test is measured and not judged."""


class Unit(StrEnum):
    """What a number is counted in, which decides how it is printed and on which scale it is drawn."""

    SHARE = "share"
    POINTS = "points"
    """A difference of shares."""
    CHANGE = "change"
    """A difference as a share of what there was."""
    RATIO = "ratio"
    """A share that may exceed all."""
    SCORE = "score"
    """From 0 to 1."""
    HUNDRED = "hundred"
    """From 0 to 1, told as of 100."""
    SIGNAL = "signal"
    """A distance: 0 is none, 1 the most."""
    DOSE = "dose"
    """A strength: 0 is none."""
    VARIANCE = "variance"
    """Told as its root, in points."""
    NUMBER = "number"


class Kind(NamedTuple):
    """What is measured: its name in results.csv, its words, its unit, and whether groups of items have it too."""

    name: str
    words: str
    unit: Unit
    grouped: bool = False
    parser: str | None = None
    """The parser that it rests on, where that is not the one that grades the responses; "" where it rests on none."""
    judged: bool = False
    """Whether it rests on a judge's opinions."""


def by_name(*kinds: Kind) -> Mapping[str, Kind]:
    """Kinds by their name, as the module that makes such measures declares them."""
    return {kind.name: kind for kind in kinds}


def how_made(method: str, parser: str = "", subset: str = "", judge: str = "") -> str:
    """How a number was made, for a reader: its method, then parser, choice of items and judge where it rests on any.

    >>> how_made("wilson", "lenient", "the list needed.txt")
    'wilson; parser=lenient; items=the list needed.txt'
    """
    rests_on = {"parser": parser, "items": subset, "judge": judge}
    return "; ".join((method, *(f"{name}={each}" for name, each in rests_on.items() if each)))


@dataclass(frozen=True)
class Measure:
    """One number of a test: a row of results.csv."""

    arm: str
    kind: Kind
    estimate: Estimate
    p_adjusted: float | None = None
    detectable: float | None = None
    """The smallest effect that this many items shows with 80% power."""
    parser: str = ""
    """The parser that it rests on, "" where it rests on none; scoring fills it in, as it does the judge."""
    subset: str = ""
    """How its items were chosen; "" where it is about all of them."""
    judge: str = ""
    """The judge whose opinions it rests on, "" where it rests on none."""
    ceiling: float | None = None
    """The most that it can be, where that is less than all."""

    @property
    def name(self) -> str:
        """What it is called in results.csv."""
        return self.kind.name

    @property
    def how(self) -> str:
        """How it was made, for a reader."""
        return how_made(self.estimate.method, self.parser, self.subset, self.judge)

    def within(self, subset: str) -> Measure:
        """The same, about some of the items; over so many parts its p would be small somewhere by chance."""
        return replace(self, subset=subset, estimate=replace(self.estimate, p=None), p_adjusted=None, detectable=None)

    def read_in(self, table: Table) -> Measure:
        """The same with the parser and the judge that it rests on, of those that read the table's responses."""
        parser = table.parser if self.kind.parser is None else self.kind.parser
        judged = self.kind.judged or (self.kind.parser is None and (bool(table.settled) or table.by_judges))
        return replace(self, parser=parser, judge=table.judge if judged else "")


class Status(StrEnum):
    """How a test came out."""

    PASS = "pass"  # noqa: S105  # a verdict, no password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    REPORTED = "reported"
    """Measured, and no verdict is drawn from it."""
    NOT_APPLICABLE = "not_applicable"
    """The question has no meaning for this model or benchmark."""
    WITHHELD = "withheld"
    """The images may never have reached the model."""

    @property
    def words(self) -> str:
        """The status as people read it.

        >>> Status.INCONCLUSIVE.words, Status.NOT_APPLICABLE.words, Status.FAIL.words
        ('not decided', 'not applicable', 'fail')
        """
        return "not decided" if self is Status.INCONCLUSIVE else self.value.replace("_", " ")


@dataclass(frozen=True)
class Verdict:
    """A test's result: the numbers in words, what they mean, and the measure that decides, with its arm and kind."""

    status: Status
    numbers: str = ""
    """Empty where nothing was measured."""
    meaning: str = ""
    rests_on: Measure | None = None
    """None where nothing was measured that could decide."""
    reason: str = ""
    """Why, as a code: the sentence is made from it and the values; by default the status."""
    values: Mapping[str, Estimate | float | int | str] = field(default_factory=dict)
    """The numbers behind the sentence, by name; by default the measure that decides."""
    p: float | None = None
    """The two-sided p of a pass or fail against its limit, before correction; None where no limit decides."""

    def __post_init__(self) -> None:
        if not self.reason:
            object.__setattr__(self, "reason", self.status.words.replace(" ", "-"))
        if not self.values and self.rests_on is not None:
            object.__setattr__(self, "values", {self.rests_on.name: self.rests_on.estimate})

    @property
    def sentence(self) -> str:
        """The numbers, then what they mean.

        >>> Verdict(Status.PASS, "88% → 87%", "it is stable").sentence
        '88% → 87%. It is stable.'
        """
        return " ".join(f"{part[0].upper()}{part[1:]}." for part in (self.numbers, self.meaning) if part)


class Thresholds(NamedTuple):
    """Where verdicts divide, as a study sets it."""

    image_dependence: float = 0.5
    """The share of the accuracy above chance that may be kept without the image."""
    margin: float = 0.05
    """A change of accuracy smaller than this does not matter."""
    moved: float = 0.1
    """The share of answers that may move under what should not matter."""


USUAL_THRESHOLDS = Thresholds()


Measuring = Callable[["StressTest", Table], Sequence[Measure]]
Spanning = Callable[["StressTest", Sequence[Table]], Sequence[Measure]]
Concerns = Callable[[Item], bool]
Concluding = Callable[["StressTest", Mapping[tuple[str, str], Measure]], Verdict]


REPEATED = 200
"""Items whose two orders of options are asked twice: what changes between repeats is no effect of the order."""


class Fallback(NamedTuple):
    """An arm that a test asks of a benchmark only where another condition applies to too few items."""

    arm: Arm
    unless: Condition
    fewest: int = 30
    """To so many items the other condition must apply, or the arm is asked."""


@dataclass(frozen=True)
class StressTest:
    """A question, the arms that answer it, their baseline, and what is expected of a good model.

    `headline` names the measure whose p-value stands for the test when a family of tests is corrected. `measuring` and
    `concluding` have defaults by expectation.
    """

    name: str
    asks: str
    arms: tuple[Arm | Condition, ...]
    expects: Expectation
    baseline: Arm = field(default=Arm(ORIGINAL))
    headline: str = "difference"
    label: str = ""
    """Its question in a few words, for a line of the terminal; by default its name."""
    thresholds: Thresholds = USUAL_THRESHOLDS
    measuring: Measuring | None = None
    concluding: Concluding | None = None
    scores: bool = False
    """Whether it is a score over the arms of other tests: reported without a verdict, and not by group."""
    spanning: Spanning | None = None
    """How a score is made of several benchmarks of one model at once, where it can be."""
    over_models: Spanning | None = None
    """How a score is made of several models on one benchmark, where it can be."""
    item_kind: ItemKind = "choice"
    """The kind of questions that it asks of a benchmark: those with options, or open ones."""
    concerns: Concerns | None = None
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
    passes: str = ""
    """What is expected of a good model, in sentences, where the words of `expects` do not say it.

    `{image_dependence}`, `{margin}` and `{moved}` stand for the thresholds of the study.
    """
    in_steps: bool = False
    """Whether every arm takes more away than the one before it, so that a report draws them as steps."""
    parsers: tuple[str, ...] = ()
    """The parsers that it needs, by name; they read the responses to its own arms only.

    Those with an `outcome` grade the questions that the test brings, the others give columns.
    """
    explain_mismatch: Callable[[Sequence[Item]], str] | None = None
    """Why its settings leave none of some items to measure, in words; empty if they leave some."""
    every_item: bool = False
    """Whether items without an image count too, though one of its conditions changes the image."""
    marks: bool = False
    """Whether it is one of the three verdicts that every model gets, which are decided together."""
    chapter: str = ""
    """Where the chapter of the report is that it brings along, as `module:ATTRIBUTE`; several tests may share one."""

    def __post_init__(self) -> None:
        names = [arm.name for arm in self.all_arms]
        if len(set(names)) < len(names):
            raise StudyError(f"Two conditions of the test {self.name!r} have one name: {names}.")

    @property
    def sends_images(self) -> bool:
        """Whether images of a benchmark are sent under any of its arms; one that brings its questions sends none."""
        return not self.questions and any(arm.effects.sends_image for arm in self.all_arms)

    @property
    def all_arms(self) -> tuple[Arm, ...]:
        """The baseline, then the arms."""
        return (self.baseline, *self.compared)

    @property
    def possible_arms(self) -> tuple[Arm, ...]:
        """All arms, and the one that is asked of some benchmarks only."""
        return (*self.all_arms, self.fallback.arm) if self.fallback else self.all_arms

    @property
    def compared(self) -> tuple[Arm, ...]:
        """The arms that are held against the baseline."""
        return tuple(arm if isinstance(arm, Arm) else Arm(arm) for arm in self.arms)

    @property
    def about_images(self) -> bool:
        """Whether it is about what images do: one of its conditions changes the image of an item."""
        changed = any("image" in arm.condition.changes for arm in self.all_arms)
        return changed and not (self.every_item or self.questions)

    def restrict_table(self, table: Table) -> Table:
        """The table as this test sees it: a test about images sees only items that have one."""
        return table.with_images() if self.about_images else table


def asked_of(tests: Iterable[StressTest], benchmark: str, kind: ItemKind = "choice") -> list[StressTest]:
    """The tests that ask something of a benchmark: those it is the own questions of, or else those of its kind."""
    known = list(tests)
    if any(test.questions == benchmark for test in known):
        return [test for test in known if test.questions == benchmark]
    return [test for test in known if not test.questions and test.item_kind == kind]


def concerned(tests: Iterable[StressTest], benchmark: Benchmark) -> Benchmark:
    """A benchmark without the questions that none of the tests which ask it is about."""
    asking = [test for test in asked_of(tests, benchmark.name, benchmark.kind) if not test.questions]
    wanted = [test.concerns for test in asking if test.concerns is not None]
    if not asking or len(wanted) < len(asking):
        return benchmark
    kept = tuple(item for item in benchmark if any(about(item) for about in wanted))
    if not kept:
        names = ", ".join(test.name for test in asking)
        raise StudyError(
            f"{benchmark.name!r} has no question for {names}. Questions that name their `premise` are asked by "
            "false-premise alone, those of the task mismatch by mismatched-image, and other open ones by "
            "open-answers. phantoms:task=premises has such premises. "
            "mirror asks questions whose right answer names a side, such as 'left lung'; phantoms has some."
        )
    return benchmark if len(kept) == len(benchmark) else replace(benchmark, items=kept)
