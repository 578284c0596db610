"""Pruning: remove few items until a guesser that sees no image is near chance on the rest.

In each round, the items that the guesser answers right and is surest of are removed. Then it is trained again on the
remaining items, in other folds. An old guesser would be below chance on the rest merely because its lucky guesses were
removed. So a new guesser always measures the accuracy of the rest. Nothing is removed unless the accuracy was
significantly above chance, and never more than its excess over chance + `DELTA`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from snellen.items import Item
from snellen.stats import Estimate, proportion
from snellen.stress.conclusions import interval, percent
from snellen.stress.image_dependence.guesser import ENOUGH_GROUPS, ENOUGH_ITEMS
from snellen.tools.audit.audited import Audited, Floats, Ints, Marks, groups_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Curve, Finding, Flagged, Number, Severity
from snellen.tools.audit.guesser import ENOUGH_TRAINING, Guessed, GuesserFolds, TooLittle, deal, guess_answers

NAME = "pruning"
DELTA = 0.02
"""How far above chance the guesser's accuracy may be at the end."""
STARTS = 0.01
"""Items are removed only if the p-value of the accuracy above chance is at most this."""
MOST = 0.8
"""Maximum share of the items that may be removed."""
_FIX = "Score models on the items of kept-after-pruning.txt too, or mend the others and audit again."
_STEPS, _ROUNDS = 4, 12
"""Number of rounds planned from the first estimate, and the maximum number of rounds."""
_TURN = 7919
"""Difference between the seeds of two rounds, so that each round has other folds."""


class Round(NamedTuple):
    """One round: the number of removed items, and the accuracy of a guesser trained on the rest."""

    removed: int
    accuracy: Estimate
    chance: float


class Pruned(NamedTuple):
    """Result of pruning: the rounds, the remaining items, and whether chance was reached."""

    rounds: tuple[Round, ...]
    kept: Marks
    reached: bool


def look(audited: Audited) -> Checked:
    """Prune the benchmark and list the kept and the removed items."""
    found = guess_answers(audited)
    if isinstance(found, TooLittle):
        return Checked(NAME, 0, cannot=(f"Nothing is pruned. {found.why}",), notes=found.notes)
    ids = [item.id for item in found.items]
    chance = float(found.chance.mean())
    if found.p > STARTS or found.hit.mean() <= chance + DELTA:
        note = (
            f"Nothing is pruned: the guesser answers {percent(found.accuracy.value)} right, and chance is "
            f"{percent(chance)} (p = {found.p:.2g}). Items are removed if p is at most {STARTS} and the guesser is "
            f"over {100 * DELTA:.0f} points above chance."
        )
        return Checked(NAME, len(ids), notes=(note,), lists={"kept-after-pruning": tuple(ids)})
    return _describe_result(found, prune(found, seed=audited.seed), ids)


def _describe_result(found: Guessed, pruned: Pruned, ids: Sequence[str]) -> Checked:
    first, last = pruned.rounds[0], pruned.rounds[-1]
    points = tuple((float(each.removed), each.accuracy) for each in pruned.rounds)
    curve = Curve("pruning", "items removed", "accuracy of the guesser on the rest", points, last.chance)
    if not pruned.reached:
        sentence = (
            f"Removing items does not bring the guesser down to chance: with {last.removed:,} of {len(ids):,} removed "
            f"it still answers {percent(last.accuracy.value)} right (chance {percent(last.chance)}). Nearly "
            "all items give the answer away: fix the cause, for instance by shuffling the options."
        )
        return Checked(NAME, len(ids), cannot=(sentence,), curves=(curve,))
    sentence = (
        f"With {last.removed:,} of {len(ids):,} items removed, a guesser that is trained on the rest answers "
        f"{percent(last.accuracy.value)} of it right ({interval(last.accuracy.low, last.accuracy.high, 0)}; chance "
        f"{percent(last.chance)}). Before, a guesser answers {percent(first.accuracy.value)} of all items right."
    )
    notes = (
        "Items are chosen by what this guesser gives away, never by how models score on them. The guesser that chose "
        "them falls below chance on the rest by selection, so the rest is tested with a newly trained guesser.",
        "Fix a habit of all items, such as a favoured position, in every item instead of pruning.",
    )
    kept, gone = (tuple(np.array(ids, dtype=object)[marked]) for marked in (pruned.kept, ~pruned.kept))
    share = proportion((~pruned.kept).astype(np.float64), found.groups)
    numbers = (
        Number("pruned_share", "items to remove", share, 0.0),
        Number("guesser_accuracy_after_pruning", "the guesser on the rest", last.accuracy, last.chance),
    )
    lists = {"kept-after-pruning": kept, "removed-by-pruning": gone}
    flagged = tuple(Flagged(each, "Remove it, so that the rest cannot be guessed.") for each in gone)
    finding = Finding(NAME, Severity.LOW, sentence, _FIX, flagged, found.p)
    return Checked(NAME, len(ids), (finding,), numbers, notes=notes, curves=(curve,), lists=lists)


def prune(found: Guessed, *, seed: int = 0) -> Pruned:
    """Remove items until a guesser trained on the rest is at most `DELTA` above chance."""
    kept = np.ones(len(found.items), dtype=bool)
    now = _Trained(seed, found.trust, found.probability, found.hit, found.chance, found.groups)
    if len(found.training) >= ENOUGH_TRAINING:
        now = _train(found, kept, seed)
    rounds, surely = [now.round(kept)], True
    step = ceil(now.excess / _STEPS)
    while now.excess > 0 or not surely:
        # One random division into folds may be lucky. So a guesser with newly learnt trusts confirms it in other folds.
        surely = now.excess <= 0
        if not surely:
            kept = now.without_the_surest(kept, min(step, ceil(now.excess)))
            if len(rounds) > _ROUNDS or not _enough(found.items, kept):
                return Pruned(tuple(rounds), kept, reached=False)
        now = _train(found, kept, now.seed + _TURN, None if surely else now.trust)
        rounds = [*(rounds[:-1] if surely else rounds), now.round(kept)]
    return Pruned(tuple(rounds), kept, reached=True)


class _Trained(NamedTuple):
    """Answers to the remaining items of a guesser that was trained on them in folds."""

    seed: int
    trust: Floats
    probability: Floats
    hit: Floats
    chance: Floats
    groups: Ints

    @property
    def excess(self) -> float:
        """Number of items answered right that must be removed to reach chance + `DELTA`."""
        most = float(self.chance.mean()) + DELTA
        return (float(self.hit.sum()) - most * self.hit.size) / (1 - most)

    def without_the_surest(self, kept: Marks, count: int) -> Marks:
        """Remove the `count` items that the guesser gets right and is surest of."""
        order = np.argsort(-(self.probability - self.chance) * (self.hit > 0.5), kind="stable")
        left = kept.copy()
        left[np.flatnonzero(kept)[order[:count]]] = False
        return left

    def round(self, kept: Marks) -> Round:
        return Round(int(np.sum(~kept)), proportion(self.hit, self.groups), float(self.chance.mean()))


def _train(found: Guessed, kept: Marks, seed: int, trust: Floats | None = None) -> _Trained:
    """Train a guesser on the remaining items in folds.

    `trust` is the weight of each of the guesser's two readings; without it, the weights are learnt.
    """
    left = [item for item, stays in zip(found.items, kept, strict=True) if stays]
    dealt = deal(left, found.training, seed, enough=len(found.training) + 1)
    places = np.concatenate([np.flatnonzero(kept), len(kept) + np.arange(len(found.training))])
    judged = GuesserFolds(found.read.take(places[dealt.asked]), dealt, trust)
    probability, order = judged.given[judged.cues.right], dealt.order
    return _Trained(seed, judged.trust, probability[order], judged.hit[order], found.chance[kept], groups_of(left))


def _enough(items: Sequence[Item], kept: Marks) -> bool:
    left = [item for item, stays in zip(items, kept, strict=True) if stays]
    enough = len(left) >= max(ENOUGH_ITEMS, (1 - MOST) * len(items))
    return enough and int(groups_of(left).max()) + 1 >= ENOUGH_GROUPS


CHECK = Check(NAME, "Which items must be removed so that the rest cannot be guessed?", look)
