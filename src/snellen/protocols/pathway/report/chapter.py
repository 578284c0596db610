"""The clinical pathway: the tasks of "The Illusion of Clinical Reasoning" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from snellen.conditions.labels import read_label
from snellen.protocols.pathway.report.groups import draw_contrasts
from snellen.protocols.pathway.report.image_or_report import draw_image_or_report
from snellen.protocols.pathway.report.mismatch import Chosen, choose, draw_contradictions
from snellen.protocols.pathway.report.printed import draw_printed
from snellen.protocols.pathway.report.profile import CONTRADICTION, FAMILIES, Tasks, draw_profile, list_benchmarks
from snellen.report.chapter import Chapter
from snellen.report.components import Note, Part, Section
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
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
        Note(TOLD, look="quiet"),
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
    if compared := draw_image_or_report(tasks):
        yield Section("Image or report?", (Note(REPORTS, look="quiet"), *compared), f"pathway-report{on}", name)
    for each in draw_contrasts(tasks):
        yield replace(each, name=name)


CHAPTER = Chapter(
    anchor="pathway",
    title="The clinical pathway",
    choose=choose,
    build=build,
    covers=covers,
    paper="The Illusion of Clinical Reasoning",
)
