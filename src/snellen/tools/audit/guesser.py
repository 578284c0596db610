"""The light super-guesser: a reader of the text that never sees an image.

It is a conditional logit over named cues of the text, trained on items of other patients and images. It makes two
readings: a *cautious* one of the context and the look of the options, and a *bold* one that includes their words. The
weights of the two are estimated on items that neither was trained on. No step uses the key that is guessed. On real
benchmarks it beats logistic regression on TF-IDF and ensembles of trees (`research/audit_guesser`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from snellen.items import LETTERS, Item
from snellen.stats import Estimate, above_chance_p, positive_mean_p, proportion
from snellen.stats.one_sided import CROSS_VALIDATED
from snellen.stress.image_dependence.conditional_logit import hits, learn_weights, shares
from snellen.stress.image_dependence.cues import CueKind, NamedCues, named_cues
from snellen.stress.image_dependence.guesser import ENOUGH_GROUPS, ENOUGH_ITEMS
from snellen.tools.audit.audited import Audited, Floats, Ints, Marks, groups_of

FOLDS = 5
ENOUGH_TRAINING = 200
"""From this many training items of other patients and images, the guesser learns from those alone."""
FEWEST_JUDGED = 10
"""Minimum number of items to guess."""

_OPENNESS: Mapping[CueKind, tuple[float, float]] = {
    CueKind.CONTEXT: (2.0, 2.0),
    CueKind.WORD: (0.0, 2.0),
    CueKind.PAIR: (0.0, 2.0),
}
"""Spread of the prior on a cue's log-odds, in the cautious and in the bold reading."""
_OTHERWISE = (0.3, 1.0)
_NAMED_WORDS = 3
_SHOWN = 0.05
"""Maximum p of a kind of cue for a second training without it."""


class GuesserCue(NamedTuple):
    """A kind of cue, with the guesser's answers by it alone and without it."""

    kind: CueKind
    name: str
    """Name of the strongest cue of this kind, such as "option C" or "the word 'all'"."""
    names: tuple[str, ...]
    """Names of the strongest cue and, for words, of the next ones."""
    sets_apart: int
    """Number of items in which the named cue distinguishes options."""
    right: float
    """Number of those items in which the option with most of the cue is right."""
    expected: float
    """The same number by chance."""
    points: Marks
    """Items in which one of the named cues points to the right option."""
    alone: Floats
    """By item, whether a guesser that knows only this kind is right."""
    gain: Floats
    """By item, probability of the right option minus chance. Word pairs: minus that from single words."""
    p: float
    """p-value of the gain: how likely a kind of cue without information gains as much."""
    without: Floats | None
    """By item, whether a guesser trained without this kind is right; None if p is above 5%."""
    worth: float
    """Mean of two numbers: the gain of this kind alone, and the loss without it (0 if p is above 5%)."""


class TooLittle(NamedTuple):
    """Reason why a guesser cannot learn or be tested, in a sentence."""

    why: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Guessed:
    """The guesser's answers, by item, and how it came to them."""

    items: tuple[Item, ...]
    groups: Ints
    probability: Floats
    """Probability of the right option, s(x)."""
    hit: Floats
    """Whether the right option is the most probable: 1 or 0, or a share in a tie."""
    baselines: Mapping[str, Floats]
    """Whether simple rules are right, by item."""
    cues: tuple[GuesserCue, ...]
    """Kinds of cue, the strongest first."""
    read: NamedCues
    """All cues, of these items and then of the training items."""
    training: tuple[Item, ...]
    """The training items that it learnt from."""
    trust: Floats
    """Weights of the cautious and the bold reading, averaged over folds."""
    learnt_from: str
    inflation: float
    """Variance of a mean over items, divided by that of independent items, if there is nothing to learn."""
    notes: tuple[str, ...]
    cannot: tuple[str, ...]

    @cached_property
    def chance(self) -> Floats:
        """The probability that a random guess is right, by item."""
        return np.array([item.chance for item in self.items])

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of items that it gets right."""
        return proportion(self.hit, self.groups)

    @cached_property
    def p(self) -> float:
        """p-value of the accuracy: how likely random guesses are right as often."""
        return above_chance_p(self.hit, self.chance, self.groups, inflation=self.inflation)


def guess_answers(audited: Audited) -> Guessed | TooLittle:
    """Guess the answers of a benchmark's questions with options, without images."""
    return _guess_choices(audited.choices, audited.training_choices, audited.seed)


@lru_cache(maxsize=2)
def _guess_choices(choices: tuple[Item, ...], training: tuple[Item, ...], seed: int) -> Guessed | TooLittle:
    kept = _independent(choices, training)
    notes: tuple[str, ...] = ()
    if shared := len(training) - len(kept):
        notes = (
            f"{shared:,} of {len(training):,} training items with options were left out, since they share a patient or "
            "an image with the items that are guessed.",
        )
    if reason := _too_little(choices, kept):
        return TooLittle(reason, notes)
    read = named_cues([*choices, *kept])
    dealt = deal(choices, kept, seed)
    cues = read.take(dealt.asked)
    judged = GuesserFolds(cues, dealt)
    groups = groups_of(choices)
    order = dealt.order
    keys = {int(item.answer or 0) for item in choices}
    always = (
        f"The right answer is option {LETTERS[min(keys)]} in all {len(choices):,} items: no other cue can be tested."
    )
    return Guessed(
        items=choices,
        groups=groups,
        probability=judged.given[cues.right][order],
        hit=judged.hit[order],
        baselines={name: rule[order] for name, rule in _baselines(dealt).items()},
        cues=tuple(sorted(_cues_told(judged, order, groups), key=lambda cue: -cue.worth)),
        read=read,
        training=kept,
        trust=judged.trust,
        learnt_from=dealt.learnt_from,
        inflation=dealt.inflation,
        notes=notes,
        cannot=(always,) if len(keys) == 1 else (),
    )


def _independent(choices: Sequence[Item], training: Sequence[Item]) -> tuple[Item, ...]:
    """Keep the training items that share no patient or image with a guessed item."""
    groups = groups_of([*choices, *training])
    taken = set(groups[: len(choices)].tolist())
    return tuple(item for item, group in zip(training, groups[len(choices) :], strict=True) if group not in taken)


def _too_little(choices: Sequence[Item], training: Sequence[Item]) -> str:
    """Explain in a sentence why nothing can be guessed; empty if it can be."""
    if not choices:
        return "No item has two or more options and one right answer, so there is nothing to guess."
    if len(choices) < FEWEST_JUDGED:
        few = "1 question with options is" if len(choices) == 1 else f"{len(choices)} questions with options are"
        return f"{few} too few to say how many of them a guesser gets right."
    if len(training) >= ENOUGH_TRAINING:
        return ""
    both = [*choices, *training]
    groups = int(groups_of(both).max()) + 1
    if len(both) < ENOUGH_ITEMS:
        return (
            f"{len(both)} questions with options are too few to learn from: a guesser needs {ENOUGH_ITEMS}, or "
            f"{ENOUGH_TRAINING} training items of other patients and images."
        )
    if groups < ENOUGH_GROUPS:
        many = "all of them share one patient or image" if groups == 1 else f"these have {groups} patients or images"
        return (
            "A guesser must learn from other patients and images than it is tested on. It needs "
            f"{ENOUGH_GROUPS} of them, and {many}."
        )
    return ""


class DealtItems(NamedTuple):
    """All items in an order independent of their input order, with their folds."""

    items: tuple[Item, ...]
    own: Marks
    """Items that are guessed; the others are for training."""
    asked: Ints
    """The place of each item in the input."""
    fold: Ints
    judged: tuple[int, ...]
    """The folds with guessed items."""
    learnt_from: str

    @property
    def inflation(self) -> float:
        """Inflation of the variance: above 1 if items are both learnt from and guessed."""
        return CROSS_VALIDATED if len(self.judged) > 1 else 1.0

    @property
    def order(self) -> Ints:
        """Places of the guessed items, in the order of the input."""
        own = np.flatnonzero(self.own)
        return own[np.argsort(self.asked[own])]


def deal(choices: Sequence[Item], training: Sequence[Item], seed: int, *, enough: int = ENOUGH_TRAINING) -> DealtItems:
    """Deal items into folds; items of one patient or image stay together.

    With `enough` training items, the other items form one fold, and only that fold is guessed.
    """
    given = [*choices, *training]
    order = sorted(range(len(given)), key=lambda place: _rank(given[place], seed))
    items = tuple(given[place] for place in order)
    own = np.array([place < len(choices) for place in order])
    fold = groups_of(items) % FOLDS
    judged: tuple[int, ...]
    if len(training) >= enough:
        fold[~own] = groups_of([item for item, mine in zip(items, own, strict=True) if not mine]) % FOLDS
        fold[own] = FOLDS
        judged, words = (FOLDS,), f"{len(training):,} training items of other patients and images"
    else:
        judged = tuple(range(FOLDS))
        more = f" and from {len(training):,} training items" if training else ""
        words = f"the items of other patients and images, in {FOLDS} folds{more}"
    return DealtItems(items, own, np.array(order), fold, judged, words)


def _rank(item: Item, seed: int) -> tuple[bytes, str]:
    return hashlib.sha256(f"{seed}/{item.id}".encode()).digest(), item.question


def _cross_fitted(cues: NamedCues, dealt: DealtItems) -> tuple[dict[int, Floats], dict[int, Floats]]:
    """Fit the cue weights and trusts for each judged fold without its items."""
    folds = range(int(dealt.fold.max()) + 1)
    readings = _readings(cues)
    seen: dict[tuple[int, ...], list[Floats]] = {}

    def weights(*held: int) -> list[Floats]:
        out = tuple(sorted(held))
        if out not in seen:
            seen[out] = [reading.fit_weights(~np.isin(dealt.fold, out)) for reading in readings]
        return seen[out]

    trusts = {
        held: _trust(cues, dealt.fold, {other: weights(held, other) for other in folds if other != held})
        for held in dealt.judged
    }
    return {held: np.array(weights(held)).T @ trust for held, trust in trusts.items()}, trusts


def _readings(cues: NamedCues, but: Marks | None = None) -> list[_CueReading]:
    """Return the cautious and the bold reading of all cues, or of all but some."""
    spread = np.array([_OPENNESS.get(kind, _OTHERWISE) for kind in cues.kinds]).T
    return [_CueReading(cues, scale if but is None else scale * ~but) for scale in spread]


class _CueReading:
    """Cues of one reading, each scaled by the spread of its prior."""

    def __init__(self, cues: NamedCues, scale: Floats) -> None:
        self.cues, self.scale = cues, scale
        self.used = scale > 0
        self.design = (cues.table[:, self.used] @ scipy.sparse.diags(scale[self.used])).tocsr()

    def fit_weights(self, seen: Marks) -> Floats:
        """Fit the weight of every cue on the seen items; 0 for unused cues."""
        found = np.zeros(self.scale.size)
        weights = learn_weights(self.design, self.cues.sizes, self.cues.right, seen)
        found[self.used] = weights * self.scale[self.used]
        return found


def _trust(cues: NamedCues, fold: Ints, apart: Mapping[int, Sequence[Floats]]) -> Floats:
    """Estimate how far to trust each reading, on folds that it was not trained on."""
    from scipy.optimize import minimize

    inside = np.isin(fold, list(apart))
    rows = np.repeat(inside, cues.sizes)
    sizes, owner = cues.sizes[inside], np.repeat(fold, cues.sizes)
    scores = np.zeros((cues.table.shape[0], len(next(iter(apart.values())))))
    for other, weights in apart.items():
        mine = owner == other
        scores[mine] = cues.table[mine] @ np.array(weights).T
    told = scores[rows]
    keys = (np.cumsum(rows) - 1)[cues.right[inside]]
    truth = np.zeros(told.shape[0])
    truth[keys] = 1

    def surprise(trust: Floats) -> tuple[float, Floats]:
        given = shares(told @ trust, sizes)
        return trust @ trust / 2 - np.log(given[keys]).sum(), told.T @ (given - truth) + trust

    bounds = [(0.0, None)] * told.shape[1]
    start = np.full(told.shape[1], 0.1)
    trust: Floats = minimize(surprise, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return trust


class GuesserFolds:
    """The guesser's answers to the items of each fold, with all or some cues."""

    def __init__(self, cues: NamedCues, dealt: DealtItems, trust: Floats | None = None) -> None:
        self.cues, self.dealt = cues, dealt
        self.owner = np.repeat(dealt.fold, cues.sizes)
        self.trusts = dict.fromkeys(dealt.judged, trust) if trust is not None else {}
        if trust is None:
            weights, self.trusts = _cross_fitted(cues, dealt)
            self.given = self._predict(weights)
        else:
            self.given = self.predict_without()
        self.hit = self.hits(self.given)

    @property
    def trust(self) -> Floats:
        """Weight of each reading, averaged over folds."""
        return np.asarray(np.mean(list(self.trusts.values()), axis=0))

    def hits(self, given: Floats) -> Floats:
        """Return, by item, whether the most probable option is right."""
        return hits(given, self.cues.sizes, self.cues.right)

    def predict_from(self, *kinds: CueKind) -> Floats:
        """Predict every option with cues of these kinds only."""
        bold = _readings(self.cues, ~self.cues.mark_kinds(*kinds))[1]
        return self._predict({fold: bold.fit_weights(self.dealt.fold != fold) for fold in self.dealt.judged})

    def predict_without(self, *kinds: CueKind) -> Floats:
        """Predict every option by a guesser trained without cues of these kinds."""
        readings = _readings(self.cues, self.cues.mark_kinds(*kinds))
        weights = {}
        for fold, trust in self.trusts.items():
            seen = self.dealt.fold != fold
            weights[fold] = np.array([reading.fit_weights(seen) for reading in readings]).T @ trust
        return self._predict(weights)

    def _predict(self, weights: Mapping[int, Floats]) -> Floats:
        scores = np.zeros(self.owner.size)
        for fold, weight in weights.items():
            mine = self.owner == fold
            scores[mine] = self.cues.table[mine] @ weight
        return shares(scores, self.cues.sizes)


def _cues_told(judged: GuesserFolds, order: Ints, groups: Ints) -> Iterator[GuesserCue]:
    """Describe each kind of cue that distinguishes options, and what it predicts."""
    cues = judged.cues
    telling = _Telling(cues, order)
    before = 1 / cues.sizes
    for kind in CueKind:
        columns = np.flatnonzero(cues.mark_kinds(kind) & (telling.apart > 0))
        if columns.size == 0:
            continue
        given = (
            judged.predict_from(kind) if kind is not CueKind.PAIR else judged.predict_from(CueKind.WORD, CueKind.PAIR)
        )
        without = None
        key = given[cues.right]
        gain = (key - before)[order]
        p = positive_mean_p(gain, groups, inflation=judged.dealt.inflation)
        if kind is CueKind.WORD:
            before = key
        best = columns[np.argsort(-np.abs(telling.z[columns]), kind="stable")]
        named = best[: _NAMED_WORDS if kind in (CueKind.WORD, CueKind.PAIR) else 1]
        gone = (CueKind.WORD, CueKind.PAIR) if kind is CueKind.WORD else (kind,)
        if p <= _SHOWN:
            without = judged.predict_without(*gone)
        lost = 0.0 if without is None else float(np.mean((judged.given - without)[cues.right][order]))
        right, expected = telling.right(int(named[0]))
        yield GuesserCue(
            kind=kind,
            name=cues.names[named[0]],
            names=tuple(cues.names[column] for column in named),
            sets_apart=int(telling.apart[named[0]]),
            right=right,
            expected=expected,
            points=np.any([telling.points(int(column)) for column in named], axis=0),
            alone=judged.hits(given)[order],
            gain=gain,
            p=p,
            without=None if without is None else judged.hits(without)[order],
            worth=(float(gain.mean()) + lost) / 2,
        )


class _Telling:
    """Score tests of single cues: whether the right option has more of them."""

    def __init__(self, cues: NamedCues, places: Ints) -> None:
        self.cues, self.places = cues, places
        mine = np.zeros(cues.sizes.size, dtype=bool)
        mine[places] = True
        kept = np.repeat(mine, cues.sizes)
        self.table, self.sizes = cues.table[kept].tocsr(), cues.sizes[mine]
        self.keys = (np.cumsum(kept) - 1)[cues.right[mine]]
        owner = np.repeat(np.arange(self.sizes.size), self.sizes)
        sums = scipy.sparse.csr_matrix((np.ones(owner.size), (owner, np.arange(owner.size))))
        means = scipy.sparse.diags(1 / self.sizes) @ sums @ self.table
        squares = scipy.sparse.diags(1 / self.sizes) @ sums @ self.table.multiply(self.table)
        within = (squares - means.multiply(means)).tocsr()
        within.data[within.data < 1e-12] = 0
        within.eliminate_zeros()
        self.apart: Ints = np.asarray(within.getnnz(axis=0))
        spread = np.asarray(within.sum(axis=0)).ravel()
        excess = np.asarray(self.table[self.keys].sum(axis=0) - means.sum(axis=0)).ravel()
        self.z: Floats = np.divide(excess, np.sqrt(spread), out=np.zeros_like(excess), where=spread > 0)

    def right(self, column: int) -> tuple[float, float]:
        """Count how often the option with most of a cue is right, and by chance."""
        apart, top = self._top(column)
        count = np.add.reduceat(top.astype(np.float64), np.cumsum(self.sizes) - self.sizes)
        return float(np.sum(top[self.keys][apart])), float(np.sum((count / self.sizes)[apart]))

    def points(self, column: int) -> Marks:
        """Mark the items in which a cue points to the right option."""
        apart, top = self._top(column)
        found = np.zeros(self.cues.sizes.size, dtype=bool)
        found[np.sort(self.places)] = apart & (top[self.keys] == (self.z[column] > 0))
        return found[self.places]

    def _top(self, column: int) -> tuple[Marks, Marks]:
        """Return the items in which a cue distinguishes options, and the strongest options."""
        values = self.table[:, [column]].toarray().ravel()
        starts = np.cumsum(self.sizes) - self.sizes
        most, least = np.maximum.reduceat(values, starts), np.minimum.reduceat(values, starts)
        return most > least + 1e-9, values >= np.repeat(most, self.sizes) - 1e-9


def _baselines(dealt: DealtItems) -> dict[str, Floats]:
    return {
        "always the most frequent position": _by_count(dealt, lambda item, place: place),
        "always the longest option": np.array(
            [_top(item, [len(option.text) for option in item.options]) for item in dealt.items]
        ),
        "always the most frequent answer": _by_count(
            dealt, lambda item, place: item.options[place].text.strip().casefold()
        ),
    }


def _by_count(dealt: DealtItems, of: Callable[[Item, int], Hashable]) -> Floats:
    """Score the option that is most often right in other folds by the property `of`."""
    keys = [of(item, int(item.answer or 0)) for item in dealt.items]
    found = np.zeros(len(keys))
    for fold in dealt.judged:
        counted = Counter(key for key, where in zip(keys, dealt.fold, strict=True) if where != fold)
        for place in np.flatnonzero(dealt.fold == fold):
            item = dealt.items[place]
            found[place] = _top(item, [counted[of(item, at)] for at in range(len(item.options))])
    return found


def _top(item: Item, values: Sequence[float]) -> float:
    """Return whether the option with the highest value is right; a share in a tie."""
    best = max(values[place] for place in item.real_places)
    liked = [place for place in item.real_places if values[place] == best]
    return (item.answer in liked) / len(liked)
