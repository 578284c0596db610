"""How many of the keys that are listed first are wrong, under several regimes of models' errors.

Also how many items are listed if all keys are right. `python research/wrong_keys/measure.py` takes minutes of one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import t as student

from snellen.stats.key_likelihood import key_evidence, versions

ITEMS, WRONG, CLEAN_ITEMS = 1000, 100, 300
RANKS = (10, 25, 50, 100)


class Regime(NamedTuple):
    """How simulated models answer. None of it is the law that is fitted."""

    name: str
    models: int = 8
    options: int = 4
    weakest: float = 0.45
    strongest: float = 0.90
    difficulty: float = 1.0
    """The spread of the items' difficulties, in logits."""
    attractive: float = 0.0
    """The share of items with a wrong option that models share a belief in."""
    pull: float = 0.0
    """How likely a model holds the shared belief."""
    strong_pulled: float = 0.0
    """How much likelier the strongest model holds it than the weakest (in probability)."""
    lean: float = 1.0
    """Concentration of each item's wrong options (Dirichlet); small: wrong answers gather."""
    copies: float = 0.0
    """How often the second of each pair of models repeats the first: versions of one model."""


def answers(regime: Regime, rng: np.random.Generator, items: int = ITEMS, wrong: int = WRONG):
    """Choices (models × items), the published keys, and which of them are wrong.

    Abilities are such that the models have the regime's accuracies over the items' difficulties.
    """
    accuracy = np.linspace(regime.weakest, regime.strongest, regime.models)
    truth = rng.integers(regime.options, size=items)
    level = rng.normal(0, regime.difficulty, size=items)
    grid = np.linspace(-6, 8, 2801)
    mean = expit(grid[:, None] - level[None, :]).mean(axis=1)
    ability = np.interp(accuracy, mean, grid)
    knows = rng.random((regime.models, items)) < expit(ability[:, None] - level)
    place = rng.dirichlet(np.full(regime.options - 1, regime.lean), size=items)
    drawn = (rng.random((regime.models, items, 1)) > np.cumsum(place, axis=1)[None]).sum(axis=2)
    drawn = np.minimum(drawn, regime.options - 2)
    chosen = np.where(knows, truth, (truth + 1 + drawn) % regime.options)
    lured = rng.random(items) < regime.attractive
    target = (truth + rng.integers(1, regime.options, size=items)) % regime.options
    pull = regime.pull + regime.strong_pulled * np.linspace(-0.5, 0.5, regime.models)
    believes = lured & (rng.random((regime.models, items)) < pull[:, None])
    chosen = np.where(believes, target, chosen)
    for second in range(1, regime.models, 2):
        same = rng.random(items) < regime.copies
        chosen[second, same] = chosen[second - 1, same]
    key = truth.copy()
    planted = np.zeros(items, dtype=bool)
    planted[rng.choice(items, size=wrong, replace=False)] = True
    key[planted] = (truth[planted] + rng.integers(1, regime.options, size=wrong)) % regime.options
    return chosen, key, planted


REGIMES = (
    Regime("independent errors, wrong options alike", lean=50.0),
    Regime("independent errors, uneven wrong options"),
    Regime("the same, items from very easy to very hard (SD 2 logits)", difficulty=2.0),
    Regime("wrong belief on 10% of items, held by 70% of models", attractive=0.1, pull=0.7),
    Regime("wrong belief on 10% of items, held by 90% of models", attractive=0.1, pull=0.9),
    Regime(
        "wrong belief on 10% of items, held by 45% to 95%, the strongest most",
        attractive=0.1,
        pull=0.7,
        strong_pulled=0.5,
    ),
    Regime("16 models in pairs that share 80% of their answers", models=16, copies=0.8),
    Regime("8 models in pairs that share 60% of their answers", copies=0.6),
    Regime("weak models (30% to 60%)", weakest=0.3, strongest=0.6),
    Regime("two options (55% to 90%)", options=2, weakest=0.55),
    Regime("ten options", options=10),
    Regime("three models", models=3),
    Regime("five models", models=5),
    Regime("16 models", models=16),
    Regime("8 models in pairs that share 40% of their answers", copies=0.4),
    Regime(
        "models of 55% to 85%, wrong belief on 10% of items, held by 30% to 100%, the strongest most",
        weakest=0.55,
        strongest=0.85,
        attractive=0.1,
        pull=0.65,
        strong_pulled=0.7,
    ),
)
CLEAN = (1, 3, 4, 5, 12, 14, 15)


class Listed(NamedTuple):
    """What one benchmark gave: right flags among the first, how many are listed, and how many of these are wrong."""

    precision: tuple[float, ...]
    listed: int
    wrong: int
    voices: int


def looked(regime: Regime, seed: int, wrong: int, items: int = ITEMS) -> Listed:
    """Simulate a benchmark and look for wrong keys as the check does: versions of a model count once."""
    chosen, key, planted = answers(regime, np.random.default_rng([seed, 20]), items, wrong)
    whose = versions(chosen, key)
    one_each = chosen[np.unique(whose, return_index=True)[1]]
    found = key_evidence(one_each, np.full(items, regime.options), key)
    order = np.argsort(-found.evidence, kind="stable")
    against, agree = (one_each == found.other).sum(axis=0), (one_each == key).sum(axis=0)
    listed = (found.other >= 0) & (against > agree)
    first = tuple(float(planted[order[:rank]].mean()) for rank in RANKS)
    return Listed(first, int(listed.sum()), int((listed & planted).sum()), len(one_each))


def in_words(values: list[float]) -> str:
    """The mean over seeds with its 95% CI."""
    mean, error = np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))
    half = student.isf(0.025, len(values) - 1) * error
    return f"{mean:.0%} ({max(0, mean - half):.0%} to {min(1, mean + half):.0%})"


def planted_table(seeds: int, regimes: Sequence[Regime] = REGIMES) -> None:
    """Precision where 100 of 1,000 keys are wrong."""
    print("| regime | count as | first 10 | first 25 | first 50 | first 100 | listed | wrong among them |")
    print("|---|---|---|---|---|---|---|---|")
    for regime in regimes:
        found = [looked(regime, seed, WRONG) for seed in range(seeds)]
        first = " | ".join(in_words([each.precision[at] for each in found]) for at in range(len(RANKS)))
        listed, wrong = (np.mean([getattr(each, name) for each in found]) for name in ("listed", "wrong"))
        voices = np.mean([each.voices for each in found])
        print(f"| {regime.name} | {voices:.1f} | {first} | {listed:.0f} | {wrong:.0f} |", flush=True)


def by_simple_rules(regime: Regime, seed: int) -> tuple[float, float]:
    """Precision in the first 50 by how many models agree on one wrong option, and by votes weighted by log-odds."""
    chosen, key, planted = answers(regime, np.random.default_rng([seed, 20]))
    accuracy = np.clip((chosen == key).mean(axis=1), 0.05, 0.95)
    found = []
    for weight in (np.ones(regime.models), np.log(accuracy / (1 - accuracy))):
        votes = np.array([((chosen == option) * weight[:, None]).sum(axis=0) for option in range(regime.options)])
        own = votes[key, np.arange(ITEMS)].copy()
        votes[key, np.arange(ITEMS)] = -np.inf
        order = np.argsort(-(votes.max(axis=0) - own), kind="stable")
        found.append(float(planted[order[:50]].mean()))
    return found[0], found[1]


def simple_table(seeds: int) -> None:
    """The same items ranked by rules that take a line."""
    print("| regime | votes for one wrong option less votes for the key | the same, weighted by log-odds of accuracy |")
    print("|---|---|---|")
    for regime in REGIMES:
        both = [by_simple_rules(regime, seed) for seed in range(seeds)]
        print(f"| {regime.name} | {in_words([a for a, _ in both])} | {in_words([b for _, b in both])} |", flush=True)


def clean_table(regimes: Sequence[Regime], seeds: int, items: int, first: int) -> None:
    """How many items are listed if all keys are right."""
    print(f"| {items} items, all keys right | items listed, a benchmark |")
    print("|---|---|")
    for regime in regimes:
        found = [looked(regime, seed, 0, items).listed for seed in range(first, first + seeds)]
        print(f"| {regime.name} | {np.mean(found):.0f} ({min(found)} to {max(found)}) |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--clean-seeds", type=int, default=20)
    parser.add_argument("--only", type=int, nargs="*", default=range(len(REGIMES)), help="regimes by their number")
    given = parser.parse_args()
    began = time.process_time()
    if given.seeds:
        planted_table(given.seeds, [REGIMES[at] for at in given.only])
        simple_table(given.seeds)
    if given.clean_seeds:
        clean_table([REGIMES[at] for at in CLEAN], given.clean_seeds, CLEAN_ITEMS, 1000)
    print(f"{time.process_time() - began:.0f} s of processor time")
