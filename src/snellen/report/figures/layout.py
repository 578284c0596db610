"""Layout of the page's drawings as separate figures.

Rows have a label, a drawing and its numbers, over one axis; panels form a grid. The width of text depends on the
reader's fonts, so it is estimated generously.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.components import Cell, Key, Panel, Panels, Row, Table
from snellen.report.figures.marks import Scale, forest_axis, swatch
from snellen.report.figures.palette import model_dot
from snellen.report.figures.panels import HEIGHT
from snellen.report.words.numbers import figure

WIDTH, PAD = 720.0, 14.0
LABEL, SMALL = 12.8, 11.9
"""Font sizes in pixels of labels and of small text, as in `style/marks.css`."""
LINE = 16.0
WIDEST_LABEL, WIDEST_SAID = 215.0, 270.0
MOST_LINES = 3
GAP = 14.0
NARROW, WIDE = "fijlrtI.,:;'|!()[]{} /-", "mwMW%@—…"
DOT = 18.0
STRETCHED = ('<svg class="forest-mark', '<svg class="with-without')
"""Drawings that fill a row of any height, so that vertical lines have no gaps in tall rows."""


def _list_numbers(row: Row) -> list[str]:
    """Numbers printed next to the drawing of a row."""
    return [str(each.words) for each in row.cells[1].lines or row.cells[1:2] if each.words]


def _find_n(row: Row) -> str:
    return (row.cells[1].lines or row.cells[1:2])[0].n


class RefersTo(NamedTuple):
    """A vertical line across a figure: position in percent, and meaning."""

    across: float
    words: str
    look: str = "small"


class FigureAxis(NamedTuple):
    """Axis below all rows, with its title and the named vertical lines."""

    drawn: Markup
    title: str
    lines: tuple[RefersTo, ...] = ()


def axis_of(scale: Scale, title: str, reference: str = "") -> FigureAxis:
    """Make the axis of a scale. `reference` is the meaning of its dashed line."""
    lines = []
    if scale.reference is not None and reference:
        lines.append(RefersTo(scale.place(scale.reference), reference))
    if scale.people is not None:
        lines.append(RefersTo(scale.place(scale.people), f"people {100 * scale.people:.0f}%", "people"))
    lines += [RefersTo(scale.place(each), f"limit {figure(each, scale.unit)}") for each in scale.limits]
    bare = Scale(scale.low, scale.high, scale.ticks, scale.unit, scale.reference, limits=scale.limits)
    return FigureAxis(forest_axis(bare), title, tuple(lines))


def width_of(text: str, size: float) -> float:
    """Estimate the width of a text in pixels, rather too large than too small.

    >>> round(width_of("88%", 10)), round(width_of("ill", 10)), width_of("", 10)
    (24, 13, 0)
    """
    return size * sum(map(_letter, text))


@cache
def _letter(letter: str) -> float:
    if letter in NARROW:
        return 0.42
    if letter in WIDE:
        return 1.02
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.0 if unicodedata.combining(letter) else 0.75 if letter.isupper() else 0.67


def wrap_text(text: str, width: float, size: float, most: int = MOST_LINES) -> list[str]:
    """Wrap text to lines of a width. At most `most` lines are kept.

    >>> wrap_text("organism/grounded", 90, 12.8)
    ['organism/', 'grounded']
    """
    lines = [""]
    for piece in re.findall(r"[^\s/_:,+-]*[\s/_:,+-]*", text):
        for part in _pieces(piece, width, size):
            if lines[-1] and width_of((lines[-1] + part).rstrip(), size) > width:
                lines.append("")
            lines[-1] += part
    kept = [line.strip() for line in lines if line.strip()]
    if len(kept) > most:
        last = kept[most - 1]
        while last and width_of(f"{last}…", size) > width:
            last = last[:-1]
        kept = [*kept[: most - 1], f"{last}…"]
    return kept or [""]


def _pieces(piece: str, width: float, size: float) -> Iterable[str]:
    """Split a word that is wider than a line."""
    start = 0
    for end in range(1, len(piece) + 1):
        if width_of(piece[start:end].rstrip(), size) > width and end - 1 > start:
            yield piece[start : end - 1]
            start = end - 1
    if start < len(piece):
        yield piece[start:]


def place_drawing(picture: Markup, x: float, y: float, width: float, height: float) -> Markup:
    """Place a drawing of the page inside a figure."""
    head, _, inside = str(picture).partition(">")
    bare = re.sub(r' (?:width|height)="[^"%]*"', "", head) + ">" + inside
    box = f'<svg x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
    return Markup(bare.replace("<svg", box, 1))  # noqa: S704 - drawn by us


def _text(words: str, x: float, y: float, look: str, anchor: str = "start", whole: str = "") -> Markup:
    more = Markup("<title>{}</title>").format(whole) if whole and whole != words else Markup("")
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}{}</text>').format(
        look, x, y, anchor, words, more
    )


class LaidOut(NamedTuple):
    """A figure's drawing with its width and height."""

    drawing: Markup
    width: float
    height: int


def _lay_out(parts: Sequence[Markup], height: float, width: float = WIDTH) -> LaidOut:
    return LaidOut(Markup("").join(parts), width, math.ceil(height))


def in_rows(table: Table, axis: FigureAxis, *, row_height: float) -> LaidOut:
    """Lay out drawn table rows over one axis, with a legend."""
    headed = [(str(heading), row) for heading, row in table.list_headed_rows() if row.cells[0].drawing]
    rows = [row for _, row in headed]
    dots = any(row.head.place is not None for row in rows)
    labels = min(WIDEST_LABEL, max(width_of(str(row.head.words), LABEL) for row in rows)) + (DOT if dots else 0.0)
    said = max((width_of(line, LABEL) for row in rows for line in _list_numbers(row)), default=0.0)
    counts = max(width_of(_find_n(row), SMALL) for row in rows)
    left = PAD + labels + GAP
    right = WIDTH - PAD - counts - (GAP if counts else 0.0) - min(said, WIDEST_SAID) - (GAP if said else 0.0)
    parts, y = _legend(table.key, PAD)
    named, y = _references(axis.lines, left, right, y)
    parts += named
    for heading, row in headed:
        if heading:
            [words] = wrap_text(heading, WIDTH - 2 * PAD, LABEL, 1)
            parts.append(_text(words, PAD, y + LINE, "heading", whole=heading))
            y += LINE + 6
        drawn, y = _row(row, y, (left, right), row_height)
        parts += drawn
    parts.append(place_drawing(axis.drawn, left, y, right - left, 24.0))
    title = wrap_text(axis.title, WIDTH - 2 * PAD, LABEL, 2)
    middle, half = (left + right) / 2, width_of(title[0], LABEL) / 2
    middle = min(max(middle, PAD + half), WIDTH - PAD - half)
    parts += [_text(line, middle, y + 40 + LINE * number, "title", "middle") for number, line in enumerate(title)]
    return _lay_out(parts, y + 40 + LINE * (len(title) - 1) + PAD)


def _label(head: Cell, x: float, y: float, width: float, most: int = MOST_LINES) -> list[Markup]:
    """Draw a row's name over several lines, with the model's mark before it."""
    lines = wrap_text(str(head.words), width, LABEL, most)
    whole, top = str(head.words) if lines[-1].endswith("…") or len(lines) > 1 else "", y - LINE * len(lines) / 2
    dot = [] if head.place is None else [place_drawing(model_dot(head.place), PAD, top + 2, 14, 12)]
    return [*dot, *(_text(line, x, top + 12 + LINE * at, "label", whole=whole) for at, line in enumerate(lines))]


def _row(row: Row, y: float, plot: tuple[float, float], height: float) -> tuple[list[Markup], float]:
    place, drawing, said = row.head.place, row.cells[0].drawing or Markup(""), _list_numbers(row)
    x = PAD + (DOT if place is not None else 0.0)
    count = len(wrap_text(str(row.head.words), plot[0] - GAP - x, LABEL))
    tall = max(height, LINE * count + 4, LINE * len(said) + 4)
    parts = _label(row.head, x, y + tall / 2, plot[0] - GAP - x)
    high = tall if drawing.startswith(STRETCHED) else height
    parts.append(place_drawing(drawing, plot[0], y + (tall - high) / 2, plot[1] - plot[0], high))
    if n := _find_n(row):
        parts.append(_text(n, WIDTH - PAD, y + tall / 2 + 4, "small", "end"))
    top = y + (tall - LINE * len(said)) / 2 + 12
    parts += [_text(line, plot[1] + GAP, top + LINE * number, "label") for number, line in enumerate(said)]
    return parts, y + tall


def _legend(legend: Sequence[Key], y: float) -> tuple[list[Markup], float]:
    """Draw the legend entries, on as many lines as they need."""
    parts: list[Markup] = []
    x = PAD
    for key in legend:
        lines = wrap_text(key.words, WIDTH - 2 * PAD - 28, SMALL, 1)
        width = 28 + width_of(lines[0], SMALL) + 16
        if x > PAD and x + width > WIDTH - PAD:
            x, y = PAD, y + LINE + 2
        mark = key.mark or swatch(key.look)
        parts.append(place_drawing(mark, x, y, 26 if "line-mark" in mark else 18, 14))
        parts.append(_text(lines[0], x + (31 if "line-mark" in mark else 24), y + 11, "small", whole=key.words))
        x += width
    return parts, y + LINE + 8 if legend else y


def _references(lines: Sequence[RefersTo], left: float, right: float, y: float) -> tuple[list[Markup], float]:
    parts = []
    for line in lines:
        x = left + line.across / 100 * (right - left)
        half = width_of(line.words, SMALL) / 2
        x = min(max(x, PAD + half), WIDTH - PAD - half)
        parts.append(_text(line.words, x, y + 11, line.look, "middle"))
        y += LINE
    return parts, y + (4 if lines else 0)


def in_panels(panels: Panels, columns: int) -> LaidOut:
    """Lay out drawn panels in a grid, with a legend."""
    parts, y = _legend(panels.key, PAD)
    between = 22.0
    one = (WIDTH - 2 * PAD - between * (columns - 1)) / columns
    for row in _grid_rows([each for each in panels.panels if each.drawing], columns):
        titles = [Markup.escape(each.title).striptags() for each in row]
        wraps = [wrap_text(title, one * each.span, LABEL, 2) for title, each in zip(titles, row, strict=True)]
        found = [re.match(r'<svg [^>]*\bheight="(\d+)"', each.drawing or "") for each in row]
        heights = [float(each[1]) if each else HEIGHT for each in found]
        head, at = LINE * max(map(len, wraps)), 0
        for each, title, lines, high in zip(row, titles, wraps, heights, strict=True):
            x = PAD + at * (one + between)
            wide = one * each.span + between * (each.span - 1)
            whole = title if len(lines) > 1 else ""
            parts += [_text(line, x, y + 12 + LINE * n, "heading", whole=whole) for n, line in enumerate(lines)]
            parts.append(place_drawing(each.drawing or Markup(""), x, y + head + 4, wide, high))
            at += each.span
        y += head + 4 + max(heights) + 12
    return _lay_out(parts, y + PAD - 8)


def _grid_rows(panels: Sequence[Panel], columns: int) -> list[list[Panel]]:
    rows: list[list[Panel]] = [[]]
    for each in panels:
        if rows[-1] and sum(one.span for one in rows[-1]) + each.span > columns:
            rows.append([])
        rows[-1].append(each)
    return [row for row in rows if row]


MATRIX_LABEL, MATRIX_ROW = 128.0, 30.0
"""Largest width of a row label in a matrix, and the height of its drawings."""


def in_matrix(table: Table) -> LaidOut:
    """Lay out drawings in rows and columns, with headings."""
    columns, names = table.columns[1:], [str(row.head.words) for row in table.rows]
    labels = min(MATRIX_LABEL, max(width_of(name, LABEL) for name in names)) + DOT
    left = PAD + labels + GAP
    one = (WIDTH - PAD - left - GAP * (len(columns) - 1)) / len(columns)
    parts, y = _legend(table.key, PAD)
    heads = [(wrap_text(each.words, one, LABEL, 2), wrap_text(each.note, one, SMALL, 3)) for each in columns]
    tall = LINE * max(len(names) + len(notes) for names, notes in heads)
    for at, (head, whole) in enumerate(zip(heads, columns, strict=True)):
        for number, line in enumerate([*head[0], *head[1]]):
            look = "heading" if number < len(head[0]) else "small"
            title = f"{whole.words} {whole.note}"
            parts.append(_text(line, left + at * (one + GAP), y + 12 + LINE * number, look, whole=title))
    y += tall + 4
    for row, name in zip(table.rows, names, strict=True):
        high = max(MATRIX_ROW, LINE * len(wrap_text(name, labels - DOT, LABEL, 2)) + 4)
        parts += _label(row.head, PAD + DOT, y + high / 2, labels - DOT, most=2)
        for at, cell in enumerate(row.cells):
            x, middle = left + at * (one + GAP), y + high / 2
            parts.append(_text("not asked", x, middle + 4, "small") if cell.drawing is None else
                         place_drawing(cell.drawing, x, middle - 13, one, 26))  # fmt: skip
        y += high
    return _lay_out(parts, y + PAD - 4)


CELL, CELL_HEIGHT = 70.0, 34.0
"""Smallest width of a cell of a heat map, and its height."""
FAINTEST, STRONGEST = 0.03, 0.63
"""Smallest and largest opacity of a cell's colour, so that its number stays readable."""


def in_cells(table: Table) -> LaidOut:
    """Lay out a heat map, with one line of notes per cell."""
    columns = [each.words for each in table.columns[1:]]
    labels = min(WIDEST_LABEL, max(width_of(f"{row.head.words}  {row.head.n}", LABEL) for row in table.rows))
    left = PAD + labels + GAP
    one = max(CELL, (WIDTH - left - PAD) / len(columns))
    width = left + one * len(columns) + PAD
    heads = [wrap_text(column, one - 6, SMALL) for column in columns]
    y = PAD + LINE * max(map(len, heads))
    parts = [
        _text(line, left + one * (at + 0.5), y - LINE * (len(head) - 1 - number), "small", "middle", column)
        for at, (column, head) in enumerate(zip(columns, heads, strict=True))
        for number, line in enumerate(head)
    ]
    y += 8
    for heading, row in table.list_headed_rows():
        if heading:
            [words] = wrap_text(str(heading), width - 2 * PAD, LABEL, 1)
            parts.append(_text(words, PAD, y + LINE, "heading", whole=str(heading)))
            y += LINE + 6
        label, n = str(row.head.words), row.head.n
        lines = wrap_text(label, labels, LABEL, 2)
        top = y + CELL_HEIGHT / 2 + (-2 if len(lines) > 1 or n else 5)
        parts += [_text(line, PAD, top + LINE * at, "label", whole=label) for at, line in enumerate(lines[:1])]
        parts.append(_text(n if len(lines) == 1 else f"{lines[1]} {n}", PAD, top + LINE - 2, "small"))
        for at, cell in enumerate(row.cells):
            parts += _heat_cell(cell, left + one * at, y, one)
        y += CELL_HEIGHT
    return _lay_out(parts, y + PAD, width)


def _heat_cell(cell: Cell, x: float, y: float, width: float) -> list[Markup]:
    middle = x + width / 2
    if cell.shade is None:
        return [_text("–", middle, y + CELL_HEIGHT / 2 + 5, "small", "middle")]
    shade = FAINTEST + (STRONGEST - FAINTEST) * min(1.0, max(0.0, cell.shade))
    box = Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill-opacity="{:.2f}"/>')
    look = "cooled" if cell.cool else "warmed"
    return [
        box.format(look, x + 0.5, y + 0.5, width - 1, CELL_HEIGHT - 1, shade),
        _text(str(cell.words), middle, y + 15, "label", "middle"),
        _text(str(cell.note).partition("<br>")[0], middle, y + 28, "inner", "middle"),
    ]
