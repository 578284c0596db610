"""The labels of options and items at the beginning of a line: "B) …", "IT0006, C"."""

from __future__ import annotations

import re

from snellen.grading.letters import LATIN, Fragment
from snellen.grading.option_text import OptionWords
from snellen.items import LETTERS

_ID_LINE = re.compile(
    rf"[\s\"'(\[]{{0,4}}(?:(?:(?:question|domanda|quesito|pregunta|frage|item|case|first line|prima riga)\s?(?:id)?|id)"
    rf"\s?[:#]?\s{{0,2}})?"
    rf"[#\w./-]{{0,60}}\d[\w./-]{{0,40}}?\s{{0,2}}(?:[,;:|=-]|->|→|\)|\.(?=\s))\s{{0,3}}"
    rf"[(\[\"']?(?:option )?([A-Za-z])(?![{LATIN}])[)\]\"'.]{{0,3}}"
    rf"(?:\s{{0,4}}|(?<=[).])\s[^\n]{{1,90}})$|"
    rf"(?-i:\s{{0,4}}[A-Z]{{1,6}}[-_]?\d{{2,6}}\s?[,:]\s?([A-Z])\s[-:(][^\n]{{1,90}})$|"
    rf"\s{{0,4}}[A-Z]{{1,6}}[-_]?\d{{2,6}}\s([A-Z])$",
    re.IGNORECASE,
)
_ID_ALONE = re.compile(r"\s*(?:id\s?[:#]?\s?)?[A-Za-z_/-]{1,20}[-_/]?\d{2,8}[\s:.,]*", re.IGNORECASE)
LABEL = re.compile(
    r"[\s>•-]{0,8}(?:(?:[Oo]p\w{2,7}|[Ss]tatement|[Cc]hoice|[Aa]ffermazione|"
    r"[Aa]ussage)\s)?[(\[]?([A-Z])(?:[)\].:](?:\s|$)|\s\()"
)


_VERDICT = r"(?:yes|no|true|false|correct|incorrect|vero|falso|richtig|falsch|[✓✔✅☑✗✘❌✖☒])"
_JUDGED = re.compile(
    rf"[\s>•|-]{{0,8}}[(\[]?A[)\].:]?\s{{0,2}}[-:=?|]?\s{{0,2}}{_VERDICT}[^\n]{{0,120}}?\n?[^\n]{{0,8}}?"
    rf"(?<![{LATIN}])B[)\].:]?\s{{0,2}}[-:=?|]?\s{{0,2}}{_VERDICT}",
    re.IGNORECASE,
)
_IN_ONE_LINE = re.compile(r"[\s>•-]{0,8}[(\[]?A[)\].:]\s[^\n]{1,200}?\s[(\[]?B[)\].:]\s[^\n]{1,200}?\s[(\[]?C[)\].:]\s")
_LATER_LABELS = re.compile(r"^[\s>•-]{0,8}[(\[]?([BC])[)\].:]\s", re.MULTILINE)


def opens_verdicts(text: str) -> bool:
    """Whether a text opens by judging option after option: "A: no, B: yes"."""
    return _JUDGED.match(text) is not None


def goes_through_options(text: str) -> bool:
    """Whether a text that begins with option A comes to B and C on later lines, as a list of options would."""
    label = LABEL.match(text)
    return label is not None and label.group(1) == "A" and {"B", "C"} <= set(_LATER_LABELS.findall(text, label.end()))


def opens_list(text: str) -> bool:
    """Whether the first two lines, or the first alone, carry options' labels, as a repeated list of options does."""
    line, _, following = text.lstrip().partition("\n")
    if _IN_ONE_LINE.match(line):
        return True
    label, after = LABEL.match(line), LABEL.match(following.lstrip())
    return bool(label and after and label.group(1) != after.group(1))


def is_id(line: str) -> bool:
    """Whether a line is an item's id and nothing else."""
    return len(line) < 60 and _ID_ALONE.fullmatch(line) is not None


def id_line(line: str, words: OptionWords) -> Fragment | None:
    """A line that is an item's id or number and a letter: "IT0006, C"."""
    if len(line) > 140:
        return None
    found = _ID_LINE.match(line)
    if found is None:
        return None
    place = LETTERS.index(next(filter(None, found.groups())).upper())
    return Fragment(place, "letter") if place < words.size else Fragment(None, "letter-not-offered")
