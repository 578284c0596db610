"""The command `snellen benchmark deidentify`."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli.options import UNPACKED, option
from snellen.commands.arguments import FilePath


@click.command("deidentify")
@click.argument("cases", metavar="CASES")
@option(
    "--review",
    "file",
    type=FilePath(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE.csv",
    help="List of what may identify a patient, on which a person decides: remove or keep.",
)
@option("--out", "folder", type=FilePath(path_type=Path), help="Folder for the copy, once all is decided.")
@option(
    "--without",
    multiple=True,
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="IDS.txt",
    help="Leave out the cases of a list of ids, such as an audit writes; repeat for more.",
)
@UNPACKED
def deidentify_command(cases: str, file: Path, folder: Path | None, without: tuple[Path, ...]) -> None:
    """Make a copy of cases without what identifies patients. Asks no model.

    A person decides on each name, date and number of a patient.

    Without --out it writes FILE.csv: each text that rules take for an identifier, with the words around it. A person
    sets each `decision` to remove or keep, and adds rows for what rules missed. With --out it writes the copy as a
    benchmark folder; it refuses if a decision is missing. Texts in the pixels of images are not looked for.

    \b
    snellen benchmark deidentify cases/ --review identifiers.csv
    snellen benchmark deidentify cases/ --review identifiers.csv --out deidentified
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.deidentify import deidentify

    deidentify(cases, file, folder, without)
