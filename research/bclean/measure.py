"""How far the Mirage paper's rule and ours are from the truth, on simulated benchmarks of which it is known.

Run: python research/bclean/measure.py [--worlds N] [--intervals N] [--resamples N]; writes measured.json and prints the
tables of results.md. One core, about three minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
from simulated import WORLDS, Simulated, World, simulate, with_draws

from snellen.stats.compromised import clean_accuracies, fit, percentile_interval, posterior, resample_fits

HERE = Path(__file__).parent
DRAWS = (1, 5)


def main() -> None:
    """Measure every world and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--intervals", type=int, default=6)
    parser.add_argument("--resamples", type=int, default=40)
    given = parser.parse_args()
    began = time.process_time()
    rows = []
    for world, draws in product(WORLDS, DRAWS):
        rows.append(measured(world, draws, given.worlds, given.intervals, given.resamples))
        print(f"{world.name}, {draws}: {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)
    record = {**vars(given), "seconds": round(time.process_time() - began), "rows": rows}
    (HERE / "measured.json").write_text(json.dumps(record, indent=1) + "\n")
    for line in table(rows):
        print(line)


def measured(world: World, draws: int, worlds: int, intervals: int, resamples: int) -> dict[str, object]:
    """One world: bias and error of both accuracies, what is removed and found, calibration, coverage."""
    found = [_one(with_draws(world, draws), seed, resamples if seed < intervals else 0) for seed in range(worlds)]
    mean = {name: float(np.mean([each[name] for each in found])) for name in found[0] if name not in _APART}
    gaps = {name: np.array([each[f"{name}_gaps"] for each in found]) for name in ("paper", "ours")}
    covered = np.array([each["covered"] for each in found[:intervals]]).ravel()
    calls = np.concatenate([each["calls"] for each in found])
    truth = np.concatenate([each["truth"] for each in found])
    sure = calls >= 0.9
    return {
        "world": world.name,
        "draws": draws,
        **{name: round(value, 4) for name, value in mean.items()},
        **{f"{name}_bias": round(float(each.mean()), 4) for name, each in gaps.items()},
        **{f"{name}_rmse": round(float(np.sqrt(np.mean(each**2))), 4) for name, each in gaps.items()},
        "se_of_bias": round(float(gaps["ours"].mean(axis=1).std() / np.sqrt(worlds)), 4),
        "coverage": round(float(covered.mean()), 3),
        "called_at_0.9": round(float(sure.mean()), 4),
        "compromised_of_called": round(float(truth[sure].mean()), 4) if sure.any() else None,
    }


_APART = ("paper_gaps", "ours_gaps", "covered", "calls", "truth")


def _one(world: World, seed: int, resamples: int) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    sim = simulate(world, rng)
    kept = ~np.any([_first(each.options, rng) for each in sim.removed], axis=0)
    paper = np.array([(each.options[kept, 0] / world.draws).mean() for each in sim.shown])
    said = posterior(fit(sim.removed, sim.chance), sim.removed, sim.chance)
    ours = np.array([each.accuracy for each in clean_accuracies(said, sim.shown, sim.chance)])
    by_any = sim.compromised.any(axis=0)
    return {
        "kept": float(kept.mean()),
        "clean": float((~by_any).mean()),
        "clean_items_kept": float(kept[~by_any].mean()),
        "compromised_found": float((1 - said.clean).mean() - by_any.mean()),
        "paper_gaps": paper - sim.truth,
        "ours_gaps": ours - sim.truth,
        "covered": _covered(sim, ours, float(said.clean.sum()), kept, resamples, seed) if resamples else (),
        "calls": 1 - said.clean,
        "truth": by_any,
    }


def _first(options: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether the first draw is right: any of the draws may be the first."""
    return rng.random(len(options)) < options[:, 0] / options.sum(axis=1)


def _covered(sim: Simulated, ours: np.ndarray, items: float, kept: np.ndarray, resamples: int, seed: int) -> list[bool]:
    n = len(kept)
    drawn = resample_fits(sim.removed, sim.shown, sim.chance, kept, np.arange(n), resamples=resamples, seed=seed)
    bounds = [percentile_interval(value, drawn.clean[:, at], n, "", items=items) for at, value in enumerate(ours)]
    return [bool(each.low <= true <= each.high) for each, true in zip(bounds, sim.truth, strict=True)]


def table(rows: list[dict[str, object]]) -> list[str]:
    """The tables of results.md."""
    lines = [
        "| world | draws | clean items that the rule keeps | bias of the rule | RMSE | bias, corrected | RMSE "
        "| coverage of 95% CIs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['world']} | {row['draws']} | {row['clean_items_kept']:.0%} | {_points(row['paper_bias'])} | "
            f"{100 * row['paper_rmse']:.1f} | {_points(row['ours_bias'])} | {100 * row['ours_rmse']:.1f} | "
            f"{row['coverage']:.0%} |"
        )
    lines += [
        "",
        "| world | draws | share compromised, estimate less truth | items with a posterior of at least 0.9 "
        "| of these, compromised |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        of = row["compromised_of_called"]
        lines.append(
            f"| {row['world']} | {row['draws']} | {_points(row['compromised_found'])} | {row['called_at_0.9']:.0%} | "
            f"{'–' if of is None else f'{of:.1%}'} |"
        )
    return lines


def _points(value: object) -> str:
    return f"{100 * float(value):+.1f}".replace("-", "−")  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
