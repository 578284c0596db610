"""Chapter of "The Illusion of Readiness": six stress tests, the grounded reading and R.

A model cannot raise the three numbers of the reading by refusing or by ignoring the image.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.conditions.labels import arm_effects
from snellen.papers.readiness.report.abstention import (
    Examples,
    draw_abstention,
    draw_applicability,
    draw_modes,
    find_examples,
)
from snellen.papers.readiness.report.perturbations import draw_necessity, draw_perturbations, draw_reasoning
from snellen.papers.readiness.tests.grounded_reading import ARM as READING
from snellen.papers.readiness.tests.grounded_reading import FEW_SWAPPED, HONESTY, KINDS, SIGHT, STEADINESS
from snellen.papers.readiness.tests.robustness import ARM as SCORE
from snellen.papers.readiness.tests.robustness import BEYOND, FRAGILITIES, PARTIAL, WHOLE
from snellen.papers.readiness.tests.robustness import TESTS as SCORED_TESTS
from snellen.report.chapter import Chapter
from snellen.report.components import (
    Cell,
    Column,
    Fold,
    Link,
    Listing,
    Note,
    Part,
    Row,
    Section,
    Table,
    explain,
    name_columns,
    quiet,
    rich,
)
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.bars import sliver
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.forests import Against, forest
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Lookup, ShownNumber, family
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.headline import listed
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import ShownTest, by_benchmark
from snellen.report.words.numbers import begun, figure
from snellen.scoring.findings import ALL_BENCHMARKS, Finding
from snellen.scoring.results import Results
from snellen.stress.base import Measure, Status, Unit
from snellen.stress.conclusions import TOLERATED, percent
from snellen.stress.taxonomy import hides_image

TESTS = {
    "T1 the image removed": ("image-needed",),
    "T2 questions that need the image": ("visual-necessity",),
    "T3 options reordered": ("option-order",),
    "T4 wrong options replaced": ("distractors", "unknown-option"),
    "T5 the image substituted": ("visual-substitution",),
    "T6 reasoning": ("chain-of-thought", "reasoning-effort", "rationale"),
}
"""The six tests of the paper, with their families in this package."""
SCORES = ("robustness", "grounded-reading")
"""Scores with their own section in the chapter."""
REMOVAL = Ways(("image-needed",), (ORIGINAL.name, IMAGE_REMOVED.name), ("image and text", "text only"))
"""T1: accuracy with and without the image, and the difference on the same questions."""


def has_chapter(results: Results) -> bool:
    """Return True if the study has the score of this chapter."""
    return any(finding.test.scores and family(finding) == "robustness" for finding in results.findings)


def choose_examples(evidence: Evidence) -> Examples:
    """Choose the example responses that the chapter links to; none without the chapter."""
    found = find_examples(evidence) if has_chapter(evidence.results) else {}
    evidence.lead_to(found.values())
    return found


def covers(section: ShownTest) -> bool:
    """Return True if the chapter shows all of a test, which holds for the scores."""
    return family(section.findings[0]) in SCORES


def build(evidence: Evidence, sections: Sequence[ShownTest], examples: Examples) -> list[Part] | None:
    """Draw the chapter; None if the study does not have the score."""
    if not has_chapter(evidence.results):
        return None
    lookup = Lookup(evidence)
    told = (
        "The six stress tests of “The Illusion of Readiness” on the questions of this study; then a reading of the "
        "same responses that neither refusing nor not looking can raise, and the paper's score."
    )
    return [
        *describe_scores(lookup),
        quiet(told),
        _list_tests(sections),
        *_draw_removal(lookup),
        *draw_necessity(lookup),
        *draw_perturbations(lookup),
        *draw_reasoning(lookup),
        *draw_readings(lookup, sections),
        *draw_scores(lookup, sections),
        *draw_abstention(lookup),
        draw_applicability(lookup),
        draw_modes(lookup, examples),
    ]


def _list_tests(sections: Sequence[ShownTest]) -> Listing:
    items = []
    for name, families in TESTS.items():
        those = [each for each in sections if family(each.findings[0]) in families]
        links = tuple(Link(each.test.name, each.anchor) for each in those)
        items.append(Cell(f"{name}: {describe_result(those) if those else 'not asked'}", links=links))
    return Listing(tuple(items))


def _draw_removal(lookup: Lookup) -> list[Section]:
    told = (
        "The same questions twice. Changes are paired by question, p-values corrected after Holm over the tests of a "
        "model; “could show” is the least change that so many questions show with 80% power."
    )
    tables = [*draw_comparison(lookup, REMOVAL).values()]
    return explain("T1: with the image, and without", told, tables, "readiness-removal")


_ONLY_SOME = re.compile(r"; of ((?:T\d)(?:, T\d)*) only$")
MEANS: Mapping[str, str] = {
    SIGHT: "What looking adds: the accuracy that is lost when the image is removed or, if that is less, when it is "
    "swapped (no answer counts as a guess). A model that refuses or does not look has nothing to lose.",
    HONESTY: "How much more often it says that it cannot tell without the image than with it. A model that always "
    "refuses, or that answers without looking, shows no difference.",
    STEADINESS: "How much of what it gets right, above chance, stays right when the options are reordered. Refusing "
    "gets nothing right, and the guesses of a model that does not look do not stay right.",
}
"""Explanation of each number: its meaning, and why refusing or not looking cannot raise it."""
RANKS_NOTHING = (
    "It is the mean of 1 − f over five fragilities, as published. But f1 punishes a model for needing the image, which "
    "is what it is there for; a model that refuses nearly always has little to lose and scores well; and what a model "
    "says of an image that was not sent is not in it. Read it after sight gain, honesty and steadiness, which neither "
    "refusing nor not looking can raise. Models stand in the order of the study. Scores on different questions do not "
    "compare."
)
RECOMPUTED = (
    "The scores of the paper's own five models, recomputed from its tables: `snellen paper figures readiness`. They "
    "are of other questions and have no interval."
)


def draw_readings(lookup: Lookup, sections: Sequence[ShownTest]) -> Iterator[Section]:
    """Draw the grounded reading per benchmark."""
    shown = [each for each in sections if family(each.findings[0]) == "grounded-reading"]
    for each in shown:
        apart = by_benchmark([finding for finding in each.findings if finding.measures])
        parts = [part for findings in apart.values() for part in _draw_readings(lookup, findings)]
        told = quiet("Three numbers. They are never averaged: a mean would hide what each says.")
        parts = parts or [quiet("Too little was asked to read it.")]
        name = each.test.name if len(shown) > 1 else ""
        yield Section("The grounded reading", (told, *parts), each.anchor, name)


def _draw_readings(lookup: Lookup, findings: Sequence[Finding]) -> Iterator[Part]:
    measures = [measure for each in findings for measure in each.measures]
    if chosen := ", ".join(sorted({each.subset for each in measures if each.subset})):
        few = any(each.estimate.method.endswith(FEW_SWAPPED) for each in measures)
        alone = " Too few images could be swapped: for some models the sight gain rests on removal alone."
        yield quiet(f"On the questions that need the image, chosen by {chosen}.{alone if few else ''}")
    drawn = [(words, plot) for name, words in MEANS.items() if (plot := _draw_reading(lookup, findings, name))]
    for words, plot in drawn:
        yield quiet(words)
        yield plot
    if not drawn:
        yield quiet("No question that needs the image was asked.")
    names = dict.fromkeys(measure.name for measure in measures)
    rows = tuple(lookup.row(each, *(lookup.cell(each, READING, name, notes=True) for name in names))
                 for each in findings)  # fmt: skip
    columns = name_columns("model", *(f"{KINDS[name].words}, of 100" for name in names))
    yield Fold("All its numbers, each also in a plainer form", (Table(columns, rows),))


def _draw_reading(lookup: Lookup, findings: Sequence[Finding], name: str) -> Table | None:
    """Plot one number of the reading over the models, with its highest possible value."""
    there = (each.measure(READING, name) for each in findings)
    ceilings = [each.ceiling for each in there if each is not None and each.ceiling is not None]
    most = sum(ceilings) / len(ceilings) if ceilings else None
    at_most = "" if most is None else f"; at most {figure(most, Unit.HUNDRED)}"
    return forest(
        findings, READING, name, evidence=lookup.evidence, label=lambda each: lookup.short_names[each.model],
        against=Against(most, words="1 − chance,"),
        caption=f"{begun(KINDS[name].words)}{lookup.describe_benchmark(findings[0].benchmark)}, of 100{at_most}",
    )  # fmt: skip


SCALE = (
    "The paper's robustness score **R** goes from 0 to 1. At 1, none of the changes T1 to T5 costs the model anything; "
    "at 0, each costs all that it can. {} With a high R a model is not yet good: read sight, honesty and steadiness "
    "first."
)


def describe_scores(lookup: Lookup) -> Iterator[Note]:
    """Describe the scale of R, and each model's R with interval and n."""
    told = []
    for benchmark, findings in by_benchmark(lookup.of_family("robustness")).items():
        scored = [(lookup.short_names[each.model], _measure(lookup, each)) for each in findings]
        known = []
        for name, score, of_tests in ((name, line.score, line.of_tests) for name, line in scored if line.score):
            only = f", of {of_tests} only" if of_tests else ""
            shown = score.printed
            known.append(f"{name} {shown.value} ({shown.interval}, {shown.n} questions{only})")
        never = [name for name, line in scored if line.score is None]
        told += [f"Here{lookup.describe_benchmark(benchmark)}: {'; '.join(known)}."] if known else []
        answers = "answers" if len(never) == 1 else "answer"
        told += [f"R does not apply to {listed(never)}, which never {answers}."] if never else []
    if told:
        yield Note(rich(SCALE, " ".join(told)))


class ScoredModel(NamedTuple):
    """Result of one model: R, and the tests that R covers if some are missing."""

    finding: Finding
    score: ShownNumber | None
    """None if no question has a readable answer, since R is then not applicable."""
    of_tests: str


def draw_scores(lookup: Lookup, sections: Sequence[ShownTest]) -> Iterator[Section]:
    """Draw the tables of every robustness score of the study."""
    over_all = [each for each in lookup.evidence.results.over_all if family(each) == "robustness"]
    shown = [each for each in sections if family(each.findings[0]) == "robustness"]
    for each in shown:
        spanning = [one for one in over_all if one.test.name == each.test.name]
        apart = by_benchmark([*(one for one in each.findings if one.measures), *spanning])
        parts = [part for findings in apart.values() for part in _draw_scores(lookup, findings)]
        told = Note(RANKS_NOTHING, "R is one column and ranks nothing.", "warning")
        parts = parts or [quiet("Too little was asked for any part of the score.")]
        name = each.test.name if len(shown) > 1 else ""
        title = "Sight, honesty, steadiness, and R"
        yield Section(title, (told, *parts, quiet(rich(RECOMPUTED))), each.anchor, name)


def _draw_scores(lookup: Lookup, findings: Sequence[Finding]) -> Iterator[Part]:
    order = {model: place for place, model in enumerate(lookup.models)}
    lines = [_measure(lookup, each) for each in sorted(findings, key=lambda each: order.get(each.model, len(order)))]
    yield from (Note(sentence, look="warning") for sentence in _list_objections(lookup, lines))
    if chosen := next((line.score.measure.subset for line in lines if line.score), ""):
        of = "Sight gain, honesty, steadiness and f2 to f4 are about the questions that need the image, chosen by"
        yield quiet(f"{of} {chosen}.")
    on = lookup.describe_benchmark(findings[0].benchmark)
    rows = tuple(
        lookup.row(each.finding, *(_draw_readings_of(lookup, each.finding, name) for name in MEANS),
                   _draw_score(lookup, each))
        for each in lines
    )  # fmt: skip
    columns = name_columns("model", *(f"{KINDS[name].words}, of 100" for name in MEANS), "R, from 0 to 1")
    yield Table(columns, rows, f"The grounded reading, and R{on}")
    if any(line.of_tests for line in lines):
        yield quiet(
            "A score of some of the tests only does not compare with a whole score, nor with one of other tests."
        )
    fragilities = _draw_fragilities(lookup, [line.finding for line in lines])
    yield Fold(f"The five fragilities that R is made of{on}", (fragilities,))


def _measure(lookup: Lookup, finding: Finding) -> ScoredModel:
    whole, partial = (lookup.find_number(finding, SCORE, name) for name in (WHOLE, PARTIAL))
    some = _ONLY_SOME.search(partial.estimate.method) if partial else None
    of_tests = "" if whole or not partial else some[1] if some else "some tests"
    return ScoredModel(finding, whole or partial, of_tests)


def _stack(cells: Sequence[Cell]) -> Cell:
    return Cell(lines=tuple(cells)) if len(cells) > 1 else cells[0] if cells else Cell("not measured")


def _draw_readings_of(lookup: Lookup, finding: Finding, name: str) -> Cell:
    """Cell with one number of the grounded reading, overall and per benchmark."""
    found = _find_readings(lookup, finding, name)
    on = ("" if each.finding.benchmark == finding.benchmark else each.finding.benchmark for each in found)
    return _stack([each.printed.cell(words, notes=True) for each, words in zip(found, on, strict=True)])


def _find_readings(lookup: Lookup, finding: Finding, name: str) -> list[ShownNumber]:
    chosen = finding.test.name.partition(":")[2]
    alike = _list_findings(lookup, finding, "grounded-reading")
    found = (lookup.find_number(each, READING, name) for each in alike if each.test.name.partition(":")[2] == chosen)
    return [each for each in found if each]


def _draw_score(lookup: Lookup, line: ScoredModel) -> Cell:
    """Draw R with n and its tests, and R without the effect of repeats."""
    if line.score is None:
        return Cell("not applicable: no readable answer")
    cell, only = line.score.printed.cell(), f", of {line.of_tests} only" if line.of_tests else ""
    lines = [replace(cell, n=f"{cell.n}{only}")]
    if beyond := lookup.find_number(line.finding, SCORE, BEYOND):
        lines.append(beyond.printed.cell("without what repeats alone take", n=False))
    return _stack(lines)


def _draw_fragilities(lookup: Lookup, findings: Sequence[Finding]) -> Table:
    """Table of every fragility of every model; the figure lists them below each other."""
    rows, apart, data = [], [], []
    for each in findings:
        cells = []
        for name in FRAGILITIES:
            part = lookup.find_number(each, SCORE, name)
            cells.append(Cell("not measured"))
            if part:
                drawn, shown = sliver(part.estimate, lookup.evidence.place(each.model)), part.printed.cell()
                cells[-1] = Cell(drawing=drawn, lines=(shown,))
                apart.append(Row(Cell(part.measure.kind.words), (Cell(drawing=drawn), shown), heading=each.model))
                data.append(datum(each, part.measure))
        rows.append(lookup.row(each, *cells, marked=False))
    columns = (Column(test, kind.words) for test, kind in zip(SCORED_TESTS, FRAGILITIES.values(), strict=True))
    table = Table((Column("model"), *columns), tuple(rows), "Bars are estimates, lines are 95% intervals")
    if not apart:
        return table
    first = findings[0]
    about = About(
        (first.test.name, "fragilities", first.benchmark if lookup.evidence.several else ""),
        f"The five fragilities that the robustness score R is made of; {first.benchmark}",
        "Bars are estimates, lines are 95% CIs",
    )
    axis = axis_of(scale([], "score"), "Fragility (0 to 1)")
    figure = add_figure(lookup.evidence, Table((), tuple(apart)), about, data, axis, row_height=13.0).figure
    return replace(table, figure=figure)


def _list_findings(lookup: Lookup, finding: Finding, of_family: str) -> list[Finding]:
    """Results of a family of tests for the same model and benchmark. Those over all benchmarks are included."""
    return [
        each
        for each in lookup.evidence.results.own_findings
        if family(each) == of_family
        and each.model == finding.model
        and finding.benchmark in (each.benchmark, ALL_BENCHMARKS)
    ]


def _list_objections(lookup: Lookup, lines: Sequence[ScoredModel]) -> Iterator[str]:
    """Warn if models with the highest R invent findings or may not use the image."""
    whole = [(line, line.score) for line in lines if line.score and not line.of_tests]
    if len(whole) < 2:
        return
    highest = max(score.estimate.value for _, score in whole)
    for line, score in (each for each in whole if each[1].estimate.value == highest):
        why = [*_say_invents(lookup, line.finding), *_say_does_not_look(lookup, line.finding)]
        if why:
            value, model = figure(highest, score.measure.kind.unit), lookup.short_names[line.finding.model]
            yield f"By R alone, {model} would stand first ({value}); {', and '.join(why)}."


def _say_invents(lookup: Lookup, finding: Finding) -> Iterator[str]:
    found: list[Measure] = [
        measure
        for each in _list_findings(lookup, finding, "rationale")
        for measure in each.measures
        if measure.name == "described_rate" and hides_image(measure.arm) and measure.estimate.low > TOLERATED
    ]
    if found:
        worst = max(found, key=lambda each: each.estimate.value)
        shown = "to a blank image" if arm_effects(worst.arm).sends_image else "without an image"
        yield f"it describes findings in {percent(worst.estimate.value)} of the responses {shown}"


def _say_does_not_look(lookup: Lookup, finding: Finding) -> Iterator[str]:
    marks = _list_findings(lookup, finding, "follows")
    failed = [each.verdict.meaning for each in marks if each.verdict.status is Status.FAIL]
    sights = _find_readings(lookup, finding, SIGHT)
    if failed:
        yield f"it {failed[0]}"
    elif sights and all(each.estimate.low <= 0 for each in sights):
        gains = ", ".join(each.printed.said for each in sights)
        yield f"it is not shown to use the image: sight gain {gains}"


CHAPTER = Chapter(
    anchor="readiness",
    title="Readiness: six stress tests",
    short="Readiness",
    choose=choose_examples,
    build=build,
    covers=covers,
    paper="The Illusion of Readiness",
)
