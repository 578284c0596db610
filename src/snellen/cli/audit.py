"""The command `snellen audit`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import MAP, UNPACKED, option
from snellen.commands.arguments import FilePath, Int64


@click.command("audit")
@click.argument("benchmark", metavar="[BENCHMARK]", required=False)
@option(
    "--train",
    metavar="BENCHMARK|none",
    help="The split that models may be trained on, if that is a file of its own [default: the one beside BENCHMARK].",
)
@option(
    "--responses",
    multiple=True,
    type=FilePath(exists=True, file_okay=False),
    metavar="OUT",
    help="Folder of an exam or import whose answers to this benchmark are used to find wrong keys; repeat for more.",
)
@option(
    "--key-review",
    type=FilePath(exists=True, dir_okay=False),
    metavar="FILE.csv",
    help="Raters' answers to the items that wrong-keys lists, given without the key: columns item_id and answer (a "
    "letter, none or unclear).",
)
@MAP
@option("--check", "checks", multiple=True, metavar="NAME", help="Run this check alone; repeat for more.")
@option("--also", multiple=True, metavar="NAME", help="Run this check too, which runs only if it is named.")
@option(
    "--out", "folder", type=FilePath(), default="audit", show_default=True, help="Folder for the page and the tables."
)
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of all random draws, including the phantoms.")
@option("--quotes/--no-quotes", default=True, help="Whether the files may quote the benchmark's own words.")
@option("--list", "listed", is_flag=True, help="List the checks.")
@UNPACKED
def audit_command(benchmark: str | None, listed: bool, **options: Any) -> None:
    """Audit a benchmark: what needs no eyes, and what is wrong. Asks no model.

    BENCHMARK is what `snellen exam --benchmark` takes, or the folder of an exam or import: then its items are audited
    as they were asked, without their images, together with the answers that are stored there. Items whose field `split`
    says train, dev or validation are its training split. So is the training split of a published benchmark, if it lies
    beside the one that is audited, or a file or folder of the same name with `train` for `test`. --train names another.
    Rows that cannot be used are problems to mend, not errors.

    It writes audit.html (the page), findings.csv (a row for every item of every problem), items.csv (numbers of every
    item, such as the probability that a guesser without eyes gives to its key) and audit.json.

    \b
    snellen audit my-benchmark/
    snellen audit vqa-rad:DIR
    snellen audit mine/questions.csv --train mine/more.csv
    snellen audit my-benchmark/ --responses exam --responses imported
    snellen audit my-benchmark/ --check near-duplicates --check shared-images
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.audit import audit_and_show, show_checks

    if listed:
        show_checks()
        return
    if benchmark is None:
        raise click.UsageError("Which benchmark? snellen audit BENCHMARK, or snellen audit --list.")
    audit_and_show(benchmark, **options)
