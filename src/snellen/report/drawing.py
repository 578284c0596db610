"""Drawing of parts and whole pages as HTML without external resources."""

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
"""Number of characters quoted of a response in a case."""


@dataclass(frozen=True)
class Page:
    """A page: headline, parts, links and images."""

    title: str
    """Title of the browser window."""
    headline: Words
    lede: Words = ""
    """Sentence below the headline."""
    meta: Words = ""
    """Models, benchmarks and number of questions, with the date."""
    alarm: Words = ""
    summary: Sequence[Part] = ()
    parts: Sequence[Part] = ()
    contents: Sequence[Link] = ()
    styles: Sequence[str] = STYLES
    scripts: Sequence[str] = SCRIPTS
    study: str = ""
    connects: bool = False
    """True if the page's script sends requests to its server."""
    images: Sequence[AlbumPicture] = ()
    """Images that the parts refer to by id."""
    archives: Mapping[str, Words] = field(default_factory=dict)
    """Compressed files inside the page, by id."""


def draw_page(page: Page) -> str:
    """Draw the whole page as HTML. Equal pages give equal text."""
    style, script = styles(page.styles), scripts(page.scripts)
    template = environment().get_template("shell.html.jinja")
    allowed = policy(style, script) + ("; connect-src 'self'" if page.connects else "")
    return template.render(page=page, style=style, script=script, policy=allowed)


def draw(parts: Sequence[Part], level: int = 2) -> Markup:
    """Draw parts as HTML. `level` is the heading level of their titles."""
    macros = environment().get_template("components.html.jinja").module
    return Markup("\n").join(macros.draw(each, level) for each in parts)  # type: ignore[attr-defined]


@cache
def environment() -> Environment:
    """Return the template environment; templates are compiled once."""
    made = templates()
    made.filters.update(shortened=wording.shorten_text, coded=mark_code, method_words=method_words)
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
