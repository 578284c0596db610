"""The first screen as plain words, and as Markdown and LaTeX tables for papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import NamedTuple

from snellen.items import describe_benchmark
from snellen.report.components import Cell, Note, Part, Table, plain_text
from snellen.stress.base import Status


class SharedCell(NamedTuple):
    """A cell in words: status, number, meaning and failed tests."""

    status: Status | None = None
    number: str = ""
    note: str = ""
    fails: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Status and number."""
        return ": ".join(filter(None, (self.status.words if self.status else "", self.number))) or "–"

    @property
    def more(self) -> str:
        """Meaning and failed tests, which the page's table shows below."""
        also = f"fails: {', '.join(self.fails)}" if self.fails else ""
        return "; ".join(filter(None, (self.note.rstrip("."), also)))


class SharedRow(NamedTuple):
    """A model, with its cells by column."""

    model: SharedCell
    cells: Mapping[str, SharedCell]


@dataclass(frozen=True)
class SharedTable:
    """One benchmark's table: titles and notes of columns, rows, and lines below."""

    benchmark: str
    columns: Mapping[str, str]
    rows: tuple[SharedRow, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class SharedResult:
    """The first screen in words: headline, date and tables."""

    headline: str
    lede: str
    examined: str
    date: str
    tables: tuple[SharedTable, ...]


def read_tables(parts: Iterable[Part]) -> tuple[SharedTable, ...]:
    """Convert the tables of the first screen, each with the notes below it."""
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
    """Return the columns of all tables, each once, in order of first occurrence."""
    return list(dict.fromkeys(name for table in tables for name in table.columns))


# As tables for papers ------------------------------------------------------------------------------------------------


INTERVALS = "Parentheses are 95% intervals."
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}", "−": "$-$",
    "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}", "‘": "`", "’": "'", "“": "``", "”": "''",
    "·": r"$\cdot$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "→": r"$\rightarrow$", "∞": r"$\infty$",
    "κ": r"$\kappa$", "⟨": r"$\langle$", "⟩": r"$\rangle$",
}  # fmt: skip
"""Replacements for characters with a special meaning in LaTeX, or that its fonts lack."""
_LAST_LATIN = "\u017f"
_MARKDOWN = re.compile(r"([\\`*_\[\]|~#])")


def escape_latex(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> escape_latex("a_b & 5% [x] −3"), escape_latex("--x")
    ('a\\_b \\& 5\\% {[}x{]} $-$3', '-{}-x')
    """
    return re.sub("-(?=-)", "-{}", "".join(_LATEX.get(each, each) for each in text))


def escape_markdown(text: str) -> str:
    r"""Escape text for Markdown.

    >>> escape_markdown("a_b|c <i>")
    'a\\_b\\|c &lt;i&gt;'
    """
    return _MARKDOWN.sub(r"\\\1", text.replace("&", "&amp;")).replace("<", "&lt;").replace(">", "&gt;")


def write_markdown(result: SharedResult) -> str:
    """Return one Markdown table over all benchmarks, with the meaning of each number."""
    columns = merge_columns(result.tables)
    lines = [_join_row(["Model", *columns], escape_markdown), "|---" * (len(columns) + 1) + "|"]
    for table in result.tables:
        about = [table.benchmark, *(table.columns.get(name, "") for name in columns)]
        lines.append(_join_row(about, lambda text: f"*{escape_markdown(text)}*" if text else ""))
        for row in table.rows:
            cells = (row.cells.get(name, SharedCell()) for name in columns)
            name = f"{row.model.number} ({row.model.more})" if row.model.more else row.model.number
            lines.append(_join_row([name, *map(_write_cell, cells)], escape_markdown))
    head = f"**{escape_markdown(result.headline)}** {escape_markdown(result.lede)}".strip()
    below = [*_list_lines(result), f"{INTERVALS} {result.examined}, {result.date}. Snellen {version('snellen')}."]
    return "\n\n".join([head, "\n".join(lines), *map(escape_markdown, below)]) + "\n"


def _join_row(cells: list[str], escape: Callable[[str], str]) -> str:
    return f"| {' | '.join(escape(each) for each in cells)} |"


def _write_cell(cell: SharedCell) -> str:
    """Format a cell: "pass: 100% (97 to 100) of its skill follows the image"."""
    joint = " " if cell.number else ": "
    return f"{cell.mark}{joint}{cell.more}" if cell.more else cell.mark


def _list_lines(result: SharedResult) -> Iterator[str]:
    """Lines below the tables, with the benchmark's name unless they hold for all."""
    places: dict[str, list[str]] = {}
    for table in result.tables:
        for line in table.lines:
            places.setdefault(line, []).append(table.benchmark)
    for line, whose in places.items():
        yield line if len(whose) == len(result.tables) else f"{'; '.join(whose)}: {line}"


class Notes:
    """Notes below a table, each once, numbered by letters."""

    def __init__(self) -> None:
        self.letters: dict[str, str] = {}

    def mark(self, note: str) -> str:
        """Return the raised letter of a note. "" without a note."""
        if not note:
            return ""
        letter = self.letters.setdefault(note, _letter(len(self.letters)))
        return rf"\textsuperscript{{{letter}}}"


def _letter(at: int) -> str:
    """Letters for numbers from 0.

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'aa')
    """
    return chr(ord("a") + at) if at < 26 else _letter(at // 26 - 1) + _letter(at % 26)


def write_latex(result: SharedResult) -> str:
    """Return one LaTeX table over all benchmarks for the package booktabs, with notes below."""
    columns, notes = merge_columns(result.tables), Notes()
    rows = [line for table in result.tables for line in _list_latex_rows(table, columns, notes)]
    below = [*(rf"{notes.mark(note)} {escape_latex(note)}." for note in notes.letters),
             *map(escape_latex, _list_lines(result))]  # fmt: skip
    caption = f"{result.headline} {result.lede}".strip()
    lines = [
        f"% Snellen {version('snellen')}. {result.examined}, {result.date}.",
        r"% The preamble needs \usepackage{booktabs}.",
        *([r"% Some names have letters that need LuaLaTeX or XeLaTeX with a font that has them."]
          if any(letter > _LAST_LATIN for letter in "".join(rows + below)) else []),
        r"\begin{table}",
        r"  \centering\footnotesize",
        rf"  \caption{{{escape_latex(caption)} {escape_latex(INTERVALS)}}}",
        r"  \label{tab:snellen-verdicts}",
        rf"  \begin{{tabular}}{{{'l' * (len(columns) + 1)}}}",
        r"    \toprule",
        rf"    {' & '.join(escape_latex(each) for each in ['Model', *columns])} \\",
        *rows,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"  \par\smallskip\raggedright\scriptsize",
        *(rf"  {line}\par" for line in below),
        rf"  Snellen {version('snellen')}.\par",
        r"\end{table}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _list_latex_rows(table: SharedTable, columns: list[str], notes: Notes) -> Iterator[str]:
    """Rows of one benchmark, below its name and the meaning of the columns."""
    yield r"    \midrule"
    about = (rf"\scriptsize {escape_latex(table.columns.get(name, ''))}" for name in columns)
    yield rf"    \emph{{{escape_latex(table.benchmark)}}} & {' & '.join(about)} \\"
    for row in table.rows:
        cells = [row.cells.get(name, SharedCell()) for name in columns]
        marked = [
            f"{escape_latex(row.model.number)}{notes.mark(row.model.more)}",
            *(f"{escape_latex(each.mark)}{notes.mark(each.more)}" for each in cells),
        ]
        yield rf"    {' & '.join(marked)} \\"
