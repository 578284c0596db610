"""Mirage bias: what is diagnosed on images that were never sent, kind of image by kind of image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from snellen.grading.columns import NOTHING
from snellen.grading.missing_image.columns import Admissions
from snellen.report.figures.bars import thin_bar
from snellen.report.figures.layout import FigureAxis, FigureRow, Key
from snellen.report.figures.marks import share_axis, swatch
from snellen.report.figures.standalone import About, Datum, Figure
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import ShownTest
from snellen.report.words.numbers import count, figure, shortened
from snellen.scoring.findings import Finding
from snellen.stress.table import Table

MOST = 10
"""Diagnoses with a bar of their own; the rest is summed up."""
NORMAL, NONE = "normal or harmless", "no diagnosis found"


@dataclass(frozen=True)
class DiagnosisBar:
    """One bar: what was diagnosed, how often, and whether it calls for action within days."""

    name: str
    count: str
    share: str
    picture: Markup
    urgent: bool
    about: str = ""
    of: tuple[int, int] = (0, 0)
    """How many responses, of how many."""


def diagnosis_bars(said: Admissions) -> tuple[DiagnosisBar, ...]:
    """The bars of some responses; their counts add up to all of them."""
    ill: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    urgent: set[str] = set()
    for place in said.diagnosis[said.diagnosis != NOTHING].tolist():
        named = said.diagnoses[place]
        (ill if named.pathology else harmless)[named.name] += 1
        if named.urgent:
            urgent.add(named.name)
    return tuple(_bars((ill, harmless), urgent, len(said.diagnosis)))


def _bars(named: tuple[Counter[str], Counter[str]], urgent: set[str], total: int) -> Iterator[DiagnosisBar]:
    ill, harmless = (sorted(each.items(), key=lambda pair: (-pair[1], pair[0])) for each in named)
    for name, number in ill[:MOST]:
        yield _bar(name, number, total, "urgent" if name in urgent else "ill")
    if rest := ill[MOST:]:
        pressing = sum(number for name, number in rest if name in urgent)
        name = f"{len(rest)} others" + (f", {count(pressing)} responses urgent" if pressing else "")
        yield _bar(name, sum(number for _, number in rest), total, "ill", _listed(rest))
    found = sum(number for _, number in (*ill, *harmless))
    if harmless:
        yield _bar(NORMAL, sum(number for _, number in harmless), total, "harmless", _listed(harmless))
    if found < total:
        yield _bar(NONE, total - found, total, "nothing")


def _listed(named: list[tuple[str, int]]) -> str:
    return shortened(", ".join(f"{name} {count(number)}" for name, number in named), 400)


def _bar(name: str, number: int, total: int, look: str, about: str = "") -> DiagnosisBar:
    share = number / total
    return DiagnosisBar(
        name, count(number), figure(share, "share"), thin_bar(share, look), look == "urgent", about, (number, total)
    )


SHARES: Mapping[str, str] = {
    "diagnosed_share": "any diagnosis",
    "pathology_share": "a pathology",
    "urgent_share": "an urgent one",
}
"""What is told of every kind of image, and of all together."""
Shares = tuple[tuple[str, Found], ...]


@dataclass(frozen=True)
class DiagnosedModality:
    """One kind of image: the diagnoses made on it, and the shares that matter."""

    name: str
    n: str
    bars: tuple[DiagnosisBar, ...]
    shares: Shares


@dataclass(frozen=True)
class BiasOfModel:
    """One model: its responses, its shares over all kinds of image, and every kind; none where it diagnosed nothing."""

    model: str
    n: str
    shares: Shares
    modalities: tuple[DiagnosedModality, ...]
    figure: Figure | None = None


@dataclass(frozen=True)
class MirageBias:
    """One such test over all models."""

    section: ShownTest
    columns: tuple[str, ...]
    models: tuple[BiasOfModel, ...]


def mirage_biases(lookup: Lookup, sections: Sequence[ShownTest]) -> list[MirageBias]:
    """A part for every test of the family."""
    return [
        MirageBias(section, tuple(SHARES.values()), tuple(_of_model(lookup, each) for each in section.findings))
        for section in sections
        if family(section.findings[0]) == "mirage-bias"
    ]


def _of_model(lookup: Lookup, finding: Finding) -> BiasOfModel:
    table = lookup.evidence.results.tables[finding.model, finding.benchmark]
    shares = _shares(lookup, finding)
    diagnosed = any(found.estimate.value > 0 for _, found in shares)
    modalities = tuple(_modalities(lookup, finding, table)) if diagnosed else ()
    figure = _figure(lookup, finding, modalities) if modalities else None
    return BiasOfModel(finding.model, count(len(table.arms[finding.test.baseline.name])), shares, modalities, figure)


LEGEND = {
    "urgent": "calls for action within days",
    "ill": "another pathology",
    "harmless": "normal or harmless",
    "nothing": "no diagnosis found",
}


def _figure(lookup: Lookup, finding: Finding, modalities: Sequence[DiagnosedModality]) -> Figure:
    """What one model diagnosed, kind of image by kind of image, as a figure of its own."""
    each_bar = [(number, each, bar) for each in modalities for number, bar in enumerate(each.bars)]
    rows = [
        FigureRow(bar.name, bar.picture, (bar.share,), f"n {bar.count}", heading="" if number else each.name)
        for number, each, bar in each_bar
    ]
    data = [
        Datum(bar.name, bar.of[0] / bar.of[1], n=bar.of[1], model=finding.model, benchmark=finding.benchmark,
              condition=finding.test.baseline.name, group=each.name)
        for _, each, bar in each_bar
    ]  # fmt: skip
    about = About(
        (finding.test.name, "diagnoses", finding.model),
        f"What is diagnosed on images that were never sent, by kind of image; {finding.model}",
        "Bars are shares of the responses on that kind of image; n beside a bar counts its responses",
    )
    legend = [Key(swatch(f"thin {look}"), words) for look, words in LEGEND.items()]
    axis = FigureAxis(share_axis(), "Responses (%)")
    return lookup.evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=16.0)


def _modalities(lookup: Lookup, finding: Finding, table: Table) -> list[DiagnosedModality]:
    """Every kind of image that was answered about; a lone one is no group but all there is."""
    groups = lookup.categories(finding)
    kinds = np.array([item.category for item in table.items])
    made = []
    for name in dict.fromkeys(kinds.tolist()):
        those = table.only(kinds == name).arms[finding.test.baseline.name]
        if len(those) and those.admissions is not None:
            shares = _shares(lookup, groups.get(name, finding))
            made.append(DiagnosedModality(name, count(len(those)), diagnosis_bars(those.admissions), shares))
    return made


def _shares(lookup: Lookup, finding: Finding) -> Shares:
    measures = ((words, finding.measure(finding.test.baseline.name, name)) for name, words in SHARES.items())
    return tuple((words, lookup.printed(finding, each)) for words, each in measures if each is not None)
