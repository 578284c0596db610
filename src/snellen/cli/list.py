"""The command `snellen list`."""

from __future__ import annotations

import click

from snellen.commands.arguments import FilePath

FAMILIES = (
    "datasets",
    "benchmarks",
    "models",
    "suites",
    "tests",
    "conditions",
    "prompts",
    "parsers",
    "metrics",
    "importers",
    "checks",
    "questions",
    "chapters",
    "commands",
)
"""What there is several of; `commands.listing` has a function of each name."""


@click.command("list")
@click.argument("family", type=click.Choice([*FAMILIES, "studies"]), required=False)
@click.argument("folder", metavar="[OUT]", type=FilePath(file_okay=False), required=False)
def list_command(family: str | None, folder: str | None) -> None:
    """List datasets, models, tests and all the rest there is. What plug-ins bring is among them.

    `snellen list studies OUT` lists the studies of a folder: what they ask, how much of it is answered, and where their
    reports lie.
    """
    from snellen.commands.listing import show_family, studies
    from snellen.commands.terminal import show_studies

    if family == "studies":
        if not folder:
            raise click.UsageError("Which folder? snellen list studies OUT, where OUT is the --out of an exam.")
        show_studies(studies(folder))
        return
    if folder:
        raise click.UsageError(f"Only studies lie in a folder: snellen list studies {folder}.")
    for name in (family,) if family else FAMILIES:
        show_family(name)
