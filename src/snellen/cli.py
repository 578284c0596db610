"""The command line: parse, call one function, print."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from dotenv import load_dotenv
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid

from snellen.datasets import MEMBERS as DATASETS
from snellen.errors import SnellenError
from snellen.grading import READERS
from snellen.models import MEMBERS as MODELS
from snellen.plan import Plan, total
from snellen.plugins import find, names
from snellen.prompts import PROMPTS, Settings
from snellen.results import Results
from snellen.stress import MEMBERS as TESTS
from snellen.stress import stress_test
from snellen.stress.words import points
from snellen.study import Study, publish

out = Console(highlight=False, markup=False)


def main() -> None:
    """Run the command line; our own errors are one message and exit status 1, Ctrl-C is 130."""
    load_dotenv(Path.cwd() / ".env")
    try:
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except SnellenError as error:
        click.echo(f"snellen: {error}", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nStopped. What was answered is stored: the same command goes on from here.", err=True)
        sys.exit(130)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="snellen")
def cli() -> None:
    """An eye exam for medical vision-language models, and an audit of their benchmarks.

    Every option can also be set as SNELLEN_<OPTION> in the environment or in a file named .env, where the keys of model
    providers are read from too (OPENAI_API_KEY, OPENAI_BASE_URL).
    """


def study_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that change a study, for every command that has one."""
    for option in reversed(
        (
            _option("--limit", type=click.IntRange(1), help="Ask only the first so many items of each benchmark."),
            _option("--seed", type=int, help="Seed of every random draw."),
            _option("--epochs", type=click.IntRange(1), help="Ask every question so many times."),
            _option("--max-connections", type=click.IntRange(1), help="Requests in flight for each model."),
            _option("--prompt", type=click.Choice(list(PROMPTS)), help="How questions are worded [default: letter]."),
            _option("--reader", type=click.Choice(list(READERS)), help="How replies are read [default: lenient]."),
            _option("--temperature", type=float, help="Sampling temperature; the provider's default if not set."),
            _option("--max-tokens", type=click.IntRange(1), help="Longest reply; the provider's default if not set."),
            _option(
                "--reasoning-effort",
                type=click.Choice(["none", "minimal", "low", "medium", "high"]),
                help="How long a reasoning model may think; the provider's default if not set.",
            ),
            _option("--allow-broken/--no-broken", default=None, help="Leave broken rows out instead of stopping."),
            _option("--dry-run", is_flag=True, help="Say what would be asked, and send nothing."),
        )
    ):
        command = option(command)
    return command


def _option(name: str, *names: str, **settings: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    variable = "SNELLEN_" + name.split("/")[0].lstrip("-").upper().replace("-", "_")
    return click.option(name, *names, envvar=variable, **settings)


@cli.command()
@_option("--model", "models", multiple=True, metavar="PROVIDER/MODEL", help="A model to examine; repeat for more.")
@_option(
    "--benchmark", "benchmarks", multiple=True, help="phantoms, vqa-rad:DIR, a folder of your own; repeat for more."
)
@_option("--tests", multiple=True, help="Stress tests, by name; see `snellen list tests`.")
@_option("--out", default="exam", show_default=True, help="Folder for answers, results and report.")
@study_options
def exam(models: tuple[str, ...], benchmarks: tuple[str, ...], tests: tuple[str, ...], **options: Any) -> None:
    """Examine models on benchmarks and draw the report.

    Without a model, the bundled organisms are examined: small models with known behaviour. Without a benchmark, the
    questions are about bundled phantoms. Neither needs a key or a network.

    \b
    snellen exam
    snellen exam --model openai/gpt-5 --benchmark my-benchmark/ --limit 100
    OPENAI_BASE_URL=http://localhost:8000/v1 snellen exam --model openai/my-model
    """  # noqa: D301 - the backslash keeps the lines below it apart
    dry_run = options.pop("dry_run")
    named: dict[str, Any] = {"models": models, "benchmarks": benchmarks, "tests": _split(tests)}
    given = {name: value for name, value in named.items() if value}
    _conduct(Study(**given, **_changes(options)), dry_run=dry_run)


@cli.command("plan")
@click.argument("study", type=click.Path(exists=True, dir_okay=False))
@study_options
def plan_command(study: str, dry_run: bool, **options: Any) -> None:
    """Say what a study would ask: requests per test, shared ones once. Sends nothing."""
    show_plan(Study.from_toml(study, **_changes(options)).plan())


@cli.command("run")
@click.argument("study", type=click.Path(exists=True, dir_okay=False))
@_option("--out", help="Folder for answers, results and report; else the study's own.")
@study_options
def run_command(study: str, dry_run: bool, **options: Any) -> None:
    """Run a study from its TOML file: ask what is missing, resume what was cut off."""
    _conduct(Study.from_toml(study, **_changes(options)), dry_run=dry_run)


@cli.command()
@click.argument("folder", metavar="OUT", type=click.Path(exists=True, file_okay=False))
@_option("--reader", type=click.Choice(list(READERS)), help="Read the replies with this one, not the study's.")
def score(folder: str, reader: str | None) -> None:
    """Grade stored answers again and write results and report; asks nothing."""
    _show(publish(folder, reader=reader))


@cli.command()
@click.argument("folder", metavar="OUT", type=click.Path(exists=True, file_okay=False))
def report(folder: str) -> None:
    """Draw the report of stored answers again; asks nothing."""
    _show(publish(folder))


@cli.command()
@_option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@_option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port to listen on.")
@_option("--key", help="Refuse requests without this key.")
def serve(host: str, port: int, key: str | None) -> None:
    """Put the organisms behind an OpenAI-compatible endpoint, for trying out any tool that speaks to one."""
    from snellen.serve import serve as serve_forever

    serve_forever(host, port, key=key)


@cli.command("list")
@click.argument("family", type=click.Choice(["datasets", "models", "tests", "conditions"]), required=False)
def list_command(family: str | None) -> None:
    """List datasets, models, tests and conditions, ours and those of plug-ins."""
    for name, show in LISTS.items():
        if family in (None, name):
            grid = Grid(title=name.capitalize(), title_justify="left", show_header=False, box=None, padding=(0, 2))
            for row in show():
                grid.add_row(*row)
            out.print(grid)


def _datasets() -> list[tuple[str, str]]:
    return [(name, _first_line(find("datasets", DATASETS, name))) for name in names("datasets", DATASETS)]


def _models() -> list[tuple[str, str]]:
    return [(f"{name}/…", _first_line(find("models", MODELS, name))) for name in names("models", MODELS)]


def _tests() -> list[tuple[str, str]]:
    return [(name, stress_test(name).asks) for name in names("stress", TESTS)]


def _conditions() -> list[tuple[str, str]]:
    arms = [arm for name in names("stress", TESTS) for arm in stress_test(name).all_arms]
    return list({arm.condition.name: (arm.condition.name, _first_line(type(arm.condition))) for arm in arms}.values())


LISTS = {"datasets": _datasets, "models": _models, "tests": _tests, "conditions": _conditions}


def _first_line(member: Any) -> str:
    return (member.__doc__ or "").strip().partition("\n")[0]


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _changes(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were set, as fields of a study."""
    given = {name: value for name, value in options.items() if value is not None}
    settings = {name: given.pop(name) for name in ("temperature", "max_tokens", "reasoning_effort") if name in given}
    return {**given, "settings": Settings(**settings)} if settings else given


def _conduct(study: Study, *, dry_run: bool) -> None:
    if dry_run:
        show_plan(study.plan())
        return
    progress = study.ask()
    for model, why in progress.unusable.items():
        click.echo(f"snellen: {model} was given up: {why}", err=True)
    if progress.failed:
        click.echo(f"snellen: {progress.failed} requests failed; the same command asks them again.", err=True)
        for model, error in progress.errors.items():
            if model not in progress.unusable:
                click.echo(f"snellen: the last error of {model}: {error}", err=True)
    _show(study.score())
    if progress.unusable or progress.errors.keys() - progress.answered:
        sys.exit(1)


def show_plan(plan: Plan) -> None:
    """Print what a plan asks."""
    counts = list(plan.counts())
    grid = Grid(title=f"{len(plan.models)} models · {plan.epochs} epochs · seed {plan.seed}", title_justify="left")
    for column in ("benchmark", "test", "items", "requests", "of these shared", "detectable", "not applicable"):
        grid.add_column(column)
    for count in counts:
        reasons = "; ".join(f"{number}: {reason}" for reason, number in count.inapplicable.items())
        detectable = points(count.detectable) if count.detectable <= 1 else "nothing"
        numbers = (str(count.items), str(count.requests), str(count.shared))
        grid.add_row(count.benchmark, count.test, *numbers, detectable, reasons or "–")
    out.print(grid)
    out.print(f"{total(counts):,} requests in all. Detectable: in four of five tries, if one answer in five changes.")


def _show(results: Results) -> None:
    """Print the headline of every test and where the report lies."""
    for benchmark in results.benchmarks:
        grid = Grid(title=benchmark, title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=True)
        for column in ("model", "test", "result", "right", "change [95%]", "n"):
            grid.add_column(column, overflow="fold")
        for finding in results.findings:
            if finding.benchmark == benchmark:
                grid.add_row(finding.model, finding.test.name, finding.verdict.status, *finding.headline())
        out.print(grid)
    out.print(f"Report: {(results.folder / 'report.html').resolve()}", soft_wrap=True)
