"""Roles of words in responses about an image, by language."""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("roles")
SPACED = ("en", "it", "es", "fr", "de")
"""Languages that separate words by spaces."""
LANGUAGES = (*SPACED, "zh")
SMALL = _WORDS.read_words("small", "en")
COMMON = {language: _WORDS.read_words("common", language) for language in SPACED}
ROLES = {language: _WORDS.read_table("roles", language) for language in LANGUAGES}
DETECTION = {language: _WORDS.read_table("detection", language) for language in LANGUAGES}
DETECTION_PHRASES = _WORDS.split_forms("detection phrases")
