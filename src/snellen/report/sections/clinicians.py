"""What clinicians said in a blinded review: how far they agree, what they settled, and what each benchmark asks for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.landscape import HEIGHT, Plotted, landscape
from snellen.report.figures.layout import FigurePanel
from snellen.report.figures.standalone import About, Datum, Figure, of_estimate
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import count, figure, interval
from snellen.runtime import counted
from snellen.stats import Estimate, proportion
from snellen.stress.table import Table

MIDDLE = 2.0
"""The middle of the scale from 1 to 3: from here on, complexity is called high."""
ESSENTIAL, HIGHEST = "text_alone", 3.0
"""The axis on which the highest level says that the image is essential."""
FEW_RATED = 10
"""Groups of fewer rated questions than this get no accuracy."""


class Said(NamedTuple):
    """A number of a review in print: what it is of, its value and 95% CI, its n, and how it was made."""

    words: str
    statistic: str
    value: str
    interval: str
    n: str
    method: str
    raters: int = 0


class Matrix(NamedTuple):
    """How often one rater's label (row) met another's (column)."""

    asks: str
    rows: str
    columns: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


class SettledLabels(NamedTuple):
    """What was settled of one model's responses."""

    model: str
    benchmark: str
    condition: str
    counts: str
    share: Said | None


class ReviewedTask(NamedTuple):
    """One task of the review."""

    name: str
    title: str
    sentence: str
    agreement: tuple[Said, ...]
    matrices: tuple[Matrix, ...]
    settled: tuple[SettledLabels, ...]
    judges: tuple[Said, ...]
    cautions: tuple[str, ...] = ()


class ProfileLine(NamedTuple):
    """One axis: its words, the median of each benchmark, and how far raters agree on it."""

    group: str
    asks: str
    medians: tuple[str, ...]
    kappa: Said | None


class SplitLine(NamedTuple):
    """One model's accuracy on each group of questions; None where there are too few."""

    model: str
    cells: tuple[Said | None, ...]


class Split(NamedTuple):
    """A leaderboard taken apart by what questions ask for."""

    title: str
    groups: tuple[str, ...]
    lines: tuple[SplitLine, ...]


class Clinicians(NamedTuple):
    """All that clinicians said of a study."""

    tasks: tuple[ReviewedTask, ...]
    benchmarks: tuple[str, ...] = ()
    profile: tuple[ProfileLine, ...] = ()
    landscape: Markup = Markup("")
    landscape_figure: Figure | None = None
    splits: tuple[Split, ...] = ()


def clinicians(evidence: Evidence) -> Clinicians | None:
    """The review of a study, in print; None where there is none."""
    records = evidence.reviews
    if not records:
        return None
    tasks = tuple(_task(record) for record in records.values() if any(each["votes"] for each in record["raters"]))
    rated = records.get("profile")
    if not rated or not rated["profile"]:
        return Clinicians(tasks)
    benchmarks = tuple(dict.fromkeys(each["benchmark"] for each in rated["profile"]))
    points = [_plotted(each, place) for place, each in enumerate(rated["landscape"])]
    picture = landscape(points) if points else Markup("")
    kept = _figure(evidence, points, picture) if points else None
    return Clinicians(tasks, benchmarks, _profile(rated, benchmarks), picture, kept, tuple(_splits(evidence, rated)))


def _task(record: Mapping[str, Any]) -> ReviewedTask:
    return ReviewedTask(
        record["task"],
        record["title"],
        _sentence(record),
        tuple(
            _said(each["asks"], _estimate(each), each["statistic"], each.get("raters", 0))
            for each in record["agreement"]
        ),
        tuple(
            Matrix(
                each["field"], each["rows"], each["columns"], tuple(each["labels"]), tuple(map(tuple, each["counts"]))
            )
            for each in record["confusion"]
        ),
        tuple(_settled(each) for each in record["labels"]),
        tuple(
            _said(f"{each['judge']}: {_qualified(each)}", _estimate(each["kappa"]), "Cohen's κ")
            for each in record.get("judges", ())
        ),
        tuple(record.get("cautions", ())),
    )


def _qualified(judge: Mapping[str, Any]) -> str:
    """Whether a judge qualifies by these verdicts, and whether that is what counts."""
    said = "qualified" if judge["qualified"] else str(judge["why_not"])
    if judge.get("in_force", True):
        return said
    return f"by these verdicts {said}; not in force, as a qualification on more labels from elsewhere counts"


def _sentence(record: Mapping[str, Any]) -> str:
    readers = [each for each in record["raters"] if not each["settles"]]
    skipped = sum(each["skipped"] for each in record["raters"])
    by = record.get("settled_by", {"settler": record["settled"], "majority": 0})
    parts = [
        f"{counted(len(readers), 'rater')} read cases without knowing whose they were; "
        f"{count(record['read'])} of {counted(record['cases'], 'case')} by as many raters as planned",
        f"all agree on {count(record['agreed'])}" if record["task"] != "profile" else "",
        f"one alone read {count(alone)}" if (alone := record.get("by_one", 0)) else "",
        f"another settled {count(by['settler'])}" if by["settler"] else "",
        f"more than half decided {count(by['majority'])}" if by["majority"] else "",
        f"{count(record['open'])} {'is open and counts' if record['open'] == 1 else 'are open and count'} nowhere"
        if record["open"]
        else "",
        f"{counted(skipped, 'vote')} said “I cannot judge this”" if skipped else "",
    ]
    return "; ".join(part for part in parts if part) + "."


def _estimate(record: Mapping[str, Any]) -> Estimate:
    value, low, high = (math.nan if record[name] is None else record[name] for name in ("value", "low", "high"))
    return Estimate(value, low, high, record["n"], record["method"])


def _said(words: str, found: Estimate, statistic: str = "", raters: int = 0, unit: str = "score") -> Said:
    unit = "share" if statistic == "agreement" else unit
    defined = math.isfinite(found.value)
    return Said(
        words,
        statistic,
        figure(found.value, unit) if defined else "not defined",
        interval(found, unit) if defined else "",
        count(found.n),
        found.method,
        raters,
    )


def _settled(record: Mapping[str, Any]) -> SettledLabels:
    share = record.get("share")
    counts = ", ".join(f"{label} {count(n)}" for label, n in record["counts"].items())
    said = _said(share["of"], _estimate(share), unit="share") if share else None
    return SettledLabels(record["model"], record["benchmark"], arm_label(record["arm"] or ""), counts, said)


def _profile(record: Mapping[str, Any], benchmarks: Sequence[str]) -> tuple[ProfileLine, ...]:
    lines = []
    for axis in dict.fromkeys(each["axis"] for each in record["profile"]):
        of_axis = {each["benchmark"]: each for each in record["profile"] if each["axis"] == axis}
        first = next(iter(of_axis.values()))
        over_all = next(
            (each for each in record["agreement"] if each["field"] == axis and "Fleiss" in each["statistic"]), None
        )
        lines.append(
            ProfileLine(
                first["group"],
                first["asks"],
                tuple(f"{of_axis[name]['median']:g}" if name in of_axis else "–" for name in benchmarks),
                _said("", _estimate(over_all), "Fleiss' κ", over_all.get("raters", 0)) if over_all else None,
            )
        )
    return tuple(lines)


def _plotted(record: Mapping[str, Any], place: int) -> Plotted:
    spread = (record["reasoning_spread"] or 0.0, record["visual_spread"] or 0.0)
    return Plotted(record["benchmark"], _estimate(record["reasoning"]), _estimate(record["visual"]), spread, place)


def _figure(evidence: Evidence, points: Sequence[Plotted], picture: Markup) -> Figure:
    data: list[Datum] = []
    for point in points:
        for name, estimate, spread in (
            ("reasoning_complexity", point.reasoning, point.spread[0]),
            ("visual_complexity", point.visual, point.spread[1]),
        ):
            data.append(of_estimate(name, estimate, benchmark=point.name, unit="level 1 to 3"))
            data.append(Datum(f"{name}_raters_sd", spread, benchmark=point.name, unit="level 1 to 3"))
    about = About(
        ("benchmark-landscape",),
        "What benchmarks ask for, by clinicians' ratings",
        "Marks are means over cases and raters, lines 95% CIs over cases, rings the raters' standard deviation",
    )
    return evidence.figures.panels(about, [FigurePanel("", picture, HEIGHT)], data, columns=1)


# Leaderboards split by profile ------------------------------------------------------------------------------------


def _splits(evidence: Evidence, record: Mapping[str, Any]) -> Iterator[Split]:
    """Accuracy as asked on the rated questions, apart by what each asks for; then by what whole benchmarks ask for."""
    rated: dict[tuple[str, str], Mapping[str, float]] = {
        (each["benchmark"], each["item_id"]): each["axes"] for each in record["ratings"]
    }
    groups = {axis: each["group"] for each in record["profile"] for axis in [each["axis"]]}
    means = {
        key: {
            group: float(np.mean([level for axis, level in axes.items() if groups.get(axis) == group] or [math.nan]))
            for group in ("reasoning", "visual")
        }
        for key, axes in rated.items()
    }
    for group in ("reasoning", "visual"):
        low = {key for key, each in means.items() if each[group] < MIDDLE}
        high = {key for key, each in means.items() if each[group] >= MIDDLE}
        yield _split(evidence, f"Rated questions by {group} complexity", {"below 2": low, "2 and more": high})
    essential = {key for key, axes in rated.items() if axes.get(ESSENTIAL) == HIGHEST}
    named = {"image essential": essential, "not essential, or maybe": set(rated) - essential}
    yield _split(evidence, "Rated questions by whether the image is essential", named)
    by_benchmark: dict[str, set[tuple[str, str]] | set[str]] = {}
    for each in record["landscape"]:
        words = f"{_level(each['reasoning'])} reasoning, {_level(each['visual'])} visual: {each['benchmark']}"
        by_benchmark[words] = {each["benchmark"]}
    if len(by_benchmark) > 1:
        yield _split(evidence, "All questions, benchmark by benchmark", by_benchmark)


def _level(estimate: Mapping[str, Any]) -> str:
    """Whether a benchmark's complexity is high or low; neither where its 95% CI holds the middle."""
    if estimate["low"] < MIDDLE <= estimate["high"]:
        return "low or high"
    return "high" if estimate["value"] >= MIDDLE else "low"


def _split(evidence: Evidence, title: str, groups: Mapping[str, Any]) -> Split:
    tables: dict[str, list[Table]] = {}
    for (model, _), table in evidence.results.tables.items():
        if ORIGINAL.name in table.arms:
            tables.setdefault(model, []).append(table)
    lines = [
        SplitLine(model, tuple(_accuracy(each, chosen) for chosen in groups.values())) for model, each in tables.items()
    ]
    return Split(title, tuple(groups), tuple(line for line in lines if any(line.cells)))


def _accuracy(tables: Sequence[Table], chosen: Any) -> Said | None:
    """The accuracy as asked on chosen items, by benchmark and id, or on all of chosen benchmarks."""
    values, clusters = [], []
    for table in tables:
        found = table.share(ORIGINAL.name, [Outcome.CORRECT])
        for ordinal, value in zip(found.ordinal.tolist(), found.value.tolist(), strict=True):
            if table.benchmark in chosen or (table.benchmark, table.items[ordinal].id) in chosen:
                values.append(value)
                clusters.append(f"{table.benchmark}\0{table.clusters[ordinal]}")
    if len(values) < FEW_RATED:
        return None
    return _said("", proportion(values, np.unique(clusters, return_inverse=True)[1]), unit="share")
