"""All models, prompts and artefacts together: the abstract's figures as published, mixed, and as the paper prints them.

A block for all images and one for every kind of image; then the best models, and each model by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

from snellen.protocols.artefacts.report.tests import POOLED
from snellen.protocols.artefacts.tests.pooled import BEST, ORIGINALS, STRONG, WEAK, paper_kind, part_of
from snellen.protocols.paper import figures
from snellen.report.figures.forests import Number, anchor_of, number_to_tenths
from snellen.report.lookup import Lookup, family
from snellen.report.sections.tests import ShownTest
from snellen.report.words import numbers as wording
from snellen.scoring.findings import ALL_MODELS, Finding
from snellen.stress.base import Measure

LINES = (
    ("accuracy on the original images", "pooled_accuracy", "pooled_accuracy_mixed", "original_accuracy"),
    ("change with weak artefacts: mean of the cells' changes", "pooled_change", "", "weak_change_percent"),
    ("change with weak artefacts: change of the mean accuracy", "change_of_pooled", "change_of_pooled_mixed", ""),
    ("change with weak artefacts, in points", "", "pooled_difference_mixed", ""),
    ("strong artefacts flagged", "pooled_detection_rate", "pooled_detection_rate_mixed", "strong_detection"),
)
"""What stands on a line: its words, the measure as published and the mixed one, and where the paper's figure is."""
OF_ONE = ((ORIGINALS, "pooled_accuracy"), (WEAK, "pooled_change"), (STRONG, "pooled_detection_rate"))
_CELLS = re.compile(r"cells=(\d+), models=(\d+)")


Shown = Callable[[Measure | None], Number | None]
"""A measure in print, with where its rows are; None where there is no number."""


class PooledLine(NamedTuple):
    """One figure: as published and of which cells, by the mixed model, and as the paper prints it; empty for none."""

    words: str
    published: Number | None
    cells: str
    mixed: Number | None
    printed: str


class TopThree(NamedTuple):
    """The best models on original images: who they are, what they score, and what others chosen likewise score."""

    names: str
    accuracy: Number
    change: Number
    apart: tuple[Number | None, ...]
    """Accuracy and change of the best by one half of the patients, on the other half."""


class PooledBlock(NamedTuple):
    """Some images of one benchmark, and how many; the lines, the spread of the losses, and the best models."""

    title: str
    n: str
    lines: tuple[PooledLine, ...]
    spread: tuple[str, ...]
    top: TopThree | None


class PooledModel(NamedTuple):
    """One model: its means over prompts and artefacts."""

    model: str
    numbers: tuple[Number | None, ...]


@dataclass(frozen=True)
class PooledPart:
    """One such test: its section, a block for each kind of image, and every model."""

    section: ShownTest
    blocks: tuple[PooledBlock, ...]
    models: tuple[PooledModel, ...]
    few: bool
    """Whether there are too few models to speak of others."""
    unseen: str
    """How common a kind of model may be of which none is here, in percent; empty where nothing is said of others."""


def pooled(lookup: Lookup, sections: Sequence[ShownTest]) -> list[PooledPart]:
    """A part for every test of the family."""
    return [_part(lookup, section) for section in sections if family(section.findings[0]) == POOLED]


def _part(lookup: Lookup, section: ShownTest) -> PooledPart:
    over = [each for each in lookup.evidence.results.over_all if each.test.name == section.test.name]
    of_all = [each for each in over if each.model == ALL_MODELS] or list(section.findings)
    several = len(lookup.benchmarks) > 1
    blocks = [block for each in of_all for block in _blocks(lookup, each, several)]
    models = len(dict.fromkeys(each.model for each in section.findings))
    fixed = any("taken as fixed" in each.estimate.method for finding in of_all for each in finding.measures)
    few = fixed or not any(each.model == ALL_MODELS for each in of_all)
    apart = [_model(lookup, each, several) for each in section.findings if each.measures]
    return PooledPart(
        section,
        tuple(blocks),
        tuple(apart) if len(section.findings) > 1 else (),
        few,
        "" if few else f"{100 * (1 - 0.05 ** (1 / models)):.0f}%",
    )


def _blocks(lookup: Lookup, finding: Finding, several: bool) -> Iterator[PooledBlock]:
    parts: dict[str, list[Measure]] = {}
    for measure in finding.measures:
        parts.setdefault(part_of(measure), []).append(measure)
    printed = figures("artefacts")["averages"]
    for part, measures in parts.items():
        kind = part or _only_kind(lookup, finding)
        title = kind or "all images"
        shown = partial(_number, lookup, finding)
        yield _block(f"{title} of {finding.benchmark}" if several else title, measures, _printed(printed, kind), shown)


def _only_kind(lookup: Lookup, finding: Finding) -> str:
    """The kind of all images of a benchmark; nothing where there are several, which then have a block each."""
    kinds = {item.category for item in lookup.evidence.results.benchmarks[finding.benchmark]}
    return kinds.pop() or finding.benchmark if len(kinds) == 1 else ""


def _printed(averages: Mapping[str, Any], kind: str) -> Mapping[str, str]:
    """What the paper prints of a kind of image, if it is one of its three."""
    name = paper_kind(kind)
    if not name:
        return {}
    change = f"{averages['weak_change_percent'][name]:+.2f}%".replace("-", "−")
    shares = {each: f"{100 * averages[each][name]:.1f}%" for each in ("original_accuracy", "strong_detection")}
    return {**shares, "weak_change_percent": change}


def _block(title: str, measures: Sequence[Measure], printed: Mapping[str, str], shown: Shown) -> PooledBlock:
    found = {each.name: each for each in measures}
    lines = (_line(found, printed.get(place, ""), shown, words, ways) for words, *ways, place in LINES)
    return PooledBlock(
        title,
        wording.count(measures[0].estimate.n),
        tuple(line for line in lines if line.published or line.mixed),
        _spread(found),
        _top(found, shown),
    )


def _line(found: Mapping[str, Measure], printed: str, shown: Shown, words: str, ways: Sequence[str]) -> PooledLine:
    published, mixed = (found.get(name) for name in ways)
    cells = "" if published is None else _cells(published.estimate.method)
    return PooledLine(words, shown(published), cells, shown(mixed), printed)


def _cells(method: str) -> str:
    """How many cells a mean is of, in words, and what was left out.

    >>> _cells("bootstrap-both-ways; cells=85, models=6, nothing right before in 5")
    '85 cells of 6 models, nothing right before in 5'
    """
    return _CELLS.sub(r"\1 cells of \2 models", method.partition("; ")[2])


def _number(lookup: Lookup, finding: Finding, measure: Measure | None) -> Number | None:
    if measure is None or not isfinite(measure.estimate.value):
        return None
    return number_to_tenths(measure, anchor_of(finding, measure.arm, lookup.evidence.anchors))


def _spread(found: Mapping[str, Measure]) -> tuple[str, ...]:
    """How far models, and patients, differ in what weak artefacts cost."""
    there = [found.get(name) for name in ("loss_between_models", "loss_between_patients")]
    return tuple(wording.figure(each.estimate.value, each.kind.unit) for each in there if each is not None)


def _top(found: Mapping[str, Measure], shown: Shown) -> TopThree | None:
    first = found.get("top_accuracy")
    accuracy, change = (shown(found.get(name)) for name in ("top_accuracy", "top_change"))
    if first is None or accuracy is None or change is None:
        return None
    apart = tuple(shown(found.get(name)) for name in ("top_accuracy_apart", "top_change_apart"))
    return TopThree(first.subset.partition(BEST)[2].partition(": ")[2], accuracy, change, apart)


def _model(lookup: Lookup, finding: Finding, several: bool) -> PooledModel:
    name = f"{finding.model} on {finding.benchmark}" if several else finding.model
    return PooledModel(name, tuple(_number(lookup, finding, finding.measure(arm, kind)) for arm, kind in OF_ONE))
