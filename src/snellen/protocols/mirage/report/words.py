"""Mirage words: how well responses about an absent image are told from others, and which terms tell."""

from __future__ import annotations

from dataclasses import dataclass

from snellen.protocols.mirage.tests.words import ALL, GUESSING, UNADMITTED, TellingTerms, telling_terms
from snellen.report.figures.forests import Against, Forest, forest
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import by_benchmark
from snellen.runtime import visible
from snellen.scoring.findings import Finding

CAPTIONS = {
    UNADMITTED: "AUC where neither response says that the image is missing: 0.5 nobody could tell, 1 told every time",
    ALL: "AUC of all responses",
}
COIN = Against(GUESSING, words="nobody could tell")


@dataclass(frozen=True)
class TermRow:
    """A term of each side, with how many responses of each side have it; empty where a side has no more."""

    present: str
    present_counts: str
    absent: str
    absent_counts: str


@dataclass(frozen=True)
class WordsOfModel:
    """The terms that tell one model's responses apart."""

    model: str
    pairs: int
    rows: tuple[TermRow, ...]


@dataclass(frozen=True)
class MirageWords:
    """One benchmark: the models side by side, then the terms of each."""

    benchmark: str
    forests: tuple[Forest, ...]
    models: tuple[WordsOfModel, ...]


def mirage_words_parts(lookup: Lookup) -> list[MirageWords]:
    """A part for every benchmark on which the words of two conditions can be compared."""
    made, tables = [], lookup.evidence.results.tables
    for benchmark, findings in by_benchmark(lookup.of_family("mirage-words")).items():
        arm = findings[0].test.compared[0].name
        plots = (
            forest(findings, arm, name, evidence=lookup.evidence, label=_label, against=COIN, caption=caption)
            for name, caption in CAPTIONS.items()
        )
        told = [
            _of_model(each.model, terms)
            for each in findings
            if (terms := telling_terms(each.test, each.test.restrict_table(tables[each.model, each.benchmark])))
        ]
        made.append(MirageWords(benchmark, tuple(plot for plot in plots if plot is not None), tuple(told)))
    return [each for each in made if each.forests]


def _label(finding: Finding) -> str:
    return finding.model


def _of_model(model: str, terms: TellingTerms) -> WordsOfModel:
    sides = [
        [(visible(each.term), f"{each.present} : {each.absent}") for each in side]
        for side in (terms.for_present, terms.for_absent)
    ]
    height = max(map(len, sides))
    padded = [[*side, *[("", "")] * (height - len(side))] for side in sides]
    rows = tuple(TermRow(*present, *absent) for present, absent in zip(*padded, strict=True))
    return WordsOfModel(model, terms.pairs, rows)
