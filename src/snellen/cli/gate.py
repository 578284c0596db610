"""The command `snellen gate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from snellen.cli.options import FILE, OUT, PARSER, STUDY, UNQUALIFIED, option, tell


@click.command("gate")
@OUT
@option("--require REQUIREMENTS...", required=True, help="What is required, apart by commas.")
@STUDY
@PARSER
@UNQUALIFIED
@option("--point", is_flag=True, help="Judge a number by itself instead of by its whole 95% CI.")
@option("--junit FILE.xml", type=FILE, help="Write the checks to this file as JUnit XML, too.")
def gate_command(folder: str, require: tuple[str, ...], point: bool, junit: Path | None, **how: Any) -> None:
    """Check what is required of the stored responses, for CI. Sends nothing.

    \b
    Exit status 0  every requirement is met, for every model and benchmark
                1  one is not met or cannot be decided
                2  one cannot be read, or names nothing in the study

    \b
    standard                        follows, honest and steady pass, nothing less
    TEST=pass                       the test, or one of these three, ends in this verdict
    TEST=pass|reported              in one of these
    TEST!=fail                      in any other; withheld is not decided
    MEASURE<=0.05                   also >=, <, > and 5%; under every condition that has it
    TEST.MEASURE<=0.05              of this test alone
    TEST.MEASURE@CONDITION<=0.05    under this condition alone

    Tests, measures and conditions have the names that results.csv has. A number meets its limit if its whole 95% CI
    does; if the CI lies on both sides, nothing is decided. The worst condition decides. Short names of measures:

    \b
    invents    describes an image where none was shown (rationale)
    admits     says that there is no image where none was shown (rationale, mirage-rate)
    accuracy   with the original image, unless a test or a condition is named
    unsure     responses whose reading is unsure

    \b
    snellen gate exam --require standard
    snellen gate exam --require 'follows=pass,steady!=fail,invents<=5%'
    snellen gate exam --require 'accuracy>=0.8' --point --junit gate.xml
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.cli.terminal import say_held_back, say_study, say_unscored
    from snellen.errors import RequirementError
    from snellen.files import write_whole
    from snellen.runtime import visible
    from snellen.scoring.gate import gate
    from snellen.scoring.result_files import note_rules

    try:
        done = gate(folder, require, point=point, **how)
    except RequirementError as error:
        raise click.BadParameter(visible(str(error)), param_hint="--require") from error
    say_study(done.results.study["name"], done.results.others, done.results.out)
    say_unscored(done.results)
    say_held_back(done.results.held_back)
    if note := note_rules(done.results):
        tell(note)
    tell(str(done))
    if junit:
        write_whole(junit, done.junit())
    if not done.passed:
        sys.exit(1)
