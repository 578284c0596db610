"""Methods of the artefacts chapter: counting, parser, judge, intervals and p-values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import orjson

from snellen.papers.artefacts.report.maps import (
    WEAK,
    arms_by_artefact,
    arms_in_words,
    describe_way,
    of_family,
    wordless,
)
from snellen.prompts import DETECTION
from snellen.reading.columns import NOTHING
from snellen.report.components import Cell, Fold, Note, Part, Row, Table, explain, name_columns, quiet, rich, write_row
from snellen.report.figures.forests import number_to_tenths
from snellen.report.lookup import Lookup, family
from snellen.report.words import numbers as wording
from snellen.report.words.arms import artefact_words
from snellen.scoring.findings import Finding

MEASURES = ("accuracy", "sensitivity", "specificity")
SILENT = {"flagged_quality_rate": "flagged", "refusal_rate": "declined"}
KAPPAS = {
    "kappa": "over its classes",
    "flags_kappa": "on whether poor quality is spoken of",
    "conflict_kappa": "on whether reasons and conclusion conflict",
}
"""Subjects on which the labels agree, by the name of the agreement measure in agreement.json."""
INTERVALS = {
    "accuracy": "ours: Wilson’s, patients allowed for",
    "accuracy_bootstrap": "bootstrap percentiles, as printed",
    "accuracy_bootstrap_normal": "bootstrap mean ± 1.96 SD",
    "accuracy_bootstrap_text": "± 1.96 SD over 5, as its text says",
}
"""Labels of our interval of an accuracy and the paper's three, by measure."""
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
    """Draw notes on parser, judge and artefacts. Then compare the paper's intervals and test with ours."""
    results = lookup.evidence.results
    own, published = str(results.study["parser"]), DETECTION.parser
    beside = rich(", and beside it by `{}`", published) if published in results.readings and published != own else ""
    agreement = describe_labels() or "How far these agree with people has not been measured here."
    findings = lookup.of_family(WEAK)
    intervals = [row for each in findings for row in _draw_intervals(lookup, each)]
    p_values = [row for each in findings for row in _draw_p_values(lookup, each)]
    heads = name_columns("image", numbers=("accuracy", "n", *INTERVALS.values()))
    table = Table(heads, tuple(intervals), folded=f"{len(intervals):,} models, prompts and images")
    heads = name_columns("artefact, weak", numbers=P_VALUES)
    other = Table(heads, tuple(p_values), folded=f"{len(p_values):,} models, prompts and artefacts")
    return [
        Note(rich(READ, own, beside, agreement)),
        Note(_describe_judging(lookup)),
        Note(ADDED),
        *explain("The paper’s intervals beside ours", ON_INTERVALS, [table] if intervals else []),
        *explain("The paper’s test beside ours", ON_TESTS, [other] if p_values else []),
    ]


def describe_labels() -> str:
    """Describe how far the detection parser agrees with our labels. Return "" if this is not measured."""
    told, file = [], files("snellen.reading.detection").joinpath("agreement.json")
    if not file.is_file():
        return ""
    for known in orjson.loads(file.read_bytes()):
        kappas = ("κ {:.2f} ({:.2f} to {:.2f}) ".format(*known[key]) + words
                  for key, words in KAPPAS.items() if known.get(key))  # fmt: skip
        told.append(f"{', '.join(kappas)}, on {wording.count(known['n'])} {known['of']}")
    return f"Agreement with our labels, which a language model gave: {'; '.join(told)}."


def _draw_intervals(lookup: Lookup, finding: Finding) -> Iterator[Row]:
    for arm, words in arms_in_words(finding.test).items():
        found = {name: finding.measure(arm, name) for name in INTERVALS}
        own = found["accuracy"]
        if own is not None and found["accuracy_bootstrap"] is not None:
            ends = (number_to_tenths(each, "").interval if each else "–" for each in found.values())
            numbers = (wording.tenths(own.estimate.value, "share"), wording.count(own.estimate.n), *ends)
            yield _place(lookup, finding, write_row(words, *numbers))


def _draw_p_values(lookup: Lookup, finding: Finding) -> Iterator[Row]:
    for name, arm in arms_by_artefact(finding.test).items():
        change, published = finding.measure(arm, "difference"), finding.measure(arm, "t_test_as_published")
        if change is not None and published is not None:
            floor = change.estimate.p_at_floor
            ps = ((change.estimate.p, floor), (change.p_adjusted, floor), (published.estimate.p, False))
            shown = ("–" if p is None else wording.p_value(p, at_floor=at).removeprefix("= ") for p, at in ps)
            numbers = (wording.figure(change.estimate.value, "points"), wording.count(change.estimate.n), *shown)
            yield _place(lookup, finding, write_row(artefact_words(name), *numbers))


def _place(lookup: Lookup, finding: Finding, row: Row) -> Row:
    """Add the model, the benchmark, and a heading that describes the prompt."""
    return replace(row, model=finding.model, benchmark=finding.benchmark, heading=describe_way(lookup, finding))


def _describe_judging(lookup: Lookup) -> str:
    tables = [each for each in lookup.evidence.results.tables.values() if each.judge]
    said = [grades.detections for each in tables for grades in each.arms.values() if grades.detections is not None]
    every = (pair for each in said for pair in zip(each.seen.tolist(), each.judged.tolist(), strict=True))
    pairs = [pair for pair in every if pair[1] != NOTHING]
    if not pairs:
        return "No judge was asked about these responses."
    names, unread = ", ".join(dict.fromkeys(each.judge for each in tables)), sum(each.judge_unread for each in tables)
    lost = f"; {wording.count(unread)} of its answers could not be read" if unread else ""
    return (
        f"A judge, {names}, was asked the same of each response. Its opinion stands beside ours and replaces "
        f"nothing{lost}. {wording.describe_agreement('the class of a response', pairs)}"
    )


def draw_counts(lookup: Lookup) -> Fold | None:
    """Draw a table per model, benchmark and prompt; None if nothing was measured."""
    findings = of_family(lookup, WEAK)
    published = {
        (each.model, each.benchmark, each.test.name): each
        for each in lookup.evidence.results.beside
        if each.parser == DETECTION.parser and family(each) == WEAK
    }
    mute, tables = wordless(lookup, findings), []
    for finding in findings:
        beside = published.get((finding.model, finding.benchmark, finding.test.name))
        if rows := tuple(_draw_rows(lookup, finding, beside, mute=finding.model in mute)):
            columns = name_columns("image", *MEASURES, "no diagnosis")
            tables.append(Table(columns, rows, folded=describe_way(lookup, finding)))
    if not tables:
        return None
    read = "**Paper** counts as wrong and reads as published: any response that speaks of poor quality is one that "
    note = rich(
        "A response that flags the image or declines is no diagnosis. **Wrong** counts it as wrong, as the paper does. "
        "**Apart** leaves it out: of the responses that do diagnose, how many are right. "
        f"{f'{read}flags, even if it then diagnoses. ' if published else ''}"
        "Sensitivity is of the diseased images, specificity of the normal ones. Flagged and declined are shares of all "
        "responses."
    )
    return Fold("Accuracy, sensitivity and specificity, in every way to count", (quiet(note), *tables))


def _draw_rows(lookup: Lookup, finding: Finding, beside: Finding | None, *, mute: bool) -> Iterator[Row]:
    """Rows of scores per arm. A model without text gets no cell for flagged or declined."""
    silent: list[tuple[str, Finding | None, str]] = [(said, finding, name) for name, said in SILENT.items()]
    for arm, words in arms_in_words(finding.test).items():
        ways: list[list[tuple[str, Finding | None, str]]] = [
            [("wrong", finding, name), ("apart", finding, f"{name}_answered"), ("paper", beside, name)]
            for name in MEASURES
        ]
        lines = [
            tuple(found.printed.cell(said) for said, whose, name in each
                  if whose and (found := lookup.find_number(whose, arm, name)))
            for each in (*ways, [] if mute else silent)
        ]  # fmt: skip
        if any(lines[:-1]):
            cells = tuple(Cell(lines=each) if each else Cell("–") for each in lines)
            yield Row(Cell(words), cells, finding.model, finding.benchmark)
