"""What goes to stderr: one line that names the program."""

from __future__ import annotations

import click

from snellen.models.secrets import hide_environment
from snellen.runtime import visible


def complain(text: str) -> None:
    """Print an error or a warning; what servers and files say in it is shown, and does nothing; keys are hidden."""
    click.echo(f"snellen: {visible(hide_environment(text))}", err=True)
