"""Doubts of a judge: items that a model calls unsound."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.report.words.numbers import with_interval
from snellen.runtime import counted
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Flagged, Number, Severity, list_finding, shorten_quote
from snellen.tools.audit.judged import FEWEST_LABELS, SOUND, STATEMENTS, JudgedItems

NAME = "doubts-of-a-judge"


def look(audited: Audited) -> Checked:
    """List the items that the judge doubts, with the statement that it chose."""
    judged = audited.judged
    if judged is None:
        return Checked(NAME, 0, cannot=("No model judged the items. --judge MODEL asks one.",))
    questions = {item.id: item.question for item in audited.items}
    flagged = tuple(
        Flagged(item_id, f"{judged.model}: {STATEMENTS[said]}", shorten_quote(questions[item_id]))
        for item_id, said in judged.said.items()
        if said != SOUND and item_id in questions
    )
    own = len(judged.said)
    quality = ""
    numbers: tuple[Number, ...] = ()
    if (found := judged.qualified) is not None:
        share = with_interval(found.precision, "share")
        quality = f"; of its doubts with a label, {share} are right, and κ is {found.kappa.value:.2f}"
        numbers = (
            Number("judge_precision", "share of defects among labelled items that the judge doubts", found.precision),
            Number("judge_recall", "share of the labelled defects that the judge doubts", found.recall),
            Number("judge_kappa", "agreement of judge and labels (Cohen’s κ)", found.kappa),
        )
    sentence = f"{judged.model} doubts {len(flagged):,} of the {own:,} items that it read{quality}."
    fix = "Read the item. A judge's word alone is no reason to change it."
    findings = list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged, sure=judged.sure)
    return Checked(NAME, own, findings, numbers, notes=tuple(_list_notes(judged)))


def _list_notes(judged: JudgedItems) -> Iterator[str]:
    yield "The judge saw the images." if judged.shown_images else "The judge read the text alone."
    if judged.unread:
        yield f"Its answer to {counted(judged.unread, 'item')} could not be read."
    if judged.qualified is None:
        yield "The judge was not compared with labels of people (--judge-labels), so its doubt alone lists no item."
    elif judged.qualified.precision.n < FEWEST_LABELS:
        yield f"Fewer than {FEWEST_LABELS} labelled items are doubted, so its doubt alone lists no item."
    else:
        share = with_interval(judged.qualified.precision, "share")
        yield f"Of the labelled items that it doubts, {share} have a defect; the lower end is the weight of a doubt."


CHECK = Check(NAME, "Which items does a judge doubt?", look)
