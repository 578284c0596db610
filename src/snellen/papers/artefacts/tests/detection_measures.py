"""Measures of detection: disease, image quality and consistent reasons.

Responses that flag the quality or refuse are counted in two ways. They are wrong, as in the paper (`sensitivity`), or
left out (`sensitivity_answered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from snellen.items import UNGRADABLE, Item
from snellen.papers.artefacts.tests.arms import READ_BY
from snellen.reading.columns import NOTHING, Integers
from snellen.reading.detection import DetectionLabel
from snellen.reading.outcomes import Outcome
from snellen.stats import (
    cohens_kappa,
    group_difference,
    percent_change,
    shared_correlation,
    stratified_bootstrap,
    t_test_as_published,
)
from snellen.stats.stratified import Interval
from snellen.stress.base import Kind, Measure, Unit, by_name
from snellen.stress.measures import SHARED, mean_of, right, share
from snellen.stress.table import Grades, PerItem, Table

RESAMPLES = 1000
"""Number of bootstrap resamples, as in the paper."""
INTERVALS: Mapping[Interval, str] = {"percentile": "", "normal": "_normal", "published-text": "_text"}
"""The paper's kinds of interval, with the suffix of their measures: percentiles, 1.96 SD, and 1.96 SD/5 as in its text.
"""
CALLED = {"sensitivity": False, "specificity": True}
"""Per measure, whether it is computed over the normal items (True) or the diseased ones (False)."""

_share = partial(Kind, unit=Unit.SHARE)
_read = partial(_share, parser=READ_BY)
_judged = partial(_share, parser="", judged=True)
KINDS = by_name(
    Kind("sensitivity", "sensitivity: diseased images called diseased", Unit.SHARE, grouped=True),
    Kind("specificity", "specificity: normal images called normal", Unit.SHARE, grouped=True),
    Kind("sensitivity_answered", "sensitivity on answered questions", Unit.SHARE, grouped=True),
    Kind("specificity_answered", "specificity on answered questions", Unit.SHARE, grouped=True),
    _read("quality_mentioned_rate", "speaks of poor image quality, whatever it concludes", grouped=True),
    _read("conflict_rate", "reasons one thing and concludes the other, of all responses", grouped=True),
    _read("conflict_rate_reasoned", "reasons one thing and concludes the other, of responses that reason"),
    _judged("detection_rate_by_judge", "says that the image cannot be read, by the judge"),
    _judged("conflict_rate_by_judge", "reasons one thing and concludes the other, by the judge"),
    _share("accuracy_bootstrap", "accuracy, with the interval that the artefacts paper prints (bootstrap percentiles)"),
    Kind("accuracy_bootstrap_normal", "accuracy, with bootstrap mean ± 1.96 SD", Unit.SHARE),
    Kind("accuracy_bootstrap_text", "accuracy, with the SD over 5 of the artefacts paper's text", Unit.SHARE),
    Kind("mean_accuracy", "accuracy, mean over the artefacts", Unit.SHARE),
    Kind("percent_change", "change in accuracy, as a share of what there was", Unit.CHANGE, grouped=True),
    Kind("sensitivity_percent_change", "change in sensitivity, as a share of what there was", Unit.CHANGE),
    Kind("specificity_percent_change", "change in specificity, as a share of what there was", Unit.CHANGE),
    Kind("t_test_as_published", "change in accuracy, with the t-test of the artefacts paper", Unit.POINTS),
)

Mask = NDArray[np.bool_]


def normal_places(table: Table) -> Integers:
    """Return the position of the normal option of each item; NOTHING if it has none."""
    return table.compute_once(
        "normal options",
        lambda: np.array([NOTHING if item.normal is None else item.normal for item in table.items], np.int64),
    )


def healthy(table: Table) -> Mask:
    """Return which items are normal: the correct answer is the normal option."""
    answers = np.array([item.answer if isinstance(item.answer, int) else NOTHING for item in table.items], np.int64)
    return np.asarray((answers == normal_places(table)) & (answers != NOTHING))


def of_detection(arm: str, table: Table) -> Sequence[Measure]:
    """Measure sensitivity, specificity, flags, conflicts and the accuracy by the paper's bootstrap, in one arm."""
    return table.compute_once(("of detection", arm), lambda: tuple(_of_detection(arm, table)))


def _of_detection(arm: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    if not grades:
        return
    for name, normal in CALLED.items():
        called = _mark_called(table, grades, normal=normal)
        for suffix, among in (("", None), ("_answered", grades.chosen != NOTHING)):
            values = _select_by_health(table, table.rate(arm, called, among=among), normal=normal)
            if len(values.ordinal):
                yield Measure(arm, KINDS[f"{name}{suffix}"], share(table, values))
    if grades.detections is not None:
        yield from _of_words(arm, table, grades)
    if not table.of_group:
        yield from _bootstrap_accuracy(arm, table)


def called_on(table: Table, arm: str, *, normal: bool) -> PerItem:
    """Return, per item of one class (normal or diseased), how often responses name that class."""
    return _select_by_health(table, table.rate(arm, _mark_called(table, table.arms[arm], normal=normal)), normal=normal)


def _mark_called(table: Table, grades: Grades, *, normal: bool) -> Mask:
    """Return which responses call their item normal, or name any disease."""
    chosen, as_normal = grades.chosen, normal_places(table)[grades.ordinal]
    return np.asarray(chosen == as_normal) if normal else np.asarray((chosen != as_normal) & (chosen != NOTHING))


def _select_by_health(table: Table, values: PerItem, *, normal: bool) -> PerItem:
    """Select the values of normal items, or of diseased ones."""
    kept = (healthy(table) == normal)[values.ordinal] & (normal_places(table) != NOTHING)[values.ordinal]
    return PerItem(values.ordinal[kept], values.value[kept])


def _of_words(arm: str, table: Table, grades: Grades) -> Iterator[Measure]:
    """Measures from response text and by a judge: flagged quality, contradictory reasons, and agreement."""
    said = grades.detections
    assert said is not None
    spoken = ~said.scored & (normal_places(table) != NOTHING)[grades.ordinal]
    if not spoken.any():
        return
    reasoned, heard = said.conflict != NOTHING, said.judged != NOTHING
    conflict, flagged = said.conflict == 1, said.judged == DetectionLabel.QUALITY.value
    rates = [("quality_mentioned_rate", said.flags, spoken)]
    if reasoned.any():
        rates += [("conflict_rate", conflict, spoken), ("conflict_rate_reasoned", conflict, reasoned)]
    if heard.any():
        by_judge = {"detection_rate_by_judge": flagged, "conflict_rate_by_judge": said.judged_conflict == 1}
        rates += [(name, marked, heard) for name, marked in by_judge.items()]
    for name, marked, among in rates:
        yield Measure(arm, KINDS[name], share(table, table.rate(arm, marked, among=among)))
    ours, theirs = said.seen[heard].tolist(), said.judged[heard].tolist()
    if len(set(ours)) > 1 and len(set(theirs)) > 1:
        yield Measure(arm, SHARED["judge_kappa"]._replace(parser=READ_BY), cohens_kappa(ours, theirs))


def _bootstrap_accuracy(arm: str, table: Table) -> Iterator[Measure]:
    correct = table.share(arm, [Outcome.CORRECT])
    strata = strata_of(table, correct.ordinal)
    if not _to_draw_from(strata):
        return
    for interval, suffix in INTERVALS.items():
        patients = table.clusters[correct.ordinal]
        found = stratified_bootstrap(
            correct.value, strata, seed=0, resamples=RESAMPLES, clusters=patients, interval=interval
        )
        yield Measure(arm, KINDS[f"accuracy_bootstrap{suffix}"], found)


def _to_draw_from(strata: Integers) -> bool:
    """Return True if there are several classes, each with enough items to resample."""
    sizes = np.unique(strata, return_counts=True)[1]
    return len(sizes) > 1 and int(sizes.min()) > 1


def strata_of(table: Table, ordinal: Integers) -> Integers:
    """Return the class of each item, given by its correct answer."""
    names = [
        item.options[item.answer].text if item.normal is not None and isinstance(item.answer, int) else ""
        for item in table.items
    ]
    return np.unique(np.array(names)[ordinal], return_inverse=True)[1].astype(np.int64)


def mean_accuracy(arms: Sequence[str], under: str, table: Table) -> Iterator[Measure]:
    """Measure the mean accuracy over several arms, averaged per item; its arm is named `under`."""
    if table.of_group or not arms:
        return
    found = mean_of(*(right(table, arm) for arm in arms))
    there = np.flatnonzero(np.isfinite(found))
    if len(there):
        yield Measure(under, KINDS["mean_accuracy"], share(table, PerItem(there, found[there])))


def changes(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    """Measure the relative change of accuracy, sensitivity and specificity from the baseline to an arm."""
    if not (len(table.arms.get(baseline, ())) and len(table.arms.get(arm, ()))):
        return
    before, after = table.share(baseline, [Outcome.CORRECT]), table.share(arm, [Outcome.CORRECT])
    yield from _change(arm, "percent_change", table, before, after)
    pairs = table.pair_items(before, after)
    strata = strata_of(table, pairs.ordinal)
    if not table.of_group and _to_draw_from(strata):
        found = t_test_as_published(pairs.first, pairs.second, strata=strata, seed=0, resamples=RESAMPLES)
        yield Measure(arm, KINDS["t_test_as_published"], found)
    for name, normal in CALLED.items():
        one, two = (called_on(table, each, normal=normal) for each in (baseline, arm))
        yield from _change(arm, f"{name}_percent_change", table, one, two)


def _change(arm: str, name: str, table: Table, before: PerItem, after: PerItem) -> Iterator[Measure]:
    pairs = table.pair_items(before, after)
    if not len(pairs.ordinal):
        return
    found = percent_change(pairs.first, pairs.second, clusters=pairs.clusters)
    if isfinite(found.value):  # a baseline of 0 has no relative change
        yield Measure(arm, KINDS[name], replace(found, p=None))


def measure_flagged(arm: str, table: Table) -> PerItem | None:
    """Return, per item, how often its image is flagged; None for a model without text."""
    grades = table.arms.get(arm)
    if not grades or (grades.detections is not None and grades.detections.scored.all()):
        return None
    return table.share(arm, [Outcome.FLAGGED_QUALITY])


HIGH, LOW = "high", "low"
GROUPS: Mapping[str, str] = {
    HIGH: "real images of high quality",
    LOW: "real images of low quality",
    UNGRADABLE: "real images that cannot be graded",
}
"""The qualities that `metadata["quality"]` may have, with the name of the arm for each group's measures."""
CONTRAST = "real images, high minus low quality"
"""Name of the arm for the differences between high and low quality."""
SCORES = ("accuracy", *CALLED)

GROUP_KINDS = by_name(
    Kind("group_accuracy", "accuracy on real images of one quality", Unit.SHARE),
    Kind("group_sensitivity", "sensitivity on real images of one quality", Unit.SHARE),
    Kind("group_specificity", "specificity on real images of one quality", Unit.SHARE),
    Kind("group_flagged_rate", "says of real images of one quality that they cannot be read", Unit.SHARE),
    Kind("group_declined_rate", "refuses, or cannot tell, on real images of one quality", Unit.SHARE),
    Kind("group_accuracy_difference", "accuracy on real images, high minus low quality", Unit.POINTS),
    Kind("group_sensitivity_difference", "sensitivity on real images, high minus low quality", Unit.POINTS),
    Kind("group_specificity_difference", "specificity on real images, high minus low quality", Unit.POINTS),
)


def quality_of(item: Item) -> str:
    """Return the quality group of an item; "" if it has none."""
    said = str(item.metadata.get("quality", "")).strip().casefold()
    return said if said in GROUPS else ""


def gradable(table: Table) -> Table:
    """Return the table without items whose image cannot be graded."""
    unreadable = np.array([item.ungradable for item in table.items], dtype=bool)
    if not unreadable.any():
        return table
    return table.compute_once("gradable", lambda: replace(table.select_items(~unreadable), within=table.within))


def by_quality(arm: str, table: Table) -> Sequence[Measure]:
    """Measure scores by quality group and their difference, high minus low; empty without groups."""
    return table.compute_once(("by quality", arm), lambda: tuple(_by_quality(arm, table)))


def _by_quality(arm: str, table: Table) -> Iterator[Measure]:
    grades, groups = table.arms.get(arm), np.array([quality_of(item) for item in table.items])
    if not grades or len(set(groups[grades.ordinal].tolist()) - {""}) < 2:
        return
    scores = {
        "accuracy": table.share(arm, [Outcome.CORRECT]),
        **{name: called_on(table, arm, normal=normal) for name, normal in CALLED.items()},
    }
    rates = {
        "flagged_rate": measure_flagged(arm, table),
        "declined_rate": table.share(arm, [Outcome.REFUSED, Outcome.ABSTAINED]),
    }
    for group, words in GROUPS.items():
        told = rates if group == UNGRADABLE else {**scores, **rates}
        for name, values in told.items():
            if values is not None and len((some := _select_items(values, groups == group)).ordinal):
                yield Measure(words, GROUP_KINDS[f"group_{name}"], share(table, some))
    for name, values in scores.items():
        high, low = (_select_items(values, groups == group) for group in (HIGH, LOW))
        if len(high.ordinal) and len(low.ordinal):
            # patients may be in both groups
            together = shared_correlation(
                high.value, low.value, table.clusters[high.ordinal], table.clusters[low.ordinal]
            )
            found = group_difference(share(table, high), share(table, low), correlation=together)
            yield Measure(CONTRAST, GROUP_KINDS[f"group_{name}_difference"], found)


def _select_items(values: PerItem, kept: Mask) -> PerItem:
    there = kept[values.ordinal]
    return PerItem(values.ordinal[there], values.value[there])
