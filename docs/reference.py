"""The reference pages, made from the code: members of every family, commands with their options, and the public names.

`pages()` gives the text of each page by its name. `docs/build.py` writes them into the site; they are not committed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import click

import snellen
import snellen.errors
from snellen.benchmarks import MEMBERS as DATASETS
from snellen.cli import cli
from snellen.cli.options import EnvironmentOption, name_variable
from snellen.conditions import MEMBERS as CONDITIONS
from snellen.errors import SnellenError
from snellen.models import MEMBERS as MODELS
from snellen.models.organisms import ORGANISMS
from snellen.papers import suites
from snellen.plugins import find, names
from snellen.reading.parsers import parser_named, parser_names
from snellen.reading.reports.metrics import metric_named, metric_names
from snellen.stress import MEMBERS as TESTS
from snellen.stress import stress_test
from snellen.tools.audit.checks import check_named, check_names

TAKES = {"integer": "N", "integer range": "N", "float": "X", "float range": "X", "text": "TEXT"}
"""What an option takes, by click's name of its type."""
LONGEST = 88
"""A signature that is longer has a line for each parameter."""


def pages() -> dict[str, str]:
    """Every generated page by its name, as Markdown."""
    makers: dict[str, Callable[[], Iterator[str]]] = {
        "commands": commands,
        "python": python,
        "tests": tests,
        "suites": suite_pages,
        "conditions": conditions,
        "datasets": datasets,
        "models": models,
        "parsers": parsers,
        "metrics": metrics,
        "checks": checks,
        "errors": errors,
    }
    return {f"{name}.md": "\n\n".join(make()) + "\n" for name, make in makers.items()}


def commands() -> Iterator[str]:
    """Each command with its arguments, its text and its options."""
    yield "# Commands"
    yield described(cli.help)
    under = {f"{name} {each}": one for name, command in cli.commands.items() if isinstance(command, click.Group)
             for each, one in command.commands.items()}  # fmt: skip
    for name, command in sorted({**cli.commands, **under}.items()):
        yield f"## snellen {name}"
        context = click.Context(command, info_name=f"snellen {name}")
        yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
        yield described(command.help)
        options = [each for each in command.params if isinstance(each, click.Option)]
        if options:
            rows = (f"| {signed(option)} | {cell(told(option, name, context))} |" for option in options)
            yield "\n".join(("| option | effect |", "|---|---|", *rows))


def described(text: str | None) -> str:
    """A command's text: paragraphs as they are, and what click keeps line by line as a block."""
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(
        "```text\n" + each.removeprefix("\b\n") + "\n```" if each.startswith("\b\n") else plain(each)
        for each in paragraphs
    )


def signed(option: click.Option) -> str:
    """The option as it is typed, with what it takes."""
    typed = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return typed
    if isinstance(option.type, click.Choice):
        return f"{typed} {', '.join(map(str, option.type.choices))}"
    return f"{typed} {cell(option.metavar or TAKES.get(option.type.name, option.type.name))}"


def told(option: click.Option, command: str, context: click.Context) -> str:
    """What an option does, its default and its variable."""
    shown = option.show_default and option.default not in (None, ())
    default = f" Default: `{option.get_default(context)}`." if shown else ""
    variable = f" (`{name_variable(command, option)}`)" if isinstance(option, EnvironmentOption) else ""
    return f"{option.help or ''}{default}{variable}"


def python() -> Iterator[str]:
    """Each public name with its signature and its docstring, and the public methods of classes."""
    yield "# Python"
    yield "The public names of `snellen`. Functions on a folder of stored responses are in `snellen.study`."
    for name in snellen.__all__:
        yield from documented(f"snellen.{name}", getattr(snellen, name))
    yield "## Functions on a folder"
    study = __import__("snellen.study", fromlist=["study"])
    for name in ("publish", "rescore", "gate", "compare", "judge", "bring", "export"):
        yield from documented(f"snellen.study.{name}", getattr(study, name), level=3)


def documented(name: str, member: Any, level: int = 2) -> Iterator[str]:
    """One name: heading, signature, words and methods."""
    yield f"{'#' * level} {name}"
    if inspect.isclass(member) and issubclass(member, Enum):
        yield docstring(member)
        yield ", ".join(f"`{each.name}`" for each in member) + "."
        return
    yield f"```python\n{name.rpartition('.')[2]}{signature_of(member)}\n```"
    yield docstring(member)
    if inspect.isclass(member):
        yield from methods(member)


def methods(kind: type) -> Iterator[str]:
    """The public methods and properties that a class defines itself, a line each."""
    rows = []
    for name, each in vars(kind).items():
        inside = each.__func__ if isinstance(each, classmethod | staticmethod) else each
        if name.startswith("_") or not (inspect.isfunction(inside) or isinstance(inside, property)):
            continue
        call = name if isinstance(inside, property) else f"{name}{signature_of(inside, bound=True)}"
        rows.append(f"| `{cell(call)}` | {cell(first_line(inside))} |")
    if rows:
        yield "\n".join(("| member | is |", "|---|---|", *rows))


def signature_of(member: Any, *, bound: bool = False) -> str:
    """The signature as it would be typed, on one line where it is short and the table needs it, else a line each."""
    try:
        found = inspect.signature(member)
    except (TypeError, ValueError):
        return "(message)"
    parameters = [
        shown(each) for each in list(found.parameters.values())[1 if bound and not inspect.ismethod(member) else 0 :]
    ]
    returns = found.return_annotation
    found = found.replace(
        parameters=parameters, return_annotation=Typed(returns) if isinstance(returns, str) else returns
    )
    line = str(found).removesuffix(" -> None")
    if bound or len(line) <= LONGEST:
        return line
    inside = re.findall(r"[^(].*?(?:, (?=\*?\w+: |\*, )|$)", line[1 : line.rindex(")")])
    return "(\n" + "".join(f"    {each.removesuffix(', ')},\n" for each in inside) + line[line.rindex(")") :]


def shown(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter with its annotation as it was written, and a default only where it is short."""
    if isinstance(parameter.annotation, str):
        parameter = parameter.replace(annotation=Typed(parameter.annotation))
    if parameter.default is inspect.Parameter.empty or (
        len(repr(parameter.default)) <= 40 and "<" not in repr(parameter.default)
    ):
        return parameter
    return parameter.replace(default=Typed("…"))


class Typed(str):
    """A text that stands in a signature as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def tests() -> Iterator[str]:
    """Each stress test with its question and its conditions."""
    yield "# Stress tests"
    yield "What each measures, and how its verdict is made: [concepts](../concepts/suites.md)."
    rows = []
    for name in names("stress", TESTS):
        test = stress_test(name)
        asked = ", ".join(f"`{arm.name}`" for arm in test.all_arms[:3]) + (" …" if len(test.all_arms) > 3 else "")
        rows.append(f"| `{name}` | {cell(test.asks)} | {asked} |")
    yield "\n".join(("| test | question | conditions |", "|---|---|---|", *rows))


def suite_pages() -> Iterator[str]:
    """Each suite with the tests that it runs."""
    yield "# Suites"
    yield "A suite is a set of tests with one name and, if it is a paper's, that paper's prompts: `--tests readiness`."
    for name, suite in suites().items():
        yield f"## {name}"
        yield first_line(suite)
        yield "\n".join(f"- `{each}`" for each in suite().tests)


def conditions() -> Iterator[str]:
    """Each condition."""
    yield "# Conditions"
    yield "One controlled change of an item. `+` joins two: `image-removed+options-shuffled`."
    for name in names("conditions", CONDITIONS):
        yield f"## {name}"
        yield docstring(find("conditions", CONDITIONS, name))


def datasets() -> Iterator[str]:
    """Each benchmark with its settings."""
    yield "# Benchmarks"
    yield (
        "`--benchmark NAME:SETTING=VALUE,…`. [Published ones](../how-to/benchmarks.md), "
        "[your own](../how-to/own-benchmark.md)."
    )
    for name in names("datasets", DATASETS):
        loader = find("datasets", DATASETS, name)
        yield f"## {name}"
        yield f"```python\n{loader.__name__}{signature_of(loader)}\n```"
        yield docstring(loader)


def models() -> Iterator[str]:
    """Each provider of models, and the organisms."""
    yield "# Models and organisms"
    yield "`--model PROVIDER/MODEL`. [Your own](../how-to/own-model.md)."
    for name in names("models", MODELS):
        yield f"## {name}/…"
        yield docstring(find("models", MODELS, name))
    yield "## Organisms"
    yield "Small models with planted behaviour ([why](../concepts/organisms-and-phantoms.md))."
    for name, organism in ORGANISMS.items():
        yield f"### organism/{name}"
        yield docstring(organism)


def parsers() -> Iterator[str]:
    """Each parser with whose form it takes and its rules."""
    yield "# Parsers"
    yield "`--parser NAME`. [How responses are read](../concepts/reading-responses.md)."
    for name in parser_names():
        parser = parser_named(name)
        yield f"## {name}"
        yield f"Kind: `{parser.kind}`."
        yield plain(parser.words)
        if parser.rules:
            rows = (f"| `{rule}` | {cell(words)} |" for rule, words in parser.rules.items())
            yield "\n".join(("| rule | reads |", "|---|---|", *rows))


def metrics() -> Iterator[str]:
    """Each metric of reports with what it compares, whose it is, and what it needs."""
    yield "# Metrics of reports"
    yield "`snellen metrics PAIRS.jsonl --metric NAME`. [Score generated reports](../how-to/score-reports.md)."
    for name in metric_names():
        metric = metric_named(name)
        yield f"## {name}"
        yield plain(f"{metric.title}. {metric.about}")
        yield plain(f"{'Lower is better. ' if metric.lower_is_better else ''}Source: {metric.source}.")
        if metric.needs:
            yield plain(f"Needs: {metric.needs}")


def checks() -> Iterator[str]:
    """Each check of an audit with its question."""
    yield "# Checks of an audit"
    yield "`snellen audit BENCHMARK --check NAME`. [What an audit tells](../concepts/audit.md)."
    for name in check_names():
        check = check_named(name)
        yield f"## {name}"
        yield plain(f"{check.asks}{' It runs only if it is named.' if check.on_demand else ''}")


def errors() -> Iterator[str]:
    """Every error with its meaning, and the exit status that a command ends with."""
    yield "# Errors"
    yield (
        "Every error of Snellen is a `snellen.errors.SnellenError`. A command prints its sentence, which says what was "
        "expected, what came, for which item, and what to do, and ends with exit status 1; a wrong option or argument "
        "ends with 2, Ctrl-C with 130. Nothing that was stored is lost: the same command goes on."
    )
    kinds = [each for each in vars(snellen.errors).values() if inspect.isclass(each) and issubclass(each, SnellenError)]
    rows = (f"| `{each.__name__}` | `{each.__base__.__name__}` | {cell(first_line(each))} |" for each in kinds)
    yield "\n".join(("| error | is a | meaning |", "|---|---|---|", *rows))


def docstring(member: Any) -> str:
    """A docstring as Markdown: words as words, examples as code."""
    parts = inspect.cleandoc(member.__doc__ or "").split("\n\n")
    return "\n\n".join(f"```python\n{each}\n```" if each.startswith(">>>") else plain(each) for each in parts)


def first_line(member: Any) -> str:
    """The first sentence of a docstring."""
    return plain(inspect.cleandoc(member.__doc__ or "").partition("\n\n")[0])


def plain(text: str) -> str:
    """Words that are not taken for Markdown or HTML, outside of code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(each if each.startswith("`") else _escaped(each) for each in parts)


def _escaped(text: str) -> str:
    return re.sub(r"([*_\[\]])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def cell(text: str) -> str:
    """The same on one line, for a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))
