"""The degraded images themselves: for each modality one typical item, as it is and under every artefact asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from snellen.protocols.artefacts.report.tests import STRONG, WEAK, arms_by_artefact
from snellen.protocols.artefacts.tests.dose_response import KINDS
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying
from snellen.report.lookup import family
from snellen.report.sections.side_by_side import typical
from snellen.report.words import numbers as wording
from snellen.report.words.arms import artefact_words
from snellen.stress.table import Table

MOST = 4
"""Of more modalities than this, the largest are shown."""
MOST_ARTEFACTS = 8
"""Artefacts beyond these are not shown."""


class Arms(NamedTuple):
    """The arms that are shown of one benchmark: the image as it is, and by strength and artefact the others."""

    baseline: str
    strengths: Mapping[str, Mapping[str, str]]

    @property
    def all(self) -> tuple[str, ...]:
        """Every arm that is shown."""
        return (self.baseline, *(arm for arms in self.strengths.values() for arm in arms.values()))


class TypicalItem(NamedTuple):
    """The item that stands for a modality, and under which arms it is shown."""

    benchmark: str
    modality: str
    ordinal: int
    arms: Arms


class Shot(NamedTuple):
    """The item under one arm: its images, how far they are from the original, and what each model said."""

    images: tuple[str, ...]
    ssim: str
    psnr: str
    said: tuple[tuple[str, Saying], ...]


@dataclass(frozen=True)
class ImageSheet:
    """One modality: the original, then per strength a row with one image per artefact, None where not answered."""

    benchmark: str
    modality: str
    item_id: str
    question: str
    truth: str
    original: Shot | None
    artefacts: tuple[str, ...]
    strengths: tuple[tuple[str, tuple[Shot | None, ...]], ...]


def choose(evidence: Evidence) -> list[TypicalItem]:
    """A typical item for each of the largest modalities, its images put into the album and its responses expected."""
    found = []
    for benchmark in evidence.benchmarks:
        arms = _arms(evidence, benchmark)
        tables = [table for (_, name), table in evidence.results.tables.items() if name == benchmark]
        if arms is not None:
            found += [TypicalItem(benchmark, name, at, arms) for name, at in _typical(evidence, tables, arms)]
    for chosen in found[: 2 * MOST]:
        for address in _addresses(evidence, chosen):
            evidence.expect(address, _places(evidence, address, chosen.ordinal))
            asked = evidence.asked(address.benchmark, address.arm).get(chosen.ordinal)
            for sha256 in evidence.album.some(asked.images) if asked else ():
                evidence.album.picture(sha256)
    return found[: 2 * MOST]


def _arms(evidence: Evidence, benchmark: str) -> Arms | None:
    """The arms of the first prompt by which artefacts were asked about; None where none was."""
    here = [each for each in evidence.results.findings if each.benchmark == benchmark]
    asked = [each.test for each in here if family(each) in (WEAK, STRONG)]
    if not asked:
        return None
    baseline = asked[0].baseline.name
    strengths: dict[str, dict[str, str]] = {}
    for test in (each for each in asked if each.baseline.name == baseline):
        arms = list(arms_by_artefact(test).items())[:MOST_ARTEFACTS]
        strengths.setdefault("weak" if test.name.startswith(WEAK) else "strong", dict(arms))
    return Arms(baseline, strengths)


def _typical(evidence: Evidence, tables: Sequence[Table], arms: Arms) -> Iterator[tuple[str, int]]:
    """The most typical item of each modality, the largest modality first."""
    shown = [replace(table, arms={arm: table.arms[arm] for arm in arms.all if arm in table.arms}) for table in tables]
    names = np.array([str(item.metadata.get("modality") or item.category) for item in tables[0].items])
    sizes = {name: int((names == name).sum()) for name in dict.fromkeys(names.tolist())}
    for name in sorted(sizes, key=lambda name: -sizes[name])[:MOST]:
        candidates = typical([table.only(names == name) for table in shown], evidence.baselines)
        if candidates:
            yield name, candidates[0]


def sheets(evidence: Evidence, chosen: Sequence[TypicalItem]) -> list[ImageSheet]:
    """What is shown of every chosen item."""
    return [_sheet(evidence, each) for each in chosen]


def _sheet(evidence: Evidence, chosen: TypicalItem) -> ImageSheet:
    item = evidence.results.benchmarks[chosen.benchmark].items[chosen.ordinal]
    names = tuple(dict.fromkeys(name for arms in chosen.arms.strengths.values() for name in arms))
    strengths = (
        (how, tuple(_shot(evidence, chosen, arms[name]) if name in arms else None for name in names))
        for how, arms in chosen.arms.strengths.items()
    )
    return ImageSheet(
        benchmark=chosen.benchmark,
        modality=chosen.modality,
        item_id=item.id,
        question=item.question,
        truth=item.options[item.answer].text if isinstance(item.answer, int) else "",
        original=_shot(evidence, chosen, chosen.arms.baseline),
        artefacts=tuple(map(artefact_words, names)),
        strengths=tuple(strengths),
    )


def _shot(evidence: Evidence, chosen: TypicalItem, arm: str) -> Shot | None:
    said: dict[str, Saying] = {}
    for address in _addresses(evidence, chosen):
        if address.arm == arm:
            for saying in evidence.sayings(address, _places(evidence, address, chosen.ordinal)).values():
                said[address.model] = saying
    if not said:
        return None
    distances = {name: _distance(evidence, chosen, arm, name) for name in ("ssim", "psnr")}
    return Shot(next(iter(said.values())).asked.images, **distances, said=tuple(said.items()))


def _addresses(evidence: Evidence, chosen: TypicalItem) -> list[ArmAddress]:
    models = [model for model, name in evidence.results.tables if name == chosen.benchmark]
    found = [ArmAddress(model, chosen.benchmark, arm) for model in models for arm in chosen.arms.all]
    return [address for address in found if address in evidence.anchors]


def _places(evidence: Evidence, address: ArmAddress, ordinal: int) -> list[int]:
    """Where the item's first response stands."""
    return [int(at) for at in np.flatnonzero(evidence.grades(address).ordinal == ordinal)[:1]]


def _distance(evidence: Evidence, chosen: TypicalItem, arm: str, name: str) -> str:
    """How far the item's image was taken from what it was; nothing where that was not measured."""
    for address in _addresses(evidence, chosen):
        values = evidence.grades(address).distances.get(name) if address.arm == arm else None
        if values is not None and isfinite(values[chosen.ordinal]):
            return wording.figure(float(values[chosen.ordinal]), KINDS[name].unit)
    return ""
