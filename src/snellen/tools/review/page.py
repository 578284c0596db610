"""Page: the pages that raters work on: a case, the end, and a refusal; and the style and script that they share.

Everything that was written elsewhere is escaped, and what a reader would not see in it is spelled out. The pages work
as plain forms; the script makes them quick, keeps what was not sent yet, and lets words of a response be marked.
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
from snellen.tools.review.ballots import Progress
from snellen.tools.review.case import RESPONSE, BlindCase, Passage
from snellen.tools.review.task import Field, Task, Value

NONE = "none of these"
"""What a form says where a field of marks is answered with no mark."""
FEW = 3
"""Answers that fit beside the button that saves."""
MOST_RUNS = 500
"""Places of a text in which characters are spelled out."""
_UNBROKEN = re.compile(r"\S{1000}")
UNSEEN = "\N{REPLACEMENT CHARACTER}"
ASSETS = {
    "review.css": ("text/css", "review.css"),
    "review.js": ("text/javascript", "viewer.js", "marks.js", "review.js"),
    "icon.svg": ("image/svg+xml", "icon.svg"),
}
"""What is served under a name: its media type, and our files, one after the other."""


DONE = "Nothing left to read"
"""The title of the page of somebody who has nothing left to read."""


def case_part(
    case: BlindCase,
    task: Task,
    progress: Progress,
    csrf: str,
    *,
    value: Value | None = None,
    can_undo: bool,
    earlier: str = "",
    later: str = "",
) -> str:
    """What stands in the page of a case, with what this rater has said of it; `earlier`, `later` are ids of theirs."""
    marked = _marked(case) if any(field.kind == "marks" for field in task.fields) else -1
    return _rendered(
        "case",
        case=case,
        task=task,
        form=_blank(task) if value is None else _form(task, value),
        again=value is not None,
        passages=[(each, _runs(each.text), _style(each, place == marked)) for place, each in enumerate(case.passages)],
        **_around(progress, csrf, can_undo, earlier, later),
    )


def done_part(progress: Progress, csrf: str, can_undo: bool, *, earlier: str = "") -> str:
    """What stands in the page of somebody who has nothing left to read."""
    return _rendered("done", **_around(progress, csrf, can_undo, earlier, ""))


def refused_page(sentence: str) -> str:
    """The page of somebody whose link does not count."""
    return whole("This page cannot be opened", _rendered("refused", sentence=sentence))


def answers(task: Task, form: Mapping[str, Sequence[str]]) -> dict[str, Any] | None:
    """The vote that a plain form holds, as `Task.checked` takes it; None where the case is skipped.

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
    given: dict[str, Any] = {}
    for field in task.fields:
        said = [each for each in form.get(field.name, ()) if each]
        if field.kind == "marks":
            if said:
                given[field.name] = [{"tag": tag} for tag in said if tag != NONE]
        elif form.get(field.name):
            given[field.name] = form[field.name][0]
    return given


@cache
def asset(name: str) -> bytes:
    """Our style sheet, after the colours that all our pages share, our script, or our sign; KeyError for others."""
    folder = files("snellen.tools.review").joinpath("pages")
    own = "\n".join(folder.joinpath(each).read_text(encoding="utf-8") for each in ASSETS[name][1:])
    return (f"{_colours(styles(['tokens']))}\n{own}" if name.endswith(".css") else own).encode()


def _colours(tokens: str) -> str:
    """Our colours by the system's light or dark, and as a rater chose."""
    light, dark = re.findall(r":root \{(.*?)\}", tokens, re.DOTALL)
    chosen = (
        f':root[data-theme="{name}"] {{{each}color-scheme: {name};}}'
        for name, each in (("light", light.replace("color-scheme: light dark;", "")), ("dark", dark))
    )
    return "\n".join([tokens, *chosen])


@cache
def _environment() -> Environment:
    made = templates()
    made.globals.update(own=_own_words, nothing=NONE)
    return made


def _rendered(name: str, **shown: Any) -> str:
    return _template(name).render(**shown)


@cache
def _template(name: str) -> Template:
    return _environment().get_template(f"snellen.tools.review:pages/{name}.html.jinja")


def whole(title: str, part: str) -> str:
    """The whole page around a part."""
    return _rendered("page", title=title, part=Markup(part))  # noqa: S704 - rendered by us


def _around(progress: Progress, csrf: str, can_undo: bool, earlier: str, later: str) -> dict[str, Any]:
    """What every part has: how far the rater is, where they can go, and the secrets of its forms."""
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


def _time(progress: Progress) -> str:
    """How long the cases that are left will take, in words; nothing where it is not known yet."""
    minutes = round(progress.left * progress.seconds / 60)
    if not progress.seconds or not progress.left:
        return ""
    if minutes < 2:
        return "about a minute left"
    return f"about {minutes} minutes left" if minutes < 90 else f"about {minutes / 60:.0f} hours left"


def _quick(task: Task) -> Field | None:
    """The one question that decides, where it has few answers: it stays in sight, beside the button that saves."""
    chosen = [field for field in task.fields if field.kind != "words"]
    return chosen[0] if len(chosen) == 1 and chosen[0].kind == "choice" and len(chosen[0].choices) <= FEW else None


class _Form(NamedTuple):
    """The questions of a task as they are shown, and apart from them the one that decides."""

    questions: Markup
    quick: Markup


def _form(task: Task, value: Value | None) -> _Form:
    """The questions of a task, with what was said to them."""
    quick = _quick(task)
    asked = _template("fields").module.asked  # type: ignore[attr-defined]

    def shown(field: Field) -> Markup:
        said = (value or {}).get(field.name)
        drawn: Markup = asked(field, said, _marks(field.name, value), field.asks == task.title)
        return drawn

    questions = [shown(field) for field in task.fields if field is not quick]
    return _Form(Markup("\n").join(questions), shown(quick) if quick else Markup())


@lru_cache(maxsize=32)
def _blank(task: Task) -> _Form:
    """The questions of a task that nothing was said to yet: the same for every case."""
    return _form(task, None)


def _marked(case: BlindCase) -> int:
    """The place of the passage whose words are marked."""
    return next((place for place, each in enumerate(case.passages) if each.title == RESPONSE), 0)


def _style(passage: Passage, marked: bool) -> str:
    """The classes of a passage; browsers take long to break a word that is longer than a page."""
    classes = {"text": True, "marked": marked, "unbroken": _UNBROKEN.search(passage.text)}
    return " ".join(name for name, is_so in classes.items() if is_so)


def _marks(name: str, value: Value | None) -> str:
    """The marks that were made before, as JSON of plain letters; "null" where there is no answer yet."""
    return "null" if value is None or name not in value else orjson.dumps(value[name]).decode()


def _own_words(words: Any) -> Markup:
    """What a rater wrote, to be written on: escaped, and otherwise as it is."""
    return escape(str(words or ""))


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    """The text as it is shown, cut where characters are spelled out: whether they are, and what is shown.

    Where they are, a line feed stands for two characters, a carriage return and a line feed. After many such places,
    the rest has one sign for every character that a reader would not see: a page would be slow, and no easier to read.

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
