"""The command `snellen gate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from snellen.cli.options import FILE, OUT, PARSER, STUDY, UNQUALIFIED, option, tell


@click.command("gate")
@OUT
@option("--require REQUIREMENTS...", required=True, help="Requirements, separated by commas.")
@STUDY
@PARSER
@UNQUALIFIED
@option("--point", is_flag=True, help="Compare the number alone with its limit, not its whole 95% CI.")
@option("--junit FILE.xml", type=FILE, help="Write the checks to this file as JUnit XML, too.")
def gate_command(folder: str, require: tuple[str, ...], point: bool, junit: Path | None, **how: Any) -> None:
    """Check whether a study meets your requirements, for CI. Sends nothing.

    \b
    Exit status 0  every requirement is met, for every model and benchmark
                1  a requirement is not met or cannot be decided
                2  a requirement cannot be read, or matches nothing in the study

    \b
    standard                        the verdicts follows, honest and steady are all pass
    TEST=pass                       the verdict of this test (or of one of these three) is pass
    TEST=pass|reported              the verdict is one of these
    TEST!=fail                      the verdict is any other; a withheld one is not decided
    MEASURE<=0.05                   also >=, <, > and 5%; under every condition that has it
    TEST.MEASURE<=0.05              in this test only
    TEST.MEASURE@CONDITION<=0.05    under this condition only

    Tests, measures and conditions are named as in results.csv. A number meets its limit if its whole 95% CI does. If
    the CI includes the limit, the check is not decided. The worst condition decides. Short names of measures:

    \b
    invents    describes an image although none was shown (rationale)
    admits     says that there is no image if none was shown (rationale, mirage-rate)
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
