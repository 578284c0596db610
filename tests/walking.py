"""Walking through the parts that a section returns, as a reader does."""

import re

from snellen.report.components import Table


def walk(parts):
    """All parts of a page, those inside others too."""
    for part in parts:
        yield part
        yield from walk(getattr(part, "parts", None) or getattr(part, "panels", ()))


def find(parts, title):
    """The first section or fold whose title begins so."""
    return next(each for each in walk(parts) if str(getattr(each, "title", "")).startswith(title))


def tables(part):
    """The tables in a part."""
    return [each for each in walk([part]) if isinstance(each, Table)]


def cells(table):
    """All places of a table, with those below one another in one place."""
    return [each for row in table.rows for cell in row.cells for each in (cell, *cell.lines)]


def rows(table):
    """The cells of each row, by what stands above it and its own words."""
    found, heading = {}, ""
    for row in table.rows:
        heading = row.heading or heading
        found[heading, row.head.words] = row.cells
    return found


def value(cell):
    """The number that a cell begins with, as it is printed, without its interval."""
    return re.sub(r" \(.*", "", cell.words)


def words(parts):
    """All sentences of notes and all titles."""
    said = (getattr(each, name, "") for each in walk(parts) for name in ("title", "words", "caption", "result"))
    return " ".join(map(str, said))
