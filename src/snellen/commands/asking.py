"""What `snellen exam`, `plan` and `run` do: make a study of the options, show its plan, ask it and publish it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.asking.bill import bill_plan, is_billed, list_served_locally
from snellen.asking.requests import count_answered
from snellen.commands.complaining import complain
from snellen.commands.publishing import leave, show_all
from snellen.commands.terminal import (
    grading,
    not_sent,
    say_failures,
    show_bill,
    show_how_read,
    show_left_out,
    show_plan,
)
from snellen.papers import suites
from snellen.plugins import names
from snellen.prompts import Settings
from snellen.scoring.human_reference import human_reference
from snellen.stress import MEMBERS
from snellen.study import Study


def conduct(study: Study, *, dry_run: bool) -> None:
    """Ask a study, score it and print its results; with `dry_run` only show what would be asked."""
    if dry_run:
        plan = study.plan()
        show_plan(plan, out_folder=Path(study.out), answered=count_answered(plan))
        show_bill(bill_plan(plan) if is_billed(plan) else [], served=list_served_locally(plan), budget=study.budget)
        return
    show_how_read(study.plan().benchmarks)
    show_left_out({benchmark.name: benchmark.broken for benchmark in study.plan().benchmarks})
    for line in not_sent(study.plan()):
        complain(line)
    progress = study.ask()
    say_failures(progress)
    with grading():
        results = study.score()
    show_all(results)
    leave(progress, results)


def split_tests(values: tuple[str, ...]) -> tuple[str, ...]:
    """Names apart by commas; what follows a name with settings, and names no test, is one more of them."""
    known = {*suites(), *names("stress", MEMBERS)}
    tests: list[str] = []
    for value in values:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        for place, part in enumerate(parts):
            if place and part.partition(":")[0] not in known and (":" in tests[-1] or "=" in part):
                tests[-1] += f",{part}"
            else:
                tests.append(part)
    return tuple(tests)


def study_fields(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were set, as fields of a study."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "shots" in given:
        given["examples"] = _drawn(given.get("examples", ()), given.pop("shots"))
    if "groups" in given:
        given["groups"] = dict(map(_group, given["groups"]))
    if "human" in given:
        given["human"] = human_reference(given["human"])
    settings = {name: given.pop(name) for name in ("temperature", "max_tokens", "reasoning_effort") if name in given}
    return {**given, "settings": Settings(**settings)} if settings else given


def _drawn(examples: tuple[str, ...], shots: int) -> list[dict[str, Any]]:
    if not examples:
        raise click.UsageError("--shots draws from --examples: name a file or a benchmark there.")
    return [{"benchmark": each, "number": shots} for each in examples]


def _group(given: str) -> tuple[str, list[str]]:
    name, _, members = given.partition("=")
    if not name.strip() or not members.strip(" ,"):
        raise click.BadParameter(f"expected NAME=MODEL,MODEL, got {given!r}.", param_hint="--group")
    return name.strip(), [each.strip() for each in members.split(",") if each.strip()]


def count_graded(study: Study | None, responses: int | None) -> dict[str, int]:
    """How many responses a judge would grade of one model under one condition, by benchmark."""
    if responses is not None or study is None:
        return {"": 1000 if responses is None else responses}
    plan = study.plan()
    return {each.name: len(each.items[: plan.limit_of(each)]) * plan.epochs_of(each) for each in plan.benchmarks}
