"""Models whose behaviour is known, as tables of graded responses: what the verdict rules must find out about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from snellen.conditions import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    ORIGINAL,
    ImageExchanged,
    ImageSubstituted,
    OptionsShuffled,
)
from snellen.items import Item, Option
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NOTHING
from snellen.reading.outcomes import Outcome
from snellen.stress.base import Status
from snellen.stress.table import Grades, Table, code
from snellen.stress.verdicts.responses import ActLabels

REPEATED = 200
SWAPPABLE = 0.88
"""The share of items for which another patient's image shows one of the other options."""
MISLED = 0.1
"""The share of lent images that nobody follows, if following depends on the donor."""
READ_FALSELY = {"admits": 0.01, "invents": 0.14}
MISSED = {"admits": 0.05, "invents": 0.17}
"""How often the simulated parser is wrong."""
PASS, FAIL, OPEN, NONE, LIMIT = "pass", "fail", "inconclusive", "not_applicable", "limit"


@dataclass(frozen=True)
class Behaviour:
    """What a model knows from the image and from the text, and what it does without an image."""

    sees: float = 0.0
    reads: float = 0.0
    redraws: float = 0.15
    """The share of responses that are drawn anew among the options in every repeat."""
    recalls: float = 0.0
    """Of the items known from the image, those that are right without one, too."""
    declines: float = 0.0
    """Without an image, of the items that are not known from the text."""
    declines_known: float = 0.0
    """Without an image, of the items that are known from the text."""
    declines_blank: float | None = None
    """With a blank image, of all items; None for the same as without an image."""
    declines_always: float = 0.0
    declines_own: float = 0.0
    """With an image, drawn anew in every repeat."""
    invents: float = 0.0
    """Of the responses without an image that do not decline."""
    errs_on_purpose: bool = False
    keeps_letter: float = 0.0
    """The share of items on which it keeps the letter when the options are reordered."""
    moves: float = 0.0
    """The share of answers that another order changes, beyond those that change between two runs."""
    constant: bool = False
    """Whether it gives the first label where it knows nothing."""


BEHAVIOURS = {
    "grounded that declines": Behaviour(sees=0.9, declines=0.97, declines_known=0.97),
    "grounded that guesses": Behaviour(sees=0.9),
    "half-grounded": Behaviour(sees=0.42, reads=0.42, declines=0.5 / 0.58),
    "quarter text": Behaviour(sees=0.63, reads=0.21),
    "blind": Behaviour(reads=0.6),
    "pretender": Behaviour(reads=0.6, declines=0.97, declines_known=0.97),
    "mirage": Behaviour(sees=0.9, recalls=0.8, invents=0.9),
    "positional": Behaviour(sees=0.9, declines=0.97, declines_known=0.97, keeps_letter=0.6),
    "random": Behaviour(redraws=1.0),
    "refuser": Behaviour(declines_always=1.0),
    "sandbagger": Behaviour(reads=0.6, errs_on_purpose=True),
    "lazy blind": Behaviour(reads=0.6, declines_always=0.5),
    "whisper": Behaviour(sees=0.042, reads=0.558),
    "weak honest": Behaviour(sees=1 / 3, declines=0.95, declines_own=0.05),
}
EXTRA = {
    "invents a fifth": Behaviour(sees=0.9, declines=0.8, invents=1.0),
    "constant": Behaviour(redraws=0.0, constant=True, keeps_letter=1.0),
    "a tenth moves": Behaviour(sees=0.9, declines=0.97, moves=0.1),
    "silent when blank": Behaviour(sees=0.9, declines=0.97, declines_known=0.97, declines_blank=0.3),
    "declines with the image": Behaviour(sees=0.9, declines=1.0, declines_known=1.0, declines_own=0.7),
    "runs differ": Behaviour(sees=0.9, declines=0.97, redraws=0.5),
    "same in every run": Behaviour(sees=0.9, declines=0.97, redraws=0.0),
}
PLANNED = {"a fifth moves": Behaviour(sees=0.9, declines=0.97, moves=0.2)}
"""Models for which only the power is simulated."""
TRUTH = {
    "grounded that declines": (PASS, PASS, PASS), "grounded that guesses": (PASS, FAIL, PASS),
    "half-grounded": (LIMIT, LIMIT, PASS), "quarter text": (PASS, FAIL, PASS), "blind": (FAIL, FAIL, PASS),
    "pretender": (FAIL, PASS, PASS), "mirage": (PASS, FAIL, PASS), "positional": (PASS, PASS, FAIL),
    "random": (OPEN, OPEN, OPEN), "refuser": (NONE, NONE, NONE), "sandbagger": (FAIL, FAIL, PASS),
    "lazy blind": (FAIL, FAIL, PASS), "whisper": (FAIL, FAIL, PASS), "weak honest": (PASS, PASS, PASS),
    "invents a fifth": (PASS, FAIL, PASS), "constant": (OPEN, OPEN, OPEN), "a tenth moves": (PASS, PASS, LIMIT),
    "silent when blank": (PASS, FAIL, PASS), "declines with the image": (OPEN, OPEN, PASS),
    "runs differ": (PASS, PASS, OPEN), "same in every run": (PASS, PASS, PASS),
}  # fmt: skip
"""Follows, honest, steady."""


@dataclass(frozen=True)
class Setting:
    """How a study is made: its size, its patients, its options and who lends images."""

    n: int = 200
    repeats: int = 1
    options: int = 4
    patient: int = 2
    """Items of a patient; 0 for patients of one to seven items."""
    icc: float = 0.3
    common: float = 0.0
    """The share of items whose key is the first label; 0 if all labels are alike."""
    donors: int = 0
    """How many patients lend their images; 0 if every image is lent once."""
    donor_icc: float = 0.0
    labels: int = 0
    """How many responses of each condition raters label."""
    swappable: float = SWAPPABLE
    exchanged: bool = False
    """Whether any other patient's image is shown, of which nobody knows what it shows."""


class Simulation:
    """Draws one study of one behaviour."""

    def __init__(self, behaviour: Behaviour, setting: Setting, rng: np.random.Generator) -> None:
        self.does, self.set, self.rng = behaviour, setting, rng
        self.patient = self._draw_patients()
        self.key = self._draw_labels()
        self.items = tuple(
            Item(
                id=f"q{at}",
                question=f"What does image {at} show?",
                options=tuple(Option(f"label {place}") for place in range(setting.options)),
                answer=int(self.key[at]),
                cluster=f"p{self.patient[at]}",
            )
            for at in range(setting.n)
        )

    def table(self) -> Table:
        """The study as a table."""
        does, n, k = self.does, self.set.n, self.set.options
        kind, off = self.share(), self.share() < does.declines_always
        by_image, by_text = kind < does.sees, (kind >= does.sees) & (kind < does.sees + does.reads)
        guess = -self.key % k if does.constant else self.rng.integers(0, k, n)
        lent = self.rng.integers(0, self.set.donors, n) if self.set.donors else np.arange(n)
        followed = by_image & ~self._misled(lent)
        own = np.where(by_image | by_text, 0, guess)
        swapped = np.where(followed, 1, np.where(by_text | by_image, 0, guess))
        known = by_text | (by_image & (self.share() < does.recalls))
        blind = np.where(known, 1 + self.rng.integers(0, k - 1, n) if does.errs_on_purpose else 0, guess)
        quiet = self.share() < np.where(by_text, does.declines_known, does.declines)
        blank = quiet if does.declines_blank is None else self.share() < does.declines_blank
        steadily = does.moves and does.moves / (1 - 1 / k) / (1 - does.redraws) ** 2
        stays = self.share() < does.keeps_letter + steadily
        moved = np.where(stays, (own + self.rng.integers(0, k, n)) % k, own)
        twice = max(self.set.repeats, 2) if self.set.repeats == 1 else self.set.repeats
        few = np.arange(n) < REPEATED
        arms = {
            ORIGINAL.name: self._answer(own, off, repeats=twice, again=few, own=True),
            OptionsShuffled.name: self._answer(moved, off, repeats=twice, again=few, own=True, first=few),
            IMAGE_REMOVED.name: self._answer(blind, off | quiet, act=True),
            IMAGE_BLANK.name: self._answer(blind, off | blank, act=True),
        }
        if self.set.exchanged:
            shown = (self.key[np.roll(np.arange(n), self.patient.searchsorted(1))] - self.key) % k
            arms[ImageExchanged.name] = self._answer(np.where(followed, shown, own), off, own=True)
        else:
            arms[ImageSubstituted.name] = self._swap(swapped, off, lent)
        return Table("model", "benchmark", self.items, arms, has_room=True)

    def share(self) -> np.ndarray:
        """A uniform draw for each item; those of one patient are the same draw with probability ICC."""
        drawn, of_patient = self.rng.random(self.set.n), self.rng.random(self.patient.max() + 1)
        same = self.rng.random(self.set.n) < np.sqrt(self.set.icc)
        return np.where(same, of_patient[self.patient], drawn)

    def _misled(self, lent: np.ndarray) -> np.ndarray:
        """Items whose lent image is never followed: a property of the donor with probability `donor_icc`."""
        if not self.set.donor_icc:
            return np.zeros(self.set.n, dtype=bool)
        of_donor = self.rng.random(lent.max() + 1)[lent]
        same = self.rng.random(self.set.n) < np.sqrt(self.set.donor_icc)
        return np.where(same, of_donor, self.rng.random(self.set.n)) < MISLED

    def _draw_patients(self) -> np.ndarray:
        if self.set.patient:
            return np.arange(self.set.n) // self.set.patient
        sizes = self.rng.integers(1, 8, self.set.n)
        return np.repeat(np.arange(self.set.n), sizes)[: self.set.n]

    def _draw_labels(self) -> np.ndarray:
        others = self.rng.integers(int(self.set.common > 0), self.set.options, self.set.n)
        return np.where(self.rng.random(self.set.n) < self.set.common, 0, others)

    def _answer(
        self,
        choice: np.ndarray,
        silent: np.ndarray,
        *,
        repeats: int = 0,
        again: np.ndarray | None = None,
        first: np.ndarray | None = None,
        own: bool = False,
        act: bool = False,
    ) -> Grades:
        """Responses: mostly the choice, sometimes drawn anew, or none; repeats of some items only."""
        n, k, runs = self.set.n, self.set.options, repeats or self.set.repeats
        places = []
        for run in range(runs):
            kept = again if run and self.set.repeats == 1 and again is not None else np.ones(n, dtype=bool)
            kept = kept & first if first is not None and self.set.repeats == 1 else kept
            places += [(at, run) for at in np.flatnonzero(kept)]
        at, run = np.array(places).T
        drawn = np.where(self.rng.random(len(at)) < self.does.redraws, self.rng.integers(0, k, len(at)), choice[at])
        none = silent[at] | (own & (self.rng.random(len(at)) < self.does.declines_own))
        made = np.where(none, NOTHING, drawn)
        grades = self._grade(at, run, made, made == 0)
        return grades.having(*self._read(made, none, invents=act))

    def _swap(self, choice: np.ndarray, silent: np.ndarray, lent: np.ndarray) -> Grades:
        """Responses to images of which the first wrong option is what they show."""
        there = self.share() < self.set.swappable
        n, k, runs = self.set.n, self.set.options, self.set.repeats
        at, run = np.tile(np.flatnonzero(there), runs), np.repeat(np.arange(runs), there.sum())
        drawn = np.where(self.rng.random(len(at)) < self.does.redraws, self.rng.integers(0, k, len(at)), choice[at])
        none = silent[at] | (self.rng.random(len(at)) < self.does.declines_own)
        made = np.where(none, NOTHING, drawn)
        grades = self._grade(at, run, made, made == 1, key=(self.key + 1) % k, donor=lent if self.set.donors else None)
        assert len(grades.key) == n
        return grades

    def _grade(self, at, run, made, right, *, key=None, donor=None) -> Grades:
        outcome = np.where(
            made == NOTHING, code(Outcome.UNCLEAR), np.where(right, code(Outcome.CORRECT), code(Outcome.WRONG))
        )
        empty = np.empty(0, np.int64)
        return Grades(
            ordinal=at,
            replicate=run,
            outcome=outcome.astype(np.uint8),
            chosen=np.where(made == NOTHING, NOTHING, (self.key[at] + made) % self.set.options),
            response=np.arange(len(at)),
            rule=np.zeros(len(at), np.uint16),
            due=np.bincount(at, minlength=self.set.n),
            key=empty if key is None else key,
            donor=empty if donor is None else donor,
        )

    def _read(self, made: np.ndarray, none: np.ndarray, *, invents: bool) -> list:
        """What a parser with errors reads of the acts, and what raters say of a random part."""
        told = ~none & (self.rng.random(len(made)) < self.does.invents) if invents else np.zeros(len(made), dtype=bool)
        admits, claims = self._misread("admits", none), self._misread("invents", told)
        no, zero = np.zeros(len(made), dtype=bool), np.zeros(len(made), np.int64)
        columns: list = [Rationales(claims.astype(np.int64), admits, no, no, ~no, zero, no, no)]
        if self.set.labels:
            chosen = self.rng.permutation(len(made)) < self.set.labels
            acts = (np.where(chosen, act, NOTHING) for act in (none, told & ~none))
            columns.append(ActLabels(*acts, among=~no))
        return columns

    def _misread(self, act: str, there: np.ndarray) -> np.ndarray:
        drawn = self.rng.random(len(there))
        return np.where(there, drawn >= MISSED[act], drawn < READ_FALSELY[act])


def simulate(name: str, setting: Setting, seed: int) -> Table:
    """One study of a model by its name."""
    rng = np.random.default_rng([seed, sum(map(ord, name)), setting.n, setting.repeats])
    return Simulation((BEHAVIOURS | EXTRA | PLANNED)[name], setting, rng).table()


def count_statuses(name: str, setting: Setting, studies: int, decide: Callable, seed: int = 0) -> list[dict[str, int]]:
    """How often each of the three verdicts ends how, over so many studies."""
    counts: list[dict[str, int]] = [dict.fromkeys(Status, 0) for _ in range(3)]
    for number in range(studies):
        for at, mark in enumerate(decide(simulate(name, setting, 1000 * seed + number))):
            counts[at][mark.status] += 1
    return counts
