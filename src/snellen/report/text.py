"""Parts of a page as plain text, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from snellen.report.components import (
    Cards,
    Cell,
    Code,
    Facts,
    Fold,
    Grid,
    Listing,
    Note,
    Part,
    Row,
    Section,
    Table,
    Words,
    plain_text,
)
from snellen.runtime import visible

INDENT = "  "
NUMBER = 18
"""Width of a number with its interval; columns up to this width are narrowed last."""
NARROW = 10
"""Width that columns of sentences keep if other columns can be narrowed."""
BETWEEN = "   "


def draw_text(parts: Sequence[Part], width: int = 80) -> str:
    """Draw parts as text up to `width`, without drawings and folded content.

    >>> print(draw_text([Note("No model passes.", "Found:"), Section("Why", (Note("All fail."),))]))
    Found: No model passes.
    <BLANKLINE>
    Why
      All fail.
    """
    written, before = "", None
    for part in parts:
        if lines := "\n".join(line.rstrip() for line in _list_lines(part, width)):
            gap = "\n" if isinstance(part, Note) and isinstance(before, Note) else "\n\n"
            written += f"{gap if before else ''}{lines}"
            before = part
    return written


def _list_lines(part: Part, width: int) -> Iterator[str]:
    match part:
        case Note():
            yield from _fill(_join(part.begins, part.status.words if part.status else "", part.words), width)
        case Section():
            yield from _fill(_join(part.title, f"({part.name})" if part.name else ""), width)
            yield from (f"{INDENT}{line}" for line in draw_text(part.parts, width - len(INDENT)).splitlines())
        case Fold():
            yield from _fill(_join(f"{plain_text(part.title)}:" if part.result else part.title, part.result), width)
        case Grid():
            yield from draw_text(part.parts, width).splitlines()
        case Cards():
            yield from draw_text([Section(each.title, each.parts) for each in part.cards], width).splitlines()
        case Listing():
            for each in part.items:
                first, *more = write_cell(each).splitlines() or [""]
                yield from _fill(f"- {first}", width)
                yield from (
                    f"{INDENT}{line}"
                    for said in more
                    for line in wrap(said, width - len(INDENT), break_on_hyphens=False)
                )
        case Facts():
            yield from _draw_grid([], [(plain_text(name), plain_text(value)) for name, value in part.facts], width)
        case Code():
            yield from (visible(line) for line in part.words.splitlines())
        case Table():
            yield from _list_table_lines(part, width)


def _list_table_lines(table: Table, width: int) -> Iterator[str]:
    """Yield the caption, the columns that are not empty, and the note."""
    yield from _fill(plain_text(table.caption or table.folded), width)
    heads = [_join(each.words, f"({each.note})" if each.note else "") for each in table.columns]
    rows = list(map(_write_row, table.rows))
    shown = [0, *(at for at in range(1, len(heads)) if any(row[at] for row in rows))]
    headings = {at: plain_text(heading) for at, (heading, _) in enumerate(table.list_headed_rows()) if heading}
    lines: list[str | list[str]] = [
        [f"{INDENT * bool(headings)}{row[0]}", *(row[at] for at in shown[1:])] for row in rows
    ]
    for at in reversed(headings):
        lines.insert(at, headings[at])
    right = {place for place, at in enumerate(shown) if table.columns[at].look == "figure"}
    for line in _draw_grid([heads[at] for at in shown], lines, width - 1, right):
        yield f" {line}"  # indented, so that no foreign text starts a line
    yield from _fill(plain_text(table.note), width)


def _write_row(row: Row) -> list[str]:
    """Return the words of a row, one text per column."""
    spread = ((write_cell(each), *[""] * (each.columns - 1)) for each in (row.head, *row.cells))
    return [said for cells in spread for said in cells]


def write_cell(cell: Cell) -> str:
    """Return the words of a cell, with its note and further lines below."""
    first = _join(cell.status.words if cell.status else "", cell.words, cell.n)
    links = _join(cell.also, ", ".join(plain_text(link.words) for link in cell.links))
    return "\n".join(filter(None, [first, plain_text(cell.note), *map(write_cell, cell.lines), links]))


def _draw_grid(
    heads: Sequence[str], rows: Sequence[str | Sequence[str]], width: int, right: Collection[int] = ()
) -> Iterator[str]:
    """Draw rows in columns as wide as their content."""
    whole = [row for row in rows if not isinstance(row, str)]
    if not whole:
        return
    widths = [max(len(line) for row in whole for line in row[at].split("\n")) for at in range(len(whole[0]))]
    longest_words = [max(map(len, head.split()), default=0) for head in heads] or [0] * len(widths)
    widths = _fit(list(map(max, widths, longest_words)), width - len(BETWEEN) * (len(widths) - 1))
    if heads:
        yield from _draw_row(heads, widths, right)
        yield "─" * (sum(widths) + len(BETWEEN) * (len(widths) - 1))
    for row in rows:
        yield from _fill(row, width) if isinstance(row, str) else _draw_row(row, widths, right)


def _fit(widths: list[int], room: int) -> list[int]:
    """Narrow columns until they fit: first the widest with sentences, then any."""
    sentences = [at for at, width in enumerate(widths) if width > NUMBER]
    while sum(widths) > room and max(widths) > 1:
        wide = [at for at in sentences if widths[at] > NARROW] or range(len(widths))
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _draw_row(cells: Sequence[str], widths: Sequence[int], right: Collection[int]) -> Iterator[str]:
    blocks = []
    for cell, width in zip(cells, widths, strict=True):
        deep = INDENT if cell.startswith(INDENT) else ""
        wrapped = (wrap(line, width, subsequent_indent=deep, break_on_hyphens=False) for line in cell.split("\n"))
        blocks.append([each for lines in wrapped for each in lines or [""]])
    for line in zip_longest(*blocks, fillvalue=""):
        placed = (
            each.rjust(width) if at in right else each.ljust(width)
            for at, (each, width) in enumerate(zip(line, widths, strict=True))
        )
        yield BETWEEN.join(placed)


def _fill(text: str, width: int) -> list[str]:
    """Wrap a paragraph, and indent all lines but the first."""
    return wrap(text, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False)


def _join(*words: Words) -> str:
    return " ".join(filter(None, map(plain_text, words)))
