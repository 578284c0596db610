"""StressTest: a design, and what is measured and concluded of its arms, and how a page presents it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast, overload

from snellen.conditions import Condition
from snellen.errors import StudyError
from snellen.plugins import referred
from snellen.prompts import Arm
from snellen.stress.design import USUAL_THRESHOLDS, Design, Presentation, Thresholds

if TYPE_CHECKING:
    from snellen.stats import Estimate
    from snellen.stress.table import Table


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
        object.__setattr__(self, "status", _read_status(self.status))
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


def _read_status(given: Status | str) -> Status:
    """The status itself, also if it is given as a word; StudyError for a word that names none."""
    if given in tuple(Status):
        return Status(given)
    known = ", ".join(f"Status.{each.name}" for each in Status)
    raise StudyError(f"A verdict has one of the statuses {known}, got {given!r}.")


Measures = Mapping[tuple[str, str], Measure]
"""Measures of a test by arm and name."""
Measuring = Callable[["StressTest", "Table"], Iterable[Measure]]
Spanning = Callable[["StressTest", "Sequence[Table]"], Sequence[Measure]]
Concluding = Callable[["StressTest", Measures], Verdict]
USUAL_MEASURING = "snellen.stress.measures:standard_measures"
USUAL_CONCLUDING = "snellen.stress.conclusions:conclude"


@dataclass(frozen=True)
class Analysis:
    """What is expected of a good model, what is measured, and what is concluded from it."""

    expects: Expectation
    headline: str = "difference"
    """The measure whose p-value stands for the test when a family of tests is corrected."""
    thresholds: Thresholds = USUAL_THRESHOLDS
    measure: Measuring | None = None
    """What yields or returns its measures of a table; None: accuracies, rates and differences."""
    conclude: Concluding | None = None
    """None: by what is expected."""
    scores: bool = False
    """Whether it is a score over the arms of other tests: reported without a verdict, and not by group."""
    spanning: Spanning | None = None
    """How a score is made of several benchmarks of one model at once, where it can be."""
    over_models: Spanning | None = None
    """How a score is made of several models on one benchmark, where it can be."""
    marks: bool = False
    """Whether it is one of the three verdicts that every model gets, which are decided together."""


Value = TypeVar("Value")


class _Forward(Generic[Value]):
    """A field of one of the parts, as the test shows it."""

    def __init__(self, read: Callable[[StressTest], Value]) -> None:
        self._read = read

    def __get__(self, test: StressTest, owner: type[StressTest]) -> Value:
        return self._read(test)


@dataclass(frozen=True, init=False)
class StressTest:
    """What is asked, what is measured and concluded of it, and how it is presented.

    The analysis may be named as `module:ATTRIBUTE`; it is loaded when it is first needed.
    """

    design: Design
    analysis: Analysis | str
    presentation: Presentation

    @overload
    def __init__(
        self, design: Design, analysis: Analysis | str, presentation: Presentation = ..., **changes: Any
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, asks: str, arms: tuple[Arm | Condition, ...], expects: Expectation, **settings: Any
    ) -> None: ...
    def __init__(self, *given: Any, **settings: Any) -> None:
        """The parts, with changes to their fields; or all fields by their names, as before there were parts."""
        names = tuple(_PARTS) if given and isinstance(given[0], Design) else _IN_PLACE
        settings |= zip(names[: len(given)], given, strict=True)
        parts = {part: settings.pop(part, None) for part in _PARTS}
        for part, kind in _PARTS.items():
            made, own = (
                parts[part],
                {_RENAMED.get(name, name): settings[name] for name in settings if _home(name) == part},
            )
            made = referred(made) if own and isinstance(made, str) else made
            object.__setattr__(self, part, kind(**own) if made is None else replace(made, **own) if own else made)

    def with_settings(self, **changes: Any) -> StressTest:
        """The test with other values of these fields of its parts."""
        return StressTest(self.design, self.analysis, self.presentation, **changes)

    @property
    def loaded(self) -> Analysis:
        """The analysis itself."""
        analysis: Analysis = referred(self.analysis) if isinstance(self.analysis, str) else self.analysis
        return analysis

    def measure(self, table: Table) -> Sequence[Measure]:
        """What the test measures of a table."""
        found: Iterable[Measure] = (self.loaded.measure or referred(USUAL_MEASURING))(self, table)
        return list(found) if isinstance(found, Iterator) else cast("Sequence[Measure]", found)

    def conclude(self, measures: Measures) -> Verdict:
        """What its measures mean."""
        verdict: Verdict = (self.loaded.conclude or referred(USUAL_CONCLUDING))(self, measures)
        return verdict

    def restrict_table(self, table: Table) -> Table:
        """The table as this test sees it: a test about images sees only items that have one."""
        return table.with_images() if self.design.about_images else table

    name = _Forward(lambda test: test.design.name)
    asks = _Forward(lambda test: test.design.asks)
    arms = _Forward(lambda test: test.design.arms)
    baseline = _Forward(lambda test: test.design.baseline)
    compared = _Forward(lambda test: test.design.compared)
    all_arms = _Forward(lambda test: test.design.all_arms)
    possible_arms = _Forward(lambda test: test.design.possible_arms)
    item_kind = _Forward(lambda test: test.design.item_kind)
    concerns = _Forward(lambda test: test.design.concerns)
    benchmark = _Forward(lambda test: test.design.benchmark)
    questions = _Forward(lambda test: test.design.questions)
    epochs = _Forward(lambda test: test.design.epochs)
    whole = _Forward(lambda test: test.design.whole)
    fallback = _Forward(lambda test: test.design.fallback)
    repeated = _Forward(lambda test: test.design.repeated)
    reads = _Forward(lambda test: test.design.reads)
    sends_images = _Forward(lambda test: test.design.sends_images)
    expects = _Forward(lambda test: test.loaded.expects)
    headline = _Forward(lambda test: test.loaded.headline)
    thresholds = _Forward(lambda test: test.loaded.thresholds)
    scores = _Forward(lambda test: test.loaded.scores)
    spanning = _Forward(lambda test: test.loaded.spanning)
    over_models = _Forward(lambda test: test.loaded.over_models)
    marks = _Forward(lambda test: test.loaded.marks)
    label = _Forward(lambda test: test.presentation.label)
    passes = _Forward(lambda test: test.presentation.passes)
    in_steps = _Forward(lambda test: test.presentation.in_steps)
    chapter = _Forward(lambda test: test.presentation.chapter)
    measuring = _Forward(lambda test: test.loaded.measure)
    concluding = _Forward(lambda test: test.loaded.conclude)
    parsers = _Forward(lambda test: test.design.reads)


_PARTS = {"design": Design, "analysis": Analysis, "presentation": Presentation}
_IN_PLACE = (
    "name", "asks", "arms", "expects", "baseline", "headline", "label", "thresholds", "measuring", "concluding",
)  # fmt: skip
"""The settings of a test in the order in which 0.2.0 took them."""
_RENAMED = {"measuring": "measure", "concluding": "conclude", "parsers": "reads"}
"""Fields that had another name in 0.2.0."""


def _home(setting: str) -> str:
    """The part that has a setting; a name that none has is the design's, which refuses it."""
    setting = _RENAMED.get(setting, setting)
    return next((part for part, kind in _PARTS.items() if setting in {each.name for each in fields(kind)}), "design")
