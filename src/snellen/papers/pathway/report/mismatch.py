"""Task VIII: how often a wrong image is named, how often a right one is called wrong, and what responses say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from snellen.papers.pathway.report.profile import CONTRADICTION
from snellen.papers.pathway.tests.mismatched_image import ALARMS, NAMED
from snellen.reading.outcomes import Outcome
from snellen.report.components import Case, Fold, Pane, Part, Picture, Quote, Section, explain, quiet
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.sampling import first_by_hash, take_shortest
from snellen.report.figures.forests import forest
from snellen.report.lookup import Lookup, family
from snellen.report.sections.graders import contradictions_read_by
from snellen.report.sections.headline import short_names
from snellen.report.sections.tests import ShownTest, draw_bars, draw_grids, label, list_verdicts
from snellen.report.words.numbers import count
from snellen.runtime import counted

TRIES = 5
"""Of so many responses that a hash chooses, the shortest is quoted."""
KINDS = {"names the contradiction": Outcome.CORRECT, "does not name it": Outcome.WRONG}
Chosen = dict[tuple[str, str], list[tuple[ArmAddress, int]]]
"""By model and what the response does, those that may be quoted."""


def choose(evidence: Evidence) -> Chosen:
    """A few responses of each model that name the contradiction, and a few that do not; expected from the store."""
    chosen: Chosen = {}
    for address in _addresses(evidence):
        grades = evidence.grades(address)
        for words, outcome in KINDS.items():
            places = np.flatnonzero(grades.is_(outcome))
            if len(places) and (address.model, words) not in chosen:
                chosen[address.model, words] = first_by_hash(evidence, {address: places}, TRIES)
    for few in chosen.values():
        evidence.quote(few)
    return chosen


def _addresses(evidence: Evidence) -> list[ArmAddress]:
    """Where contradictory images were shown."""
    wanted = {
        ArmAddress(each.model, each.benchmark, arm.name)
        for each in evidence.results.findings
        if family(each) == CONTRADICTION
        for arm in each.test.compared
    }
    return [address for address in evidence.anchors if address in wanted]


def draw_contradictions(lookup: Lookup, shown: ShownTest, chosen: Chosen) -> Section:
    """The test over all models: its verdicts, both rates, and responses of each model."""
    evidence, test, findings = lookup.evidence, shown.test, shown.findings
    several = len({each.benchmark for each in findings}) > 1
    rates = (
        (test.compared[0].name, NAMED, "Contradictions named, where the image is of another kind (%)"),
        (test.baseline.name, ALARMS, "Contradictions named where there is none: false alarms (%)"),
    )
    plots = (
        forest(findings, arm, name, evidence=evidence, caption=caption,
               label=lambda each: label(each, evidence) if several else lookup.short_names[each.model])
        for arm, name, caption in rates
    )  # fmt: skip
    told = (
        "Task VIII. A response is right if it says that text and image do not fit. The same question is also asked "
        "with its own image: a model that speaks of a contradiction there would also find one where there is none."
    )
    bars = draw_bars(evidence, findings, [arm.name for arm in test.all_arms])
    numbers = (*([bars] if bars else []), *draw_grids(evidence, findings, folded=False))
    parts: list[Part] = [
        list_verdicts(evidence, findings),
        *(each for each in plots if each is not None),
        *_draw_quotes(evidence, chosen),
        Fold("Outcomes and all numbers", numbers),
    ]
    [made] = explain(test.asks, " ".join([told, *contradictions_read_by(evidence)]), parts, shown.anchor)
    return replace(made, name=test.name)


def _draw_quotes(evidence: Evidence, chosen: Chosen) -> Iterator[Fold]:
    told = quiet(
        "For every model one response that names the contradiction and one that does not, if there is one. A hash of "
        "the question's id chooses five, and the shortest of the five is shown. The image is the one that was sent."
    )
    if chosen:
        panes = tuple(_draw_quote(evidence, words, few) for (_, words), few in chosen.items())
        yield Fold("Responses to a contradictory image", (told, Case("", "", "", panes)))


def _draw_quote(evidence: Evidence, words: str, few: Sequence[tuple[ArmAddress, int]]) -> Pane:
    address, place, saying = take_shortest(evidence, few)
    grades, name = evidence.grades(address), short_names(evidence.results)[address.model]
    alike = f"{count(int(grades.is_(KINDS[words]).sum()))} of {counted(len(grades), 'response')}"
    pictures = map(evidence.album.picture, evidence.album.some(saying.asked.images))
    sent = "The image that was sent"
    return Pane(
        f"{name}: {words}",
        tuple(Picture(each.short, each.width, each.height, sent) for each in pictures if each.link),
        "The image is not here.",
        (saying.item.context, saying.item.question),
        (Quote(alike, KINDS[words].value, words, saying.reply.text, row_anchor(evidence, address, place),
               address.model),),
    )  # fmt: skip
