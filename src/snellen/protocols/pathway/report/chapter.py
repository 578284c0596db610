"""The clinical pathway: the tasks of "The Illusion of Clinical Reasoning" as a chapter, as far as they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snellen.conditions.labels import read_label
from snellen.protocols.pathway.report.groups import ENOUGH, Contrast, contrasts
from snellen.protocols.pathway.report.image_or_report import LOOKS, ImageOrReport, image_or_report
from snellen.protocols.pathway.report.mismatch import Chosen, Contradictions, choose, contradictions
from snellen.protocols.pathway.report.printed import PrintedLine, printed_lines
from snellen.protocols.pathway.report.profile import ANSWERS, CHOICES, FAMILIES, Profile, Tasks, benchmarks, profile
from snellen.report.chapter import Chapter
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup, family
from snellen.report.sections.tests import ShownTest


@dataclass(frozen=True)
class OfBenchmark:
    """All of the chapter that is told of one benchmark."""

    profile: Profile
    image_or_report: tuple[ImageOrReport, ...]
    contrasts: tuple[Contrast, ...]
    printed: tuple[PrintedLine, ...]


@dataclass(frozen=True)
class PathwayChapter:
    """The chapter: a part for each benchmark, the task of contradictory images, and the tests that it shows."""

    parts: tuple[OfBenchmark, ...]
    contradictions: tuple[Contradictions, ...]
    sections: tuple[ShownTest, ...]
    looks: tuple[tuple[str, str], ...] = LOOKS
    enough: int = ENOUGH


def covers(section: ShownTest) -> bool:
    """Whether the chapter holds all of a test: those asked as the study says, since it has no place for other ways."""
    return family(section.findings[0]) in FAMILIES and not read_label(section.test.baseline.name).ways


def pathway(evidence: Evidence, sections: Sequence[ShownTest], chosen: Chosen) -> PathwayChapter | None:
    """The chapter of a study that asked any of the tasks; None where nothing was answered."""
    lookup = Lookup(evidence)
    parts = []
    for benchmark in benchmarks(evidence):
        tasks = Tasks(lookup, benchmark)
        if (made := profile(tasks)) is not None:
            parts.append(
                OfBenchmark(
                    made,
                    tuple(image_or_report(lookup, tasks)),
                    tuple(contrasts(tasks)),
                    tuple(printed_lines(tasks)),
                )
            )
    if not parts:
        return None
    held = [each for each in sections if covers(each)]
    told = tuple(each for each in held if family(each.findings[0]) in (CHOICES, ANSWERS))
    return PathwayChapter(tuple(parts), tuple(contradictions(lookup, held, chosen)), told)


CHAPTER = Chapter(
    anchor="pathway",
    title="The clinical pathway",
    template="snellen.protocols.pathway.report:chapter.html.jinja",
    choose=choose,
    build=pathway,
    covers=covers,
    paper="The Illusion of Clinical Reasoning",
)
