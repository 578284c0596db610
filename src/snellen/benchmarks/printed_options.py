"""Printed options: the list of its options that a question prints itself, found and taken out.

A prompt prints the options too, and as soon as they are shuffled two lists contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.errors import DataError
from snellen.items import LETTERS, Option

_MARK = re.compile(r"(?<!\S)[(\[（]?\**([A-Za-z])\**[)\].:：、．）][)*\]]*(?=\s?\S)")
"""What letters an option: `(A)`, `A)`, `A.`, `A:`, `[A]`, `**A**:`, `A、`."""
_FIRST = re.compile(r"[Aa]\**[)\].:：、．）]")
_FIRST_MARK = re.compile(rf"(?<!\S)[(\[（]?\**{_FIRST.pattern}")
"""Part of every mark of the first option, found fast; and the mark."""
_SIGN = re.compile(r"[)\].:：、．）]")
"""Part of every mark."""
LAYOUTS = (("", ". "), ("", ") "), ("(", ") "), ("", ": "))
"""What stands before and behind the letters of most lists that go line by line."""
_BULLET = re.compile(r"\n[ \t]*[-*•>][ \t]*\Z")
_BULLETS = ("-", "*", "•", ">")
_HEADING = re.compile(
    r"(?:\A|\n|(?<=[.?!]))\s*[*#]*(?:answer )?(?:choices|options|opzioni|opciones|optionen|选项)\**[:：]\**\s*\Z",
    re.IGNORECASE,
)
_LONGEST_HEADING = 40
_ENDS = frozenset((":", "：", *_BULLETS))
"""What a heading or a bullet ends with."""


class Printed(NamedTuple):
    """A list of all options: its start and end in the question, and the option that stands behind each letter."""

    start: int
    end: int
    order: tuple[int, ...]
    goes_on: bool


def without_printed_options(question: str, options: Sequence[Option]) -> str:
    r"""The question without the list of its options; DataError where that is another list than they are.

    >>> without_printed_options("Which side?\nAnswer Choices: (A) Left (B) Right", (Option("Left"), Option("Right")))
    'Which side?'
    """
    if not _may_print(question):
        return question
    found = _listed(question, tuple([option.text for option in options]))
    if found is None:
        return question
    if found.goes_on:
        raise DataError(f"its question prints more than its {len(options)} options; make the two lists the same")
    if found.order != tuple(range(len(options))):
        said = ", ".join(f"{LETTERS[at]}: {options[each].text!r}" for at, each in enumerate(found.order))
        raise DataError(
            f"its question prints its options in another order than it has them ({said}); take the list out of the "
            "question, or give options and answer in that order"
        )
    kept = "\n".join(filter(None, (question[: found.start].rstrip(), question[found.end :].strip())))
    if not kept:
        raise DataError("its question holds nothing but its options")
    return kept


def _may_print(question: str) -> bool:
    """Whether the first option's mark is in the question; one without it is not looked at any further."""
    return _FIRST.search(question) is not None and _FIRST_MARK.search(question) is not None


def printed(question: str, texts: Sequence[str]) -> Printed | None:
    """The last list in the question that letters every text once, in whatever order; None where there is none."""
    return _listed(question, tuple(texts)) if _may_print(question) else None


def _listed(question: str, texts: tuple[str, ...]) -> Printed | None:
    """The list in a question that has a mark of its first option."""
    places = _places(texts)
    if len(places) < max(2, len(texts)) or "" in places:
        return None
    if (plainly := _line_by_line(question, texts)) is not None:
        return plainly
    reach = _reach(places)
    marks = [(found[1].upper(), *found.span()) for found in _MARK.finditer(question)]
    for first in reversed(range(len(marks))):
        if marks[first][0] == "A" and (found := _list_from(first, marks, question, places, reach)) is not None:
            return found
    return None


@lru_cache(maxsize=4096)
def _places(texts: tuple[str, ...]) -> Mapping[str, int]:
    return {_plain(text): at for at, text in enumerate(texts)}


def _reach(places: Mapping[str, int]) -> int:
    """How far the end of an option may be from its mark."""
    return 2 * max(map(len, places)) + 8


def _line_by_line(question: str, texts: tuple[str, ...]) -> Printed | None:
    r"""The list where it is printed as most are, `A. left\nB. right`, and no mark beside its own could be part of one.

    None for every other question, which has to be looked at mark by mark.
    """
    for lines in _lines(texts):
        start = question.rfind(lines)
        if start >= 0:
            break
    else:
        return None
    end = start + len(lines)
    if (start and question[start - 1] != "\n") or question[end : end + 1] not in ("", "\n"):
        return None
    letter, mark = _further(len(texts))
    if letter.search(question, end) is not None and mark.search(question, end) is not None:
        return None
    return Printed(_start(question, start), end, tuple(range(len(texts))), goes_on=False)


@lru_cache(maxsize=4096)
def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts line by line in each layout; none where one of them could hold a mark itself, or is too long."""
    whole = "\n".join(texts)
    if (
        len(texts) >= len(LETTERS)
        or whole.count("\n") != len(texts) - 1
        or _SIGN.search(whole) is not None
        or any(text[0].isspace() for text in texts)
        or max(map(len, texts)) + 2 > _reach(_places(texts))
    ):
        return ()
    return tuple(
        "\n".join([f"{before}{letter}{behind}{text}" for letter, text in zip(LETTERS, texts, strict=False)])
        for before, behind in LAYOUTS
    )


@lru_cache(maxsize=len(LETTERS))
def _further(count: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What could letter the first option of another list, or one more of a list of so many: roughly, and exactly."""
    letter = rf"[Aa{LETTERS[count]}{LETTERS[count].lower()}]\**[)\].:：、．）]"
    return re.compile(letter), re.compile(rf"(?<!\S)[(\[（]?\**{letter}")


_Mark = tuple[str, int, int]
"""What letters an option: the letter, and where it starts and ends."""


def _list_from(
    first: int, marks: Sequence[_Mark], question: str, places: Mapping[str, int], reach: int
) -> Printed | None:
    """The list whose first mark is that one, if every option stands behind a letter of its own."""
    order: list[int] = []
    at, end = first, 0
    for place in range(len(places)):
        found = _entry(at, place, marks, question, places, reach)
        if found is None or found[0] in order:
            return None
        each, at, end = found
        order.append(each)
    start = _start(question, marks[first][1])
    return Printed(start, end, tuple(order), goes_on=at < len(marks) and end == marks[at][1])


def _start(question: str, first: int) -> int:
    """Where a list starts whose first mark starts there: with its bullet or its heading, if it has one."""
    before = question[max(0, first - _LONGEST_HEADING) : first]
    if before.rstrip()[-1:] not in _ENDS:
        return first
    before = _without_bullet(before)
    heading = _HEADING.search(before) if before.rstrip().rstrip("*").endswith((":", "：")) else None
    return first + (heading.start() if heading else len(before)) - min(first, _LONGEST_HEADING)


def _entry(
    at: int, place: int, marks: Sequence[_Mark], question: str, places: Mapping[str, int], reach: int
) -> tuple[int, int, int] | None:
    """What stands behind a mark: the option, the next letter's mark, and where the option ends; None for anything else.

    An option may itself hold what looks like a mark ("hepatitis B. virus"). The last one ends with its line.
    """
    start = marks[at][2]
    furthest = start + reach
    following = LETTERS[place + 1 : place + 2]
    for later in range(at + 1, len(marks)):
        letter, end, _ = marks[later]
        if end > furthest:
            break
        if letter == following and (found := places.get(_plain(_without_bullet(question[start:end])))) is not None:
            return found, later, end
    if place + 1 == len(places):
        for end in (question.find("\n", start + 1, furthest + 1), len(question)):
            if start < end <= furthest:
                found = places.get(_plain(_without_bullet(question[start:end])))
                if found is not None:
                    return found, len(marks), end
    return None


def _without_bullet(text: str) -> str:
    """The text without the bullet of a next line at its end."""
    return _BULLET.sub("", text) if "\n" in text and text.rstrip(" \t").endswith(_BULLETS) else text


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(" .;,").casefold()
