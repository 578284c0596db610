"""Quality: whether a image is too poor to be read, and what spoils it, judged from its pixels alone.

The judge is a small network of plain NumPy over hand-made measures. Its weights, and the names of what can spoil a
image, lie beside it in quality.npz and are made by studies/train_quality.py from phantoms; of other images it knows
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from snellen.images import Pixels, decode
from snellen.models.organisms.quality_features import Features, features

WEIGHTS = Path(__file__).with_name("quality.npz")
LAYERS = 3


@dataclass(frozen=True)
class Quality:
    """`poor` is how likely the image is too poor to be read, `problem` what then spoils it most likely."""

    poor: float
    problem: str

    @property
    def readable(self) -> bool:
        """Whether it is rather fit to be read."""
        return self.poor < 0.5


@dataclass(frozen=True)
class Judge:
    """Measures brought to one scale, three layers, and a share for each problem; the first share is for none."""

    middle: Features
    spread: Features
    weights: tuple[Features, ...]
    biases: tuple[Features, ...]
    problems: tuple[str, ...]

    def __call__(self, measured: Features) -> Quality:
        """The judgement of one image."""
        shares = self.shares(measured)
        return Quality(float(1 - shares[0]), self.problems[int(shares[1:].argmax())])

    def shares(self, measured: Features) -> Features:
        """How likely the image is fit to be read, and how likely each problem spoils it."""
        x = np.clip((measured - self.middle) / self.spread, -6, 6)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = np.maximum(np.einsum("i,ij->j", x, weight) + bias, 0)
        logits = np.einsum("i,ij->j", x, self.weights[-1]) + self.biases[-1]
        raised = np.exp(logits - logits.max())
        return cast("Features", raised / raised.sum())


@cache
def judge() -> Judge:
    """The judge with its stored weights."""
    with np.load(WEIGHTS) as stored:
        arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
    full = {name: array.astype(np.float64) for name, array in arrays.items() if array.dtype.kind == "f"}
    return Judge(
        middle=full["middle"],
        spread=full["spread"],
        weights=tuple(full[f"weight{layer}"] for layer in range(LAYERS)),
        biases=tuple(full[f"bias{layer}"] for layer in range(LAYERS)),
        problems=tuple(str(problem) for problem in arrays["problems"]),
    )


def judged(data: bytes) -> Quality:
    """The quality of an encoded image file."""
    return quality(decode(data, name="to judge"))


def quality(pixels: Pixels) -> Quality:
    """The quality of a image."""
    return judge()(features(pixels))
