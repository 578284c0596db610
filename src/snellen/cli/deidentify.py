"""The command `snellen benchmark deidentify`: list identifiers for a person to decide on; write the copy."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli.options import FILE, UNPACKED, FilePath, option, tell
from snellen.runtime import counted

_PIXELS = "Text in the pixels of images was not searched. To search it: snellen audit CASES --check burned-in-text"


@click.command("deidentify")
@click.argument("cases", metavar="CASES")
@option(
    "--review FILE.csv",
    "file",
    type=FILE,
    required=True,
    help="List of texts that may identify a patient; a person decides on each: remove or keep.",
)
@option("--out", "folder", type=FilePath(path_type=Path), help="Folder for the copy, once all is decided.")
@option("--without IDS.txt...", type=FILE, help="Leave out the cases of a list of ids, such as an audit writes.")
@UNPACKED
def deidentify_command(cases: str, file: Path, folder: Path | None, without: tuple[Path, ...]) -> None:
    """Copy cases without the text that identifies patients. Asks no model.

    A person decides on each name, date and number of a patient.

    Without --out it writes FILE.csv: each text that rules take for an identifier, with the words around it. A person
    sets each `decision` to remove or keep, and adds rows for what rules missed. With --out it writes the copy as a
    benchmark folder; it refuses if a decision is missing. Texts in the pixels of images are not looked for.

    \b
    snellen benchmark deidentify cases/ --review identifiers.csv
    snellen benchmark deidentify cases/ --review identifiers.csv --out deidentified
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.benchmarks import load
    from snellen.tools.audit import deidentifying

    everything = load(cases, keep_unreadable=True).items
    items = deidentifying.leave_out(everything, without)
    if folder is None:
        found = deidentifying.find_candidates(items)
        deidentifying.write_candidates(found, file)
        tell(f"{file}: {counted(len(found), 'candidate')} found by rules in {counted(len(items), 'case')}.")
        tell(*(f"  {sentence}" for sentence in deidentifying.describe_candidates(found, items)))
        if others := sum(not item.language.casefold().startswith("en") for item in items):
            tell(f"The rules find names and hospitals by English words only. Cases in other languages: {others:,}.")
        tell("Rules miss some identifiers. Read the cases, and set the `decision` of each row to remove or keep.")
        tell("Add a row for each identifier that is missing: `text`, and `item_id` to remove it in one case only.")
        tell("Keep the list safe: it contains the identifiers. Then run the same command with --out FOLDER.")
        return
    decisions = deidentifying.read_decisions(file, items)
    record = deidentifying.save_copy(items, decisions, folder, left_out=len(everything) - len(items))
    removed, kept = (counted(sum(record[name].values()), "text") for name in ("removed", "kept"))
    tell(f"{folder}: {counted(len(items), 'case')}; {removed} removed and {kept} kept as decided in {file}.")
    tell(_PIXELS)
