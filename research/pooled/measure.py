"""Do means over patients and models have honest intervals? Simulated studies of models under weak artefacts.

Redraw the page with `python research/pooled/measure.py --draws 1000 --out research/pooled/results.md`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from snellen.stats import bootstrap_of_means, crossed_difference, crossed_mean, crossed_ratio

Floats = NDArray[np.float64]
BEFORE, LOSS = 0.7, 0.1
"""Accuracy on the originals and what weak artefacts take from it, in the population of models."""
CELLS = 6
"""Prompts and artefacts that each model is asked by."""
PATIENTS, MODELS = (50, 200), (3, 6, 12)


class Models(NamedTuple):
    """A population of models: how their losses are drawn, and in words."""

    words: str
    losses: Callable[[np.random.Generator, int], Floats]


POPULATIONS = (
    Models("all lose 10 points", lambda rng, count: np.full(count, LOSS)),
    Models("lose 5 to 15 points", lambda rng, count: rng.uniform(LOSS - 0.05, LOSS + 0.05, count)),
    Models("lose −10 to 30 points", lambda rng, count: rng.uniform(LOSS - 0.2, LOSS + 0.2, count)),
    Models("one in five loses 50 points, the others nothing", lambda rng, count: 0.5 * (rng.random(count) < 0.2)),
)


def drawn(level: Floats, loss: Floats, patients: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Right or wrong before and after, patients × models × cells; hard patients are hard for every model."""
    count = len(level)
    hard = rng.uniform(-0.15, 0.15, patients)[:, None, None]
    once = rng.random((patients, count, 1))
    shape = (patients, count, CELLS)
    before, after = (np.where(rng.random(shape) < 0.7, once, rng.random(shape)) for _ in range(2))
    wide = (level + hard[..., 0])[..., None]
    return (before < wide).astype(float), (after < wide - loss[:, None]).astype(float)


def plain(before: Floats, after: Floats) -> tuple[float, float]:
    """The change of the mean, the patients drawn again, as `pooled-artefacts` has it beside the mixed one."""
    columns = np.hstack([each.reshape(len(each), -1) for each in (after, before)])
    [found] = bootstrap_of_means(columns, _change, seed=0, resamples=300)
    return found.low, found.high


def _change(means: Floats) -> list[Floats]:
    after, before = np.split(means, 2, axis=1)
    return [after.mean(axis=1) / before.mean(axis=1) - 1]


def satterthwaite(table: Floats) -> tuple[float, float]:
    """The mean with one t by Satterthwaite's degrees of freedom, which we do not use."""
    patients, models = table.shape
    mean, rows, columns = table.mean(), table.mean(axis=1), table.mean(axis=0)
    left = table - rows[:, None] - columns + mean
    parts = [
        (((rows - mean) ** 2).sum() / (patients * (patients - 1)), patients - 1),
        (((columns - mean) ** 2).sum() / (models * (models - 1)), models - 1),
        ((left**2).sum() / (table.size * (patients - 1) * (models - 1)), (patients - 1) * (models - 1)),
    ]
    of_patients, of_models, together = (part for part, _ in parts)
    square = max(of_patients + of_models - together, of_patients, of_models)
    freedom = square**2 / sum(part**2 / degrees for part, degrees in parts)
    half = float(stdtrit(freedom, 0.975)) * sqrt(square)
    return mean - half, mean + half


class Held(NamedTuple):
    """Of one setting, by interval: in which share of the studies it holds the truth, and how wide it is on average."""

    shares: dict[str, float]
    widths: dict[str, float]

    def line(self, models: Models, patients: int, count: int) -> str:
        """A line of the table."""
        told = " | ".join(f"{self.shares[name]:.3f} | {100 * self.widths[name]:.1f}" for name in INTERVALS)
        return f"| {models.words} | {patients} | {count} | {told} |"


MIXED = ("rate", "points", "change")
INTERVALS = (*MIXED, "Satterthwaite", "patients, other models", "patients, these models")


def simulated(models: Models, patients: int, count: int, draws: int) -> Held:
    """How often each interval holds the truth."""
    rng = np.random.default_rng([patients, count, POPULATIONS.index(models)])
    held, widths = np.zeros(len(INTERVALS)), np.zeros(len(INTERVALS))
    for _ in range(draws):
        level, loss = rng.uniform(BEFORE - 0.1, BEFORE + 0.1, count), models.losses(rng, count)
        cells = drawn(level, loss, patients, rng)
        before, after = (each.mean(axis=2) for each in cells)
        rate, points = crossed_mean(after).estimate, crossed_difference(before, after).estimate
        ratio, over_patients = crossed_ratio(after, before), plain(*cells)
        change = -LOSS / BEFORE
        truths = (BEFORE - LOSS, -LOSS, change, -LOSS, change, -loss.mean() / level.mean())
        ends = (
            (rate.low, rate.high), (points.low, points.high), (ratio.low - 1, ratio.high - 1),
            satterthwaite(after - before), over_patients, over_patients,
        )  # fmt: skip
        held += [low <= truth <= high for truth, (low, high) in zip(truths, ends, strict=True)]
        widths += [high - low for low, high in ends]
    return Held(*(dict(zip(INTERVALS, (each / draws).tolist(), strict=True)) for each in (held, widths)))


def page(draws: int, out: Path) -> Iterator[str]:
    """The lines of the page."""
    settings = list(product(POPULATIONS, PATIENTS, MODELS))
    found = [simulated(*setting, draws) for setting in settings]
    even = [each for each, (models, *_) in zip(found, settings, strict=True) if models is not POPULATIONS[-1]]
    tailed = [each for each in found if each not in even]
    more = [each for each, (models, _, count) in zip(found, settings, strict=True) if each in even and count >= 6]
    lowest, highest = spanned(even, *MIXED)
    error = sqrt(0.95 * 0.05 / draws)
    yield "# Do means over patients and models have honest intervals?\n"
    yield f"Redraw this page with `python research/pooled/measure.py --draws {draws} --out {out.as_posix()}`.\n"
    yield (
        f"Each row is {draws} simulated studies. Every model answers every patient's image as it is and with "
        f"artefacts, in {CELLS} cells of prompt and artefact. Models are drawn anew for each study, from a population "
        f"that is right on {BEFORE:.0%} of the originals and loses {100 * LOSS:.0f} points on average. The table says "
        "how often a 95% CI holds the value of that population, and its mean width (points; of a change, percent). A "
        f"coverage of 0.95 has a Monte Carlo standard error of {error:.4f}.\n"
    )
    yield (
        "- *Rate*, *points*, *change*: `crossed_mean` of the accuracy under artefacts, `crossed_difference` and "
        "`crossed_ratio`, as the test `pooled-artefacts` has them.\n"
        "- *Satterthwaite*: the difference with one Student's t by Satterthwaite's degrees of freedom.\n"
        "- *Patients*: the change of the mean with the patients drawn again, as `pooled-artefacts` has it for the "
        "figures as published; held against the population of models, and against the models of the study.\n"
    )
    yield (
        f"Where models have no long tail, the mixed intervals hold the truth in {lowest:.1%} to {highest:.1%} of "
        f"studies (with six models or more, {spanned(more, *MIXED)[0]:.1%} or more), and one t by Satterthwaite in "
        f"{spanned(even, 'Satterthwaite')[0]:.1%} or more. The interval over "
        f"patients holds the value of the models at hand in {spanned(found, INTERVALS[-1])[0]:.1%} or more, and that "
        f"of other models in as few as {spanned(even, INTERVALS[-2])[0]:.1%}. With a long tail, the mixed intervals "
        f"hold the truth in {spanned(tailed, 'points')[0]:.1%} to {spanned(tailed, 'points')[1]:.1%} (points): of "
        "three models, none is of a kind that makes up a fifth of all in half of the studies, and no interval can "
        "know of what was not seen.\n"
    )
    heads = " | ".join(f"{name} | width" for name in INTERVALS)
    yield f"| losses | patients | models | {heads} |"
    yield f"|{'---|' * (3 + 2 * len(INTERVALS))}"
    yield from (each.line(*setting) for each, setting in zip(found, settings, strict=True))


def spanned(found: Sequence[Held], *names: str) -> tuple[float, float]:
    """The lowest and the highest coverage."""
    shares = [each.shares[name] for each in found for name in names]
    return min(shares), max(shares)


def main() -> None:
    """Draw and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.out.write_text("\n".join(page(chosen.draws, chosen.out)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
