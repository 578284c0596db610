"""How often the intervals of labels, of a judge, and of both together hold the true share, for judges of many kinds.

    python research/prediction_powered/measure.py --out research/prediction_powered/results.md

Responses are drawn of which people would call 70% correct; a judge whose errors are known grades all of them, and
people label a random sample. Every draw is estimated by `snellen.stats.prediction_powered_mean`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snellen.stats import PredictionPowered, prediction_powered_mean

Numbers = NDArray[np.float64]
Judge = Callable[[Numbers, Numbers, np.random.Generator], Numbers]

TRUTH = 0.7
SIZES = ((200, 20), (200, 50), (200, 100), (600, 20), (600, 50), (600, 100), (600, 300))
SIZES += ((2000, 20), (2000, 50), (2000, 100), (2000, 300))
IN_PATIENTS = ((600, 50), (2000, 100))
PATIENT = 5
"""So many responses of one patient, which are alike in half of the cases."""


def errs(false_pass: float, false_fail: float) -> Judge:
    """A judge that passes and fails wrongly so many of all responses."""

    def judge(labels: Numbers, hardness: Numbers, rng: np.random.Generator) -> Numbers:
        luck = rng.random(labels.size)
        return np.where(labels == 1, luck >= false_fail / TRUTH, luck < false_pass / (1 - TRUTH)).astype(float)

    return judge


def near_random(labels: Numbers, hardness: Numbers, rng: np.random.Generator) -> Numbers:
    """A judge that sees one response in ten and passes 70% of the others at random."""
    return np.where(rng.random(labels.size) < 0.1, labels, rng.random(labels.size) < TRUTH).astype(float)


def fooled_by_hard(labels: Numbers, hardness: Numbers, rng: np.random.Generator) -> Numbers:
    """A judge that passes what it cannot decide, which are the hard ones."""
    return np.where(rng.random(labels.size) < 1 - 0.6 * hardness, labels, 1.0)


JUDGES: dict[str, Judge] = {
    "unbiased, 10% wrong": errs(0.05, 0.05),
    "lenient, +15 points": errs(0.15, 0.0),
    "harsh, −15 points": errs(0.0, 0.15),
    "lenient, +5 points": errs(0.05, 0.0),
    "near random": near_random,
    "perfect": errs(0.0, 0.0),
    "lenient on hard questions": fooled_by_hard,
}


def drawn(judge: Judge, size: tuple[int, int], patients: bool, rng: np.random.Generator) -> PredictionPowered:
    """One study: responses, the judge's grades of all, people's labels of some."""
    responses, labelled = size
    cluster = np.arange(responses) // PATIENT
    hardness, luck = rng.random(responses), rng.random(responses)
    if patients:
        alike, shared = rng.random(responses) < 0.5, rng.random((2, cluster.max() + 1))[:, cluster]
        hardness, luck = np.where(alike, shared, (hardness, luck))
    labels = (luck < TRUTH + 0.5 * (0.5 - hardness)).astype(float)
    grades = judge(labels, hardness, rng)
    unlabelled = rng.permutation(responses)[labelled:]
    labels[unlabelled] = np.nan
    return prediction_powered_mean(grades, labels, cluster if patients else None)


def row(name: str, size: tuple[int, int], patients: bool, draws: int, rng: np.random.Generator) -> tuple[str, float]:
    """A line of the table, and the coverage of judge and labels together."""
    held, widths, weights = np.zeros(3), np.zeros(3), 0.0
    for _ in range(draws):
        found = drawn(JUDGES[name], size, patients, rng)
        estimates = (found.labels_only, found.judge_only, found.corrected)
        held += [each.low <= TRUTH <= each.high for each in estimates]
        widths += [each.high - each.low for each in estimates]
        weights += found.weight
    shares, mean = held / draws, widths / draws
    cells = [f"{share:.3f} | {100 * width:.1f}" for share, width in zip(shares, mean, strict=True)]
    kind = f"{name}, patients" if patients else name
    return f"| {kind} | {size[0]} | {size[1]} | {' | '.join(cells)} | {weights / draws:.2f} |", float(shares[2])


def main() -> None:
    """Draw and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    rows = [row(name, size, False, chosen.draws, rng) for name in JUDGES for size in SIZES]
    rows += [row(name, size, True, chosen.draws, rng) for name in JUDGES for size in IN_PATIENTS]
    error = np.sqrt(0.95 * 0.05 / chosen.draws)
    lowest, highest = min(share for _, share in rows), max(share for _, share in rows)
    lines = [
        "# Does a judge, corrected by human labels, have an honest interval?",
        "",
        f"Redraw this page with `python research/prediction_powered/measure.py --draws {chosen.draws} "
        f"--out {chosen.out.as_posix()}`.",
        f"Each row is {chosen.draws} simulated studies in which people would call {TRUTH:.0%} of the responses "
        "correct. The judge grades all responses; people label some of them, drawn at random. A coverage of 0.95 has a "
        f"Monte Carlo standard error of {error:.4f}. Widths are those of the 95% CI, in points. λ is the weight of the "
        f"judge. In rows marked “patients”, {PATIENT} responses belong to each patient and count as one cluster.",
        "",
        f"Judge and labels together contain the true share in {lowest:.1%} to {highest:.1%} of studies, whatever the "
        "judge. The judge alone does so only where it has no bias. Coverage exceeds 95% where few labels meet a judge "
        "that is seldom wrong: labels that all agree cannot show how seldom it errs, so the interval allows for errors "
        "that were not seen. A judge that is near random makes no interval shorter.",
        "",
        "| judge | responses | labels | coverage, labels alone | width | coverage, judge alone | width "
        "| coverage, both | width | mean λ |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *(line for line, _ in rows),
    ]
    chosen.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
