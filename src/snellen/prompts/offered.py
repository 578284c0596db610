"""What a rendered prompt offers: its choices, read back out of the words by models that see nothing else."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(r"^([A-Z])\. ", re.MULTILINE)
_CUE = re.compile(r"(?:choosing between|conclude your answer in)\s*(?:[-–—:]\s*)?(?=[\"“])", re.IGNORECASE)
_QUOTED = re.compile(
    r"[\"“](.{1,10000}?)[\"”]"  # no longer than an option may be
    r"(?:(?P<more>,\s+(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?=[\"“])|(?=\.(?:\s|\Z)|\s*\Z|\n))",
    re.DOTALL,
)
"""A choice in quotes, up to the word that leads to the next one or the end of the sentence."""


class Offer(NamedTuple):
    """The choices in their order, and whether they are to be named by their letters."""

    choices: tuple[str, ...] = ()
    lettered: bool = False


def offered(text: str) -> tuple[str, ...]:
    r"""The choices that a rendered prompt offers, in their order; none where it offers none.

    They are the quoted ones of a sentence such as `choosing between "tumour" and "normal"`, or the lines of a list that
    runs A, B, C. Of several, the last counts, since a prompt puts the choices after the question. An option of several
    lines is read whole, except the last of a list, which ends with its line.

    >>> offered('Is it healthy? As an educator, choosing between "glioma", "meningioma" and "normal". Be brief.')
    ('glioma', 'meningioma', 'normal')
    >>> offered("Is it healthy?\n\nA. Yes\nB. No\n\nChoose one option.")
    ('Yes', 'No')
    """
    return offer(text).choices


def offer(text: str) -> Offer:
    """The choices that a rendered prompt offers, and how they are to be named."""
    listed, end = _listed(text)
    for cue in reversed(list(_CUE.finditer(text, end))):
        quoted = _quoted(text, cue.end())
        if len(quoted) > 1:
            return Offer(quoted)
    return Offer(listed, lettered=True) if listed else Offer()


def _listed(text: str) -> tuple[tuple[str, ...], int]:
    """The options of the last lettered list, and where it ends."""
    marks = list(_MARK.finditer(text))
    for place in range(len(marks) - 1, -1, -1):
        if marks[place].group(1) == "A" and len(run := _run(marks[place:])) > 1:
            closes = text.find("\n", run[-1].end())
            end = len(text) if closes < 0 else closes
            ends = (*(mark.start() - 1 for mark in run[1:]), end)
            return tuple(text[mark.end() : stop] for mark, stop in zip(run, ends, strict=True)), end
    return (), 0


def _run(marks: list[re.Match[str]]) -> list[re.Match[str]]:
    """The marks that continue the alphabet from the first."""
    run = marks[:1]
    for mark in marks[1:]:
        if ord(mark.group(1)) == ord(run[-1].group(1)) + 1:
            run.append(mark)
    return run


def _quoted(text: str, start: int) -> tuple[str, ...]:
    """The choices in quotes from a place on."""
    choices: list[str] = []
    found = _QUOTED.match(text, start)
    while found is not None:
        choices.append(found.group(1))
        found = _QUOTED.match(text, found.end()) if found.group("more") else None
    return tuple(choices)
