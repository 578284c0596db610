"""Export of stored responses: for import elsewhere, for analysis, or in shards."""

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
from snellen.scoring.portions import Watch, ignore_progress
from snellen.scoring.responses import COLUMNS, stored_responses
from snellen.scoring.sharding import export_shards
from snellen.scoring.writing import arrow_and_parquet, write_csv, write_parquet
from snellen.store import Store


def export(
    out: str | Path,
    file: str | Path,
    *,
    format: str = "jsonl",  # noqa: A002 - the word that users expect
    parsers: Sequence[str] = (),
    study: str | None = None,
    unqualified: bool = False,
    watch: Watch = ignore_progress,
) -> int:
    """Write every stored response of a study to a file; return the number of rows.

    `jsonl` is our own format, which `snellen import` reads. `csv` and `parquet` are for analysis: they have grades by
    `parsers`, or by the study's own, and a row for each failed or missing response as well. For `parquet`, a name
    without an ending is a folder with a file per model and condition. `study` is a name; default: the latest study.
    `shards` writes all studies of `out` to a folder that can be scored in the same way, with one SQLite file per model.
    Grades by judges that are not qualified are left out unless `unqualified` is true.
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
        parser_named(parser)  # report a misspelt parser before anything is read
    if format == "parquet":
        arrow_and_parquet()  # report a missing package before anything is graded
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
        with written_whole(path) as plain, _open_compressed(plain, path) as written:
            count = 0
            for count, answer in enumerate(stored_answers(store, study=study, images=False), 1):  # noqa: B007
                written.write(jsonl_line(answer))
            return count


def _open_compressed(file: BinaryIO, path: Path) -> AbstractContextManager[Any]:
    return gzip.GzipFile(fileobj=file, mode="wb") if path.suffix == ".gz" else nullcontext(file)
