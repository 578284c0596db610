"""The clinical pathway: the tasks of "The Illusion of Clinical Reasoning" as a chapter, as far as they were asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from snellen.conditions.labels import read_label
from snellen.papers.pathway.published import Printed, accuracies
from snellen.papers.pathway.report.groups import draw_contrasts
from snellen.papers.pathway.report.image_or_report import draw_image_or_report
from snellen.papers.pathway.report.mismatch import Chosen, choose, draw_contradictions
from snellen.papers.pathway.report.profile import CONTRADICTION, FAMILIES, Tasks, draw_profile, list_benchmarks
from snellen.prompts import TASKS
from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Fold, Note, Part, Row, Section, Table, explain, name_columns, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Found, Lookup, family, show_found
from snellen.report.sections.headline import describe_reports
from snellen.report.sections.tests import ShownTest, draw_test

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
    """Whether the chapter holds all of a test: those asked as the study says, since it has no place for other ways."""
    return family(section.findings[0]) in FAMILIES and not read_label(section.test.baseline.name).ways


def build(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> list[Part] | None:
    """The chapter of a study that asked any of the tasks; None if nothing was answered."""
    lookup = Lookup(evidence)
    every = [Tasks(lookup, name) for name in list_benchmarks(evidence)]
    profiles = [(tasks, drawn) for tasks in every if (drawn := draw_profile(tasks))]
    if not profiles:
        return None
    held = [each for each in sections if covers(each)]
    held.sort(key=lambda each: family(each.findings[0]) != CONTRADICTION)
    told = describe_reports(evidence.results)
    return [
        *([Note(f"{told[0]}. {told[1]}.")] if told else []),
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
    """Every accuracy that the paper prints, with what it stands for and the same model's number here."""
    printed = [(each, _find_same(tasks, each)) for each in accuracies()]
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


def _find_same(tasks: Tasks, each: Printed) -> Found | None:
    model = next((name for name in tasks.models if is_called(name, each.model)), None)
    return None if model is None else tasks.find(model, BY_NUMBER[each.task], report=each.report or None)


def is_called(ours: str, printed: str) -> bool:
    """Whether a model of a study is the one that the paper names, by its name without provider, date and signs.

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
