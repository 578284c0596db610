"""Headings: which lists of a reply are lists of what was seen."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def opens_findings(words: Sequence[str], *, looked: bool) -> bool:
    """Whether a heading of these words announces what is seen; `looked` if a sentence before it said so.

    >>> opens_findings(["key", "findings"], looked=False), opens_findings(["clinical", "findings"], looked=True)
    (True, False)
    """
    roots = {word[:_ROOT] for word in words}
    if not _ELSE.isdisjoint(roots):
        return False
    if not _FOUND.isdisjoint(roots) or any(_IN_CHINESE.search(word) for word in words):
        return True
    examined = not _EXAMINED.isdisjoint(roots) or any(LEXICON.get(word, 0) & PICTURE for word in words)
    return (examined or looked) and not _LOOKING.isdisjoint(roots)


def opens_other(words: Sequence[str]) -> bool:
    """Whether a heading of these words announces something else than what is seen."""
    return not _ELSE.isdisjoint(word[:_ROOT] for word in words)
