"""Many models on one benchmark: how sure their order is, which pairs differ, and what the tests of it assume."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.figures.forests import Number, number
from snellen.report.figures.layout import HeatCell, HeatRow
from snellen.report.figures.standalone import About, Figure, of_estimate
from snellen.report.sections.headline import short_names
from snellen.report.words.numbers import begun, count, figure, interval, p_value
from snellen.runtime import counted
from snellen.scoring.many_models import ManyModels
from snellen.stats.many_models import ModelPair, OmnibusTest
from snellen.stress.base import Measure
from snellen.stress.measures import KINDS

NAMED = 3
"""So many models that may be first are named."""
STEP = 0.3
"""The difference in accuracy that has the strongest shade of the heat map."""


class RankLine(NamedTuple):
    """One model: its rank with a simultaneous interval, its accuracy, and how often it comes first in resamples."""

    model: str
    rank: str
    between: str
    accuracy: Number
    best: str


class PairLine(NamedTuple):
    """Two models: by how much the second is more often right, and p by each test."""

    first: str
    second: str
    difference: str
    n: str
    p: str
    holm: str
    dunn: str
    settled: bool


class Omnibus(NamedTuple):
    """A test of whether any of the models differ, in a line, and what it assumes."""

    name: str
    line: str
    assumes: str


@dataclass(frozen=True)
class Order:
    """The models of one benchmark, over all its items or those of a task."""

    benchmark: str
    title: str
    sentence: str
    items: str
    left_out: str
    ranks: tuple[RankLine, ...]
    pairs: tuple[PairLine, ...]
    tests: tuple[Omnibus, ...]
    figure: Figure | None


@dataclass(frozen=True)
class Orders:
    """All orders of one benchmark: over all items first, then task by task."""

    benchmark: str
    whole: Order
    tasks: tuple[Order, ...]


def orders(evidence: Evidence) -> list[Orders]:
    """How sure the order of the models is, for every benchmark that several models answered."""
    by_benchmark: dict[str, list[ManyModels]] = {}
    for each in evidence.results.models_compared:
        if each.ranking.pairs and each.benchmark in evidence.benchmarks:
            by_benchmark.setdefault(each.benchmark, []).append(each)
    made = []
    for name, some in by_benchmark.items():
        whole = [each for each in some if not each.subset]
        if whole:
            tasks = tuple(_order(evidence, each) for each in some if each.subset)
            made.append(Orders(name, _order(evidence, whole[0]), tasks if len(tasks) > 1 else ()))
    return made


def _left_out(each: ManyModels) -> str:
    """What the ranks do not rest on, in words."""
    items = each.ranking.left_out
    said = [f"Left out: {count(items)} {'item' if items == 1 else 'items'} to which some model did not respond."]
    few = f"Not ranked, because they responded to too few of these questions: {', '.join(each.unranked)}."
    return " ".join([*(said if items else ()), *([few] if each.unranked else ())])


def _order(evidence: Evidence, each: ManyModels) -> Order:
    task = each.subset.partition("=")[2].replace("-", " ")
    return Order(
        each.benchmark,
        task.capitalize(),
        sentence(each),
        count(each.ranking.items),
        _left_out(each),
        tuple(_rank(evidence, each, at) for at in each.order),
        tuple(_pairs(each)),
        tuple(_tests(each)),
        None if each.subset else _figure(evidence, each),
    )


def sentence(each: ManyModels) -> str:
    """How sure the order is, with the names of those that may be first where they are few."""
    first = [each.models[at] for at in each.order if each.ranking.models[at].rank.low == 1]
    if len(each.models) == 2:
        how = f"settled: {first[0]} is first" if len(first) == 1 else "not settled"
        return f"The order of the two models is {how}."
    named = f" ({', '.join(first)})" if 1 < len(first) <= NAMED else ""
    return f"{begun(each.sentence)}{named}."


def _rank(evidence: Evidence, each: ManyModels, at: int) -> RankLine:
    place, model = each.ranking.models[at], each.models[at]
    anchor = evidence.anchors.get(ArmAddress(model, each.benchmark, each.arm), "rows")
    accuracy = Measure(each.arm, KINDS["accuracy"], place.score, parser=each.parser, subset=each.subset)
    rank = place.rank
    ends = f"{rank.low:.0f}" if rank.low == rank.high else f"{rank.low:.0f} to {rank.high:.0f}"
    return RankLine(model, f"{rank.value:g}", ends, number(accuracy, anchor), figure(place.best, "share"))


def _pairs(each: ManyModels) -> list[PairLine]:
    by_dunn = {(pair.first, pair.second): pair for pair in each.pairs_by_dunn}
    known = sorted(each.ranking.pairs, key=lambda pair: (_or_one(pair.difference.p), -abs(pair.difference.value)))
    lines = []
    for pair in known:
        dunn = by_dunn.get((pair.first, pair.second))
        lines.append(
            PairLine(
                each.models[pair.first],
                each.models[pair.second],
                f"{figure(pair.difference.value, 'points')} [{interval(pair.difference, 'points')}]",
                count(pair.difference.n),
                _p(pair.difference.p, at_floor=pair.difference.p_at_floor),
                _p(pair.adjusted, at_floor=pair.difference.p_at_floor),
                "–" if dunn is None else _p(dunn.adjusted),
                _settled(pair),
            )
        )
    return lines


def _settled(pair: ModelPair) -> bool:
    return pair.adjusted < 0.05


def _or_one(p: float | None) -> float:
    return 1.0 if p is None or math.isnan(p) else p


def _p(p: float | None, *, at_floor: bool = False) -> str:
    return "–" if p is None or math.isnan(p) else p_value(p, at_floor=at_floor).removeprefix("= ")


def _tests(each: ManyModels) -> list[Omnibus]:
    return [
        Omnibus(
            "Kruskal–Wallis with Dunn’s test",
            _omnibus("H", each.kruskal),
            "As published. It takes each model’s answers as independent of the others’, which they are not where all "
            "models answer the same questions; mostly it then finds fewer differences than there are. Dunn’s p is "
            "multiplied by the number of pairs.",
        ),
        Omnibus(
            "Cochran’s Q with paired differences",
            _omnibus("Q", each.cochran),
            "All models on the same questions; questions of one patient are permuted together. Pairs are compared "
            "question by question, and p is corrected over all pairs after Holm.",
        ),
    ]


def _omnibus(sign: str, test: OmnibusTest) -> str:
    if math.isnan(test.p):
        return f"not tested ({test.method})"
    at_floor = test.least_p is not None and test.p <= test.least_p
    p = p_value(test.p, at_floor=at_floor)
    freedom = f"{counted(test.freedom, 'degree')} of freedom"
    return f"{sign} {test.statistic:.1f}, {freedom}, p {p}, n {count(test.n)}, method {test.method}"


def _figure(evidence: Evidence, each: ManyModels) -> Figure | None:
    """The differences of all pairs as a heat map, the models in their order; it is a file alone."""
    if len(each.models) < 3:
        return None
    names = short_names(evidence.results)
    found = {(pair.first, pair.second): pair for pair in each.ranking.pairs}
    rows = [
        HeatRow(names.get(each.models[one], each.models[one]), "", tuple(_cell(found, one, two) for two in each.order))
        for one in each.order
    ]
    about = About(
        ("many-models", "pair_difference", each.benchmark if evidence.several else ""),
        f"Accuracy of the model of the row less that of the column; {each.benchmark}",
        "The stronger the colour, the larger the difference (points); below it, p after Holm",
    )
    data = [
        of_estimate("pair_difference", pair.difference, model=f"{each.models[pair.first]} → {each.models[pair.second]}",
                    benchmark=each.benchmark, condition=each.arm, unit="points")
        for pair in each.ranking.pairs
    ]  # fmt: skip
    columns = [names.get(each.models[at], each.models[at]) for at in each.order]
    return evidence.figures.cells(about, columns, rows, data)


def _cell(found: dict[tuple[int, int], ModelPair], one: int, two: int) -> HeatCell | None:
    pair = found.get((one, two)) or found.get((two, one))
    if pair is None:
        return None
    less = pair.difference.value if (pair.first, pair.second) == (two, one) else -pair.difference.value
    shade = min(1.0, abs(less) / STEP)
    return HeatCell(f"{100 * less:+.0f}".replace("-", "−"), f"p {_p(pair.adjusted)}", shade, less > 0)
