"""Command line of Snellen: each command has a file, which is imported when the command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import StringIO, TextIOWrapper
from pathlib import Path

import click

from snellen.cli.env_file import describe_unread, load_env_file
from snellen.cli.loading import MainGroup
from snellen.cli.options import complain
from snellen.errors import SnellenError
from snellen.runtime import few_collections, visible

__all__ = ["main"]

COMMANDS = {
    "Ask models": {
        "exam": "Examine models on benchmarks and write the report.",
        "plan": "Show how many requests a study takes, and what it costs.",
        "run": "Run a study from its TOML file.",
        "import": "Import responses you already have.",
        "judge": "Let another model judge the stored responses.",
        "chart": "Examine a model with an eye chart of letters.",
    },
    "See what they answered": {
        "report": "Grade the stored responses again; write results and report.",
        "view": "Show a study in the browser while it is being asked.",
        "compare": "Compare two studies question by question.",
        "gate": "Check whether a study meets your requirements, for CI.",
        "export": "Write the stored responses to a file.",
        "metrics": "Score generated reports against their references.",
        "paper": "Recompute a paper's numbers and print them beside those of a study.",
    },
    "Check benchmarks, parsers and judges": {
        "audit": "Audit a benchmark for questions that need no image, and for errors.",
        "benchmark": "Show, clean, mend, guess, degrade or de-identify a benchmark.",
        "parser": "Compare a parser or a judge with human labels.",
        "review": "Let clinicians judge responses and questions in a browser.",
    },
    "Other tools": {
        "guard": "Proxy that reports whether the image changed each response.",
        "serve": "Serve organisms (test models with known flaws) at an OpenAI-compatible endpoint.",
        "list": "List datasets, models, tests and all other names that options take.",
    },
}
"""First sentence of each command's help. `snellen NAME` is the function `NAME_command` in the file NAME.py."""

GROUPS = {
    "benchmark": {
        "show": "Show what a benchmark holds, and five items with their images.",
        "clean": "Remove questions that models answer correctly without the image.",
        "guess": "Train a language model on questions without their images.",
        "degrade": "Write degraded copies of the images below FOLDER.",
        "deidentify": "Copy cases without the text that identifies patients.",
        "mend": "Write a corrected copy of a benchmark, as raters decided.",
    },
    "parser": {"qualify": "Measure the agreement of a parser or a judge with human labels."},
    "paper": {"figures": "Recompute a paper's numbers and print them beside those of OUT."},
}
"""Commands in groups: `snellen benchmark show` is the function `show_command` in the file show.py."""

RENAMED = {
    "bclean": "benchmark clean",
    "degrade": "benchmark degrade",
    "deidentify": "benchmark deidentify",
    "published": "paper figures",
    "qualify": "parser qualify",
    "score": "report",
    "show": "benchmark show",
    "superguesser": "benchmark guess",
}
"""New names of commands by their names up to version 0.2. The old names still work in 0.3."""

NOTHING_KEPT = "Nothing was kept"
STOPPED = {
    "audit": NOTHING_KEPT,
    "benchmark clean": NOTHING_KEPT,
    "benchmark degrade": "All copies so far are kept. Run the same command to continue",
    "benchmark deidentify": "The copy is not complete: remove its folder",
    "benchmark mend": "The copy is not complete: remove its folder",
    "guard": NOTHING_KEPT,
}
"""Messages after Ctrl-C, for commands that store no responses."""


def main() -> None:
    """Run the command line. Exit with status 1 after Snellen's errors and 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # file names may contain lone surrogates
            stream.reconfigure(errors="backslashreplace")
    try:
        if unread := load_env_file(Path.cwd() / ".env"):
            complain(describe_unread(unread))
        with few_collections():
            cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show(told := StringIO())
        click.echo(visible(told.getvalue()), err=True, nl=False)
        sys.exit(error.exit_code)
    except SnellenError as error:
        complain("\n".join((str(error), *getattr(error, "__notes__", ()))))
        sys.exit(1)
    except OSError as error:
        if error.filename is None:
            raise
        complain(f"{error.filename!s:.200} cannot be used: {error.strerror}. Check this path.")
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        kept = STOPPED.get(name_command(sys.argv[1:]), "All responses are stored. Run the same command to continue")
        click.echo(f"\nStopped. {kept}.", err=True)
        sys.exit(130)


def name_command(arguments: Sequence[str]) -> str:
    """Return the command of a command line, by its present name.

    >>> name_command(["benchmark", "clean", "exam"]), name_command(["bclean", "exam"]), name_command(["exam"])
    ('benchmark clean', 'benchmark clean', 'exam')
    """
    first = "".join(arguments[:1])
    return " ".join(arguments[:2]) if first in GROUPS else RENAMED.get(first, first)


@click.group(
    cls=MainGroup,
    listed=COMMANDS,
    groups=GROUPS,
    renamed=RENAMED,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="snellen")
def cli() -> None:
    """An eye exam for medical vision-language models, and an audit of their benchmarks.

    Every option but --yes can also be set as SNELLEN_<COMMAND>_<OPTION> in the environment, such as
    SNELLEN_EXAM_LIMIT. Keys of model providers (OPENAI_API_KEY) are read from there, or from a file named .env, which
    may set a few numbers too. Addresses (OPENAI_BASE_URL) are read from the environment alone.
    """
