"""The command `snellen score`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import HUMAN, OUT, PARSER, STUDY, UNQUALIFIED, VERBOSELY


@click.command("score")
@OUT
@STUDY
@PARSER
@HUMAN
@UNQUALIFIED
@VERBOSELY
def score_command(folder: str, **how: Any) -> None:
    """Grade the stored responses again; write results and report. Sends nothing."""
    from snellen.commands.publishing import leave, publish_stored

    leave(results=publish_stored(folder, **how))
