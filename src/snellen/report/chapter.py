"""Chapters: parts of the report that stress tests or plug-ins add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from snellen.errors import PluginError
from snellen.plugins import find, load_reference, names
from snellen.report.components import Fold, Note, Part
from snellen.report.drawing import draw
from snellen.report.evidence.album import without_folders
from snellen.report.evidence.evidence import Evidence, distinct
from snellen.report.figures.marks import PATTERNS
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import ShownTest
from snellen.report.words.numbers import shorten_text

PAGE = (
    "summary", "figure-1", "typical", "chapters", "order", "limits", "verdicts", "looks", "knows", "sights", "stable",
    "repeats", "conditions", "scores", "clinicians", "profile", "benchmark", "breakdown", "rows", "methods",
    "parsers", "account", "flow", "delivery", "numbers", "provenance", "cite", "browse", "responses", "files",
    *PATTERNS,
)  # fmt: skip
"""Ids that the page uses itself, so chapters get other ones."""
NOT_DRAWN = "This chapter could not be drawn. {}"
WITHIN = 4
"""Heading level of the titles in a chapter."""


@dataclass(frozen=True)
class Chapter:
    """A part of the report page that a stress test or a plug-in adds.

    A test names it as `chapter="module:ATTRIBUTE"`. First `choose` notes the responses to show (`Evidence.expect`) or
    to link to (`Evidence.lead_to`), so that the store is read once. Its result is passed to `build`, which returns the
    chapter's parts (`snellen.report.components`), or None to leave the chapter out.
    """

    anchor: str
    title: str
    build: Callable[[Evidence, Sequence[ShownTest], Any], Sequence[Part] | None]
    choose: Callable[[Evidence], Any] = lambda evidence: None
    covers: Callable[[ShownTest], bool] = lambda section: False
    """Return True if the chapter shows everything of a test, so that the test gets no section of its own."""
    short: str = ""
    """Name of the chapter in sentences, if different from its title."""
    paper: str = ""
    """Paper with the protocol that the chapter shows; to be cited with the report."""
    template: str = ""
    """No longer used: until version 0.2.1 templates drew the chapters."""


class OpenedChapter(NamedTuple):
    """A chapter and the result of its `choose`, or why it cannot be drawn (`failed`)."""

    chapter: Chapter
    chosen: Any = None
    failed: str = ""


@dataclass(frozen=True)
class DrawnChapter:
    """A chapter as drawn on the page, or a note that it failed."""

    anchor: str
    title: str
    short: str
    parts: tuple[Part, ...] = ()
    covered: tuple[str, ...] = ()
    """Anchors of the tests that it shows completely."""
    paper: str = ""
    result: str = ""
    """Results of its tests in a few words."""

    def fold(self) -> Fold:
        """Return the chapter as a folded part of the page."""
        return Fold(self.title, self.parts, self.result, self.anchor, "chapter")


def open_chapters(evidence: Evidence) -> list[OpenedChapter]:
    """Load the chapters of the study's tests and of plug-ins, and let them choose responses."""
    references: dict[str, str] = {}  # each with the first test that names it
    for finding in evidence.results.findings:
        if finding.test.chapter:
            references.setdefault(finding.test.chapter, finding.test.name)
    found = [_load(test, each, partial(load_reference, each)) for each, test in references.items()]
    for name in names("chapters", {}):
        each = _load(name, name, partial(find, "chapters", {}, name))
        if each.chapter not in [other.chapter for other in found]:
            found.append(each)
    for at, each in enumerate(found):
        try:
            found[at] = each if each.failed else each._replace(chosen=each.chapter.choose(evidence))
        except Exception as error:
            found[at] = each._replace(failed=_reason(error))
    return found


def _load(test: str, reference: str, load: Callable[[], Any]) -> OpenedChapter:
    unnamed = Chapter(f"chapter-{test}", test, build=lambda *_: None)
    try:
        chapter = chapter_from(reference, load())
    except Exception as error:
        return OpenedChapter(unnamed, failed=_reason(error))
    gone = "a chapter may no longer have a template: its build must return parts (snellen.report.components)"
    return OpenedChapter(chapter, failed=_reason(PluginError(gone)) if chapter.template else "")


def chapter_from(reference: str, found: object) -> Chapter:
    """Return `found` if it is a Chapter. PluginError for anything else."""
    if not isinstance(found, Chapter):
        raise PluginError(f"expected {reference!r} to be a Chapter, got {found!r}")
    return found


def build_chapters(
    chapters: Sequence[OpenedChapter], evidence: Evidence, sections: Sequence[ShownTest]
) -> list[DrawnChapter]:
    """Build the chapters with unique anchors. A chapter that fails becomes a note."""
    found = [_build(each, evidence, sections) for each in chapters]
    there = [each for each in found if each is not None]
    anchors = distinct([*PAGE, *(section.anchor for section in sections), *(each.anchor for each in there)])
    own = anchors[len(anchors) - len(there) :]
    return [replace(each, anchor=anchor) for each, anchor in zip(there, own, strict=True)]


def _build(each: OpenedChapter, evidence: Evidence, sections: Sequence[ShownTest]) -> DrawnChapter | None:
    chapter = each.chapter
    made = DrawnChapter(chapter.anchor, chapter.title, chapter.short or chapter.title)
    if each.failed:
        return replace(made, parts=(Note(NOT_DRAWN.format(each.failed), look="warning"),))
    try:
        parts = chapter.build(evidence, sections, each.chosen)
        if parts is None:
            return None
        html = draw(parts, WITHIN)  # drawn here, so that an error fails only this chapter
        covered = [section for section in sections if chapter.covers(section)]
        return replace(
            made, parts=(html,), covered=tuple(section.anchor for section in covered), paper=chapter.paper,
            result=describe_result(covered),
        )  # fmt: skip
    except Exception as error:
        return replace(made, parts=(Note(NOT_DRAWN.format(_reason(error)), look="warning"),))


def _reason(error: Exception) -> str:
    """Describe an error in one line, without folder names."""
    return shorten_text(without_folders(f"{type(error).__name__}: {error}"), 300)
