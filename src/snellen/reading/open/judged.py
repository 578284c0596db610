"""JudgedAnswers: what judges say of open answers, opinion by opinion, and the parsers that their opinions amount to."""

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
"""What Unclear counts as. The paper that asks for it does not say."""
Said = Mapping[str, Sequence[OpenGrade | None]]
"""The opinions of each judge on one response; None for an answer that could not be read."""


@dataclass(frozen=True)
class JudgedAnswers:
    """How many opinions of each judge call each response correct, incorrect or unclear."""

    judges: tuple[str, ...]
    counts: Integers
    """Responses × judges × grades, in the order of GRADES."""
    unread: Integers
    """Responses × judges: answers of the judge that could not be read."""

    @classmethod
    def of(cls, judges: Sequence[str], said: Mapping[Run, Said], runs: Sequence[Run]) -> JudgedAnswers:
        """The opinions of some judges on some responses, in their order."""
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
        """Those of some of the responses."""
        return JudgedAnswers(self.judges, self.counts[kept], self.unread[kept])

    def scores(self, unclear: str = "half") -> Floats:
        """Responses × judges: the mean of a judge's opinions; NaN where it has none that counts.

        >>> said = {(0, 0): {"j": [OpenGrade.CORRECT, OpenGrade.CORRECT, OpenGrade.UNCLEAR]}}
        >>> judged = JudgedAnswers.of(["j"], said, [(0, 0)])
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
        """For each response the mean over the judges, each counting the same; NaN where no judge says anything."""
        scores = self.scores(unclear)
        said = ~np.isnan(scores)
        sums = np.where(said, scores, 0.0).sum(axis=1)
        return np.asarray(np.where(said.any(axis=1), sums / np.maximum(said.sum(axis=1), 1), np.nan))

    def in_words(self, at: int) -> list[str]:
        """The opinions on one response, judge by judge.

        >>> said = {(0, 0): {"j": [OpenGrade.CORRECT, OpenGrade.UNCLEAR, OpenGrade.CORRECT, None]}}
        >>> JudgedAnswers.of(["j"], said, [(0, 0)]).in_words(0)
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
        """Which responses have an opinion that could be read."""
        return np.asarray(self.counts.sum(axis=(1, 2)) > 0)

    @property
    def unanimous(self) -> NDArray[np.bool_]:
        """Which responses all opinions agree on."""
        return np.asarray((self.counts.sum(axis=1) > 0).sum(axis=1) == 1)

    def verdicts(self) -> Integers:
        """Responses × judges: the grade that most of a judge's opinions give, by its place; -1 where two are level."""
        most = self.counts.max(axis=-1, keepdims=True)
        alone = ((self.counts == most).sum(axis=-1) == 1) & (most[..., 0] > 0)
        return np.asarray(np.where(alone, self.counts.argmax(axis=-1), -1))


@dataclass(frozen=True)
class PeoplesLabels:
    """What people say of some of the responses: 1 where they call one correct, 0 where not, NaN where nobody said."""

    correct: Floats

    @classmethod
    def of(cls, labels: Mapping[Run, str], runs: Sequence[Run]) -> PeoplesLabels:
        """The labels of some responses, in their order; a name other than correct is not correct."""
        given = [labels.get(run) for run in runs]
        return cls(np.array([nan if each is None else float(each == OpenGrade.CORRECT) for each in given]))

    def only(self, kept: NDArray[np.bool_]) -> PeoplesLabels:
        """Those of some of the responses."""
        return PeoplesLabels(self.correct[kept])


class Reader(NamedTuple):
    """Whose opinions a table rests on: a name for the column `parser`, and the judges."""

    name: str
    judges: tuple[str, ...]


def readers(judges: Sequence[str], model: str, provider: Callable[[str], str]) -> list[Reader]:
    """Who can read a model's responses: all judges together first, those of other providers, then each alone.

    A judge may favour its own family, so that the panel without it is worth a look where there is one.
    """
    each = [Reader(f"{JUDGE}{name}", (name,)) for name in judges]
    if len(judges) < 2:
        return each
    others = tuple(name for name in judges if provider(name) != provider(model))
    apart = [Reader(OTHER_JUDGES, others)] if others and len(others) < len(judges) else []
    return [Reader(PANEL, tuple(judges)), *apart, *each]
