"""Tables and panels of drawings, with their figure files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from snellen.report.components import Panels, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.layout import FigureAxis, in_cells, in_panels, in_rows
from snellen.report.figures.marks import axis_words
from snellen.report.figures.standalone import ROW, About, Datum


def add_figure(
    evidence: Evidence, table: Table, about: About, data: Sequence[Datum], axis: FigureAxis, *, row_height: float = ROW
) -> Table:
    """Add an axis to a table, and keep its drawn rows as a figure."""
    figure = evidence.figures.draw(about, data, in_rows(table, axis, row_height=row_height))
    return replace(table, figure=figure, axis=axis.drawn + axis_words(axis.title))


def add_figure_of_panels(
    evidence: Evidence, panels: Panels, about: About, data: Sequence[Datum], *, columns: int = 2
) -> Panels:
    """Keep the drawn panels and their legend as a figure."""
    return replace(panels, figure=evidence.figures.draw(about, data, in_panels(panels, columns)))


def add_figure_of_map(evidence: Evidence, table: Table, about: About, data: Sequence[Datum]) -> Table:
    """Keep a heat map as a figure."""
    return replace(table, figure=evidence.figures.draw(about, data, in_cells(table)))


def show_key_once(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Remove the legend from all tables but the first."""
    return (*tables[:1], *(replace(each, key=()) for each in tables[1:]))
