"""The commands `snellen guard`, `guard calibrate` and `guard report`: the proxy, its threshold, its log."""

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
    from snellen.tools.guard.calibrate import Calibration, CalibrationCase, UpstreamTrials
    from snellen.tools.guard.proxy import Conduct, Proxy
    from snellen.tools.guard.report import Group, GuardReport
    from snellen.tools.guard.upstream import Upstream

READS = 0.01
"""A model can read phantoms if random guessing reaches its score with a probability below this."""


@click.group("guard", cls=WholeLines, invoke_without_command=True)
@option(
    "--upstream openai/MODEL", help="Model to guard, at OPENAI_BASE_URL; openai alone: every model at that address."
)
@option("--host", default="127.0.0.1", help="Address to listen on; any address but the default needs a key.")
@option("--port", type=Int64Range(0, 65535), default=8900, help="Port to listen on; 0 chooses a free one.")
@option("--key", help="Key that clients must send.")
@option("--pass-key", is_flag=True, help="Send each client's own key to the upstream, not OPENAI_API_KEY.")
@ALLOW_HOST
@option(
    "--policy",
    type=click.Choice(["annotate", "warn", "block"]),
    default="annotate",
    help="What to do with a response that the image did not change.",
)
@option("--rate", type=FiniteRange(0, 1), default=1.0, help="Share of the queries with an image that are checked.")
@option("--stand-in phantom|DIR", help="Also ask about another image: a drawn one (phantom), or one from a folder.")
@option("--rephrase", is_flag=True, help="Also ask in other words, to distinguish a changed from an unsteady response.")
@option(
    "--patience SECONDS",
    type=FiniteRange(0, min_open=True),
    default=10.0,
    help="How long a response waits for the extra calls, in seconds.",
)
@option(
    "--on-failure",
    type=click.Choice(["open", "closed"]),
    default="open",
    help="Pass an unchecked response, or hold it back.",
)
@option("--withhold", is_flag=True, help="Also leave held-back responses out of the field snellen.")
@option("--calibration", type=FILE, help="File of snellen guard calibrate [default: threshold 0.5].")
@option("--log", type=FILE, default=Path("guard.jsonl"), help="File for the decisions, without words, images or keys.")
@TIMEOUT
@click.pass_context
def guard_command(context: click.Context, /, upstream: str | None, **options: Any) -> None:
    """Proxy that reports whether the image changed each response.

    It is OpenAI-compatible and stands between a program and its model. It sends a query with an image
    on unchanged, and also asks it without the image. The header X-Snellen and the field `snellen` of the response say
    whether the image changed the answer (moved, unmoved or undecided), with the evidence. --policy warn adds a sentence
    to an unmoved response; block replaces the response with it.

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
    """Return the file of this installation's key, which is used to hash queries."""
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
    """Run the guard until Ctrl-C. It needs a key to listen beyond this computer."""
    from snellen.listening import is_loopback
    from snellen.tools.guard.calibrate import read_calibration
    from snellen.tools.guard.log import GuardLog, Installation
    from snellen.tools.guard.proxy import Proxy
    from snellen.tools.guard.stand_ins import PHANTOM, draw_all, stand_ins
    from snellen.tools.guard.upstream import open_upstream

    if conduct.key and pass_key:
        raise StudyError("Choose --key (the guard's own) or --pass-key (the upstream's), not both.")
    if not is_loopback(host) and not conduct.key and not pass_key:
        raise StudyError(
            f"Other computers can reach the guard at {host}. Set a key that its clients must send (--key or "
            "SNELLEN_GUARD_KEY), or let each client send its own to the upstream (--pass-key)."
        )
    misfits: list[str] = []
    if calibration is not None:
        found = read_calibration(calibration)
        conduct = replace(conduct, threshold=found.threshold)
        misfits = found.misfits(upstream.strip(), stand_in=stand_in is not None)
    behind = open_upstream(upstream, timeout=timeout, pass_key=pass_key)
    installation = Installation.from_file(key_file())
    chosen = None if stand_in is None else stand_ins(stand_in)
    if stand_in == PHANTOM:
        draw_all()
    _warm_up()
    written = GuardLog(log, installation)
    proxy = Proxy(behind, conduct, log=written, installation=installation, stand_ins=chosen)
    try:
        with suppress(KeyboardInterrupt):
            told = [*_list_warnings(conduct, pass_key=pass_key), *misfits, *filter(None, [written.doubt])]
            asyncio.run(_guard(proxy, behind, host, port, told, log))
        if written.head.lines:
            last = f"Lines written to the log: {written.head.lines:,}. The last seal is {written.head.seal}."
            print(f"{last} Keep the seal elsewhere: anyone with the key of this installation could forge the log.")
    finally:
        written.close()


def _warm_up() -> None:
    """Compare a few responses, so that the first query does not wait for imports."""
    from snellen.tools.guard.signal import GuardResponse, compare

    for question in ("Which side is it on?\nA. Left\nB. Right", "Is there an effusion?", "Describe the chest X-ray."):
        for reply in ("Answer: A", "No.", "There is a small left pleural effusion. The heart is normal."):
            others = ("No image was provided.", "I cannot answer this.", "Yes, on the right, and a nodule. Answer: B")
            compare(question, GuardResponse(reply), [GuardResponse(other) for other in others])


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


def _list_warnings(conduct: Conduct, *, pass_key: bool) -> list[str]:
    """List what the user should know when the guard starts."""
    said = ["Every checked query is asked at least twice, which the provider bills."]
    if conduct.threshold is None:
        said.append("No threshold was calibrated, so 0.5 is used. To calibrate one: snellen guard calibrate")
    if conduct.policy == "block" or conduct.closed:
        said.append("Streamed responses are kept until they are checked, then sent at once.")
    if pass_key:
        said.append("Each client's key is sent to the upstream, for the extra calls too.")
    return said


@guard_command.command("calibrate")
@option("--upstream openai/MODEL", help="Model to calibrate on, at OPENAI_BASE_URL.")
@option(
    "--organisms",
    is_flag=True,
    help="Calibrate on organisms (test models with known flaws); half of their responses depend on the image.",
)
@option(
    "--false-alarms",
    "rate",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help="Tolerated share of false alarms: responses that use the image but reach the threshold.",
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
@option("--seed", default=0, help="Seed of the images, and of the organism that answers each query.")
@option(
    "--to",
    type=FILE,
    default=Path("calibration.json"),
    help="File for the calibration; its page is written beside it.",
)
def calibrate_command(upstream: str | None, organisms: bool, **how: Any) -> None:
    """Set the guard's threshold to a stated false-alarm rate, on queries with known grounding.

    With --organisms nothing is sent. With --upstream each query is sent three times: once with its drawn image, twice
    without. A correct answer counts as one that depends on the image; an answer without the image does not.

    \b
    snellen guard calibrate --organisms
    snellen guard calibrate --upstream openai/gpt-5 --items 150 --false-alarms 0.1
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if (upstream is None) != organisms:
        raise click.UsageError("Calibrate on which models? Choose --organisms or --upstream openai/MODEL.")
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
    """Calibrate the guard on organisms or the user's upstream, and write the result."""
    from orjson import OPT_INDENT_2, dumps

    from snellen.cli.terminal import working
    from snellen.files import replace_set, write_whole
    from snellen.schemas import check_replaceable
    from snellen.tools.guard import calibration_page
    from snellen.tools.guard.calibrate import SCHEMA, SHARES, TASKS, cases, make_calibration, organism_trials, sentences

    if to.suffix == ".html":
        raise StudyError(f"{to} is the name of the page. Choose a name for --to that ends in .json.")
    check_replaceable(to, SCHEMA)
    with working("drawing the queries"):
        asked = cases(items, seed)
    about: dict[str, Any] = {"created": datetime.now(UTC).isoformat(timespec="seconds"), "seed": seed}
    about["queries"] = f"{len(asked):,} phantoms: {', '.join(TASKS)}"
    if upstream is None:
        with working("asking the organisms"):
            trials = asyncio.run(organism_trials(asked, seed=seed, stand_in=stand_in))
        about["shares"] = ", ".join(f"{name} {share:.0%}" for name, share in SHARES.items())
        made = make_calibration(trials, of="organisms", rate=rate, stand_in=stand_in, about=about)
    else:
        found = _ask_upstream(asked, upstream, connections, stand_in=stand_in)
        about["answered right"] = f"{sum(found.right):,} of {len(found.right):,}"
        about["failed"] = found.failed
        made = make_calibration(found.trials, of=upstream, rate=rate, stand_in=stand_in, about=about)
    tell(*sentences(made))
    page = to.with_suffix(".html")
    with replace_set(to.parent, record=to.name, schema=SCHEMA, page=page.name) as (new, _):
        write_whole(new / to.name, dumps(made.record(), option=OPT_INDENT_2))
        write_whole(new / page.name, calibration_page.render(made).encode())
    tell(f"Calibration: {to.resolve()}\nPage: {page.resolve()}")
    tell(f"To use it: snellen guard --calibration {to}")
    return made


def _ask_upstream(
    asked: Sequence[CalibrationCase], upstream: str, connections: int, *, stand_in: bool
) -> UpstreamTrials:
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
            f"{found.failed} of {len(asked)} queries to {upstream} failed, too many to calibrate on. Check "
            "the address and the key with: snellen chart, or calibrate on organisms with --organisms."
        )
    hits, chances = [*map(float, found.right)], list(found.chances)
    if above_chance_p(hits, chances) > READS:
        raise StudyError(
            f"{upstream} answers {sum(found.right)} of {len(found.right)} questions about drawn images correctly. "
            "Guessing could do the same, so no response is known to depend on the image. "
            "Ask more with --items, or calibrate on organisms with --organisms."
        )
    return found


@guard_command.command("report")
@click.argument("log", metavar="LOG", type=OLD_FILE)
@option("--to", type=FILE, help="File for the page [default: beside LOG]; its numbers are written beside it.")
def guard_report_command(log: Path, to: Path | None) -> None:
    """Show a guard's log: verdicts, over time and by model, actions, latency. Sends nothing.

    \b
    snellen guard report guard.jsonl
    """  # noqa: D301 - the backslash keeps the lines below it apart
    show_log(log, key=key_file(), to=to)


def show_log(log: Path, *, key: Path | None, to: Path | None) -> GuardReport:
    """Print a summary of a log, and write the page and its numbers."""
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
    seals = check_seals(log, Installation.from_file(key)) if key is not None and key.exists() else None
    if seals is not None and seals.head and seals.broken and len(seals.broken) == seals.last.lines:
        tell("No signature is valid: the log is from another installation, or all of it was changed.")
        seals = None
    made = report.make_report(read.decisions, damaged=read.damaged, seals=seals)
    tell(*report.sentences(made))
    if made.whole.n:
        for what, groups in (("model", made.models), (f"from (UTC), by {made.step}", made.stretches)):
            columns = (what, *report.STATUSES, "unmoved, % of moved and unmoved (95% CI)")
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
