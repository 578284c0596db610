"""Form: how a prompt wants the response, in which mark the answer, and whether thinking is to come before it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Form(NamedTuple):
    """`style` is the answer's: "line", "letter", "bare" (no word but the choice), "brackets", "boxed" or a tag.

    `steps` says that thinking is asked for, `thinks_in` the tag it is to stand in, if any.
    """

    style: str = "line"
    steps: bool = False
    thinks_in: str = ""


_TAG = re.compile(r"<([A-Za-z_]\w*)>(?: tags\b|.{0,80}?</\1>)", re.DOTALL)
_THOUGHTS = frozenset(("think", "thinking", "thought", "thoughts", "reasoning", "rationale", "scratchpad", "analysis"))
_STEP_BY_STEP = re.compile(
    r"\b(?:step[- ]by[- ]step|chain[- ]of[- ]thought|passo (?:dopo|per|a) passo|paso a paso|étape par étape|pas à pas|"
    r"schritt für schritt)\b|\b(?:think|reason|explain|work)\w*\b[^.?!\n]{0,20}\bin steps\b|逐步|一步一?步|分步",
    re.IGNORECASE,
)
_NOT_WANTED = re.compile(
    r"(?:\b(?:no|not|never|without|non|senza|sin|sans|ohne|nicht)\b|n['’]t\b|[不勿]|无需)[^.,:;!?。，：；！？\n]*\Z",
    re.IGNORECASE,
)
_REACH = 40
_ONLY_THE_LETTER = re.compile(r"\b(?:only|just)\b[^.\n]{0,40}\bletter\b|\bletter\b[^.\n]{0,20}\bonly\b", re.IGNORECASE)
_NOTHING_ELSE = re.compile(r"\bno (?:extra|additional|further) (?:conversation|comments?|words|text)\b", re.IGNORECASE)
_ONLY_IN_OTHERS = re.compile(r"\b(?:solo|soltanto|solamente)\b[^.\n]{0,40}\blettera\b|[只仅][^。\n]{0,12}字母")


def form_asked(words: str) -> Form:
    """The form that a prompt's own words ask for.

    >>> form_asked("Think within <thinking></thinking>, then answer within <answer></answer>.")
    Form(style='<answer>', steps=True, thinks_in='<thinking>')
    """
    tags = _TAG.findall(words) if "</" in words or "> tags" in words else []
    thoughts = [tag for tag in tags if tag.lower() in _THOUGHTS]
    answers = [tag for tag in tags if tag.lower() not in _THOUGHTS]
    # Where thinking comes first, so may marks for other things; the answer stands in the last.
    tag = "" if not answers else answers[-1] if thoughts else answers[0]
    thinks_in = f"<{thoughts[0]}>" if thoughts else ""
    return Form(_style(words, tag), bool(thoughts) or _asked_to_think(words), thinks_in)


def form_in_words(words: str) -> Form:
    """The same where the choices are named in words: an answer by its letter cannot be asked for there.

    >>> form_in_words('Choose "cyst" or "normal". Provide no extra comments.').style
    'bare'
    """
    form = form_asked(words)
    if form.style not in ("line", "letter"):
        return form
    return form._replace(style="bare" if _NOTHING_ELSE.search(words) else "line")


def _style(words: str, tag: str) -> str:
    if "[[" in words:
        return "brackets"
    if "\\boxed" in words:
        return "boxed"
    if tag:
        return f"<{tag}>"
    spare = "lettera" not in words and words.isascii()
    only = _ONLY_THE_LETTER.search(words) or (None if spare else _ONLY_IN_OTHERS.search(words))
    return "letter" if only else "line"


def _asked_to_think(words: str) -> bool:
    """Whether some words ask for steps, and do not say that there should be none."""
    return any(
        _NOT_WANTED.search(words, max(0, found.start() - _REACH), found.start()) is None
        for found in _STEP_BY_STEP.finditer(words)
    )
