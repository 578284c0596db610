"""The command `snellen export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.options import OUT, PARSER, STUDY, UNQUALIFIED, FilePath, option, tell
from snellen.scoring import EXPORTS


@click.command("export")
@OUT
@STUDY
@option("--to", "format", type=click.Choice(list(EXPORTS)), required=True, help="Format of the file.")
@option("--file", required=True, type=FilePath(), help="The file to write; for shards, and maybe parquet, a folder.")
@PARSER
@UNQUALIFIED
def export_command(
    folder: str,
    study: str | None,
    format: str,  # noqa: A002 - the word that users expect
    file: str,
    parsers: tuple[str, ...],
    unqualified: bool,
) -> None:
    """Write the stored responses to a file.

    jsonl: one row per response, as `snellen import` takes them. csv, parquet: one graded row per response and parser,
    for analysis, with the right answer; responses that failed or are missing are rows too, by their state. After
    `snellen judge` each judge is a parser, too. The mean of `right` is the accuracy that the report prints. A Parquet
    name without an ending is a folder with a file for each model and condition (model=…/arm=…), for large studies.

    shards: a folder that is scored and reported like OUT, with an SQLite file for the responses of each model.

    \b
    snellen export exam --to csv --file responses.csv
    snellen export exam --to parquet --file responses.parquet --parser lenient --parser double-brackets
    snellen export exam --to parquet --file responses
    snellen export exam --to shards --file exam-in-shards
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.cli.terminal import say_held_back, say_study, working
    from snellen.imports.exporting import export
    from snellen.runtime import counted
    from snellen.scoring.responses import list_held_back
    from snellen.store import Store

    with working("reading the responses") as watch:
        how: dict[str, Any] = {"parsers": parsers, "study": study, "unqualified": unqualified}
        rows = export(folder, file, format=format, watch=watch, **how)
    tell(f"{counted(rows, 'response' if format in ('jsonl', 'shards') else 'row')}: {Path(file).resolve()}")
    with Store.open(folder) as store:
        taken = store.studies.record(study)["name"]
        say_study(taken, [each.name for each in store.studies.load_all() if each.name != taken], folder)
        if format in ("csv", "parquet") and not unqualified:
            say_held_back(list_held_back(store, study))
