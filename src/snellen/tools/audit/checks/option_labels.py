"""Option labels: options that name a letter, such as "Figure C", but have another letter themselves."""

from __future__ import annotations

import re

from snellen.items import LETTERS, Item
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Flagged, Severity, list_finding, shorten_quote

NAME = "option-labels"
_LETTER = re.compile(
    r"(?:(?:[A-Z][a-z]+|[a-z]+\.?) ){0,2}[(\[]?([A-Z])[)\].]?|.*[(\[](?:[A-Z]?[a-z]+\.? )?([A-Z])[)\]]"
)
"""Matches a letter alone, a letter after a word such as "Figure", or a letter in brackets at the end."""


def look(audited: Audited) -> Checked:
    """List the items with options that name another letter than their own."""
    if not audited.choices:
        return Checked(NAME, 0, cannot=("No item is a multiple-choice question, so no option has a letter.",))
    flagged = tuple(
        Flagged(item.id, f"{len(other)} of its {len(item.options)} options name the letter of another option.", quote)
        for item in audited.choices
        if (other := _name_others(item)) and (quote := shorten_quote(", ".join(other)))
    )
    own = len(audited.choices)
    sentence = f"{len(flagged):,} of {own:,} items have options that name another letter than their own."
    fix = "Put each such option in the place of the letter that it names, or label what the image shows by numbers."
    return Checked(NAME, own, list_finding(NAME, Severity.HIGH, sentence, fix, flagged, sure=0.9))


def _name_others(item: Item) -> list[str]:
    """List the options that name another letter than their own, as "A: Figure C".

    Empty unless most options name a letter.

    >>> from snellen.items import Option
    >>> _name_others(Item("1", "Which figure?", tuple(map(Option, ("Figure B", "Figure A", "None"))), 0))
    ['A: Figure B', 'B: Figure A']
    """
    named = [_letter(option.text) for option in item.options]
    if sum(map(bool, named)) <= len(named) / 2 or len(named) > len(LETTERS):
        return []
    return [
        f"{own}: {option.text}"
        for own, letter, option in zip(LETTERS, named, item.options, strict=False)
        if letter and letter != own
    ]


def _letter(option: str) -> str:
    found = _LETTER.fullmatch(" ".join(option.split()))
    return found.group(found.lastindex or 0) if found else ""


CHECK = Check(NAME, "Do options name another letter than their own?", look)
