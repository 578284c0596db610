"""Many models on one benchmark: whether they differ, which do, and how sure their order is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import ORIGINAL
from snellen.prompts import asked_under
from snellen.reading.columns import Floats
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import ALL_MODELS, Finding
from snellen.stats import Estimate
from snellen.stats.many_models import DunnPair, ModelPair, OmnibusTest, Ranking, cochrans_q, dunn, kruskal_wallis, ranks
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import column
from snellen.stress.table import Table

KINDS = by_name(
    Kind("kruskal_wallis", "Kruskal–Wallis H over the models, as published", Unit.NUMBER),
    Kind("cochrans_q", "Cochran's Q over the models, on the same items", Unit.NUMBER),
    Kind("settled_share", "pairs of models whose order is settled", Unit.SHARE),
    Kind("dunn_z", "Dunn's z of two models, as published", Unit.NUMBER),
    Kind("pair_difference", "accuracy of the second model less that of the first", Unit.POINTS),
    Kind("rank", "rank by accuracy, with a simultaneous 95% CI", Unit.NUMBER),
    Kind("best_share", "share of resamples in which it comes first", Unit.SHARE),
)
TEST = StressTest(
    Design(
        "many-models",
        "How sure is the order of the models?",
    ),
    Analysis(Expectation.UNKNOWN, scores=True),
    Presentation("order of the models"),
)


LEAST_ANSWERED = 0.9
"""A model that answered a smaller share of what others answered is not compared with them."""


class ManyModels(NamedTuple):
    """The models of one benchmark under one condition, on all its items or on those of a task."""

    benchmark: str
    arm: str
    subset: str
    models: tuple[str, ...]
    kruskal: OmnibusTest
    pairs_by_dunn: tuple[DunnPair, ...]
    cochran: OmnibusTest
    ranking: Ranking
    parser: str
    judge: str
    unranked: tuple[str, ...] = ()
    """Models that answered too few of the items, such as those that take no images: only what all answered counts."""

    @property
    def order(self) -> list[int]:
        """The models' places, the best first."""
        return sorted(range(len(self.models)), key=lambda at: (self.ranking.models[at].rank.value, at))

    def findings(self) -> Iterator[Finding]:
        """The same as rows of results.csv: one finding over all models, and one for each model's rank."""
        yield self._finding(ALL_MODELS, tuple(self._of_all()), self._verdict())
        if not self.ranking.pairs:
            return
        for name, place in zip(self.models, self.ranking.models, strict=True):
            best = Estimate(place.best, np.nan, np.nan, self.ranking.items, "bootstrap-share")
            found = (self._measure("rank", place.rank), self._measure("best_share", best))
            yield self._finding(name, found, Verdict(Status.REPORTED, meaning="a rank is reported without a verdict"))

    def _of_all(self) -> Iterator[Measure]:
        for name, test in (("kruskal_wallis", self.kruskal), ("cochrans_q", self.cochran)):
            if np.isfinite(test.statistic):
                yield self._measure(name, _estimate(test.statistic, test.n, test.method, test.p))
        if self.ranking.pairs:
            settled = _estimate(self.ranking.share_settled, self.ranking.items, "holm-over-pairs")
            yield self._measure("settled_share", settled)
        for pair in self.pairs_by_dunn:
            if np.isfinite(pair.z):
                found = _estimate(pair.z, pair.n, "dunn", pair.p)
                yield self._measure("dunn_z", found, self._named(pair), pair.adjusted)
        for each in self.ranking.pairs:
            yield self._measure("pair_difference", each.difference, self._named(each), each.adjusted)

    def _named(self, pair: DunnPair | ModelPair) -> str:
        """How results.csv names two models."""
        named = f"{self.models[pair.first]} → {self.models[pair.second]}"
        return f"{self.subset}; {named}" if self.subset else named

    def _measure(
        self, kind: str, estimate: Estimate, subset: str | None = None, adjusted: float | None = None
    ) -> Measure:
        about = self.subset if subset is None else subset
        return Measure(self.arm, KINDS[kind], estimate, adjusted, parser=self.parser, subset=about, judge=self.judge)

    def _finding(self, model: str, measures: tuple[Measure, ...], verdict: Verdict) -> Finding:
        return Finding(model, self.benchmark, TEST, measures, verdict, self.parser)

    def _verdict(self) -> Verdict:
        if not self.ranking.pairs:
            return Verdict(Status.REPORTED, meaning="no item was answered by all models", reason="not-compared")
        numbers = {"settled": self.ranking.settled, "pairs": len(self.ranking.pairs)}
        return Verdict(Status.REPORTED, self.sentence, values=numbers)

    @property
    def sentence(self) -> str:
        """How sure the order is, in words."""
        first = [self.models[at] for at in self.order if self.ranking.models[at].rank.low == 1]
        settled = f"{self.ranking.settled} of {len(self.ranking.pairs)} pairs of models have a settled order"
        return f"{settled}; {first[0]} is first" if len(first) == 1 else f"{settled}; {len(first)} models may be first"


def _estimate(value: float, n: int, method: str, p: float | None = None) -> Estimate:
    return Estimate(value, np.nan, np.nan, n, method, p=p)


def many_models(tables: Sequence[Table]) -> Iterator[ManyModels]:
    """The models of one benchmark compared under the condition as asked, over all items and for each task.

    Reports are neither right nor wrong, and who corrects every premise, true or false, is right in half of them: they
    have no place in it.
    """
    arm = asked_under(ORIGINAL.name, [arm for table in tables for arm in table.arms])
    there = [table for table in tables if len(table.arms.get(arm, ())) and _has_accuracy(table)]
    if len(there) < 2:
        return
    scores = np.stack([column(table, table.share(arm, [Outcome.CORRECT])) for table in there], axis=1)
    yield _compared(there, arm, scores, "")
    tasks = np.array([str(item.metadata.get("task", "")) for item in there[0].items])
    for task in dict.fromkeys(filter(None, tasks.tolist())):
        yield _compared(there, arm, scores, f"task={task}", tasks == task)


def _has_accuracy(table: Table) -> bool:
    return table.kind != "report" and not all(item.premise for item in table.items)


def _compared(
    every: Sequence[Table], arm: str, scores: Floats, subset: str, kept: NDArray[np.bool_] | None = None
) -> ManyModels:
    rows = np.ones(len(scores), dtype=bool) if kept is None else kept
    answered = np.isfinite(scores[rows]).sum(axis=0)
    ranked = np.flatnonzero(answered >= LEAST_ANSWERED * answered.max())
    unranked = tuple(table.model for at, table in enumerate(every) if at not in ranked)
    tables = [every[int(at)] for at in ranked]
    first = tables[0]
    some, clusters = scores[np.ix_(rows, ranked)], first.clusters[rows]
    parsers, judges = {table.parser for table in tables}, dict.fromkeys(filter(None, (each.judge for each in tables)))
    return ManyModels(
        first.benchmark,
        arm,
        subset,
        tuple(table.model for table in tables),
        kruskal_wallis(some),
        dunn(some),
        cochrans_q(some, clusters),
        ranks(some, clusters),
        first.parser if len(parsers) == 1 else "",
        ", ".join(judges) if first.by_judges else "",
        unranked,
    )
