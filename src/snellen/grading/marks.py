r"""Answers in a marked place: <answer>B</answer>, [[B]], \boxed{B}."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple


class Mark(NamedTuple):
    """A marked place, what stands in it, and the rule that found it."""

    start: int
    end: int
    content: str
    rule: str


_TAG_OPEN = re.compile(r"<\s?(?:final[_ ]?)?(?:answer|ans)\s?>", re.IGNORECASE)
_TAG_CLOSE = re.compile(r"<\s?/\s?(?:final[_ ]?)?(?:answer|ans)\s?>", re.IGNORECASE)
_BRACKETS = re.compile(r"\[\[([^\[\]\n]{1,300})\]\]")
_BOX = re.compile(r"oxed\s?\{|<\|begin_of_box\|>")
_COMMAND = re.compile(r"\\(?:text|math|bold|bf|rm|it|large|Large|quad|mbox|hbox|operatorname)[a-z]{0,10}\s?\{?")
_BOX_END = "<|end_of_box|>"
_REACH = 400
_MOST = 50


def answer_tags(text: str) -> Iterator[Mark]:
    """What stands in answer tags; a tag that is never closed holds the rest of its line."""
    for opening in islice(_TAG_OPEN.finditer(text), _MOST):
        inside = text[opening.end() : opening.end() + _REACH]
        closing = _TAG_CLOSE.search(inside)
        content = inside[: closing.start()] if closing else inside.split("\n", 1)[0]
        if content.strip():
            yield Mark(opening.start(), opening.end() + len(content), content, "answer-tag")


def double_brackets(text: str) -> Iterator[Mark]:
    """What stands in double square brackets."""
    for found in islice(_BRACKETS.finditer(text), _MOST):
        yield Mark(found.start(), found.end(), found.group(1), "double-brackets")


def boxes(text: str) -> Iterator[Mark]:
    """What stands in a LaTeX box, its braces balanced; the backslash may have been lost."""
    for opening in islice(_BOX.finditer(text), _MOST):
        inside = text[opening.end() : opening.end() + _REACH]
        content = inside.split(_BOX_END, 1)[0] if opening.group().startswith("<") else _balanced(inside)
        content = _COMMAND.sub(" ", content)
        if content.strip():
            yield Mark(opening.start(), opening.end() + len(content), content, "boxed")


def _balanced(inside: str) -> str:
    depth = 1
    for place, sign in enumerate(inside):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return inside[:place]
    return inside.split("\n", 1)[0]


def marks(text: str) -> list[Mark]:
    """All marked places, in order."""
    found: list[Mark] = []
    if "<" in text:
        found.extend(answer_tags(text))
    if "[[" in text:
        found.extend(double_brackets(text))
    if "oxed" in text or "_of_box" in text:
        found.extend(boxes(text))
    return sorted(found)
