"""The command `snellen benchmark mend`: write a corrected copy after a review."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from snellen.cli.options import OLD_FOLDER, FilePath, option, tell
from snellen.cli.review import read_reviews
from snellen.runtime import counted


@click.command("mend")
@click.argument("benchmark", metavar="BENCHMARK")
@option(
    "--review FOLDER",
    "review",
    type=OLD_FOLDER,
    required=True,
    help="The folder of `snellen audit BENCHMARK --review FOLDER`, in which raters decided.",
)
@option("--out", "folder", type=FilePath(path_type=Path), required=True, help="Folder for the corrected copy.")
def mend_command(benchmark: str, review: str, folder: Path) -> None:
    """Write a corrected copy of a benchmark, as raters decided. The original is not touched. Asks no model.

    Items that raters keep stay as they are. Items that they mend get the new key or question, the others are removed.
    Items without a settled decision stay, and are named. changelog.csv has every decision.

    \b
    snellen audit mine/ --review mending
    snellen review mending --task mend --rater anna --rater bert --settler carla
    snellen benchmark mend mine/ --review mending --out mine-mended
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.benchmarks import load
    from snellen.tools.audit.mending import MendDecision, save_mended

    _, [(_, found)] = read_reviews(review, None, None, task="mend")
    decisions = []
    for case in found.cases:
        if (settled := found.settled.get(case.number)) is not None:
            value = {name: str(said) for name, said in settled.value.items()}
            key, question, why = (value.get(name, "") for name in ("key", "new_question", "why"))
            decision = MendDecision(case.subject.item_id, value["decision"], key, question, why, settled.by)
            decisions.append(decision)
    agreement = {each.field.name: each.record for each in found.agreement}
    changes = save_mended(load(benchmark, keep_unreadable=True), decisions, folder, agreement=agreement)
    done = Counter(each.done.partition(":")[0] for each in changes)
    tell(f"{folder}: {', '.join(f'{words} {number:,}' for words, number in done.most_common()) or 'nothing decided'}.")
    if unsettled := len(found.cases) - len(decisions):
        tell(f"No decision on {counted(unsettled, 'item')}: {'it stays' if unsettled == 1 else 'they stay'}.")
    tell(f"All decisions are listed in {folder / 'changelog.csv'}.")
