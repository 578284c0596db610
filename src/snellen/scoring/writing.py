"""Writing of rows as CSV (without formulas) or Parquet, and of estimates as JSON."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO, TextIOWrapper
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, Any

from snellen.errors import MissingExtraError
from snellen.files import written_whole
from snellen.schemas import FIELD
from snellen.stats import Estimate

Rows = Iterable[Mapping[str, Any]]
AT_ONCE = 2000
"""Number of rows written to a Parquet file at a time."""
SCHEMA = 2
"""Version of the table of graded responses, stored in the metadata of Parquet files."""


def write_csv(path: Path, columns: Sequence[str], rows: Rows) -> int:
    """Write rows as a CSV file, complete or not at all; return their number."""
    with written_whole(path) as file:
        return _write_csv(file, columns, rows)


def as_csv(columns: Sequence[str], rows: Rows) -> bytes:
    """Return rows as the bytes of a CSV file."""
    file = BytesIO()
    _write_csv(file, columns, rows)
    return file.getvalue()


def _write_csv(file: IO[bytes], columns: Sequence[str], rows: Rows) -> int:
    count = 0
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    for count, row in enumerate(rows, 1):  # noqa: B007 - the last one is how many there were
        writer.writerow({name: cell(value) for name, value in row.items()})
    text.detach()
    return count


def cell(value: Any) -> Any:
    """Return a cell's value, with an apostrophe before text that spreadsheets run as a formula.

    >>> cell("=1+1"), cell("A"), cell(-0.5)
    ("'=1+1", 'A', -0.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def inert_text(value: object) -> str:
    """Return a text as a cell that no spreadsheet runs; `plain_text` restores it."""
    text = str(value)
    return f"'{text}" if text.startswith("'") else str(cell(text))


def plain_text(cell: str | None) -> str:
    """Return the text of a cell that `inert_text` wrote.

    >>> [plain_text(inert_text(text)) for text in ("+49 30 1234", "'tis", "A")]
    ['+49 30 1234', "'tis", 'A']
    """
    return (cell or "").removeprefix("'")


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write_parquet(path: Path, columns: Mapping[str, type], rows: Rows) -> int:
    """Write rows as Parquet with the given column types; return their number."""
    arrow, parquet = arrow_and_parquet()
    schema = arrow_schema(columns)
    count, coming = 0, iter(rows)
    with written_whole(path) as file, parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(coming, AT_ONCE)):
            writer.write_batch(arrow.RecordBatch.from_pylist(some, schema=schema))
            count += len(some)
    return count


def arrow_schema(columns: Mapping[str, type]) -> Any:
    """Return the schema of graded responses, with its version as metadata."""
    arrow, _ = arrow_and_parquet()
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    return arrow.schema([(name, kinds[kind]) for name, kind in columns.items()], {FIELD: str(SCHEMA)})


def arrow_and_parquet() -> tuple[Any, Any]:
    """Import pyarrow and its Parquet module; MissingExtraError with the install line if missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    return pyarrow, pyarrow.parquet


def estimate_as_json(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate for JSON; null if a number is not finite."""
    numbers = {name: finite(getattr(estimate, name)) for name in ("value", "low", "high")}
    return {**numbers, "n": estimate.n, "method": estimate.method}


def finite(value: float) -> float | None:
    """Return a number, or None for NaN and infinity, which JSON and CSV lack."""
    return value if isfinite(value) else None
