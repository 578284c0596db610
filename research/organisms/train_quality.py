"""Train the judge of image quality from freshly drawn and degraded phantoms, and store it as float16 in quality.npz.

    pip install -e '.[train]' && python research/organisms/train_quality.py --pictures 30000

Benchmarks draw phantoms with seeds up to LAST_SEED only; training uses larger ones, so no picture of any benchmark is
ever trained on. A picture is fit to be read up to the weak strength and too poor from near the strong one on; between
them the share that calls it poor grows.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from numpy.random import Generator
from torch import nn
from torch.nn import functional

from snellen.benchmarks.phantoms.catalogue import MODALITIES
from snellen.benchmarks.phantoms.patients import LAST_SEED, pick, round_of_patients
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.images import Pixels
from snellen.models.organisms.quality import LAYERS, WEIGHTS, features
from snellen.perturb.artefacts import ARTEFACTS, PUBLISHED, Degradation

KINDS = {"brain MRI": "MRI", "OCT": "OCT"}
SAME_PROBLEM = {"motion-as-published": "motion"}
PROBLEMS = tuple(dict.fromkeys(SAME_PROBLEM.get(name, name) for name in ARTEFACTS))
WIDE = (160, 64)
BATCH = 256
FIT, POOR = 0.5, 0.8
"""Severities up to the first are fit to be read, from the second on too poor."""
FALSE_FLAGS = 0.002
"""The share of clean pictures that may be called poor."""
CLEAN = 0.2
AS_STORED = 0.2
"""The shares of pictures without any artefact, and of those whose grey scale is stretched or whose size is another."""


class Sample(NamedTuple):
    """The measures of a picture, what spoils it (0 for nothing) and how sure that makes it too poor."""

    measured: np.ndarray
    problem: int
    poor: float


def drawn(rng: Generator) -> Phantom:
    """A phantom as a benchmark has them, with a seed that no benchmark uses; half of them normal, as in detection."""
    modality = pick(rng, MODALITIES)
    phantom = pick(rng, round_of_patients(modality, rng)).phantom
    phantom = replace(phantom, seed=LAST_SEED + 1 + int(rng.integers(LAST_SEED)))
    if rng.random() < 0.5:
        phantom = replace(phantom, finding="normal", location="", count=0, size="")
    return phantom


def severity(rng: Generator) -> float:
    """Often weak or strong, which is what is asked for; else anything between none and strong."""
    return float(rng.choice([0.5, 1.0]) if rng.random() < 0.4 else rng.random())


def sample(rng: Generator) -> Sample:
    """One phantom, clean or with one artefact."""
    phantom = drawn(rng)
    pixels = phantom.draw()
    if rng.random() < CLEAN:
        return Sample(features(as_stored(pixels, rng)), 0, 0.0)
    name = pick(rng, tuple(PUBLISHED) if rng.random() < 0.4 else tuple(ARTEFACTS))
    worse = severity(rng)
    part = ARTEFACTS[name].draw(worse, rng, kind=KINDS.get(phantom.modality, "X-ray"))
    scale = "stretched" if rng.random() < AS_STORED else "kept"
    spoilt = Degradation((part,), scale)(pixels)
    poor = float(np.clip((worse - FIT) / (POOR - FIT), 0, 1))
    return Sample(features(spoilt), 1 + PROBLEMS.index(SAME_PROBLEM.get(name, name)), poor)


def as_stored(pixels: Pixels, rng: Generator) -> Pixels:
    """A clean picture, now and then of another size: that alone is no fault."""
    if rng.random() >= AS_STORED:
        return pixels
    side = int(rng.integers(224, 800))
    return np.asarray(cv2.resize(pixels, (side, side), interpolation=cv2.INTER_AREA if side < 512 else cv2.INTER_CUBIC))


def samples(seed: int, count: int) -> list[Sample]:
    """So many samples of one seed."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    return [sample(rng) for _ in range(count)]


class Judging(nn.Module):
    """The network as it is trained, on measures brought to zero mean and unit spread."""

    def __init__(self, measured: torch.Tensor) -> None:
        super().__init__()
        self.middle, self.spread = measured.mean(0), measured.std(0) + 1e-3
        wide = (measured.shape[1], *WIDE, 1 + len(PROBLEMS))
        self.layers = nn.ModuleList(nn.Linear(wide[at], wide[at + 1]) for at in range(LAYERS))
        self.drop = nn.Dropout(0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The logits of nothing and of each problem."""
        x = ((x - self.middle) / self.spread).clamp(-6, 6)
        for layer in self.layers[:-1]:
            x = self.drop(functional.relu(layer(x)))
        return self.layers[-1](x)

    def stored(self) -> dict[str, np.ndarray]:
        """The arrays that the NumPy judge reads."""
        arrays = {"middle": self.middle.numpy().astype(np.float32), "spread": self.spread.numpy().astype(np.float32)}
        for at, layer in enumerate(self.layers):
            arrays[f"weight{at}"] = layer.weight.detach().T.contiguous().numpy().astype(np.float16)
            arrays[f"bias{at}"] = layer.bias.detach().numpy().astype(np.float32)
        return arrays | {"problems": np.array(PROBLEMS)}


def shares_meant(problem: torch.Tensor, poor: torch.Tensor) -> torch.Tensor:
    """What the judge should answer: `poor` for the problem, the rest for nothing."""
    meant = functional.one_hot(problem, 1 + len(PROBLEMS)).float() * poor[:, None]
    meant[:, 0] = 1 - poor
    return meant


def train(measured: torch.Tensor, problem: torch.Tensor, poor: torch.Tensor, *, epochs: int) -> Judging:
    """Train on all samples, the learning rate falling to nothing."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net, meant = Judging(measured), shares_meant(problem, poor)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.05)
    steps = epochs * -(-len(measured) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps)
    for _ in range(epochs):
        for chosen in torch.randperm(len(measured)).split(BATCH):
            loss = functional.cross_entropy(net(measured[chosen]), meant[chosen], label_smoothing=0.01)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return net.eval()


def calibrate(net: Judging, measured: torch.Tensor, problem: torch.Tensor) -> None:
    """Move the bias of nothing so that even odds call no more clean pictures poor than they may."""
    with torch.no_grad():
        logits = net(measured[problem == 0])
        margin = torch.logsumexp(logits[:, 1:], 1) - logits[:, 0]
        net.layers[-1].bias[0] += torch.quantile(margin, 1 - FALSE_FLAGS)


def tensors(made: list[Sample]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Samples as columns."""
    measured, problem, poor = zip(*made, strict=True)
    return torch.from_numpy(np.stack(measured).astype(np.float32)), torch.tensor(problem), torch.tensor(poor)


def main() -> None:
    """Draw, train, calibrate on other pictures, and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=30_000)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    settings = parser.parse_args()
    each = 250
    with Pool(settings.processes) as pool:
        made = pool.starmap(samples, [(seed, each) for seed in range(settings.pictures // each)], chunksize=1)
    everything = [one for some in made for one in some]
    held = len(everything) // 10
    net = train(*tensors(everything[held:]), epochs=settings.epochs)
    measured, problem, _ = tensors(everything[:held])
    calibrate(net, measured, problem)
    np.savez_compressed(settings.out, **net.stored())
    print(f"{settings.out}: {settings.out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
