"""Stress tests: design, measures, conclusion and presentation of a test.

A test compares arms; an arm is a condition with its prompt and settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast, overload

from snellen.conditions import Condition
from snellen.errors import StudyError
from snellen.plugins import load_reference
from snellen.prompts import Arm
from snellen.stress.design import USUAL_THRESHOLDS, Design, Presentation, Thresholds

if TYPE_CHECKING:
    from snellen.stats import Estimate
    from snellen.stress.table import Table


class Expectation(StrEnum):
    """Expected change of a good model's answers between the arms."""

    INVARIANT = "invariant"
    ABSTAIN = "abstain"
    CHANGE = "change"
    WORSE = "worse"
    UNKNOWN = "unknown"
    """The expected change is unknown: the test is measured without pass or fail."""


class Unit(StrEnum):
    """Unit of a measure; it decides the format and scale."""

    SHARE = "share"
    POINTS = "points"
    """Difference of two shares."""
    CHANGE = "change"
    """Difference relative to the first value."""
    RATIO = "ratio"
    """Share that may exceed 1."""
    SCORE = "score"
    """Score from 0 to 1."""
    HUNDRED = "hundred"
    """Score from 0 to 1, shown as 0 to 100."""
    SIGNAL = "signal"
    """Distance: 0 is none, 1 is the largest."""
    DOSE = "dose"
    """Strength: 0 is none."""
    VARIANCE = "variance"
    """Variance; its root is shown, in points."""
    NUMBER = "number"


class Kind(NamedTuple):
    """A kind of measure: name in results.csv, description and unit."""

    name: str
    words: str
    unit: Unit
    grouped: bool = False
    parser: str | None = None
    """The parser behind the measure; None for the one that grades the responses, "" for none."""
    judged: bool = False
    """Whether the measure uses a judge's opinions."""


def by_name(*kinds: Kind) -> Mapping[str, Kind]:
    """Index kinds of measure by their name."""
    return {kind.name: kind for kind in kinds}


def how_made(method: str, parser: str = "", subset: str = "", judge: str = "") -> str:
    """Describe how a number was computed: method, parser, items and judge.

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
    """Smallest effect that a test on this number of items detects with 80% power."""
    parser: str = ""
    """The parser behind the measure, "" for none; set when responses are scored."""
    subset: str = ""
    """How the items were chosen; "" if the measure covers all items."""
    judge: str = ""
    """The judge whose opinions the measure uses, "" for none; set when responses are scored."""
    ceiling: float | None = None
    """Highest possible value, if it is lower than usual."""

    @property
    def name(self) -> str:
        """Name of the measure in results.csv."""
        return self.kind.name

    @property
    def how(self) -> str:
        """Description of how the measure was computed."""
        return how_made(self.estimate.method, self.parser, self.subset, self.judge)

    def with_subset(self, subset: str) -> Measure:
        """Return the measure of a subset, without p-values: some of many would be small by chance."""
        return replace(self, subset=subset, estimate=replace(self.estimate, p=None), p_adjusted=None, detectable=None)

    def read_in(self, table: Table) -> Measure:
        """Return the measure with the parser and judge of the table."""
        parser = table.parser if self.kind.parser is None else self.kind.parser
        judged = self.kind.judged or (self.kind.parser is None and (bool(table.settled) or table.by_judges))
        return replace(self, parser=parser, judge=table.judge if judged else "")


class Status(StrEnum):
    """Result of a test."""

    PASS = "pass"  # noqa: S105  # a verdict, no password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    REPORTED = "reported"
    """Measured without pass or fail."""
    NOT_APPLICABLE = "not_applicable"
    """The question has no meaning for this model or benchmark."""
    WITHHELD = "withheld"
    """The images may not have reached the model."""

    @property
    def words(self) -> str:
        """The status in words for readers.

        >>> Status.INCONCLUSIVE.words, Status.NOT_APPLICABLE.words, Status.FAIL.words
        ('not decided', 'not applicable', 'fail')
        """
        return "not decided" if self is Status.INCONCLUSIVE else self.value.replace("_", " ")


@dataclass(frozen=True)
class Verdict:
    """Verdict of a test: status, numbers, meaning and the measure that decides."""

    status: Status
    numbers: str = ""
    """Measured numbers in words; empty if nothing was measured."""
    meaning: str = ""
    rests_on: Measure | None = None
    """Measure that decides; None if no measure could."""
    reason: str = ""
    """Code of the reason; the sentence is made from it and `values`. By default the status."""
    values: Mapping[str, Estimate | float | int | str] = field(default_factory=dict)
    """Numbers in the sentence, by name; by default the measure that decides."""
    p: float | None = None
    """Two-sided p of a pass or fail against its limit, before correction; None if no limit decides."""

    def __post_init__(self) -> None:
        if self.status not in tuple(Status):
            known = ", ".join(f"Status.{each.name}" for each in Status)
            raise StudyError(f"A verdict has one of the statuses {known}, got {self.status!r}.")
        object.__setattr__(self, "status", Status(self.status))
        if not self.reason:
            object.__setattr__(self, "reason", self.status.words.replace(" ", "-"))
        if not self.values and self.rests_on is not None:
            object.__setattr__(self, "values", {self.rests_on.name: self.rests_on.estimate})

    @property
    def sentence(self) -> str:
        """The numbers, followed by their meaning.

        >>> Verdict(Status.PASS, "88% → 87%", "it is stable").sentence
        '88% → 87%. It is stable.'
        """
        return " ".join(f"{part[0].upper()}{part[1:]}." for part in (self.numbers, self.meaning) if part)


Measures = Mapping[tuple[str, str], Measure]
"""Measures of a test, by arm and name."""
Measuring = Callable[["StressTest", "Table"], Iterable[Measure]]
Spanning = Callable[["StressTest", "Sequence[Table]"], Sequence[Measure]]
Concluding = Callable[["StressTest", Measures], Verdict]
USUAL_MEASURING = "snellen.stress.measures:standard_measures"
USUAL_CONCLUDING = "snellen.stress.conclusions:conclude"


@dataclass(frozen=True)
class Analysis:
    """Expected behaviour of a good model, measures and conclusion."""

    expects: Expectation
    headline: str = "difference"
    """Measure whose p-value represents the test when p-values of several tests are corrected."""
    thresholds: Thresholds = USUAL_THRESHOLDS
    measure: Measuring | None = None
    """Function that returns the measures of a table; None for accuracies, rates and differences."""
    conclude: Concluding | None = None
    """Function that returns the verdict; None for the conclusion by `expects`."""
    scores: bool = False
    """Whether the test is a score over other tests' arms, reported without pass or fail and not by group."""
    spanning: Spanning | None = None
    """Computes a score over several benchmarks of one model, if there is such a score."""
    over_models: Spanning | None = None
    """Computes a score over several models on one benchmark, if there is such a score."""
    marks: bool = False
    """True for the tests behind a model's three main verdicts, which are decided together."""


Value = TypeVar("Value")


class _Forward(Generic[Value]):
    """Attribute of a test that reads a field of one of its parts."""

    def __init__(self, read: Callable[[StressTest], Value]) -> None:
        self._read = read

    def __get__(self, test: StressTest, owner: type[StressTest]) -> Value:
        return self._read(test)


@dataclass(frozen=True, init=False)
class StressTest:
    """A stress test: its design, analysis and presentation.

    The analysis may be given as `module:ATTRIBUTE`; it is loaded when it is first needed.
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
        """Accept the three parts with changes to their fields, or all fields by name."""
        names = tuple(_PARTS) if given and isinstance(given[0], Design) else _IN_PLACE
        settings |= zip(names[: len(given)], given, strict=True)
        parts = {part: settings.pop(part, None) for part in _PARTS}
        renamed = {_RENAMED.get(name, name): setting for name, setting in settings.items()}
        for part, kind in _PARTS.items():
            # the design refuses an unknown name
            own = {name: setting for name, setting in renamed.items() if _HOMES.get(name, "design") == part}
            made = parts[part]
            made = load_reference(made) if own and isinstance(made, str) else made
            object.__setattr__(self, part, kind(**own) if made is None else replace(made, **own) if own else made)

    def with_settings(self, **changes: Any) -> StressTest:
        """Return a copy of the test with changed fields."""
        return StressTest(self.design, self.analysis, self.presentation, **changes)

    @property
    def loaded(self) -> Analysis:
        """The analysis, imported if it is given as a reference."""
        analysis: Analysis = load_reference(self.analysis) if isinstance(self.analysis, str) else self.analysis
        return analysis

    def measure(self, table: Table) -> Sequence[Measure]:
        """Measure a table."""
        found: Iterable[Measure] = (self.loaded.measure or load_reference(USUAL_MEASURING))(self, table)
        return list(found) if isinstance(found, Iterator) else cast("Sequence[Measure]", found)

    def conclude(self, measures: Measures) -> Verdict:
        """Draw the verdict from the measures."""
        verdict: Verdict = (self.loaded.conclude or load_reference(USUAL_CONCLUDING))(self, measures)
        return verdict

    def restrict_table(self, table: Table) -> Table:
        """Return the table of the items that this test covers."""
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
"""Order of the positional arguments of `StressTest` in version 0.2.0."""
_RENAMED = {"measuring": "measure", "concluding": "conclude", "parsers": "reads"}
"""Fields with another name in version 0.2.0."""
_HOMES = {each.name: part for part, kind in _PARTS.items() for each in fields(kind)}
"""Part of a `StressTest` (design, analysis or presentation) by the name of a field."""
