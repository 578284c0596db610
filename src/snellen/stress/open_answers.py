"""Measures of open answers: three ways to count unclear ones, judges' agreement, and people's labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from snellen.conditions.mismatch import is_contradictory
from snellen.items import Item
from snellen.reading.columns import Floats, Integers
from snellen.reading.open.judged import GRADES, UNCLEAR, JudgedAnswers, PeoplesLabels
from snellen.reading.outcomes import OpenGrade, Outcome
from snellen.stats import cohens_kappa, fleiss_kappa, prediction_powered_by_stratum, prediction_powered_mean
from snellen.stress.base import Kind, Measure, StressTest, Unit, by_name
from snellen.stress.measures import share, standard_measures
from snellen.stress.table import Grades, Table

KINDS = by_name(
    Kind("accuracy_unclear_half", "accuracy, an unclear answer counted as half", Unit.SHARE, grouped=True),
    Kind("accuracy_unclear_wrong", "accuracy, an unclear answer counted as wrong", Unit.SHARE, grouped=True),
    Kind("accuracy_unclear_left_out", "accuracy, unclear answers left out", Unit.SHARE, grouped=True),
    Kind("unclear_rate", "neither correct nor incorrect", Unit.SHARE),
    Kind("accuracy_corrected", "accuracy, corrected by people's labels of some responses", Unit.SHARE),
    Kind("accuracy_by_labels", "accuracy by people's labels alone", Unit.SHARE, parser=""),
    Kind("judge_unanimous_rate", "all opinions on a response agree", Unit.SHARE),
    Kind("judge_self_agreement", "agreement of a judge's own opinions (Fleiss' κ)", Unit.NUMBER),
    Kind("judge_agreement", "agreement between judges (Cohen's κ of two, Fleiss' κ of more)", Unit.NUMBER),
)
"""Additional measures of open answers."""
FEWEST_LABELS = 10
"""With fewer labels of people than this, accuracy is not corrected."""
FEWEST_OF_CATEGORY = 5
"""The fewest labels in each category, if categories are labelled unequally."""


def has_reference(item: Item) -> bool:
    """Return True if the question has neither a premise to correct nor a contradictory image."""
    return item.premise is None and not is_contradictory(item)


def open_measures(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure the standard measures, three ways to count unclear answers, and judges' agreement.

    Questions with a premise are left out: the test `false-premise` covers them.
    """
    asked = np.array([has_reference(item) for item in table.items], dtype=bool)
    table = table if asked.all() else table.select_items(asked)
    return [*standard_measures(test, table), *(each for arm in test.all_arms for each in of_answers(arm.name, table))]


def of_answers(arm: str, table: Table) -> Iterator[Measure]:
    """Measure three ways to count unclear answers in one arm, and judges' agreement."""
    grades = table.arms.get(arm)
    if not grades:
        return
    for way in UNCLEAR:
        counted = _worth(grades, way)
        there = ~np.isnan(counted)
        if there.any():
            values = table.means(grades.ordinal[there], counted[there])
            yield Measure(arm, KINDS[f"accuracy_unclear_{way}"], share(table, values))
    yield Measure(arm, KINDS["unclear_rate"], share(table, table.means(grades.ordinal, _unclear(grades))))
    yield from _correct_accuracy(arm, table, grades)
    judged = grades.of(JudgedAnswers)
    if judged is None:
        return
    if judged.counts.sum(axis=(1, 2)).max(initial=0) > 1:
        yield Measure(arm, KINDS["judge_unanimous_rate"], share(table, table.rate(arm, judged.unanimous)))
    if len(judged.judges) == 1 and (repeated := _opinions(judged)):
        yield Measure(arm, KINDS["judge_self_agreement"], fleiss_kappa(repeated))
    verdicts = judged.verdicts()
    verdicts = verdicts[(verdicts >= 0).all(axis=1)]
    if len(judged.judges) > 1 and len(verdicts):
        two = len(judged.judges) == 2
        found = cohens_kappa(*verdicts.T.tolist()) if two else fleiss_kappa(verdicts.tolist())
        yield Measure(arm, KINDS["judge_agreement"], found)


def _opinions(judged: JudgedAnswers) -> list[list[int]]:
    """Return one judge's repeated opinions per response; empty without repeats."""
    counts = judged.counts[:, 0]
    most = int(counts.sum(axis=1).max(initial=0))
    whole = counts[counts.sum(axis=1) == most]
    return [np.repeat(np.arange(len(GRADES)), row).tolist() for row in whole] if most > 1 else []


def _correct_accuracy(arm: str, table: Table, grades: Grades) -> Iterator[Measure]:
    """Estimate the accuracy by people from all grades and the labels of some responses.

    A review labels equally many responses of each category, whatever its size. If shares of labels then differ, each
    category is corrected on its own and weighted by its responses. There is no estimate if a category has too few
    labels.
    """
    people = grades.of(PeoplesLabels)
    if people is None or np.isfinite(people.correct).sum() < FEWEST_LABELS:
        return
    right, clusters = grades.right(), table.clusters[grades.ordinal]
    categories, strata = np.unique([category(table.items[at]) for at in grades.ordinal.tolist()], return_inverse=True)
    labelled = np.bincount(strata[np.isfinite(people.correct)], minlength=len(categories))
    if not _unequal(labelled, np.bincount(strata)):
        found = prediction_powered_mean(right, people.correct, clusters=clusters)
    elif labelled.min() >= FEWEST_OF_CATEGORY:
        found = prediction_powered_by_stratum(right, people.correct, strata, clusters)
    else:
        return
    yield Measure(arm, KINDS["accuracy_corrected"], found.corrected)
    yield Measure(arm, KINDS["accuracy_by_labels"], found.labels_only)


def category(item: Item) -> str:
    """Return the category by which responses are chosen for labels: the item's task if it has one."""
    return str(item.metadata.get("task") or item.category)


def _unequal(labelled: Integers, responses: Integers) -> bool:
    """Return True if the share of labels differs significantly between categories (p < 0.01)."""
    rate = labelled.sum() / responses.sum()
    if not 0 < rate < 1 or len(responses) < 2:
        return False
    apart = ((labelled - rate * responses) ** 2 / (rate * (1 - rate) * responses)).sum()
    return bool(scipy.special.chdtrc(len(responses) - 1, apart) < 0.01)


def _worth(grades: Grades, way: str) -> Floats:
    """Return the credit of each response; NaN if it is left out."""
    judged = grades.of(JudgedAnswers)
    if judged is not None:
        return judged.score(way)
    return np.asarray(np.where(_unclear(grades) > 0, UNCLEAR[way], grades.right()))


def _unclear(grades: Grades) -> Floats:
    judged = grades.of(JudgedAnswers)
    if judged is None:
        return grades.is_(Outcome.UNCLEAR).astype(np.float64)
    opinions = judged.counts.sum(axis=1)
    share_of = opinions[:, GRADES.index(OpenGrade.UNCLEAR)] / np.maximum(opinions.sum(axis=1), 1)
    return np.asarray(share_of)
