"""Models mixed out of organisms: what each said is asked for once, then runs are put together in exact proportions."""

from itertools import product
from typing import NamedTuple

import numpy as np

from snellen.models.organisms import ORGANISMS
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NOTHING
from snellen.reading.outcomes import Outcome
from snellen.stress.table import Grades, Table, code
from snellen.study import Study, rescore

SEEN, BLIND, MOVED, SWAPPED = "original", "image-removed", "options-shuffled", "image-substituted"
WITH_IMAGE = (SEEN, MOVED, SWAPPED)
EVERYWHERE = (*WITH_IMAGE, BLIND)
WITHOUT = {SEEN: BLIND, MOVED: f"{BLIND}+{MOVED}", SWAPPED: BLIND}
"""What the same words are asked by when there is no image."""
REFUSED = code(Outcome.REFUSED)
STEPS = 4
"""Shares are so many parts of one."""


class Voice(NamedTuple):
    """What one organism said to every item under one arm; an outcome of −1 is no reply."""

    outcome: np.ndarray
    chosen: np.ndarray
    notices: np.ndarray


class Half(NamedTuple):
    """One part of a mixed model: who speaks with the image, and who without."""

    seeing: str
    blind: str


class Change(NamedTuple):
    """What becomes of a share of the replies: refused, or said as if there were no image; in which arms.

    `together`: one coin decides for all arms of a run; else each arm has its own.
    """

    how: str
    arms: tuple[str, ...]
    share: int
    together: bool = True


LEFT_OUT = ("nearsighted", "contrarian", "flagger", "normal-report")
SINGERS = sorted(
    name for name, organism in ORGANISMS.items() if not organism.text_only and not name.startswith(LEFT_OUT)
)
"""The organisms that take images, less those with poor eyes and those made for another task, to save time.

One of words alone is not asked about any image, and has nothing to say with one.
"""


class Chorus:
    """The replies of all organisms that take images to one benchmark."""

    def __init__(self, folder):
        names = [f"organism/{name}" for name in SINGERS]
        tests = ["grounded-reading", "option-order:image=removed"]
        study = Study(models=names, benchmarks=["phantoms:items=42"], tests=tests, out=folder, canary=False)
        study.ask(lambda progress: None)
        tables = rescore(folder).tables
        self.items = next(iter(tables.values())).items
        self.voices = {
            (model.removeprefix("organism/"), arm): self._voice(grades)
            for (model, _), table in tables.items()
            for arm, grades in table.arms.items()
        }

    def _voice(self, grades):
        outcome, chosen = np.full(len(self.items), -1), np.full(len(self.items), NOTHING)
        notices = np.zeros(len(self.items), dtype=bool)
        outcome[grades.ordinal], chosen[grades.ordinal] = grades.outcome, grades.chosen
        notices[grades.ordinal] = grades.rationales.notices
        return Voice(outcome, chosen, notices)

    def mixed(self, parts, change=None):
        """The table of a model that is each of the parts equally often, with some of its replies changed.

        Runs stand for every pair of coins, so that shares are exact: there is no drawing.
        """
        runs = list(product(parts, range(STEPS), range(STEPS)))
        return Table("mixed", "phantoms", self.items, {arm: self._arm(arm, runs, change) for arm in EVERYWHERE})

    def _arm(self, arm, runs, change):
        said = [self._said(arm, part, self._falls(arm, coins, change), change) for part, *coins in runs]
        there = [np.flatnonzero(voice.outcome >= 0) for voice in said]
        column = {
            name: np.concatenate([getattr(voice, name)[at] for voice, at in zip(said, there, strict=True)])
            for name in Voice._fields
        }
        count = len(column["outcome"])
        never, none = np.zeros(count, dtype=bool), np.zeros(count, dtype=np.int64)
        return Grades(
            ordinal=np.concatenate(there),
            replicate=np.repeat(np.arange(len(said)), [len(at) for at in there]),
            outcome=column["outcome"].astype(np.uint8),
            chosen=column["chosen"],
            response=np.arange(count),
            rule=np.zeros(count, dtype=np.uint16),
            columns={Rationales: Rationales(none, column["notices"], never, never, never, none, never, never)},
        )

    def _falls(self, arm, coins, change):
        """Whether the coin of this arm says that the reply is changed."""
        if change is None or arm not in change.arms:
            return False
        return coins[0 if change.together or arm == SEEN else 1] < change.share

    def _said(self, arm, part, changed, change):
        own = self.voices[part.blind if arm == BLIND else part.seeing, arm]
        if not changed:
            return own
        if change.how == "refuse":
            return Voice(
                np.where(own.outcome >= 0, REFUSED, -1), np.full(len(own.chosen), NOTHING), np.zeros_like(own.notices)
            )
        other = self.voices[part.blind, WITHOUT[arm]]
        return other._replace(outcome=np.where(own.outcome >= 0, other.outcome, -1))
