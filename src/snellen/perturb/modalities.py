"""Modalities: the kinds of image that a text names, in six languages."""

from __future__ import annotations

from snellen.lexicon import read_lexicon
from snellen.perturb.words import simplify_text
from snellen.runtime import regex

_WORDS = read_lexicon("topics")

_CALLED = _WORDS.read_table("modalities")
MODALITIES = frozenset(_CALLED)
_CODES = _WORDS.read_table("dicom codes")
_EACH = {kind: regex(rf"(?<![a-z])(?:{called})(?![a-z])") for kind, called in _CALLED.items()}


def modalities_of(text: str) -> frozenset[str]:
    """Return the kinds of image that a text names.

    >>> sorted(modalities_of("Radiograph")), sorted(modalities_of("PET-CT")), sorted(modalities_of("scan"))
    (['x-ray'], ['ct', 'pet'], [])
    """
    plain = simplify_text(text)
    if plain.strip() in _CODES:
        return frozenset({_CODES[plain.strip()]})
    return frozenset(kind for kind, pattern in _EACH.items() if pattern.search(plain))
