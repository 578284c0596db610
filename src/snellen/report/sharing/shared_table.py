"""The table of the first screen in words: what the card and the tables for papers are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snellen.items import describe_benchmark
from snellen.report.components import Cell, Note, Part, Table, plain_text
from snellen.stress.base import Status


class SharedCell(NamedTuple):
    """A cell in words: its mark, its number, and what that is a number of; `fails` are other tests that fail."""

    status: Status | None = None
    number: str = ""
    note: str = ""
    fails: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """The mark and the number."""
        return ": ".join(filter(None, (self.status.words if self.status else "", self.number))) or "–"

    @property
    def more(self) -> str:
        """What stands below them in the page's table."""
        also = f"fails: {', '.join(self.fails)}" if self.fails else ""
        return "; ".join(filter(None, (self.note.rstrip("."), also)))


class SharedRow(NamedTuple):
    """A model with its cells by the words of their columns; a cell over several columns stands in the first."""

    model: SharedCell
    cells: Mapping[str, SharedCell]


@dataclass(frozen=True)
class SharedTable:
    """The table of one benchmark: its columns with what each is about, its rows, and the lines below it."""

    benchmark: str
    columns: Mapping[str, str]
    rows: tuple[SharedRow, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class SharedResult:
    """The first screen in words: its headline, what was examined and when, and a table for each benchmark."""

    headline: str
    lede: str
    examined: str
    date: str
    tables: tuple[SharedTable, ...]


def read_tables(parts: Iterable[Part]) -> tuple[SharedTable, ...]:
    """The tables of the first screen, each with the lines below it."""
    groups: list[tuple[Table, list[str]]] = []
    for part in parts:
        if isinstance(part, Table):
            groups.append((part, []))
        elif isinstance(part, Note) and groups:
            status = part.status.words if part.status else ""
            groups[-1][1].append(" ".join(filter(None, (plain_text(part.begins), status, plain_text(part.words)))))
    return tuple(_read_table(table, lines) for table, lines in groups)


def _read_table(table: Table, lines: Sequence[str]) -> SharedTable:
    names = [plain_text(each.words) for each in table.columns[1:]]
    rows = []
    for row in table.rows:
        cells, at = {}, 0
        for each in row.cells:
            cells[names[at]] = _read_cell(each)
            for name in names[at + 1 : at + each.columns]:
                cells[name] = SharedCell(each.status)
            at += each.columns
        head = _read_cell(row.head)
        rows.append(SharedRow(head, cells))
    benchmark = next((each.benchmark for each in table.rows), "")
    about = {name: plain_text(each.note) for name, each in zip(names, table.columns[1:], strict=True)}
    return SharedTable(plain_text(table.caption or describe_benchmark(benchmark)), about, tuple(rows), tuple(lines))


def _read_cell(cell: Cell) -> SharedCell:
    words = "" if cell.words == "–" else plain_text(cell.words)
    return SharedCell(cell.status, words, plain_text(cell.note), tuple(plain_text(each.words) for each in cell.links))


def merge_columns(tables: Sequence[SharedTable]) -> list[str]:
    """The columns of all tables, each once, in the order in which they first stand."""
    return list(dict.fromkeys(name for table in tables for name in table.columns))
