"""Lookup: the numbers of a study by test, model, benchmark, arm and measure, whatever settings its tests have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.components import Cell, Row, Table
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import NOTHING_MORE, Against, Number, anchor_of_measure, forest, number
from snellen.report.sections.headline import short_names
from snellen.scoring.findings import Finding
from snellen.stats import Estimate
from snellen.stress.base import Measure
from snellen.stress.taxonomy import unseen


class Found(NamedTuple):
    """A number and the finding it belongs to, in print as well."""

    finding: Finding
    measure: Measure
    printed: Number

    @property
    def estimate(self) -> Estimate:
        """The number as it was measured."""
        return self.measure.estimate


class Place(NamedTuple):
    """Where numbers belong: one model on one benchmark."""

    model: str
    benchmark: str


def show_found(found: Found | None, words: str = "", *, n: bool = True) -> Cell:
    """A number as a place of a table, after some words; a dash if there is none."""
    return Cell("–") if found is None else found.printed.cell(words, n=n)


def shade_found(found: Found | None, shade: float, *, cool: bool = False, notes: Sequence[str] = ()) -> Cell:
    """A number as a cell of a heat map, its interval and some notes below it; a dash if there is none."""
    if found is None:
        return Cell("–")
    shown = found.printed
    note = Markup("<br>").join((f"({shown.interval})", *notes))
    return Cell(shown.value, None, note, shown.anchor, f"{shown.method}, n {shown.n}", shade=shade, cool=cool)


def family(finding: Finding) -> str:
    """The test's name without its settings."""
    return finding.test.name.partition(":")[0]


class Lookup:
    """The numbers of the study's own parser; of several tests of one family, the first that has the number counts."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.benchmarks = evidence.benchmarks
        self.short_names = short_names(evidence.results)
        self.models: tuple[str, ...] = tuple(name for name, _ in evidence.results.study["models"])
        self._found: dict[tuple[str, Place, str, str, str], tuple[Finding, Measure]] = {}
        for finding in evidence.results.findings:
            for measure in finding.measures:
                key = (family(finding), Place(finding.model, finding.benchmark), measure.arm, measure.name)
                for subset in ("", measure.subset):
                    self._found.setdefault((*key, subset), (finding, measure))
        self._groups: dict[tuple[str, Place], list[Finding]] = {}
        for group in evidence.results.groups:
            self._groups.setdefault((group.test.name, Place(group.model, group.benchmark)), []).append(group)
        self._families = tuple(dict.fromkeys(map(family, evidence.results.findings)))

    def on(self, benchmark: str) -> str:
        """Words that name a benchmark, if there are several."""
        return f" on {benchmark}" if self.evidence.several else ""

    def row(self, of: Finding | Place, *cells: Cell, marked: bool | None = None) -> Row:
        """A row that begins with a model's name, and with its mark if a drawing follows."""
        marked = marked or (marked is None and bool(cells[0].drawing))
        name = Cell(self.short_names[of.model], place=self.evidence.place(of.model) if marked else None)
        return Row(name, cells, of.model, of.benchmark)

    def row_under_name(self, of: Finding | Place, head: str | Cell, *cells: Cell) -> Row:
        """A row that stands with others under a model's name."""
        first = Cell(head) if isinstance(head, str) else head
        return Row(first, cells, of.model, of.benchmark, self.short_names[of.model])

    def of_family(self, name: str) -> list[Finding]:
        """The findings of all tests of one family that measured anything."""
        return [each for each in self.evidence.results.findings if family(each) == name and each.measures]

    def categories(self, finding: Finding) -> dict[str, Finding]:
        """The same test of the same model by the items' category, where there are several."""
        found = self._groups.get((finding.test.name, Place(finding.model, finding.benchmark)), [])
        named = ((each.group.partition("="), each) for each in found)
        return {name: each for (grouping, _, name), each in named if grouping == "category"}

    def families(self, *, but: str) -> tuple[str, ...]:
        """All families of tests but one."""
        return tuple(name for name in self._families if name != but)

    def places(self, benchmark: str) -> list[Place]:
        """Every model on one benchmark, in the order of the study."""
        return [Place(model, benchmark) for model in self.models]

    def find(self, families: Iterable[str], place: Place, arm: str, name: str, subset: str = "") -> Found | None:
        """The number that the first of these families has; of some items only, if results.csv names them so."""
        found = (self._found.get((each, place, arm, name, subset)) for each in families)
        return next((self.printed(*each) for each in found if each is not None), None)

    def measured(self, finding: Finding, arm: str, name: str) -> Found | None:
        """A number of a finding; None if it has none of that name."""
        measure = finding.measure(arm, name)
        return None if measure is None else self.printed(finding, measure)

    def cell(
        self, finding: Finding, arm: str, name: str, *, n: bool = True, notes: bool = False, missing: str = "–"
    ) -> Cell:
        """A number of a finding as a place of a table."""
        found = self.measured(finding, arm, name)
        return Cell(missing) if found is None else found.printed.cell(n=n, notes=notes)

    def printed(self, finding: Finding, measure: Measure) -> Found:
        """A number as the page shows it."""
        return Found(finding, measure, number(measure, anchor_of_measure(finding, measure, self.evidence.anchors)))

    def draw_forests(
        self, findings: Sequence[Finding], arm: str, captions: Mapping[str, str], against: Against = NOTHING_MORE
    ) -> list[Table]:
        """A plot over the models, or over the categories of one, for each of these measures that any of them has."""

        def label(finding: Finding) -> str:
            return finding.group.partition("=")[2] or self.short_names[finding.model]

        plots = (forest(findings, arm, name, evidence=self.evidence, label=label, against=against, caption=caption)
                 for name, caption in captions.items())  # fmt: skip
        return [plot for plot in plots if plot is not None]

    def chance(self, place: Place, arm: str) -> float | None:
        """What picking at random would score on the items of an arm; None for answers in words, or where none came."""
        address = ArmAddress(*place, arm)
        if (
            place.benchmark in self.evidence.open_questions | self.evidence.reports
            or address not in self.evidence.anchors
        ):
            return None
        if not len(self.evidence.grades(address)):
            return None
        return float(self.evidence.table(address).chance[self.evidence.grades(address).ordinal].mean())

    def arms(self, benchmark: str) -> list[str]:
        """The arms of a benchmark, those with an image first."""
        tables = (table for (_, name), table in self.evidence.results.tables.items() if name == benchmark)
        return in_order(arm for table in tables for arm in table.arms)

    def everywhere(self) -> Iterator[tuple[str, Sequence[Place]]]:
        """Every benchmark with all its places."""
        for benchmark in self.benchmarks:
            yield benchmark, self.places(benchmark)


def in_order(arms: Iterable[str]) -> list[str]:
    """The arms with an image before those without, each kind as it came.

    >>> in_order(["original", "image-removed", "options-shuffled", "image-removed+options-shuffled"])
    ['original', 'options-shuffled', 'image-removed', 'image-removed+options-shuffled']
    """
    return sorted(dict.fromkeys(arms), key=unseen)
