"""The conditions that we know by name, and where one of their names stands among words.

The table is `table.json`: for each condition its synonyms, whether it is a pathology, and whether it is urgent.
*Pathology* is everything but a normal study, a normal variant, and what is harmless as a rule and needs neither
treatment nor follow-up: an ordinary mole, a seborrheic keratosis, early repolarization, an arachnoid cyst. A sign such
as sinus bradycardia or cardiomegaly is a pathology.
*Urgent* means that somebody has to act within hours to days: infarction, hemorrhage, pneumothorax, acute infection,
dangerous rhythms. As in the paper that this measure is from, melanoma, carcinoma and other cancers are urgent too,
except those that can wait: basal cell carcinoma, carcinoma in situ, low-grade and indolent forms. The paper prints its
red marks but no list, so both flags are our own reading, made once and for the name alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import orjson

from snellen.reading.language.words.diagnoses import NOISE, words

_MOST_SKIPPED = 4


class Condition(NamedTuple):
    """A condition: a sign gives way to what it is said to suggest, a blank one to anything else that is named.

    `of` holds the names of wider conditions that this one makes more precise, `both` two that together make it.
    """

    name: str
    pathology: bool
    urgent: bool
    sign: bool
    blank: bool
    of: frozenset[str]
    both: frozenset[str]


class Match(NamedTuple):
    """A name found among words: where it ends, and whether it counts only where nothing else is said beside it."""

    condition: Condition
    end: int
    alone: bool


class _Node:
    """A step through the words of the names."""

    def __init__(self) -> None:
        self.following: dict[str, _Node] = {}
        self.named: Condition | None = None
        self.alone = False


class _Row(NamedTuple):
    """A condition and how it may be called; whatever is called `alone` counts only where nothing else is said."""

    condition: Condition
    names: tuple[str, ...]
    alone: tuple[str, ...]


@cache
def table() -> tuple[_Row, ...]:
    """All conditions with their names."""
    record = orjson.loads(files("snellen.reading.diagnoses").joinpath("table.json").read_bytes())
    return tuple(_row(**entry) for part, entries in record.items() if part != "about" for entry in entries)


def _row(
    name: str, flags: str = "", also: Sequence[str] = (), of: Sequence[str] = (), both: Sequence[str] = ()
) -> _Row:
    held = set(flags.split())
    condition = Condition(
        name,
        pathology=not held & {"normal", "benign"},
        urgent="urgent" in held,
        sign="sign" in held,
        blank="blank" in held,
        of=frozenset(of),
        both=frozenset(both),
    )
    alone = tuple(synonym[1:] for synonym in also if synonym.startswith("="))
    names = [synonym for synonym in also if not synonym.startswith("=")]
    return _Row(condition, tuple(names if name in alone else [name, *names]), alone)


@cache
def _names() -> _Node:
    root = _Node()
    for row in table():
        for synonym in (*row.alone, *row.names):
            node = root
            for word in words(synonym):
                node = node.following.setdefault(word, _Node())
            node.named, node.alone = row.condition, synonym not in row.names
    return root


@cache
def known() -> dict[str, Condition]:
    """All conditions by name."""
    return {row.condition.name: row.condition for row in table()}


@cache
def composed() -> tuple[Condition, ...]:
    """The conditions that two others make together."""
    return tuple(found for found in known().values() if found.both)


def named_at(tokens: list[str], start: int) -> Match | None:
    """The longest name that begins at a place; words that change no disease may stand within it.

    >>> named_at(["ischemic", "left", "mca", "stroke"], 0).condition.name
    'ischemic stroke'
    """
    node = _names().following.get(tokens[start])
    return None if node is None else _longest(node, tokens, start + 1, _MOST_SKIPPED)


def _longest(node: _Node, tokens: list[str], place: int, skips: int) -> Match | None:
    """The longest name through a step whose own word ends at a place."""
    return _further(node, tokens, place, skips) or (Match(node.named, place, node.alone) if node.named else None)


def _further(node: _Node, tokens: list[str], place: int, skips: int) -> Match | None:
    if place == len(tokens) or not node.following:
        return None
    following = node.following.get(tokens[place])
    found = _longest(following, tokens, place + 1, skips) if following else None
    if found is None and skips and tokens[place] in NOISE:
        return _further(node, tokens, place + 1, skips - 1)
    return found
