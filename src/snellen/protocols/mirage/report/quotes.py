"""What they said: for every model and each thing a response can do about a missing image, one response that does it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snellen.protocols.mirage.tests.rate import scaffold_of
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying
from snellen.report.evidence.reply_kinds import ReplyKind, codes, counted, kinds_of
from snellen.report.evidence.sampling import Candidates, first_by_hash

TRIES = 5
"""Of so many responses that a hash chooses, the shortest is shown."""

Chosen = dict[tuple[str, ReplyKind], list[tuple[ArmAddress, int]]]
"""By model and kind, the responses that may be shown."""


@dataclass(frozen=True)
class Quote:
    """One response, what it does, under which scaffold, and how many of the model's responses do the same."""

    kind: ReplyKind
    count: int
    of: int
    scaffold: str
    saying: Saying
    anchor: str


@dataclass(frozen=True)
class QuotesOfModel:
    """The responses of one model, a kind each."""

    model: str
    replies: tuple[Quote, ...]


def candidates(evidence: Evidence, benchmark: str) -> Chosen:
    """A few responses of every kind and model, chosen by a hash, and expected from the store."""
    places: dict[tuple[str, ReplyKind], Candidates] = {}
    for address in _addresses(evidence, benchmark):
        grades = evidence.grades(address)
        found = codes(grades)
        for code, kind in enumerate(kinds_of(grades)):
            those = np.flatnonzero(found == code)
            if len(those):
                places[address.model, kind] = {**places.get((address.model, kind), {}), address: those}
    chosen = {key: first_by_hash(evidence, those, TRIES) for key, those in places.items()}
    for address, place in (each for some in chosen.values() for each in some):
        evidence.expect(address, [place])
    return chosen


def what_they_said(evidence: Evidence, benchmark: str, chosen: Chosen) -> list[QuotesOfModel]:
    """The shortest of the chosen responses of each kind, model by model."""
    totals: dict[tuple[str, ReplyKind], int] = {}
    for address in _addresses(evidence, benchmark):
        for kind, number in counted(evidence.grades(address)).items():
            totals[address.model, kind] = totals.get((address.model, kind), 0) + number
    made = []
    for model in dict.fromkeys(model for model, _ in chosen):
        of = sum(number for (name, _), number in totals.items() if name == model)
        kinds = sorted((kind for name, kind in chosen if name == model), key=lambda kind: -totals[model, kind])
        replies = tuple(_said(evidence, chosen[model, kind], kind, (totals[model, kind], of)) for kind in kinds)
        made.append(QuotesOfModel(model, replies))
    return made


def _addresses(evidence: Evidence, benchmark: str) -> list[ArmAddress]:
    return [address for address in evidence.anchors if address.benchmark == benchmark]


def _said(evidence: Evidence, few: list[tuple[ArmAddress, int]], kind: ReplyKind, counts: tuple[int, int]) -> Quote:
    sayings = [(address, evidence.sayings(address, [place])[place]) for address, place in few]
    address, saying = min(sayings, key=lambda each: len(each[1].reply.text))
    return Quote(kind, *counts, scaffold_of(address.arm), saying, evidence.anchors[address])
