"""B-Clean: remove items that models answer without the image, and measure the effect.

The rule is the Mirage paper's (Section 7.9): items that any model answers right in mirage mode, where the image is
removed without saying so, are removed. Models that guess are sometimes right. So the module also estimates how many
items guesses would remove, how likely each item is compromised (`stats.compromised`), and accuracies on the other
items, corrected for selection by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isfinite, nan
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.items import Item
from snellen.prompts import asked_blind, asked_under
from snellen.reading.columns import Floats, Integers
from snellen.reading.outcomes import Outcome
from snellen.runtime import counted
from snellen.scoring.results import Results
from snellen.stats import Estimate, mean, ranks
from snellen.stats.compromised import (
    AnswerDraws,
    Posterior,
    Resampled,
    clean_accuracies,
    fit,
    guessed_union,
    percentile_interval,
    posterior,
    resample_fits,
)
from snellen.stats.many_models import ModelPair, Ranking
from snellen.stress.conclusions import percent
from snellen.stress.table import Table
from snellen.tools.audit.audited import Audited, Marks
from snellen.tools.audit.guesser import TooLittle, guess_answers
from snellen.tools.audit.superguesser.results import read_scores

RESAMPLES = 200
LEAST_ITEMS = 30
"""Minimum number of items for a posterior and corrected accuracies."""
LEAST_CLEAN = 10
"""Minimum number of uncompromised items for an accuracy on them."""
METHOD = "mixture-cluster-bootstrap"
RIGHT, WRONG, SILENT, NOT_ASKED = 1, 0, -1, -2
CHANGES, STAYS, NOT_SETTLED = "changes", "stays", "not settled"


class ModelDraws(NamedTuple):
    """One model's answers without the image and with it."""

    model: str
    first: Integers
    """Each item's first response without the image: RIGHT, WRONG, SILENT (no option chosen) or NOT_ASKED."""
    without: AnswerDraws
    shown: AnswerDraws

    @property
    def compromised(self) -> Marks:
        """The paper's set B_i: the items that the model answers right without the image."""
        return np.asarray(self.first == RIGHT)

    @property
    def right(self) -> Floats:
        """Share of each item's responses that are right with the image; NaN if not asked."""
        asked = self.shown.asked
        return np.where(asked > 0, self.shown.options[:, 0] / np.maximum(asked, 1), nan)


@dataclass(frozen=True)
class BcleanResponses:
    """The responses of all models to a benchmark, as B-Clean needs them."""

    benchmark: str
    items: tuple[Item, ...]
    clusters: Integers
    models: tuple[ModelDraws, ...]
    arms: tuple[str, str]
    """The conditions with the image and without it."""
    silent: tuple[str, ...] = ()
    """Models without any response in mirage mode, which are left out."""

    @cached_property
    def chance(self) -> Floats:
        """The probability that a random guess is right, by item."""
        return np.array([item.chance for item in self.items])

    @property
    def draws(self) -> int:
        """Largest number of responses without the image to any item."""
        return int(max((each.without.asked.max(initial=0) for each in self.models), default=0))

    @cached_property
    def compromised(self) -> Marks:
        """Items that any model answers right without the image."""
        return np.asarray(np.any([each.compromised for each in self.models], axis=0))

    @cached_property
    def undecided(self) -> Marks:
        """Items without a known right answer for which a model's answer is missing."""
        return np.asarray(np.any([each.first == NOT_ASKED for each in self.models], axis=0) & ~self.compromised)

    @cached_property
    def ranked(self) -> tuple[ModelDraws, ...]:
        """The models that were asked with the image, too."""
        return tuple(each for each in self.models if (each.shown.asked > 0).any())


class ModelAccuracy(NamedTuple):
    """A model's accuracy and rank on all, kept and uncompromised items.

    `change` is kept minus all. `seen` is the share of uncompromised items that it answers due to the image, not luck.
    """

    model: str
    whole: Estimate
    kept: Estimate
    change: Estimate
    clean: Estimate
    seen: Estimate
    ranks: tuple[Estimate, Estimate, Estimate]


class PairOrder(NamedTuple):
    """The difference between two models on all items, on kept items, and on uncompromised ones.

    `kept_says` and `clean_says` compare with the order on all items. They are "changes" or "stays" only if both orders
    are significant for all pairs together: by the difference, or by rank intervals that lie apart.
    """

    first: str
    second: str
    whole: Estimate
    kept: Estimate
    clean: Estimate
    kept_says: str
    clean_says: str


class Removed(NamedTuple):
    """A removed item: models that answered it right without the image, how often, and reason for removal."""

    item_id: str
    models: tuple[str, ...]
    right: int
    asked: int
    posterior: float
    reason: str


@dataclass(frozen=True)
class Bclean:
    """A cleaned benchmark and what cleaning does to the models' scores."""

    asked: BcleanResponses
    threshold: float | None
    kept: Marks
    by_luck: Estimate
    share_compromised: Estimate
    """The share of items that are compromised for some model, corrected for luck."""
    found: Posterior | None
    accuracies: tuple[ModelAccuracy, ...]
    pairs: tuple[PairOrder, ...]
    taught: Marks
    """Items removed because a text-only model that learnt from the compromised ones answers them right."""
    notes: tuple[str, ...] = ()
    judged: int = 0
    """Number of items that the text-only model answered."""
    taught_by_luck: float = nan
    """Number of judged items that random guesses would answer right."""
    learnt_from: str = ""
    """Description of the text-only model's training items."""

    @property
    def kept_items(self) -> tuple[Item, ...]:
        """The items of the cleaned benchmark."""
        return tuple(item for item, kept in zip(self.asked.items, self.kept, strict=True) if kept)

    @property
    def removed(self) -> tuple[Removed, ...]:
        """The removed items in the benchmark's order, including those that could not be asked."""
        found = []
        for place in np.flatnonzero(~self.kept).tolist():
            models = self.asked.models
            names = tuple(each.model for each in models if each.compromised[place])
            right = int(sum(each.without.options[place, 0] for each in models))
            times = int(sum(each.without.asked[place] for each in models))
            chance = nan if self.found is None else 1 - float(self.found.clean[place])
            item_id = self.asked.items[place].id
            found.append(Removed(item_id, names, right, times, chance, self._reason(place, names)))
        return tuple(found)

    def _reason(self, place: int, models: Sequence[str]) -> str:
        if self.taught[place]:
            return "answered by a text-only model that learnt from the compromised items"
        if self.asked.undecided[place]:
            missing = [each.model for each in self.asked.models if each.first[place] == NOT_ASKED]
            return f"not decided: no response without the image by {', '.join(missing)}"
        if self.threshold is not None:
            return f"its posterior reaches {self.threshold:g}"
        return f"answered right without the image by {counted(len(models), 'model')}"


def collect_responses(results: Results) -> list[BcleanResponses]:
    """Collect the responses of a scored study by benchmark; StudyError if none lack the image."""
    by_benchmark: dict[str, list[Table]] = {}
    for table in results.tables.values():
        by_benchmark.setdefault(table.benchmark, []).append(table)
    found = [made for tables in by_benchmark.values() if (made := _collect_benchmark(tables)) is not None]
    if not found:
        raise StudyError(
            f"{results.out} holds no responses without the image (condition image-removed), which B-Clean needs. "
            "Ask for them: snellen exam --tests image-needed --model … --benchmark …, or import "
            "some with --condition image-removed."
        )
    return found


def _collect_benchmark(tables: Sequence[Table]) -> BcleanResponses | None:
    """Merge the tables of a benchmark; None without responses to removed images."""
    first = tables[0]
    if first.kind == "report" or all(item.premise for item in first.items):
        return None
    names = [arm for table in tables for arm in table.arms]
    original, removed = asked_under(ORIGINAL.name, names), asked_blind(names, images=("none",))
    if not removed or not any(len(table.arms.get(removed, ())) for table in tables):
        return None
    answered = [table for table in tables if len(table.arms.get(removed, ()))]
    silent = tuple(table.model for table in tables if table not in answered)
    models = tuple(
        ModelDraws(table.model, _first(table, removed), _draws(table, removed), _draws(table, original))
        for table in answered
    )
    return BcleanResponses(first.benchmark, first.items, first.clusters, models, (original, removed), silent)


def _first(table: Table, arm: str) -> Integers:
    """Grade the first response to each item, as in `ModelDraws.first`."""
    grades = table.arms[arm]
    said = np.where(grades.is_(Outcome.CORRECT), RIGHT, np.where(grades.is_(Outcome.WRONG), WRONG, SILENT))
    found = np.full(len(table.items), NOT_ASKED, dtype=np.int64)
    order = np.lexsort((-grades.replicate, grades.ordinal))  # the first replicate is written last
    found[grades.ordinal[order]] = said[order]
    return found


def _draws(table: Table, arm: str) -> AnswerDraws:
    """Count how often each option was chosen, the key first."""
    real = [item.real_places for item in table.items]
    width = max(2, *(len(places) for places in real)) if real else 2
    options, none = np.zeros((len(table.items), width)), np.zeros(len(table.items))
    if arm not in table.arms:
        return AnswerDraws(options, none)
    grades = table.arms[arm]
    right, wrong = grades.is_(Outcome.CORRECT), grades.is_(Outcome.WRONG)
    for at, chosen, hit, miss in zip(grades.ordinal, grades.chosen, right, wrong, strict=True):
        if hit:
            options[at, 0] += 1
        elif not miss:
            none[at] += 1
        elif table.items[at].kind == "choice" and chosen in real[at]:
            others = [place for place in real[at] if place != table.items[at].answer]
            options[at, 1 + others.index(chosen)] += 1
        else:
            options[at, 1] += 1
    return AnswerDraws(options, none)


class Taught(NamedTuple):
    """The items that a text-only model answers right, and its training data."""

    right: Marks
    learnt_from: str
    why_not: str = ""
    """Reason why the text-only model could not learn, in a sentence; empty if it could."""


Teach = Callable[[Sequence[Item], Sequence[Item]], Taught]
"""Function that trains a text-only model on the first items. The model answers the second, disjoint items."""


def text_only(training: Sequence[Item] = (), *, seed: int = 0) -> Teach:
    """Use the light super-guesser as the text-only model of the paper's Step 3.

    It learns neither from the items that it judges nor from items with the same patient or image. If compromised and
    training items of other patients are too few, it learns about each fold of judged items from the other folds.
    """

    def teach(compromised: Sequence[Item], judged: Sequence[Item]) -> Taught:
        nobody = np.zeros(len(judged), dtype=bool)
        found = guess_answers(Audited("", tuple(judged), (*training, *compromised), seed=seed))
        if isinstance(found, TooLittle):
            return Taught(nobody, "", found.why)
        right = {item.id for item, hit in zip(found.items, found.hit, strict=True) if hit > 0.5}
        return Taught(np.array([item.id in right for item in judged]), found.learnt_from)

    return teach


def use_scores(folder: Path) -> Teach:
    """Use the scores of `snellen benchmark guess` for the text-only model of Step 3.

    The user has trained that model on the compromised items. No item with a score was among its training items.
    """
    guesses = {each.item_id: each.right for each in read_scores(folder)}

    def teach(compromised: Sequence[Item], judged: Sequence[Item]) -> Taught:
        missing = [item.id for item in judged if item.id not in guesses]
        if missing:
            raise StudyError(
                f"{folder} has no score for {counted(len(missing), 'item')} of the {len(judged):,} kept ones, such as "
                f"{missing[0]!r}. Test them too: snellen benchmark guess CLEANED --train BENCHMARK."
            )
        right = np.array([guesses[item.id] for item in judged], dtype=bool)
        return Taught(right, "the questions of `snellen benchmark guess`")

    return teach


def clean(
    asked: BcleanResponses,
    *,
    threshold: float | None = None,
    teach: Teach | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Bclean:
    """Clean a benchmark by the paper's rule or by posterior, and measure the effect.

    With `teach`, the paper's Step 3 follows: items that a text-only model answers right are removed, too. That model
    learnt from the compromised items.
    """
    items, without = asked.items, [each.without for each in asked.models]
    if len(items) < LEAST_ITEMS and threshold is not None:
        raise StudyError(
            f"{asked.benchmark} has {counted(len(items), 'item')}; a posterior needs {LEAST_ITEMS}. Leave "
            "--threshold out: the paper's rule needs none."
        )
    found = posterior(fit(without, asked.chance), without, asked.chance) if len(items) >= LEAST_ITEMS else None
    compromised = asked.compromised if threshold is None or found is None else 1 - found.clean >= threshold
    kept = ~asked.undecided & ~compromised
    judged, taught = np.zeros_like(kept), Taught(np.zeros_like(kept), "")
    if teach:
        judged = kept & np.array([item.has_choice for item in items])
        taught = _teach_judged(items, compromised, judged, teach)
        if taught.why_not:
            judged = np.zeros_like(kept)
    kept = kept & ~taught.right
    drawn = None
    if found is not None:
        shown = [each.shown for each in asked.models]
        drawn = resample_fits(without, shown, asked.chance, kept, asked.clusters, resamples=resamples, seed=seed)
    share = Estimate(nan, nan, nan, len(kept), f"undefined: fewer than {LEAST_ITEMS} items")
    if found is not None and drawn is not None:
        value = 1 - float(found.clean.mean())
        share = percentile_interval(value, drawn.compromised, len(kept), METHOD, items=len(kept))
    guesses = np.sum([each.first >= WRONG for each in asked.models], axis=0)
    accuracies, pairs = _rank_models(asked, kept, found, drawn)
    return Bclean(
        asked=asked,
        threshold=threshold,
        kept=kept,
        by_luck=guessed_union(asked.chance, guesses.astype(np.float64)),
        share_compromised=share,
        found=found,
        accuracies=accuracies,
        pairs=pairs,
        taught=taught.right,
        notes=(
            *([f"No text-only model judged the other items. {taught.why_not}"] * bool(taught.why_not)),
            *_notes(asked, found),
        ),
        judged=int(judged.sum()),
        taught_by_luck=float(asked.chance[judged].sum()),
        learnt_from=taught.learnt_from,
    )


def _teach_judged(items: Sequence[Item], compromised: Marks, judged: Marks, teach: Teach) -> Taught:
    """Mark the judged items that a text-only model answers right after learning."""
    learnt, others = (
        [item for item, marked in zip(items, marks, strict=True) if marked] for marks in (compromised, judged)
    )
    taught = teach(learnt, others)
    right = np.zeros_like(judged)
    right[judged] = taught.right
    return taught._replace(right=right)


def _rank_models(
    asked: BcleanResponses, kept: Marks, found: Posterior | None, drawn: Resampled | None
) -> tuple[tuple[ModelAccuracy, ...], tuple[PairOrder, ...]]:
    """Compare the models' accuracies and order on items that all of them answered."""
    if not asked.ranked:
        return (), ()
    scores = np.stack([each.right for each in asked.ranked], axis=1)
    common = np.isfinite(scores).all(axis=1)
    before = ranks(scores[common], asked.clusters[common])
    rest = common & kept
    after = ranks(scores[rest], asked.clusters[rest]) if rest.any() else None
    names = [each.model for each in asked.ranked]
    places = [place for place, each in enumerate(asked.models) if each.model in names]
    corrected = _correct_accuracies(asked, places, found, drawn)
    accuracies = tuple(
        ModelAccuracy(
            each.model,
            before.models[at].score,
            after.models[at].score if after else _NOTHING,
            _change(before, after, drawn, at, places[at]),
            corrected.accuracies[at],
            corrected.seen[at],
            (before.models[at].rank, after.models[at].rank if after else _NOTHING, corrected.rank(at)),
        )
        for at, each in enumerate(asked.ranked)
    )
    return accuracies, tuple(_pairs(asked, before, after, corrected))


_NOTHING = Estimate(nan, nan, nan, 0, "undefined: no items")


def _change(before: Ranking, after: Ranking | None, drawn: Resampled | None, at: int, place: int) -> Estimate:
    """Estimate the change of accuracy from all items to those kept."""
    if after is None:
        return _NOTHING
    value = after.models[at].score.value - before.models[at].score.value
    moved = np.full(2, nan) if drawn is None else drawn.kept[:, place] - drawn.whole[:, place]
    return percentile_interval(value, moved, after.items, "cluster-bootstrap")


class _Corrected(NamedTuple):
    """The corrected accuracies of the ranked models, with their differences and ranks."""

    accuracies: list[Estimate]
    seen: list[Estimate]
    drawn: Floats

    def difference(self, first: int, second: int, level: float = 0.95) -> Estimate:
        """Second model's accuracy minus the first's, with an interval from the spread of the resamples."""
        value = self.accuracies[second].value - self.accuracies[first].value
        spread = np.nanstd(self.drawn[:, second] - self.drawn[:, first]) if self.drawn.size else nan
        half = float(scipy.special.ndtri((1 + level) / 2) * spread)
        return Estimate(value, value - half, value + half, self.accuracies[first].n, METHOD)

    def sign(self, first: int, second: int) -> int:
        """1 if the second model is higher, −1 if lower, 0 if not decided."""
        count = len(self.accuracies)
        found = self.difference(first, second, 1 - 0.05 / max(1, count * (count - 1) // 2))
        return int(found.low > 0) - int(found.high < 0)

    def rank(self, at: int) -> Estimate:
        """The rank of a model, with an interval that is simultaneous for all models."""
        value = self.accuracies[at].value
        if not isfinite(value):
            return _NOTHING
        others = [other for other in range(len(self.accuracies)) if other != at]
        better, worse = (sum(self.sign(at, other) == sign for other in others) for sign in (1, -1))
        rank = 1 + sum(self.accuracies[other].value > value for other in others)
        return Estimate(rank, 1 + better, len(self.accuracies) - worse, self.accuracies[at].n, "bonferroni-over-pairs")


def _correct_accuracies(
    asked: BcleanResponses, places: Sequence[int], found: Posterior | None, drawn: Resampled | None
) -> _Corrected:
    why = f"fewer than {LEAST_ITEMS} items" if found is None else _not_corrected(asked, found)
    if found is None or drawn is None or why:
        nothing = [Estimate(nan, nan, nan, 0, f"undefined: {why}")] * len(places)
        return _Corrected(nothing, nothing, np.empty((0, len(places))))
    values = clean_accuracies(found, [each.shown for each in asked.models], asked.chance)
    n, items = len(asked.items), float(found.clean.sum())
    return _Corrected(
        [percentile_interval(values[at].accuracy, drawn.clean[:, at], n, METHOD, items=items) for at in places],
        [percentile_interval(values[at].seen, drawn.seen[:, at], n, METHOD, items=items) for at in places],
        drawn.clean[:, list(places)],
    )


def _not_corrected(asked: BcleanResponses, found: Posterior) -> str:
    """Explain why accuracies on uncompromised items are not estimated; empty if they are."""
    if found.clean.sum() < LEAST_CLEAN:
        return f"fewer than {LEAST_CLEAN} items are not compromised"
    binary = np.isclose(asked.chance, 0.5)
    if asked.draws == 1 and found.clean[~binary].sum() < LEAST_CLEAN:
        return "items of two options, asked once: repeated and changed guesses cannot be distinguished"
    return ""


def _pairs(
    asked: BcleanResponses, before: Ranking, after: Ranking | None, corrected: _Corrected
) -> Iterator[PairOrder]:
    for place, (first, second) in enumerate(combinations(range(len(asked.ranked)), 2)):
        whole = before.pairs[place]
        kept = after.pairs[place] if after else None
        held = _order(_sign(whole), before.models[first].rank, before.models[second].rank)
        kept_sign = _order(_sign(kept), after.models[first].rank, after.models[second].rank) if kept and after else 0
        known = isfinite(corrected.accuracies[first].value)
        clean_sign = _order(corrected.sign(first, second), *map(corrected.rank, (first, second))) if known else 0
        yield PairOrder(
            asked.ranked[first].model,
            asked.ranked[second].model,
            whole.difference,
            kept.difference if kept else _NOTHING,
            corrected.difference(first, second),
            _says(held, kept_sign),
            _says(held, clean_sign),
        )


def _sign(pair: ModelPair) -> int:
    """1 if the second model is higher, −1 if lower, 0 if not decided."""
    found = pair.difference
    apart = found.low > 0 or found.high < 0
    return int(np.sign(found.value)) if apart and pair.adjusted <= 0.05 else 0


def _order(shown: int, first: Estimate, second: Estimate) -> int:
    """Return the sign of two models' order: by their ranks if the intervals lie apart, else as `shown`.

    >>> best, worst = (Estimate(rank, rank, rank, 40, "holm-over-pairs") for rank in (1, 3))
    >>> _order(0, best, worst), _order(0, worst, best), _order(0, best, best), _order(1, best, best)
    (-1, 1, 0, 1)
    """
    return int(second.high < first.low) - int(first.high < second.low) or shown


def _says(before: int, after: int) -> str:
    return NOT_SETTLED if not before * after else STAYS if before == after else CHANGES


def _notes(asked: BcleanResponses, found: Posterior | None) -> Iterator[str]:
    """Yield the limitations of the result, each in a sentence or two."""
    if asked.draws > 1:
        yield (
            f"Items were asked up to {asked.draws} times without the image; the paper's rule uses only the "
            "first response to each item."
        )
    else:
        yield (
            "Each item was asked once without the image, which does not show how often a compromised item is missed. "
            "The posterior and the corrected accuracies assume that none is. Ask several times (--epochs 5)."
        )
    chose = np.any([each.first >= WRONG for each in asked.models], axis=0)
    declined = int((~chose & ~asked.undecided).sum())
    if declined:
        yield (
            f"{counted(declined, 'item')} of those kept got no answer without the image from any model (refused, or "
            "none could be read). They are kept because no model answered them; they may still not need the image."
        )
    if found is None:
        yield f"Fewer than {LEAST_ITEMS} items: no posterior and no corrected accuracy is estimated."
    elif why := _not_corrected(asked, found):
        yield f"No corrected accuracy is estimated: {why}."
    if asked.silent:
        yield f"Left out, as they gave no response without the image: {', '.join(asked.silent)}."
    unseen = [each.model for each in asked.models if not (each.shown.asked > 0).any()]
    if unseen:
        yield f"Not asked with the image, and so without accuracy and rank: {', '.join(unseen)}."
    yield from _shared_guesses(asked)
    if (asked.chance == 0).any():
        yield "Open questions have no chance of a right guess: each right response without the image counts."


def _shared_guesses(asked: BcleanResponses) -> Iterator[str]:
    """Describe pairs of models whose wrong answers agree more than guesses do."""
    others = np.round(1 / np.where(asked.chance > 0, asked.chance, 1)) - 1
    for one, other in combinations(asked.models, 2):
        first, second = (each.without.options[:, 1:] for each in (one, other))
        both = (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0) & (others > 1)
        if both.sum() < LEAST_ITEMS // 3:
            continue
        shares = [each[both] / each[both].sum(axis=1, keepdims=True) for each in (first, second)]
        beyond = mean((shares[0] * shares[1]).sum(axis=1) - 1 / others[both], asked.clusters[both])
        alone = float((1 / others[both]).mean())
        if beyond.value > 0.1 and not beyond.low <= 0:
            yield (
                f"{one.model} and {other.model} give the same wrong option without the image in "
                f"{percent(min(1.0, beyond.value + alone))} of {counted(int(both.sum()), 'item')} that both have wrong "
                f"(independent guesses: {percent(alone)}). These models share guesses. So the number of items that "
                "guesses hit is overstated, and the posterior of items that both have right is too high."
            )


def sentences(cleaned: Bclean) -> Iterator[str]:
    """Yield the results in sentences, each with n, 95% CI and method."""
    asked, n = cleaned.asked, len(cleaned.kept)
    union, kept = int(asked.compromised.sum()), int(cleaned.kept.sum())
    who = f"At least one of {len(asked.models)} models answers" if len(asked.models) > 1 else "One model answers"
    yield (f"{who} {union:,} of {counted(n, 'item')} right without the image ({percent(union / n)}).")
    luck = cleaned.by_luck
    away = round(abs(union - luck.value))
    beyond = f"{away:,} {'more' if union > luck.value else 'fewer'} than that" if away else "as many"
    yield (
        f"Independent blind guesses of these models would hit {luck.value:,.0f} (95% of the time "
        f"{luck.low:,.0f} to {luck.high:,.0f}, n = {n:,}, {luck.method}); it is {beyond}."
    )
    share = cleaned.share_compromised
    if isfinite(share.value):
        shared = any(_shared_guesses(asked))
        but = " Number and interval are too high, since some models share their guesses (below)." if shared else ""
        yield f"Corrected for luck, {_format_estimate(share)} of the items are compromised for some model.{but}"
    rule = "by the paper's rule" if cleaned.threshold is None else f"by a posterior of at least {cleaned.threshold:g}"
    yield f"Kept: {kept:,} of {counted(n, 'item')} ({percent(kept / n)}), {rule}."
    undecided = int(asked.undecided.sum())
    if undecided:
        yield (
            f"Not decided and not kept: {counted(undecided, 'item')}. No model answered them right without the image, "
            "but at least one model gave no response."
        )
    if cleaned.judged:
        yield (
            f"A text-only model that learnt from {cleaned.learnt_from} answers {int(cleaned.taught.sum()):,} of the "
            f"{cleaned.judged:,} other items right. These items are removed, too. Guesses would have hit "
            f"{cleaned.taught_by_luck:,.0f}."
        )
    yield from _order_sentences(cleaned)


def _order_sentences(cleaned: Bclean) -> Iterator[str]:
    """Describe which pairs of models change their order, and whether the correction confirms it."""
    for pair in cleaned.pairs:
        if CHANGES not in (pair.kept_says, pair.clean_says):
            continue
        both = f"the second is {_points(pair.whole)} from the first on all items, {_points(pair.kept)} on those kept"
        corrected = f"and {_points(pair.clean)} on items that are not compromised, corrected for luck"
        if pair.clean_says == CHANGES:
            yield f"The order of {pair.first} and {pair.second} changes: {both}, {corrected}."
        else:
            yield (
                f"On the kept items, the order of {pair.first} and {pair.second} would change: {both}, {corrected}. "
                "Corrected for luck, no change is settled."
            )
    if not cleaned.pairs or any(pair.clean_says == CHANGES for pair in cleaned.pairs):
        return
    pairs = counted(len(cleaned.pairs), "pair")
    if not any(isfinite(pair.clean.value) for pair in cleaned.pairs):
        yield f"No corrected accuracy is estimated, so changes of order among {pairs} of models are unknown."
        return
    yield f"After correction for luck, no change of order among {pairs} of models is shown (5% over all pairs)."
    if turned := sum(pair.kept_says == CHANGES for pair in cleaned.pairs):
        yield (
            f"On the kept items, the ranks reverse for {counted(turned, 'pair')}. These ranks are not corrected: the "
            "rule also removes items that a model guessed."
        )


def _format_estimate(estimate: Estimate) -> str:
    if not isfinite(estimate.low):
        return f"{percent(estimate.value)} (n = {estimate.n:,})"
    bounds = f"95% CI {percent(estimate.low)} to {percent(estimate.high)}"
    return f"{percent(estimate.value)} ({bounds}, n = {estimate.n:,}, {estimate.method})"


def _points(estimate: Estimate) -> str:
    numbers = (estimate.value, estimate.low, estimate.high)
    value, low, high = (f"{100 * each:+.1f}".replace("-", "−") for each in numbers)
    return f"{value} points (95% CI {low} to {high}, n = {estimate.n:,})"


def models_compromising(cleaned: Bclean) -> dict[str, dict[str, int]]:
    """Count each model's compromised, declined and missing items."""
    alone = np.sum([each.compromised for each in cleaned.asked.models], axis=0) == 1
    found = {}
    for each in cleaned.asked.models:
        counts = Counter(each.first.tolist())
        found[each.model] = {
            "right": counts[RIGHT],
            "alone": int((each.compromised & alone).sum()),
            "wrong": counts[WRONG],
            "no_answer": counts[SILENT],
            "not_asked": counts[NOT_ASKED],
        }
    return found
