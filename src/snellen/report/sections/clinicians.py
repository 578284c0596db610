"""Results of a blinded review by clinicians: agreement, changed verdicts and demands of questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.reading.outcomes import Outcome
from snellen.report.components import (
    Cell,
    Fold,
    Note,
    Panel,
    Panels,
    Part,
    Row,
    Section,
    Table,
    fold_if_long,
    name_columns,
    write_row,
)
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.curves import spread_heights
from snellen.report.figures.drawn import add_figure_of_panels
from snellen.report.figures.layout import wrap_text
from snellen.report.figures.marks import at_point, line_at, text_at
from snellen.report.figures.palette import hue, shape
from snellen.report.figures.standalone import About, Datum, of_estimate
from snellen.report.sections.headline import short_names
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import count, format_aloud, with_interval
from snellen.runtime import counted
from snellen.scoring.labelled_marks import list_labelled_marks
from snellen.stats import Estimate, proportion
from snellen.stress.table import Table as Graded
from snellen.stress.verdicts.sentences import QUESTIONS

MIDDLE = 2.0
"""Middle of the scale from 1 to 3; complexity from here on is called high."""
ESSENTIAL, HIGHEST = "text_alone", 3.0
"""Rating axis on the need for the image, and its level for an essential image."""
JUDGED = "Judges compared with the settled verdicts (Cohen's κ)"
FEW_RATED = 10
"""Groups with fewer rated questions get no accuracy."""
BLIND = (
    "Raters saw cases one by one in random order, without the model, benchmark, condition or other raters' votes. The "
    "rater who settles a reference answer sees the answers, without names."
)


def draw_clinicians(evidence: Evidence) -> Iterator[Fold]:
    """Draw the reviews of a study, if there are any."""
    records = evidence.reviews
    if not records:
        return
    read = [each for each in records.values() if any(rater["votes"] for rater in each["raters"])]
    rated = records.get("profile")
    parts: list[Part] = [Note(BLIND), *_draw_marks(evidence), *(_draw_task(each) for each in read)]
    if rated and rated["profile"]:
        parts.append(_draw_profile(evidence, rated))
    yield Fold("What clinicians say", tuple(parts), _describe_agreement(read), "clinicians", "chapter")


def _describe_agreement(records: Sequence[Mapping[str, Any]]) -> str:
    told = []
    for record in records:
        found = sorted(record["agreement"], key=lambda each: "κ" not in each["statistic"])
        first = next((each for each in found if each["value"] is not None), None)
        if first:
            statistic = "κ" if "κ" in first["statistic"] else first["statistic"]
            told.append(f"{record['task']}: {statistic} {_format_estimate(_estimate(first), first['statistic'])}")
    return told[0].partition(": ")[2] if len(told) == 1 else ", ".join(told)


def _draw_marks(evidence: Evidence) -> Iterator[Table | Note]:
    found = list(list_labelled_marks(evidence.results))
    if not found:
        return
    names, rows = short_names(evidence.results), []
    for each in found:
        cells = (Cell(verdict.numbers, verdict.status, "" if verdict.numbers else verdict.meaning)
                 for verdict in (each.without.verdict, each.found.verdict))  # fmt: skip
        model, benchmark, heading = each.found.model, each.found.benchmark, QUESTIONS[found[0].found.test.name]
        head = Cell(names[model], note=benchmark)
        rows.append(write_row(head, *cells, model=model, benchmark=benchmark, heading=heading))
    number = sum(each.changes for each in found)
    changed = f"{number} of {counted(len(found), 'mark')}" if number else "no mark"
    yield Note(f"The labels of this review change {changed}.")
    yield Table(name_columns("model", "by the parser alone", "with the labels of the review"), tuple(rows))


def _draw_task(record: Mapping[str, Any]) -> Section:
    rows, judges = tuple(_list_agreement(record)), tuple(map(_judge_row, record.get("judges", ())))
    agreement = Table(
        name_columns("asked", "agreement"), rows, "Agreement between raters (κ and α are corrected for chance)"
    )
    parts: list[Part] = [
        *([fold_if_long(agreement, f"Agreement on each of {len(rows)} questions", 6)] if rows else []),
        Note(_describe_task(record)),
        *map(Note, record.get("cautions", ())),
        *_draw_results(record),
        *([Table(name_columns("judge", "agreement", "qualified?"), judges, JUDGED)] if judges else []),
        *map(_draw_matrix, record["confusion"]),
    ]
    return Section(record["title"], tuple(parts), f"review-{record['task']}", record["task"])


def _list_agreement(record: Mapping[str, Any]) -> Iterator[Row]:
    for asks in dict.fromkeys(each["asks"] for each in record["agreement"]):
        found = [each for each in record["agreement"] if each["asks"] == asks]
        found.sort(key=lambda each: each["statistic"] == "agreement")
        cells = []
        for each in found:
            raters = f", {each['raters']} raters" if each.get("raters") else ""
            said = f"{each['statistic']} {_format_estimate(_estimate(each), each['statistic'])}"
            cells.append(Cell(said, n=f"n {count(each['n'])}{raters}, {each['method']}"))
        yield write_row(asks, Cell(lines=tuple(cells)))


def _draw_results(record: Mapping[str, Any]) -> Iterator[Table]:
    rows = []
    for each in record["labels"]:
        labels, share = (f"{label} {count(n)}" for label, n in each["counts"].items()), each.get("share")
        cell = _number_cell(share, f"{share['of']} ", unit="share") if share else "–"
        head = Cell(each["model"] or "–", note=each["benchmark"])
        rows.append(write_row(head, arm_label(each["arm"] or ""), ", ".join(labels), cell, model=each["model"]))
    if rows:
        what = "Results of the cases. Cases are sampled by stratum, so a share of cases is not a model's accuracy."
        yield Table(name_columns("model", "condition", "labels", "share"), tuple(rows), what)


def _number_cell(found: Mapping[str, Any], words: str = "", unit: str = "score") -> Cell:
    return Cell(
        f"{words}{_format_estimate(_estimate(found), unit=unit)}", how=found["method"], n=f"n {count(found['n'])}"
    )


def _judge_row(judge: Mapping[str, Any]) -> Row:
    """Row with a judge's agreement, and if it qualifies by these labels."""
    said = "qualified" if judge["qualified"] else str(judge["why_not"])
    if not judge.get("in_force", True):
        said = f"by these verdicts: {said}. A qualification with more labels is used instead"
    return write_row(judge["judge"], _number_cell(judge["kappa"], "κ "), said)


def _draw_matrix(matrix: Mapping[str, Any]) -> Fold:
    columns = name_columns(matrix["rows"], numbers=matrix["labels"])
    rows = tuple(write_row(label, *map(count, numbers))
                 for label, numbers in zip(matrix["labels"], matrix["counts"], strict=True))  # fmt: skip
    return Fold(f"{matrix['field']}: {matrix['rows']} (rows), {matrix['columns']} (columns)", (Table(columns, rows),))


def _describe_task(record: Mapping[str, Any]) -> str:
    readers = [each for each in record["raters"] if not each["settles"]]
    skipped, left = sum(each["skipped"] for each in record["raters"]), record["open"]
    by = record.get("settled_by", {"settler": record["settled"], "majority": 0})
    parts = [
        f"{counted(len(readers), 'rater')} read cases without knowing their model; "
        f"{count(record['read'])} of {counted(record['cases'], 'case')} by as many raters as planned",
        f"all agree on {count(record['agreed'])}" if record["task"] != "profile" else "",
        f"a single rater read {count(alone)}" if (alone := record.get("by_one", 0)) else "",
        f"another settled {count(by['settler'])}" if by["settler"] else "",
        f"a majority decided {count(by['majority'])}" if by["majority"] else "",
        f"{count(left)} {'is open and is' if left == 1 else 'are open and are'} not counted" if left else "",
        f"{counted(skipped, 'vote')} said “I cannot judge this”" if skipped else "",
    ]
    return "; ".join(part for part in parts if part) + "."


def _estimate(record: Mapping[str, Any]) -> Estimate:
    value, low, high = (math.nan if record[name] is None else record[name] for name in ("value", "low", "high"))
    return Estimate(value, low, high, record["n"], record["method"])


def _format_estimate(found: Estimate, statistic: str = "", unit: str = "score") -> str:
    """Format a number with its interval, or "not defined"."""
    unit = "share" if statistic == "agreement" else unit
    return with_interval(found, unit) if math.isfinite(found.value) else "not defined"


# What benchmarks ask for -----------------------------------------------------------------------------------------


def _draw_profile(evidence: Evidence, record: Mapping[str, Any]) -> Section:
    points = [
        Plotted(each["benchmark"], _estimate(each["reasoning"]), _estimate(each["visual"]),
                (each["reasoning_spread"] or 0.0, each["visual_spread"] or 0.0), place)
        for place, each in enumerate(record["landscape"])
    ]  # fmt: skip
    names = list(dict.fromkeys(each["benchmark"] for each in record["profile"]))
    caption = (
        "Median rating from 1 (low) to 3 (high) on the axes of “The Illusion of Readiness”, Tables 9 and 10, and "
        "Fleiss' κ between raters over all benchmarks"
    )
    axes = Table(name_columns("axis", numbers=names, more=("κ",)), tuple(_list_axes(record, names)), caption)
    drawn: list[Part] = [_draw_landscape(evidence, points)] if points else []
    return Section("What the benchmark asks for", (*drawn, axes, *_draw_splits(evidence, record)), "profile")


def _draw_landscape(evidence: Evidence, points: Sequence[Plotted]) -> Panels:
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
    caption = (
        "Marks are means over rated questions and raters. Lines are 95% CIs over questions, rings the standard "
        "deviation between raters' means."
    )
    return add_figure_of_panels(evidence, Panels((Panel("", landscape(points)),), (), caption), about, data, columns=1)


def _list_axes(record: Mapping[str, Any], benchmarks: Sequence[str]) -> Iterator[Row]:
    for axis in dict.fromkeys(each["axis"] for each in record["profile"]):
        of_axis = {each["benchmark"]: each for each in record["profile"] if each["axis"] == axis}
        first = next(iter(of_axis.values()))
        agreed = (each for each in record["agreement"] if each["field"] == axis and "Fleiss" in each["statistic"])
        kappa = next(map(_number_cell, agreed), Cell("–"))
        medians = (f"{of_axis[name]['median']:g}" if name in of_axis else "–" for name in benchmarks)
        yield write_row(first["asks"], *medians, kappa, heading=first["group"])


def _draw_splits(evidence: Evidence, record: Mapping[str, Any]) -> Iterator[Table]:
    """Yield accuracies with the original image, by rated complexity and by benchmark."""
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
        yield from _draw_split(evidence, f"Rated questions by {group} complexity", {"below 2": low, "2 and more": high})
    essential = {key for key, axes in rated.items() if axes.get(ESSENTIAL) == HIGHEST}
    named = {"image essential": essential, "image not or perhaps not essential": set(rated) - essential}
    yield from _draw_split(evidence, "Rated questions by whether the image is essential", named)
    by_benchmark: dict[str, set[tuple[str, str]] | set[str]] = {}
    for each in record["landscape"]:
        words = f"{_level(each['reasoning'])} reasoning, {_level(each['visual'])} visual: {each['benchmark']}"
        by_benchmark[words] = {each["benchmark"]}
    if len(by_benchmark) > 1:
        yield from _draw_split(evidence, "All questions, benchmark by benchmark", by_benchmark)


def _level(estimate: Mapping[str, Any]) -> str:
    """Complexity as "high" or "low". "low or high" if the 95% CI contains the middle."""
    if estimate["low"] < MIDDLE <= estimate["high"]:
        return "low or high"
    return "high" if estimate["value"] >= MIDDLE else "low"


def _draw_split(evidence: Evidence, title: str, groups: Mapping[str, Any]) -> Iterator[Table]:
    tables: dict[str, list[Graded]] = {}
    for (model, _), table in evidence.results.tables.items():
        if ORIGINAL.name in table.arms:
            tables.setdefault(model, []).append(table)
    accuracies = {model: [_accuracy(each, chosen) for chosen in groups.values()] for model, each in tables.items()}
    names = short_names(evidence.results)
    rows = tuple(
        write_row(Cell(names[model], place=evidence.place(model)),
                  *(_number_cell(asdict(each), unit="share") if each else "–" for each in found), model=model)
        for model, found in accuracies.items()
        if any(found)
    )  # fmt: skip
    if rows:
        caption = (
            f"{title}: accuracy with the original image. Groups of fewer than {FEW_RATED} questions have no accuracy."
        )
        yield Table(name_columns("model", *groups), rows, caption)


def _accuracy(tables: Sequence[Graded], chosen: Any) -> Estimate | None:
    """Accuracy with the original image on chosen items or benchmarks. None for few items."""
    values, clusters = [], []
    for table in tables:
        found = table.share(ORIGINAL.name, [Outcome.CORRECT])
        for ordinal, value in zip(found.ordinal.tolist(), found.value.tolist(), strict=True):
            if table.benchmark in chosen or (table.benchmark, table.items[ordinal].id) in chosen:
                values.append(value)
                clusters.append(f"{table.benchmark}\0{table.clusters[ordinal]}")
    if len(values) < FEW_RATED:
        return None
    return proportion(values, np.unique(clusters, return_inverse=True)[1])


# The landscape of benchmarks -----------------------------------------------------------------------------------------


TOP, PLOT, FOOT = 14, 260, 44
LEFT, RIGHT = 11.0, 3.0
"""Percent of the width for the axis labels (left), and left free (right)."""
LOW, HIGH = 1.0, 3.0
"""Ends of the raters' scale."""
NAME, LETTERS = 150.0, 11.9
HEIGHT = TOP + PLOT + FOOT


class Plotted(NamedTuple):
    """One benchmark: its two coordinates, and the raters' standard deviation on each."""

    name: str
    reasoning: Estimate
    visual: Estimate
    spread: tuple[float, float]
    place: int


def landscape(points: Sequence[Plotted]) -> Markup:
    """Plot the benchmarks: reasoning complexity across, visual complexity upwards."""
    parts = [*_frame()]
    names = spread_heights([_scale_value(point.visual.value) for point in points])
    for point, at in zip(points, names, strict=True):
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(point.place), Markup("").join(_point(point, at))))
    label = "; ".join(
        f"{each.name}: reasoning {format_aloud(each.reasoning, 'score')}, visual {format_aloud(each.visual, 'score')}"
        for each in points
    )
    return Markup('<svg class="landscape" height="{}" role="img" aria-label="{}">{}</svg>').format(
        HEIGHT, label, Markup("").join(parts)
    )


def _across(value: float) -> float:
    return LEFT + (min(max(value, LOW), HIGH) - LOW) / (HIGH - LOW) * (100 - LEFT - RIGHT)


def _scale_value(value: float) -> float:
    return TOP + (HIGH - min(max(value, LOW), HIGH)) / (HIGH - LOW) * PLOT


def _frame() -> Iterator[Markup]:
    for level, words in ((1, "1 low"), (2, "2"), (3, "3 high")):
        yield line_at("grid", LEFT, 100 - RIGHT, _scale_value(level), _scale_value(level))
        yield line_at("grid", _across(level), _across(level), TOP, TOP + PLOT)
        yield text_at("scale", LEFT - 1.6, _scale_value(level) + 4, "end", words.partition(" ")[0])
        yield text_at("scale", _across(level), TOP + PLOT + 16, {1: "start", 2: "middle", 3: "end"}[level], words)
    yield text_at("scale", (LEFT + 100 - RIGHT) / 2, TOP + PLOT + 36, "middle", "Reasoning complexity")
    yield text_at("scale", LEFT + 0.8, TOP + 12, "start", "Visual complexity, 3 high")


def _point(point: Plotted, name_at: float) -> Iterator[Markup]:
    x, y = _across(point.reasoning.value), _scale_value(point.visual.value)
    ring = Markup('<ellipse class="ring" cx="{:.2f}%" cy="{:.1f}" rx="{:.2f}%" ry="{:.1f}"/>')
    wide = point.spread[0] / (HIGH - LOW) * (100 - LEFT - RIGHT)
    tall = max(point.spread[1] / (HIGH - LOW) * PLOT, 6.0)
    yield ring.format(x, y, max(wide, 0.9), tall)
    yield line_at("whisker", _across(point.reasoning.low), _across(point.reasoning.high), y, y)
    yield line_at("whisker", x, x, _scale_value(point.visual.low), _scale_value(point.visual.high))
    yield at_point(f"{x:.2f}%", f"{y:.1f}", shape(point.place), "point")
    [short] = wrap_text(point.name, NAME, LETTERS, 1)
    right = point.reasoning.value < 2.2
    yield text_at("name", x, name_at - tall - 5, "start" if right else "end", short)
