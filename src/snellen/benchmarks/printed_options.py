"""Removal of the option list that a question repeats.

A prompt lists the options too, and once they are shuffled, two lists contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.errors import DataError
from snellen.items import LETTERS, Option

_MARK = re.compile(r"(?<!\S)[(\[（]?\**([A-Za-z])\**[)\].:：、．）][)*\]]*(?=\s?\S)")
"""Pattern of an option's letter: `(A)`, `A)`, `A.`, `A:`, `[A]`, `**A**:`, `A、`."""
_FIRST = re.compile(r"[Aa]\**[)\].:：、．）]")
_FIRST_MARK = re.compile(rf"(?<!\S)[(\[（]?\**{_FIRST.pattern}")
"""Fast pattern for a part of the first option's letter, and the exact pattern."""
_SIGN = re.compile(r"[)\].:：、．）]")
"""Pattern for a part of every option's letter."""
LAYOUTS = (("", ". "), ("", ") "), ("(", ") "), ("", ": "))
"""Characters before and after the letters of most lists with one line per option."""
_BULLET = re.compile(r"\n[ \t]*[-*•>][ \t]*\Z")
_BULLETS = ("-", "*", "•", ">")
_HEADING = re.compile(
    r"(?:\A|\n|(?<=[.?!]))\s*[*#]*(?:answer )?(?:choices|options|opzioni|opciones|optionen|选项)\**[:：]\**\s*\Z",
    re.IGNORECASE,
)
_LONGEST_HEADING = 40
_ENDS = frozenset((":", "：", *_BULLETS))
"""Last characters of a heading or a bullet."""


class PrintedOptions(NamedTuple):
    """Option list in a question: start, end, and the option of each letter."""

    start: int
    end: int
    order: tuple[int, ...]
    goes_on: bool


def without_printed_options(question: str, options: Sequence[Option]) -> str:
    r"""Return the question without its option list; DataError if the lists differ.

    >>> without_printed_options("Which side?\nAnswer Choices: (A) Left (B) Right", (Option("Left"), Option("Right")))
    'Which side?'
    """
    if not _may_print(question):
        return question
    found = _find_list(question, tuple([option.text for option in options]))
    if found is None:
        return question
    if found.goes_on:
        raise DataError(
            f"its question prints more options than the {len(options)} of its list; make the two lists the same"
        )
    if found.order != tuple(range(len(options))):
        said = ", ".join(f"{LETTERS[at]}: {options[each].text!r}" for at, each in enumerate(found.order))
        raise DataError(
            f"its question prints the options in another order than its list ({said}); remove the options from the "
            "question, or give options and answer in the printed order"
        )
    kept = "\n".join(filter(None, (question[: found.start].rstrip(), question[found.end :].strip())))
    if not kept:
        raise DataError("its question contains only its options")
    return kept


def _may_print(question: str) -> bool:
    """Check quickly if the question may contain the first option's letter."""
    return _FIRST.search(question) is not None and _FIRST_MARK.search(question) is not None


def find_printed(question: str, texts: Sequence[str]) -> PrintedOptions | None:
    """Return the question's last list that has each text once, in any order; else None."""
    return _find_list(question, tuple(texts)) if _may_print(question) else None


def _find_list(question: str, texts: tuple[str, ...]) -> PrintedOptions | None:
    """Find the option list in a question whose first option has a letter."""
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
    """Return the largest distance from an option's letter to its end."""
    return 2 * max(map(len, places)) + 8


def _line_by_line(question: str, texts: tuple[str, ...]) -> PrintedOptions | None:
    r"""Return a list in the usual form, `A. left\nB. right`, if no other list may follow.

    None for any other question, which is then searched letter by letter.
    """
    for lines in _format_lists(texts):
        start = question.rfind(lines)
        if start >= 0:
            break
    else:
        return None
    end = start + len(lines)
    if (start and question[start - 1] != "\n") or question[end : end + 1] not in ("", "\n"):
        return None
    letter, mark = _patterns_after(len(texts))
    if letter.search(question, end) is not None and mark.search(question, end) is not None:
        return None
    return PrintedOptions(_find_start(question, start), end, tuple(range(len(texts))), goes_on=False)


@lru_cache(maxsize=4096)
def _format_lists(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options as a list in each usual layout.

    Empty if a text may contain an option's letter, or is too long.
    """
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
def _patterns_after(count: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a fast and an exact pattern for the letter of the next option."""
    letter = rf"[Aa{LETTERS[count]}{LETTERS[count].lower()}]\**[)\].:：、．）]"
    return re.compile(letter), re.compile(rf"(?<!\S)[(\[（]?\**{letter}")


_Mark = tuple[str, int, int]
"""Letter of an option with its start and end."""


def _list_from(
    first: int, marks: Sequence[_Mark], question: str, places: Mapping[str, int], reach: int
) -> PrintedOptions | None:
    """Return the list that starts at this letter, if every option has a letter."""
    order: list[int] = []
    at, end = first, 0
    for place in range(len(places)):
        found = _read_entry(at, place, marks, question, places, reach)
        if found is None or found[0] in order:
            return None
        each, at, end = found
        order.append(each)
    start = _find_start(question, marks[first][1])
    return PrintedOptions(start, end, tuple(order), goes_on=at < len(marks) and end == marks[at][1])


def _find_start(question: str, first: int) -> int:
    """Return the start of a list, with its bullet or heading."""
    before = question[max(0, first - _LONGEST_HEADING) : first]
    if before.rstrip()[-1:] not in _ENDS:
        return first
    before = _without_bullet(before)
    heading = _HEADING.search(before) if before.rstrip().rstrip("*").endswith((":", "：")) else None
    return first + (heading.start() if heading else len(before)) - min(first, _LONGEST_HEADING)


def _read_entry(
    at: int, place: int, marks: Sequence[_Mark], question: str, places: Mapping[str, int], reach: int
) -> tuple[int, int, int] | None:
    """Return an option, the index of the next letter, and the option's end; or None.

    An option may contain what looks like a letter ("hepatitis B. virus"). The last option ends with its line.
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
    """Remove a bullet at the end of the text, which belongs to the next line."""
    return _BULLET.sub("", text) if "\n" in text and text.rstrip(" \t").endswith(_BULLETS) else text


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(" .;,").casefold()
