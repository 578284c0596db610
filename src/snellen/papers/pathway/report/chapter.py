"""Chapter of the clinical pathway's tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.items import PARTS, whole_of
from snellen.papers.pathway.published import PrintedAccuracy, accuracies
from snellen.papers.pathway.tests.mismatched_image import ALARMS, NAMED
from snellen.papers.pathway.tests.tasks import REPORT, SILENT, subset_of
from snellen.prompts import MISMATCH, TASKS, PathwayStep
from snellen.prompts.pathway import BY_NAME
from snellen.reading.outcomes import Outcome
from snellen.report.chapter import Chapter
from snellen.report.components import (
    Case,
    Cell,
    Fold,
    Key,
    Listing,
    Note,
    PagePicture,
    Pane,
    Part,
    Quote,
    Row,
    Section,
    Table,
    explain,
    name_columns,
    quiet,
    rich,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.sampling import first_by_hash, take_shortest
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.forests import forest
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import Scale, at_point, draw_line, grid_lines, scale, svg
from snellen.report.figures.palette import hue, model_dot, shape
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, ModelOnBenchmark, ShownNumber, family, show_found
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.graders import contradictions_read_by, graded_by
from snellen.report.sections.headline import listed, short_names
from snellen.report.sections.tests import ShownTest, draw_bars, draw_grids, draw_test, label, list_verdicts
from snellen.report.words.numbers import count, figure, format_aloud, from_to, with_interval
from snellen.runtime import counted
from snellen.stats import Estimate, group_difference, mean, proportion
from snellen.stress.conclusions import interval, percent, points
from snellen.stress.verdicts.sentences import share_with_interval

CHOICES, ANSWERS, CONTRADICTION = "pathway-choices", "pathway-answers", "mismatched-image"
FAMILIES = (CHOICES, ANSWERS, CONTRADICTION)
UNCLEAR = {
    "accuracy_unclear_half": "unclear counts half",
    "accuracy_unclear_wrong": "unclear counts as wrong",
    "accuracy_unclear_left_out": "unclear left out",
}
LINE, AROUND = 13.0, 9.0
"""Pixels per model in a row of the figure, and above and below all models of a row."""


def list_benchmarks(evidence: Evidence) -> list[str]:
    """Return the benchmarks with pathway tests, each once."""
    return list(dict.fromkeys(whole_of(each.benchmark) for each in evidence.results.findings
                              if family(each) in FAMILIES))  # fmt: skip


class Tasks:
    """Results of every task on one benchmark, by model."""

    def __init__(self, lookup: Lookup, benchmark: str) -> None:
        self.lookup, self.benchmark = lookup, benchmark
        self.by_report = frozenset(lookup.evidence.results.study.get("text_only", ()))
        """Models that take no images and get the radiology report instead."""
        self.models = lookup.models

    def find(
        self, model: str, task: PathwayStep, name: str = "accuracy", *, report: bool | None = None
    ) -> ShownNumber | None:
        """Find a task's result for a model; None if there is none.

        `report` selects results with the report instead of the image. By default that is True for models that take no
        images, and False for others.
        """
        if task.name == MISMATCH:
            return self._find_named(model) if name == "accuracy" and not report else None
        by_report = model in self.by_report if report is None else report
        arm = REPORT.label if by_report and task.kind == "open" and task.image else ORIGINAL.name
        families = (CHOICES,) if task.kind == "choice" else (ANSWERS,)
        places = (ModelOnBenchmark(model, self.benchmark + part) for part in (PARTS["open"], ""))
        found = (self.lookup.find(families, place, arm, name, subset_of(task.name)) for place in places)
        return next((each for each in found if each is not None), None)

    def _find_named(self, model: str) -> ShownNumber | None:
        for finding in self.lookup.of_family(CONTRADICTION):
            if finding.model == model and whole_of(finding.benchmark) == self.benchmark:
                for arm in finding.test.compared:
                    if (measure := finding.measure(arm.name, NAMED)) is not None:
                        return self.lookup.show_measure(finding, measure)
        return None

    def chance(self, task: PathwayStep) -> float | None:
        """Accuracy of blind guessing in a task with options; None for an open task."""
        if task.kind != "choice":
            return None
        table = next((table for (_, name), table in self.lookup.evidence.results.tables.items()
                      if name == self.benchmark), None)  # fmt: skip
        if table is None:
            return None
        here = np.array([item.metadata.get("task") == task.name for item in table.items], dtype=bool)
        return float(table.chance[here].mean()) if here.any() else None

    def is_report(self, model: str, task: PathwayStep) -> bool:
        """Return True if the model gets the report instead of the image in this task."""
        return model in self.by_report and task.kind == "open" and task.image and task.name != MISMATCH


def show_number(found: ShownNumber | None) -> Cell:
    """Show a task's result on one line."""
    cell = show_found(found)
    how = cell.how if found is None else cell.how.replace(f"; items={found.measure.subset}", "")
    return replace(cell, how=how, n=cell.n.replace(" ", "\N{NO-BREAK SPACE}"))


def draw_profile(tasks: Tasks) -> list[Part]:
    """Draw each model's result per task, as a plot and as numbers."""
    models = [model for model in tasks.models if any(tasks.find(model, task) for task in TASKS)]
    asked = [task for task in TASKS if any(tasks.find(model, task) for model in models)]
    if not asked:
        return []
    evidence, names = tasks.lookup.evidence, tasks.lookup.short_names
    by_report = [names[model] for model in models if any(tasks.is_report(model, task) for task in asked)]
    parts: list[Part] = []
    if by_report:
        takes, were = ("takes", "it was") if len(by_report) == 1 else ("take", "they were")
        told = (
            f"{', '.join(by_report)} {takes} no images. In tasks IV to VII {were} given the radiology report instead "
            "(hollow marks). These numbers say nothing about sight."
        )
        parts.append(Note(told, "Report in place of the image:", "warning"))
    parts += [_draw_plot(tasks, models, asked), _draw_numbers(tasks, models, asked, by_report)]
    if missing := ", ".join(f"{task.number} {task.title}" for task in TASKS if task not in asked):
        parts.append(quiet(f"Not asked: {missing}."))
    graded = next((said for part in (PARTS["open"], "") if (said := graded_by(evidence, tasks.benchmark + part))), [])
    if graded:
        parts.append(quiet(f"Tasks IV to VII: {' '.join(graded)}"))
    return [*parts, *_draw_unclear(tasks, models, asked)]


def _draw_plot(tasks: Tasks, models: Sequence[str], asked: Sequence[PathwayStep]) -> Table:
    evidence, names = tasks.lookup.evidence, tasks.lookup.short_names
    rows, data, guessing = [], [], []
    for task in asked:
        group, chance = f"task={task.name}", tasks.chance(task)
        found = [(model, each) for model in models if (each := tasks.find(model, task)) is not None]
        marks = [TaskMark(evidence.place(model), each.estimate, not tasks.is_report(model, task), names[model])
                 for model, each in found]  # fmt: skip
        words = "" if chance is None else f"guessing {figure(chance, 'share')}"
        counts = Cell(n=f"n {from_to([each.estimate.n for _, each in found])}", note=words)
        drawing = draw_marks(marks, scale([], "share", reference=chance))
        rows.append(Row(Cell(f"{task.number} {task.title}"), (Cell(drawing=drawing), counts)))
        data += [datum(each.finding, each.measure)._replace(group=group) for _, each in found]
        guessing += [] if chance is None else [Datum("guessing", chance, benchmark=tasks.benchmark, group=group)]
    about = About(
        ("pathway", "profile", tasks.benchmark if len(list_benchmarks(evidence)) > 1 else ""),
        f"Right answers in each task of the clinical pathway; {tasks.benchmark}",
        _describe_marks(tasks, models, asked),
    )
    caption = (
        "Right answers (%) in each task; in VIII, contradictions named. Lines are 95% intervals; the dashed line is "
        "blind guessing, if there are options."
    )
    key = tuple(Key("", names[model], model_dot(evidence.place(model))) for model in models)
    table = Table(name_columns("task", "drawn", "n"), tuple(rows), caption, "drawn", key=key)
    axis = axis_of(scale([], "share"), "Right answers (%); in VIII, contradictions named")
    return add_figure(evidence, table, about, [*data, *guessing], axis, row_height=height_of(len(models)))


def _describe_marks(tasks: Tasks, models: Sequence[str], asked: Sequence[PathwayStep]) -> str:
    hollow = any(tasks.is_report(model, task) for model in models for task in asked)
    there = {
        "; the dashed line is blind guessing": any(tasks.chance(task) is not None for task in asked),
        "; hollow marks had the radiology report in place of the image": hollow,
        "; in VIII the share of contradictions named": any(task.name == MISMATCH for task in asked),
    }
    return "Marks are estimates, lines are 95% CIs" + "".join(words for words, so in there.items() if so)


def _draw_numbers(tasks: Tasks, models: Sequence[str], asked: Sequence[PathwayStep], by_report: Sequence[str]) -> Table:
    names, rows = tasks.lookup.short_names, []
    for model in models:
        words = "report in place of the image in IV to VII" if names[model] in by_report else ""
        cells = tuple(show_number(tasks.find(model, task)) for task in asked)
        rows.append(Row(Cell(names[model], note=words), cells, model, tasks.benchmark))
    titles = (f"{each.number} {'Contradiction named' if each.name == MISMATCH else each.title}" for each in asked)
    return Table(name_columns("model", *titles), tuple(rows), "All numbers by model and task")


def _draw_unclear(tasks: Tasks, models: Sequence[str], asked: Sequence[PathwayStep]) -> Iterator[Fold]:
    """Draw the accuracy of open answers, with unclear ones counted in three ways."""
    rows = []
    for task, model in product((each for each in asked if each.kind == "open" and each.name != MISMATCH), models):
        found = [tasks.find(model, task, name) for name in UNCLEAR]
        if any(found):
            name, heading = Cell(tasks.lookup.short_names[model]), f"{task.number} {task.title}"
            rows.append(Row(name, tuple(map(show_number, found)), model, tasks.benchmark, heading))
    if rows:
        told = (
            "A judge may call an answer unclear, and words alone may not tell. The paper does not say how it counts "
            "them. An accuracy that depends on it would differ between these columns."
        )
        table = Table(name_columns("model", *UNCLEAR.values()), tuple(rows))
        yield Fold("Three ways to count an unclear answer", (quiet(told), table))


class TaskMark(NamedTuple):
    """Mark of one model in a row of the figure. It is hollow if the model did not get the image."""

    place: int | None
    estimate: Estimate
    seen: bool
    model: str


def height_of(models: int) -> float:
    """Height in pixels of a row with this number of models."""
    return LINE * models + 2 * AROUND


def draw_marks(marks: Sequence[TaskMark], ruler: Scale) -> Markup:
    """Draw the models of a task below each other, with intervals."""
    parts = [grid_lines(ruler, "100%")]
    for number, each in enumerate(marks):
        down = f"{AROUND + LINE * (number + 0.5):.1f}"
        low, high = (ruler.format_place(end) for end in (each.estimate.low, each.estimate.high))
        drawn = draw_line("whisker", low, high, down)
        look = f"shape {'seen' if each.seen else 'blind'}"
        point = at_point(ruler.format_place(each.estimate.value), down, shape(each.place), look)
        parts.append(Markup('<g class="series{}">{}{}</g>').format(hue(each.place), drawn, point))
    words = "; ".join(f"{each.model} {format_aloud(each.estimate, 'share')}" for each in marks)
    drawn = svg("task-marks", words, parts)
    return Markup(str(drawn).replace("<svg", f'<svg height="{height_of(len(marks)):.0f}"', 1))  # noqa: S704 - drawn by us


ENOUGH = 3
"""Smallest group of models with a mean."""


class GivenTo(NamedTuple):
    """A group of models. `report` is True if they got the report, False if the image, None for their usual input."""

    name: str
    members: tuple[str, ...]
    report: bool | None = None


def draw_contrasts(tasks: Tasks) -> Iterator[Section]:
    """Compare each named group with the other models, and models with vision with those without."""
    study, models = tasks.lookup.evidence.results.study, tasks.models
    blind = tuple(model for model in models if model in tasks.by_report)
    seeing = tuple(model for model in models if model not in blind)
    for name, members in study.get("groups", {}).items():
        for kind, those in (("with vision" if blind else "", seeing), ("without vision", blind)):
            sides = (
                GivenTo(name, tuple(model for model in those if model in members)),
                GivenTo("all others", tuple(model for model in those if model not in members)),
            )
            if sides[0].members and sides[1].members:
                title = f"{name.capitalize()} and other models"
                yield from _draw_contrast(tasks, f"{title}, {kind}" if kind else title, sides)
    if study.get("groups") and blind and seeing:
        three = (
            GivenTo("with vision, given the report", seeing, True),
            GivenTo("without vision, given the report", blind, True),
            GivenTo("with vision, given the image", seeing, False),
        )
        note = (
            "The first two groups were asked in the same words, so they can be compared. The third had the image and "
            "is shown beside them."
        )
        yield from _draw_contrast(tasks, "With and without vision", three, note)


def _draw_contrast(tasks: Tasks, title: str, sides: Sequence[GivenTo], note: str = "") -> Iterator[Section]:
    """Compare two or three groups by task, with the difference of the first two means."""
    rows = []
    for task in TASKS:
        values = [
            [found.estimate.value for model in side.members if (found := tasks.find(model, task, report=side.report))]
            for side in sides
        ]
        if values[0] and values[1]:
            cells = (*map(_draw_group, values), Cell(subtract_means(values[0], values[1]) or "–"))
            rows.append(Row(Cell(f"{task.number} {task.title}"), cells, "", tasks.benchmark))
    if not rows:
        return
    columns = name_columns("task", *(side.name for side in sides), "first less second")
    caption = (
        "Mean over the models; its 95% CI takes the models, not the questions, as the sample (Student's t, cut at 0 "
        "and 100%; Wilson's if all models score alike). The difference of two means has its interval from theirs "
        "(MOVER). Below each mean, each model."
    )
    few = dict.fromkeys(side.name for side in sides if len(side.members) < ENOUGH)
    told = (
        f"Fewer than {ENOUGH} models: {'; '.join(few)}. A group of one or two models says nothing about such models in "
        "general. Only the models' own numbers are given for it."
    )
    notes = (*([quiet(note)] if note else []), *([Note(told, look="warning")] if few else []))
    yield Section(title, (*notes, Table(columns, tuple(rows), caption)))


def _draw_group(values: Sequence[float]) -> Cell:
    if not values:
        return Cell("–")
    each = ", ".join(figure(value, "share") for value in sorted(values, reverse=True))
    found = average(values)
    return Cell(each) if found is None else Cell(with_interval(found, "share"), n=f"{len(values)} models", note=each)


def average(values: Sequence[float]) -> Estimate | None:
    """Mean over models with an interval over models; None for fewer than three.

    The interval is Student's, cut at 0 and 1. If all models score alike it would have no width, so Wilson's is used.

    >>> print(average([0.5, 0.6, 0.7]), average([0.0, 0.0, 0.0]), average([0.5, 0.6]))
    0.60 [0.35, 0.85] (n=3, student-t) 0.00 [0.00, 0.56] (n=3, wilson) None
    """
    if len(values) < ENOUGH:
        return None
    found = mean(values)
    if found.low == found.high:
        return proportion(values)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def subtract_means(first: Sequence[float], second: Sequence[float]) -> str:
    """Format the difference of two groups' means with its interval; "" for small groups.

    >>> subtract_means([0.5, 0.6, 0.7], [0.2, 0.3, 0.4]), subtract_means([0.5, 0.6], [0.2, 0.3, 0.4])
    ('+30 points (−5 to +65)', '')
    """
    one, two = average(first), average(second)
    return "" if one is None or two is None else with_interval(group_difference(one, two), "points")


ASKED = ("diagnosis", "treatment")


def draw_image_or_report(tasks: Tasks) -> list[Part]:
    """Compare diagnosis and treatment with the image and with the report, per model."""
    parts, lookup = list[Part](), tasks.lookup
    for task in (BY_NAME[name] for name in ASKED):
        ways = Ways((ANSWERS,), (ORIGINAL.name, REPORT.label), ("image", "report"), ("seen", "plain"),
                    subset_of(task.name), f"{task.title} right")  # fmt: skip
        for benchmark, table in draw_comparison(lookup, ways).items():
            if whole_of(benchmark) == tasks.benchmark:
                found = {place.model: ways.change(lookup, place) for place in lookup.places(benchmark)}
                losses = {lookup.short_names[model]: _describe(change) for model, change in found.items() if change}
                told = tuple(Cell(rich("**{}**: {}", name, said)) for name, said in losses.items() if said)
                parts += [table, Listing(told, "dots")] if told else []
    return parts


NEARLY_NONE = 1e-9


def _describe(change: ShownNumber) -> str:
    """Describe what a model loses by looking at the image instead of the report. Return "" if this is not known."""
    changed = change.measure
    alike = [each for each in change.finding.measures if each.subset == changed.subset]
    found = {(each.arm, each.name): each.estimate for each in alike}
    before = found.get((changed.arm, "baseline_accuracy"))
    unseen, silent = (
        sum(found[arm, name].value for name in SILENT if (arm, name) in found) for arm in (ORIGINAL.name, changed.arm)
    )
    return "" if before is None else describe_loss(before, change.estimate, silent, unseen)


def describe_loss(before: Estimate, change: Estimate, silent: float = 0.0, unseen: float = 0.0) -> str:
    """Describe the errors that the report removes and those that remain.

    `silent` and `unseen` are the shares of responses without an answer, with the report and with the image. A model
    that declines to look loses nothing by looking.

    >>> describe_loss(Estimate(0.4, 0.3, 0.5, 90, "wilson"), Estimate(0.35, 0.2, 0.5, 90, "bonett-price"))
    '40% right with the image and 75% with the report, 35 points more (20 to 50, n 90): that is \
lost in looking at the image; 25% are wrong even with the report.'
    """
    after = min(1.0, max(0.0, before.value + change.value))
    said = f"{percent(before.value)} right with the image and {percent(after)} with the report"
    ends = f"{interval(change.low, change.high).removeprefix('95% CI ')}, n {change.n}"
    wrong = max(0.0, 1 - after - silent)
    rest = [f"{percent(wrong)} are wrong even with the report"] if wrong > NEARLY_NONE else []
    rest += [f"{percent(silent)} give no answer to the report"] if silent > NEARLY_NONE else []
    others = " and ".join(rest) or "with the report nothing is wrong"
    if change.low > 0 and unseen > change.value / 2:
        why = f"{percent(unseen)} give no answer with the image, so that what is lost in looking cannot be told"
        return f"{said}, {points(change.value)} more ({ends}): {why}; {others}."
    if change.low > 0:
        return f"{said}, {points(change.value)} more ({ends}): that is lost in looking at the image; {others}."
    if change.high < 0:
        more = "it does better with the image, so that what is lost in looking cannot be told"
        return f"{said}, {points(-change.value)} fewer ({ends}): {more}; {others}."
    possible = f", but up to {points(change.high)} are possible" if change.high > 0 else ""
    return f"{said} (difference {ends}): no loss in looking is shown{possible}; {others}."


TRIES = 5
"""Number of responses that a hash chooses; the shortest of them is quoted."""
KINDS = {"names the contradiction": Outcome.CORRECT, "does not name it": Outcome.WRONG}
Chosen = dict[tuple[str, str], list[tuple[ArmAddress, int]]]
"""Responses that may be quoted, by model and by whether they name the contradiction."""


def choose(evidence: Evidence) -> Chosen:
    """Choose responses per model that name the contradiction, and others that do not."""
    chosen: Chosen = {}
    for address in _addresses(evidence):
        grades = evidence.grades(address)
        for words, outcome in KINDS.items():
            places = np.flatnonzero(grades.is_(outcome))
            if len(places) and (address.model, words) not in chosen:
                chosen[address.model, words] = first_by_hash(evidence, {address: places}, TRIES)
    for few in chosen.values():
        evidence.quote(few)
    return chosen


def _addresses(evidence: Evidence) -> list[ArmAddress]:
    """Addresses of the responses to contradictory images."""
    wanted = {
        ArmAddress(each.model, each.benchmark, arm.name)
        for each in evidence.results.findings
        if family(each) == CONTRADICTION
        for arm in each.test.compared
    }
    return [address for address in evidence.anchors if address in wanted]


def draw_contradictions(lookup: Lookup, shown: ShownTest, chosen: Chosen) -> Section:
    """Draw the test of contradictory images: verdicts, both rates, and responses of each model."""
    evidence, test, findings = lookup.evidence, shown.test, shown.findings
    several = len({each.benchmark for each in findings}) > 1
    rates = (
        (test.compared[0].name, NAMED, "Contradictions named, where the image is of another kind (%)"),
        (test.baseline.name, ALARMS, "Contradictions named without one: false alarms (%)"),
    )
    plots = (
        forest(findings, arm, name, evidence=evidence, caption=caption,
               label=lambda each: label(each, evidence) if several else lookup.short_names[each.model])
        for arm, name, caption in rates
    )  # fmt: skip
    told = (
        "Task VIII. A response is right if it says that text and image do not fit. The same question is also asked "
        "with its own image: a model that speaks of a contradiction there would also find one in any question."
    )
    bars = draw_bars(evidence, findings, [arm.name for arm in test.all_arms])
    numbers = (*([bars] if bars else []), *draw_grids(evidence, findings, folded=False))
    parts: list[Part] = [
        list_verdicts(evidence, findings),
        *(each for each in plots if each is not None),
        *_draw_quotes(evidence, chosen),
        Fold("Outcomes and all numbers", numbers),
    ]
    [made] = explain(test.asks, " ".join([told, *contradictions_read_by(evidence)]), parts, shown.anchor)
    return replace(made, name=test.name)


def _draw_quotes(evidence: Evidence, chosen: Chosen) -> Iterator[Fold]:
    told = quiet(
        "For every model one response that names the contradiction and one that does not, if there is one. A hash of "
        "the question's id chooses five, and the shortest of the five is shown. The image is the one that was sent."
    )
    if chosen:
        panes = tuple(_draw_quote(evidence, words, few) for (_, words), few in chosen.items())
        yield Fold("Responses to a contradictory image", (told, Case("", "", "", panes)))


def _draw_quote(evidence: Evidence, words: str, few: Sequence[tuple[ArmAddress, int]]) -> Pane:
    address, place, saying = take_shortest(evidence, few)
    grades, name = evidence.grades(address), short_names(evidence.results)[address.model]
    alike = f"{count(int(grades.is_(KINDS[words]).sum()))} of {counted(len(grades), 'response')}"
    pictures = map(evidence.album.picture, evidence.album.choose_images(saying.asked.images))
    sent = "The image that was sent"
    return Pane(
        f"{name}: {words}",
        tuple(PagePicture(each.short, each.width, each.height, sent) for each in pictures if each.link),
        "The image is not here.",
        (saying.item.context, saying.item.question),
        (Quote(alike, KINDS[words].value, words, saying.reply.text, row_anchor(evidence, address, place),
               address.model),),
    )  # fmt: skip


TOLD = (
    "The tasks of “The Illusion of Clinical Reasoning”, as far as they were asked here: knowledge, a clinical note and "
    "an image alone (I to III, with options); diagnosis, treatment and the reasoning behind both (IV to VII, answered "
    "in words); and a case whose image contradicts its text (VIII)."
)
REPORTS = (
    "The same questions with the image, and with the radiologist's report in its place. If the report helps, something "
    "was lost in looking at the image. An answer that is wrong even with the report was not lost in looking."
)


BY_NUMBER = {task.number: task for task in TASKS}


def covers(section: ShownTest) -> bool:
    """Return True if the chapter shows all of a test."""
    return family(section.findings[0]) in FAMILIES and not read_label(section.test.baseline.name).ways


def _describe_reports(evidence: Evidence) -> Iterator[Note]:
    """Yield a note on the models that gain from the report."""
    names, gaining, asked = short_names(evidence.results), [], False
    for each in evidence.results.findings:
        whole = {m.name: m.estimate for m in each.measures if m.arm == REPORT.name and not m.subset}
        if family(each) == ANSWERS and "difference" in whole:
            asked = True
            if whole["difference"].low > 0:
                before, after = (share_with_interval(whole[name]) for name in ("baseline_accuracy", "accuracy"))
                gaining.append(f"{names[each.model]} ({before} with the image, {after} with the report)")
    if asked:
        more = f"With the report in place of the image, more answers are right: {listed(gaining)}."
        yield Note(more if gaining else "No gain from the report is shown for any model.")


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> list[Part] | None:
    """Draw the chapter; None if no pathway task has results."""
    lookup = Lookup(evidence)
    every = [Tasks(lookup, name) for name in list_benchmarks(evidence)]
    profiles = [(tasks, drawn) for tasks in every if (drawn := draw_profile(tasks))]
    if not profiles:
        return None
    held = [each for each in sections if covers(each)]
    held.sort(key=lambda each: family(each.findings[0]) != CONTRADICTION)
    return [
        *_describe_reports(evidence),
        quiet(TOLD),
        *(part for each in profiles for part in _draw_benchmark(*each, several=len(profiles) > 1)),
        *(
            draw_contradictions(lookup, each, chosen)
            if family(each.findings[0]) == CONTRADICTION
            else replace(draw_test(evidence, each), title=f"All tasks together: {each.test.label}")
            for each in held
        ),
        draw_printed(profiles[0][0]),
    ]


def _draw_benchmark(tasks: Tasks, profile: Sequence[Part], *, several: bool) -> Iterator[Section]:
    name, on = (tasks.benchmark, f"-{tasks.benchmark}") if several else ("", "")
    yield Section("Which steps does it master?", tuple(profile), f"pathway-profile{on}", name)
    compared = explain("Image or report?", REPORTS, draw_image_or_report(tasks), f"pathway-report{on}")
    for each in (*compared, *draw_contrasts(tasks)):
        yield replace(each, name=name)


def draw_printed(tasks: Tasks) -> Section:
    """Draw the printed accuracies with their counts, and ours for the same models."""
    printed: list[tuple[PrintedAccuracy, ShownNumber | None]] = []
    for each in accuracies():
        model, task = next((name for name in tasks.models if is_called(name, each.model)), None), BY_NUMBER[each.task]
        printed.append((each, None if model is None else tasks.find(model, task, report=each.report or None)))
    ours = any(found for _, found in printed)
    rows = []
    for each, found in printed:
        ends = f" ({100 * each.interval.low:.1f} to {100 * each.interval.high:.1f})" if each.interval else ""
        stands_for = f"{each.counts[0]} of {each.n}" if each.interval else f"no count of {each.n}"
        words = (f"{each.task} {BY_NUMBER[each.task].title}", f"{each.value:.1f}%{ends}", stands_for)
        cells = (*map(Cell, words), *([show_found(found)] if ours else []))
        rows.append(Row(Cell(f"{each.model}, with the report" if each.report else each.model), cells))
    columns = ("model", "task", "printed", "stands for", *(["the same model here"] if ours else []))
    note = rich(
        "Of the paper's own 1,245 questions and 203 cases: they do not compare with numbers on other questions. "
        "“Stands for” is the only count that prints so. The interval is Wilson's, from that count: the text prints "
        "none. Tasks IV to VII are means of three opinions of a judge. All of it: `snellen paper figures pathway`."
    )
    table = Table(name_columns(*columns), tuple(rows))
    fold = Fold(f"{len(rows)} accuracies, with the counts they can stand for", (quiet(note), table))
    return Section("What the paper prints", (fold,), "pathway-printed")


def is_called(ours: str, printed: str) -> bool:
    """Return True if a study's model is the paper's, ignoring provider and date.

    >>> is_called("openai/gpt-4o-2024-08-06", "GPT-4o"), is_called("openai/gpt-4o-mini", "GPT-4o")
    (True, False)
    """
    plain = re.sub(r"[-_]?\d{4}-?\d{2}-?\d{2}$", "", ours.rpartition("/")[2])
    return re.sub(r"[^a-z0-9]", "", plain.lower()) == re.sub(r"[^a-z0-9]", "", printed.lower())


CHAPTER = Chapter(
    anchor="pathway",
    title="The clinical pathway",
    choose=choose,
    build=build,
    covers=covers,
    paper="The Illusion of Clinical Reasoning",
)
