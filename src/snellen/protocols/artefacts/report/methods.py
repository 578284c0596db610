"""How the numbers of the artefacts are made: the parser, its judge, and the paper's intervals and test beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import orjson

from snellen.grading.columns import NOTHING
from snellen.prompts import DETECTION
from snellen.protocols.artefacts.report.maps import AS_IT_IS
from snellen.protocols.artefacts.report.tests import WEAK, arms_by_artefact, of_family, strategy
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import label
from snellen.report.words import numbers as wording
from snellen.report.words.arms import artefact_words
from snellen.scoring.findings import Finding
from snellen.stats import Estimate, cohens_kappa

KAPPAS = {
    "kappa": "over its classes",
    "flags_kappa": "on whether poor quality is spoken of",
    "conflict_kappa": "on whether reasons and conclusion conflict",
}
"""What agreement was measured on, by its name in the file of facts."""
INTERVALS = {
    "accuracy": "ours: Wilson's, patients allowed for",
    "accuracy_bootstrap": "bootstrap percentiles, as printed",
    "accuracy_bootstrap_normal": "bootstrap mean ± 1.96 SD",
    "accuracy_bootstrap_text": "± 1.96 SD over 5, as its text says",
}
"""Our interval of an accuracy and the three of the artefacts paper, by the name of their measure."""


class IntervalLine(NamedTuple):
    """One arm: its accuracy, n, and the ends of every interval, nothing where there is none."""

    title: str
    arm: str
    value: str
    n: str
    ends: tuple[str, ...]


class PValues(NamedTuple):
    """One artefact: the change, its paired p, the same corrected, and the p as published."""

    title: str
    arm: str
    change: str
    n: str
    paired: str
    corrected: str
    published: str


class QualityJudging(NamedTuple):
    """A judge by name, and how far it agrees with the parser, in words."""

    judge: str
    unread: int
    agreement: str


class Methods(NamedTuple):
    """Everything that is said of how these numbers were made."""

    parser: str
    published_parser: str
    agreement: str
    intervals: tuple[IntervalLine, ...]
    tests: tuple[PValues, ...]
    judging: QualityJudging | None
    interval_words: tuple[str, ...] = tuple(INTERVALS.values())


def methods(lookup: Lookup) -> Methods:
    """The methods of the chapter."""
    study = lookup.evidence.results.study
    parsers = lookup.evidence.results.readings
    findings = [each for each in of_family(lookup, WEAK) if each.measures]
    return Methods(
        parser=str(study["parser"]),
        published_parser=DETECTION.parser if DETECTION.parser in parsers else "",
        agreement=detection_agreement(),
        intervals=tuple(line for each in findings for line in _intervals(lookup, each)),
        tests=tuple(line for each in findings for line in _tests(lookup, each)),
        judging=_judging(lookup),
    )


def detection_agreement() -> str:
    """How far the parser of detection agrees with labels, in a sentence; nothing where it was not measured."""
    file = files("snellen.grading.detection").joinpath("agreement.json")
    if not file.is_file():
        return ""
    told = []
    for known in orjson.loads(file.read_bytes()):
        kappas = (f"κ {_with_ends(known[key])} {words}" for key, words in KAPPAS.items() if known.get(key))
        told.append(f"{', '.join(kappas)}, on {wording.count(known['n'])} {known['of']}")
    return f"How far it agrees with our labels, given by a language model: {'; '.join(told)}."


def _with_ends(of: list[float]) -> str:
    value, low, high = of
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _title(lookup: Lookup, finding: Finding) -> str:
    return f"{label(finding, lookup.evidence)}, {strategy(finding.test, lookup.evidence.results.study)}"


def _intervals(lookup: Lookup, finding: Finding) -> Iterator[IntervalLine]:
    arms = {AS_IT_IS: finding.test.baseline.name}
    arms |= {artefact_words(name): arm for name, arm in arms_by_artefact(finding.test).items()}
    for words, arm in arms.items():
        found = {name: finding.measure(arm, name) for name in INTERVALS}
        own = found["accuracy"]
        if own is not None and found["accuracy_bootstrap"] is not None:
            ends = (_ends(each.estimate) if each else "–" for each in found.values())
            value, n = wording.tenths(own.estimate.value, "share"), wording.count(own.estimate.n)
            yield IntervalLine(_title(lookup, finding), words, value, n, tuple(ends))


def _ends(estimate: Estimate) -> str:
    low, high = (wording.tenths(each, "share").rstrip("%") for each in (estimate.low, estimate.high))
    return f"{low} to {high}"


def _tests(lookup: Lookup, finding: Finding) -> Iterator[PValues]:
    for name, arm in arms_by_artefact(finding.test).items():
        change, published = finding.measure(arm, "difference"), finding.measure(arm, "t_test_as_published")
        if change is None or published is None:
            continue
        floor = change.estimate.p_at_floor
        ps = ((change.estimate.p, floor), (change.p_adjusted, floor), (published.estimate.p, False))
        shown = ("–" if p is None else wording.p_value(p, at_floor=at).removeprefix("= ") for p, at in ps)
        moved = wording.figure(change.estimate.value, "points")
        n = wording.count(change.estimate.n)
        yield PValues(_title(lookup, finding), artefact_words(name), moved, n, *shown)


def _judging(lookup: Lookup) -> QualityJudging | None:
    """The judge of these responses; None where none was asked about them."""
    tables = [each for each in lookup.evidence.results.tables.values() if each.judge]
    said = [grades.detections for each in tables for grades in each.arms.values() if grades.detections is not None]
    heard = [each for each in said if (each.judged != NOTHING).any()]
    if not heard:
        return None
    parser = np.concatenate([each.seen[each.judged != NOTHING] for each in heard])
    judge = np.concatenate([each.judged[each.judged != NOTHING] for each in heard])
    names = ", ".join(dict.fromkeys(each.judge for each in tables))
    return QualityJudging(names, sum(each.judge_unread for each in tables), _agreed(parser.tolist(), judge.tolist()))


def _agreed(parser: list[int], judge: list[int]) -> str:
    """How far judge and parser agree on the class of a response.

    >>> _agreed([0, 1, 2, 2], [0, 0, 0, 0])[:71]
    'On the class of a response it agrees with the parser on 25% of 4; there'
    """
    alike = wording.figure(float(np.mean(np.equal(parser, judge))), "share")
    words = f"On the class of a response it agrees with the parser on {alike} of {wording.count(len(parser))}"
    if len(set(parser)) == 1 or len(set(judge)) == 1:
        return f"{words}; there is no κ, since one of the two never differs."
    kappa = cohens_kappa(parser, judge)
    value, low, high = (wording.figure(each, "score") for each in (kappa.value, kappa.low, kappa.high))
    return f"{words}: κ {value} [{low} to {high}]."
