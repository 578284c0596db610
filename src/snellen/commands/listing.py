"""What there is: each family of members, a line each, and the studies of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.table import Table as Grid

from snellen.asking.stored import completeness
from snellen.benchmarks import MEMBERS as DATASETS
from snellen.benchmarks import published
from snellen.benchmarks.published import Published
from snellen.cli import cli
from snellen.commands.console import out
from snellen.conditions import MEMBERS as CONDITIONS
from snellen.errors import PluginError, StoreError
from snellen.imports import MEMBERS as IMPORTERS
from snellen.imports.importer import importer_named
from snellen.judging.qualify import MEMBERS as QUESTIONS
from snellen.judging.qualify.judge_agreement import question_named
from snellen.models import MEMBERS as MODELS
from snellen.papers import suites as known_suites
from snellen.plugins import find, names, referred
from snellen.prompts import PROMPTS
from snellen.reading.parsers import parser_named, parser_names
from snellen.reading.reports.metrics import metric_named, metric_names
from snellen.report import FILE
from snellen.report.chapter import chapter_from
from snellen.report.words.numbers import begun
from snellen.store import Store, StoredStudy
from snellen.stress import MEMBERS as TESTS
from snellen.stress import stress_test
from snellen.tools.audit.checks import check_named, check_names

Line = tuple[str, str]


def datasets() -> list[Line]:
    """Every dataset and what it is."""
    return _lines(names("datasets", DATASETS), lambda name: _first_line(find("datasets", DATASETS, name)))


def benchmarks() -> list[Line]:
    """Every published benchmark: what it asks, of how many items, and who may have it."""
    return [(name, _published_line(told)) for name, told in published().items()]


def _published_line(told: Published) -> str:
    most = max((count or 0 for count in told.splits.values()), default=0)
    size = f" ({most:,} items in its largest split)" if most else ""
    doubt = "; schema not verified" if told.unverified else ""
    return f"{told.title}: {told.asks}{size}. {told.tier.capitalize()}{doubt}."


def models() -> list[Line]:
    """Every provider of models and what it is."""
    lines = _lines(names("models", MODELS), lambda name: _first_line(find("models", MODELS, name)))
    return [(f"{name}/…", line) for name, line in lines]


def tests() -> list[Line]:
    """Every stress test with its question."""
    return _lines(names("stress", TESTS), lambda name: stress_test(name).asks)


def suites() -> list[Line]:
    """Every suite of tests and whose protocol it is."""
    return [(name, _first_line(suite)) for name, suite in known_suites().items()]


def conditions() -> list[Line]:
    """Every condition and what it does."""
    return _lines(names("conditions", CONDITIONS), lambda name: _first_line(find("conditions", CONDITIONS, name)))


def prompts() -> list[Line]:
    """Every prompt and where its words are from."""
    return [(name, f"{prompt.source[0].upper()}{prompt.source[1:]}.") for name, prompt in PROMPTS.items()]


def parsers() -> list[Line]:
    """Every parser, whose form it takes, and what for an answer."""
    return _lines(parser_names(), lambda name: parser_named(name).words)


def metrics() -> list[Line]:
    """Every metric of generated reports; `snellen metrics --list` says what each needs."""
    return _lines(metric_names(), lambda name: metric_named(name).about.partition(". ")[0].rstrip(".") + ".")


def importers() -> list[Line]:
    """Every format of logs that `snellen import` reads."""
    return _lines(names("importers", IMPORTERS), lambda name: f"{begun(importer_named(name).title)}.")


def checks() -> list[Line]:
    """Every check of an audit with its question."""
    return _lines(check_names(), lambda name: check_named(name).asks)


def questions() -> list[Line]:
    """Every question to a judge that `snellen parser qualify judge` knows, by what its labels are."""
    return _lines(names("questions", QUESTIONS), lambda name: f"Labels: {', '.join(question_named(name).worth)}.")


def chapters() -> list[Line]:
    """Every chapter of the report that tests of ours bring, and those of plug-ins."""
    references = dict.fromkeys(filter(None, (stress_test(name).chapter for name in TESTS)))
    ours = [chapter_from(reference, referred(reference)) for reference in references]
    theirs = _lines(names("chapters", {}), lambda name: chapter_from(name, find("chapters", {}, name)).title)
    return [*((each.anchor, each.title) for each in ours), *theirs]


def commands() -> list[Line]:
    """Every command and what it does."""
    return _lines(cli.commands, lambda name: cli.commands[name].get_short_help_str(limit=200))


def _lines(known: Iterable[str], describe: Callable[[str], str]) -> list[Line]:
    """A line for each member; of a plug-in that cannot be used, the reason."""
    lines = []
    for name in known:
        try:
            lines.append((name, describe(name)))
        except PluginError as error:
            lines.append((name, str(error)))
    return lines


def show_family(name: str) -> None:
    """Print the members of one of the families above, a line each."""
    grid = Grid(title=name.capitalize(), title_justify="left", show_header=False, box=None, padding=(0, 2))
    for row in globals()[name]():
        grid.add_row(*row)
    out.print(grid)


def studies(out: str | Path) -> list[tuple[str, list[Line]]]:
    """Every study of a folder: its name, and what is known of it."""
    with Store.open(out) as store:
        known = store.studies.all()
        if not known:
            raise StoreError(f"{store.folder} holds no study yet.")
        several = len(known) > 1
        return [
            (f"{each.name} (latest)" if several and each.latest else each.name, _about(store, each)) for each in known
        ]


def _about(store: Store, study: StoredStudy) -> list[Line]:
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


def _first_line(member: Any) -> str:
    return (member.__doc__ or "").strip().partition("\n")[0]
