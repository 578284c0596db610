"""Metrics that compare generated reports with their references, one value per pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.reading.reports.sections import sections_of

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """A generated report and the reference with which it is compared."""

    generated: str
    reference: str


class Corpus(NamedTuple):
    """A value of many pairs together, computed from summed counts.

    `counts` takes the pairs and their values, and returns one row per pair. `value` takes an array with the summed
    counts on its last axis, and returns one number for each entry of the other axes.
    """

    title: str
    counts: Callable[[Sequence[Pair], Floats], Floats]
    value: Callable[[Floats], Floats]


def _nothing_missing() -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric of report pairs: one value each, NaN if undefined."""

    name: str
    title: str
    about: str
    """What it compares and with which settings, in sentences."""
    source: str
    """Source of its definition and of its implementation."""
    score: Callable[[Sequence[Pair]], Floats]
    lower_is_better: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    """Lowest and highest possible value of a pair."""
    together: bool = False
    """True if all pairs are scored in one call: their values depend on each other, or each call is costly."""
    needs: str = ""
    """Required packages and weights, with the install line; empty if it needs none."""
    lacks: Callable[[], str] = _nothing_missing
    corpus: Corpus | None = None
    """The measure for all pairs together, if it is not the mean over pairs; otherwise None."""

    def missing(self) -> str:
        """Return what to install before it can run here; empty if it can run."""
        return self.lacks()


def _keep_pair(pair: Pair) -> Pair:
    return pair


def score_each(
    value: Callable[[Pair], float], of: Callable[[Pair], Pair] = _keep_pair
) -> Callable[[Sequence[Pair]], Floats]:
    """Return a function that scores pairs one by one. NaN if a side has no words. `of` selects the text to score."""

    def score(pairs: Sequence[Pair]) -> Floats:
        values = (value(pair) if has_words(pair) else np.nan for pair in map(of, pairs))
        return np.fromiter(values, dtype=np.float64, count=len(pairs))

    return score


def has_words(pair: Pair) -> bool:
    """Return whether both reports contain a letter or a digit.

    >>> has_words(Pair(" – .", "Clear.")), has_words(Pair("Clear.", "Clear."))
    (False, True)
    """
    return all(any(map(str.isalnum, text)) for text in pair)


def prose(pair: Pair) -> Pair:
    """Return findings and impression of both reports, without headings, markup and other sections.

    Headings would count as common words, so a model that omits them would score lower.

    >>> prose(Pair("Findings: Clear. Impression: Normal.", "FINDINGS: Clear."))
    Pair(generated='Clear. Normal.', reference='Clear.')
    """
    return Pair(*(" ".join(filter(None, sections_of(text))) for text in pair))
