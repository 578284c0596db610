"""The labels of options and items at the beginning of a line: "B) …", "IT0006, C"."""

from __future__ import annotations

import re

from snellen.grading.fragments import LATIN, Fragment
from snellen.grading.option_text import OptionWords
from snellen.items import LETTERS

_ID_LINE = re.compile(
    rf"\s{{0,4}}(?:(?:(?:question|domanda|pregunta|frage|item|case)\s?(?:id)?|id)\s?[:#]?\s{{0,2}})?"
    rf"[#\w./-]{{0,60}}\d[\w./-]{{0,40}}?\s{{0,2}}(?:[,;:|=-]|->|→|\)|\.(?=\s))\s{{0,3}}"
    rf"[(\[\"']?([A-Za-z])(?![{LATIN}])[)\]\"'.]{{0,3}}\s{{0,4}}$",
    re.IGNORECASE,
)
LABEL = re.compile(r"[\s>•-]{0,8}(?:[Oo]p\w{2,7}\s)?[(\[]?([A-Z])(?:[)\].:](?:\s|$)|\s\()")


def opens_list(text: str) -> bool:
    """Whether the first two lines carry the labels of two neighbouring options, as a repeated list of options does."""
    line, _, following = text.lstrip().partition("\n")
    label, after = LABEL.match(line), LABEL.match(following.lstrip())
    return bool(label and after and label.group(1) != after.group(1))


def id_line(line: str, words: OptionWords) -> Fragment | None:
    """A line that is an item's id or number and a letter: "IT0006, C"."""
    if len(line) > 140:
        return None
    found = _ID_LINE.match(line)
    if found is None:
        return None
    place = LETTERS.index(found.group(1).upper())
    return Fragment(place, "letter") if place < words.size else Fragment(None, "letter-not-offered")
