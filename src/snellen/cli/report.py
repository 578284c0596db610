"""The command `snellen report`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import HUMAN, OUT, PARSER, STUDY, UNQUALIFIED, VERBOSELY, option
from snellen.report import FIGURE_FORMATS


@click.command("report")
@OUT
@STUDY
@PARSER
@HUMAN
@UNQUALIFIED
@option(
    "--figures",
    type=click.Choice(FIGURE_FORMATS),
    default="svg",
    help="Write all figures to OUT/figures as SVG, or as PNG or PDF too (needs the extra `figures`).",
)
@VERBOSELY
def report_command(folder: str, **how: Any) -> None:
    """Grade the stored responses again; write results and report. Draw the report's figures, too. Sends nothing."""
    from snellen.cli.terminal import leave, publish_stored

    leave(results=publish_stored(folder, **how))
