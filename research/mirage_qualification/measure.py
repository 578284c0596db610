"""What the mirage suite finds in organisms whose behaviour is known: the dial, the rate, the signal, and false alarms.

    python research/mirage_qualification/measure.py --repeats 40 --out research/mirage_qualification/results.md

Every repetition is a new benchmark of phantoms for each setting of the dial. Takes about half a minute a repetition on
two cores.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product, repeat
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.memoriser import Memoriser
from snellen.scoring.findings import Finding
from snellen.stats import wilson
from snellen.stress.base import Status
from snellen.study import Study, rescore

DIAL = (0.0, 0.25, 0.5, 0.75, 1.0)
CURVED = ("mirage", "blind", "grounded")
BLIND = "image-removed"
PLANTED: Mapping[str, frozenset[str]] = {
    "mirage": frozenset({"mirage-rate", "mirage-bias"}),
    "blind": frozenset({"grounding-signal", "image-needed", "mirage-rate", "mirage-bias"}),
    "memoriser": frozenset({"grounding-signal", "image-needed", "dataset-name", "mirage-rate", "mirage-bias"}),
    "random": frozenset({"grounding-signal", "mirage-rate", "mirage-bias"}),
    "rambler": frozenset(),
    "grounded": frozenset(),
    "positional": frozenset(),
    "refuser": frozenset(),
    "flagger": frozenset(),
    "pretender": frozenset(),
    "reader": frozenset(),
    "text-driven": frozenset(),
    "normal-report": frozenset({"grounding-signal", "image-needed", "mirage-rate", "mirage-bias"}),
}
"""What is wrong with each organism, by the tests that should find it; the memoriser knows its benchmark by name.

The pretender is silent without an image, so that only swapped images could show that it never looks: not in this suite.
The text-driven one is silent without an image too, but where the text gives the answer away.
"""


class Point(NamedTuple):
    """A mirage score as published and above guessing, and whether the latter's interval holds the dial."""

    published: float
    above: float
    holds: bool


def point(seed: int, leak: float, items: int) -> dict[str, Point]:
    """The mirage scores of some organisms on one new benchmark."""
    with TemporaryDirectory() as folder:
        study = Study(
            models=[open_organism(name) for name in CURVED],
            benchmarks=(f"phantoms:items={items},seed={seed},leak={leak}",),
            tests=("mirage-score",),
            prompt="mirage",
            out=folder,
        )
        study.ask(lambda progress: None)
        return {_name(finding): _point(finding, leak) for finding in rescore(folder).findings}


def _point(finding: Finding, leak: float) -> Point:
    published, above = (finding.measure(BLIND, name) for name in ("mirage_score", "mirage_score_above_chance"))
    assert published is not None
    assert above is not None
    found = above.estimate
    return Point(published.estimate.value, found.value, found.low <= leak <= found.high)


def alarms(seed: int, items: int) -> dict[str, set[str]]:
    """The tests of the suite that alarm for each organism on one new benchmark, every question asked three times."""
    learnt = Memoriser(items=items, seed=seed, cue="name")
    with TemporaryDirectory() as folder:
        study = Study(
            models=[learnt if name == "memoriser" else open_organism(name) for name in ORGANISMS],
            benchmarks=(f"phantoms:items={items},seed={seed},leak=0.5",),
            tests=("mirage:seeds=20",),
            epochs=3,
            seed=seed,
            out=folder,
        )
        study.ask(lambda progress: None)
        found: dict[str, set[str]] = {name: set() for name in ORGANISMS}
        for finding in rescore(folder).findings:
            if finding.verdict.status is Status.FAIL:
                found[_name(finding)].add(finding.test.name.partition(":")[0])
        return found


def _name(finding: Finding) -> str:
    return finding.model.removeprefix("organism/")


def curve(repeats: int, items: int, workers: int) -> tuple[str, str]:
    """The curve over the dial as a table and as a picture."""
    found: dict[tuple[str, float], list[Point]] = defaultdict(list)
    settings = [(seed, leak) for leak, seed in product(DIAL, range(repeats))]
    seeds, leaks = zip(*settings, strict=True)
    with ProcessPoolExecutor(workers) as pool:
        for (_, leak), by_model in zip(settings, pool.map(point, seeds, leaks, repeat(items)), strict=True):
            for name, its_point in by_model.items():
                found[name, leak].append(its_point)
    lines = [
        "| organism | leak | mirage score | above chance | its 95% CI contains the leak |",
        "|---|---|---|---|---|",
    ]
    for (name, leak), points in sorted(found.items(), key=lambda pair: (CURVED.index(pair[0][0]), pair[0][1])):
        published, above = fmean(each.published for each in points), _mean(each.above for each in points)
        held = wilson(sum(each.holds for each in points), len(points))
        covered = f"{held.value:.2f} [{held.low:.2f}, {held.high:.2f}]" if name == "mirage" else "–"
        told = "–" if isnan(above) else f"{above:.3f}"
        lines.append(f"| {name} | {leak:.2f} | {published:.3f} | {told} | {covered} |")
    series = {name: [_mean(each.above for each in found[name, leak]) for leak in DIAL] for name in CURVED}
    return "\n".join(lines), picture(series)


def _mean(scores: Iterable[float]) -> float:
    """The mean of scores that all could be made; one that guesses with the image has none above guessing."""
    known = list(scores)
    return nan if any(map(isnan, known)) else fmean(known)


def picture(series: Mapping[str, Sequence[float]]) -> str:
    """The scores above guessing over the dial, as SVG."""
    left, top, side = 50, 20, 260
    dashes = {"mirage": "", "blind": "6 4", "grounded": "2 4"}
    beside = {"mirage": (10, 14), "blind": (0, 18), "grounded": (0, -8)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + 170} {side + 70}" font-family="sans-serif" '
        'font-size="12">',
        f'<path d="M{left} {top}v{side}h{side}" fill="none" stroke="#333"/>',
        f'<text x="{left + side / 2}" y="{top + side + 40}" text-anchor="middle">share of answers the text gives '
        "away</text>",
        f'<text x="{left}" y="{top - 6}">kept without the image, above guessing</text>',
    ]
    for tick in DIAL:
        x, y = left + side * tick, top + side * (1 - tick)
        parts.append(f'<text x="{x}" y="{top + side + 18}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{tick:g}</text>')
    for name, values in series.items():
        drawn = [(leak, value) for leak, value in zip(DIAL, values, strict=True) if not isnan(value)]
        places = [(left + side * leak, top + side * (1 - value)) for leak, value in drawn]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="#1b4f72" stroke-dasharray="{dashes[name]}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1b4f72"/>' for x, y in places]
        (x, y), (right, down) = places[len(places) // 2], beside[name]
        parts.append(f'<text x="{x + right:.1f}" y="{y + down:.1f}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def qualification(repeats: int, items: int, workers: int) -> Iterator[str]:
    """The table of alarms, a line an organism and test."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    with ProcessPoolExecutor(workers) as pool:
        for done, made in enumerate(pool.map(alarms, range(repeats), repeat(items)), 1):
            for name, tests in made.items():
                for test in tests | PLANTED[name]:
                    counts[name, test] += test in tests
                counts[name, "*any test where nothing is planted*"] += bool(tests - PLANTED[name])
            print(f"{done} of {repeats}", flush=True)
    yield "| organism | test | planted | alarms | share [95% CI] |"
    yield "|---|---|---|---|---|"
    for name in ORGANISMS:
        for (organism, test), count in sorted(counts.items(), key=lambda pair: (pair[0][1].startswith("*"), pair[0])):
            if organism == name:
                share = wilson(count, repeats)
                planted = "yes" if test in PLANTED[name] else "no"
                yield (
                    f"| {name} | {test} | {planted} | {count} | {share.value:.3f} [{share.low:.3f}, {share.high:.3f}] |"
                )


def main() -> None:
    """Write the page and the picture beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("research/mirage_qualification/results.md"))
    given = parser.parse_args()
    table, drawn = curve(given.repeats, given.items, given.workers)
    alarmed = "\n".join(qualification(given.repeats, given.items, given.workers))
    drawing = given.out.with_name("mirage_leak.svg")
    drawing.write_text(drawn)
    given.out.write_text(PAGE.format(**vars(given), curve=table, alarms=alarmed, drawing=drawing.name))


PAGE = """\
# The mirage suite on the organisms

This page shows what the mirage suite finds in organisms: small models whose behaviour is known because it was built \
in.

Redraw it with `python research/mirage_qualification/measure.py --repeats {repeats} --items {items}`.

## The share that the text gives away, from the mirage score

In these phantoms, the text gives away the answer to a known share of the questions (the *leak*). For each leak there \
are {repeats} new benchmarks of {items} items. The table has the means over them.

- `mirage` sees with the image and uses the words without it. Of its accuracy above chance, it keeps what the words \
give away.
- `blind` never looks, so it keeps all of its accuracy. At leak 0 it scores at chance level, and nothing is above \
chance.
- `grounded` says that it cannot see, and keeps nothing.

![Scores above chance over the leak: mirage runs along the diagonal, blind at 1, grounded at 0]({drawing})

{curve}

## False alarms and detections

There are {repeats} new benchmarks of {items} items. The text gives away half of the answers. Every question is asked \
three times. The memoriser here knows its benchmark by name.

- *Planted*: whether the organism was built with the defect that this test should find.
- *Alarms*: benchmarks with the verdict fail, after Holm's correction over the tests of a benchmark.
- *Share*: alarms per benchmark, with Wilson's 95% CI.

{alarms}
"""

if __name__ == "__main__":
    main()
