"""How many of the first flagged keys are wrong, over regimes of models' errors; and how many are flagged on clean keys.

python studies/wrong_keys/measure.py [--seeds 20] [--clean-seeds 100]
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from snellen.stats.key_likelihood import key_evidence

ITEMS, WRONG = 1000, 100
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
    runs: int = 1


def answers(regime: Regime, rng: np.random.Generator, items: int = ITEMS, wrong: int = WRONG):
    """Choices (models × items), the published keys, and which of them are wrong."""
    accuracy = np.linspace(regime.weakest, regime.strongest, regime.models)
    truth = rng.integers(regime.options, size=items)
    level = rng.normal(0, regime.difficulty, size=items)
    # abilities that give these accuracies on average over the difficulties
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
    Regime("hard and easy items (SD 2 logits)", difficulty=2.0),
    Regime("shared wrong belief on 10%, held by 70%", attractive=0.1, pull=0.7),
    Regime("shared wrong belief on 10%, held by 90%", attractive=0.1, pull=0.9),
    Regime("shared wrong belief on 10%, 70%, rather by the strong", attractive=0.1, pull=0.7, strong_pulled=0.5),
    Regime("pairs of versions (80% of answers the same)", copies=0.8),
    Regime("weak models (30% to 60%)", weakest=0.3, strongest=0.6),
    Regime("two options (55% to 90%)", options=2, weakest=0.55),
    Regime("ten options", options=10),
    Regime("three models", models=3),
    Regime("five models", models=5),
    Regime("sixteen models", models=16),
)


def measured(regime: Regime, seeds: int, first: int = 0):
    hits = dict.fromkeys(RANKS, 0)
    flagged = false = 0
    share = []
    for seed in range(first, first + seeds):
        chosen, key, planted = answers(regime, np.random.default_rng([seed, 20]))
        found = key_evidence(chosen, np.full(ITEMS, regime.options), key)
        order = np.argsort(-found.evidence, kind="stable")
        for rank in RANKS:
            hits[rank] += int(planted[order[:rank]].sum())
        listed = benjamini_hochberg(found.p) <= 0.05
        flagged += int(listed.sum())
        false += int((listed & ~planted).sum())
        share.append(found.share)
    return {rank: hits[rank] / rank / seeds for rank in RANKS}, flagged / seeds, false / max(1, flagged), np.mean(share)


def clean(regime: Regime, seeds: int, first: int = 1000):
    alarms = flags = 0
    for seed in range(first, first + seeds):
        chosen, key, _ = answers(regime, np.random.default_rng([seed, 20]), wrong=0)
        found = key_evidence(chosen, np.full(ITEMS, regime.options), key)
        listed = int((benjamini_hochberg(found.p) <= 0.05).sum())
        alarms += listed > 0
        flags += listed
    return alarms, flags


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--clean-seeds", type=int, default=100)
    given = parser.parse_args()
    began = time.perf_counter()
    for regime in REGIMES:
        at, flagged, false, share = measured(regime, given.seeds)
        alarms, flags = clean(regime, given.clean_seeds)
        cells = " | ".join(f"{at[rank]:.3f}" for rank in RANKS)
        print(
            f"{regime.name} | {cells} | {flagged:.1f} | {false:.3f} | {share:.3f} | {alarms}/{given.clean_seeds} {flags}",
            flush=True,
        )
    print(f"{time.perf_counter() - began:.0f} s")
