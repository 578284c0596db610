"""What they said: for every model and each thing a response can do about a missing image, one response that does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from snellen.papers.mirage.tests.rate import scaffold_of
from snellen.report.components import Fold, Quote, Quotes, Section, quiet
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.reply_kinds import ReplyKind, codes, counted, kinds_of
from snellen.report.evidence.sampling import Candidates, first_by_hash, take_shortest
from snellen.report.sections.headline import short_names
from snellen.report.words.numbers import count, shortened

TRIES = 5
"""Of so many responses that a hash chooses, the shortest is shown."""
LONGEST, LONGEST_QUESTION = 600, 300
"""Characters quoted of a response, and of its question."""
FEW = 6
"""Quotations that are shown unfolded."""
Chosen = dict[tuple[str, ReplyKind], list[tuple[ArmAddress, int]]]
"""By model and kind, the responses that may be shown."""


def choose_quotes(evidence: Evidence, benchmark: str) -> Chosen:
    """A few responses of every kind and model, chosen by a hash, and expected from the store."""
    places: dict[tuple[str, ReplyKind], Candidates] = {}
    for address in _list_addresses(evidence, benchmark):
        grades = evidence.grades(address)
        found = codes(grades)
        for code, kind in enumerate(kinds_of(grades)):
            those = np.flatnonzero(found == code)
            if len(those):
                places[address.model, kind] = {**places.get((address.model, kind), {}), address: those}
    chosen = {key: first_by_hash(evidence, those, TRIES) for key, those in places.items()}
    for few in chosen.values():
        evidence.quote(few)
    return chosen


def draw_quotes(evidence: Evidence, benchmark: str, chosen: Chosen) -> Iterator[Section]:
    """The shortest of the chosen responses of each kind, model by model, the most frequent kind first."""
    if not chosen:
        return
    said = (
        "For every model one response of each kind, the most frequent kind first. A hash of the item’s id chooses five "
        "of them, and the shortest of the five is shown: not the worst, and not by anyone’s choice. No image was sent "
        "with any of these questions."
    )
    names, parts = short_names(evidence.results), []
    totals: dict[str, Counter[ReplyKind]] = {}
    for address in _list_addresses(evidence, benchmark):
        totals.setdefault(address.model, Counter()).update(counted(evidence.grades(address)))
    for model, kinds in totals.items():
        quotes = tuple(
            _quote(evidence, names[model], chosen[model, kind], kind, f"{count(number)} of {count(kinds.total())}")
            for kind, number in kinds.most_common()
            if number
        )
        if quotes:
            parts.append(Fold(names[model], (Quotes(quotes),), quotes[0].outcome, open=len(chosen) <= FEW))
    yield Section("What they said", (quiet(said), *parts), "mirage-said")


def _list_addresses(evidence: Evidence, benchmark: str) -> list[ArmAddress]:
    return [address for address in evidence.anchors if address.benchmark == benchmark]


def _quote(evidence: Evidence, name: str, few: list[tuple[ArmAddress, int]], kind: ReplyKind, counts: str) -> Quote:
    """The shortest of a few responses, with its scaffold and how many of the model's responses do the same."""
    address, place, saying = take_shortest(evidence, few)
    text = saying.reply.text
    cut = f", {count(len(text))} characters" if len(text) > LONGEST else ""
    return Quote(
        name, kind.name, f"{kind.words}, {counts}", (text[:LONGEST] + "…" if cut else text) if text.strip() else "",
        row_anchor(evidence, address, place), address.model, shortened(saying.item.question, LONGEST_QUESTION),
        f"scaffold {scaffold_of(address.arm)}, item {saying.item.id}{cut}",
    )  # fmt: skip
