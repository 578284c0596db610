"""What `snellen benchmark deidentify` does: it lists identifiers for a person to decide on, and writes the copy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snellen.benchmarks import load
from snellen.commands.console import out
from snellen.runtime import counted, visible
from snellen.tools.audit.deidentifying import (
    describe_candidates,
    find_candidates,
    leave_out,
    read_decisions,
    save_copy,
    write_candidates,
)

_PIXELS = "Text in the pixels of images was not looked for: snellen audit CASES --check burned-in-text does that."


def deidentify(cases: str, file: Path, folder: Path | None, without: Sequence[Path]) -> None:
    """Write the list of candidates, or with a folder the copy that its decisions lead to."""
    everything = load(cases, keep_unreadable=True).items
    items = leave_out(everything, without)
    if folder is None:
        found = find_candidates(items)
        write_candidates(found, file)
        out.print(f"{file}: {counted(len(found), 'candidate')} found by rules in {counted(len(items), 'case')}.")
        for sentence in describe_candidates(found, items):
            out.print(visible(f"  {sentence}"), soft_wrap=True)
        if others := sum(not item.language.casefold().startswith("en") for item in items):
            out.print(f"Rules know names and hospitals by English words; cases in other languages: {others:,}.")
        out.print("Rules miss some. Read the cases, and write remove or keep as the `decision` of each row.")
        out.print("Add rows for what is missing: `text`, and `item_id` unless it is to go everywhere.")
        out.print("The list holds the identifiers themselves. Then run the same command with --out FOLDER.")
        return
    record = save_copy(items, read_decisions(file, items), folder, left_out=len(everything) - len(items))
    removed, kept = (counted(sum(record[name].values()), "text") for name in ("removed", "kept"))
    out.print(f"{folder}: {counted(len(items), 'case')}; {removed} removed and {kept} kept as decided in {file}.")
    out.print(_PIXELS, soft_wrap=True)
