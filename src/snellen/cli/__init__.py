"""The command line: each command is a file, loaded when it is run; its name and one line about it stand here."""

from __future__ import annotations

import sys
from io import StringIO, TextIOWrapper
from pathlib import Path

import click

from snellen.cli.loading import CommandGroup
from snellen.commands.complaining import complain
from snellen.commands.env_file import describe_unread, load_env_file
from snellen.errors import SnellenError
from snellen.runtime import few_collections, visible

__all__ = ["main"]

VERBS = {
    "audit": "Audit a benchmark: what can be answered without eyes, which items are wrong, and why.",
    "bclean": "Clean a benchmark of what the models of a study answer right without the image (B-Clean).",
    "chart": "Examine a model with an eye chart: how small, how faint and where in an image it reads letters.",
    "compare": "Compare two studies question by question: two versions of a model, two dates, two prompts.",
    "degrade": "Write degraded copies of the images below FOLDER, with a manifest.",
    "deidentify": "Make a copy of cases without names, dates and numbers of patients, as a person decides.",
    "exam": "Examine models on benchmarks and write the report.",
    "export": "Write the stored responses to a file.",
    "gate": "Check what is required of the stored responses, for CI.",
    "guard": "Stand between a program and its model, and say of every reply whether the image moved it.",
    "import": "Import responses you already have; then run `snellen report OUT`.",
    "judge": "Let another model judge the stored responses, then write the report again.",
    "list": "List what there is: datasets, published benchmarks, models, tests and the rest, also those of plug-ins.",
    "metrics": "Score generated reports against their references, with 95% CIs over patients.",
    "plan": "Show how many requests a study takes, per test; shared requests count once.",
    "published": "Print a paper's figures, recomputed, and those of OUT beside them.",
    "qualify": "Measure how far a parser, or a judge, agrees with human labels.",
    "report": "Write the report of the stored responses and its figures again.",
    "review": "Let clinicians judge responses and rate questions in a browser, without knowing whose they are.",
    "run": "Run a study from its TOML file.",
    "score": "Grade the stored responses again; write results and report.",
    "serve": "Serve the organisms at an OpenAI-compatible endpoint, to try out any evaluation tool on them.",
    "show": "Show a benchmark: counts, options, modalities, and five items with their images on a page.",
    "superguesser": "Train a language model on a benchmark's questions without their images, and test it on others.",
    "view": "Show a study in the browser while it is being asked, and its report once it is finished.",
}
"""Each command with the first sentence of its help: `snellen NAME` is `NAME_command` in the file NAME.py."""


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
        kept = {
            **dict.fromkeys(("audit", "bclean", "guard"), "Nothing was kept"),
            "degrade": "All copies so far are kept; the same command goes on",
            "deidentify": "The copy is not complete: remove its folder",
        }.get("".join(sys.argv[1:2]), "All responses so far are stored; the same command resumes")
        click.echo(f"\nStopped. {kept}.", err=True)
        sys.exit(130)


@click.group(
    cls=CommandGroup, listed=VERBS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="snellen")
def cli() -> None:
    """An eye exam for medical vision-language models, and an audit of their benchmarks.

    Every option but --yes can also be set as SNELLEN_<OPTION> in the environment. Keys of model providers
    (OPENAI_API_KEY) are read from there, or from a file named .env, which may set a few numbers too (SNELLEN_LIMIT).
    Addresses (OPENAI_BASE_URL) are read from the environment alone.
    """
