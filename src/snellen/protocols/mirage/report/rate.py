"""Mirage rate: what responses do about an image that was never sent, scaffold by scaffold and category by category."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from snellen.grading.columns import NOTHING
from snellen.prompts import Arm
from snellen.protocols.mirage.tests.rate import BY_EFFORT, FLAGGED, scaffold_of
from snellen.report.figures.layout import HeatCell, HeatRow
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import OutcomeBar, ShownTest, bars, outcome_figure
from snellen.report.words.numbers import count, figure, from_to, shortened
from snellen.scoring.findings import Finding
from snellen.stats import cohens_kappa
from snellen.stress.reasoning_tokens import TOKENS, other_efforts
from snellen.stress.table import Table

RATE, LOST = "mirage_rate", "missing_rate"
COLUMNS: Mapping[str, str] = {
    RATE: "mirage rate: describes, of the responses that say something",
    "mirage_rate_of_asked": "describes, of everything asked, no response and empty ones counted in",
    "mirage_rate_as_published": "as published, 100% − flagged, by our parser",
    "mirage_rate_by_judge": "100% − flagged, by the judge",
    "judge_kappa": "κ of judge and parser on what is flagged",
    LOST: "no response came",
}
"""The ways to count, and how far they can be trusted; a column only where somebody has the number, or any is lost."""


@dataclass(frozen=True)
class Scaffold:
    """How the question was wrapped, and the words that it was wrapped in."""

    name: str
    words: str


@dataclass(frozen=True)
class RatesOfModel:
    """One model's responses, a bar a scaffold."""

    model: str
    bars: tuple[OutcomeBar, ...]
    decides: str
    """The scaffold that the verdict rests on."""
    figure: Figure | None


@dataclass(frozen=True)
class RateLine:
    """One model under one scaffold: a number for every way to count, None where there is none."""

    model: str
    scaffold: str
    cells: tuple[Found | None, ...]


class EffortLine(NamedTuple):
    """One model under one scaffold: its rate at two efforts, the change on the same questions, and the tokens."""

    model: str
    scaffold: str
    efforts: tuple[str, str]
    rates: tuple[Found | None, Found | None]
    change: Found
    tokens: tuple[Found | None, Found | None]


@dataclass(frozen=True)
class MirageRate:
    """One such test over all models."""

    section: ShownTest
    scaffolds: tuple[Scaffold, ...]
    models: tuple[RatesOfModel, ...]
    columns: tuple[str, ...]
    lines: tuple[RateLine, ...]
    judge: str
    efforts: tuple[EffortLine, ...] = ()
    """The rate at one effort against another, where the test names several."""


def mirage_rates(lookup: Lookup, sections: Sequence[ShownTest]) -> list[MirageRate]:
    """A part for every test of the family."""
    return [_of(lookup, section) for section in sections if family(section.findings[0]) == "mirage-rate"]


def _of(lookup: Lookup, section: ShownTest) -> MirageRate:
    measures = [measure for each in section.findings for measure in each.measures]
    names = [name for name in COLUMNS if any(m.name == name and (name != LOST or m.estimate.value) for m in measures)]
    tables = (lookup.evidence.results.tables[each.model, each.benchmark] for each in section.findings)
    return MirageRate(
        section=section,
        scaffolds=tuple(dict.fromkeys(_scaffolds(lookup, section))),
        models=tuple(each for finding in section.findings if (each := _of_model(lookup, finding)).bars),
        columns=tuple(COLUMNS[name] for name in names),
        lines=tuple(line for each in section.findings for line in _lines(lookup, each, names)),
        judge=", ".join(dict.fromkeys(table.judge for table in tables if table.judge)),
        efforts=tuple(line for each in section.findings for line in _by_effort(lookup, each)),
    )


def _by_effort(lookup: Lookup, finding: Finding) -> Iterator[EffortLine]:
    def found(arm: Arm, name: str) -> Found | None:
        measure = finding.measure(arm.name, name)
        return None if measure is None else lookup.printed(finding, measure)

    for arm, other in other_efforts(finding.test).items():
        change = found(arm, BY_EFFORT)
        if change is not None:
            yield EffortLine(
                finding.model,
                scaffold_of(arm.name).partition(",")[0],
                (str(other.effort), str(arm.effort)),
                (found(other, RATE), found(arm, RATE)),
                change,
                (found(other, TOKENS), found(arm, TOKENS)),
            )


def _scaffolds(lookup: Lookup, section: ShownTest) -> Iterator[Scaffold]:
    """The words around the question as a stored request of each arm has them."""
    for arm, finding in product(section.test.all_arms, section.findings):
        table = lookup.evidence.results.tables[finding.model, finding.benchmark]
        if arm.name in table.arms and len(ordinals := table.arms[arm.name].ordinal):
            asked = lookup.evidence.asked(finding.benchmark, arm.name)[int(ordinals[0])]
            before, question, _ = asked.text.partition(table.items[ordinals[0]].question)
            if question:
                yield Scaffold(scaffold_of(arm.name).partition(",")[0], shortened(f"{asked.system} {before}", 170))


def _of_model(lookup: Lookup, finding: Finding) -> RatesOfModel:
    arms = [arm.name for arm in finding.test.all_arms]
    drawn = bars(lookup.evidence, [finding], arms, RATE)
    decides = finding.verdict.rests_on
    named = tuple(replace(bar, arm=scaffold_of(bar.arm)) for bar in drawn)
    caption = f"What the responses do, by scaffold; the number is the mirage rate; {finding.model}"
    figure = outcome_figure(lookup.evidence, named, caption, by_arm=True, name=f"{RATE}-{finding.model}")
    return RatesOfModel(finding.model, named, "" if decides is None else scaffold_of(decides.arm), figure)


def _lines(lookup: Lookup, finding: Finding, names: Sequence[str]) -> list[RateLine]:
    made = []
    for arm in finding.test.all_arms:
        measures = [finding.measure(arm.name, name) for name in names]
        if any(measures):
            cells = tuple(None if each is None else lookup.printed(finding, each) for each in measures)
            made.append(RateLine(finding.model, scaffold_of(arm.name), cells))
    return made


class AdmissionJudging(NamedTuple):
    """A judge by name, how many of its answers could not be read, and its agreement with the parser in a sentence."""

    judge: str
    unread: int
    agreement: str


def judging(lookup: Lookup, rates: Sequence[MirageRate]) -> AdmissionJudging | None:
    """The judge of the responses to questions that came without an image; None where none was asked."""
    own = lookup.evidence.own_questions
    tables = [table for (_, name), table in lookup.evidence.results.tables.items() if name in own]
    names = list(dict.fromkeys(table.judge for table in tables if table.judge))
    if not names:
        return None
    asked = {finding.benchmark for rate in rates for finding in rate.section.findings}
    pairs = list(_flagged(table for table in tables if table.benchmark in asked))
    return AdmissionJudging(", ".join(names), sum(table.judge_unread for table in tables), _agreement(pairs))


def _flagged(tables: Iterable[Table]) -> Iterator[tuple[bool, bool]]:
    """Of every response that the judge was heard on, whether the parser flags it and whether the judge does."""
    for said in (grades.admissions for table in tables for grades in table.arms.values()):
        if said is not None:
            heard = said.flagged != NOTHING
            yield from zip(said.is_(*FLAGGED)[heard].tolist(), (said.flagged[heard] == 1).tolist(), strict=True)


def _agreement(pairs: Sequence[tuple[bool, bool]]) -> str:
    """How far judge and parser agree over all responses: a model that always does the same has no κ of its own.

    >>> _agreement([(True, True), (False, False)] * 20 + [(False, True)] * 10)
    'On what is flagged it agrees with the parser on 80% of 50 responses, all models and scaffolds together: κ 0.62 [0.42 to 0.81].'
    """  # noqa: E501 - a doctest has no line breaks
    if not pairs:
        return "How far it agrees with the parser cannot be said: none of its answers could be read."
    parser, judge = zip(*pairs, strict=True)
    alike = figure(float(np.mean([ours == theirs for ours, theirs in pairs])), "share")
    words = f"On what is flagged it agrees with the parser on {alike} of {count(len(pairs))} responses"
    if len(set(parser)) == 1 or len(set(judge)) == 1:
        return f"{words}; there is no κ, since one of the two never differs."
    kappa = cohens_kappa(parser, judge)
    value, low, high = (figure(each, "score") for each in (kappa.value, kappa.low, kappa.high))
    return f"{words}, all models and scaffolds together: κ {value} [{low} to {high}]."


STEPS = 10
"""How many shades there are above none."""


class CategoryCell(NamedTuple):
    """A rate, and how dark it is."""

    found: Found
    shade: int


@dataclass(frozen=True)
class CategoryRow:
    """One category: how many questions, and a cell for every scaffold."""

    category: str
    n: str
    cells: tuple[CategoryCell | None, ...]


@dataclass(frozen=True)
class HeatMap:
    """One model: its categories by domain."""

    model: str
    domains: tuple[tuple[str, tuple[CategoryRow, ...]], ...]
    figure: Figure


@dataclass(frozen=True)
class HeatMaps:
    """All models with a rate by category; those that nowhere describe anything are only named."""

    scaffolds: tuple[str, ...]
    maps: tuple[HeatMap, ...]
    nowhere: tuple[str, ...]


def heat_maps(lookup: Lookup, section: ShownTest) -> HeatMaps:
    """The maps of one test."""
    maps, nowhere = [], []
    for finding in section.findings:
        rows = {name: _row(lookup, name, each) for name, each in lookup.categories(finding).items()}
        cells = [cell for row in rows.values() for cell in row.cells if cell]
        if any(cell.found.estimate.value > 0 for cell in cells):
            domains = _by_domain(lookup, finding, rows)
            maps.append(HeatMap(finding.model, domains, _map_figure(lookup, finding, domains)))
        elif cells:
            nowhere.append(finding.model)
    return HeatMaps(tuple(scaffold_of(arm.name) for arm in section.test.all_arms), tuple(maps), tuple(nowhere))


def _map_figure(lookup: Lookup, finding: Finding, domains: Sequence[tuple[str, Sequence[CategoryRow]]]) -> Figure:
    """The map of one model as a figure of its own."""
    rows = [
        HeatRow(row.category, f"n {row.n}", tuple(map(_heated, row.cells)), domain if row is those[0] else "")
        for domain, those in domains
        for row in those
    ]
    cells = [cell for _, those in domains for row in those for cell in row.cells if cell]
    about = About(
        (finding.test.name, RATE, "by-category", finding.model),
        f"Mirage rate by category and scaffold; {finding.model}",
        "The stronger the colour, the more responses describe an image; small figures are 95% CIs",
    )
    columns = [scaffold_of(arm.name) for arm in finding.test.all_arms]
    data = [datum(cell.found.finding, cell.found.measure) for cell in cells]
    return lookup.evidence.figures.cells(about, columns, rows, data)


def _heated(cell: CategoryCell | None) -> HeatCell | None:
    return cell and HeatCell(cell.found.printed.value, cell.found.printed.interval, cell.shade / STEPS)


def _row(lookup: Lookup, category: str, group: Finding) -> CategoryRow:
    measures = [group.measure(arm.name, RATE) for arm in group.test.all_arms]
    cells = tuple(None if each is None else _cell(lookup.printed(group, each)) for each in measures)
    counts = [each.estimate.n for each in measures if each is not None]
    return CategoryRow(category, from_to(counts) if counts else "0", cells)


def _cell(found: Found) -> CategoryCell:
    return CategoryCell(found, round(STEPS * min(1.0, max(0.0, found.estimate.value))))


def _by_domain(
    lookup: Lookup, finding: Finding, rows: dict[str, CategoryRow]
) -> tuple[tuple[str, tuple[CategoryRow, ...]], ...]:
    """The categories under their domains, both as the questions bring them."""
    items = lookup.evidence.results.tables[finding.model, finding.benchmark].items
    domains: dict[str, dict[str, CategoryRow]] = {}
    for item in items:
        if item.category in rows:
            domain = str(item.metadata.get("domain", ""))
            domains.setdefault(domain, {})[item.category] = rows[item.category]
    return tuple((domain, tuple(those.values())) for domain, those in domains.items())
