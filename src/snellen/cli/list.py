"""The command `snellen list`: the members of each family, and the studies of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import FilePath, tell
from snellen.errors import PluginError, StoreError
from snellen.plugins import find, load_reference, names

if TYPE_CHECKING:
    from snellen.benchmarks.published import Published
    from snellen.store import Store, StoredStudy

Line = tuple[str, str]


def _list_benchmarks() -> list[Line]:
    from snellen.benchmarks import list_published

    return [(name, _describe_published(told)) for name, told in list_published().items()]


def _list_models() -> list[Line]:
    return [(f"{name}/…", line) for name, line in _list_members("models", "snellen.models")]


def _list_suites() -> list[Line]:
    from snellen.papers import suites

    return [(name, _first_line(suite)) for name, suite in suites().items()]


def _list_tests() -> list[Line]:
    from snellen.stress import MEMBERS, stress_test

    return _describe_each(names("stress", MEMBERS), lambda name: stress_test(name).asks)


def _list_prompts() -> list[Line]:
    from snellen.prompts import PROMPTS

    return [(name, f"{prompt.source[0].upper()}{prompt.source[1:]}.") for name, prompt in PROMPTS.items()]


def _list_parsers() -> list[Line]:
    from snellen.reading.parsers import parser_named, parser_names

    return _describe_each(parser_names(), lambda name: parser_named(name).words)


def _list_metrics() -> list[Line]:
    from snellen.reading.reports.metrics import metric_named, metric_names

    return _describe_each(metric_names(), lambda name: metric_named(name).about.partition(". ")[0].rstrip(".") + ".")


def _list_importers() -> list[Line]:
    from snellen.imports import MEMBERS
    from snellen.imports.importer import importer_named
    from snellen.report.words.numbers import begun

    return _describe_each(names("importers", MEMBERS), lambda name: f"{begun(importer_named(name).title)}.")


def _list_checks() -> list[Line]:
    from snellen.tools.audit.checks import check_named, check_names

    return _describe_each(check_names(), lambda name: check_named(name).asks)


def _list_questions() -> list[Line]:
    from snellen.judging.qualify import MEMBERS
    from snellen.judging.qualify.judge_agreement import question_named

    return _describe_each(names("questions", MEMBERS), lambda name: f"Labels: {', '.join(question_named(name).worth)}.")


def _list_chapters() -> list[Line]:
    from snellen.report.chapter import chapter_from
    from snellen.stress import MEMBERS, stress_test

    references = dict.fromkeys(filter(None, (stress_test(name).chapter for name in MEMBERS)))
    ours = [chapter_from(reference, load_reference(reference)) for reference in references]
    theirs = _describe_each(names("chapters", {}), lambda name: chapter_from(name, find("chapters", {}, name)).title)
    return [*((each.anchor, each.title) for each in ours), *theirs]


def _list_commands() -> list[Line]:
    from snellen.cli import cli

    return _describe_each(cli.commands, lambda name: cli.commands[name].get_short_help_str(limit=200))


FAMILIES: dict[str, Callable[[], list[Line]]] = {
    "datasets": lambda: _list_members("datasets", "snellen.benchmarks"),
    "benchmarks": _list_benchmarks,
    "models": _list_models,
    "suites": _list_suites,
    "tests": _list_tests,
    "conditions": lambda: _list_members("conditions", "snellen.conditions"),
    "prompts": _list_prompts,
    "parsers": _list_parsers,
    "metrics": _list_metrics,
    "importers": _list_importers,
    "checks": _list_checks,
    "questions": _list_questions,
    "chapters": _list_chapters,
    "commands": _list_commands,
}
"""Families by name, each with the function that lists its members."""


@click.command("list")
@click.argument("family", type=click.Choice([*FAMILIES, "studies"]), required=False)
@click.argument("folder", metavar="[OUT]", type=FilePath(file_okay=False), required=False)
def list_command(family: str | None, folder: str | None) -> None:
    """List datasets, models, tests and all other names that options take. Plug-ins are included.

    `snellen list studies OUT` lists the studies of a folder: what they ask, how much of it is answered, and where their
    reports are.
    """
    from rich.table import Table

    from snellen.cli.terminal import out

    if family == "studies":
        if not folder:
            raise click.UsageError("Which folder? snellen list studies OUT, where OUT is the --out of an exam.")
        for name, lines in list_studies(folder):
            tell(name)
            for label, words in lines:
                tell(f"  {label:<11}{words}")
        return
    if folder:
        raise click.UsageError(f"Only studies are listed by folder: snellen list studies {folder}.")
    for name in (family,) if family else FAMILIES:
        grid = Table(title=name.capitalize(), title_justify="left", show_header=False, box=None, padding=(0, 2))
        for row in FAMILIES[name]():
            grid.add_row(*row)
        out.print(grid)


def _describe_published(told: Published) -> str:
    most = max((count or 0 for count in told.splits.values()), default=0)
    size = f" ({most:,} items in its largest split)" if most else ""
    doubt = "; schema not verified" if told.unverified else ""
    return f"{told.title}: {told.asks}{size}. {told.tier.capitalize()}{doubt}."


def _list_members(family: str, home: str) -> list[Line]:
    """List the members of a family with the first lines of their docstrings."""
    ours = import_module(home).MEMBERS
    return _describe_each(names(family, ours), lambda name: _first_line(find(family, ours, name)))


def _first_line(member: Any) -> str:
    return (member.__doc__ or "").strip().partition("\n")[0]


def _describe_each(known: Iterable[str], describe: Callable[[str], str]) -> list[Line]:
    """Return a line for each member. If a plug-in cannot be used, its line is the reason."""
    lines = []
    for name in known:
        try:
            lines.append((name, describe(name)))
        except PluginError as error:
            lines.append((name, str(error)))
    return lines


def list_studies(out: str | Path) -> list[tuple[str, list[Line]]]:
    """List the studies of a folder by name, with dates, models, benchmarks and reports."""
    from snellen.store import Store

    with Store.open(out) as store:
        known = store.studies.load_all()
        if not known:
            raise StoreError(f"{store.folder} holds no study yet.")
        several = len(known) > 1
        return [
            (f"{each.name} (latest)" if several and each.latest else each.name, _describe_study(store, each))
            for each in known
        ]


def _describe_study(store: Store, study: StoredStudy) -> list[Line]:
    from snellen.asking.stored import completeness
    from snellen.report import FILE

    record = store.studies.record(study.name)
    there = completeness(store, record)
    page, to_draw = study.folder / FILE, f"snellen report {store.folder} --study {study.name}"
    when = datetime.fromtimestamp(study.added).astimezone().isoformat(" ", "minutes")
    return [
        ("imported" if study.imported else "asked", when),
        ("models", ", ".join(model for model, _ in record["models"])),
        ("benchmarks", ", ".join(record["benchmarks"])),
        ("tests", ", ".join(record["tests"])),
        ("responses", f"{there.stored:,}" if study.imported else f"{there.stored:,} of {there.wanted:,}"),
        ("report", str(page.resolve()) if page.is_file() else f"not drawn yet: {to_draw}"),
    ]
