"""The command `snellen audit`: looks at a benchmark with every check, prints and writes what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import MAP, OLD_FOLDER, UNPACKED, FilePath, complain, option, tell
from snellen.runtime import counted, provenance

if TYPE_CHECKING:
    from snellen.tools.audit.audit import Audit


@click.command("audit")
@click.argument("benchmark", metavar="[BENCHMARK]", required=False)
@option(
    "--train BENCHMARK|none",
    help="The split that models may be trained on, if that is a file of its own [default: the one beside BENCHMARK].",
)
@option(
    "--responses OUT...",
    type=OLD_FOLDER,
    help="Folder of an exam or import whose answers to this benchmark are used to find wrong keys.",
)
@option(
    "--key-review FILE.csv",
    type=FilePath(exists=True, dir_okay=False),
    help="Raters' answers to the items that wrong-keys lists, given without the key: columns item_id and answer (a "
    "letter, none or unclear).",
)
@MAP
@option("--check NAME...", "checks", help="Run this check alone.")
@option("--also NAME...", help="Run this check too, which runs only if it is named.")
@option("--out", "folder", type=FilePath(), default="audit", help="Folder for the page and the tables.")
@option("--seed", default=0, help="Seed of all random draws, including the phantoms.")
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
    if listed:
        show_checks()
        return
    if benchmark is None:
        raise click.UsageError("Which benchmark? snellen audit BENCHMARK, or snellen audit --list.")
    audit_and_show(benchmark, **options)


def show_checks() -> None:
    """Print each check and its question."""
    from snellen.tools.audit.checks import check_named, check_names

    for name in check_names():
        check = check_named(name)
        tell(f"{name}{'  (only if it is named)' if check.on_demand else ''}")
        tell(f"  {check.asks}")


def audit_and_show(
    benchmark: str, *, train: str | None, responses: Sequence[str], folder: str, quotes: bool, seed: int, **how: Any
) -> Audit:
    """Audit a benchmark, print the score, what to mend and what was not checked, and write the files."""
    from snellen.cli.terminal import out, working
    from snellen.report.components import Note
    from snellen.report.text import draw_text
    from snellen.tools.audit import page
    from snellen.tools.audit.audit import audit_benchmark
    from snellen.tools.audit.files import writable, write

    writable(folder)  # one that cannot be written is told before anything is computed
    began = perf_counter()
    with working("reading …") as sign:
        how |= {"watch": lambda check, place, of: sign.begin(f"{place + 1} of {of}: {check.asks}"), "progress": sign}
        done = audit_benchmark(benchmark, train=train, responses=responses, seed=seed, **how)
    about = _describe(train, responses, seed, done, perf_counter() - began)
    file = write(done, folder, about, quotes=quotes)
    found = f"{page.describe_benchmark(done)}. {page.describe_problems(done)}"
    parts = [Note(page.describe_score(done)), Note(found), *page.list_summary(done)]
    tell(draw_text(parts, out.width))
    complain(*(f"{done.of.name}: {guess}." for guess in done.of.guesses))
    tell(f"\nPage: {file.resolve()}")
    return done


def _describe(train: str | None, responses: Sequence[str], seed: int, done: Audit, seconds: float) -> dict[str, Any]:
    made = provenance()
    named = " (named with --train)" if train else " (found beside the benchmark)" if done.of.beside else ""
    rows: dict[str, Any] = {
        "created": made["created"],
        "benchmark": done.of.name,
        "training split": f"{counted(len(done.of.training), 'item')}{named if done.of.training else ''}",
        "checks": ", ".join(each.check for each in done.checked),
        "seed": seed,
        "seconds": round(seconds, 1),
        "versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items()),
    }
    if responses:
        rows["responses"] = ", ".join(Path(each).name for each in responses)
    return rows
