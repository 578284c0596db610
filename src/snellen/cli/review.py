"""The commands `snellen review …`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.loading import WholeLines
from snellen.cli.options import OUT, STUDY, option
from snellen.commands.arguments import FilePath, FiniteRange, Int64, Int64Range


class _ReviewGroup(WholeLines):
    """A group whose first command may be left out: `snellen review OUT` is `snellen review open OUT`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put in the command that was left out."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


DATABASE = option(
    "--database",
    metavar="URL",
    help="PostgreSQL database of its own for the votes, postgresql://USER:PASSWORD@HOST/NAME [default: a file in OUT].",
)


@click.group("review", cls=_ReviewGroup)
def review_command() -> None:
    """Let clinicians judge responses and questions in a browser. They do not learn whose responses these are.

    `snellen review OUT` draws cases from a study, prints a personal link for each rater, and serves them until Ctrl-C
    (the same as `snellen review open OUT`). Votes are saved at once. `results` gives what was said back to the study
    and its report. A --database needs the extra `postgres`.

    \b
    snellen review --demo
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review status OUT
    snellen review results OUT
    """  # noqa: D301 - the backslash keeps the lines below it apart


@review_command.command("open")
@click.argument("folder", metavar="[OUT]", type=FilePath(file_okay=False), required=False)
@option(
    "--task",
    "tasks",
    multiple=True,
    metavar="TASK",
    help="What is judged: verdict, rationale, profile, reference, missing-image, quality, mismatch, premise, honest; "
    "repeat for more.",
)
@option(
    "--benchmark",
    metavar="BENCHMARK",
    help="Open questions to annotate before any model is asked, such as cases without reference answers; OUT is new.",
)
@option("--rater", "raters", multiple=True, metavar="NAME", help="Who reads; repeat for more.")
@option("--settler", "settlers", multiple=True, metavar="NAME", help="Who decides where raters disagree.")
@option("--each", type=Int64Range(1), metavar="N", help="Cases of each stratum [default: the task's own].")
@option("--raters", "readers", type=Int64Range(1), metavar="N", help="Raters of a case [default: the task's own].")
@option(
    "--overlap",
    type=FiniteRange(0, 1),
    default=1.0,
    show_default=True,
    metavar="SHARE",
    help="Share of the cases that so many raters read; the others are read by one.",
)
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of the draw.")
@STUDY
@option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; any other needs TLS.")
@option("--port", type=Int64Range(0, 65535), default=8002, show_default=True, help="Port to listen on; 0: any.")
@option("--tls-cert", type=FilePath(exists=True, dir_okay=False, path_type=Path), help="Certificate (PEM).")
@option("--tls-key", type=FilePath(exists=True, dir_okay=False, path_type=Path), help="Its key, if in another file.")
@option("--insecure", is_flag=True, help="Serve beyond this computer without TLS.")
@DATABASE
@option(
    "--days",
    type=FiniteRange(0, 3650, min_open=True),
    default=14.0,
    show_default=True,
    metavar="N",
    help="Days for which a link counts.",
)
@option("--demo", is_flag=True, help="Show what a review comes to: phantoms, organisms and simulated raters.")
def review_open_command(folder: str | None, demo: bool, **options: Any) -> None:
    """Draw cases, invite raters and serve them until Ctrl-C. What is there already is neither drawn nor changed.

    Cases and links of earlier calls stay: without --task and --rater the server just goes on. It listens on 127.0.0.1
    only unless told otherwise. Whoever has a link votes in that rater's name; `snellen review revoke OUT NAME` takes it
    back at once.

    \b
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review OUT --benchmark cases/ --task reference --rater anna --rater bert --settler carla
    snellen review OUT --host 0.0.0.0 --tls-cert review.pem --tls-key review.key
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands import review
    from snellen.tools.review.drawing import Plan

    take = options.pop
    plan = Plan(each=take("each"), raters=take("readers"), overlap=take("overlap"), seed=take("seed"))
    invited = review.Invited(raters=take("raters"), settlers=take("settlers"), days=take("days"))
    address = review.Address(
        host=take("host"), port=take("port"), certificate=take("tls_cert"), key=take("tls_key"),
        insecure=take("insecure"),
    )  # fmt: skip
    if demo:
        review.demo(folder or "review-demo", address)
        return
    if folder is None:
        raise click.UsageError("Which study? snellen review OUT, where OUT is the --out of an exam; or --demo.")
    review.review(folder, take("tasks"), plan, invited, address, **options)


FILE_OUT = click.argument("file", metavar="FILE", type=FilePath(dir_okay=False, path_type=Path))


@review_command.command("status")
@OUT
@STUDY
@DATABASE
def review_status_command(folder: str, **where: str | None) -> None:
    """Show how far a review is: cases, raters, and whether enough has been read."""
    from snellen.commands.review import status

    status(folder, **where)


@review_command.command("results")
@OUT
@STUDY
@DATABASE
def review_results_command(folder: str, **where: str | None) -> None:
    """Show agreement and what was settled, give it back to the study, and write its report again. Sends nothing."""
    from snellen.commands.review import results

    results(folder, **where)


@review_command.command("export")
@OUT
@FILE_OUT
@option("--blind", is_flag=True, help="Leave out what the cases are about, and all votes.")
@STUDY
@DATABASE
def review_export_command(folder: str, file: Path, **how: Any) -> None:
    """Write cases and votes to FILE: .csv, or .json for Label Studio."""
    from snellen.commands.review import export

    export(folder, file, **how)


@review_command.command("import")
@OUT
@click.argument("file", metavar="FILE", type=FilePath(exists=True, dir_okay=False, path_type=Path))
@STUDY
@DATABASE
def review_import_command(folder: str, file: Path, **where: str | None) -> None:
    """Take over votes that were made elsewhere from FILE: .csv, or .json of Label Studio."""
    from snellen.commands.review import import_votes

    import_votes(folder, file, **where)


@review_command.command("revoke")
@OUT
@click.argument("name", metavar="NAME")
@STUDY
@DATABASE
def review_revoke_command(folder: str, name: str, **where: str | None) -> None:
    """Take a rater's link back: it is refused from the next request on. Votes stay."""
    from snellen.commands.review import revoke

    revoke(folder, name, **where)


@review_command.command("subset")
@OUT
@FILE_OUT
@option("--benchmark", metavar="NAME", help="Items of this benchmark alone.")
@STUDY
@DATABASE
def review_subset_command(folder: str, file: Path, **how: Any) -> None:
    """Write the ids of the items whose image is essential by the median of their raters (task profile) to FILE."""
    from snellen.commands.review import subset

    subset(folder, file, **how)


@review_command.command("labels")
@OUT
@FILE_OUT
@option("--task", required=True, metavar="TASK", help="The task; profile and honest have no rows for it.")
@STUDY
@DATABASE
def review_labels_command(folder: str, file: Path, task: str, **where: str | None) -> None:
    """Write settled labels to FILE.jsonl, for `snellen parser qualify`; of reference answers, a benchmark file."""
    from snellen.commands.review import labels

    labels(folder, file, task, **where)
