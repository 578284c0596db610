"""Image artefacts: the tests of "Understanding the robustness of vision-language models to medical image artefacts".

A chapter of its own, as far as they were asked: what weak artefacts cost, whether strong ones are noticed, the curves
between, real images of poor quality, the images themselves, reasons against conclusions, and how the numbers were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from snellen.protocols.artefacts.report.counts import Counts, counts
from snellen.protocols.artefacts.report.curves import ArtefactCurves, curves
from snellen.protocols.artefacts.report.images import ImageSheet, TypicalItem, choose, sheets
from snellen.protocols.artefacts.report.maps import ArtefactMaps, conflict_maps, strong_maps, weak_maps
from snellen.protocols.artefacts.report.methods import Methods, methods
from snellen.protocols.artefacts.report.pooled import PooledPart, pooled
from snellen.protocols.artefacts.report.real_images import RealImages, real_images
from snellen.protocols.artefacts.report.tests import CURVE, STRONG, WEAK, about_artefacts, of_family, strategy, wordless
from snellen.protocols.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.protocols.artefacts.tests.strong import RATE
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, plotted
from snellen.report.lookup import Lookup, family
from snellen.report.sections.tests import ShownTest, label
from snellen.scoring.findings import Finding

PARTS = {"weak artefacts": WEAK, "strong artefacts": STRONG, "dose and response": CURVE}
MOST_NUMBERS = 1200
"""More numbers than this, over all tests of the chapter, are in results.csv alone, to keep the page small."""


@dataclass(frozen=True)
class Strategy:
    """One test of the chapter: how it was asked, and its section."""

    words: str
    section: ShownTest

    @property
    def numbers(self) -> int:
        """How many numbers it has."""
        return sum(grid.numbers for grid in self.section.grids)


@dataclass(frozen=True)
class Artefacts:
    """The chapter: every part in the order of the page; a part that was not asked is empty."""

    tests: tuple[tuple[str, tuple[Strategy, ...]], ...]
    lost: tuple[Forest, ...]
    weak: ArtefactMaps
    counts: tuple[Counts, ...]
    flagged: tuple[Forest, ...]
    strong: ArtefactMaps
    wordless: tuple[str, ...]
    curves: tuple[ArtefactCurves, ...]
    sheets: tuple[ImageSheet, ...]
    conflicts: ArtefactMaps
    methods: Methods
    pooled: tuple[PooledPart, ...]
    real: RealImages | None

    @property
    def listed(self) -> bool:
        """Whether all numbers stand on the page."""
        return sum(each.numbers for _, tests in self.tests for each in tests) <= MOST_NUMBERS

    def of(self, name: str) -> tuple[Strategy, ...]:
        """The tests of one part."""
        return dict(self.tests)[name]


def artefacts(evidence: Evidence, sections: Sequence[ShownTest], chosen: Sequence[TypicalItem]) -> Artefacts | None:
    """The chapter of a study that asked any of these tests; None for any other."""
    if not any(about_artefacts(section.test) for section in sections):
        return None
    lookup = Lookup(evidence)
    return Artefacts(
        tests=tuple((words, tuple(_strategies(evidence, sections, name))) for words, name in PARTS.items()),
        lost=tuple(_lost(lookup)),
        weak=weak_maps(lookup),
        counts=tuple(counts(lookup)),
        flagged=tuple(_flagged(lookup)),
        strong=strong_maps(lookup),
        wordless=wordless(lookup, [*of_family(lookup, WEAK), *of_family(lookup, STRONG)]),
        curves=tuple(curves(lookup)),
        sheets=tuple(sheets(evidence, chosen)),
        conflicts=conflict_maps(lookup),
        methods=methods(lookup),
        pooled=tuple(pooled(lookup, sections)),
        real=real_images(lookup),
    )


def _strategies(evidence: Evidence, sections: Sequence[ShownTest], name: str) -> list[Strategy]:
    those = [each for each in sections if family(each.findings[0]) == name]
    return [Strategy(strategy(each.test, evidence.results.study), each) for each in those]


def _lost(lookup: Lookup) -> Iterator[Forest]:
    """What all weak artefacts together cost, model by model and prompt by prompt."""
    caption = "Accuracy under weak artefacts, mean over all of them: change in percent of what there was"
    yield from _over_models(lookup, WEAK, "percent_change", caption, arm=ALL_ARTEFACTS)


def _flagged(lookup: Lookup) -> Iterator[Forest]:
    """How often strong artefacts are flagged, and beside it how often nothing was wrong."""
    caption = "Flagged: images with a strong artefact, mean over all of them"
    yield from _over_models(lookup, STRONG, RATE, caption, arm=ALL_ARTEFACTS)
    yield from _over_models(lookup, STRONG, RATE, "Flagged all the same: the images as they are")


def _over_models(lookup: Lookup, name: str, measure: str, caption: str, *, arm: str = "") -> Iterator[Forest]:
    """A measure of one arm, or without one of every test's baseline, over all models and prompts."""
    found = [(each, each.measure(arm or each.test.baseline.name, measure)) for each in of_family(lookup, name)]
    there = [(finding, number) for finding, number in found if number is not None]
    if there:
        yield plotted(there, lookup.evidence, _labelled(lookup), where=arm, caption=caption)


def _labelled(lookup: Lookup) -> Callable[[Finding], str]:
    return lambda finding: _label(lookup, finding)


def _label(lookup: Lookup, finding: Finding) -> str:
    return f"{label(finding, lookup.evidence)}, {strategy(finding.test, lookup.evidence.results.study)}"


CHAPTER = Chapter(
    anchor="artefacts",
    title="Image artefacts: does it still see when the image is worse?",
    short="Artefacts",
    template="snellen.protocols.artefacts.report:chapter.html.jinja",
    choose=choose,
    build=artefacts,
    covers=lambda section: about_artefacts(section.test),
    stands="degraded",
    paper="Understanding the robustness of vision-language models to medical image artefacts",
)
