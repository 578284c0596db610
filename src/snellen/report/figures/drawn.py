"""Tables of drawings with their figures: the same rows on the page and in a file of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from snellen.report.components import Cell, Panels, Row, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.layout import FigureAxis, FigureKey, FigurePanel, FigureRow, HeatCell, HeatRow
from snellen.report.figures.marks import axis_words, swatch
from snellen.report.figures.panels import HEIGHT
from snellen.report.figures.standalone import ROW, About, Datum


def add_figure(
    evidence: Evidence, table: Table, about: About, data: Sequence[Datum], axis: FigureAxis, *, row_height: float = ROW
) -> Table:
    """The table over an axis; its rows with a drawing, their first number and its legend are also a figure."""
    legend = [FigureKey(each.mark or swatch(each.look), each.words) for each in table.key]
    rows = [_figure_row(row, str(heading)) for heading, row in table.headed() if row.cells[0].drawing]
    figure = evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=row_height)
    return replace(table, figure=figure, axis=axis.drawn + axis_words(axis.title))


def add_figure_of_panels(
    evidence: Evidence, panels: Panels, about: About, data: Sequence[Datum], *, columns: int = 2
) -> Panels:
    """The panels; those with a drawing, and their legend, are also a figure."""
    legend = [FigureKey(each.mark or swatch(each.look), each.words) for each in panels.key]
    drawn = [
        FigurePanel(Markup.escape(each.title).striptags(), each.drawing, _find_height(each.drawing), each.span)
        for each in panels.panels
        if each.drawing
    ]
    return replace(panels, figure=evidence.figures.panels(about, drawn, data, legend=legend, columns=columns))


def _find_height(drawing: Markup) -> float:
    """The height that a drawing has by itself, or else that of panels."""
    found = re.match(r'<svg [^>]*\bheight="(\d+)"', drawing)
    return float(found[1]) if found else HEIGHT


def add_figure_of_map(evidence: Evidence, table: Table, about: About, data: Sequence[Datum]) -> Table:
    """The heat map, which is also a figure; of what stands below a number, the figure has the first line."""
    rows = [
        HeatRow(str(row.head.words), row.head.n, tuple(map(_heat_cell, row.cells)), str(heading))
        for heading, row in table.headed()
    ]
    columns = [each.words for each in table.columns[1:]]
    return replace(table, figure=evidence.figures.cells(about, columns, rows, data))


def _heat_cell(cell: Cell) -> HeatCell | None:
    if cell.shade is None:
        return None
    return HeatCell(str(cell.words), str(cell.note).partition("<br>")[0], cell.shade, cell.cool)


def show_key_once(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The same tables with the legend on the first of them alone."""
    return (*tables[:1], *(replace(each, key=()) for each in tables[1:]))


def _figure_row(row: Row, heading: str) -> FigureRow:
    drawing, number = row.cells[:2]
    assert drawing.drawing is not None
    lines = number.lines or (number,)
    said = tuple(str(each.words) for each in lines if each.words)
    return FigureRow(str(row.head.words), drawing.drawing, said, lines[0].n, row.head.place, heading)
