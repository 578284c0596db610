"""How the numbers of the artefacts are made: the parser, its judge, and the paper's intervals and test beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import numpy as np
import orjson

from snellen.grading.columns import NOTHING
from snellen.prompts import DETECTION
from snellen.protocols.artefacts.report.maps import AS_IT_IS
from snellen.protocols.artefacts.report.tests import WEAK, arms_by_artefact, describe_way, of_family
from snellen.report.components import Cell, Column, Note, Part, Row, Section, Table, rich
from snellen.report.lookup import Lookup
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
    "accuracy": "ours: Wilson’s, patients allowed for",
    "accuracy_bootstrap": "bootstrap percentiles, as printed",
    "accuracy_bootstrap_normal": "bootstrap mean ± 1.96 SD",
    "accuracy_bootstrap_text": "± 1.96 SD over 5, as its text says",
}
"""Our interval of an accuracy and the three of the artefacts paper, by the name of their measure."""
P_VALUES = ("change", "n", "paired p", "corrected", "t-test as published, p")
READ = (
    "Responses are read offline and by rules. Which option one chooses, and whether it flags or declines, is read by "
    "`{}`{}; every row names the rule. Whether poor quality is spoken of at all, and whether reasons and conclusion "
    "conflict, is read by the same rules whatever the parser. {}"
)
ADDED = (
    "Artefacts are added to the image in its own range of grey, from black to the brightest that its file can hold, "
    "and what falls outside is cut off. Under a bias field of which more than 1% would be cut off at white, the whole "
    "image is darkened first. The paper’s images were stretched from their own darkest to their own brightest point "
    "when they were saved, which hides or adds contrast: that is done here only where a condition says “grey scale "
    "stretched”."
)
ON_INTERVALS = (
    "The same accuracies with four intervals, in percent. Ours is not zero wide where all are right. The paper’s text "
    "divides the standard deviation of a thousand bootstrap means by 5, for which there is no reason: such an interval "
    "holds the truth about three times in ten. What it prints are percentiles."
)
ON_TESTS = (
    "The paper compares two sets of a thousand bootstrap means by a t-test, as if each mean were a patient. The number "
    "of resamples is chosen freely and the p-value falls with it: with 200 answers that change by chance alone, it is "
    "below 0.05 more than nine times in ten. It is shown and decides nothing here. Ours asks of the same items whether "
    "as many changed to the better as to the worse; “corrected” allows for all tests of the model (Holm)."
)


def draw_methods(lookup: Lookup) -> list[Part]:
    """Who read the responses, how artefacts are added, and the paper's intervals and test beside ours."""
    results = lookup.evidence.results
    own, published = str(results.study["parser"]), DETECTION.parser
    beside = rich(", and beside it by `{}`", published) if published in results.readings and published != own else ""
    agreement = describe_agreement() or "How far these agree with people has not been measured here."
    parts: list[Part] = [Note(rich(READ, own, beside, agreement)), Note(_describe_judging(lookup)), Note(ADDED)]
    findings = [each for each in of_family(lookup, WEAK) if each.measures]
    if rows := tuple(row for each in findings for row in _draw_intervals(lookup, each)):
        heads = (Column("image"), *(Column(words, look="figure") for words in ("accuracy", "n", *INTERVALS.values())))
        table = Table(heads, rows, folded=f"{len(rows):,} models, prompts and images")
        parts.append(Section("The paper’s intervals beside ours", (Note(ON_INTERVALS, look="quiet"), table)))
    if rows := tuple(row for each in findings for row in _draw_p_values(lookup, each)):
        heads = (Column("artefact, weak"), *(Column(words, look="figure") for words in P_VALUES))
        table = Table(heads, rows, folded=f"{len(rows):,} models, prompts and artefacts")
        parts.append(Section("The paper’s test beside ours", (Note(ON_TESTS, look="quiet"), table)))
    return parts


def describe_agreement() -> str:
    """How far the parser of detection agrees with labels, in a sentence; nothing where it was not measured."""
    file = files("snellen.grading.detection").joinpath("agreement.json")
    if not file.is_file():
        return ""
    told = []
    for known in orjson.loads(file.read_bytes()):
        kappas = ("κ {:.2f} ({:.2f} to {:.2f}) ".format(*known[key]) + words
                  for key, words in KAPPAS.items() if known.get(key))  # fmt: skip
        told.append(f"{', '.join(kappas)}, on {wording.count(known['n'])} {known['of']}")
    return f"How far it agrees with our labels, given by a language model: {'; '.join(told)}."


def _draw_intervals(lookup: Lookup, finding: Finding) -> Iterator[Row]:
    arms = {AS_IT_IS: finding.test.baseline.name}
    arms |= {artefact_words(name): arm for name, arm in arms_by_artefact(finding.test).items()}
    heading = describe_way(lookup, finding)
    for words, arm in arms.items():
        found = {name: finding.measure(arm, name) for name in INTERVALS}
        own = found["accuracy"]
        if own is not None and found["accuracy_bootstrap"] is not None:
            ends = (_describe_ends(each.estimate) if each else "–" for each in found.values())
            numbers = (wording.tenths(own.estimate.value, "share"), wording.count(own.estimate.n), *ends)
            yield Row(Cell(words), tuple(map(Cell, numbers)), finding.model, finding.benchmark, heading)
            heading = ""


def _describe_ends(estimate: Estimate) -> str:
    return " to ".join(wording.tenths(each, "share").rstrip("%") for each in (estimate.low, estimate.high))


def _draw_p_values(lookup: Lookup, finding: Finding) -> Iterator[Row]:
    """For each artefact the change, its paired p, the same corrected, and the p as published."""
    heading = describe_way(lookup, finding)
    for name, arm in arms_by_artefact(finding.test).items():
        change, published = finding.measure(arm, "difference"), finding.measure(arm, "t_test_as_published")
        if change is None or published is None:
            continue
        floor = change.estimate.p_at_floor
        ps = ((change.estimate.p, floor), (change.p_adjusted, floor), (published.estimate.p, False))
        shown = ("–" if p is None else wording.p_value(p, at_floor=at).removeprefix("= ") for p, at in ps)
        numbers = (wording.figure(change.estimate.value, "points"), wording.count(change.estimate.n), *shown)
        row = Row(Cell(artefact_words(name)), tuple(map(Cell, numbers)), finding.model, finding.benchmark, heading)
        yield row
        heading = ""


def _describe_judging(lookup: Lookup) -> str:
    """Which judge was asked about these responses, and how far it agrees with the parser."""
    tables = [each for each in lookup.evidence.results.tables.values() if each.judge]
    said = [grades.detections for each in tables for grades in each.arms.values() if grades.detections is not None]
    heard = [each for each in said if (each.judged != NOTHING).any()]
    if not heard:
        return "No judge was asked about these responses."
    parser = np.concatenate([each.seen[each.judged != NOTHING] for each in heard])
    judge = np.concatenate([each.judged[each.judged != NOTHING] for each in heard])
    names, unread = ", ".join(dict.fromkeys(each.judge for each in tables)), sum(each.judge_unread for each in tables)
    lost = f"; {wording.count(unread)} of its answers could not be read" if unread else ""
    return (
        f"A judge, {names}, was asked the same of each response. Its opinion stands beside ours and replaces "
        f"nothing{lost}. {_describe_agreed(parser.tolist(), judge.tolist())}"
    )


def _describe_agreed(parser: list[int], judge: list[int]) -> str:
    """How far judge and parser agree on the class of a response.

    >>> _describe_agreed([0, 1, 2, 2], [0, 0, 0, 0])[:71]
    'On the class of a response it agrees with the parser on 25% of 4; there'
    """
    alike = wording.figure(float(np.mean(np.equal(parser, judge))), "share")
    words = f"On the class of a response it agrees with the parser on {alike} of {wording.count(len(parser))}"
    if len(set(parser)) == 1 or len(set(judge)) == 1:
        return f"{words}; there is no κ, since one of the two never differs."
    kappa = cohens_kappa(parser, judge)
    value, low, high = (wording.figure(each, "score") for each in (kappa.value, kappa.low, kappa.high))
    return f"{words}: κ {value} ({low} to {high})."
