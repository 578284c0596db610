"""The command `snellen compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli.options import OLD_FOLDER, Int64Range, option, tell
from snellen.tools.compare import FLIPS_SHOWN


@click.command("compare")
@click.argument("out1", type=OLD_FOLDER)
@click.argument("out2", type=OLD_FOLDER)
@option("--study1 NAME", help="Which study of OUT1; see `snellen list studies OUT1` [default: latest].")
@option("--study2 NAME", help="Which study of OUT2 [default: latest].")
@option("--model1 PROVIDER/MODEL", help="Which model of the first study [default: see above].")
@option("--model2 PROVIDER/MODEL", help="Which model of the second study [default: see above].")
@option(
    "--parser NAME...",
    "parsers",
    help="Read both studies by this parser instead of their own; repeat to see others too.",
)
@option("--to FILE.csv", "file", help="Write every number, every verdict and every flip to this file.")
@option(
    "--flips",
    type=Int64Range(0),
    default=FLIPS_SHOWN,
    help="Number of flipped questions to show, with both responses.",
)
@option("--page FILE.html", help="Write the comparison as a page to this file.")
def compare_command(out1: str, out2: str, file: str | None, flips: int, page: str | None, **which: Any) -> None:
    """Compare two studies question by question. They may be of two versions of a model, two dates, two prompts.

    OUT1 and OUT2 are the --out of two exams; one folder may be named twice. Only questions that are the same in both
    (id, text, options, key, image) and that both answered are compared. For each condition that both studies have, it
    prints accuracy and rates in each, and the difference, second minus first, with its 95% CI and its p after
    correction over the conditions (Holm). Then come the verdicts of both, and questions that flipped: right in one
    study and not in the other. Nothing is sent.

    Where each study has one model, these two are compared, whatever their names; else the models of the same name, or
    --model1 and --model2.

    \b
    snellen compare gpt-5-june gpt-5-july
    snellen compare exam exam --study1 letter --study2 readiness --to comparison.csv --page comparison.html
    snellen compare exam exam --model1 organism/blind --model2 organism/grounded --flips 20
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.cli.terminal import leave, out, working
    from snellen.runtime import counted
    from snellen.tools.compare.two_studies import compare

    for given, name, ending in ((file, "--to", ".csv"), (page, "--page", ".html")):
        if given and not given.endswith(ending):
            raise click.BadParameter(f"expected a file that ends in {ending}.", param_hint=name)
    with working("reading the responses of both studies"):
        found = compare(out1, out2, **which)
    tell(found.text(flips, out.width))
    if file:
        rows = found.save(file)
        tell(f"{counted(rows, 'row')}: {Path(file).resolve()}")
    if page:
        tell(f"Page: {found.save_page(page).resolve()}")
    for results in (found.first, found.second):
        leave(results=results)
