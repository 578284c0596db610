"""Tables of drawings with their figures: the same rows on the page and in a file of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snellen.report.components import Row, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.layout import FigureAxis, FigureKey, FigureRow
from snellen.report.figures.marks import axis_words, swatch
from snellen.report.figures.standalone import ROW, About, Datum


def add_figure(
    evidence: Evidence, table: Table, about: About, data: Sequence[Datum], axis: FigureAxis, *, row_height: float = ROW
) -> Table:
    """The table over an axis; its rows with a drawing, their first number and its legend are also a figure."""
    legend = [FigureKey(each.mark or swatch(each.look), each.words) for each in table.key]
    rows = [_figure_row(row) for row in table.rows if row.cells[0].drawing]
    figure = evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=row_height)
    return replace(table, figure=figure, axis=axis.drawn + axis_words(axis.title))


def show_key_once(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The same tables with the legend on the first of them alone."""
    return (*tables[:1], *(replace(each, key=()) for each in tables[1:]))


def _figure_row(row: Row) -> FigureRow:
    drawing, number = row.cells[:2]
    assert drawing.drawing is not None
    lines = number.lines or (number,)
    said = tuple(str(each.words) for each in lines if each.words)
    return FigureRow(str(row.head.words), drawing.drawing, said, lines[0].n, row.head.place, str(row.heading))
