"""Chapter of the Mirage paper's tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from snellen.items import describe_benchmark
from snellen.papers.mirage.report.answers import draw_grounding, draw_guessing, draw_naming, draw_words
from snellen.papers.mirage.report.rate import Chosen, choose_quotes, draw_quotes, draw_rate
from snellen.papers.mirage.tests.score import ABOVE_LUCK, MEAN, SCORE
from snellen.reading.columns import NOTHING
from snellen.reading.missing_image.columns import FLAGGED, Admissions
from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Fold, Key, Link, Note, Part, Row, Section, Table, name_columns, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.bars import thin_bar, topped_bar
from snellen.report.figures.drawn import add_figure, show_key_once
from snellen.report.figures.forests import resting
from snellen.report.figures.layout import FigureAxis, axis_of
from snellen.report.figures.marks import scale, share_axis
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, ModelOnBenchmark, family
from snellen.report.sections.headline import listed, short_names
from snellen.report.sections.tests import ShownTest, by_benchmark, draw_grids, label, list_verdicts
from snellen.report.words.numbers import begun, count, describe_agreement, figure, missing_image_agreement, shorten_text
from snellen.runtime import visible
from snellen.scoring.findings import ALL_BENCHMARKS, ALL_MODELS, Finding
from snellen.scoring.results import Results
from snellen.stress.conclusions import TOLERATED
from snellen.stress.table import Table as Responses
from snellen.stress.verdicts.sentences import share_with_interval

SCORE_KEY = (
    Key("bar blind", "accuracy without the image"),
    Key("bar seen", "what the image adds"),
    Key("outcome wrong", "what it takes away"),
)
LINES = "the upper line is the 95% CI without the image, the lower one with it; the dashed line is blind guessing"


def draw_score(lookup: Lookup, shown: ShownTest) -> Section:
    """Draw the mirage scores with their means, and what the image adds on each benchmark."""
    said = (
        "The mirage score is the accuracy without the image over the accuracy with it, on the items answered both "
        "times, as published. Guessing alone scores something both times and raises it. Below it stands the same with "
        "guessing taken off both, which is below 0 if a model without the image does worse than guessing. A score is "
        "reported without a verdict: it is high because the model does not look, or because the benchmark does not "
        "need it to."
    )
    parts: tuple[Part, ...] = (
        quiet(said),
        draw_matrix(lookup, shown),
        *_draw_added(lookup, shown),
        Fold("Every score in words", (list_verdicts(lookup.evidence, shown.findings),)),
        *draw_grids(lookup.evidence, shown.findings),
    )
    return Section(shown.test.asks, parts, shown.anchor, shown.test.name)


def draw_matrix(lookup: Lookup, shown: ShownTest) -> Table:
    """Draw a table of scores: rows are models, columns are benchmarks, means at the end of both."""
    spanning = [each for each in lookup.evidence.results.over_all if each.test.name == shown.test.name]
    found = {ModelOnBenchmark(each.model, each.benchmark): _draw_cell(lookup, each, MEAN) for each in spanning}
    found |= {ModelOnBenchmark(each.model, each.benchmark): _draw_cell(lookup, each, SCORE) for each in shown.findings}
    names = [*by_benchmark(shown.findings)]
    names += [ALL_BENCHMARKS] if any(place.benchmark == ALL_BENCHMARKS for place in found) else []
    models = [*dict.fromkeys(each.model for each in shown.findings)]
    models += [ALL_MODELS] if any(place.model == ALL_MODELS for place in found) else []
    words = {ALL_MODELS: "mean over models", ALL_BENCHMARKS: "mean over benchmarks", **lookup.short_names}
    rows = tuple(
        Row(Cell(words[model], place=lookup.evidence.place(model)),
            tuple(found.get(ModelOnBenchmark(model, name), Cell("–")) for name in names),
            look="total" * (model == ALL_MODELS),
        )
        for model in models
    )  # fmt: skip
    note = (
        "“–” is a score that cannot be: nothing was right with the image, or no more than guessing gets right. "
        "“Or more” leaves out an end that the data cannot bound. A mean covers only those with a score."
    )
    columns = name_columns("model", *(words.get(name) or describe_benchmark(name) for name in names))
    return Table(columns, rows, "Mirage scores", note=note)


def _draw_cell(lookup: Lookup, finding: Finding, name: str) -> Cell:
    """Draw a mirage score, with the score above guessing below it."""
    blind = finding.test.compared[0].name
    score, above = (lookup.find_number(finding, blind, each) for each in (name, ABOVE_LUCK))
    if score is None:
        return Cell("–")
    lines = [above.printed.cell("above guessing", n=False)] if above else []
    if of := score.estimate.method.partition("; of ")[2]:
        lines.append(Cell(n=f"of {of}"))
    return replace(score.printed.cell(), lines=tuple(lines))


def _draw_added(lookup: Lookup, shown: ShownTest) -> Iterator[Table]:
    """Draw, per benchmark, every model's accuracy without the image and what the image adds."""
    evidence = lookup.evidence
    for benchmark, findings in by_benchmark(shown.findings).items():
        rows, data = [], []
        for each in findings:
            blind = each.test.compared[0].name
            without, seen = (lookup.find_number(each, arm, "accuracy") for arm in (blind, each.test.baseline.name))
            if without and seen:
                luck, place = lookup.chance(ModelOnBenchmark(each.model, benchmark), blind), evidence.place(each.model)
                bar = Cell(drawing=topped_bar(without.estimate, seen.estimate, luck, place))
                rows.append(lookup.row(each, bar, Cell(lines=(without.printed.cell("without"),
                                                              seen.printed.cell("with")))))  # fmt: skip
                data += [datum(found.finding, found.measure) for found in (without, seen)]
        if rows:
            caption = f"What the image adds on {describe_benchmark(benchmark)}; {LINES}"
            table = Table(name_columns("model", "drawn", "accuracy, n"), tuple(rows), caption, "drawn", key=SCORE_KEY)
            about = About(
                (shown.test.name, "accuracy", benchmark if evidence.several else ""),
                f"Accuracy without the image, and what the image adds; {benchmark}", begun(LINES),
            )  # fmt: skip
            axis = axis_of(scale([], "share"), "Accuracy (%)")
            yield add_figure(evidence, table, about, data, axis, row_height=36.0)


MOST = 10
"""Number of diagnoses with their own bar; the others share one."""
NORMAL, NONE = "normal or harmless", "no diagnosis found"
BIAS_KEY = (
    Key("thin urgent", "calls for action within days"),
    Key("thin ill", "another pathology"),
    Key("thin harmless", NORMAL),
    Key("thin nothing", NONE),
)
SHARES: Mapping[str, str] = {
    "diagnosed_share": "any diagnosis",
    "pathology_share": "a pathology",
    "urgent_share": "an urgent one",
}
"""Shares in the table of each model, over all kinds of image."""


class DiagnosisBar(NamedTuple):
    """Bar of one diagnosis or of a group of them: number of responses, colour class and members."""

    name: str
    number: int
    look: str
    others: str = ""


def list_diagnoses(said: Admissions) -> Iterator[DiagnosisBar]:
    """Return the bars for the diagnoses of some responses. Their numbers add up to all responses."""
    named = Counter(said.diagnoses[place] for place in said.diagnosis[said.diagnosis != NOTHING].tolist())
    urgent = {each.name for each in named if each.urgent}
    ill, harmless = Counter[str](), Counter[str]()
    for each, number in named.items():
        (ill if each.pathology else harmless)[each.name] += number
    ordered, fine = (sorted(each.items(), key=lambda pair: (-pair[1], pair[0])) for each in (ill, harmless))
    for name, number in ordered[:MOST]:
        yield DiagnosisBar(name, number, "urgent" if name in urgent else "ill")
    if rest := ordered[MOST:]:
        pressing = sum(number for name, number in rest if name in urgent)
        name = f"{len(rest)} others" + (f", {count(pressing)} responses urgent" if pressing else "")
        yield DiagnosisBar(name, sum(number for _, number in rest), "ill", _name_all(rest))
    if fine:
        yield DiagnosisBar(NORMAL, harmless.total(), "harmless", _name_all(fine))
    if nothing := len(said.diagnosis) - named.total():
        yield DiagnosisBar(NONE, nothing, "nothing")


def _name_all(named: Sequence[tuple[str, int]]) -> str:
    return shorten_text(", ".join(f"{name} {count(number)}" for name, number in named), 400)


def draw_bias(lookup: Lookup, shown: ShownTest) -> Section:
    """Draw the section on mirage bias: verdicts, shares and diagnoses."""
    evidence, findings = lookup.evidence, shown.findings
    said = (
        "Asked again and again to describe “this imaging of my …” and to give a final diagnosis, with “number of image "
        "attachments: 1” before the question and no image. n counts responses, each an independent draw; one without a "
        "diagnosis is neither a pathology nor urgent. Which diagnoses are a pathology, and which call for action "
        "within hours or days, is our own reading of their names. The test fails if surely more than "
        f"{TOLERATED:.0%} of the responses make a diagnosis."
    )
    drawn = [table for each in findings if (table := _draw_diagnoses(lookup, each))]
    plots = resting(
        findings, evidence=evidence, label=lambda each: label(each, evidence), arm_words=lambda _: "no image sent"
    )
    parts: tuple[Part, ...] = (
        quiet(said),
        list_verdicts(evidence, findings),
        *plots,
        _draw_shares(lookup, findings),
        *([Fold("Every diagnosis", show_key_once(drawn), "by kind of image")] if drawn else []),
        *draw_grids(evidence, findings),
    )
    return Section(shown.test.asks, parts, shown.anchor, shown.test.name)


def _draw_shares(lookup: Lookup, findings: Sequence[Finding]) -> Table:
    rows = []
    for each in findings:
        arm = each.test.baseline.name
        n = len(lookup.evidence.results.tables[each.model, each.benchmark].arms[arm])
        cells = [lookup.cell(each, arm, name, n=False) for name in SHARES] if n else []
        shares = cells or [Cell("no response came", columns=len(SHARES))]
        head = Cell(label(each, lookup.evidence), place=lookup.evidence.place(each.model))
        rows.append(Row(head, (*shares, Cell(count(n))), each.model, each.benchmark))
    columns = name_columns("model", *SHARES.values(), numbers=("responses",))
    return Table(columns, tuple(rows), "Diagnoses without an image")


def _draw_diagnoses(lookup: Lookup, finding: Finding) -> Table | None:
    """Draw every diagnosis of one model by kind of image; None if it made none."""
    arm = finding.test.baseline.name
    if not any((found := finding.measure(arm, name)) and found.estimate.value > 0 for name in SHARES):
        return None
    groups = lookup.categories(finding)
    rows, data = [], []
    for kind, bars in _list_kinds_of_image(lookup, finding):
        total = sum(each.number for each in bars)
        for each in bars:
            head = Cell(shorten_text(each.name, 60), n="urgent" if each.look == "urgent" else "", note=each.others)
            share = each.number / total
            cells = Cell(drawing=thin_bar(share, each.look)), Cell(figure(share, "share"), n=f"n {count(each.number)}")
            rows.append(Row(head, cells, finding.model, finding.benchmark, f"{kind}, {count(total)} responses"))
            data.append(Datum(each.name, share, n=total, model=finding.model, benchmark=finding.benchmark,
                              condition=arm, group=kind))  # fmt: skip
        for name in [*SHARES][1:]:
            whole = lookup.cell(groups.get(kind, finding), arm, name, n=False)
            rows.append(Row(Cell(f"in all, {SHARES[name]}"), (Cell(), whole), finding.model, finding.benchmark))
    name = label(finding, lookup.evidence)
    columns = name_columns("diagnosis", "drawn", "share of the responses")
    table = Table(columns, tuple(rows), f"What {name} diagnoses, by kind of image", "drawn", key=BIAS_KEY)
    about = About(
        (finding.test.name, "diagnoses", finding.model),
        f"What is diagnosed on images that were never sent, by kind of image; {finding.model}",
        "Bars are shares of the responses on that kind of image; n beside a bar counts its responses",
    )
    axis = FigureAxis(share_axis(), "Responses (%)")
    return add_figure(lookup.evidence, table, about, data, axis, row_height=16.0)


def _list_kinds_of_image(lookup: Lookup, finding: Finding) -> Iterator[tuple[str, list[DiagnosisBar]]]:
    """Return every kind of image with responses, and the bars of its diagnoses."""
    table = lookup.evidence.results.tables[finding.model, finding.benchmark]
    kinds = np.array([item.category for item in table.items])
    for name in dict.fromkeys(kinds.tolist()):
        those = table.select_items(kinds == name).arms[finding.test.baseline.name]
        if len(those) and those.admissions is not None:
            yield name, list(list_diagnoses(those.admissions))


PARTS = {
    "mirage-rate": "mirage rate",
    "mirage-bias": "mirage bias",
    "mirage-score": "mirage score",
    "guess-mode": "guess mode",
    "dataset-name": "the dataset’s name",
    "grounding-signal": "grounding signal",
    "mirage-words": "mirage words",
}
"""Families of tests in this chapter, with the paper's names for them."""
TOLD_HERE = frozenset(("mirage-rate", "mirage-bias", "mirage-score"))
"""Families with their own section in this chapter; the others have it among the ordinary tests."""


def has_chapter(results: Results) -> bool:
    """Return True if the study has any of these tests."""
    return any(family(finding) in PARTS for finding in results.findings)


def choose_sayings(evidence: Evidence) -> Chosen:
    """Choose responses to open questions for the chapter. Empty if the study has no open questions."""
    return choose_quotes(evidence, _find_open_questions(evidence))


def _find_open_questions(evidence: Evidence) -> str:
    """Return the benchmark whose responses are quoted; "" if there is none."""
    asked = {family(each): each.benchmark for each in evidence.results.findings if each.benchmark}
    names = (asked.get(name) for name in ("mirage-rate", "mirage-bias"))
    return next((name for name in names if name in evidence.own_questions), None) or ""


def draw_mirage(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> list[Part] | None:
    """Draw the chapter; None if the study has none of these tests."""
    if not has_chapter(evidence.results):
        return None
    lookup = Lookup(evidence)
    by_family = {name: [each for each in sections if family(each.findings[0]) == name] for name in PARTS}
    rates = [finding.benchmark for each in by_family["mirage-rate"] for finding in each.findings]
    return [
        *_introduce(evidence, by_family),
        *(draw_rate(lookup, each) for each in by_family["mirage-rate"]),
        *draw_quotes(evidence, _find_open_questions(evidence), chosen),
        *(draw_bias(lookup, each) for each in by_family["mirage-bias"]),
        *(draw_score(lookup, each) for each in by_family["mirage-score"]),
        *draw_guessing(lookup),
        *draw_naming(lookup),
        *draw_grounding(lookup),
        *draw_words(lookup),
        *draw_reading(evidence, rates),
    ]


def _compare_shares(results: Results, findings: Sequence[Finding]) -> str:
    """Describe each model's share of responses about an image never sent, largest first. "" if unknown."""
    names = short_names(results)
    found = [(rests_on.estimate, names[each.model]) for each in findings if (rests_on := each.verdict.rests_on)]
    told = [
        f"{share_with_interval(share)} of {model}’s" for share, model in sorted(found, key=lambda each: -each[0].low)
    ]
    verb = "describe" if family(findings[0]) == "mirage-rate" else "diagnose"
    return f"Of the responses, {listed(told)} {verb} an image never sent." if told else ""


def _introduce(evidence: Evidence, by_family: dict[str, list[ShownTest]]) -> Iterator[Note]:
    """Notes with the main result, the chapter's subject, and the paper's tests in the study."""
    for name in ("mirage-rate", "mirage-bias"):
        for each in by_family[name][:1]:
            if said := _compare_shares(evidence.results, each.findings):
                yield Note(said, look="found")
    yield Note(rich(
        "The tests of “Mirage: The Illusion of Visual Understanding”, as far as they were asked here. A **mirage** is "
        "a response that describes an image that was not sent, without doubt and without saying so."
    ))  # fmt: skip
    links = tuple(Link(each.test.name, each.anchor) for those in by_family.values() for each in those)
    left_out = [words for name, words in PARTS.items() if not by_family[name]]
    missing = f"Not asked: {', '.join(left_out)}. " if left_out else ""
    yield Note(f"{missing}Asked:", look="quiet", links=links)


def draw_reading(evidence: Evidence, benchmarks: Iterable[str]) -> Iterator[Section]:
    """Draw the section on parser and judge, with their agreement."""
    if not evidence.own_questions:
        return
    read = (
        "Whether a response to an open question says that there is no image is read offline and by rules, by the "
        "parser `{}`: one label for each response, and every row names the rule. {}"
    )
    judged = describe_judge(evidence, frozenset(benchmarks)) or rich(
        "No judge was asked here: `snellen judge OUT` asks one the question of the paper."
    )
    parts = Note(rich(read, evidence.results.study["admissions_by"], missing_image_agreement())), Note(judged)
    yield Section("How these responses were read", parts, "mirage-reading")


def describe_judge(evidence: Evidence, benchmarks: frozenset[str]) -> str:
    """Describe the judge, its unreadable opinions and its agreement with the parser. Return "" without a judge."""
    tables = [each for (_, name), each in evidence.results.tables.items() if name in evidence.own_questions]
    names = list(dict.fromkeys(each.judge for each in tables if each.judge))
    if not names:
        return ""
    unread = sum(each.judge_unread for each in tables)
    pairs = list(_list_flagged(each for each in tables if each.benchmark in benchmarks))
    agreement = "The judge's agreement with the parser is unknown: no answer of the judge could be read."
    if pairs:
        agreement = describe_agreement("what is flagged", pairs, "responses", ", all models and scaffolds together")
    lost = f"; {count(unread)} of its answers could not be read" if unread else ""
    return visible(
        f"A judge, {', '.join(names)}, was asked the question of the paper about each response: does it mention that "
        f"no image was seen, or show any doubt? Its opinion stands beside ours and replaces nothing{lost}. {agreement}"
    )


def _list_flagged(tables: Iterable[Responses]) -> Iterator[tuple[bool, bool]]:
    """Return the parser's and the judge's flag for each response with a readable opinion."""
    for said in (grades.admissions for table in tables for grades in table.arms.values()):
        if said is not None:
            heard = said.flagged != NOTHING
            yield from zip(said.is_(*FLAGGED)[heard].tolist(), (said.flagged[heard] == 1).tolist(), strict=True)


CHAPTER = Chapter(
    anchor="mirage",
    title="The Mirage paper: what models see when nothing was sent",
    short="Mirage",
    choose=choose_sayings,
    build=draw_mirage,
    covers=lambda section: family(section.findings[0]) in TOLD_HERE,
    paper="Mirage: The Illusion of Visual Understanding",
)
