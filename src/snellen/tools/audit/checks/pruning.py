"""Pruning: the fewest items to remove so that a model that never saw an image is hardly better than chance.

The items that the guesser is surest of, and right about, are removed a few at a time. After each time it is trained
again on what is left, in other folds. What an old guesser got right by luck would look like a success: the rest would
be below chance by selection alone. So the accuracy of the rest is always that of a new guesser, nothing is removed
unless the accuracy was significantly above chance, and never more than its excess over chance + `DELTA`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.stats import Estimate, proportion
from snellen.stress.conclusions import interval, percent
from snellen.stress.image_dependence.guesser import ENOUGH_GROUPS, ENOUGH_ITEMS
from snellen.tools.audit.audited import Audited, groups_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Curve, Finding, Flagged, Number, Severity
from snellen.tools.audit.guesser import ENOUGH_TRAINING, Guessed, Judged, TooLittle, deal, guessed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Marks = NDArray[np.bool_]

NAME = "pruning"
DELTA = 0.02
"""How far above chance the accuracy of the guesser may be in the end."""
STARTS = 0.01
"""Items are removed only where the accuracy is above chance with such a p."""
MOST = 0.8
"""The share of the items that may go at the most."""
_FIX = "Score models on the items of kept-after-pruning.txt too, or mend the others and audit again."
_STEPS, _ROUNDS = 4, 12
"""In how many steps the first estimate of what must go is removed, and how many steps there are at the most."""
_TURN = 7919
"""Between the seeds of one round and the next, so that each has folds of its own."""


class Round(NamedTuple):
    """How many items are removed, and how many of the rest a guesser that was trained on the rest gets right."""

    removed: int
    accuracy: Estimate
    chance: float


class Pruned(NamedTuple):
    """The rounds, and the items that are left after the last, as marks; `reached`: whether that was enough."""

    rounds: tuple[Round, ...]
    kept: Marks
    reached: bool


def look(audited: Audited) -> Checked:
    """Remove as few items as will do, and tell which."""
    found = guessed(audited)
    if isinstance(found, TooLittle):
        return Checked(NAME, 0, cannot=(f"Nothing is pruned. {found.why}",), notes=found.notes)
    ids = [item.id for item in found.items]
    chance = float(found.chance.mean())
    if found.p > STARTS or found.hit.mean() <= chance + DELTA:
        note = (
            f"Nothing is pruned: the guesser answers {percent(found.accuracy.value)} right, and chance is "
            f"{percent(chance)} (p = {found.p:.2g}; items are removed from p = {STARTS} and {100 * DELTA:.0f} points "
            "above chance on)."
        )
        return Checked(NAME, len(ids), notes=(note,), lists={"kept-after-pruning": tuple(ids)})
    return _checked(found, prune(found, seed=audited.seed), ids)


def _checked(found: Guessed, pruned: Pruned, ids: Sequence[str]) -> Checked:
    first, last = pruned.rounds[0], pruned.rounds[-1]
    points = tuple((float(each.removed), each.accuracy) for each in pruned.rounds)
    curve = Curve("pruning", "items removed", "accuracy of the guesser on the rest", points, last.chance)
    if not pruned.reached:
        sentence = (
            f"Removing items does not bring the guesser down to chance: with {last.removed:,} of {len(ids):,} removed "
            f"it still answers {percent(last.accuracy.value)} right (chance {percent(last.chance)}). What "
            "gives the answers away is in nearly all items: mend it there, for instance by shuffling the options."
        )
        return Checked(NAME, len(ids), cannot=(sentence,), curves=(curve,))
    sentence = (
        f"With {last.removed:,} of {len(ids):,} items removed, a guesser that is trained on the rest answers "
        f"{percent(last.accuracy.value)} of it right ({interval(last.accuracy.low, last.accuracy.high, 0)}; chance "
        f"{percent(last.chance)}); before, in the same way, {percent(first.accuracy.value)} of all."
    )
    notes = (
        "Items are chosen by what this guesser gives away, never by how models score on them. The guesser that chose "
        "them is below chance on the rest, because it chose: only a newly trained one says anything.",
        "A habit of all items, such as a favoured position, is better mended in every item than pruned.",
    )
    kept = tuple(each for each, stays in zip(ids, pruned.kept, strict=True) if stays)
    gone = tuple(each for each, stays in zip(ids, pruned.kept, strict=True) if not stays)
    share = proportion((~pruned.kept).astype(np.float64), found.groups)
    numbers = (
        Number("pruned_share", "items that must go", share, 0.0),
        Number("guesser_accuracy_after_pruning", "the guesser on the rest", last.accuracy, last.chance),
    )
    lists = {"kept-after-pruning": kept, "removed-by-pruning": gone}
    flagged = tuple(Flagged(each, "It goes, so that the rest cannot be guessed.") for each in gone)
    finding = Finding(NAME, Severity.LOW, sentence, _FIX, flagged, found.p)
    return Checked(NAME, len(ids), (finding,), numbers, notes=notes, curves=(curve,), lists=lists)


def prune(found: Guessed, *, seed: int = 0) -> Pruned:
    """Remove items until a guesser that is trained on the rest is at most `DELTA` above chance."""
    kept = np.ones(len(found.items), dtype=bool)
    now = _Trained(seed, found.trust, found.probability, found.hit, found.chance, found.groups)
    if len(found.training) >= ENOUGH_TRAINING:
        now = _train(found, kept, seed)
    rounds, surely = [now.round(kept)], True
    step = ceil(now.excess / _STEPS)
    while now.excess > 0 or not surely:
        # One draw of folds may be lucky. The last word has a guesser whose trusts are learnt anew, in other folds.
        surely = now.excess <= 0
        if not surely:
            kept = now.without_the_surest(kept, min(step, ceil(now.excess)))
            if len(rounds) > _ROUNDS or not _enough(found.items, kept):
                return Pruned(tuple(rounds), kept, reached=False)
        now = _train(found, kept, now.seed + _TURN, None if surely else now.trust)
        rounds = [*(rounds[:-1] if surely else rounds), now.round(kept)]
    return Pruned(tuple(rounds), kept, reached=True)


class _Trained(NamedTuple):
    """A guesser that was trained on what is left: what it makes of each of these items."""

    seed: int
    trust: Floats
    probability: Floats
    hit: Floats
    chance: Floats
    groups: Ints

    @property
    def excess(self) -> float:
        """How many of the items that it gets right must go, so that its share of the rest is chance + `DELTA`."""
        most = float(self.chance.mean()) + DELTA
        return (float(self.hit.sum()) - most * self.hit.size) / (1 - most)

    def without_the_surest(self, kept: Marks, count: int) -> Marks:
        """What is left without those that it gets right and is surest of."""
        order = np.argsort(-(self.probability - self.chance) * (self.hit > 0.5), kind="stable")
        left = kept.copy()
        left[np.flatnonzero(kept)[order[:count]]] = False
        return left

    def round(self, kept: Marks) -> Round:
        return Round(int(np.sum(~kept)), proportion(self.hit, self.groups), float(self.chance.mean()))


def _train(found: Guessed, kept: Marks, seed: int, trust: Floats | None = None) -> _Trained:
    """Train on the items that are left, in folds; how far each reading is trusted is learnt too, unless given."""
    left = [item for item, stays in zip(found.items, kept, strict=True) if stays]
    dealt = deal(left, found.training, seed, enough=len(found.training) + 1)
    places = np.concatenate([np.flatnonzero(kept), len(kept) + np.arange(len(found.training))])
    judged = Judged(found.read.take(places[dealt.asked]), dealt, trust)
    probability, order = judged.given[judged.cues.right], dealt.order
    return _Trained(seed, judged.trust, probability[order], judged.hit[order], found.chance[kept], groups_of(left))


def _enough(items: Sequence[Item], kept: Marks) -> bool:
    left = [item for item, stays in zip(items, kept, strict=True) if stays]
    if len(left) < max(ENOUGH_ITEMS, (1 - MOST) * len(items)):
        return False
    return int(groups_of(left).max()) + 1 >= ENOUGH_GROUPS


CHECK = Check(NAME, "Which items must go so that the rest cannot be guessed?", look)
