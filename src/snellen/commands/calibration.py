"""What `snellen guard calibrate` and `snellen guard report` do: ask or read, print, and write a file and its page."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from rich.box import SIMPLE
from rich.table import Table as Grid

from snellen.commands.console import out
from snellen.commands.terminal import grading
from snellen.errors import StudyError
from snellen.files import replace_set, write_whole
from snellen.models.client.client import open_client
from snellen.report.words.numbers import with_interval
from snellen.runtime import visible
from snellen.schemas import check_replaceable
from snellen.stats import above_chance_p
from snellen.tools.guard import calibration_page, report
from snellen.tools.guard.calibrate import (
    SCHEMA,
    SHARES,
    TASKS,
    Calibration,
    Case,
    UpstreamTrials,
    calibrated,
    cases,
    organism_trials,
    sentences,
    upstream_trials,
)
from snellen.tools.guard.log import Installation, check_seals, read_log

READS = 0.01
"""A model answers phantoms by sight where so many right answers by luck are less likely than this."""


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
    if to.suffix == ".html":
        raise StudyError(f"The page of the calibration goes to {to}. Choose another name for --to, such as *.json.")
    check_replaceable(to, SCHEMA)
    with grading("drawing the queries"):
        asked = cases(items, seed)
    about: dict[str, Any] = {"created": datetime.now(UTC).isoformat(timespec="seconds"), "seed": seed}
    about["queries"] = f"{len(asked):,} phantoms: {', '.join(TASKS)}"
    if upstream is None:
        with grading("asking the organisms"):
            trials = asyncio.run(organism_trials(asked, seed=seed, stand_in=stand_in))
        about["shares"] = ", ".join(f"{name} {share:.0%}" for name, share in SHARES.items())
        made = calibrated(trials, of="organisms", rate=rate, stand_in=stand_in, about=about)
    else:
        found = _asked_upstream(asked, upstream, connections, stand_in=stand_in)
        about["answered right"] = f"{sum(found.right):,} of {len(found.right):,}"
        about["failed"] = found.failed
        made = calibrated(found.trials, of=upstream, rate=rate, stand_in=stand_in, about=about)
    _show(made)
    page = to.with_suffix(".html")
    with replace_set(to.parent, record=to.name, schema=SCHEMA, page=page.name) as (new, _):
        write_whole(new / to.name, orjson.dumps(made.record(), option=orjson.OPT_INDENT_2))
        write_whole(new / page.name, calibration_page.render(made).encode())
    out.print(f"Calibration: {to.resolve()}\nPage: {page.resolve()}", soft_wrap=True)
    out.print(f"To use it: snellen guard --calibration {to}", soft_wrap=True)
    return made


def _asked_upstream(asked: Sequence[Case], upstream: str, connections: int, *, stand_in: bool) -> UpstreamTrials:
    async def everything() -> UpstreamTrials:
        model = open_client(upstream)
        try:
            return await upstream_trials(asked, model, connections=connections, stand_in=stand_in)
        finally:
            await model.close()

    with grading(f"asking {visible(upstream)}"):
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


def _show(made: Calibration) -> None:
    for line in sentences(made):
        out.print(visible(line), soft_wrap=True)


def show_log(log: Path, *, key: Path | None, to: Path | None) -> report.GuardReport:
    """Print what a log says, and write the page and its numbers."""
    page = to or log.with_suffix(".html")
    numbers = page.with_suffix(".report.json")
    if log.resolve() in (page.resolve(), numbers.resolve()):
        raise StudyError(f"The report would be written over the log {log}. Choose another place with --to.")
    read = read_log(log)
    seals = check_seals(log, Installation.at(key)) if key is not None and key.exists() else None
    if seals is not None and seals.head and seals.broken and len(seals.broken) == seals.last.lines:
        out.print("No seal holds: the log was made under the key of another installation, or all of it was changed.")
        seals = None
    made = report.reported(read.decisions, damaged=read.damaged, seals=seals)
    for line in report.sentences(made):
        out.print(visible(line), soft_wrap=True)
    if made.whole.n:
        out.print(_groups("model", made.models))
        out.print(_groups(f"from (UTC), by {made.step}", made.stretches))
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with replace_set(page.parent, record=numbers.name, schema=report.SCHEMA, page=page.name) as (new, _):
        write_whole(new / page.name, report.render(made, source=log.name, created=created).encode())
        write_whole(new / numbers.name, orjson.dumps(made.record(), option=orjson.OPT_INDENT_2))
    out.print(f"Page: {page.resolve()}\nNumbers: {numbers.resolve()}", soft_wrap=True)
    return made


def _groups(what: str, groups: Sequence[report.Group]) -> Grid:
    grid = Grid(box=SIMPLE, pad_edge=False)
    for column in (what, *report.STATUSES, "unmoved of decided, 95% CI"):
        grid.add_column(column, overflow="fold")
    for each in groups:
        share = each.unmoved
        said = with_interval(share, "share") if share else "–"
        grid.add_row(visible(each.name), *(f"{each.counts[status]:,}" for status in report.STATUSES), said)
    return grid
