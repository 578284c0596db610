"""The commands `snellen guard`, `guard calibrate` and `guard report`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from snellen.cli.loading import WholeLines
from snellen.cli.options import ALLOW_HOST, TIMEOUT, option
from snellen.commands.arguments import FilePath, FiniteRange, Int64, Int64Range


@click.group("guard", cls=WholeLines, invoke_without_command=True)
@option("--upstream", metavar="openai/MODEL", help="Model to guard, at OPENAI_BASE_URL; openai alone: any there.")
@option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; any other needs a key.")
@option("--port", type=Int64Range(0, 65535), default=8900, show_default=True, help="Port to listen on; 0: any.")
@option("--key", help="Key that clients must send.")
@option("--pass-key", is_flag=True, help="Send each client's own key to the upstream, not OPENAI_API_KEY.")
@ALLOW_HOST
@option(
    "--policy",
    type=click.Choice(["annotate", "warn", "block"]),
    default="annotate",
    show_default=True,
    help="What is done with a reply that the image did not move.",
)
@option(
    "--rate",
    type=FiniteRange(0, 1),
    default=1.0,
    show_default=True,
    help="Share of the queries with an image that are checked.",
)
@option("--stand-in", metavar="phantom|DIR", help="Ask about another image as well: a drawn one, or one of a folder.")
@option("--rephrase", is_flag=True, help="Ask in other words as well, to tell a change from an unsteady reply.")
@option(
    "--patience",
    type=FiniteRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a reply waits for the extra calls.",
)
@option(
    "--on-failure",
    type=click.Choice(["open", "closed"]),
    default="open",
    show_default=True,
    help="Pass a reply that could not be checked, or hold it back.",
)
@option("--withhold", is_flag=True, help="Leave a reply that is held back out of the field snellen as well.")
@option(
    "--calibration",
    type=FilePath(dir_okay=False, path_type=Path),
    help="Threshold from snellen guard calibrate [default: 0.5].",
)
@option(
    "--log",
    type=FilePath(dir_okay=False, path_type=Path),
    default=Path("guard.jsonl"),
    show_default=True,
    help="Where decisions are written, without words, images or keys.",
)
@TIMEOUT
@click.pass_context
def guard_command(context: click.Context, /, upstream: str | None, **options: Any) -> None:
    """Say of every reply of a model whether the image moved it.

    An OpenAI-compatible proxy, which stands between a program and its model. A query with an image goes to the
    upstream as it is; beside it, the same is asked without the image. The header X-Snellen and the field `snellen` of
    the reply say moved, unmoved or undecided, with the evidence. `warn` adds a sentence to a reply that was not moved,
    `block` puts one in its place.

    \b
    snellen guard calibrate --organisms
    snellen guard --upstream openai/gpt-5 --port 8900 --calibration calibration.json
    snellen guard report guard.jsonl
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if context.invoked_subcommand is not None:
        return
    if not upstream:
        raise click.UsageError("Which model? snellen guard --upstream openai/MODEL")
    from snellen.commands.guard import guard
    from snellen.tools.guard.proxy import Conduct

    conduct = Conduct(
        closed=options.pop("on_failure") == "closed",
        **{name: options.pop(name) for name in ("policy", "rate", "patience", "withhold", "rephrase", "key", "names")},
    )
    given = {name: value for name, value in options.items() if value is not None}
    guard(upstream, given.pop("host"), given.pop("port"), conduct, **given)


@guard_command.command("calibrate")
@option("--upstream", metavar="openai/MODEL", help="Model to calibrate on, at OPENAI_BASE_URL.")
@option(
    "--organisms", is_flag=True, help="Calibrate on organisms in known shares: half of the replies rest on the image."
)
@option(
    "--false-alarms",
    "rate",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Share of replies that rest on the image and may reach the threshold all the same.",
)
@option("--items", type=Int64Range(3), default=600, show_default=True, help="Queries to ask, on drawn images.")
@option(
    "--stand-in",
    is_flag=True,
    envvar=None,
    default=lambda: any(map(os.environ.get, ("SNELLEN_GUARD_STAND_IN", "SNELLEN_STAND_IN"))),  # the guard's own
    help="Calibrate for a guard that asks about a stand-in image as well.",
)
@option("--max-connections", "connections", type=Int64Range(1), default=8, show_default=True, help="Queries at once.")
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of the images and of who answers.")
@option(
    "--to",
    type=FilePath(dir_okay=False, path_type=Path),
    default=Path("calibration.json"),
    show_default=True,
    help="Where the calibration is written; its page goes beside it.",
)
def calibrate_command(upstream: str | None, organisms: bool, **how: Any) -> None:
    """Set the guard's threshold to a stated false-alarm rate, on queries with known grounding.

    With --organisms nothing is sent. With --upstream each query is sent three times: once with its drawn image, twice
    without. A right answer counts as one that rests on the image; what the model answers without one does not.

    \b
    snellen guard calibrate --organisms
    snellen guard calibrate --upstream openai/gpt-5 --items 150 --false-alarms 0.1
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if (upstream is None) != organisms:
        raise click.UsageError("On what? Either --organisms or --upstream openai/MODEL.")
    from snellen.commands.calibration import calibrate

    calibrate(upstream=upstream, **how)


@guard_command.command("report")
@click.argument("log", metavar="LOG", type=FilePath(exists=True, dir_okay=False, path_type=Path))
@option(
    "--to",
    type=FilePath(dir_okay=False, path_type=Path),
    help="Where the page is written [default: beside LOG]; its numbers go beside it.",
)
def guard_report_command(log: Path, to: Path | None) -> None:
    """Show what a guard's log says: verdicts, over time and by model, what was done, latency. Sends nothing.

    \b
    snellen guard report guard.jsonl
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.calibration import show_log
    from snellen.commands.guard import key_file

    show_log(log, key=key_file(), to=to)
