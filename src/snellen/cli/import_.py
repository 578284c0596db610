"""The command `snellen import`: store existing responses, and print their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import HUMAN, UNPACKED, FilePath, name_option, option, tell
from snellen.imports import MEMBERS
from snellen.plugins import names

if TYPE_CHECKING:
    from snellen.imports.importing import Imported


@click.command("import")
@click.argument("files", metavar="PATH...", nargs=-1, required=True, type=FilePath(exists=True))
@option(
    "--from",
    "format",
    type=click.Choice(names("importers", MEMBERS)),
    help="Format of the files [default: as their contents show].",
)
@option("--out", required=True, type=FilePath(), help="Folder for the responses; a second import adds to the first.")
@name_option("the study that was imported last, else study-1", "study")
@option("--condition", "arm", help="The condition of all rows that do not name one [default: original].")
@option("--new-condition NAME...", "new_conditions", help="Declare a condition that Snellen does not know.")
@option("--as", "name", help="Name of the benchmark, if the rows do not name one.")
@option("--model", help="Name of the model, if the files do not name one.")
@option(
    "--map OURS=THEIRS,…",
    "fields",
    default="",
    help="Fields that hold the question, its options and its answer: question=Q,answer=label. "
    "Without this option they are guessed, and the guess is printed.",
)
@option("--benchmark BENCHMARK...", "benchmarks", help="Benchmark with the questions, if the rows hold only their ids.")
@option("--allow-broken", is_flag=True, help="Leave out broken rows instead of stopping.")
@UNPACKED
@option(
    "--accept-contradictions",
    is_flag=True,
    help="Also import responses whose images contradict the name of their condition; gives no verdict on that "
    "benchmark.",
)
@HUMAN
def import_command(files: tuple[str, ...], out: str, human: str | None, **options: Any) -> None:
    """Import responses you already have. Then run `snellen report OUT`. Sends nothing.

    A PATH is a file, or a folder with every log in it. jsonl: one row per response, with model, benchmark, item_id,
    arm (the condition), replicate and response; also question, options and answer if no --benchmark has them.
    inspect: logs of Inspect AI, .eval or .json. lmms-eval, lm-eval: the samples files that --log_samples writes, with
    the results file beside them. vlmevalkit: MODEL_DATASET.xlsx or .tsv. promptfoo: the JSON of `promptfoo eval -o`.
    helm: folders of runs.

    Conditions have the names that `snellen list conditions` prints, such as original, image-removed, image-blank and
    options-shuffled. Declare any other name with --new-condition. A condition whose images contradict its name is
    refused, unless you accept it.

    \b
    snellen import answers.jsonl.gz --out imported
    snellen import with.eval --out imported
    snellen import without.eval --condition image-removed --out imported
    snellen import logs/my-model --from lmms-eval --benchmark my-benchmark/ --out imported
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.asking.progress import ImportProgress
    from snellen.imports.importing import bring

    with ImportProgress() as count:
        imported = bring(files, out, human=human, watch=count, **options)
    show_imported(imported)


def show_imported(imported: Imported) -> None:
    """Print the number of imported responses, remarks, and the next command."""
    from snellen.cli.terminal import print_table, show_left_out

    rows = [(*of, f"{count:,}") for of, count in imported.replies.items()]
    print_table(("model", "benchmark", "condition", "responses"), rows)
    tell(*imported.notes)
    if not imported.new:
        tell("These files hold no new responses: all were stored before.")
    if imported.unknown_ends:
        unknown = f"{imported.unknown_ends:,} responses have no finish reason"
        tell(f"{unknown} (`finish`): truncation cannot be detected.")
    if imported.failed:
        tell(f"{imported.failed:,} failed calls are stored as failed and not scored.")
    show_left_out({"This import": imported.broken})
    tell(*(f"Imported without a verdict: {sentence}" for sentence in imported.contradictions))
    tell(f"The responses are in the study {imported.study}.")
    beside = f", compared with {', '.join(imported.parsers[1:])}" if imported.parsers[1:] else ""
    tell(f"Tests that these conditions allow: {', '.join(imported.tests)}. Parser: {imported.parsers[0]}{beside}.")
    tell(f"Next: snellen report {imported.folder}")
