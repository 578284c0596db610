"""Components: the parts from which every page is built.

A section is a function that returns a list of components; a template draws them as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import bidirectional

from markupsafe import Markup

from snellen.runtime import visible
from snellen.stress.base import Status

Words = str | Markup
"""Text, which is escaped when it is drawn, or ready HTML."""


class Link(NamedTuple):
    """A link to another place of the page."""

    words: str
    to: str


@dataclass(frozen=True)
class Cell:
    """A cell of a table or an item of a list: a status, a number, words or a drawing."""

    words: Words = ""
    status: Status | None = None
    note: Words = ""
    """Smaller words below."""
    to: str = ""
    """Anchor to which a click leads: the responses behind the number."""
    how: str = ""
    """Method of the number, which is described below the table."""
    n: str = ""
    """Grey words after the number, such as "n 200"."""
    drawing: Markup | None = None
    place: int | None = None
    """The model's place in the study; the model's mark is drawn before the words."""
    swatch: str = ""
    """CSS class of the colour patch before the words."""
    lines: tuple[Cell, ...] = ()
    """Further cells below this one."""
    links: tuple[Link, ...] = ()
    also: str = ""
    """Words before the links."""
    order: float | None = None
    """Value to sort the column by, if that is not its words."""
    shade: float | None = None
    """Strength of a heat map cell's colour, from 0 to 1."""
    cool: bool = False
    columns: int = 1
    anchor: str = ""
    """Id of this cell, for links to it."""

    @property
    def heat(self) -> str:
        """CSS class of the cell's colour; "" without `shade`."""
        if self.shade is None:
            return ""
        return f"heat-{round(10 * min(1.0, max(0.0, self.shade)))}{' cool' if self.cool else ''}"


class Column(NamedTuple):
    """A column heading; `look` is "figure" for a column of numbers."""

    words: str
    note: str = ""
    look: str = ""
    label: str = ""
    """Heading of the cell on a narrow screen, if different from `words`."""


@dataclass(frozen=True)
class Row:
    """A table row about a model on a benchmark: the head, then the cells."""

    head: Cell
    cells: tuple[Cell, ...]
    model: str = ""
    benchmark: str = ""
    heading: Words = ""
    """Heading above all rows that share it, over all columns."""
    look: str = ""


class Figure(NamedTuple):
    """A figure as files: name, caption, SVG and CSV."""

    name: str
    caption: str
    svg: str
    csv: str


class Key(NamedTuple):
    """A legend entry: how something is drawn, and what it means."""

    look: str
    words: str
    mark: Markup | None = None


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns.

    The `look` is "plain"; "first" for the table of verdicts on the first screen; "drawn" for rows with a label, a
    drawing and its number over one axis; or "heat" for shaded cells.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: Words = ""
    look: str = "plain"
    note: Words = ""
    figure: Figure | None = None
    axis: Markup | None = None
    """Axis below the drawings."""
    key: tuple[Key, ...] = ()
    folded: str = ""
    """Title of the fold if the table is folded; else ""."""

    def list_ways(self) -> list[NumberMethod]:
        """List each method once, with the numbers that it made if there are several methods."""
        found: dict[str, list[_TablePlace]] = {}
        heading = ""
        for row in self.rows:
            heading = plain_text(row.heading) or heading
            at = 1
            for cell in row.cells:
                for each in (cell, *cell.lines):
                    if each.how:
                        place = _TablePlace(plain_text(row.head.words), self.columns[at].words, heading)
                        found.setdefault(each.how, []).append(place)
                at += cell.columns
        every = [place for places in found.values() for place in places]
        usual = max(found, key=lambda how: len(found[how]), default="")
        ways = [NumberMethod(how, _name_places(places, every)) for how, places in found.items() if how != usual]
        return [*ways, *([NumberMethod(usual, "all others" if ways else "")] if usual else [])]

    def list_headed_rows(self) -> Iterator[tuple[Words, Row]]:
        """Yield each row with its heading; "" if the row above has the same one."""
        above: Words = ""
        for row in self.rows:
            yield ("" if row.heading == above else row.heading), row
            above = row.heading or above


class NumberMethod(NamedTuple):
    """A method, and the numbers of a table that it made."""

    how: str
    of: str


class _TablePlace(NamedTuple):
    row: str
    column: str
    heading: str


def _name_places(places: Sequence[_TablePlace], every: Sequence[_TablePlace]) -> str:
    """Name the cells by rows or by columns, whichever takes fewer characters."""
    told = []
    for axis in (0, 1):
        names = []
        for name in dict.fromkeys(each[axis] for each in places):
            here = [each for each in places if each[axis] == name]
            rest = dict.fromkeys(" ".join(filter(None, (each.heading, each[1 - axis]))) for each in here)
            whole = len(here) == sum(each[axis] == name for each in every)
            names.append(name if whole else f"{name} ({', '.join(rest)})")
        told.append("; ".join(names))
    return min(told, key=len)


def plain_text(words: Words) -> str:
    """Return the words on one line, without markup or hidden characters.

    >>> plain_text(Markup("<b>a &lt; b</b>"))
    'a < b'
    """
    text = words.striptags() if isinstance(words, Markup) else words
    return visible(" ".join(text.split()))


class Segment(NamedTuple):
    """A segment of a bar: CSS class, meaning, number of responses, label and link."""

    look: str
    words: str
    number: int
    label: str
    to: str


@dataclass(frozen=True)
class Bar:
    """One bar of responses, split into segments. Empty if no question was asked."""

    segments: tuple[Segment, ...] = ()

    @property
    def n(self) -> int:
        """Number of responses in the bar."""
        return sum(each.number for each in self.segments)

    def place_segments(self) -> Iterator[tuple[Segment, float, float]]:
        """Yield the non-empty segments with their start and width in percent."""
        left = 0.0
        for each in self.segments:
            if each.number:
                width = 100 * each.number / self.n
                yield each, round(left, 3), round(width, 3)
                left += width


@dataclass(frozen=True)
class Bars:
    """Bars in rows and columns, with a legend and a caption."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, str, tuple[Bar, ...]], ...]
    """Name of each row, its model, and one bar per column."""
    key: tuple[Key, ...]
    caption: str
    figure: Figure | None = None


@dataclass(frozen=True)
class Plot:
    """A drawing such as curves or a chart, with legend and caption."""

    drawing: Markup
    caption: Words = ""
    key: tuple[Key, ...] = ()
    figure: Figure | None = None


@dataclass(frozen=True)
class Panel:
    """One of several small drawings; it is `span` columns wide."""

    title: Words
    drawing: Markup | None = None
    parts: tuple[Part, ...] = ()
    span: int = 1


@dataclass(frozen=True)
class Panels:
    """Small drawings next to each other, with one legend."""

    panels: tuple[Panel, ...]
    key: tuple[Key, ...] = ()
    caption: Words = ""
    figure: Figure | None = None
    columns: int = 0
    """Number of columns on a wide screen; 0 for as many as fit."""


class Quote(NamedTuple):
    """A quoted response: the model, its outcome, the words and a link to the whole."""

    who: str
    look: str
    outcome: str
    words: Words
    to: str = ""
    model: str = ""
    asked: str = ""
    """The question that it answers, if the page does not show it nearby."""
    note: Words = ""


@dataclass(frozen=True)
class Quotes:
    """Quoted responses as cards next to each other."""

    quotes: tuple[Quote, ...]


class PagePicture(NamedTuple):
    """A small copy of a sent image: id, size and alternative text."""

    name: str
    width: int
    height: int
    alt: str


@dataclass(frozen=True)
class Pane:
    """One condition of a case: images, words and quoted responses."""

    title: str
    pictures: tuple[PagePicture, ...]
    missing: str
    words: tuple[str, ...]
    quotes: tuple[Quote, ...]
    folded: tuple[Quote, ...] = ()


@dataclass(frozen=True)
class Case:
    """One question under several conditions, next to each other."""

    context: str
    question: str
    options: str
    panes: tuple[Pane, ...]


@dataclass(frozen=True)
class Card:
    """A small box with a title."""

    title: Words
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Cards:
    """Small boxes next to each other."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Note:
    """A paragraph with bold first words (`begins`), sentences and links.

    The `look` is "", "quiet", "below" (below the first screen), "found" (sentence of a headline), "warning" or
    "cannot".
    """

    words: Words
    begins: str = ""
    look: str = ""
    status: Status | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Listing:
    """A list of cells, one below the other."""

    items: tuple[Cell, ...]
    look: str = ""


@dataclass(frozen=True)
class Facts:
    """Names with values, one per line."""

    facts: tuple[tuple[Words, Words], ...]


@dataclass(frozen=True)
class Code:
    """Text shown unchanged, such as a prompt, a report or a command."""

    words: str
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page with a title; titles inside it are one level smaller."""

    title: Words
    parts: tuple[Part, ...]
    anchor: str = ""
    name: str = ""
    """Smaller words after the title, such as the id of a test."""


@dataclass(frozen=True)
class Fold:
    """A folded part of the page: title, short result and content.

    With the look "chapter" its title is as large as a section's; any other fold is small.
    """

    title: Words
    parts: tuple[Part, ...]
    result: str = ""
    anchor: str = ""
    look: str = ""
    open: bool = False


@dataclass(frozen=True)
class Grid:
    """Parts next to each other if there is room."""

    parts: tuple[Part, ...]


Drawn = Table | Bars | Plot | Panels | Quotes | Case
Part = Drawn | Cards | Note | Listing | Facts | Code | Section | Fold | Grid | Markup
"""A page is a list of parts; Markup is ready HTML."""

_BOLD = re.compile(r"\*\*(.+?)\*\*")
_PUNCTUATION = re.compile(r"[:;.,?!”]+(?= |$)")
_CODE = re.compile(r"`(.+?)`")
_LINK = re.compile(r"\[(.+?)\]\(#(.+?)\)")


def rich(text: str, /, *values: object, **named: object) -> Markup:
    """Convert **bold**, `code` and [links](#anchor) in our own sentences to HTML.

    Values are filled in afterwards and escaped.

    >>> rich("**{}** of `{}`", "<b>", "x")
    Markup('<b>&lt;b&gt;</b> of <code>x</code>')
    """
    html = _BOLD.sub(r"<b>\1</b>", str(Markup.escape(text)))
    html = _CODE.sub(r"<code>\1</code>", html)
    html = _LINK.sub(r'<a href="#\2">\1</a>', html)
    seen = {name: _make_visible(each) for name, each in named.items()}
    return Markup(html).format(*map(_make_visible, values), **seen)  # noqa: S704 - our own words, escaped above


def _make_visible(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def mark_code(words: Words) -> Markup:
    """Set words between backticks as code. HTML is not changed.

    >>> mark_code("ask `image-blank` < 5")
    Markup('ask <code>image-blank</code> &lt; 5')
    """
    if isinstance(words, Markup):
        return words
    html = keep_order(str(Markup.escape(visible(words))))
    return Markup(_CODE.sub(r"<code>\1</code>", html))  # noqa: S704 - escaped above


def keep_order(words: str) -> str:
    """Add left-to-right marks, so that punctuation after right-to-left names keeps its place."""
    if any(bidirectional(each) in ("R", "AL") for each in words):
        return _PUNCTUATION.sub("\\g<0>\u200e", words)
    return words


def quiet(words: Words) -> Note:
    """Return a paragraph of grey text."""
    return Note(words, look="quiet")


def explain(title: Words, told: Words, parts: Sequence[Part], anchor: str = "") -> list[Section]:
    """Return a section whose parts follow an explanation. Empty if there are no parts."""
    return [Section(title, (quiet(told), *parts), anchor)] if parts else []


def fold_chapter(title: str, result: str, anchor: str, *parts: Part) -> Fold:
    """Return a chapter of the page; it is folded until a click."""
    return Fold(title, parts, result, anchor, "chapter")


def name_columns(*words: str, numbers: Iterable[str] = (), more: Iterable[str] = ()) -> tuple[Column, ...]:
    """Return column headings: text columns `words`, number columns `numbers`, then text columns `more`."""
    return *map(Column, words), *(Column(each, look="figure") for each in numbers), *map(Column, more)


def write_row(
    head: Words | Cell, *cells: Words | Cell, model: str = "", benchmark: str = "", heading: Words = ""
) -> Row:  # fmt: skip
    """Return a table row, with the model and benchmark that it is about."""
    first, *others = (each if isinstance(each, Cell) else Cell(each) for each in (head, *cells))
    return Row(first, tuple(others), model, benchmark, heading)


def fold_if_long(table: Table, title: str, longest: int = 12) -> Table | Fold:
    """Fold the table under a title if it has more than `longest` rows."""
    return Fold(title, (table,)) if len(table.rows) > longest else table


def write_shares(counts: Sequence[int]) -> list[str]:
    """Format shares as whole percents that add up to 100.

    With tenths if a share below 100% would otherwise round to it.

    >>> write_shares([131, 69]), write_shares([199, 1]), write_shares([0, 0])
    (['66%', '34%'], ['99.5%', '0.5%'], ['0%', '0%'])
    """
    total = sum(counts)
    if not total:
        return ["0%"] * len(counts)
    tenths = any(0.99 < each / total < 1 for each in counts)
    unit = 1000 if tenths else 100
    exact = [unit * each / total for each in counts]
    least = [int(each) for each in exact]
    spare = unit - sum(least)
    for at in sorted(range(len(counts)), key=lambda at: (least[at] - exact[at], -counts[at]))[:spare]:
        least[at] += 1
    return [f"{each / 10:g}%" if tenths else f"{each}%" for each in least]
