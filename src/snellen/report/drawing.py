"""Drawing: parts and whole pages as HTML that loads nothing from anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from snellen.report.components import Link, Part, Words, mark_code
from snellen.report.evidence.album import AlbumPicture
from snellen.report.figures.marks import PATTERNS, swatch
from snellen.report.figures.palette import model_dot
from snellen.report.sheet import policy, scripts, styles, templates
from snellen.report.words import numbers as wording
from snellen.report.words.glossary import method_words

STYLES = ("tokens", "page", "parts", "marks", "print")
SCRIPTS = ("archive", "downloads", "page")
QUOTED = 240
"""Characters quoted of a response in a case."""


@dataclass(frozen=True)
class Page:
    """A page: its headline with what stands below it, its other parts, and what its links and images need."""

    title: str
    """Title of the window."""
    headline: Words
    lede: Words = ""
    """The sentence below the headline."""
    meta: Words = ""
    """What was examined, how much, and when."""
    alarm: Words = ""
    summary: Sequence[Part] = ()
    parts: Sequence[Part] = ()
    contents: Sequence[Link] = ()
    styles: Sequence[str] = STYLES
    scripts: Sequence[str] = SCRIPTS
    study: str = ""
    connects: bool = False
    """Whether its script asks the server that it came from."""
    images: Sequence[AlbumPicture] = ()
    """Images that parts show by their id."""
    archives: Mapping[str, Words] = field(default_factory=dict)
    """Files that the page carries, packed, by their id."""


def draw_page(page: Page) -> str:
    """Write the whole page. Equal pages make equal text."""
    style, script = styles(page.styles), scripts(page.scripts)
    template = environment().get_template("shell.html.jinja")
    allowed = policy(style, script) + ("; connect-src 'self'" if page.connects else "")
    return template.render(page=page, style=style, script=script, policy=allowed)


def draw(parts: Sequence[Part], level: int = 2) -> Markup:
    """Write some parts as HTML; `level` is that of their titles."""
    macros = environment().get_template("components.html.jinja").module
    return Markup("\n").join(macros.draw(each, level) for each in parts)  # type: ignore[attr-defined]


@cache
def environment() -> Environment:
    """Where templates come from; they are compiled once."""
    made = templates()
    made.filters.update(shortened=wording.shortened, coded=mark_code, method_words=method_words)
    made.globals.update(
        status_class=wording.STATUS_CLASS,
        status_mark=wording.STATUS_MARK,
        swatch=swatch,
        model_dot=model_dot,
        kind_of=lambda part: "" if isinstance(part, Markup) else type(part).__name__.lower(),
        quoted_characters=QUOTED,
        patterns=tuple(PATTERNS.values()),
    )
    return made
