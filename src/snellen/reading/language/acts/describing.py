"""Patterns of sentences that decline, doubt, advise, generalise or describe the image."""

from __future__ import annotations

from snellen.lexicon import read_lexicon
from snellen.reading.language.image_roles import pattern

_LEXICON = read_lexicon("describing")

DECLINES = pattern(*_LEXICON.read_lines("declines"))
ADVISES = pattern(*_LEXICON.read_lines("advises"))
DOUBTS = pattern(*_LEXICON.read_lines("doubts"))
WAVERS = pattern(*_LEXICON.read_lines("wavers"))
SHOWS = pattern(*_LEXICON.read_lines("shows"))
POINTS = pattern(*_LEXICON.read_lines("points"))
FINDS = pattern(*_LEXICON.read_lines("finds"))
PLACED = pattern(*_LEXICON.read_lines("placed"))
_DEFINITIONS = _LEXICON.read_lines("definitions")
SOFT = pattern(*_LEXICON.read_lines("soft"), *_DEFINITIONS)
DEFINES = pattern(*_DEFINITIONS)
"""Definitions of a kind of thing."""
GENERAL = pattern(*_LEXICON.read_lines("general"))
GOES_ON = pattern(*_LEXICON.read_lines("goes on"))
PURPOSE = pattern(*_LEXICON.read_lines("purpose"))
TELLS = pattern(*_LEXICON.read_lines("tells"))
VERB = pattern(*_LEXICON.read_lines("verb"))
FILLER = pattern(*_LEXICON.read_lines("filler"))
