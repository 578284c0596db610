"""The command line: each command is a file, loaded when it is run; its name and one line about it stand here."""

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
        "gate": "Check what is required of the stored responses, for CI.",
        "export": "Write the stored responses to a file.",
        "metrics": "Score generated reports against their references.",
        "paper": "Print a paper's figures, and those of a study beside them.",
    },
    "See what was asked, and how it was read": {
        "audit": "Audit a benchmark: what needs no eyes, and what is wrong.",
        "benchmark": "Show, clean, guess, degrade or de-identify a benchmark.",
        "parser": "Hold a parser, or a judge, against human labels.",
        "review": "Let clinicians judge responses and questions in a browser.",
    },
    "Use and try out": {
        "guard": "Say of every reply of a model whether the image moved it.",
        "serve": "Serve the organisms at an OpenAI-compatible endpoint.",
        "list": "List datasets, models, tests and all the rest there is.",
    },
}
"""Each command with the first sentence of its help: `snellen NAME` is `NAME_command` in the file NAME.py."""

GROUPS = {
    "benchmark": {
        "show": "Show what a benchmark holds, and five items with their images.",
        "clean": "Clean a benchmark of what models answer right without the image.",
        "guess": "Train a language model on questions without their images.",
        "degrade": "Write degraded copies of the images below FOLDER.",
        "deidentify": "Make a copy of cases without what identifies patients.",
    },
    "parser": {"qualify": "Measure how far a parser, or a judge, agrees with human labels."},
    "paper": {"figures": "Print a paper's figures, recomputed, and those of OUT beside them."},
}
"""Commands of which several belong together: `snellen benchmark show` is `show_command` in the file show.py."""

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
"""What commands were called up to version 0.2, which still works in 0.3, and what they are called now."""

NOTHING_KEPT = "Nothing was kept"
STOPPED = {
    "audit": NOTHING_KEPT,
    "benchmark clean": NOTHING_KEPT,
    "benchmark degrade": "All copies so far are kept; the same command goes on",
    "benchmark deidentify": "The copy is not complete: remove its folder",
    "guard": NOTHING_KEPT,
}
"""What Ctrl-C leaves behind, of commands that store no responses."""


def main() -> None:
    """Run the command line; our own errors are one message and exit status 1, Ctrl-C is 130."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # half a character in the name of a file is shown, too
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
        kept = STOPPED.get(name_command(sys.argv[1:]), "All responses so far are stored; the same command resumes")
        click.echo(f"\nStopped. {kept}.", err=True)
        sys.exit(130)


def name_command(arguments: Sequence[str]) -> str:
    """The command of a line, as it is called now.

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
