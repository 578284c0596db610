"""All models, prompts and artefacts together: the abstract's figures as published, mixed, and as the paper prints them.

All images, then every kind of image; then the best models, and each model by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import NamedTuple

from snellen.papers.artefacts.report.maps import POOLED
from snellen.papers.artefacts.tests.pooled import BEST, ORIGINALS, STRONG, WEAK, paper_kind, part_of
from snellen.papers.paper import figures
from snellen.report.components import Cell, Fold, Part, Row, Table, explain, name_columns, quiet, rich
from snellen.report.figures.forests import anchor_of_measure, number_to_tenths
from snellen.report.lookup import Lookup, family
from snellen.report.sections.tests import ShownTest, label, list_verdicts
from snellen.report.words.numbers import begun, count, figure
from snellen.scoring.findings import ALL_MODELS, Finding
from snellen.stress.base import Measure

LINES = (
    ("accuracy on the original images", "pooled_accuracy", "pooled_accuracy_mixed", "original_accuracy"),
    ("change with weak artefacts: mean of the cells’ changes", "pooled_change", "", "weak_change_percent"),
    ("change with weak artefacts: change of the mean accuracy", "change_of_pooled", "change_of_pooled_mixed", ""),
    ("change with weak artefacts, in points", "", "pooled_difference_mixed", ""),
    ("strong artefacts flagged", "pooled_detection_rate", "pooled_detection_rate_mixed", "strong_detection"),
)
"""What stands on a line: its words, the measure as published and the mixed one, and where the paper's figure is."""
OF_ONE = ((ORIGINALS, "pooled_accuracy"), (WEAK, "pooled_change"), (STRONG, "pooled_detection_rate"))
OF_TOP = ("top_accuracy", "top_change", "top_accuracy_apart", "top_change_apart")
MEANS = ("mean", "as published, 95% CI over patients", "mixed, 95% CI over patients and models", "printed in the paper")
TOP = ("images", "the three best", "accuracy", "change with weak artefacts", "accuracy, other half",
       "change, other half")  # fmt: skip
APART = ("model", "accuracy on the original images", "change with weak artefacts", "strong artefacts flagged")
_CELLS = re.compile(r"cells=(\d+), models=(\d+)")
ABOUT = (
    "The figures of the paper’s abstract. **As published** is the plain mean over cells: a cell is one model under one "
    "prompt and, but for the original images, one artefact. The paper prints no interval; ours is for other patients, "
    "who are drawn again for all cells at once, and says nothing of other models. A mean of changes is not the change "
    "of the mean: in the first, a model with little to lose weighs as much as any. The paper defines its change for "
    "one model and prompt, so its average is taken to be the first. **Mixed**: patients and models are two crossed "
    "samples, and what a model answers about one patient’s images stays paired. Its 95% CI is for other patients and "
    "other models{}. Neither way speaks of other prompts or artefacts. The paper’s figures are of its own models and "
    "images, and stand here to be seen beside."
)
FEW = "; here there are too few models for that, and they are taken as fixed"
UNSEEN = (
    ", as far as these are like the ones asked: a kind of model that makes up {:.0f}% of all may be missing among so "
    "few, and no interval covers what was not seen"
)
ON_TOP = (
    "By accuracy on the original images with the first prompt, as the paper shows them. Who is best by some images was "
    "also lucky with them, so this accuracy tends to be too high and the change too far down. Last two columns: the "
    "three best by one half of the patients, measured on the other half."
)


class PooledBlock(NamedTuple):
    """Some images of one benchmark: the measures by name, what the paper prints, and how a measure is drawn."""

    title: str
    found: Mapping[str, Measure]
    printed: Mapping[str, str]
    draw: Callable[[Measure | None], Cell]


def draw_pooled(lookup: Lookup, sections: Sequence[ShownTest]) -> list[Fold]:
    """A fold for every test of the family."""
    return [_draw_part(lookup, section) for section in sections if family(section.findings[0]) == POOLED]


def _draw_part(lookup: Lookup, shown: ShownTest) -> Fold:
    over = [each for each in lookup.evidence.results.over_all if each.test.name == shown.test.name]
    of_all = [each for each in over if each.model == ALL_MODELS]
    blocks = [block for each in of_all or shown.findings for block in _list_blocks(lookup, each)]
    reach = _describe_reach(of_all, blocks, len({each.model for each in shown.findings}))
    rows = tuple(row for block in blocks for row in _draw_means(block))
    parts: list[Part] = [quiet(rich(ABOUT, reach)), Table(name_columns(*MEANS), rows)]
    if spread := "; ".join(filter(None, map(_describe_spread, blocks))):
        parts.append(
            quiet(f"SD of what weak artefacts cost, from model to model and from patient to patient: {spread}.")
        )
    best = tuple(row for block in blocks for row in _draw_best(block))
    parts += explain("The three best on the original images", ON_TOP, [Table(name_columns(*TOP), best)] if best else [])
    parts.append(_draw_apart(lookup, shown))
    return Fold("All models, prompts and artefacts together", tuple(parts), shown.test.name, shown.anchor)


def _describe_reach(of_all: Sequence[Finding], blocks: Sequence[PooledBlock], models: int) -> str:
    """What the mixed model's interval covers beside other patients, with so many models."""
    fixed = any("taken as fixed" in each.estimate.method for block in blocks for each in block.found.values())
    return FEW if fixed or not of_all else UNSEEN.format(100 * (1 - 0.05 ** (1 / models)))


def _draw_apart(lookup: Lookup, shown: ShownTest) -> Part:
    """Each model by itself, folded; of one alone its verdict."""
    if len(shown.findings) == 1:
        return list_verdicts(lookup.evidence, shown.findings)
    rows = tuple(
        Row(Cell(label(each, lookup.evidence)),
            tuple(_draw_number(lookup, each, each.measure(arm, kind)) for arm, kind in OF_ONE), each.model)
        for each in shown.findings
        if each.measures
    )  # fmt: skip
    return Table(name_columns(*APART), rows, folded=f"{len(rows)} models, each by itself")


def _list_blocks(lookup: Lookup, finding: Finding) -> Iterator[PooledBlock]:
    """All images of a benchmark, and where there are several kinds a block for each."""
    parts: dict[str, list[Measure]] = {}
    for measure in finding.measures:
        parts.setdefault(part_of(measure), []).append(measure)
    kinds = {item.category for item in lookup.evidence.results.benchmarks[finding.benchmark]}
    only = (kinds.pop() or finding.benchmark) if len(kinds) == 1 else ""
    for part, measures in parts.items():
        kind = part or only
        title = f"{kind or 'all images'} of {finding.benchmark}" if len(lookup.benchmarks) > 1 else kind or "all images"
        found = {each.name: each for each in measures}
        yield PooledBlock(title, found, _list_printed(kind), partial(_draw_number, lookup, finding))


def _list_printed(kind: str) -> Mapping[str, str]:
    """What the paper prints of a kind of image, if it is one of its three."""
    averages, name = figures("artefacts")["averages"], paper_kind(kind)
    if not name:
        return {}
    change = f"{averages['weak_change_percent'][name]:+.2f}%".replace("-", "−")
    shares = {each: f"{100 * averages[each][name]:.1f}%" for each in ("original_accuracy", "strong_detection")}
    return {**shares, "weak_change_percent": change}


def _draw_means(block: PooledBlock) -> Iterator[Row]:
    """The figures that there are, as published and of which cells, by the mixed model, and as the paper prints them."""
    heading = f"{begun(block.title)}, n {count(next(iter(block.found.values())).estimate.n)}"
    for words, *ways, place in LINES:
        published, mixed = (block.found.get(name) for name in ways)
        if published or mixed:
            cells = "" if published is None else _describe_cells(published.estimate.method)
            shown = (replace(block.draw(published), n=cells), block.draw(mixed), Cell(block.printed.get(place, "–")))
            yield Row(Cell(words), shown, heading=heading)


def _describe_cells(method: str) -> str:
    """How many cells a mean is of, in words, and what was left out.

    >>> _describe_cells("bootstrap-both-ways; cells=85, models=6, nothing right before in 5")
    '85 cells of 6 models, nothing right before in 5'
    """
    return _CELLS.sub(r"\1 cells of \2 models", method.partition("; ")[2])


def _draw_number(lookup: Lookup, finding: Finding, measure: Measure | None) -> Cell:
    if measure is None or not isfinite(measure.estimate.value):
        return Cell("–")
    return number_to_tenths(measure, anchor_of_measure(finding, measure, lookup.evidence.anchors)).cell(n=False)


def _describe_spread(block: PooledBlock) -> str:
    """How far models, and patients, differ in what weak artefacts cost."""
    there = [block.found.get(name) for name in ("loss_between_models", "loss_between_patients")]
    told = " and ".join(figure(each.estimate.value, each.kind.unit) for each in there if each is not None)
    return f"{block.title} {told}" if told else ""


def _draw_best(block: PooledBlock) -> Iterator[Row]:
    """The best models on original images: who they are, what they score, and what others chosen likewise score."""
    first, *others = (block.found.get(name) for name in OF_TOP)
    if first is not None and others[0] is not None:
        names = first.subset.partition(BEST)[2].partition(": ")[2]
        yield Row(Cell(begun(block.title)), (Cell(names), *map(block.draw, (first, *others))))
