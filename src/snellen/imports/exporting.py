"""Exporting: stored responses written to a file or folder, as they can be imported again, graded, or in shards."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from snellen.errors import StudyError
from snellen.files import written_whole
from snellen.imports.jsonl import jsonl_line
from snellen.imports.storing import stored_answers
from snellen.reading.parsers import parser_named
from snellen.scoring import EXPORTS
from snellen.scoring.dataset import export_folder
from snellen.scoring.portions import Watch, unwatched
from snellen.scoring.responses import COLUMNS, stored_responses
from snellen.scoring.sharding import export_shards
from snellen.scoring.writing import arrow_and_parquet, write_csv, write_parquet
from snellen.store import Store


def export(
    out: str | Path,
    file: str | Path,
    *,
    format: str = "jsonl",  # noqa: A002 - the word people use
    parsers: Sequence[str] = (),
    study: str | None = None,
    unqualified: bool = False,
    watch: Watch = unwatched,
) -> int:
    """Write every stored response of a study to a file, a row each; returns how many rows.

    `jsonl` is our own format, as `snellen import` takes it. `csv` and `parquet` are for analysis: graded by these
    parsers, or without any by the study's own, with a row too for each response that failed or is missing. For
    `parquet`, a name without an ending is a folder: then there is a file for each model and condition. `study` is a
    name, by default that of the latest study. `shards` writes all studies of `out` to a folder that can be scored as
    `out` can, with the responses of each model in an SQLite file of its own. Grades by judges that are not qualified
    are left out, unless `unqualified` lets them in.
    """
    path = Path(file)
    if format not in EXPORTS:
        raise StudyError(f"Expected one of the formats {', '.join(EXPORTS)}, got {format!r}.")
    if format != "shards" and not any(path.name.endswith(end) if end else not path.suffix for end in EXPORTS[format]):
        ends = [
            f"a file that ends in {end}" if end else "a folder, whose name has no ending" for end in EXPORTS[format]
        ]
        raise StudyError(f"Expected {' or '.join(ends)}, got {path.name!r}.")
    if format in ("jsonl", "shards") and (unqualified or parsers):
        what = "Name no parser, or choose" if parsers else "Choose"
        raise StudyError(f"Responses in the format {format} are not graded. {what} csv or parquet.")
    if format == "shards" and study is not None:
        raise StudyError("Shards hold every study of the folder, since studies share responses. Name no study.")
    for parser in parsers:
        parser_named(parser)  # a slip of the pen is told before anything is read
    if format == "parquet":
        arrow_and_parquet()  # what is not installed is told before anything is graded
    with Store.open(out) as store:
        if format == "parquet" and not path.suffix:
            return export_folder(store, path, parsers, study=study, watch=watch, unqualified=unqualified)
        if format == "shards":
            return export_shards(store, path, watch=watch)
        if format != "jsonl":
            rows = stored_responses(store, parsers, study=study, unqualified=unqualified)
            if format == "csv":
                return write_csv(path, tuple(COLUMNS), rows)
            return write_parquet(path, COLUMNS, rows)
        with written_whole(path) as plain, _zipped(plain, path) as written:
            count = 0
            for count, answer in enumerate(stored_answers(store, study=study, images=False), 1):  # noqa: B007
                written.write(jsonl_line(answer))
            return count


def _zipped(file: BinaryIO, path: Path) -> AbstractContextManager[Any]:
    """What lines are written to: the file, compressed if its name says so."""
    return gzip.GzipFile(fileobj=file, mode="wb") if path.suffix == ".gz" else nullcontext(file)
