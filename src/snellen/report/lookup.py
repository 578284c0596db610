"""Lookup of a study's numbers by test, model, benchmark, condition and measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.items import describe_benchmark
from snellen.report.components import Cell, Row, Table
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import NOTHING_MORE, Against, PrintedNumber, anchor_of_measure, forest, number
from snellen.report.sections.headline import short_names
from snellen.scoring.findings import Finding
from snellen.stats import Estimate
from snellen.stress.base import Measure
from snellen.stress.taxonomy import hides_image


class ShownNumber(NamedTuple):
    """A measure, its finding and its printed form."""

    finding: Finding
    measure: Measure
    printed: PrintedNumber

    @property
    def estimate(self) -> Estimate:
        """Estimate of the measure."""
        return self.measure.estimate


class ModelOnBenchmark(NamedTuple):
    """One model on one benchmark."""

    model: str
    benchmark: str


def show_found(found: ShownNumber | None, words: str = "", *, n: bool = True) -> Cell:
    """Return a number as a table cell. A dash if it is missing."""
    return Cell("–") if found is None else found.printed.cell(words, n=n)


def shade_found(found: ShownNumber | None, shade: float, *, cool: bool = False, notes: Sequence[str] = ()) -> Cell:
    """Return a number as a heat map cell with interval and notes."""
    if found is None:
        return Cell("–")
    shown = found.printed
    note = Markup("<br>").join((f"({shown.interval})", *notes))
    return Cell(shown.value, None, note, shown.anchor, f"{shown.method}, n {shown.n}", shade=shade, cool=cool)


def family(finding: Finding) -> str:
    """Return a test's name without its settings: the *family* of the test."""
    return finding.test.name.partition(":")[0]


class Lookup:
    """Numbers of the study's own parser, by family of tests."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.benchmarks = evidence.benchmarks
        self.short_names = short_names(evidence.results)
        self.models: tuple[str, ...] = tuple(name for name, _ in evidence.results.study["models"])
        self._found: dict[tuple[str, ModelOnBenchmark, str, str, str], tuple[Finding, Measure]] = {}
        for finding in evidence.results.findings:
            for measure in finding.measures:
                key = (family(finding), ModelOnBenchmark(finding.model, finding.benchmark), measure.arm, measure.name)
                for subset in ("", measure.subset):
                    self._found.setdefault((*key, subset), (finding, measure))
        self._groups: dict[tuple[str, ModelOnBenchmark], list[Finding]] = {}
        for group in evidence.results.groups:
            self._groups.setdefault((group.test.name, ModelOnBenchmark(group.model, group.benchmark)), []).append(group)
        self._families = tuple(dict.fromkeys(map(family, evidence.results.findings)))

    def describe_benchmark(self, benchmark: str) -> str:
        """Return " on" and the benchmark if the study has several; else ""."""
        return f" on {describe_benchmark(benchmark)}" if self.evidence.several else ""

    def row(self, of: Finding | ModelOnBenchmark, *cells: Cell, marked: bool | None = None) -> Row:
        """Return a row that begins with a model's name, and perhaps its marker."""
        marked = marked or (marked is None and bool(cells[0].drawing))
        name = Cell(self.short_names[of.model], place=self.evidence.place(of.model) if marked else None)
        return Row(name, cells, of.model, of.benchmark)

    def row_under_name(self, of: Finding | ModelOnBenchmark, head: str | Cell, *cells: Cell) -> Row:
        """Return a row for the group of rows below a model's name."""
        first = Cell(head) if isinstance(head, str) else head
        return Row(first, cells, of.model, of.benchmark, self.short_names[of.model])

    def of_family(self, name: str) -> list[Finding]:
        """Return the findings of one family of tests that have measures."""
        return [each for each in self.evidence.results.findings if family(each) == name and each.measures]

    def categories(self, finding: Finding) -> dict[str, Finding]:
        """Return the findings of the same test and model by category of items."""
        found = self._groups.get((finding.test.name, ModelOnBenchmark(finding.model, finding.benchmark)), [])
        named = ((each.group.partition("="), each) for each in found)
        return {name: each for (grouping, _, name), each in named if grouping == "category"}

    def families(self, *, but: str) -> tuple[str, ...]:
        """Return all families of tests except one."""
        return tuple(name for name in self._families if name != but)

    def places(self, benchmark: str) -> list[ModelOnBenchmark]:
        """Return every model on one benchmark, in study order."""
        return [ModelOnBenchmark(model, benchmark) for model in self.models]

    def find(
        self, families: Iterable[str], place: ModelOnBenchmark, arm: str, name: str, subset: str = ""
    ) -> ShownNumber | None:
        """Find a number in the first family that has it. None if none has."""
        found = (self._found.get((each, place, arm, name, subset)) for each in families)
        return next((self.show_measure(*each) for each in found if each is not None), None)

    def find_number(self, finding: Finding, arm: str, name: str) -> ShownNumber | None:
        """Find a number of a finding. None if it has none of that name."""
        measure = finding.measure(arm, name)
        return None if measure is None else self.show_measure(finding, measure)

    def cell(
        self, finding: Finding, arm: str, name: str, *, n: bool = True, notes: bool = False, missing: str = "–"
    ) -> Cell:
        """Return a number of a finding as a table cell."""
        found = self.find_number(finding, arm, name)
        return Cell(missing) if found is None else found.printed.cell(n=n, notes=notes)

    def show_measure(self, finding: Finding, measure: Measure) -> ShownNumber:
        """Format a measure for the page."""
        anchor = anchor_of_measure(finding, measure, self.evidence.anchors)
        return ShownNumber(finding, measure, number(measure, anchor))

    def draw_forests(
        self, findings: Sequence[Finding], arm: str, captions: Mapping[str, str], against: Against = NOTHING_MORE
    ) -> list[Table]:
        """Plot each measure of `captions` over models or categories."""

        def label(finding: Finding) -> str:
            return finding.group.partition("=")[2] or self.short_names[finding.model]

        plots = (forest(findings, arm, name, evidence=self.evidence, label=label, against=against, caption=caption)
                 for name, caption in captions.items())  # fmt: skip
        return [plot for plot in plots if plot is not None]

    def chance(self, place: ModelOnBenchmark, arm: str) -> float | None:
        """Accuracy by chance on a condition's items. None for open answers or without responses."""
        address = ArmAddress(*place, arm)
        without_options = self.evidence.open_questions | self.evidence.reports
        if place.benchmark in without_options or address not in self.evidence.anchors:
            return None
        ordinals = self.evidence.grades(address).ordinal
        return float(self.evidence.table(address).chance[ordinals].mean()) if len(ordinals) else None

    def arms(self, benchmark: str) -> list[str]:
        """Return the conditions of a benchmark, those with an image first."""
        tables = (table for (_, name), table in self.evidence.results.tables.items() if name == benchmark)
        return in_order(arm for table in tables for arm in table.arms)

    def list_places(self) -> Iterator[tuple[str, Sequence[ModelOnBenchmark]]]:
        """Yield every benchmark with all its models."""
        for benchmark in self.benchmarks:
            yield benchmark, self.places(benchmark)


def in_order(arms: Iterable[str]) -> list[str]:
    """Sort conditions with an image before those without, otherwise in the given order.

    >>> in_order(["original", "image-removed", "options-shuffled", "image-removed+options-shuffled"])
    ['original', 'options-shuffled', 'image-removed', 'image-removed+options-shuffled']
    """
    return sorted(dict.fromkeys(arms), key=hides_image)
