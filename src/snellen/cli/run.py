"""The command `snellen run`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import DRY_RUN, ON, VERBOSELY, FilePath, name_option, option, study_options


@click.command("run")
@click.argument("study", type=FilePath(exists=True, dir_okay=False))
@option("--out", type=FilePath(), help="Folder for responses, results and report [default: the study's own].")
@name_option("the study's own, else its file's")
@study_options
@ON
@DRY_RUN
@VERBOSELY
def run_command(study: str, dry_run: bool, **options: Any) -> None:
    """Run a study from its TOML file. Resumes where an earlier run stopped."""
    from snellen.cli.asking import conduct, study_fields
    from snellen.study import Study

    conduct(Study.from_toml(study, **study_fields(options)), dry_run=dry_run)
