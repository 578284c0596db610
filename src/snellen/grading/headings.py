"""Headings: which lists of a reply are lists of what was seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from snellen.grading.seeing_words import LEXICON, PICTURE

_ROOT = 5


def _roots(words: str) -> frozenset[str]:
    return frozenset(word[:_ROOT] for word in words.split())


_FOUND = _roots(
    "osservate osservazioni observed observations visibili visible findings reperti hallazgos befunde constatations"
)
_LOOKING = _roots(
    "analisi analysis analyzing análisis analyse features characteristics caratteristiche interpretazione examining "
    "looking "
    "esaminando segni signs elementi aspetti values valori"
)
_EXAMINED = _roots(
    "radiologica radiografica radiographic fundoscopic endoscopica elettrocardiografica dermatoscopica dermoscopic "
    "istologica "
    "neuroradiologica rhythm ritmo spirometric spirometrici"
)
_ELSE = _roots(
    "clinica clínica klinisch opzioni options differenziale attesa expected typical tipiche classic esclusione "
    "exclusion why "
    "perché anamnesi identify consider cercare descritte described laboratorio ematoma hematoma terapia treatment "
    "scenario "
    "correlazione conclusione dove where esordio sintomi symptoms fattori factors gestione management storia history"
)
_IN_CHINESE = re.compile("所见|观察|影像表现|图像分析")


class Announced(Enum):
    """What a heading announces."""

    FINDINGS = "findings"
    OTHER = "other"
    UNCLEAR = "unclear"


def announced(words: Sequence[str], *, looked: bool) -> Announced:
    """What a heading of these words announces; `looked` if a sentence before it said what is seen.

    >>> announced(["key", "findings"], looked=False).value, announced(["clinical", "findings"], looked=True).value
    ('findings', 'other')
    """
    roots = {word[:_ROOT] for word in words}
    if not _ELSE.isdisjoint(roots):
        return Announced.OTHER
    return Announced.FINDINGS if _finds(words, roots, looked=looked) else Announced.UNCLEAR


def _finds(words: Sequence[str], roots: set[str], *, looked: bool) -> bool:
    """Whether these words, by their roots, announce what is seen."""
    if not _FOUND.isdisjoint(roots) or _IN_CHINESE.search(" ".join(words)):
        return True
    examined = not _EXAMINED.isdisjoint(roots) or any(LEXICON.get(word, 0) & PICTURE for word in words)
    return (examined or looked) and not _LOOKING.isdisjoint(roots)
