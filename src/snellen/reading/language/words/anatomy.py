"""Anatomy, findings, qualities and modalities, identified by the beginnings of words.

A word may name several concepts: cardiomegaly is an enlarged heart. Without accents, most beginnings are the same in
all languages.
"""

from __future__ import annotations

from typing import NamedTuple

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("anatomy")


class NamedAnatomy(NamedTuple):
    """Findings and body parts that one word names."""

    things: tuple[str, ...] = ()
    """Findings, qualities and kinds of image."""
    parts: tuple[str, ...] = ()


def _read_named(forms: str) -> NamedAnatomy:
    """Parse "finding|finding>part|part"."""
    things, _, parts = forms.partition(">")
    return NamedAnatomy(*(tuple(filter(None, names.split("|"))) for names in (things, parts)))


PARTS = _WORDS.read_table("parts")
WITHIN = _WORDS.split_forms("within")
SICK = _WORDS.read_table("sick")
NEUTRAL = _WORDS.read_table("neutral")
BOTH = {beginning: _read_named(forms) for beginning, forms in _WORDS.read_table("both").items()}
TOGETHER = {tuple(words.split()): meant for words, meant in _WORDS.read_table("together").items()}
OPPOSITES = _WORDS.read_groups("opposites")
ALIKE = _WORDS.split_forms("alike")
FAMILIES = _WORDS.read_groups("families")
WHOLE = _WORDS.read_words("whole")
IMPLIED = _WORDS.read_table("implied")
OF_SIZE = _WORDS.read_words("of size")
ACUTE = _WORDS.read_words("acute")
HOME = _WORDS.split_forms("home")

_LONGEST = 16
_SHORTEST = 2


def _by_beginning() -> dict[str, NamedAnatomy]:
    found = dict(BOTH)
    for table in (SICK, NEUTRAL):
        for name, beginnings in table.items():
            found.update(dict.fromkeys(beginnings.split(), NamedAnatomy((name,))))
    for name, beginnings in PARTS.items():
        found.update(dict.fromkeys(beginnings.split(), NamedAnatomy((), (name,))))
    found["chest"] = found["thorax"] = NamedAnatomy((), ("chest",))
    for word in ("abdom", "addom"):
        found[word] = NamedAnatomy((), ("abdomen",))
    return found


_NAMES = _by_beginning()
_WHOLE = frozenset(name for name in _NAMES if len(name) <= 4 and name.isalnum())  # "pa" is not part of "patient"


def find_anatomy(word: str) -> NamedAnatomy | None:
    """Return what a word names, by its longest known beginning; None if unknown.

    The word must be in lower case without accents.

    >>> find_anatomy("cardiomegaly"), find_anatomy("ribs"), find_anatomy("patient")
    (NamedAnatomy(things=('enlarged',), parts=('heart',)), NamedAnatomy(things=(), parts=('rib',)), None)
    """
    for length in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        found = _NAMES.get(word[:length])
        if found is not None and (length == len(word) or word[:length] not in _WHOLE or word[length:] in ("s", "e")):
            return found
    return None
