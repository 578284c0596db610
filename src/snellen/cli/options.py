"""Types of command-line values, and options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, reduce
from math import isfinite
from pathlib import Path
from typing import Any

import click

from snellen.models.secrets import hide_environment
from snellen.plugins import load_reference
from snellen.runtime import is_encodable, visible
from snellen.unpacking import allow_unpacked, parse_size

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
OLD_VARIABLES = f"{__name__}.old_variables"
"""Key of a set: old environment variables about which the user was warned."""


def tell(*texts: str) -> None:
    """Print each text on stdout, with control characters made visible."""
    for text in texts:
        click.echo(visible(text))


def complain(*texts: str) -> None:
    """Print errors or warnings on stderr, without control characters and keys."""
    for text in texts:
        click.echo(f"snellen: {visible(hide_environment(text))}", err=True)


class Int64(click.types.IntParamType):
    """Whole number of at most 64 bits, which JSON, SQLite and NumPy can hold."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; usage error for a larger one."""
        number = super().convert(value, param, ctx)
        if not -(2**63) <= number < 2**63:
            self.fail(f"expected a whole number of at most 64 bits, got {str(value)[:40]}.", param, ctx)
        return number


class Int64Range(click.IntRange, Int64):
    """Whole number of at most 64 bits within a range."""


class Finite(click.types.FloatParamType):
    """Number that is neither infinite nor NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; usage error for any other value."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"expected a number, got {str(value)[:40]}.", param, ctx)
        return number


class FiniteRange(click.FloatRange, Finite):
    """Finite number within a range."""


class TextValue(click.types.StringParamType):
    """Text that can be stored and sent."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text; usage error if its bytes are not UTF-8."""
        text = super().convert(value, param, ctx)
        if not is_encodable(text):
            self.fail(f"expected text in UTF-8, got {text[:40]!r}.", param, ctx)
        return text


class FilePath(click.Path):
    """Path; impossible names, pipes and devices are usage errors."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; usage error if it cannot be used."""
        try:
            if not str(value):
                raise ValueError("it is empty")
            found = super().convert(value, param, ctx)
            if self.exists and not (Path(value).is_file() or Path(value).is_dir()):
                self.fail(f"{str(value)[:200]!r} is a pipe or a device. Expected a file.", param, ctx)
            Path(value).resolve()
        except (ValueError, RuntimeError) as error:  # a null byte, a lone surrogate, links in a circle
            self.fail(f"no file can have the name {str(value)[:40]!r}: {error}.", param, ctx)
        return found


FILE = FilePath(dir_okay=False, path_type=Path)
OLD_FILE = FilePath(exists=True, dir_okay=False, path_type=Path)
FOLDER = FilePath(file_okay=False, path_type=Path)
OLD_FOLDER = FilePath(exists=True, file_okay=False)
EFFORT = click.Choice(["none", "minimal", "low", "medium", "high"])


class LateChoice(click.Choice[str]):
    """One of several names. `reference` is the path of the names or of a function that lists them."""

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names that can be chosen."""
        names = load_reference(self._reference)
        return tuple(names() if callable(names) else names)


class EnvironmentOption(click.Option):
    """Option that the variable SNELLEN_<COMMAND>_<OPTION> can also set."""

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the option's variable, or of its variable in version 0.2."""
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
    return [*_list_contexts(context.parent), context] if context.parent else []


def name_variable(command: str, option: click.Option) -> str:
    """Return the name of the variable that sets an option of a command.

    >>> name_variable("benchmark show", EnvironmentOption(["--max-items", "most"]))
    'SNELLEN_BENCHMARK_SHOW_MAX_ITEMS'
    """
    words = [*command.removesuffix(" open").split(), option.opts[0].lstrip("-")]
    return "_".join(["SNELLEN", *words]).upper().replace("-", "_")


def option(typed: str, *names: str, **settings: Any) -> Decorator:
    """Make an option from its usage, such as `--check NAME...` for a repeatable one.

    The help text states the default, if there is one, and that the option may be repeated.
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
        settings.setdefault("type", Int64() if type(settings.get("default")) is int else TextValue())
    old = "SNELLEN_" + name.split("/")[0].lstrip("-").upper().replace("-", "_")
    return click.option(name, *names, cls=EnvironmentOption, **{"envvar": old, **settings})


def name_option(usual: str, *names: str) -> Decorator:
    """Make the option that names a study; `usual` describes its default."""
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
    """Record that this command should print every test."""
    context.meta[VERBOSE] = value


HUMAN = option("--human", help="Human score, drawn as a line: 0.71, or points=56.9,questions=60,right=1.5,wrong=-0.4.")

ALLOW_HOST = option(
    "--allow-host NAME...", "names", help="Another host name under which clients without a key may reach this server."
)

TIMEOUT = option(
    "--timeout SECONDS",
    type=FiniteRange(0, min_open=True),
    help="Longest time that one request may take [default: 600].",
)

MAP = option(
    "--map FIELD=COLUMN,…",
    help="Columns of your own table, such as question=Q,answer=label,images=image_path; images=none reads "
    "no images [default: by their names].",
)

YES = click.option(  # no variable sets it: consent is given on the command line, or when asked
    "--yes",
    is_flag=True,
    default=None,
    help="Do not ask: allow images to be sent to other machines, and the study file to use other hosts, variables and "
    "files.",
)

ON = option(
    "--on ray|ray://HOST:PORT",
    help="Run models of your own (hf/…, vllm/…) and prepare requests on a Ray cluster: ray starts one on this machine, "
    "ray://HOST:PORT or ray://auto joins one. `replicas`, `num_cpus` and `num_gpus` in [[models]] set the size.",
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
    help="Also report judges that are not qualified: agreement with people unknown or too low.",
)

OUT = click.argument("folder", metavar="OUT", type=OLD_FOLDER)

PARSER = option(
    "--parser NAME...",
    "parsers",
    help="Use this parser instead of the study's; repeat to compare others with it.",
)

STUDY = option("--study NAME", help="Which study of OUT; see `snellen list studies OUT` [default: latest].")

STUDY_OPTIONS = (
    option(
        "--limit N",
        type=Int64Range(1),
        help="Ask N items of each benchmark, spread over its kinds of question, categories and answers; the "
        "same for any seed. For a limit of one benchmark only: vqa-rad:PATH,limit=60.",
    ),
    option(
        "--sample N",
        type=Int64Range(1),
        help="Ask N items of each benchmark, drawn by category; the same for the same seed.",
    ),
    option(
        "--budget DOLLARS",
        type=FiniteRange(0, min_open=True),
        help="Stop before the study costs more than this, stored responses included.",
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
        help="With --epochs 1, repeat both orders of the options for up to 200 items [default: --repeat].",
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
        help="Scale images down to at most this many pixels on the longer side; 0 keeps their size [default: 2048].",
    ),
    option(
        "--prompt NAME|FILE",
        help="Prompt (see `snellen list prompts`), or a file with your own, with placeholders such as "
        "{question} and {options} [default: the suite's own, else letter].",
    ),
    option(
        "--examples FILE.jsonl|BENCHMARK...",
        help="Solved questions to show before each question, which the study must not ask; repeat for more.",
    ),
    option("--shots", type=Int64Range(1), help="Draw N random examples from each of --examples."),
    option("--system TEXT|FILE", help="System prompt in place of the prompt's own."),
    option(
        "--parser NAME", help="Parser that reads answers from responses; see `snellen list parsers` [default: lenient]."
    ),
    option(
        "--temperature", type=Finite(), help="Sampling temperature [default: the suite's own, else the provider's]."
    ),
    option("--max-tokens", type=Int64Range(1), help="Longest response, in tokens [default: the provider's]."),
    option("--reasoning-effort", type=EFFORT, help="Reasoning effort of the model [default: the provider's]."),
    HUMAN,
    option(
        "--text-only PROVIDER/MODEL...",
        help="Model to examine that takes no images: it is asked only questions sent without an image.",
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
        help="Send the questions to the providers' batch APIs: half the price, answered within a day.",
    ),
    option(
        "--canary/--no-canary",
        help="Show each model a few random letters first, to check that images reach it [default: canary].",
    ),
    option(
        "--accept-blind/--no-blind",
        help="Ask a model even if images do not reach it; give no verdict.",
    ),
    YES,
)
"""Options that change a study, for all commands that ask one."""


def study_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add all options that change a study to a command."""
    return reduce(lambda made, each: each(made), reversed(STUDY_OPTIONS), command)
