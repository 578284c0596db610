"""What a radiology report names: parts of the body, findings, qualities and kinds of image, by how their words begin.

A name may belong to several concepts: cardiomegaly is an enlarged heart. The languages share most beginnings, once a
word is without accents.
"""

from __future__ import annotations

from typing import NamedTuple

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("anatomy")


class Named(NamedTuple):
    """What one word names."""

    things: tuple[str, ...] = ()
    """Findings, qualities and kinds of image."""
    parts: tuple[str, ...] = ()


def _read_named(forms: str) -> Named:
    """What stands as "finding|finding>part|part"."""
    things, _, parts = forms.partition(">")
    return Named(*(tuple(filter(None, names.split("|"))) for names in (things, parts)))


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


def _by_beginning() -> dict[str, Named]:
    found = dict(BOTH)
    for table in (SICK, NEUTRAL):
        for name, beginnings in table.items():
            found.update(dict.fromkeys(beginnings.split(), Named((name,))))
    for name, beginnings in PARTS.items():
        found.update(dict.fromkeys(beginnings.split(), Named((), (name,))))
    found["chest"] = found["thorax"] = Named((), ("chest",))
    for word in ("abdom", "addom"):
        found[word] = Named((), ("abdomen",))
    return found


_NAMES = _by_beginning()
_WHOLE = frozenset(name for name in _NAMES if len(name) <= 4 and name.isalnum())  # "pa" does not begin "patient"


def named(word: str) -> Named | None:
    """What a word in lower case without accents names, by its longest beginning that is known.

    >>> named("cardiomegaly"), named("ribs"), named("patient")
    (Named(things=('enlarged',), parts=('heart',)), Named(things=(), parts=('rib',)), None)
    """
    for length in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        found = _NAMES.get(word[:length])
        if found is not None and (length == len(word) or word[:length] not in _WHOLE or word[length:] in ("s", "e")):
            return found
    return None
