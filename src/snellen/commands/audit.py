"""What `snellen audit` does: loads a benchmark, looks at it with every check, prints and writes what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from snellen.commands.complaining import complain
from snellen.commands.console import Terminal, out
from snellen.report.components import Note
from snellen.report.text import draw_text
from snellen.runtime import counted, provenance
from snellen.tools.audit.audit import Audit, Watch, audit_benchmark
from snellen.tools.audit.audited import Progress
from snellen.tools.audit.checks import Check, check_named, check_names
from snellen.tools.audit.files import writable, write
from snellen.tools.audit.page import describe_benchmark, describe_problems, describe_score, list_summary


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
    """Print the first screen of the page: the score, what to mend, and what was not checked."""
    parts = [Note(describe_score(done)), Note(f"{describe_benchmark(done)}. {describe_problems(done)}")]
    out.print(draw_text([*parts, *list_summary(done)], out.width), soft_wrap=True)
