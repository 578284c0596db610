"""Comparison of several models on one benchmark: differences, pairs and ranks."""

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
    Kind("pair_difference", "accuracy of the second model minus that of the first", Unit.POINTS),
    Kind("rank", "rank by accuracy, with a simultaneous 95% CI", Unit.NUMBER),
    Kind("best_share", "share of resamples in which the model comes first", Unit.SHARE),
)
TEST = StressTest(
    Design("many-models", "How sure is the order of the models?"),
    Analysis(Expectation.UNKNOWN, scores=True),
    Presentation("order of the models"),
)


LEAST_ANSWERED = 0.9
"""A model is left out of the comparison if it answered less than this share of the largest number of items."""


class ManyModels(NamedTuple):
    """Comparison of a benchmark's models under one condition, on all items or one task."""

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
    """Models that answered too few items, for instance because they take no images."""

    @property
    def order(self) -> list[int]:
        """Indices of the models, best first."""
        return sorted(range(len(self.models)), key=lambda at: (self.ranking.models[at].rank.value, at))

    def findings(self) -> Iterator[Finding]:
        """Yield the findings for results.csv: one over all models, then one per model with its rank."""
        verdict = Verdict(Status.REPORTED, meaning="no item was answered by all models", reason="not-compared")
        if self.ranking.pairs:
            numbers = {"settled": self.ranking.settled, "pairs": len(self.ranking.pairs)}
            verdict = Verdict(Status.REPORTED, self.sentence, values=numbers)
        yield Finding(ALL_MODELS, self.benchmark, TEST, tuple(self._of_all()), verdict, self.parser)
        if not self.ranking.pairs:
            return
        verdict = Verdict(Status.REPORTED, meaning="a rank is reported without a verdict")
        for name, place in zip(self.models, self.ranking.models, strict=True):
            best = Estimate(place.best, np.nan, np.nan, self.ranking.items, "bootstrap-share")
            found = (self._measure("rank", place.rank), self._measure("best_share", best))
            yield Finding(name, self.benchmark, TEST, found, verdict, self.parser)

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
                yield self._measure("dunn_z", found, self._format_pair(pair), pair.adjusted)
        for each in self.ranking.pairs:
            yield self._measure("pair_difference", each.difference, self._format_pair(each), each.adjusted)

    def _format_pair(self, pair: DunnPair | ModelPair) -> str:
        named = f"{self.models[pair.first]} → {self.models[pair.second]}"
        return f"{self.subset}; {named}" if self.subset else named

    def _measure(
        self, kind: str, estimate: Estimate, subset: str | None = None, adjusted: float | None = None
    ) -> Measure:
        about = self.subset if subset is None else subset
        return Measure(self.arm, KINDS[kind], estimate, adjusted, parser=self.parser, subset=about, judge=self.judge)

    @property
    def sentence(self) -> str:
        """Sentence on how certain the order of the models is."""
        first = [self.models[at] for at in self.order if self.ranking.models[at].rank.low == 1]
        settled = f"{self.ranking.settled} of {len(self.ranking.pairs)} pairs of models have a settled order"
        return f"{settled}; {first[0]} is first" if len(first) == 1 else f"{settled}; {len(first)} models may be first"


def _estimate(value: float, n: int, method: str, p: float | None = None) -> Estimate:
    return Estimate(value, np.nan, np.nan, n, method, p=p)


def many_models(tables: Sequence[Table]) -> Iterator[ManyModels]:
    """Compare models with the original image, over all items and by task.

    Two kinds of benchmark are left out: reports, which are neither right nor wrong, and questions with true and false
    premises. A model that corrects every premise would be right on half of the latter.
    """
    arm = asked_under(ORIGINAL.name, [arm for table in tables for arm in table.arms])
    graded = [each for each in tables if each.kind != "report" and not all(item.premise for item in each.items)]
    there = [table for table in graded if len(table.arms.get(arm, ()))]
    if len(there) < 2:
        return
    scores = np.stack([column(table, table.share(arm, [Outcome.CORRECT])) for table in there], axis=1)
    yield _compare_models(there, arm, scores, "")
    tasks = np.array([str(item.metadata.get("task", "")) for item in there[0].items])
    for task in dict.fromkeys(filter(None, tasks.tolist())):
        yield _compare_models(there, arm, scores, f"task={task}", tasks == task)


def _compare_models(
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
