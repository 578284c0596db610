"""How often the interval of the robustness score holds the true score, and what run-to-run noise takes from it.

    python research/robustness_interval/measure.py --out research/robustness_interval/README.md

Items are drawn whose answers under the arms are alike in seven of ten cases, for models from one that guesses to one
that never changes; every draw is scored as `snellen.papers.readiness.tests.robustness` does.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item, Option
from snellen.papers.readiness.tests.robustness import (
    BEYOND,
    SHARED,
    WHOLE,
    Removal,
    fragilities,
    robustness,
    robustness_test,
)
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate, bootstrap_of_means
from snellen.stress.table import OUTCOMES, Grades, Table

LUCK, ALIKE = 0.25, 0.7
MODELS = {
    "guesses": (0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25),
    "sees, gives no answer without the image": (0.98, 0.0, 0.0, 0.0, 0.98, 0.0, 0.98),
    "sees, guesses without the image": (0.98, 0.25, 0.25, 0.25, 0.98, 0.25, 0.98),
    "as GPT-5 in the paper": (0.66, 0.38, 0.32, 0.20, 0.91, 0.43, 0.52),
    "half by shortcuts": (0.60, 0.55, 0.53, 0.45, 0.65, 0.57, 0.45),
}
"""Accuracies with the image, without it, reordered, replaced without and with the image, with Unknown, swapped."""

Numbers = NDArray[np.float64]


def scores(means: Numbers) -> Numbers:
    """R of every row of means."""
    image, text, moved, text_replaced, image_replaced, unknown, swapped = means.T
    others = (text, LUCK, text, moved, text, text_replaced, image, image_replaced, text, unknown, image, swapped)
    return robustness(fragilities([Removal(1.0, image, text)], dict(zip(SHARED, others, strict=True))))[None]


def coverage(truth: tuple[float, ...], items: int, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """The share of intervals that hold the true score, and their mean width."""
    right = float(scores(np.array([truth]))[0, 0])
    held, widths = [], []
    for seed in range(draws):
        common, own = rng.random((items, 1)), rng.random((items, len(truth)))
        values = np.where(rng.random((items, len(truth))) < ALIKE, common, own) < np.array(truth)
        (found,) = bootstrap_of_means(values.astype(float), scores, seed=seed)
        low, high = max(0.0, found.low), min(1.0, found.high)
        held.append(low <= right + 1e-12 and high >= right - 1e-12)
        widths.append(high - low)
    return float(np.mean(held)), float(np.mean(widths))


ARMS = (
    "original",
    "image-removed",
    "image-removed+options-shuffled",
    "image-removed+distractors-replaced:count=3",
    "distractors-replaced:count=3",
    "image-removed+unknown-offered",
    "image-substituted",
)
REDRAWN, RUNS = 0.2, 2
TEST = robustness_test(rating="needs")


def repeated(truth: tuple[float, ...], items: int, rng: np.random.Generator) -> dict[str, Estimate]:
    """The scores of a model that knows a fixed share of the items under each arm and draws 20% of answers anew."""
    asked = tuple(Item(f"q{at}", "Which?", tuple(map(Option, "abcd")), 0, metadata={"needs": 3}) for at in range(items))
    place, run = np.tile(np.arange(items), RUNS), np.repeat(np.arange(RUNS), items)
    none = np.zeros(place.size, dtype=np.int64)
    arms = {}
    for arm, share in zip(ARMS, truth, strict=True):
        knows = np.tile(np.arange(items) < round(share * items), RUNS)
        right = np.where(rng.random(place.size) < REDRAWN, rng.random(place.size) < LUCK, knows)
        codes = np.where(right, OUTCOMES.index(Outcome.CORRECT), OUTCOMES.index(Outcome.WRONG)).astype(np.uint8)
        arms[arm] = Grades(place, run, codes, none, none, none.astype(np.uint16))
    return {each.name: each.estimate for each in TEST.measure(Table("m", "b", asked, arms))}


def noise_table(draws: int, rng: np.random.Generator) -> list[str]:
    """What noise takes from R as published, and from R less what repeats alone give."""
    lines = [
        "",
        "## What run-to-run noise takes from R",
        "",
        f"Each row is {draws} simulated studies with two repeats; {REDRAWN:.0%} of the answers are drawn anew, "
        "and nothing else is random. Means with their standard errors.",
        "",
        "| model | true R | items | `robustness` | `robustness_beyond_rerun` | coverage of its 95% CI |",
        "|---|---|---|---|---|---|",
    ]
    for name in ("guesses", "sees, guesses without the image", "half by shortcuts"):
        for items in (60, 200, 1000):
            known = [round(share * items) / items for share in MODELS[name]]
            right = float(scores(np.array([known]) * (1 - REDRAWN) + REDRAWN * LUCK)[0, 0])
            found = [repeated(MODELS[name], items, rng) for _ in range(draws)]
            told = []
            for score in (WHOLE, BEYOND):
                values = np.array([each[score].value for each in found])
                told.append(f"{values.mean():.4f} ± {values.std(ddof=1) / np.sqrt(draws):.4f}")
            held = np.mean([each[BEYOND].low <= right <= each[BEYOND].high for each in found])
            lines.append(f"| {name} | {right:.4f} | {items} | {told[0]} | {told[1]} | {held:.3f} |")
    return lines


def main() -> None:
    """Draw and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    lines = [
        "# How often does the 95% CI of the robustness score contain the true score?",
        "",
        f"Redraw this page with `python research/robustness_interval/measure.py --draws {chosen.draws} "
        f"--out {chosen.out.as_posix()}`.",
        f"Each row is {chosen.draws} simulated studies of a model whose true accuracies are known. The nominal "
        "coverage is 0.95.",
        "",
        "| model | true R | items | coverage of the 95% CI | mean width |",
        "|---|---|---|---|---|",
    ]
    for name, truth in MODELS.items():
        for items in (60, 200):
            held, width = coverage(truth, items, chosen.draws, rng)
            right = float(scores(np.array([truth]))[0, 0])
            lines.append(f"| {name} | {right:.3f} | {items} | {held:.3f} | {width:.3f} |")
    lines += noise_table(chosen.draws, rng)
    chosen.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
