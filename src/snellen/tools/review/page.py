"""The rater's web pages: a case, the end, and a refusal, with style and script.

All outside text is escaped, and invisible characters are spelled out. The pages work as plain forms. The
script makes them faster, keeps unsent input, and lets raters mark words of a response.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple

import orjson
from jinja2 import Environment, Template
from markupsafe import Markup, escape

from snellen.report.sheet import styles, templates
from snellen.runtime import visible
from snellen.tools.review.ballots import RaterProgress
from snellen.tools.review.case import RESPONSE, BlindCase, CasePassage
from snellen.tools.review.task import Field, ReviewTask, Value

NONE = "none of these"
"""Form value for "no pattern found" in a field of marks."""
FEW = 3
"""Maximum number of answers shown next to the save button."""
MOST_RUNS = 500
"""Maximum number of places in a text where invisible characters are spelled out."""
_UNBROKEN = re.compile(r"\S{1000}")
UNSEEN = "\N{REPLACEMENT CHARACTER}"
ASSETS = {
    "review.css": ("text/css", "review.css"),
    "review.js": ("text/javascript", "viewer.js", "marks.js", "review.js"),
    "icon.svg": ("image/svg+xml", "icon.svg"),
}
"""Served files by name: the media type, then the source files to join."""


DONE = "Nothing left to read"
"""Title of a rater's page at the end of the review."""


def case_part(
    case: BlindCase,
    task: ReviewTask,
    progress: RaterProgress,
    csrf: str,
    *,
    value: Value | None = None,
    can_undo: bool,
    earlier: str = "",
    later: str = "",
) -> str:
    """Render the page part of a case, with any earlier vote of the rater."""
    marked = -1
    if any(field.kind == "marks" for field in task.fields):
        marked = next((place for place, each in enumerate(case.passages) if each.title == RESPONSE), 0)
    return _render(
        "case",
        case=case,
        task=task,
        form=_blank(task) if value is None else _form(task, value),
        again=value is not None,
        passages=[(each, _runs(each.text), _style(each, place == marked)) for place, each in enumerate(case.passages)],
        **_frame_fields(progress, csrf, can_undo, earlier, later),
    )


def done_part(progress: RaterProgress, csrf: str, can_undo: bool, *, earlier: str = "") -> str:
    """Render the page part for a rater who has no case left."""
    return _render("done", **_frame_fields(progress, csrf, can_undo, earlier, ""))


def refused_page(sentence: str) -> str:
    """Render the page for a person without a valid link."""
    return render_page("This page cannot be opened", _render("refused", sentence=sentence))


def answers(task: ReviewTask, form: Mapping[str, Sequence[str]]) -> dict[str, Any] | None:
    """Read the vote in a plain form; None if the case is skipped.

    >>> from snellen.tools.review.tasks import TASKS
    >>> answers(TASKS["verdict"], {"verdict": ["correct"], "reason": [""]})
    {'verdict': 'correct', 'reason': ''}
    >>> answers(TASKS["rationale"], {"patterns": ["none of these"]})
    {'patterns': []}
    >>> answers(TASKS["verdict"], {"skip": ["1"]}) is None
    True
    """
    if form.get("skip"):
        return None
    vote: dict[str, Any] = {}
    for field in task.fields:
        values = form.get(field.name, ())
        if field.kind != "marks" and values:
            vote[field.name] = values[0]
        elif any(values):
            vote[field.name] = [{"tag": tag} for tag in values if tag not in ("", NONE)]
    return vote


@cache
def asset(name: str) -> bytes:
    """Load the style sheet, script or icon; raise KeyError for other names."""
    folder = files("snellen.tools.review").joinpath("pages")
    own = "\n".join(folder.joinpath(each).read_text(encoding="utf-8") for each in ASSETS[name][1:])
    return (f"{_colours(styles(['tokens']))}\n{own}" if name.endswith(".css") else own).encode()


def _colours(tokens: str) -> str:
    """Return the CSS colours for light and dark mode, by system or rater's choice."""
    light, dark = re.findall(r":root \{(.*?)\}", tokens, re.DOTALL)
    chosen = (
        f':root[data-theme="{name}"] {{{each}color-scheme: {name};}}'
        for name, each in (("light", light.replace("color-scheme: light dark;", "")), ("dark", dark))
    )
    return "\n".join([tokens, *chosen])


@cache
def _environment() -> Environment:
    environment = templates()
    environment.globals.update(own=_own_words, nothing=NONE)
    return environment


@cache
def _template(name: str) -> Template:
    return _environment().get_template(f"snellen.tools.review:pages/{name}.html.jinja")


def _render(name: str, **fields: Any) -> str:
    return _template(name).render(**fields)


def render_page(title: str, part: str) -> str:
    """Render the whole page around a part."""
    return _render("page", title=title, part=Markup(part))  # noqa: S704 - rendered by us


def _frame_fields(progress: RaterProgress, csrf: str, can_undo: bool, earlier: str, later: str) -> dict[str, Any]:
    return {
        "progress": progress,
        "time": _time(progress),
        "csrf": csrf,
        "can_undo": can_undo,
        "earlier": earlier,
        "later": later,
        "nonce": secrets.token_hex(16),
        "undo_nonce": secrets.token_hex(16),
    }


def _time(progress: RaterProgress) -> str:
    """Describe the time for the remaining cases; empty if unknown."""
    minutes = round(progress.left * progress.seconds / 60)
    if not progress.seconds or not progress.left:
        return ""
    if minutes < 2:
        return "about a minute left"
    return f"about {minutes} minutes left" if minutes < 90 else f"about {minutes / 60:.0f} hours left"


def _quick(task: ReviewTask) -> Field | None:
    """Return the task's only question if it has few answers; it stays visible while scrolling."""
    chosen = [field for field in task.fields if field.kind != "words"]
    return chosen[0] if len(chosen) == 1 and chosen[0].kind == "choice" and len(chosen[0].choices) <= FEW else None


class _Form(NamedTuple):
    """The questions of a task as HTML; the one that stays visible is separate."""

    questions: Markup
    quick: Markup


def _form(task: ReviewTask, value: Value | None) -> _Form:
    quick = _quick(task)
    asked = _template("fields").module.asked  # type: ignore[attr-defined]

    def render_field(field: Field) -> Markup:
        said = (value or {}).get(field.name)
        drawn: Markup = asked(field, said, _marks(field.name, value), field.asks == task.title)
        return drawn

    questions = [render_field(field) for field in task.fields if field is not quick]
    return _Form(Markup("\n").join(questions), render_field(quick) if quick else Markup())


@lru_cache(maxsize=32)
def _blank(task: ReviewTask) -> _Form:
    """Render the empty form of a task, which is the same for every case."""
    return _form(task, None)


def _style(passage: CasePassage, marked: bool) -> str:
    """Return the CSS classes of a passage; very long words need their own, for speed."""
    classes = {"text": True, "marked": marked, "unbroken": _UNBROKEN.search(passage.text)}
    return " ".join(name for name, applies in classes.items() if applies)


def _marks(name: str, value: Value | None) -> str:
    """Write earlier marks as JSON; "null" if there is no vote yet."""
    return "null" if value is None or name not in value else orjson.dumps(value[name]).decode()


def _own_words(words: Any) -> Markup:
    """Escape a rater's own text, otherwise unchanged, for an editable field."""
    return escape(str(words or ""))


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    """Split a text into normal parts and spelled-out invisible characters.

    In such a text, a spelled-out line break stands for CR LF. After `MOST_RUNS` places, each further invisible
    character becomes one replacement sign, which keeps the page fast.

    >>> list(_runs("a" + chr(0x202E) + chr(0x202E) + "b"))
    [(False, 'a'), (True, '⟨U+202E⟩⟨U+202E⟩'), (False, 'b')]
    """
    if visible(text) == text:
        yield False, text
        return
    odd = "".join(re.escape(each) for each in sorted(set(text)) if visible(each) != each)
    pattern = re.compile(f"(?:\r\n|[{odd}])+" if odd else "\r\n")
    done = 0
    for found in islice(pattern.finditer(text), MOST_RUNS):
        yield from ((False, text[done : found.start()]), (True, visible(found[0])))
        done = found.end()
    yield False, re.sub(f"[{odd}]", UNSEEN, text[done:]) if odd else text[done:]
