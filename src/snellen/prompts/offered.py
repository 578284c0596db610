"""Options in a rendered prompt, for models that know nothing else about the question."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(r"^([A-Z])\. ", re.MULTILINE)
_CUE = re.compile(r"(?:choosing between|conclude your answer in)\s*(?:[-–—:]\s*)?(?=[\"“])", re.IGNORECASE)
_QUOTED = re.compile(
    r"[\"“](.{1,10000}?)[\"”]"  # the longest option that items may have
    r"(?:(?P<more>,\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?=[\"“])|(?=\.(?:\s|\Z)|\s*\Z|\n))",
    re.DOTALL,
)
"""Option in quotes, with the words up to the next one or the end of the sentence."""


class Offer(NamedTuple):
    """Options of a prompt in their order. `lettered`: the answer should be a letter."""

    choices: tuple[str, ...] = ()
    lettered: bool = False


def list_choices(text: str) -> tuple[str, ...]:
    r"""Return the options that a rendered prompt lists, in their order; empty if none.

    They are the quoted texts of a sentence such as `choosing between "tumour" and "normal"`, or a list with A, B, C.
    The last sentence or list counts, since a prompt puts the options after the question. An option of several lines is
    read completely, except the last of a list, which ends with its line.

    >>> list_choices('Is it healthy? As an educator, choosing between "glioma", "meningioma" and "normal". Be brief.')
    ('glioma', 'meningioma', 'normal')
    >>> list_choices("Is it healthy?\n\nA. Yes\nB. No\n\nChoose one option.")
    ('Yes', 'No')
    """
    return offer(text).choices


def offer(text: str) -> Offer:
    """Return the options that a rendered prompt lists, and whether they have letters."""
    listed, end = _find_lettered(text)
    for cue in reversed(list(_CUE.finditer(text, end))):
        quoted = _find_quoted(text, cue.end())
        if len(quoted) > 1:
            return Offer(quoted)
    return Offer(listed, lettered=True) if listed else Offer()


def _find_lettered(text: str) -> tuple[tuple[str, ...], int]:
    """Return the options of the last lettered list, and the position of its end."""
    marks = list(_MARK.finditer(text))
    for place in range(len(marks) - 1, -1, -1):
        if marks[place].group(1) == "A" and len(run := _run(marks[place:])) > 1:
            closes = text.find("\n", run[-1].end())
            end = len(text) if closes < 0 else closes
            ends = (*(mark.start() - 1 for mark in run[1:]), end)
            return tuple(text[mark.end() : stop] for mark, stop in zip(run, ends, strict=True)), end
    return (), 0


def _run(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the first letters that follow each other in the alphabet."""
    run = marks[:1]
    for mark in marks[1:]:
        if ord(mark.group(1)) == ord(run[-1].group(1)) + 1:
            run.append(mark)
    return run


def _find_quoted(text: str, start: int) -> tuple[str, ...]:
    """Return the options in quotes from a position on."""
    choices: list[str] = []
    found = _QUOTED.match(text, start)
    while found is not None:
        choices.append(found.group(1))
        found = _QUOTED.match(text, found.end()) if found.group("more") else None
    return tuple(choices)
