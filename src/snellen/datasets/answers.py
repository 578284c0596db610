"""Options, and the right one among them, in the many ways in which files write them down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from snellen.errors import DataError
from snellen.items import LETTERS, Option

_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_LABEL_KEYS = ("letter", "label", "key")
_TEXT_KEYS = ("text", "content", "value")


class Labelled(NamedTuple):
    """An option and the label under which the file knows it."""

    label: str
    option: Option


def parse_options(value: object) -> tuple[Labelled, ...]:
    """Options as a list of texts or records, as letter → text, or as one string: a JSON list or parts between `|`.

    >>> [option.text for _, option in parse_options("Left | Right")]
    ['Left', 'Right']
    """
    if isinstance(value, str):
        value = from_json(value, "options") if value.lstrip().startswith(("[", "{")) else _split(value)
    if isinstance(value, Mapping):
        return lettered({str(label): text for label, text in value.items()})
    if not isinstance(value, list | tuple):
        raise DataError(f"its options are {value!r}, expected a list")
    if len(value) > len(LETTERS):
        raise DataError(f"it has {len(value)} options, expected 2 to {len(LETTERS)}")
    return tuple(_labelled(entry, LETTERS[at]) for at, entry in enumerate(value))


def lettered(texts: Mapping[str, object]) -> tuple[Labelled, ...]:
    """Options by their letters, in the order of the letters, so that A stays A."""
    single = all(len(label) == 1 for label in texts)
    labels = sorted(texts) if single else list(texts)
    return tuple(Labelled(label, Option(as_text(texts[label], "an option"))) for label in labels)


def parse_answer(value: object, options: tuple[Labelled, ...]) -> int:
    """The position of the right option: its exact text first, then its letter, then its text in any case.

    A bare number is refused, since it may be counted from 0 or from 1; only 0 can mean one thing.

    >>> parse_answer("b", parse_options(["Left", "Right"]))
    1
    """
    text = as_text(value, "its answer").strip()
    for at, (_, option) in enumerate(options):
        if text in (option.text, option.text.strip()):
            return at
    found = _by_letter(text, options) | _by_text(text, options)
    if len(found) == 1:
        return found.pop()
    if text == "0":
        return 0
    raise DataError(_no_answer(text, options, ambiguous=bool(found)))


def parse_index(value: object, options: tuple[Labelled, ...]) -> int:
    """The position of the right option, given as a number counted from 0."""
    text = as_text(value, "its answer_index").strip()
    if not text.isdecimal() or int(text) >= len(options):
        raise DataError(f"its answer_index is {text!r}, expected 0 to {len(options) - 1}")
    return int(text)


def as_text(value: object, what: str) -> str:
    """Text, or a number as text; anything else is refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"{what} is {value!r}, expected text")


def from_json(text: str, what: str) -> object:
    """A value that a table's cell holds as JSON."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DataError(f"its {what} look like JSON and are not: {error}") from error


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|")]


def _labelled(entry: object, letter: str) -> Labelled:
    if not isinstance(entry, Mapping):
        return Labelled(letter, Option(as_text(entry, "an option")))
    text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
    label = next((entry[key] for key in _LABEL_KEYS if key in entry), letter)
    return Labelled(str(label), Option(as_text(text, "an option"), abstains=entry.get("abstains") is True))


def _by_letter(text: str, options: tuple[Labelled, ...]) -> set[int]:
    bare = _LETTER.fullmatch(text)
    wanted = (bare.group(1) if bare else text).casefold()
    return {at for at, (label, _) in enumerate(options) if label.casefold() == wanted}


def _by_text(text: str, options: tuple[Labelled, ...]) -> set[int]:
    return {at for at, (_, option) in enumerate(options) if option.text.strip().casefold() == text.casefold()}


def _no_answer(text: str, options: tuple[Labelled, ...], *, ambiguous: bool) -> str:
    offered = ", ".join(f"{label}: {option.text!r}" for label, option in options)
    if ambiguous:
        return f"its answer {text!r} fits more than one option ({offered})"
    hint = "; a number may be counted from 0 or from 1: name the column answer_index (from 0)" if text.isdigit() else ""
    return f"its answer {text!r} is none of its options; expected a letter or a text of {offered}{hint}"
