"""Components: the parts that every page is built from. A section is a function that returns a list of them."""

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
"""Text, which is escaped when it is drawn, or HTML that `rich` or a drawing made."""


class Link(NamedTuple):
    """Words that lead to another place of the page."""

    words: str
    to: str


@dataclass(frozen=True)
class Cell:
    """One place of a table or a list: a mark, a number, words, a drawing; each may be missing."""

    words: Words = ""
    status: Status | None = None
    note: Words = ""
    """Smaller words below."""
    to: str = ""
    """Where a click leads: to exactly the responses behind the number."""
    how: str = ""
    """How the number was made: its method, which a fold below the table puts into words."""
    n: str = ""
    """Quiet words after the number, such as "n 200"."""
    drawing: Markup | None = None
    place: int | None = None
    """The model whose mark stands before the words, by its place in the study."""
    swatch: str = ""
    """The look of the patch of colour before the words."""
    lines: tuple[Cell, ...] = ()
    """More of the same below one another."""
    links: tuple[Link, ...] = ()
    also: str = ""
    """Words before the links."""
    order: float | None = None
    """Value to sort the column by, if that is not its words."""
    shade: float | None = None
    """Strength of the ground of a heat map's cell, from 0 to 1."""
    cool: bool = False
    columns: int = 1
    anchor: str = ""
    """Id of this place, for links to it."""

    @property
    def heat(self) -> str:
        """The class of the cell's ground."""
        if self.shade is None:
            return ""
        return f"heat-{round(10 * min(1.0, max(0.0, self.shade)))}{' cool' if self.cool else ''}"


class Column(NamedTuple):
    """The head of a column: its words, and smaller ones below; `look` is "figure" for numbers at the right."""

    words: str
    note: str = ""
    look: str = ""
    label: str = ""
    """Words beside each of its cells on a narrow screen, if not its own."""


@dataclass(frozen=True)
class Row:
    """A row of a table: its head, its cells, and the model and benchmark that it is about."""

    head: Cell
    cells: tuple[Cell, ...]
    model: str = ""
    benchmark: str = ""
    heading: Words = ""
    """Words above the rows that share them, over all columns."""
    look: str = ""


class Figure(NamedTuple):
    """A figure as files: its name without an ending, its caption, the drawing as SVG and the numbers as CSV."""

    name: str
    caption: str
    svg: str
    csv: str


class Key(NamedTuple):
    """An entry of a legend: the look of its patch, or its own mark, and what that means."""

    look: str
    words: str
    mark: Markup | None = None


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns.

    Looks: "plain"; "first", the table of marks; "drawn", a label, a drawing and its number in each row over one axis;
    "heat", shaded cells.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: Words = ""
    look: str = "plain"
    note: Words = ""
    figure: Figure | None = None
    axis: Markup | None = None
    """The axis below the drawings."""
    key: tuple[Key, ...] = ()
    folded: str = ""
    """Title of the fold, if the table is folded."""

    def list_ways(self) -> list[NumberMethod]:
        """Each way in which numbers were made, once, with the numbers that it is of if there are several ways."""
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

    def headed(self) -> Iterator[tuple[Words, Row]]:
        """Every row with the words above it: none if the rows before it have the same."""
        above: Words = ""
        for row in self.rows:
            yield ("" if row.heading == above else row.heading), row
            above = row.heading or above


class NumberMethod(NamedTuple):
    """How some numbers of a table were made, and which numbers those are."""

    how: str
    of: str


class _TablePlace(NamedTuple):
    row: str
    column: str
    heading: str


def _name_places(places: Sequence[_TablePlace], every: Sequence[_TablePlace]) -> str:
    """The rows or the columns that hold some numbers, whichever are named in fewer words."""
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
    """The words on one line, without markup, with nothing in them that a reader would not see.

    >>> plain_text(Markup("<b>a &lt; b</b>"))
    'a < b'
    """
    text = words.striptags() if isinstance(words, Markup) else words
    return visible(" ".join(text.split()))


class Segment(NamedTuple):
    """A part of a bar: its look, its meaning, its number of responses, its share in words, and their place."""

    look: str
    words: str
    number: int
    label: str
    to: str


@dataclass(frozen=True)
class Bar:
    """All responses of one kind as one bar; empty if nothing was asked."""

    segments: tuple[Segment, ...] = ()

    @property
    def n(self) -> int:
        """How many responses it shows."""
        return sum(each.number for each in self.segments)

    def placed(self) -> Iterator[tuple[Segment, float, float]]:
        """The segments that hold any response, with where each begins and how wide it is, in percent."""
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
    """The name of each row, its model, and a bar for every column."""
    key: tuple[Key, ...]
    caption: str
    figure: Figure | None = None


@dataclass(frozen=True)
class Plot:
    """A drawing with its legend and caption: curves, a landscape, a chart."""

    drawing: Markup
    caption: Words = ""
    key: tuple[Key, ...] = ()
    figure: Figure | None = None


@dataclass(frozen=True)
class Panel:
    """One of several small drawings: its title, its drawing and what stands below; `span` columns wide."""

    title: Words
    drawing: Markup | None = None
    parts: tuple[Part, ...] = ()
    span: int = 1


@dataclass(frozen=True)
class Panels:
    """Small drawings side by side, with one legend."""

    panels: tuple[Panel, ...]
    key: tuple[Key, ...] = ()
    caption: Words = ""
    figure: Figure | None = None
    columns: int = 0
    """Number of columns on a wide screen; 0 for as many as fit."""


class Quote(NamedTuple):
    """The words of a model: its name, what the response does, its text, and where the whole response is."""

    who: str
    look: str
    outcome: str
    words: Words
    to: str = ""
    model: str = ""
    asked: str = ""
    """The question that it answers, if that stands nowhere near."""
    note: Words = ""


@dataclass(frozen=True)
class Quotes:
    """Quotations as cards side by side."""

    quotes: tuple[Quote, ...]


class Picture(NamedTuple):
    """An image as it was sent, small: its id among the images of the page, its size, and what it shows."""

    name: str
    width: int
    height: int
    alt: str


@dataclass(frozen=True)
class Pane:
    """One condition of a case: the images, words if there are none, and quotations; more of them folded."""

    title: str
    pictures: tuple[Picture, ...]
    missing: str
    words: tuple[str, ...]
    quotes: tuple[Quote, ...]
    folded: tuple[Quote, ...] = ()


@dataclass(frozen=True)
class Case:
    """One question under several conditions, side by side."""

    context: str
    question: str
    options: str
    panes: tuple[Pane, ...]


@dataclass(frozen=True)
class Card:
    """A small box: its title and what stands in it."""

    title: Words
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Cards:
    """Small boxes side by side."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Note:
    """A paragraph: bold words that begin it, its sentences, and links to more.

    Looks: "", "quiet", "below" (of the first screen), "found" (a headline's sentence), "warning", "cannot".
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
    """Names with their values, one below the other."""

    facts: tuple[tuple[Words, Words], ...]


@dataclass(frozen=True)
class Code:
    """Words exactly as they are: a prompt, a report, a command."""

    words: str
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page with a title; titles inside it are a level smaller."""

    title: Words
    parts: tuple[Part, ...]
    anchor: str = ""
    name: str = ""
    """Smaller words after the title, such as the id of a test."""


@dataclass(frozen=True)
class Fold:
    """A part of the page that opens on a click: its title, its result in a few words, and what is in it.

    A "chapter" has a title of the page's own; any other fold is small.
    """

    title: Words
    parts: tuple[Part, ...]
    result: str = ""
    anchor: str = ""
    look: str = ""
    open: bool = False


@dataclass(frozen=True)
class Grid:
    """Parts side by side if there is room."""

    parts: tuple[Part, ...]


Drawn = Table | Bars | Plot | Panels | Quotes | Case
Part = Drawn | Cards | Note | Listing | Facts | Code | Section | Fold | Grid | Markup
"""A page is a list of these; Markup is HTML that is drawn already."""

_BOLD = re.compile(r"\*\*(.+?)\*\*")
_PUNCTUATION = re.compile(r"[:;.,?!”]+(?= |$)")
_CODE = re.compile(r"`(.+?)`")
_LINK = re.compile(r"\[(.+?)\]\(#(.+?)\)")


def rich(text: str, /, *values: object, **named: object) -> Markup:
    """Our own sentences with **bold**, `code` and [links](#anchor); values are filled in afterwards, as text.

    >>> rich("**{}** of `{}`", "<b>", "x")
    Markup('<b>&lt;b&gt;</b> of <code>x</code>')
    """
    html = _BOLD.sub(r"<b>\1</b>", str(Markup.escape(text)))
    html = _CODE.sub(r"<code>\1</code>", html)
    html = _LINK.sub(r'<a href="#\2">\1</a>', html)
    seen = {name: _seen(each) for name, each in named.items()}
    return Markup(html).format(*map(_seen, values), **seen)  # noqa: S704 - our own words, escaped above


def _seen(value: object) -> object:
    """A text with its hidden characters spelled out."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def mark_code(words: Words) -> Markup:
    """Words with what stands between backticks set as code; HTML stays as it is.

    >>> mark_code("ask `image-blank` < 5")
    Markup('ask <code>image-blank</code> &lt; 5')
    """
    if isinstance(words, Markup):
        return words
    html = keep_order(str(Markup.escape(visible(words))))
    return Markup(_CODE.sub(r"<code>\1</code>", html))  # noqa: S704 - escaped above


def keep_order(words: str) -> str:
    """Our sentence with marks after punctuation, so that names from right to left in it do not change places."""
    if any(bidirectional(each) in ("R", "AL") for each in words):
        return _PUNCTUATION.sub("\\g<0>\u200e", words)
    return words


def quiet(words: Words) -> Note:
    """A paragraph that explains."""
    return Note(words, look="quiet")


def explain(title: Words, told: Words, parts: Sequence[Part], anchor: str = "") -> list[Section]:
    """A section that begins with what its parts are; none if there are no parts."""
    return [Section(title, (quiet(told), *parts), anchor)] if parts else []


def fold_chapter(title: str, result: str, anchor: str, *parts: Part) -> Fold:
    """A chapter of a page, which opens on a click."""
    return Fold(title, parts, result, anchor, "chapter")


def name_columns(*words: str, numbers: Iterable[str] = (), more: Iterable[str] = ()) -> tuple[Column, ...]:
    """The heads of some columns, then of those that hold plain numbers, then of more."""
    return *map(Column, words), *(Column(each, look="figure") for each in numbers), *map(Column, more)


def write_row(
    head: Words | Cell, *cells: Words | Cell, model: str = "", benchmark: str = "", heading: Words = ""
) -> Row:  # fmt: skip
    """A row of words and cells, and the model and benchmark that it is about."""
    first, *others = (each if isinstance(each, Cell) else Cell(each) for each in (head, *cells))
    return Row(first, tuple(others), model, benchmark, heading)


def fold_if_long(table: Table, title: str, longest: int = 12) -> Table | Fold:
    """The table, folded under a title if it has more rows than this."""
    return Fold(title, (table,)) if len(table.rows) > longest else table


def write_shares(counts: Sequence[int]) -> list[str]:
    """Shares in whole per cents that add up to 100; one decimal only between 99 and 100.

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
