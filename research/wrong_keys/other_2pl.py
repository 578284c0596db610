"""The 2PL fit held against two other implementations, girth and mirt, on simulated responses.

Neither is a dependency: `pip install girth mirt` beside snellen, then `python research/wrong_keys/other_2pl.py`.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np
from scipy.special import expit

from snellen.stats.item_response import log_posterior, two_parameter_logistic

SUBJECTS, ITEMS = 500, 30


def simulated(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Responses, slopes and difficulties; no slope is negative, since girth takes none."""
    rng = np.random.default_rng(seed)
    slope, difficulty = rng.uniform(0.6, 2.2, ITEMS), rng.normal(size=ITEMS)
    chance = expit(slope * (rng.normal(size=(SUBJECTS, 1)) - difficulty))
    return (rng.random(chance.shape) < chance).astype(float), slope, difficulty


def by_girth(given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Discrimination and difficulty by girth."""
    found: Any = import_module("girth").twopl_mml(given.T.astype(int))
    return np.asarray(found["Discrimination"]), np.asarray(found["Difficulty"])


def by_mirt(given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Discrimination and difficulty by mirt."""
    fit: Any = import_module("mirt").fit_mirt(given.astype(int), model="2PL")
    found = fit.model.parameters
    return np.asarray(found["discrimination"]).ravel(), np.asarray(found["difficulty"]).ravel()


def ours(given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Discrimination and difficulty by our fit."""
    fit = two_parameter_logistic(given)
    return fit.a, -fit.intercept / fit.a


if __name__ == "__main__":
    print(
        "| fit | seed | error of a (RMSE) | error of b (RMSE) | a: largest difference to ours | b | log-posterior | s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for seed in range(3):
        given, slope, difficulty = simulated(seed)
        base = ours(given)
        for name, fit in (("ours", ours), ("girth", by_girth), ("mirt", by_mirt)):
            began = time.process_time()
            a, b = fit(given)
            took = time.process_time() - began
            errors = [np.sqrt(np.mean((one - two) ** 2)) for one, two in ((a, slope), (b, difficulty))]
            gaps = [np.abs(one - two).max() for one, two in zip((a, b), base, strict=True)]
            print(
                f"| {name} | {seed} | {errors[0]:.3f} | {errors[1]:.3f} | {gaps[0]:.3f} | {gaps[1]:.3f} | "
                f"{log_posterior(given, a, -a * b):.2f} | {took:.1f} |",
                flush=True,
            )
