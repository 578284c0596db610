"""Mirage score: what is kept without the image, model by benchmark with its means, and what the image adds on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from snellen.protocols.mirage.tests.score import ABOVE_LUCK, MEAN, SCORE
from snellen.report.figures.bars import topped_bar
from snellen.report.figures.layout import FigureRow, Key, axis_of
from snellen.report.figures.marks import scale, swatch, titled_axis
from snellen.report.figures.standalone import About, Figure, datum
from snellen.report.lookup import Found, Lookup, Place, family
from snellen.report.sections.tests import ShownTest, by_benchmark
from snellen.scoring.findings import ALL_BENCHMARKS, ALL_MODELS, Finding


@dataclass(frozen=True)
class Kept:
    """One score: as published, and of what is above guessing; a mean has the first alone, and how many it is of."""

    score: Found
    above: Found | None = None
    of: str = ""


@dataclass(frozen=True)
class ScoreRow:
    """One model, or all of them: a score for every benchmark, and the mean over benchmarks."""

    model: str
    cells: tuple[Kept | None, ...]
    mean: Kept | None


@dataclass(frozen=True)
class Topped:
    """One model: its accuracy without the image and what the image adds, as a image and as numbers."""

    model: str
    picture: Markup
    without: Found
    with_image: Found


@dataclass(frozen=True)
class OnBenchmark:
    """One benchmark: a image for every model, over one axis."""

    benchmark: str
    lines: tuple[Topped, ...]
    axis: Markup
    figure: Figure | None = None


@dataclass(frozen=True)
class MirageScore:
    """One such score: the matrix, its means, and the images."""

    section: ShownTest
    benchmarks: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    over_models: ScoreRow | None
    over_benchmarks: bool
    pictures: tuple[OnBenchmark, ...]


def mirage_scores(lookup: Lookup, sections: Sequence[ShownTest]) -> list[MirageScore]:
    """A part for every test of the family."""
    return [_of(lookup, section) for section in sections if family(section.findings[0]) == "mirage-score"]


def _of(lookup: Lookup, section: ShownTest) -> MirageScore:
    by_place = {Place(each.model, each.benchmark): each for each in section.findings}
    spanning = [each for each in lookup.evidence.results.over_all if each.test.name == section.test.name]
    means = {Place(each.model, each.benchmark): _kept(lookup, each, MEAN) for each in spanning}
    names = tuple(by_benchmark(section.findings))
    rows = [
        ScoreRow(
            model,
            tuple(_at(lookup, by_place.get(Place(model, name))) for name in names),
            means.get(Place(model, ALL_BENCHMARKS)),
        )
        for model in dict.fromkeys(each.model for each in section.findings)
    ]
    of_all = tuple(means.get(Place(ALL_MODELS, name)) for name in names)
    return MirageScore(
        section=section,
        benchmarks=names,
        rows=tuple(rows),
        over_models=ScoreRow(ALL_MODELS, of_all, None) if any(of_all) else None,
        over_benchmarks=any(row.mean for row in rows),
        pictures=tuple(each for name in names if (each := _pictures(lookup, section, name)).lines),
    )


def _blind(finding: Finding) -> str:
    """The arm without the image, in whichever words and at whichever effort the test asks."""
    return finding.test.compared[0].name


def _at(lookup: Lookup, finding: Finding | None) -> Kept | None:
    return None if finding is None else _kept(lookup, finding, SCORE)


def _kept(lookup: Lookup, finding: Finding, name: str) -> Kept | None:
    score, above = (finding.measure(_blind(finding), each) for each in (name, ABOVE_LUCK))
    if score is None:
        return None
    return Kept(
        lookup.printed(finding, score),
        None if above is None else lookup.printed(finding, above),
        score.estimate.method.partition("; of ")[2],
    )


def _pictures(lookup: Lookup, section: ShownTest, benchmark: str) -> OnBenchmark:
    lines = []
    for finding in (each for each in section.findings if each.benchmark == benchmark):
        found = [finding.measure(arm, "accuracy") for arm in (_blind(finding), finding.test.baseline.name)]
        if found[0] is not None and found[1] is not None:
            without, with_image = (lookup.printed(finding, each) for each in found if each is not None)
            luck = lookup.chance(Place(finding.model, benchmark), _blind(finding))
            place = lookup.evidence.place(finding.model)
            picture = topped_bar(without.estimate, with_image.estimate, luck, place)
            lines.append(Topped(finding.model, picture, without, with_image))
    axis = titled_axis(scale([], "share"), "Accuracy (%)")
    return OnBenchmark(benchmark, tuple(lines), axis, _figure(lookup, section, lines) if lines else None)


def _figure(lookup: Lookup, section: ShownTest, lines: Sequence[Topped]) -> Figure:
    evidence = lookup.evidence
    rows = [
        FigureRow(line.model, line.picture, tuple(each.printed.said for each in (line.without, line.with_image)),
                  f"n {line.without.printed.n}", evidence.place(line.model))
        for line in lines
    ]  # fmt: skip
    data = [datum(each.finding, each.measure) for line in lines for each in (line.without, line.with_image)]
    benchmark = data[0].benchmark
    about = About(
        (section.test.name, "accuracy", benchmark if evidence.several else ""),
        f"Accuracy without the image, and what the image adds; {benchmark}",
        "The upper line is the 95% CI without the image, the lower one with it; the dashed line is blind guessing",
    )
    legend = [
        Key(swatch("bar blind"), "accuracy without the image"),
        Key(swatch("bar seen"), "what the image adds"),
        Key(swatch("outcome wrong"), "what it takes away"),
    ]
    axis = axis_of(scale([], "share"), "Accuracy (%)")
    return evidence.figures.rows(about, rows, data, axis, legend=legend, row_height=36.0)
