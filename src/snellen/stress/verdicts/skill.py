"""Skill (rule 4): is the model shown to beat guessing, and what does guessing score?"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from snellen.items import Item
from snellen.reading.columns import Floats
from snellen.stats import Estimate, LimitTest
from snellen.stress.folds import split_patients
from snellen.stress.verdicts.responses import Responses, View

CONSTANT_P = 0.01
"""One constant answer must beat 1/k by this p before it counts as guessing."""


class Skill(NamedTuple):
    """What a model scores above guessing."""

    chance: Floats
    """What guessing scores on each item."""
    constant: str
    """The constant answer that scores more than 1/k; "" if none does."""
    test: LimitTest
    accuracy: Estimate
    answered: float
    """The share of questions that are answered with the original image."""

    @property
    def p(self) -> float:
        """The p against "it does not beat guessing"."""
        return self.test.above

    @property
    def guessing(self) -> float:
        """What guessing scores over all items."""
        return float(np.nanmean(self.chance))

    def credit(self, responses: Responses, view: View) -> Floats:
        """Per item, right answers less chance, where no answer counts as a guess."""
        right, given = responses.average(view.ordinal, view.right), responses.average(view.ordinal, view.answered)
        return np.asarray(right + (1 - given) * self.chance - self.chance)


def measure_skill(responses: Responses) -> Skill | None:
    """The skill with the original image; None if nothing was asked with it."""
    own = responses.own
    if own is None or not len(own.ordinal):
        return None
    chance, constant = _find_chance(responses, own)
    right, given = responses.average(own.ordinal, own.right), responses.average(own.ordinal, own.answered)
    credited = right + (1 - given) * chance - chance
    return Skill(
        chance,
        constant,
        responses.compare_mean(credited),
        responses.compare_share(right, 0.5).estimate,
        float(np.nanmean(given)),
    )


def _find_chance(responses: Responses, own: View) -> tuple[Floats, str]:
    """1/k of each item, or what a constant answer scores on patients it was not chosen on, if shown to be more."""
    asked = np.unique(own.ordinal)
    chance = np.full(len(responses.table.items), np.nan)
    chance[asked] = [responses.table.items[at].chance for at in asked]
    items = [responses.table.items[at] for at in asked]
    half = split_patients(items)
    if len(set(half)) < 2:
        return chance, ""
    best = [_find_constant([item for item, side in zip(items, half, strict=True) if side == at]) for at in (0, 1)]
    hits = np.array([float(best[1 - side] in _name_answers(item)) for item, side in zip(items, half, strict=True)])
    values = np.full(len(chance), np.nan)
    values[asked] = hits
    level = float(chance[asked].mean())
    if not 0 < level < 1:
        level = min(max(level, 1 / (1 + len(asked))), 1 - 1 / (1 + len(asked)))
    if responses.compare_share(values, level).above >= CONSTANT_P:
        return chance, ""
    chance[asked] = hits.mean()
    return chance, best[0].partition(":")[2]


def _find_constant(items: list[Item]) -> str:
    """The constant answer that is right most often: a letter or a label; the first of equals."""
    counts = Counter(name for item in items for name in _name_answers(item))
    return min(counts, key=lambda name: (-counts[name], name), default="")


def _name_answers(item: Item) -> tuple[str, ...]:
    """What the right answer is called: its letter and its text, or the reference answer of an open item."""
    if not isinstance(item.answer, int):
        return (f"text:{_plain(str(item.answer))}",)
    return (f"letter:{chr(65 + item.answer)}", f"text:{_plain(item.options[item.answer].text)}")


def _plain(text: str) -> str:
    return " ".join(text.casefold().strip(" .").split())
