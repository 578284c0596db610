"""Detection: how well disease is told from health, what is said of the image's quality, and whether reasons agree.

Two ways to count responses that flag quality or refuse: as wrong, as in the paper (`sensitivity`), and set apart
(`sensitivity_answered`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from snellen.items import UNGRADABLE, Item
from snellen.reading.columns import NOTHING, Integers
from snellen.reading.detection import Seen
from snellen.reading.detection.columns import Detections
from snellen.reading.outcomes import Outcome
from snellen.stats import (
    Estimate,
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
"""As many as in the paper."""
INTERVALS: Mapping[Interval, str] = {"percentile": "", "normal": "_normal", "published-text": "_text"}
"""The paper's intervals by what is added to a measure's name: percentiles, 1.96 SD, and 1.96 SD/5 as its text says."""
CALLED = {"sensitivity": False, "specificity": True}
"""Which of the items, normal or not, a measure is the share of that are called what they are."""
READ_BY = "quality"
"""The parser that reads beside the choice what a response says of the image, and whether its reasons agree."""

KINDS = by_name(
    Kind("sensitivity", "sensitivity: diseased images called diseased", Unit.SHARE, grouped=True),
    Kind("specificity", "specificity: normal images called normal", Unit.SHARE, grouped=True),
    Kind("sensitivity_answered", "sensitivity of those answered", Unit.SHARE, grouped=True),
    Kind("specificity_answered", "specificity of those answered", Unit.SHARE, grouped=True),
    Kind(
        "quality_mentioned_rate",
        "speaks of poor image quality, whatever it concludes",
        Unit.SHARE,
        grouped=True,
        parser=READ_BY,
    ),
    Kind(
        "conflict_rate",
        "reasons one thing and concludes the other, of all responses",
        Unit.SHARE,
        grouped=True,
        parser=READ_BY,
    ),
    Kind(
        "conflict_rate_reasoned",
        "reasons one thing and concludes the other, of responses that reason",
        Unit.SHARE,
        parser=READ_BY,
    ),
    Kind(
        "detection_rate_by_judge",
        "says that the image cannot be read, by the judge",
        Unit.SHARE,
        parser="",
        judged=True,
    ),
    Kind(
        "conflict_rate_by_judge",
        "reasons one thing and concludes the other, by the judge",
        Unit.SHARE,
        parser="",
        judged=True,
    ),
    Kind(
        "accuracy_bootstrap",
        "accuracy, with the interval that the artefacts paper prints (bootstrap percentiles)",
        Unit.SHARE,
    ),
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
    """The place of the option that means normal in each item; NOTHING where it has none."""
    return table.once(
        "normal options",
        lambda: np.array([NOTHING if item.normal is None else item.normal for item in table.items], np.int64),
    )


def healthy(table: Table) -> Mask:
    """Which items show nothing: the right answer is the normal one."""
    answers = np.array([item.answer if isinstance(item.answer, int) else NOTHING for item in table.items], np.int64)
    return np.asarray((answers == normal_places(table)) & (answers != NOTHING))


def of_detection(arm: str, table: Table) -> Sequence[Measure]:
    """Sensitivity and specificity, flagged quality and conflicts of one arm; accuracy by the paper's bootstrap."""
    return table.once(("of detection", arm), lambda: tuple(_of_detection(arm, table)))


def _of_detection(arm: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    if not grades:
        return
    for name, normal in CALLED.items():
        called = _called(table, grades, normal=normal)
        for suffix, among in (("", None), ("_answered", grades.chosen != NOTHING)):
            values = _on(table, table.rate(arm, called, among=among), normal=normal)
            if len(values.ordinal):
                yield Measure(arm, KINDS[f"{name}{suffix}"], share(table, values))
    if grades.detections is not None:
        yield from _of_words(arm, table, grades)
    if not table.of_group:
        yield from _bootstrapped(arm, table)


def called_on(table: Table, arm: str, *, normal: bool) -> PerItem:
    """Per normal item how often it is called normal, or per diseased item how often it is called diseased."""
    return _on(table, table.rate(arm, _called(table, table.arms[arm], normal=normal)), normal=normal)


def _called(table: Table, grades: Grades, *, normal: bool) -> Mask:
    """Which responses call their item normal, or name any disease."""
    chosen, as_normal = grades.chosen, normal_places(table)[grades.ordinal]
    return np.asarray(chosen == as_normal) if normal else np.asarray((chosen != as_normal) & (chosen != NOTHING))


def _on(table: Table, values: PerItem, *, normal: bool) -> PerItem:
    """The values of the healthy items or of the others, of those that offer health as an answer."""
    kept = (healthy(table) == normal)[values.ordinal] & (normal_places(table) != NOTHING)[values.ordinal]
    return PerItem(values.ordinal[kept], values.value[kept])


def _of_words(arm: str, table: Table, grades: Grades) -> Iterator[Measure]:
    """What only a model that speaks can do: flag the image's quality, and reason against its own conclusion."""
    said = grades.detections
    assert said is not None
    spoken = ~said.scored & (normal_places(table) != NOTHING)[grades.ordinal]
    if not spoken.any():
        return
    yield Measure(arm, KINDS["quality_mentioned_rate"], share(table, table.rate(arm, said.flags, among=spoken)))
    reasoned = said.conflict != NOTHING
    if reasoned.any():
        yield Measure(arm, KINDS["conflict_rate"], share(table, table.rate(arm, said.conflict == 1, among=spoken)))
        yield Measure(
            arm, KINDS["conflict_rate_reasoned"], share(table, table.rate(arm, said.conflict == 1, among=reasoned))
        )
    yield from _by_judge(arm, table, said)


def _by_judge(arm: str, table: Table, said: Detections) -> Iterator[Measure]:
    """What a judge says of the same responses, and how far it agrees with the parser on their classes."""
    heard = said.judged != NOTHING
    if not heard.any():
        return
    for name, marked in (
        ("detection_rate_by_judge", said.judged == Seen.QUALITY.value),
        ("conflict_rate_by_judge", said.judged_conflict == 1),
    ):
        yield Measure(arm, KINDS[name], share(table, table.rate(arm, marked, among=heard)))
    ours, theirs = said.seen[heard].tolist(), said.judged[heard].tolist()
    if len(set(ours)) > 1 and len(set(theirs)) > 1:
        yield Measure(arm, SHARED["judge_kappa"]._replace(parser=READ_BY), cohens_kappa(ours, theirs))


def _bootstrapped(arm: str, table: Table) -> Iterator[Measure]:
    correct = table.share(arm, [Outcome.CORRECT])
    strata = strata_of(table, correct.ordinal)
    if not _to_draw_from(strata):
        return
    for interval, suffix in INTERVALS.items():
        found = stratified_bootstrap(
            correct.value,
            strata,
            seed=0,
            resamples=RESAMPLES,
            clusters=table.clusters[correct.ordinal],
            interval=interval,
        )
        yield Measure(arm, KINDS[f"accuracy_bootstrap{suffix}"], found)


def _to_draw_from(strata: Integers) -> bool:
    """Whether there are classes, and items enough in each to be drawn again."""
    sizes = np.unique(strata, return_counts=True)[1]
    return len(sizes) > 1 and int(sizes.min()) > 1


def strata_of(table: Table, ordinal: Integers) -> Integers:
    """The class of each item: what its right answer says, wherever it stands among the options."""
    names = np.array([_class(item) for item in table.items])
    return np.unique(names[ordinal], return_inverse=True)[1].astype(np.int64)


def _class(item: Item) -> str:
    return item.options[item.answer].text if item.normal is not None and isinstance(item.answer, int) else ""


def mean_accuracy(arms: Sequence[str], under: str, table: Table) -> Iterator[Measure]:
    """The accuracy over several arms item by item: an item that was asked under some of them counts for those."""
    if table.of_group or not arms:
        return
    found = mean_of(*(right(table, arm) for arm in arms))
    there = np.flatnonzero(np.isfinite(found))
    if len(there):
        yield Measure(under, KINDS["mean_accuracy"], share(table, PerItem(there, found[there])))


def changes(baseline: str, arm: str, table: Table) -> Iterator[Measure]:
    """How much of accuracy, sensitivity and specificity an arm takes, relative to what there was."""
    if not (len(table.arms.get(baseline, ())) and len(table.arms.get(arm, ()))):
        return
    before, after = table.share(baseline, [Outcome.CORRECT]), table.share(arm, [Outcome.CORRECT])
    yield from _change(arm, "percent_change", table, before, after)
    pairs = table.paired(before, after)
    strata = strata_of(table, pairs.ordinal)
    if not table.of_group and _to_draw_from(strata):
        found = t_test_as_published(pairs.first, pairs.second, strata=strata, seed=0, resamples=RESAMPLES)
        yield Measure(arm, KINDS["t_test_as_published"], found)
    for name, normal in CALLED.items():
        one, two = (called_on(table, each, normal=normal) for each in (baseline, arm))
        yield from _change(arm, f"{name}_percent_change", table, one, two)


def _change(arm: str, name: str, table: Table, before: PerItem, after: PerItem) -> Iterator[Measure]:
    pairs = table.paired(before, after)
    if not len(pairs.ordinal):
        return
    found = percent_change(pairs.first, pairs.second, clusters=pairs.clusters)
    if isfinite(found.value):  # of nothing there is no share
        yield Measure(arm, KINDS[name], replace(found, p=None))


def flagged(arm: str, table: Table) -> PerItem | None:
    """Per item, how often its image is flagged as too poor; None where the model has no words to do so."""
    grades = table.arms.get(arm)
    if not grades or (grades.detections is not None and grades.detections.scored.all()):
        return None
    return table.share(arm, [Outcome.FLAGGED_QUALITY])


HIGH, LOW = "high", "low"
GROUPS: Mapping[str, str] = {
    HIGH: "real images of high quality",
    LOW: "real images of low quality",
    UNGRADABLE: "real images that nobody can grade",
}
"""What `metadata["quality"]` may say, and the arm under which the numbers of a group stand."""
CONTRAST = "real images, high minus low quality"
"""The arm under which the differences of the two gradable groups stand."""
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
    """The group of an item; "" where it is in none."""
    said = str(item.metadata.get("quality", "")).strip().casefold()
    return said if said in GROUPS else ""


def gradable(table: Table) -> Table:
    """The table without the images that nobody can grade, of which no diagnosis is right or wrong."""
    unreadable = np.array([item.ungradable for item in table.items], dtype=bool)
    if not unreadable.any():
        return table
    return table.once("gradable", lambda: replace(table.only(~unreadable), within=table.within))


def by_quality(arm: str, table: Table) -> Sequence[Measure]:
    """What one arm scores on each group, and on high minus on low quality; nothing where no item has a quality."""
    return table.once(("by quality", arm), lambda: tuple(_by_quality(arm, table)))


def _by_quality(arm: str, table: Table) -> Iterator[Measure]:
    grades, groups = table.arms.get(arm), np.array([quality_of(item) for item in table.items])
    if not grades or len(set(groups[grades.ordinal].tolist()) - {""}) < 2:
        return
    scores = {
        "accuracy": table.share(arm, [Outcome.CORRECT]),
        **{name: called_on(table, arm, normal=normal) for name, normal in CALLED.items()},
    }
    rates = {
        "flagged_rate": flagged(arm, table),
        "declined_rate": table.share(arm, [Outcome.REFUSED, Outcome.ABSTAINED]),
    }
    for group, words in GROUPS.items():
        told = rates if group == UNGRADABLE else {**scores, **rates}
        for name, values in told.items():
            if values is not None and len((some := _among(values, groups == group)).ordinal):
                yield Measure(words, GROUP_KINDS[f"group_{name}"], share(table, some))
    for name, values in scores.items():
        high, low = (_among(values, groups == group) for group in (HIGH, LOW))
        if len(high.ordinal) and len(low.ordinal):
            yield Measure(CONTRAST, GROUP_KINDS[f"group_{name}_difference"], _apart(table, high, low))


def _apart(table: Table, high: PerItem, low: PerItem) -> Estimate:
    """The mean of one group minus that of the other; patients that are in both make the two vary together."""
    together = shared_correlation(high.value, low.value, table.clusters[high.ordinal], table.clusters[low.ordinal])
    return group_difference(share(table, high), share(table, low), correlation=together)


def _among(values: PerItem, kept: Mask) -> PerItem:
    there = kept[values.ordinal]
    return PerItem(values.ordinal[there], values.value[there])
