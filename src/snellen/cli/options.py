"""Options: the types of what is written on a command line, and the options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cached_property, reduce
from math import isfinite
from pathlib import Path
from typing import Any

import click

from snellen.models.secrets import hide_environment
from snellen.runtime import is_encodable, visible
from snellen.unpacking import allow_unpacked, parse_size

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
OLD_VARIABLES = f"{__name__}.old_variables"
"""Those that took the place of one that was found, and were said."""


def tell(*texts: str) -> None:
    """Print each text on stdout; what servers and files say in it is shown, and does nothing."""
    for text in texts:
        click.echo(visible(text))


def complain(*texts: str) -> None:
    """Print errors or warnings on stderr; what servers and files say in them is shown, and does nothing; no keys."""
    for text in texts:
        click.echo(f"snellen: {visible(hide_environment(text))}", err=True)


class Int64(click.types.IntParamType):
    """A whole number of at most 64 bits, which JSON, SQLite and NumPy can hold."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error for a larger one."""
        number = super().convert(value, param, ctx)
        if not -(2**63) <= number < 2**63:
            self.fail(f"expected a whole number of at most 64 bits, got {str(value)[:40]}.", param, ctx)
        return number


class Int64Range(click.IntRange, Int64):
    """The same within a range."""


class Finite(click.types.FloatParamType):
    """A number that is neither infinite nor "not a number"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error for any other."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"expected a number, got {str(value)[:40]}.", param, ctx)
        return number


class FiniteRange(click.FloatRange, Finite):
    """The same within a range."""


class Words(click.types.StringParamType):
    """A text that can be stored and sent."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text; a usage error for bytes that are no text."""
        text = super().convert(value, param, ctx)
        if not is_encodable(text):
            self.fail(f"expected text in UTF-8, got {text[:40]!r}.", param, ctx)
        return text


class FilePath(click.Path):
    """A path; one that no file can have, or one to read that is a pipe or a device, is a usage error."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, checked."""
        try:
            if not str(value):
                raise ValueError("it is empty")
            found = super().convert(value, param, ctx)
            if self.exists and not (Path(value).is_file() or Path(value).is_dir()):
                self.fail(f"{str(value)[:200]!r} is a pipe or a device. Expected a file.", param, ctx)
            Path(value).resolve()
        except (ValueError, RuntimeError) as error:  # a null byte, half a character, links in a circle
            self.fail(f"no file can have the name {str(value)[:40]!r}: {error}.", param, ctx)
        return found


FILE = FilePath(dir_okay=False, path_type=Path)
OLD_FILE = FilePath(exists=True, dir_okay=False, path_type=Path)
FOLDER = FilePath(file_okay=False, path_type=Path)
OLD_FOLDER = FilePath(exists=True, file_okay=False)
EFFORT = click.Choice(["none", "minimal", "low", "medium", "high"])


class LateChoice(click.Choice[str]):
    """One of several names that are looked up when they are needed."""

    def __init__(self, find_names: Callable[[], Iterable[str]]) -> None:
        self._find_names = find_names
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names."""
        return tuple(self._find_names())


class Option(click.Option):
    """An option that SNELLEN_<COMMAND>_<OPTION> in the environment sets, too; its variable of version 0.2 is said."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """The value of its variable; else of the old one, which had no name of the command in it."""
        path = [each.info_name or "" for each in _list_contexts(ctx)]
        own = name_variable(" ".join(path), self)
        if found := os.environ.get(own):
            return found
        found, warned = super().resolve_envvar_value(ctx), ctx.meta.setdefault(OLD_VARIABLES, set())
        if found and own not in warned and not ctx.resilient_parsing:
            warned.add(own)
            complain(f"{self.envvar} is now {own} for this command. The next release reads the new name only.")
        return found


def _list_contexts(context: click.Context) -> list[click.Context]:
    """The contexts of a command and of the groups that it is in, but for the outermost."""
    return [*_list_contexts(context.parent), context] if context.parent else []


def name_variable(command: str, option: click.Option) -> str:
    """The variable that sets an option of a command, which is named as it is typed after `snellen`.

    >>> name_variable("benchmark show", Option(["--max-items", "most"]))
    'SNELLEN_BENCHMARK_SHOW_MAX_ITEMS'
    """
    words = [*command.removesuffix(" open").split(), option.opts[0].lstrip("-")]
    return "_".join(["SNELLEN", *words]).upper().replace("-", "_")


def option(typed: str, *names: str, **settings: Any) -> Decorator:
    """An option as it is typed, such as `--check NAME...` for one that may be repeated; a variable sets it, too.

    Its help says its default if that is a value, and that it may be repeated.
    """
    name, _, takes = typed.partition(" ")
    if takes:
        settings["metavar"] = takes.removesuffix("...")
    if takes.endswith("..."):
        settings["multiple"] = True
        if "repeat" not in settings["help"]:
            settings["help"] = f"{settings['help'].removesuffix('.')}; repeat for more."
    settings.setdefault("show_default", settings.get("default") not in (None, ""))
    if "/" in name:
        settings.setdefault("default", None)
    elif not settings.get("is_flag"):
        settings.setdefault("type", Int64() if type(settings.get("default")) is int else Words())
    old = "SNELLEN_" + name.split("/")[0].lstrip("-").upper().replace("-", "_")
    return click.option(name, *names, cls=Option, **{"envvar": old, **settings})


def name_option(usual: str, *names: str) -> Decorator:
    """The option that names a study, with what it is called without it."""
    return option("--name NAME", *names, help=f"Name of the study in --out [default: {usual}].")


def _allow_unpacked(context: click.Context, _: click.Parameter, size: str | None) -> None:
    """Let packed files unpack to this size while the command runs."""
    if size is not None:
        try:
            context.with_resource(allow_unpacked(parse_size(size)))
        except ValueError as error:
            raise click.BadParameter(visible(str(error))) from error


VERBOSE = f"{__name__}.verbose"


def _set_verbose(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Remember for this command that every test is to be printed."""
    context.meta[VERBOSE] = value


HUMAN = option("--human", help="Human score, drawn as a line: 0.71, or points=56.9,questions=60,right=1.5,wrong=-0.4.")

ALLOW_HOST = option(
    "--allow-host NAME...", "names", help="Another name by which clients without a key may call this server."
)

TIMEOUT = option(
    "--timeout SECONDS",
    type=FiniteRange(0, min_open=True),
    help="Longest time that one request may take [default: 600].",
)

MAP = option(
    "--map FIELD=COLUMN,…",
    help="How columns of your own table are read, such as question=Q,answer=label,images=image_path; images=none reads "
    "no images [default: by their names].",
)

YES = click.option(  # no variable sets it: consent is given on the command line, or when asked
    "--yes",
    is_flag=True,
    default=None,
    help="Allow, without being asked, that images go to other machines and that a study file uses hosts, variables "
    "and files that are not its own.",
)

ON = option(
    "--on ray|ray://HOST:PORT",
    help="Run models of your own (hf/…, vllm/…) and prepare requests on a Ray cluster: ray starts one on this machine, "
    "ray://HOST:PORT or ray://auto joins one. `replicas`, `num_cpus`, `num_gpus` in [[models]] say how much of it.",
)

DRY_RUN = option("--dry-run", is_flag=True, help="Show what would be asked; send nothing.")

UNPACKED = option(
    "--max-unpacked SIZE",
    callback=_allow_unpacked,
    expose_value=False,
    help="Let packed files that you trust (.gz, .zip, .xlsx, .eval, .parquet) unpack to this size, such as 4GB "
    "[default: 2GB, and at most 200 times their own size].",
)

VERBOSELY = option(
    "--verbose",
    is_flag=True,
    callback=_set_verbose,
    expose_value=False,
    help="Print every test with its numbers and reason, not only a line for each model.",
)

UNQUALIFIED = option(
    "--unqualified-judges",
    "unqualified",
    is_flag=True,
    help="Publish also what judges say whose agreement with people is unknown or too low.",
)

OUT = click.argument("folder", metavar="OUT", type=OLD_FOLDER)

PARSER = option(
    "--parser NAME...",
    "parsers",
    help="Use this parser instead of the study's; repeat to compare others with the first.",
)

STUDY = option("--study NAME", help="Which study of OUT; see `snellen list studies OUT` [default: latest].")

STUDY_OPTIONS = (
    option(
        "--limit N",
        type=Int64Range(1),
        help="Ask N items of each benchmark, spread over its kinds of question, categories and answers; the "
        "same for any seed. One benchmark has its own limit in its line: vqa-rad:PATH,limit=60.",
    ),
    option(
        "--sample N",
        type=Int64Range(1),
        help="Ask N items of each benchmark, drawn by category; the same for the same seed.",
    ),
    option(
        "--budget DOLLARS",
        type=FiniteRange(0, min_open=True),
        help="Stop before the study costs more; what is stored of it counts.",
    ),
    option(
        "--prices FILE.toml",
        type=FilePath(exists=True, dir_okay=False),
        help="Prices of your own, in dollars per million tokens.",
    ),
    option("--seed", type=Int64(), help="Seed of every random draw, including the phantoms."),
    option("--epochs", type=Int64Range(1), help="Ask every question N times."),
    option(
        "--repeat/--no-repeat",
        help="With one epoch, ask both orders of the options twice on up to 200 items [default: --repeat].",
    ),
    option(
        "--until-settled/--ask-all",
        help="Ask in a random order and stop once every verdict on a model and benchmark is settled.",
    ),
    option("--max-connections", type=Int64Range(1), help="Requests in flight for each model."),
    TIMEOUT,
    option(
        "--image-side PIXELS",
        type=Int64Range(0),
        help="Scale images down to so many pixels on the longer side; 0 for their own size [default: 2048].",
    ),
    option(
        "--prompt NAME|FILE",
        help="Prompt (see `snellen list prompts`), or a file with one of your own, with places such as "
        "{question} and {options} [default: the suite's own, else letter].",
    ),
    option(
        "--examples FILE.jsonl|BENCHMARK...",
        help="Solved questions to show before each question; repeat for more. None of them may be asked.",
    ),
    option("--shots", type=Int64Range(1), help="Draw N examples from each of --examples, by the seed."),
    option("--system TEXT|FILE", help="System prompt in place of the prompt's own."),
    option("--parser NAME", help="How answers are read from responses; see `snellen list parsers` [default: lenient]."),
    option(
        "--temperature", type=Finite(), help="Sampling temperature [default: the suite's own, else the provider's]."
    ),
    option("--max-tokens", type=Int64Range(1), help="Longest response, in tokens [default: the provider's]."),
    option("--reasoning-effort", type=EFFORT, help="How long a reasoning model may think [default: the provider's]."),
    HUMAN,
    option(
        "--text-only PROVIDER/MODEL...",
        help="Model to examine that takes no images: it is asked only what comes without one.",
    ),
    option(
        "--group NAME=MODEL,MODEL...",
        "groups",
        help="Models that are compared as a group, such as medical=hf/llava-med.",
    ),
    option("--allow-broken/--no-broken", help="Leave out broken rows instead of stopping."),
    UNPACKED,
    MAP,
    option(
        "--batch/--no-batch",
        help="Hand the questions in to the providers' batch APIs: half the price, answered within a day.",
    ),
    option(
        "--canary/--no-canary",
        help="Show each model a few fresh letters before the first image goes out [default: canary].",
    ),
    option(
        "--accept-blind/--no-blind",
        help="Ask a model all the same that images do not reach; no verdict is drawn from its responses.",
    ),
    YES,
)
"""What changes a study, for every command that has one."""


def study_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every option that changes a study."""
    return reduce(lambda made, each: each(made), reversed(STUDY_OPTIONS), command)
