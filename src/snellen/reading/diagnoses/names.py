"""Known conditions, and how to find their names among words.

The table is `table.json`: for each condition its synonyms, whether it is a pathology, and whether it is urgent.
*Pathology* is everything except a normal study, a normal variant, and harmless conditions that need neither treatment
nor follow-up: an ordinary mole, a seborrheic keratosis, early repolarization, an arachnoid cyst. A sign such as sinus
bradycardia or cardiomegaly is a pathology. *Urgent* means that a doctor must act within hours to days: infarction,
hemorrhage, pneumothorax, acute infection, dangerous rhythms. Following the paper that introduced this measure,
melanoma, carcinoma and other cancers are urgent too. Exceptions are cancers that can wait: basal cell carcinoma,
carcinoma in situ, low-grade and indolent forms. The paper marks urgent conditions in red but has no list, so we set
both flags ourselves, once and from the name alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import orjson

from snellen.reading.language.words.diagnoses import NOISE, words

_MOST_SKIPPED = 4


class DiagnosisName(NamedTuple):
    """A condition with its flags. A sign or a blank name gives way to a more specific one.

    `of` holds the wider conditions of which this is a kind, `both` two conditions that together make this one.
    """

    name: str
    pathology: bool
    urgent: bool
    sign: bool
    blank: bool
    of: frozenset[str]
    both: frozenset[str]


class Match(NamedTuple):
    """A condition found among words: the end of its name, and whether that name counts only alone."""

    condition: DiagnosisName
    end: int
    alone: bool


class _Node:
    """A node in the tree of names: the words that may follow, and the condition that ends here."""

    def __init__(self) -> None:
        self.following: dict[str, _Node] = {}
        self.named: DiagnosisName | None = None
        self.alone = False


class _Row(NamedTuple):
    """A condition and its names. Names in `alone` count only if the text contains nothing else."""

    condition: DiagnosisName
    names: tuple[str, ...]
    alone: tuple[str, ...]


@cache
def table() -> tuple[_Row, ...]:
    """Load all conditions with their names."""
    record = orjson.loads(files("snellen.reading.diagnoses").joinpath("table.json").read_bytes())
    return tuple(_row(**entry) for part, entries in record.items() if part != "about" for entry in entries)


def _row(
    name: str, flags: str = "", also: Sequence[str] = (), of: Sequence[str] = (), both: Sequence[str] = ()
) -> _Row:
    held = set(flags.split())
    condition = DiagnosisName(
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
def load_conditions() -> dict[str, DiagnosisName]:
    """Return all conditions by name."""
    return {row.condition.name: row.condition for row in table()}


@cache
def list_composed() -> tuple[DiagnosisName, ...]:
    """Return the conditions that are a combination of two others."""
    return tuple(found for found in load_conditions().values() if found.both)


def named_at(tokens: list[str], start: int) -> Match | None:
    """Return the longest name that begins at a place, or None. Words that do not change the disease are skipped.

    >>> named_at(["ischemic", "left", "mca", "stroke"], 0).condition.name
    'ischemic stroke'
    """
    node = _names().following.get(tokens[start])
    return None if node is None else _longest(node, tokens, start + 1, _MOST_SKIPPED)


def _longest(node: _Node, tokens: list[str], place: int, skips: int) -> Match | None:
    """Return the longest name that continues from a node. `place` is the position of the next word."""
    return _further(node, tokens, place, skips) or (Match(node.named, place, node.alone) if node.named else None)


def _further(node: _Node, tokens: list[str], place: int, skips: int) -> Match | None:
    if place == len(tokens) or not node.following:
        return None
    following = node.following.get(tokens[place])
    found = _longest(following, tokens, place + 1, skips) if following else None
    if found is None and skips and tokens[place] in NOISE:
        return _further(node, tokens, place + 1, skips - 1)
    return found
