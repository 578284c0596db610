"""Figure 1: what each model does with the image, without it, with a blank one and with another patient's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snellen.report.components import Bar, Bars, Cell, Column, Key, Row, Segment, Table, write_shares
from snellen.report.evidence.acts import SHOWN, Act, link_to, list_acts
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.evidence.reply_kinds import ReplyKind
from snellen.report.figures.layout import FigureAxis, FigureRow
from snellen.report.figures.layout import Key as FigureKey
from snellen.report.figures.marks import kind_bar, share_axis, swatch
from snellen.report.figures.standalone import About, Datum, Figure
from snellen.report.sections.headline import short_names
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import count, from_to
from snellen.stress.verdicts.responses import Responses, View

COLUMNS = (
    Column("With the image", "a good model is right"),
    Column("No image", "a good model declines"),
    Column("Blank image", "a good model declines"),
    Column("Another patient’s image", "a good model follows it"),
)
ROW = 30.0
WORDS = {
    Act.RIGHT: "right (with another patient’s image: what that image shows)",
    Act.DECLINES: "declines: cannot tell, or refuses",
    Act.INVENTS: "invents findings, whatever it answers",
}
"""What the legend says beyond an act's own words."""


def draw_outcomes(evidence: Evidence) -> Iterator[Bars]:
    """The bars of every benchmark that was asked under more than one of these conditions."""
    names = short_names(evidence.results)
    for benchmark in evidence.benchmarks:
        found = [
            (model, _list_bars(evidence, model, benchmark))
            for model, name in evidence.results.tables
            if name == benchmark
        ]
        shown = [at for at in range(len(COLUMNS)) if any(bars[at].n for _, bars in found)]
        if len(shown) < 2:
            continue
        rows = tuple((names[model], model, tuple(bars[at] for at in shown)) for model, bars in found)
        columns = tuple(COLUMNS[at] for at in shown)
        acts = [act for act in SHOWN if any(_has(bar, act) for _, _, bars in rows for bar in bars)]
        key = tuple(Key(f"outcome {act.look}", WORDS.get(act, act.words)) for act in acts)
        counts = [bar.n for _, _, bars in rows for bar in bars if bar.n]
        on = f" on {benchmark}" if evidence.several else ""
        caption = (
            f"Figure 1. Share of responses{on}, {from_to(counts)} a bar. Every part leads to exactly its responses."
        )
        yield Bars(columns, rows, key, caption, _draw_figure(evidence, benchmark, columns, rows, acts))


def count_acts(evidence: Evidence) -> Table:
    """How many responses of each model do what under each condition: where links lead if no script runs."""
    names = short_names(evidence.results)
    rows = []
    for address in evidence.anchors:
        acts = list_acts(evidence.table(address), address.arm)
        counts = [(act, int(np.count_nonzero(acts & int(act)))) for act in Act]
        cells = (Cell(count(number), anchor=link_to(evidence, address, act)) for act, number in counts)
        on = f", {address.benchmark}" if evidence.several or address.benchmark in evidence.own_questions else ""
        head = Cell(f"{names[address.model]}, {arm_label(address.arm)}{on}", anchor=evidence.anchors[address])
        rows.append(Row(head, (Cell(count(len(acts))), *cells), address.model, address.benchmark))
    columns = (
        Column("model, condition"),
        *(Column(each, look="figure") for each in ("responses", *(act.words for act in Act))),
    )
    return Table(columns, tuple(rows), folded="What the responses do, counted")


def _has(bar: Bar, act: Act) -> bool:
    return any(each.look == act.look and each.number for each in bar.segments)


def _list_bars(evidence: Evidence, model: str, benchmark: str) -> list[Bar]:
    """A bar for each of the columns; an empty one where nothing was asked or answered."""
    responses = Responses(evidence.results.tables[model, benchmark])
    swapped = responses.swapped or responses.exchanged
    views = (responses.own, responses.without.get("removed"), responses.without.get("blank"), swapped)
    return [_draw_bar(evidence, responses, model, benchmark, view) for view in views]


def _draw_bar(evidence: Evidence, responses: Responses, model: str, benchmark: str, view: View | None) -> Bar:
    if view is None or not len(view.ordinal):
        return Bar()
    acts = list_acts(responses.table, view.arm)
    counts = [int(np.count_nonzero(acts & int(act))) for act in SHOWN]
    labels = write_shares(counts)
    address = ArmAddress(model, benchmark, view.arm)
    return Bar(
        tuple(
            Segment(act.look, act.words, number, label, link_to(evidence, address, act))
            for act, number, label in zip(SHOWN, counts, labels, strict=True)
        )
    )


def _draw_figure(
    evidence: Evidence, benchmark: str, columns: Sequence[Column], rows: Sequence[tuple[str, str, tuple[Bar, ...]]],
    acts: Sequence[Act],
) -> Figure:  # fmt: skip
    """The same as a figure of its own: the bars of a condition stand together under its name."""
    drawn, data = [], []
    for at, column in enumerate(columns):
        for number, (name, model, bars) in enumerate(rows):
            bar = bars[at]
            if not bar.n:
                continue
            heading = f"{column.words}: {column.note}" if number == 0 else ""
            counts = {ReplyKind(each.look, each.words): each.number for each in bar.segments}
            drawn.append(FigureRow(name, kind_bar(counts), (), f"n {bar.n}", evidence.place(model), heading))
            data += [
                Datum(
                    each.words, each.number / bar.n, n=bar.n, model=model, benchmark=benchmark, condition=column.words
                )
                for each in bar.segments
            ]
    about = About(
        ["figure-1", benchmark if evidence.several else ""],
        f"What each model does when the image goes; {benchmark}",
        "Bars are shares of all responses; a bar adds up to 100%",
    )
    legend = [FigureKey(swatch(f"outcome {act.look}"), WORDS.get(act, act.words)) for act in acts]
    return evidence.figures.rows(
        about, drawn, data, FigureAxis(share_axis(), "Responses (%)"), legend=legend, row_height=ROW
    )
