"""Chapter: a part of the report that tests or plug-ins bring with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from snellen.errors import PluginError
from snellen.plugins import find, names, referred
from snellen.report.components import Fold, Note, Part
from snellen.report.drawing import draw
from snellen.report.evidence.album import without_folders
from snellen.report.evidence.evidence import Evidence, distinct
from snellen.report.figures.marks import PATTERNS
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import ShownTest
from snellen.report.words.numbers import shortened
from snellen.scoring.results import Results

PAGE = (
    "summary", "figure-1", "typical", "chapters", "order", "limits", "verdicts", "looks", "knows", "sights", "stable",
    "repeats", "conditions", "scores", "clinicians", "profile", "benchmark", "breakdown", "rows", "methods",
    "parsers", "account", "flow", "delivery", "numbers", "provenance", "cite", "browse", "responses", "files",
    *PATTERNS,
)  # fmt: skip
"""The ids that the page has of its own."""
WITHIN = 4
"""The level of titles in a chapter."""


def _nothing(evidence: Evidence) -> None:
    """A chapter that shows no single response."""


@dataclass(frozen=True)
class Chapter:
    """A part of the page: a stress test names it as `chapter="module:ATTRIBUTE"`, or a plug-in as `snellen.chapters`.

    `choose` notes the responses that will be shown (`Evidence.expect`) or linked to (`Evidence.lead_to`), so that the
    store is read once; what it returns is handed to `build`, which returns parts (`snellen.report.components`), or
    None to leave the chapter out.
    """

    anchor: str
    title: str
    build: Callable[[Evidence, Sequence[ShownTest], Any], Sequence[Part] | None]
    choose: Callable[[Evidence], Any] = _nothing
    covers: Callable[[ShownTest], bool] = lambda section: False
    """Whether the chapter holds all of a test, so that it has no section among the others."""
    short: str = ""
    """Name of the chapter in sentences about it, if that is not its title."""
    paper: str = ""
    """The paper whose protocol it shows: to be cited with the report."""
    template: str = ""
    """No longer used: until version 0.2.1 chapters were drawn by templates."""


class OpenedChapter(NamedTuple):
    """A chapter and what it chose to show; `failed` says why it cannot be drawn."""

    chapter: Chapter
    chosen: Any = None
    failed: str = ""


@dataclass(frozen=True)
class DrawnChapter:
    """A chapter on the page; one that failed says so in one line."""

    anchor: str
    title: str
    short: str
    parts: tuple[Part, ...] = ()
    covered: tuple[str, ...] = ()
    """The anchors of the tests that it holds all of."""
    paper: str = ""
    result: str = ""
    """What its tests find, in a few words."""

    def fold(self) -> Fold:
        """The chapter as a part of the page."""
        return Fold(self.title, self.parts, self.result, self.anchor, "chapter")


def opened(evidence: Evidence) -> list[OpenedChapter]:
    """The chapters that the study's tests name, in the order of the tests, then those of plug-ins.

    Each comes with what it chose to show.
    """
    found = [
        _load(test, reference, partial(referred, reference)) for reference, test in _referred(evidence.results).items()
    ]
    for name in names("chapters", {}):
        each = _load(name, name, partial(find, "chapters", {}, name))
        if each.chapter not in [other.chapter for other in found]:
            found.append(each)
    return [_choose(each, evidence) for each in found]


def _referred(results: Results) -> dict[str, str]:
    """Where each chapter is, and the first test that brings it."""
    found: dict[str, str] = {}
    for finding in results.findings:
        if finding.test.chapter:
            found.setdefault(finding.test.chapter, finding.test.name)
    return found


def _load(test: str, reference: str, load: Callable[[], Any]) -> OpenedChapter:
    unnamed = Chapter(f"chapter-{test}", test, build=lambda *_: None)
    try:
        chapter = chapter_from(reference, load())
    except Exception as error:
        return OpenedChapter(unnamed, failed=_reason(error))
    gone = "a chapter has no template any more: its build returns parts (snellen.report.components)"
    return OpenedChapter(chapter, failed=_reason(PluginError(gone)) if chapter.template else "")


def chapter_from(reference: str, found: object) -> Chapter:
    """What was found under a name, if it is a Chapter; PluginError for anything else."""
    if not isinstance(found, Chapter):
        raise PluginError(f"expected {reference!r} to be a Chapter, got {found!r}")
    return found


def _choose(each: OpenedChapter, evidence: Evidence) -> OpenedChapter:
    if each.failed:
        return each
    try:
        return each._replace(chosen=each.chapter.choose(evidence))
    except Exception as error:
        return each._replace(failed=_reason(error))


def build_chapters(
    chapters: Sequence[OpenedChapter], evidence: Evidence, sections: Sequence[ShownTest]
) -> list[DrawnChapter]:
    """The chapters that have anything to say, with anchors that no two share; one that fails says why instead."""
    found = [_build(each, evidence, sections) for each in chapters]
    there = [each for each in found if each is not None]
    anchors = distinct([*PAGE, *(section.anchor for section in sections), *(each.anchor for each in there)])
    own = anchors[len(anchors) - len(there) :]
    return [replace(each, anchor=anchor) for each, anchor in zip(there, own, strict=True)]


def _build(each: OpenedChapter, evidence: Evidence, sections: Sequence[ShownTest]) -> DrawnChapter | None:
    chapter = each.chapter
    made = DrawnChapter(chapter.anchor, chapter.title, chapter.short or chapter.title)
    if each.failed:
        return replace(made, parts=(_failed(each.failed),))
    try:
        parts = chapter.build(evidence, sections, each.chosen)
        if parts is None:
            return None
        html = draw(parts, WITHIN)  # what cannot be drawn fails here, and the page stays
        covered = [section for section in sections if chapter.covers(section)]
        return replace(
            made, parts=(html,), covered=tuple(section.anchor for section in covered), paper=chapter.paper,
            result=describe_result(covered),
        )  # fmt: skip
    except Exception as error:
        return replace(made, parts=(_failed(_reason(error)),))


def _failed(why: str) -> Note:
    return Note(f"This chapter could not be drawn. {why}", look="warning")


def _reason(error: Exception) -> str:
    """What went wrong, in one line."""
    return shortened(without_folders(f"{type(error).__name__}: {error}"), 300)
