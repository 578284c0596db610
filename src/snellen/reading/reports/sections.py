"""Sections of a report: findings and impression."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from snellen.reading.language.cleaning import WINDOW, clean_text, strip_thinking, with_line_ends
from snellen.reading.language.words.radiology import HEADINGS
from snellen.runtime import regex

_OPENS = {name: section for section, names in HEADINGS.items() for name in names.split("|")}
_NAMES = "|".join(sorted(map(re.escape, _OPENS), key=len, reverse=True))
_HEADING = regex(
    rf"(?:^|\n)[ \t\d.)(-]{{0,8}}({_NAMES})[ \t]{{0,4}}(?::|-(?=[ \t])|(?=\n|$))|(?<=[.!?])\s{{1,4}}({_NAMES}):",
    re.IGNORECASE,
)
_KEYS = _NAMES.replace(r"\ ", "[ _]")
_KEY = regex(rf"""(?:^|[{{,\[])\s{{0,40}}["']({_KEYS})["']\s{{0,4}}:\s{{0,4}}""", re.IGNORECASE)
"""A heading as a key in JSON."""
_CELL = regex(r"</?t[dh]\b[^<>]{0,200}>", re.IGNORECASE)


class Sections(NamedTuple):
    """The findings and impression of a report; "" for a missing one."""

    findings: str
    impression: str


@lru_cache(maxsize=16_384)
def sections_of(text: str) -> Sections:
    r"""Return the findings and the impression of a report, without headings, markup and other sections.

    Text without headings, and text before the first heading, counts as findings.

    >>> sections_of("INDICATION: Cough. FINDINGS: Lungs are clear.\n\nIMPRESSION: Normal chest.")
    Sections(findings='Lungs are clear.', impression='Normal chest.')
    """
    said: dict[str, list[str]] = {"findings": [], "impression": [], "": []}
    section, start = "findings", 0
    plain = _clean_all(text)
    for heading in _HEADING.finditer(plain):
        said[section].append(plain[start : heading.start()])
        section, start = _OPENS[(heading[1] or heading[2]).lower()], heading.end()
    said[section].append(plain[start:])
    findings, impression = ("\n".join(filter(None, map(str.strip, said[name]))) for name in ("findings", "impression"))
    return Sections(findings, impression)


def _clean_all(text: str) -> str:
    """Return the whole text without markup. `clean_text` alone reads only the ends of a long one."""
    said = with_line_ends(_CELL.sub(" ", strip_thinking(text)).replace("\r\n", "\n").replace("\r", "\n"))
    said = _KEY.sub(lambda key: f"\n{key[1].replace('_', ' ')}: ", said)
    return "".join(clean_text(said[start : start + WINDOW]) for start in range(0, len(said), WINDOW))
