"""Card: the first screen as an image of 1200 × 630 pixels, for slides and posts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import takewhile
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.components import keep_order
from snellen.report.figures.layout import width_of, wrap_text
from snellen.report.figures.plain import SVG, colours
from snellen.report.sharing.shared_table import SharedCell, SharedResult, SharedRow, SharedTable
from snellen.stress.base import Status
from snellen.stress.verdicts.sentences import count_in_words

WIDTH, HEIGHT, PAD = 1200, 630, 48.0
MOST_MODELS, MOST_COLUMNS = 8, 4
LOWEST, HIGHEST = 25.0, 48.0
"""Smallest and largest height of a row; the sentence below the headline is dropped for lower rows."""
SIZE, SMALL, LEAST = 23.0, 20.0, 17.0
"""Font sizes in pixels; small displays of a card show half of that."""
TIGHT = 0.9
"""Share of the width estimated by `width_of` that the widest usual font needs; bold text needs all."""
ACCURACY = "Accuracy"
OTHERS = "Other tests"
GLYPHS = {
    Status.PASS: ("good", "M4.5 9.5L8 13L14 6"),
    Status.FAIL: ("bad", "M5 5L13 13M13 5L5 13"),
    Status.INCONCLUSIVE: ("unclear", "M6.2 7Q6.2 4.4 9 4.4T11.8 7Q11.8 8.6 9 9.6V11M9 13V14.2"),
    Status.NOT_APPLICABLE: ("unclear", "M5 9H13"),
    Status.WITHHELD: ("unclear", "M9 4V10.5M9 13V14.2"),
    Status.REPORTED: ("unclear", ""),
}
"""Colour of each status, and the symbol drawn in it; symbol and word have the same meaning."""
FRAMES = {
    Status.PASS: Markup('<circle cx="9" cy="9" r="9" fill="{}"/>'),
    Status.FAIL: Markup('<rect width="18" height="18" fill="{}"/>'),
}
OPEN_FRAME = Markup('<rect x="1" y="1" width="16" height="16" rx="4" fill="none" stroke="{}" stroke-dasharray="3 2"/>')
"""Frames of the symbols: filled for a pass and a fail, else open."""


class CardColumn(NamedTuple):
    """A column of the card: title, left edge and width."""

    words: str
    x: float
    width: float


class CardBox(NamedTuple):
    """Position and size of a cell, and the font size in it."""

    x: float
    y: float
    width: float
    high: float
    size: float

    @property
    def baseline(self) -> float:
        """Baseline of the cell's text."""
        return self.y + self.high / 2 + 8


def draw_card(result: SharedResult) -> str:
    """Draw headline, verdicts, the benchmark's verdict, date and version, in light colours."""
    table = result.tables[0]
    shown = table.rows[:MOST_MODELS]
    below = list(_list_below(result, table, len(table.rows) - len(shown)))
    foot, top = _draw_foot(result, below)
    columns = _place_columns(table)
    for most in (2, 1, 0):
        parts, y = _draw_headline(result, most)
        heads, y = _draw_heads(columns, y)
        high = min(HIGHEST, (top - y) / len(shown))
        if high >= LOWEST:
            break
    parts += [*heads, *foot]
    numbers = [
        (cell.number, each.width) for row in shown for each in columns[1:]
        if each.words != ACCURACY and (cell := row.cells.get(each.words)) and cell.number
        and cell.status in (None, Status.REPORTED)
    ]  # fmt: skip
    sizes = [(width - 12) / TIGHT / width_of(number, 1.0) for number, width in numbers]
    size = max(LEAST, min([SIZE, high * 0.72, *sizes]))  # at which all numbers fit
    for row in shown:
        parts += _draw_row(row, columns, CardBox(PAD, y, columns[0].width, high, size))
        y += high
    return _finish(parts, f"{result.headline} {result.lede}".strip(), " ".join([*below, result.date]))


def _draw_foot(result: SharedResult, below: Sequence[str]) -> tuple[list[Markup], float]:
    """Draw the lines at the bottom. Also return where the space above them ends."""
    room = WIDTH - 2 * PAD
    lines = [(line, "ink") for each in below for line in wrap_text(each, room, TIGHT * SMALL, 2)]
    end = f"{result.date} · Snellen {version('snellen')} · 95% intervals"
    last = f"{result.examined} · {end}"
    one = TIGHT * width_of(last, SMALL) <= room
    parted = [*wrap_text(result.examined, room, TIGHT * SMALL, 2), end]
    lines += [(line, "quiet") for line in ([last] if one else parted)]
    y = HEIGHT - PAD + 14 - 27 * (len(lines) - 1)
    return [_write(line, PAD, y + 27 * at, SMALL, look) for at, (line, look) in enumerate(lines)], y - 34


def _draw_headline(result: SharedResult, most: int) -> tuple[list[Markup], float]:
    room = WIDTH - 2 * PAD
    sizes = (size for size in (44.0, 38.0, 33.0) if len(wrap_text(result.headline, room, size * 1.04, 4)) <= 2)
    size = next(sizes, 30.0)
    y, parts = PAD + size * 0.8, []
    for line in wrap_text(result.headline, room, size * 1.04, 3):
        parts.append(_write(line, PAD, y, size, bold=True))
        y += size * 1.2
    y -= size * 1.2 - 36
    for line in _wrap_sentences(result.lede, room, most):
        parts.append(_write(line, PAD, y, SIZE, "quiet"))
        y += 30
    return parts, y + 14


def _wrap_sentences(words: str, room: float, most: int) -> list[str]:
    """Wrap as many whole sentences as fit on `most` lines."""
    sentences = re.split(r"(?<=\.) ", words) if words and most else []
    for kept in range(len(sentences), 0, -1):
        lines = wrap_text(" ".join(sentences[:kept]), room, TIGHT * SIZE, most)
        if not lines[-1].endswith("…"):
            return lines
    return []


def _list_below(result: SharedResult, table: SharedTable, left_out: int) -> Iterator[str]:
    """Yield the lines below the table: models left out, other benchmarks, notes."""
    if left_out:
        yield f"and {left_out} more model{'s' if left_out > 1 else ''}"
    others = len(result.tables) - 1
    if others:
        yield f"Shown is {table.benchmark}, the first of {count_in_words(others + 1)} benchmarks."
    yield from (line for line in table.lines if not line.startswith("For every model:"))


def _place_columns(table: SharedTable) -> list[CardColumn]:
    """Choose and place columns that fit: model, accuracy and tests; tests with fails first.

    Fails without a column are counted in an additional one.
    """
    names = [name for name in table.columns if name != ACCURACY]
    fails = {name: sum(row.cells[name].status is Status.FAIL for row in table.rows if name in row.cells)
             for name in names}  # fmt: skip
    first = sorted(names, key=lambda name: (names.index(name) >= 3, -fails[name]))
    chosen = [name for name in names if name in first[:MOST_COLUMNS]]
    if any(_count_other_fails(row, chosen) for row in table.rows):
        chosen = [*[name for name in names if name in first[: MOST_COLUMNS - 1]], OTHERS]
    room, x = WIDTH - 2 * PAD, PAD
    widths = [250.0]
    if ACCURACY in table.columns:
        widths.append(240.0 if len(chosen) <= 3 else 130.0)
        chosen = [ACCURACY, *chosen]
    left = max(1, len(chosen) + 1 - len(widths))
    widths += [(room - sum(widths)) / left] * left
    made = []
    for name, width in zip(["Model", *chosen], widths, strict=False):
        made.append(CardColumn(name, x, width))
        x += width
    return made


def _count_other_fails(row: SharedRow, shown: Sequence[str]) -> int:
    named = sum(len(each.fails) for each in (row.model, *row.cells.values()))
    return named + sum(each.status is Status.FAIL for name, each in row.cells.items() if name not in shown)


def _draw_heads(columns: Sequence[CardColumn], y: float) -> tuple[list[Markup], float]:
    """Draw the column titles. Also return where the rows start."""
    lines = [wrap_text(each.words, each.width - 12, SMALL, 4) for each in columns]
    most = max(map(len, lines))
    parts = [
        _write(line, column.x, y + 20 + 22 * (most - len(words) + at), SMALL, "quiet", bold=True)
        for column, words in zip(columns, lines, strict=True)
        for at, line in enumerate(words)
    ]
    y += 34 + 22 * (most - 1)
    return [*parts, _draw_line(y - 4, "ink", 2)], y


def _draw_line(y: float, colour: str, width: float) -> Markup:
    line = Markup('<path d="M{} {}H{}" stroke="{}" stroke-width="{}"/>')
    return line.format(PAD, round(y, 1), WIDTH - PAD, _colour(colour), width)


def _draw_row(row: SharedRow, columns: Sequence[CardColumn], box: CardBox) -> Iterator[Markup]:
    size = box.size
    yield _write(_shorten(row.model.number, box.width - 16, size), box.x, box.baseline, size, bold=True)
    shown = [each.words for each in columns]
    spans = _find_span(row, shown)
    for column in columns[1:]:
        box = box._replace(x=column.x, width=column.width)
        if column.words == OTHERS:
            fails = _count_other_fails(row, shown)
            yield from _draw_mark(SharedCell(Status.FAIL) if fails else SharedCell(), box, f"{fails} failed")
        elif column.words == ACCURACY:
            number = row.cells.get(ACCURACY, SharedCell()).number or "–"
            yield _write(number if column.width > 150 else number.partition(" ")[0], box.x, box.baseline, size)
        elif column.words not in spans:
            yield from _draw_mark(row.cells.get(column.words, SharedCell()), box)
        elif column.words == spans[0]:
            box = box._replace(width=sum(each.width for each in columns if each.words in spans))
            cell = row.cells[column.words]
            yield from _draw_mark(cell, box, why=cell.note.partition(";")[0])
    yield _draw_line(box.y + box.high, "rule", 1)


def _find_span(row: SharedRow, columns: Sequence[str]) -> list[str]:
    """Columns that one wide cell covers. Empty if there is no wide cell."""
    there = ((name, row.cells[name]) for name in columns if name in row.cells)
    first = next((name for name, cell in there if cell.status and cell.note and not cell.number), None)
    if first is None:
        return []
    bare = SharedCell(row.cells[first].status)
    rest = columns[columns.index(first) + 1 :]
    return [first, *takewhile(lambda name: row.cells.get(name) == bare, rest)]


def _draw_mark(cell: SharedCell, box: CardBox, words: str = "", why: str = "") -> Iterator[Markup]:
    """Draw a status with its symbol, tinted for a fail. Without a status, draw a number."""
    x, y, width, high, size = box
    if cell.status is None or cell.status is Status.REPORTED:
        number = cell.number or "–"
        fits = TIGHT * width_of(number, size) <= width - 12
        yield _write(number if fits else number.partition(" (")[0], x, box.baseline, size, "quiet")
        return
    look, drawn = GLYPHS[cell.status]
    if cell.status is Status.FAIL:
        yield Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}" fill-opacity="0.1"/>').format(
            round(x - 8, 1), round(y + 1, 1), round(width - 8, 1), round(high - 2, 1), _colour(look))  # fmt: skip
    frame = FRAMES.get(cell.status, OPEN_FRAME)
    line = Markup('<path d="{}" fill="none" stroke="{}" stroke-width="2.2"/>')
    yield Markup('<g transform="translate({} {}) scale(1.25)">{}{}</g>').format(
        round(x, 1), round(y + high / 2 - 11, 1), frame.format(_colour(look)),
        line.format(drawn, "#ffffff" if cell.status in FRAMES else _colour(look)),
    )  # fmt: skip
    words = words or cell.status.words
    size = min(size, (width - 39) / width_of(words, 1.0))
    yield _write(words, x + 31, box.baseline, size, look, bold=True)
    left = width - 55 - width_of(words, size)
    if why and left > 60:
        [short] = wrap_text(why, left, TIGHT * SMALL, 1)
        yield _write(short, x + 43 + width_of(words, size), box.baseline, min(SMALL, size), "quiet")


def _shorten(name: str, width: float, size: float) -> str:
    """Shorten a name in the middle, because names of one family differ at both ends."""
    if width_of(name, size) <= width:
        return name
    for kept in range(len(name) - 1, 2, -1):
        short = f"{name[: kept - kept // 3].rstrip()}…{name[-(kept // 3) :].lstrip()}"
        if width_of(short, size) <= width:
            return short
    return "…"


def _write(words: str, x: float, y: float, size: float, colour: str = "ink", *, bold: bool = False) -> Markup:
    weight = Markup(' font-weight="700"') if bold else ""
    return Markup('<text x="{}" y="{}" font-size="{}" fill="{}"{}>{}</text>').format(
        round(x, 1), round(y, 1), round(size, 1), _colour(colour), weight, keep_order(words)
    )


def _colour(name: str) -> str:
    return colours()[0][f"--{name}"]


def _finish(parts: Sequence[Markup], title: str, about: str) -> str:
    whole = Markup(
        '<svg xmlns="{}" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" font-family="{}">'
        '<title>{}</title><desc>{}</desc><rect width="{w}" height="{h}" fill="#ffffff"/>'
        '<rect width="{w}" height="10" fill="{}"/>{}</svg>\n'
    )
    sans = colours()[0]["--sans"].replace('"', "'")
    return str(whole.format(SVG, sans, title, about, _colour("good"), Markup("\n").join(parts), w=WIDTH, h=HEIGHT))
