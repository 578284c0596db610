"""Figure 1: what models do with the image, without it, and with a blank or exchanged one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from snellen.items import describe_benchmark
from snellen.report.components import (
    Bar,
    Bars,
    Cell,
    Column,
    Figure,
    Key,
    Row,
    Segment,
    Table,
    name_columns,
    write_row,
    write_shares,
)
from snellen.report.evidence.acts import SHOWN, Act, link_to, list_acts
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.evidence.reply_kinds import ReplyKind
from snellen.report.figures.layout import in_matrix
from snellen.report.figures.marks import CRAMPED, kind_bar
from snellen.report.figures.standalone import MAIN, About, Datum
from snellen.report.sections.headline import questions, short_names
from snellen.report.sections.standing import list_standings
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import begun, count, describe_expected, from_to
from snellen.runtime import counted
from snellen.stats import wilson
from snellen.stress.verdicts.responses import ArmView, Responses
from snellen.stress.verdicts.sentences import QUESTIONS, count_in_words, share_with_interval

COLUMNS = (
    Column("With the image", "a good model is right"),
    Column("No image", "a good model declines"),
    Column("Blank image", "a good model declines"),
    Column("Another patient’s image", "a good model follows it"),
)
REPORTING = "a good model reports what it shows"
WORDS = {
    Act.RIGHT: "right (with another patient’s image: what that image shows)",
    Act.DECLINES: "declines: cannot tell, or refuses",
    Act.INVENTS: "invents findings, whatever it answers",
}
"""Legend entries of acts, if different from the acts' own words."""
INVENTING = "Invents findings: it describes findings and does not say that it cannot see."
FOLLOWING = "Another patient’s image shows something else, so that another answer is right."


def draw_outcomes(evidence: Evidence) -> Iterator[Bars]:
    """Draw the bars of every benchmark that was asked under several conditions of Figure 1."""
    names, standings = short_names(evidence.results), list_standings(evidence)
    for benchmark in evidence.benchmarks:
        there = [model for model, name in evidence.results.tables if name == benchmark]
        ranked = standings[benchmark].models if benchmark in standings else ()
        order = [each.model for each in ranked if each.model in there]
        models = [*order, *(model for model in there if model not in order)]
        found = [(model, _list_bars(evidence, model, benchmark)) for model in models]
        shown = [at for at in range(len(COLUMNS)) if any(bars[at].n for _, bars in found)]
        if len(shown) < 2:
            continue
        rows = tuple((names[model], model, tuple(bars[at] for at in shown)) for model, bars in found)
        heads = (COLUMNS[0]._replace(note=REPORTING), *COLUMNS[1:]) if benchmark in evidence.reports else COLUMNS
        columns = tuple(heads[at] for at in shown)
        drawn = {each.look for _, _, bars in rows for bar in bars for each in bar.segments if each.number}
        acts = [act for act in SHOWN if act.look in drawn]
        counts = [bar.n for _, _, bars in rows for bar in bars if bar.n]
        on = f" on {describe_benchmark(benchmark)}" if evidence.several or evidence.own_questions else ""
        on += ", asked with the study’s prompt" if evidence.own_questions else ""
        caption = (
            f"Figure 1. Share of responses{on}, {from_to(counts)} per bar. Each part links to its responses. A "
            "response that invents findings may still be right: scores count it as right, these bars do not."
        )
        bars = Bars(
            columns, rows, tuple(Key(f"outcome {act.look}", WORDS.get(act, act.words)) for act in acts), caption
        )
        yield replace(bars, figure=_draw_figure(evidence, benchmark, bars, invents=Act.INVENTS in acts))


def count_acts(evidence: Evidence) -> Table:
    """Count acts by model and condition, with links to the responses."""
    names = short_names(evidence.results)
    rows, every = [], [act for act in Act if act is not Act.WRITES or evidence.reports]
    for address in evidence.anchors:
        acts = list_acts(evidence.table(address), address.arm)
        counts = [(act, int(np.count_nonzero(acts & int(act)))) for act in every]
        cells = (Cell(count(number), anchor=link_to(evidence, address, act)) for act, number in counts)
        on = f", {address.benchmark}" if evidence.several or address.benchmark in evidence.own_questions else ""
        head = Cell(f"{names[address.model]}, {arm_label(address.arm)}{on}", anchor=evidence.anchors[address])
        rows.append(write_row(head, count(len(acts)), *cells, model=address.model, benchmark=address.benchmark))
    columns = name_columns("model, condition", numbers=("responses", *(act.words for act in every)))
    return Table(columns, tuple(rows), folded="What the responses do, counted")


def _list_bars(evidence: Evidence, model: str, benchmark: str) -> list[Bar]:
    responses = Responses(evidence.results.tables[model, benchmark])
    swapped, without = responses.swapped or responses.exchanged, responses.without
    views = (responses.own, without.get("removed"), without.get("blank"), swapped)
    return [_draw_bar(evidence, responses, model, benchmark, view) for view in views]


def _draw_bar(evidence: Evidence, responses: Responses, model: str, benchmark: str, view: ArmView | None) -> Bar:
    if view is None or not len(view.ordinal):
        return Bar()
    acts = list_acts(responses.table, view.arm)
    shown = [act for act in SHOWN if act is not Act.WRITES or benchmark in evidence.reports]
    counts = [int(np.count_nonzero(acts & int(act))) for act in shown]
    labels = write_shares(counts)
    address = ArmAddress(model, benchmark, view.arm)
    return Bar(
        tuple(
            Segment(act.look, act.words, number, label, link_to(evidence, address, act))
            for act, number, label in zip(shown, counts, labels, strict=True)
        )
    )


def _draw_figure(evidence: Evidence, benchmark: str, shown: Bars, *, invents: bool) -> Figure:
    data = [
        Datum(each.words, each.number / bar.n, n=bar.n, model=model, benchmark=benchmark, condition=column.words)
        for _, model, bars in shown.rows
        for column, bar in zip(shown.columns, bars, strict=True)
        for each in bar.segments
    ]
    drawn = []
    for name, model, bars in shown.rows:
        cells = []
        for bar in bars:
            labels = [each.label if 100 * each.number / bar.n >= CRAMPED else "" for each in bar.segments]
            kinds = {ReplyKind(each.look, each.words): each.number for each in bar.segments}
            cells.append(Cell(drawing=kind_bar(kinds, labels) if bar.n else None))
        drawn.append(Row(Cell(name, place=evidence.place(model)), tuple(cells)))
    heads = (
        Column(column.words, f"{column.note}, n {from_to([bars[at].n for _, _, bars in shown.rows if bars[at].n])}")
        for at, column in enumerate(shown.columns)
    )
    about = About(
        [MAIN, benchmark if evidence.several else ""],
        f"What each model does when the image goes: {describe_benchmark(benchmark)}",
        " ".join(filter(None, _describe_figure(evidence, benchmark, shown, invents=invents))),
    )
    table = Table((Column("model"), *heads), tuple(drawn), key=shown.key)
    return evidence.figures.draw(about, data, in_matrix(table))


def _describe_figure(evidence: Evidence, benchmark: str, shown: Bars, *, invents: bool) -> Iterator[str]:
    results = evidence.results
    conditions = [f"{each.words[0].lower()}{each.words[1:]}" for each in shown.columns]
    who = f"{begun(count_in_words(len(shown.rows)))} model{'s' if len(shown.rows) > 1 else ''}"
    yield f"{who} answered {counted(questions(results, benchmark), 'question')}: {', '.join(conditions)}."
    yield "A bar is all responses of a model under one condition and adds up to 100%; labels are shares."
    yield INVENTING if invents else ""
    yield FOLLOWING if COLUMNS[-1] in shown.columns else ""
    least = min(bar.n for _, _, bars in shown.rows for bar in bars if bar.n)
    half = share_with_interval(wilson(least / 2, least))
    yield f"Bars have no intervals: half of {least:,} responses is {half}, wider if patients have several questions."
    marks = {each.test.name: each.test for each in results.marks if each.benchmark == benchmark}
    for name in ("follows", "honest"):
        if name in marks:
            yield f"To pass “{QUESTIONS[name]}”: {describe_expected(marks[name])}"
    yield f"Prompt: {results.study['prompt']}." if results.study.get("prompt") else ""
    yield f"Snellen {version('snellen')}."
