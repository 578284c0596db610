"""The first and the last line of a reply, where an answer often stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from snellen.grading.fragments import EDGES, read_fragment, without_lead
from snellen.grading.labels import LABEL, id_line, opens_list
from snellen.grading.option_text import OptionWords
from snellen.grading.statements import MOST, Statement

_LETTER_AT_END = re.compile(r",\s{0,2}\(?[A-Z]\)?[^\S\n]{0,3}$", re.MULTILINE)
_LINE = 400


def first_line(text: str, words: OptionWords) -> Iterator[Statement]:
    """The answer in the first line, if that line is one; and lines further down that are an id and a letter."""
    start = len(text) - len(text.lstrip())
    line = text[start : start + _LINE].split("\n", 1)[0]
    end = start + len(line)
    alone = not text[end:].strip()
    identified = id_line(line, words)
    if identified is not None:
        yield Statement(start, end, identified.choice, _rule(identified.choice, identified.rule, "first-line"))
    elif not (line.lstrip(EDGES).startswith("A") and opens_list(text[start : end + _LINE])):
        fragment = read_fragment(line, words)
        if fragment is not None:
            name = _name(fragment.rule, alone=alone or len(line.strip(EDGES)) > 3)
            firm = fragment.rule != "option-text" or words.whole(line) is not None
            yield Statement(start, end, fragment.choice, _rule(fragment.choice, fragment.rule, name), firm=firm)
    for found in islice(_LETTER_AT_END.finditer(text, end), MOST):
        begin = text.rfind("\n", 0, found.start()) + 1
        identified = id_line(text[begin : found.end()], words)
        if identified is not None and identified.choice is not None:
            yield Statement(begin, found.end(), identified.choice, "id-line", final=True)


def last_line(text: str, words: OptionWords) -> Iterator[Statement]:
    """The answer in the last line, if that line is nothing else and does not end a list of options."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    line = body[start:]
    if start == 0 or len(line) > words.longest + 48 or not body[:start].strip():
        return
    stripped = line.strip(EDGES)
    fragment = read_fragment(line, words)
    if fragment is None or fragment.choice is None or _ends_list(body[:start]):
        return
    only = (
        len(without_lead(stripped)) <= 2
        or words.whole(stripped) is not None
        or words.whole(stripped[1:]) == fragment.choice
    )
    if only:
        yield Statement(start, len(body), fragment.choice, "last-line")


def _ends_list(before: str) -> bool:
    previous = before.rstrip().rsplit("\n", 1)[-1]
    return LABEL.match(previous) is not None


def _name(rule: str, *, alone: bool) -> str:
    if rule == "letter":
        return "bare-letter" if alone else "first-line"
    return rule


def _rule(choice: int | None, problem: str, rule: str) -> str:
    return problem if choice is None else rule
