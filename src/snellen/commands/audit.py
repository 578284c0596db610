"""What `snellen audit` does: loads a benchmark, looks at it with every check, prints and writes what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.box import SIMPLE
from rich.table import Table as Grid

from snellen.audit.audit import Audit, Watch, audit_benchmark
from snellen.audit.audited import Progress
from snellen.audit.checks import Check, check_named, check_names
from snellen.audit.files import writable, write
from snellen.commands.terminal import Terminal, complain, out
from snellen.runtime import counted, visible
from snellen.study import provenance

ITEMS_NAMED = 3
"""Ids of items printed for a finding; the files have all."""


def show_checks() -> None:
    """Print each check and its question."""
    for name in check_names():
        check = check_named(name)
        out.print(f"{name}{'  (only if it is named)' if check.on_demand else ''}", soft_wrap=True)
        out.print(f"  {check.asks}", soft_wrap=True)


def audit_and_show(
    benchmark: str,
    *,
    train: str | None,
    responses: Sequence[str],
    key_review: str | None,
    folder: str,
    seed: int,
    quotes: bool,
    map: str | None = None,  # noqa: A002 - the option's own name
    **chosen: Sequence[str],
) -> Audit:
    """Audit a benchmark, print what was found, and write the files."""
    writable(folder)  # one that cannot be written is told before anything is computed
    began = perf_counter()
    with _watched() as (watch, progress):
        done = audit_benchmark(
            benchmark, train=train, responses=responses, key_review=key_review, seed=seed, map=map, watch=watch,
            progress=progress, **chosen,
        )  # fmt: skip
    about = _about(train, responses, seed, done, perf_counter() - began)
    page = write(done, folder, about, quotes=quotes)
    show_audit(done)
    for guess in done.of.guesses:
        complain(f"{done.of.name}: {guess}.")
    out.print(f"\nPage: {page.resolve()}", soft_wrap=True)
    return done


def _about(train: str | None, responses: Sequence[str], seed: int, done: Audit, seconds: float) -> dict[str, Any]:
    made = provenance()
    rows: dict[str, Any] = {
        "created": made["created"],
        "benchmark": done.of.name,
        "training split": f"{counted(len(done.of.training), 'item')}{' (named with --train)' if train else ''}",
        "checks": ", ".join(each.check for each in done.checked),
        "seed": seed,
        "seconds": round(seconds, 1),
        "versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items()),
    }
    if responses:
        rows["responses"] = ", ".join(Path(each).name for each in responses)
    return rows


@contextmanager
def _watched() -> Iterator[tuple[Watch, Progress]]:
    """A line that says what is looked for, while it is looked for, and how far what takes long has come."""
    console = Terminal(stderr=True)
    line = "reading …"
    with console.status(line) as status:

        def watch(check: Check, place: int, of: int) -> None:
            nonlocal line
            line = f"{place + 1} of {of}: {check.asks}"
            status.update(line)

        def progress(what: str, done: int, of: int) -> None:
            status.update(f"{line} ({what}: {done:,} of {of:,})")

        yield watch, progress


def show_audit(done: Audit) -> None:
    """Print the findings, what was checked without one, and what cannot be said."""
    of = done.of
    training = f", {counted(len(of.training), 'training item')}" if of.training else ""
    out.print(
        f"{visible(of.name)}: {counted(len(of.items), 'item')}, {len(of.choices):,} with options{training}",
        soft_wrap=True,
    )
    if done.findings:
        grid = Grid(box=SIMPLE, pad_edge=False)
        for column in ("severity", "finding", "items"):
            grid.add_column(column, overflow="fold", justify="right" if column == "items" else "left")
        for finding in done.findings:
            ids = ", ".join(visible(each.item_id) for each in finding.items[:ITEMS_NAMED])
            named = f"\n{ids}{', …' if len(finding.items) > ITEMS_NAMED else ''}" if ids else ""
            told = f"{visible(finding.sentence)}\nTo do: {visible(finding.fix)}{named}"
            grid.add_row(finding.severity.value, told, f"{len(finding.items):,}" if finding.items else "–")
        out.print(grid)
    found = {finding.check for finding in done.findings}
    quiet = [each for each in done.checked if each.looked_at and each.check not in found]
    for words, some in (
        ("Nothing found", [each.check for each in quiet if not each.cannot]),
        ("Nothing found in what could be checked", [each.check for each in quiet if each.cannot]),
    ):
        if some:
            out.print(f"{words}: {', '.join(some)}.", soft_wrap=True)
    for each in done.checked:
        for words in each.cannot:
            out.print(f"Cannot be said ({each.check}): {visible(words)}", soft_wrap=True)
