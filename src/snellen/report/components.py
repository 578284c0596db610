"""Components: the parts that every page is built from. A section is a function that returns a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.figures.standalone import Figure
from snellen.stress.base import Status


class Link(NamedTuple):
    """Words that lead to another place of the page."""

    words: str
    to: str


@dataclass(frozen=True)
class Cell:
    """One place of a table: a mark, a number, words, a drawing, and smaller words below; each may be missing."""

    words: str = ""
    status: Status | None = None
    note: str = ""
    to: str = ""
    """Where a click on the number or the mark leads: to exactly the responses behind it."""
    how: str = ""
    """How the number was made."""
    drawing: Markup | None = None
    links: tuple[Link, ...] = ()
    also: str = ""
    """What stands before the links."""
    order: float | None = None
    """What the column is sorted by, where that is not its words."""
    columns: int = 1
    anchor: str = ""
    """What links to this place are called."""


class Column(NamedTuple):
    """The head of a column: its words, and smaller ones below."""

    words: str
    note: str = ""
    look: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table: its head, its cells, and the model, benchmark and condition that it is about."""

    head: Cell
    cells: tuple[Cell, ...]
    model: str = ""
    benchmark: str = ""
    condition: str = ""
    heading: str = ""
    """What stands above it, over all columns."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns; a long one is folded."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    look: str = "plain"
    note: str = ""
    figure: Figure | None = None
    folded: str = ""
    """What the fold is called, if the table is folded."""


class Segment(NamedTuple):
    """A part of a bar: its look, what it is, how many responses, in whole per cents, and where these are."""

    look: str
    words: str
    number: int
    label: str
    to: str


@dataclass(frozen=True)
class Bar:
    """All responses of one kind as one bar; empty where nothing was asked."""

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


class Key(NamedTuple):
    """An entry of a legend: a look and what it means."""

    look: str
    words: str


@dataclass(frozen=True)
class Bars:
    """Bars in rows and columns, with a legend and a caption."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, str, tuple[Bar, ...]], ...]
    """The name of each row, its model, and a bar for every column."""
    key: tuple[Key, ...]
    caption: str
    figure: Figure | None = None


class Quote(NamedTuple):
    """What a model said: who, what became of it, its words, and where the whole response is."""

    who: str
    look: str
    outcome: str
    words: str
    to: str
    model: str = ""


class Picture(NamedTuple):
    """An image as it was sent, small: its id among the images of the page, its size, and what it shows."""

    name: str
    width: int
    height: int
    alt: str


@dataclass(frozen=True)
class Pane:
    """One condition of a case: the images, words where there is none, and what models said; more of them folded."""

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
class Note:
    """A paragraph: words that begin it in bold, its sentences, and where more is said."""

    words: str
    begins: str = ""
    look: str = ""
    status: Status | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Fold:
    """A part of the page that opens on a click: its title, its result in a few words, and what is in it."""

    anchor: str
    title: str
    result: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Heading:
    """A heading of a part of the page."""

    anchor: str
    words: str
    note: str = ""


Part = Table | Bars | Case | Note | Fold | Heading | Markup
"""What a page is made of; Markup is a part that a template of its own has drawn."""


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
