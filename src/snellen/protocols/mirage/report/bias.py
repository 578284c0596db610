"""Mirage bias: what is diagnosed on images that were never sent, kind of image by kind of image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from snellen.protocols.mirage.report.diagnosis_bars import DiagnosisBar, diagnosis_bars
from snellen.report.lookup import Found, Lookup, family
from snellen.report.sections.tests import Section
from snellen.report.words.numbers import count
from snellen.scoring.findings import Finding
from snellen.stress.table import Table

SHARES: Mapping[str, str] = {
    "diagnosed_share": "any diagnosis",
    "pathology_share": "a pathology",
    "urgent_share": "an urgent one",
}
"""What is told of every kind of image, and of all together."""
Shares = tuple[tuple[str, Found], ...]


@dataclass(frozen=True)
class Modality:
    """One kind of image: the diagnoses made on it, and the shares that matter."""

    name: str
    n: str
    bars: tuple[DiagnosisBar, ...]
    shares: Shares


@dataclass(frozen=True)
class OfModel:
    """One model: its replies, its shares over all kinds of image, and every kind; none where it diagnosed nothing."""

    model: str
    n: str
    shares: Shares
    modalities: tuple[Modality, ...]


@dataclass(frozen=True)
class MirageBias:
    """One such test over all models."""

    section: Section
    columns: tuple[str, ...]
    models: tuple[OfModel, ...]


def mirage_biases(lookup: Lookup, sections: Sequence[Section]) -> list[MirageBias]:
    """A part for every test of the family."""
    return [
        MirageBias(section, tuple(SHARES.values()), tuple(_of_model(lookup, each) for each in section.findings))
        for section in sections
        if family(section.findings[0]) == "mirage-bias"
    ]


def _of_model(lookup: Lookup, finding: Finding) -> OfModel:
    table = lookup.evidence.results.tables[finding.model, finding.benchmark]
    shares = _shares(lookup, finding)
    diagnosed = any(found.estimate.value > 0 for _, found in shares)
    modalities = tuple(_modalities(lookup, finding, table)) if diagnosed else ()
    return OfModel(finding.model, count(len(table.arms[finding.test.baseline.name])), shares, modalities)


def _modalities(lookup: Lookup, finding: Finding, table: Table) -> list[Modality]:
    """Every kind of image that was answered about; a lone one is no group but all there is."""
    groups = lookup.categories(finding)
    kinds = np.array([item.category for item in table.items])
    made = []
    for name in dict.fromkeys(kinds.tolist()):
        those = table.only(kinds == name).arms[finding.test.baseline.name]
        if len(those) and those.admissions is not None:
            shares = _shares(lookup, groups.get(name, finding))
            made.append(Modality(name, count(len(those)), diagnosis_bars(those.admissions), shares))
    return made


def _shares(lookup: Lookup, finding: Finding) -> Shares:
    measures = ((words, finding.measure(finding.test.baseline.name, name)) for name, words in SHARES.items())
    return tuple((words, lookup.printed(finding, each)) for words, each in measures if each is not None)
