"""A command."""

import json
from pathlib import Path

import click


@click.command()
@click.argument("folder")
def count_verdicts(folder: str) -> None:
    """Count the verdicts of the study in FOLDER."""
    record = json.loads(Path(folder, "results.json").read_text())
    click.echo(f"{len(record['verdicts'])} verdicts")
