"""The command `snellen audit`: run checks on a benchmark and report problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import (
    FOLDER,
    MAP,
    OLD_FILE,
    OLD_FOLDER,
    UNPACKED,
    YES,
    FilePath,
    FiniteRange,
    complain,
    option,
    tell,
)
from snellen.runtime import counted, provenance

if TYPE_CHECKING:
    from snellen.items import Benchmark
    from snellen.tools.audit.audit import Audit
    from snellen.tools.audit.judged import JudgedItems


@click.command("audit")
@click.argument("benchmark", metavar="[BENCHMARK]", required=False)
@option(
    "--train BENCHMARK|none",
    help="Training split of the benchmark, if it is a separate file [default: the one beside BENCHMARK].",
)
@option(
    "--responses OUT...",
    type=OLD_FOLDER,
    help="Folder of an exam or import whose answers to this benchmark are used to find wrong keys.",
)
@option(
    "--key-review FILE.csv",
    type=FilePath(exists=True, dir_okay=False),
    help="Answers of raters, who did not see the key, to the items that the check wrong-keys lists: columns item_id "
    "and answer (a letter, none or unclear).",
)
@option("--review FOLDER", type=FOLDER, help="Store the items to mend in this folder, for raters to decide on.")
@option(
    "--judge PROVIDER/MODEL", help="Let a model look for flaws in every item. It reads text only; see --judge-images."
)
@option(
    "--judge-labels FILE.csv",
    type=OLD_FILE,
    help="Flaws that people found in some items: columns item_id and defect. They show how reliable the judge is.",
)
@option("--judge-images", is_flag=True, help="Send the judge the images, too.")
@option("--budget USD", type=FiniteRange(0, None, min_open=True), help="The most that the judge may cost.")
@YES
@MAP
@option("--check NAME...", "checks", help="Run only this check.")
@option("--also NAME...", help="Also run this check, one of those that run only on request.")
@option("--out", "folder", type=FilePath(), default="audit", help="Folder for the page and the tables.")
@option("--seed", default=0, help="Seed of all random draws, including the phantoms.")
@option("--quotes/--no-quotes", default=True, help="Allow the files to quote the benchmark's text.")
@option("--list", "listed", is_flag=True, help="List the checks.")
@UNPACKED
def audit_command(benchmark: str | None, listed: bool, **options: Any) -> None:
    """Audit a benchmark for questions that need no image, and for errors. Without --judge it asks no model.

    BENCHMARK is what `snellen exam --benchmark` takes, or the folder of an exam or import: then its items are audited
    as they were asked, without their images, together with the answers stored in that folder. Items whose field `split`
    says train, dev or validation are its training split. So is the training split of a published benchmark, if it lies
    beside the one that is audited, or a file or folder of the same name with `train` for `test`. --train names another.
    Rows that cannot be used are problems to mend, not errors.

    It writes audit.html (the page), mend.csv (a row for every item to mend, the surest first), findings.csv (a row for
    every item of every problem), items.csv (numbers of every item, such as the probability that a guesser without eyes
    gives to its key) and audit.json.

    \b
    snellen audit my-benchmark/
    snellen audit vqa-rad:DIR
    snellen audit mine/questions.csv --train mine/more.csv
    snellen audit my-benchmark/ --responses exam --responses imported
    snellen audit my-benchmark/ --check near-duplicates --check shared-images
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.tools.audit.checks import check_named, check_names

    if listed:
        for name in check_names():
            check = check_named(name)
            tell(f"{name}{'  (only on request, with --check or --also)' if check.on_demand else ''}")
            tell(f"  {check.asks}")
        return
    if benchmark is None:
        raise click.UsageError("Which benchmark? snellen audit BENCHMARK, or snellen audit --list.")
    audit_and_show(benchmark, **options)


def audit_and_show(
    benchmark: str,
    *,
    train: str | None,
    responses: Sequence[str],
    folder: str,
    quotes: bool,
    seed: int,
    review: Path | None = None,
    **how: Any,
) -> Audit:
    """Audit a benchmark, print problems and gaps, and write the files."""
    from snellen.cli.terminal import out, working
    from snellen.report.components import Note
    from snellen.report.text import draw_text
    from snellen.tools.audit import page
    from snellen.tools.audit.audit import audit_benchmark
    from snellen.tools.audit.files import writable, write

    writable(folder)  # raise before anything is computed
    how["judged"] = _make_judge(Path(f"{folder}-judge"), how)
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
    if review is not None:
        _store_doubts(done, review)
    return done


def _make_judge(folder: Path, how: dict[str, Any]) -> Callable[[Benchmark], JudgedItems] | None:
    """Return a function that asks the judge; None if no judge is named."""
    names = ("judge", "judge_labels", "judge_images", "budget", "yes")
    judge, labels, images, budget, yes = (how.pop(name, None) for name in names)
    if judge is None:
        if labels or images:
            raise click.UsageError("--judge-labels and --judge-images are about a judge: name one with --judge.")
        return None

    def ask(benchmark: Benchmark) -> JudgedItems:
        from snellen.study import Study
        from snellen.tools.audit.judged import STUDY, TEST, judge_items, qualify_judge, read_judge

        asked = judge_items(benchmark, images=bool(images))
        study = Study(
            models=[judge], benchmarks=[asked], tests=[TEST], out=folder, name=STUDY, budget=budget, yes=bool(yes),
            canary=False, accept_blind=True,
        )  # fmt: skip
        tell(f"{counted(len(asked), 'request')} to {judge}; answers are stored in {folder}.")
        study.ask()
        found = read_judge(folder, asked, images=bool(images))
        return found if labels is None else qualify_judge(found, labels, benchmark.items)

    return ask


def _store_doubts(done: Audit, folder: Path) -> None:
    from snellen.tools.audit.mending import doubt_items
    from snellen.tools.review.questions import store_questions

    doubted = doubt_items(done)
    store_questions(folder, doubted, provenance(), kinds=("choice", "open", "report"), stem="audit")
    tell(
        f"{counted(len(doubted), 'item')} to decide on: snellen review {folder} --task mend --rater NAME --rater OTHER"
    )


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
