"""Metric: one way of comparing generated reports with their references, one value a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.reading.reports.sections import sections_of

Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """A generated report and the reference that it is compared with."""

    generated: str
    reference: str


class Corpus(NamedTuple):
    """A value of many pairs at once, from counts that are added up.

    `counts` takes the pairs and the value of each, and gives a row a pair. The last axis of what `value` takes has the
    summed counts; it gives a number for each of the others.
    """

    title: str
    counts: Callable[[Sequence[Pair], Floats], Floats]
    value: Callable[[Floats], Floats]


def _nothing_missing() -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """How well generated reports agree with their references: one value a pair, NaN where it cannot be told."""

    name: str
    title: str
    about: str
    """What it compares and by which settings, in sentences."""
    source: str
    """Whose definition and whose implementation it is."""
    score: Callable[[Sequence[Pair]], Floats]
    lower_is_better: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)
    """The lowest and the highest value that a pair can have."""
    together: bool = False
    """Whether the value of a pair depends on the other pairs, or each call is costly: all are scored in one call."""
    needs: str = ""
    """The packages and weights that it needs, with the install line; empty where it needs nothing."""
    lacks: Callable[[], str] = _nothing_missing
    corpus: Corpus | None = None
    """The same measure of all pairs at once, where that is something else than the mean over pairs."""

    def missing(self) -> str:
        """What to install before it can run here; empty where it can run."""
        return self.lacks()


def _whole(pair: Pair) -> Pair:
    return pair


def each(value: Callable[[Pair], float], of: Callable[[Pair], Pair] = _whole) -> Callable[[Sequence[Pair]], Floats]:
    """The function that scores pairs one by one; `of` says which part of them. Where a side has no word, NaN."""

    def score(pairs: Sequence[Pair]) -> Floats:
        values = (value(pair) if has_words(pair) else np.nan for pair in map(of, pairs))
        return np.fromiter(values, dtype=np.float64, count=len(pairs))

    return score


def has_words(pair: Pair) -> bool:
    """Whether both reports hold a letter or a digit at all.

    >>> has_words(Pair(" – .", "Clear.")), has_words(Pair("Clear.", "Clear."))
    (False, True)
    """
    return all(any(map(str.isalnum, text)) for text in pair)


def prose(pair: Pair) -> Pair:
    """What both reports find and conclude, without headings, markup and other sections.

    Headings would be words in common, and a model that leaves them out would lose by that.

    >>> prose(Pair("Findings: Clear. Impression: Normal.", "FINDINGS: Clear."))
    Pair(generated='Clear. Normal.', reference='Clear.')
    """
    return Pair(*(" ".join(filter(None, sections_of(text))) for text in pair))
