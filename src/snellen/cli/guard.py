"""The commands `snellen guard`, `guard calibrate` and `guard report`: the proxy, its threshold and its log."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.loading import WholeLines
from snellen.cli.options import (
    ALLOW_HOST,
    FILE,
    OLD_FILE,
    TIMEOUT,
    FiniteRange,
    Int64Range,
    option,
    tell,
)
from snellen.errors import StudyError
from snellen.runtime import visible

if TYPE_CHECKING:
    from snellen.tools.guard.calibrate import Calibration, Case, UpstreamTrials
    from snellen.tools.guard.proxy import Conduct, Proxy
    from snellen.tools.guard.report import Group, GuardReport
    from snellen.tools.guard.upstream import Upstream

READS = 0.01
"""A model answers phantoms by sight where so many right answers by luck are less likely than this."""


@click.group("guard", cls=WholeLines, invoke_without_command=True)
@option("--upstream openai/MODEL", help="Model to guard, at OPENAI_BASE_URL; openai alone: any there.")
@option("--host", default="127.0.0.1", help="Address to listen on; any other needs a key.")
@option("--port", type=Int64Range(0, 65535), default=8900, help="Port to listen on; 0: any.")
@option("--key", help="Key that clients must send.")
@option("--pass-key", is_flag=True, help="Send each client's own key to the upstream, not OPENAI_API_KEY.")
@ALLOW_HOST
@option(
    "--policy",
    type=click.Choice(["annotate", "warn", "block"]),
    default="annotate",
    help="What is done with a reply that the image did not move.",
)
@option("--rate", type=FiniteRange(0, 1), default=1.0, help="Share of the queries with an image that are checked.")
@option("--stand-in phantom|DIR", help="Ask about another image as well: a drawn one, or one of a folder.")
@option("--rephrase", is_flag=True, help="Ask in other words as well, to tell a change from an unsteady reply.")
@option(
    "--patience SECONDS",
    type=FiniteRange(0, min_open=True),
    default=10.0,
    help="How long a reply waits for the extra calls.",
)
@option(
    "--on-failure",
    type=click.Choice(["open", "closed"]),
    default="open",
    help="Pass a reply that could not be checked, or hold it back.",
)
@option("--withhold", is_flag=True, help="Leave a reply that is held back out of the field snellen as well.")
@option("--calibration", type=FILE, help="Threshold from snellen guard calibrate [default: 0.5].")
@option(
    "--log", type=FILE, default=Path("guard.jsonl"), help="Where decisions are written, without words, images or keys."
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
    from snellen.tools.guard.proxy import Conduct

    conduct = Conduct(
        closed=options.pop("on_failure") == "closed",
        **{name: options.pop(name) for name in ("policy", "rate", "patience", "withhold", "rephrase", "key", "names")},
    )
    given = {name: value for name, value in options.items() if value is not None}
    guard(upstream, given.pop("host"), given.pop("port"), conduct, **given)


def key_file() -> Path:
    """Where the key of this installation lies, under which queries are hashed."""
    from snellen.files import user_folder

    return user_folder() / "guard.key"


def guard(
    upstream: str,
    host: str,
    port: int,
    conduct: Conduct,
    *,
    log: Path,
    stand_in: str | None = None,
    calibration: Path | None = None,
    pass_key: bool = False,
    timeout: float = 600.0,
) -> None:
    """Run the guard until Ctrl-C; refuses to listen beyond this computer without a key."""
    from snellen.listening import is_loopback
    from snellen.tools.guard.calibrate import read_calibration
    from snellen.tools.guard.log import Installation, Log
    from snellen.tools.guard.proxy import Proxy
    from snellen.tools.guard.stand_ins import PHANTOM, draw_all, stand_ins
    from snellen.tools.guard.upstream import open_upstream

    if conduct.key and pass_key:
        raise StudyError("Clients send one key: choose --key (the guard's own) or --pass-key (the upstream's).")
    if not is_loopback(host) and not conduct.key and not pass_key:
        raise StudyError(
            f"At {host} others than this computer reach the guard. Set a key that its clients must send (--key or "
            "SNELLEN_GUARD_KEY), or let each send its own to the upstream (--pass-key)."
        )
    misfits: list[str] = []
    if calibration is not None:
        found = read_calibration(calibration)
        conduct = replace(conduct, threshold=found.threshold)
        misfits = found.misfits(upstream.strip(), stand_in=stand_in is not None)
    behind = open_upstream(upstream, timeout=timeout, pass_key=pass_key)
    installation = Installation.at(key_file())
    chosen = None if stand_in is None else stand_ins(stand_in)
    if stand_in == PHANTOM:
        draw_all()
    _warm_up()
    written = Log(log, installation)
    proxy = Proxy(behind, conduct, log=written, installation=installation, stand_ins=chosen)
    try:
        with suppress(KeyboardInterrupt):
            told = [*_told(conduct, pass_key=pass_key), *misfits, *filter(None, [written.doubt])]
            asyncio.run(_guard(proxy, behind, host, port, told, log))
        if written.head.lines:
            last = f"Lines written to the log: {written.head.lines:,}. The last seal is {written.head.seal}."
            print(f"{last} Keep it elsewhere: whoever has the key can write the log anew.")
    finally:
        written.close()


def _warm_up() -> None:
    """Compare a few replies, so that the first query does not wait for what that loads."""
    from snellen.tools.guard.signal import Answered, compare

    for question in ("Which side is it on?\nA. Left\nB. Right", "Is there an effusion?", "Describe the chest X-ray."):
        for reply in ("Answer: A", "No.", "There is a small left pleural effusion. The heart is normal."):
            others = ("No image was provided.", "I cannot answer this.", "Yes, on the right, and a nodule. Answer: B")
            compare(question, Answered(reply), [Answered(other) for other in others])


async def _guard(proxy: Proxy, behind: Upstream, host: str, port: int, told: list[str], log: Path) -> None:
    from snellen.tools.guard.proxy import start

    async with await start(proxy, host, port) as server:
        served = behind.model or "every model"
        print(f"Guarding {served} of {behind.shown} at {server.url} (Ctrl-C ends it).", flush=True)
        print(visible(f"Decisions go to {log}."))
        for line in told:
            print(visible(line), flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            await behind.transport.close()


def _told(conduct: Conduct, *, pass_key: bool) -> list[str]:
    """What somebody who starts the guard should know."""
    said = ["Every checked query is asked at least twice, which the provider bills."]
    if conduct.threshold is None:
        said.append("No threshold was calibrated, 0.5 is used. Run: snellen guard calibrate")
    if conduct.policy == "block" or conduct.closed:
        said.append("Streamed replies are kept until they are checked, then sent at once.")
    if pass_key:
        said.append("Each client's key goes to the upstream, for the extra calls too.")
    return said


@guard_command.command("calibrate")
@option("--upstream openai/MODEL", help="Model to calibrate on, at OPENAI_BASE_URL.")
@option(
    "--organisms", is_flag=True, help="Calibrate on organisms in known shares: half of the replies rest on the image."
)
@option(
    "--false-alarms",
    "rate",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help="Share of replies that rest on the image and may reach the threshold all the same.",
)
@option("--items", type=Int64Range(3), default=600, help="Queries to ask, on drawn images.")
@option(
    "--stand-in",
    is_flag=True,
    envvar=None,
    show_default=False,
    default=lambda: any(map(os.environ.get, ("SNELLEN_GUARD_STAND_IN", "SNELLEN_STAND_IN"))),  # the guard's own
    help="Calibrate for a guard that asks about a stand-in image as well.",
)
@option("--max-connections", "connections", type=Int64Range(1), default=8, help="Queries at once.")
@option("--seed", default=0, help="Seed of the images and of who answers.")
@option(
    "--to",
    type=FILE,
    default=Path("calibration.json"),
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
    calibrate(upstream=upstream, **how)


def calibrate(
    *,
    upstream: str | None,
    rate: float,
    items: int,
    seed: int,
    stand_in: bool,
    connections: int,
    to: Path,
) -> Calibration:
    """Calibrate the guard on organisms, or on the user's own upstream; print what it is worth and write it."""
    from orjson import OPT_INDENT_2, dumps

    from snellen.cli.terminal import working
    from snellen.files import replace_set, write_whole
    from snellen.schemas import check_replaceable
    from snellen.tools.guard import calibration_page
    from snellen.tools.guard.calibrate import SCHEMA, SHARES, TASKS, calibrated, cases, organism_trials, sentences

    if to.suffix == ".html":
        raise StudyError(f"The page of the calibration goes to {to}. Choose another name for --to, such as *.json.")
    check_replaceable(to, SCHEMA)
    with working("drawing the queries"):
        asked = cases(items, seed)
    about: dict[str, Any] = {"created": datetime.now(UTC).isoformat(timespec="seconds"), "seed": seed}
    about["queries"] = f"{len(asked):,} phantoms: {', '.join(TASKS)}"
    if upstream is None:
        with working("asking the organisms"):
            trials = asyncio.run(organism_trials(asked, seed=seed, stand_in=stand_in))
        about["shares"] = ", ".join(f"{name} {share:.0%}" for name, share in SHARES.items())
        made = calibrated(trials, of="organisms", rate=rate, stand_in=stand_in, about=about)
    else:
        found = _ask_upstream(asked, upstream, connections, stand_in=stand_in)
        about["answered right"] = f"{sum(found.right):,} of {len(found.right):,}"
        about["failed"] = found.failed
        made = calibrated(found.trials, of=upstream, rate=rate, stand_in=stand_in, about=about)
    tell(*sentences(made))
    page = to.with_suffix(".html")
    with replace_set(to.parent, record=to.name, schema=SCHEMA, page=page.name) as (new, _):
        write_whole(new / to.name, dumps(made.record(), option=OPT_INDENT_2))
        write_whole(new / page.name, calibration_page.render(made).encode())
    tell(f"Calibration: {to.resolve()}\nPage: {page.resolve()}")
    tell(f"To use it: snellen guard --calibration {to}")
    return made


def _ask_upstream(asked: Sequence[Case], upstream: str, connections: int, *, stand_in: bool) -> UpstreamTrials:
    from snellen.cli.terminal import working
    from snellen.models.client.client import open_client
    from snellen.stats import above_chance_p
    from snellen.tools.guard.calibrate import upstream_trials

    async def everything() -> UpstreamTrials:
        model = open_client(upstream)
        try:
            return await upstream_trials(asked, model, connections=connections, stand_in=stand_in)
        finally:
            await model.close()

    with working(f"asking {visible(upstream)}"):
        found = asyncio.run(everything())
    if len(found.right) < len(asked) / 2:
        raise StudyError(
            f"{found.failed} of {len(asked)} queries to {upstream} failed, so nothing can be calibrated on it. Check "
            "the address and the key with: snellen chart, or calibrate on organisms with --organisms."
        )
    hits, chances = [*map(float, found.right)], list(found.chances)
    if above_chance_p(hits, chances) > READS:
        raise StudyError(
            f"{upstream} answers {sum(found.right)} of {len(found.right)} questions about drawn images right, which "
            "luck can do: none of its replies is known to rest on the image. Ask more with --items, or calibrate on "
            "organisms with --organisms."
        )
    return found


@guard_command.command("report")
@click.argument("log", metavar="LOG", type=OLD_FILE)
@option("--to", type=FILE, help="Where the page is written [default: beside LOG]; its numbers go beside it.")
def guard_report_command(log: Path, to: Path | None) -> None:
    """Show what a guard's log says: verdicts, over time and by model, what was done, latency. Sends nothing.

    \b
    snellen guard report guard.jsonl
    """  # noqa: D301 - the backslash keeps the lines below it apart
    show_log(log, key=key_file(), to=to)


def show_log(log: Path, *, key: Path | None, to: Path | None) -> GuardReport:
    """Print what a log says, and write the page and its numbers."""
    from orjson import OPT_INDENT_2, dumps

    from snellen.cli.terminal import print_table
    from snellen.files import replace_set, write_whole
    from snellen.tools.guard import report
    from snellen.tools.guard.log import Installation, check_seals, read_log

    page = to or log.with_suffix(".html")
    numbers = page.with_suffix(".report.json")
    if log.resolve() in (page.resolve(), numbers.resolve()):
        raise StudyError(f"The report would be written over the log {log}. Choose another place with --to.")
    read = read_log(log)
    seals = check_seals(log, Installation.at(key)) if key is not None and key.exists() else None
    if seals is not None and seals.head and seals.broken and len(seals.broken) == seals.last.lines:
        tell("No seal holds: the log was made under the key of another installation, or all of it was changed.")
        seals = None
    made = report.reported(read.decisions, damaged=read.damaged, seals=seals)
    tell(*report.sentences(made))
    if made.whole.n:
        for what, groups in (("model", made.models), (f"from (UTC), by {made.step}", made.stretches)):
            columns = (what, *report.STATUSES, "unmoved of decided, 95% CI")
            print_table(columns, map(_describe_group, groups))
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with replace_set(page.parent, record=numbers.name, schema=report.SCHEMA, page=page.name) as (new, _):
        write_whole(new / page.name, report.render(made, source=log.name, created=created).encode())
        write_whole(new / numbers.name, dumps(made.record(), option=OPT_INDENT_2))
    tell(f"Page: {page.resolve()}\nNumbers: {numbers.resolve()}")
    return made


def _describe_group(each: Group) -> tuple[str, ...]:
    from snellen.report.words.numbers import with_interval
    from snellen.tools.guard.report import STATUSES

    said = with_interval(each.unmoved, "share") if each.unmoved else "–"
    return (each.name, *(f"{each.counts[status]:,}" for status in STATUSES), said)
