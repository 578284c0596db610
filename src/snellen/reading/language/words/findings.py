"""Findings: one concept for its words in all languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_WORDS = read_lexicon("claims")

_WORDS = read_lexicon("claims")

_SIGNS = "'()/\"[]“”.,;:!?*#-–"
_SHORTEST = 3
_MOST = 100_000
_FOLDS = _WORDS.read_table("folds")
_STEM = 6

CONCEPTS = _WORDS.read_table("concepts")
COMPOUNDS = _WORDS.read_table("compounds")


def spelt_out(text: str) -> str:
    """Return the English words for the compounds and Chinese words of a lower-case text.

    >>> spelt_out("ein pleuraerguss rechts")
    'pleural effusion'
    """
    return " ".join(words for written, words in COMPOUNDS.items() if written in text)


FINDINGS = _WORDS.read_table("findings")
SIDES = _WORDS.read_table("sides")
NOT_A_SIDE = _WORDS.compile_text("not a side")
NONE_OF = _WORDS.read_text("none of")
PLACE_FOLLOWS = _WORDS.read_text("place follows")
UNSURE = _WORDS.compile_text("unsure")
ELEVATION = _WORDS.compile_text("elevation")
LEADS = _WORDS.compile_text("leads")
PLANES = _WORDS.read_table("planes")
WEIGHTED = _WORDS.compile_text("weighted")
SHAPES = _WORDS.read_table("shapes")
RHYTHMS = _WORDS.read_table("rhythms")
COUNTED = _WORDS.compile_text("counted")
NUMBERS = _WORDS.read_table("numbers")
ANYTHING = regex(
    "|".join([*FINDINGS.values(), *PLANES.values(), *SHAPES.values(), *RHYTHMS.values()])
    + r"|\bst\b|\bst-|elevat|sopraslivell|\bt[12]\b|nodul|electrode|elettrod|cyst|cisti|calcul|stone"
)
"""Words of which a claim must contain one for the rules here to apply."""


def fold_spelling(word: str) -> str:
    """Return a word in the spelling that Latin and Greek roots share across languages.

    >>> fold_spelling("hyperkeratotic")[:6] == fold_spelling("ipercheratosiche")[:6]
    True
    """
    bare = "".join(sign for sign in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(sign))
    for old, new in _FOLDS.items():
        bare = bare.replace(old, new)
    return re.sub(r"(.)\1", r"\1", bare)


_BY_WORD = {fold_spelling(word): name for name, words in CONCEPTS.items() for word in words.split()}
_BY_STEM = {word[:_STEM]: name for word, name in reversed(_BY_WORD.items())}
"""Concept of each stem; if several share it, such as pneumothorax and pneumonia, the first one."""


def concept(word: str) -> str:
    """Return the concept of a word; its stem if it has no concept.

    >>> concept("pneumonia"), concept("pneumothoraces"), concept("tibial")
    ('pneumonia', 'pneumothorax', 'tibial')
    """
    whole = fold_spelling(word)
    stem = whole[:_STEM]
    return _BY_WORD.get(whole) or _BY_STEM.get(stem, stem)


_EMPTY = frozenset(map(concept, _WORDS.read_words("empty words")))


class _Names(dict[str, str]):
    """Cache of the concept of each word, empty if it has none. Cleared when it grows too large."""

    def __missing__(self, word: str) -> str:
        name = concept(word) if len(word) >= _SHORTEST or word.isdigit() else ""
        if len(self) > _MOST:
            self.clear()
        self[word] = name = "" if name in _EMPTY else name
        return name


_NAMES = _Names()


def concepts(words: Iterable[str]) -> set[str]:
    """Return the concepts of lower-case words, which may contain hyphens but no other signs."""
    return {name for word in words for part in word.split("-") if (name := _NAMES[part])}


def content(text: str) -> set[str]:
    """Return the concepts in a lower-case text: of its numbers and of words with three or more letters."""
    for sign in _SIGNS:
        text = text.replace(sign, " ")
    names = set(map(_NAMES.__getitem__, text.split()))
    names.discard("")
    return names
