"""Judges' opinions on open answers, used like a parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.reading.columns import Floats, Integers, Run
from snellen.reading.outcomes import OpenGrade
from snellen.reading.parsers import JUDGE, OTHER_JUDGES, PANEL

GRADES = tuple(OpenGrade)
UNCLEAR = {"half": 0.5, "wrong": 0.0, "left_out": nan}
"""Value of the grade "unclear". The paper that uses this grade does not define it."""
Said = Mapping[str, Sequence[OpenGrade | None]]
"""Opinions of each judge on one response; None for an opinion that could not be read."""


@dataclass(frozen=True)
class JudgedAnswers:
    """Number of opinions of each judge that call each response correct, incorrect or unclear."""

    judges: tuple[str, ...]
    counts: Integers
    """Array of responses × judges × grades, in the order of GRADES."""
    unread: Integers
    """Array of responses × judges: number of opinions that could not be read."""

    @classmethod
    def from_opinions(cls, judges: Sequence[str], said: Mapping[Run, Said], runs: Sequence[Run]) -> JudgedAnswers:
        """Collect the opinions of judges on the responses `runs`, in their order."""
        counts = np.zeros((len(runs), len(judges), len(GRADES)), dtype=np.int64)
        unread = np.zeros((len(runs), len(judges)), dtype=np.int64)
        for at, run in enumerate(runs):
            for place, judge in enumerate(judges):
                for grade in said.get(run, {}).get(judge, ()):
                    if grade is None:
                        unread[at, place] += 1
                    else:
                        counts[at, place, GRADES.index(grade)] += 1
        return cls(tuple(judges), counts, unread)

    def only(self, kept: NDArray[np.bool_]) -> JudgedAnswers:
        """Return the opinions on the selected responses."""
        return JudgedAnswers(self.judges, self.counts[kept], self.unread[kept])

    def scores(self, unclear: str = "half") -> Floats:
        """Return an array of responses × judges: the mean of a judge's opinions; NaN without one.

        >>> said = {(0, 0): {"j": [OpenGrade.CORRECT, OpenGrade.CORRECT, OpenGrade.UNCLEAR]}}
        >>> judged = JudgedAnswers.from_opinions(["j"], said, [(0, 0)])
        >>> [round(float(judged.scores(way)[0, 0]), 2) for way in UNCLEAR]
        [0.83, 0.67, 1.0]
        """
        worth = np.array([1.0, 0.0, UNCLEAR[unclear]])
        counted = ~np.isnan(worth)
        opinions = self.counts[..., counted].sum(axis=-1)
        sums = self.counts[..., counted] @ worth[counted]
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(opinions > 0, sums / np.maximum(opinions, 1), np.nan))

    def score(self, unclear: str = "half") -> Floats:
        """Return the mean over judges for each response; NaN without an opinion."""
        scores = self.scores(unclear)
        said = ~np.isnan(scores)
        sums = np.where(said, scores, 0.0).sum(axis=1)
        return np.asarray(np.where(said.any(axis=1), sums / np.maximum(said.sum(axis=1), 1), np.nan))

    def in_words(self, at: int) -> list[str]:
        """Describe the opinions on one response, judge by judge.

        >>> said = {(0, 0): {"j": [OpenGrade.CORRECT, OpenGrade.UNCLEAR, OpenGrade.CORRECT, None]}}
        >>> JudgedAnswers.from_opinions(["j"], said, [(0, 0)]).in_words(0)
        ['j: 2 correct, 1 unclear, 1 unread']
        """
        told = []
        for judge, counts, unread in zip(self.judges, self.counts[at].tolist(), self.unread[at].tolist(), strict=True):
            names = (*(grade.value for grade in GRADES), "unread")
            parts = [f"{count} {name}" for count, name in zip((*counts, unread), names, strict=True) if count]
            told += [f"{judge}: {', '.join(parts)}"] if parts else []
        return told

    @property
    def heard(self) -> NDArray[np.bool_]:
        """True for each response with at least one readable opinion."""
        return np.asarray(self.counts.sum(axis=(1, 2)) > 0)

    @property
    def unanimous(self) -> NDArray[np.bool_]:
        """True for each response on which all readable opinions agree."""
        return np.asarray((self.counts.sum(axis=1) > 0).sum(axis=1) == 1)

    def verdicts(self) -> Integers:
        """Return an array of responses × judges: the index of the most frequent grade; -1 for a tie or none."""
        most = self.counts.max(axis=-1, keepdims=True)
        alone = ((self.counts == most).sum(axis=-1) == 1) & (most[..., 0] > 0)
        return np.asarray(np.where(alone, self.counts.argmax(axis=-1), -1))


@dataclass(frozen=True)
class PeoplesLabels:
    """Raters' labels of responses: 1 correct, 0 not correct, NaN if not labelled."""

    correct: Floats

    @classmethod
    def from_labels(cls, labels: Mapping[Run, str], runs: Sequence[Run]) -> PeoplesLabels:
        """Collect the labels of the responses `runs`, in their order. Every label except "correct" is not correct."""
        given = [labels.get(run) for run in runs]
        return cls(np.array([nan if each is None else float(each == OpenGrade.CORRECT) for each in given]))

    def only(self, kept: NDArray[np.bool_]) -> PeoplesLabels:
        """Return the labels of the selected responses."""
        return PeoplesLabels(self.correct[kept])


class JudgePanel(NamedTuple):
    """Judges whose opinions a table uses, with their name in the column `parser`."""

    name: str
    judges: tuple[str, ...]


def readers(judges: Sequence[str], model: str, provider: Callable[[str], str]) -> list[JudgePanel]:
    """Return panels for a model's responses: all judges, those of other providers, and each judge.

    A judge may favour models of its own provider. The panel of other providers exists only if it differs from all
    judges.
    """
    each = [JudgePanel(f"{JUDGE}{name}", (name,)) for name in judges]
    if len(judges) < 2:
        return each
    others = tuple(name for name in judges if provider(name) != provider(model))
    apart = [JudgePanel(OTHER_JUDGES, others)] if others and len(others) < len(judges) else []
    return [JudgePanel(PANEL, tuple(judges)), *apart, *each]
