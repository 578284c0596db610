"""Wording: every word that the phantoms' questions use, in one language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Words = Mapping[str, str]


@dataclass(frozen=True)
class Wording:
    """One language's questions, options, vignettes and give-away sentences, keyed by modality code and attribute.

    The tuples are as long in every language, so that the same draws say the same. `space` stands between sentences.
    """

    modality: Words
    option: Words
    shown: Words
    side: Mapping[str, Words]
    question: Mapping[str, Words]
    size_rule: Words
    size_asked: Words
    patient: tuple[str, ...]
    sex: tuple[tuple[str, str], ...]
    complaint: Mapping[str, tuple[str, ...]]
    history: tuple[str, ...]
    given_away: Mapping[str, str]
    source: tuple[str, ...]
    space: str = " "
