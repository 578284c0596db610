"""Chapter: a part of the report that some tests bring along, with its own template; a plug-in's as well as ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from jinja2 import Environment
from markupsafe import Markup

from snellen.errors import PluginError
from snellen.plugins import referred
from snellen.report.evidence.album import without_folders
from snellen.report.evidence.evidence import Evidence, distinct
from snellen.report.figures.marks import PATTERNS
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import Section
from snellen.report.words.numbers import shortened
from snellen.scoring.results import Results

PAGE = (
    "summary", "figure-1", "typical", "chapters", "order", "limits", "verdicts", "looks", "knows", "sights", "stable",
    "repeats", "conditions", "scores", "clinicians", "profile", "benchmark", "breakdown", "rows", "methods",
    "parsers", "account", "delivery", "numbers", "provenance", "cite", "browse", "responses", "files", *PATTERNS,
)  # fmt: skip
"""The ids that the page has of its own."""


def _nothing(evidence: Evidence) -> None:
    """A chapter that shows no single response."""


def _none(section: Section) -> bool:
    return False


@dataclass(frozen=True)
class Chapter:
    """A part of the page that tests bring along: a stress test names it as `chapter="module:ATTRIBUTE"`.

    `choose` notes the responses that will be shown (`Evidence.expect`) or linked to (`Evidence.lead_to`), so that the
    store is read once; what it returns is handed to `build`. `template` is `package:file`, rendered with what `build`
    returned as `chapter`; None leaves the chapter out. The template also knows `study`, `album`, `arms` (their words)
    and `several` (whether there are several benchmarks), and may import the page's own, such as `parts.html.jinja`.
    """

    anchor: str
    title: str
    template: str
    build: Callable[[Evidence, Sequence[Section], Any], Any]
    choose: Callable[[Evidence], Any] = _nothing
    covers: Callable[[Section], bool] = _none
    """Whether the chapter holds all of a test, so that it has no section among the others."""
    stands: Literal["papers", "degraded"] = "papers"
    """Where on the page: among the protocols in their papers' form, or as what degraded images do."""
    short: str = ""
    """What the navigation calls it, where that is not its title."""
    paper: str = ""
    """The paper whose protocol it shows: to be cited with the report."""


class OpenedChapter(NamedTuple):
    """A chapter and what it chose to show; `failed` says why it cannot be drawn."""

    chapter: Chapter
    chosen: Any = None
    failed: str = ""


@dataclass(frozen=True)
class DrawnChapter:
    """A chapter on the page; `failed` says in one line why there is nothing in it."""

    anchor: str
    title: str
    short: str
    html: str = ""
    covered: tuple[str, ...] = ()
    """The anchors of the tests that it holds all of."""
    stands: str = "papers"
    paper: str = ""
    failed: str = ""
    result: str = ""
    """What its tests find, in a few words."""


def opened(evidence: Evidence) -> list[OpenedChapter]:
    """The chapters that the study's tests bring along, in the order of the tests, each with what it chose to show."""
    return [_opened(evidence, reference, test) for reference, test in _referred(evidence.results).items()]


def _referred(results: Results) -> dict[str, str]:
    """Where each chapter is, and the first test that brings it."""
    found: dict[str, str] = {}
    for finding in results.findings:
        if finding.test.chapter:
            found.setdefault(finding.test.chapter, finding.test.name)
    return found


def _opened(evidence: Evidence, reference: str, test: str) -> OpenedChapter:
    chapter = Chapter(f"chapter-{test}", test, "", build=lambda *_: None)
    try:
        found = referred(reference)
        if not isinstance(found, Chapter):
            raise PluginError(f"expected {reference!r} to be a Chapter, got {found!r}")
        chapter = found
        return OpenedChapter(chapter, chapter.choose(evidence))
    except Exception as error:
        return OpenedChapter(chapter, failed=_reason(error))


def draw(
    chapters: Sequence[OpenedChapter],
    evidence: Evidence,
    sections: Sequence[Section],
    environment: Environment,
    page: Mapping[str, Any],
) -> list[DrawnChapter]:
    """The chapters that have anything to say, with anchors that no two share; one that fails says why instead."""
    found = [_drawn(each, evidence, sections, environment, page) for each in chapters]
    there = [each for each in found if each is not None]
    anchors = distinct([*PAGE, *(section.anchor for section in sections), *(each.anchor for each in there)])
    own = anchors[len(anchors) - len(there) :]
    return [replace(each, anchor=anchor) for each, anchor in zip(there, own, strict=True)]


def _drawn(
    each: OpenedChapter,
    evidence: Evidence,
    sections: Sequence[Section],
    environment: Environment,
    page: Mapping[str, Any],
) -> DrawnChapter | None:
    chapter = each.chapter
    title = (chapter.anchor, chapter.title, chapter.short or chapter.title)
    if each.failed:
        return DrawnChapter(*title, failed=each.failed)
    try:
        built = chapter.build(evidence, sections, each.chosen)
        if built is None:
            return None
        html = environment.get_template(chapter.template).render(**page, chapter=built)
        covered = tuple(section.anchor for section in sections if chapter.covers(section))
        result = describe_result([section for section in sections if section.anchor in covered])
        page_part = Markup(html)  # noqa: S704 - autoescaped
        return DrawnChapter(*title, page_part, covered, chapter.stands, chapter.paper, result=result)
    except Exception as error:
        return DrawnChapter(*title, failed=_reason(error))


def _reason(error: Exception) -> str:
    """What went wrong, in one line."""
    return shortened(without_folders(f"{type(error).__name__}: {error}"), 300)
