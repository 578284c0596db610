"""The command `snellen metrics`."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli.options import UNPACKED, option
from snellen.commands.arguments import FilePath


@click.command("metrics")
@click.argument("file", metavar="[PAIRS.jsonl | OUT]", required=False, type=FilePath(exists=True, path_type=Path))
@option(
    "--metric",
    "metric",
    multiple=True,
    metavar="NAME",
    help="Score by this metric; repeat for more [default: all that need no RadEval].",
)
@option("--list", "listed", is_flag=True, help="List the metrics, their sources, and what each needs to run here.")
@option(
    "--radeval",
    metavar="PYTHON",
    help="Python of the environment where the package RadEval is installed, for metrics with weights.",
)
@option("--fetch-weights", is_flag=True, help="Allow RadEval to fetch the weights of a metric over the network.")
@option(
    "--json",
    "to",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all numbers and the value of every pair to this file, too.",
)
@UNPACKED
def metrics_command(
    file: Path | None,
    metric: tuple[str, ...],
    listed: bool,
    radeval: str | None,
    fetch_weights: bool,
    to: Path | None,
) -> None:
    """Score generated reports against their references. The 95% CIs are over patients.

    The reports are those of a file, or those of a study: a table for each model and condition. Rows of a file have
    `id`, `reference` and `generated`, and `patient` where several reports are of one. Empty reports, reports in another
    language and reports of over 5,000 words are counted and not scored.

    BLEU, ROUGE and findings F1 run here. BERTScore, CheXbert, RadGraph F1, RadCliQ-v1, GREEN and CRIMSON are computed
    by the package RadEval in an environment of its own, without a network unless --fetch-weights is given.

    \b
    snellen metrics --list
    snellen metrics pairs.jsonl
    snellen metrics pairs.jsonl --metric findings-f1 --metric rouge-l --json scores.json
    snellen metrics pairs.jsonl --metric radgraph-f1 --radeval radeval-env/bin/python
    snellen metrics exam --metric bleu --metric findings-f1
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.metrics import score_file, show_metrics
    from snellen.reading.reports.metrics.radeval import Environment

    where = Environment(radeval or "", fetch_weights) if radeval or fetch_weights else None
    if listed:
        show_metrics(where)
    elif file is None:
        raise click.UsageError(
            "Which file? snellen metrics PAIRS.jsonl, snellen metrics OUT, or snellen metrics --list."
        )
    else:
        score_file(file, metric, where, to=to)
