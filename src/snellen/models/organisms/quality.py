"""Image quality: whether an image is too poor to be read and why, from its pixels alone.

The judge is a small network of plain NumPy on hand-made measures. Its weights and the names of problems are in
quality.npz. research/organisms/train_quality.py made them from phantoms, so it does not know real images.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.images import Pixels, decode
from snellen.models.organisms.sight import Quality

WEIGHTS = Path(__file__).with_name("quality.npz")
LAYERS = 3


@dataclass(frozen=True)
class Judge:
    """A network of three layers on scaled measures, with one probability per problem."""

    middle: Features
    spread: Features
    weights: tuple[Features, ...]
    biases: tuple[Features, ...]
    problems: tuple[str, ...]

    def __call__(self, measured: Features) -> Quality:
        """Judge an image from its measures."""
        shares = self.shares(measured)
        return Quality(float(1 - shares[0]), self.problems[int(shares[1:].argmax())])

    def shares(self, measured: Features) -> Features:
        """Return the probabilities of good quality and of each problem."""
        x = np.clip((measured - self.middle) / self.spread, -6, 6)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = np.maximum(np.einsum("i,ij->j", x, weight) + bias, 0)
        logits = np.einsum("i,ij->j", x, self.weights[-1]) + self.biases[-1]
        raised = np.exp(logits - logits.max())
        return cast("Features", raised / raised.sum())


@cache
def judge() -> Judge:
    """Load the network with its stored weights."""
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


def judge_quality(data: bytes) -> Quality:
    """Judge the quality of an encoded image file."""
    return quality(decode(data, name="to judge"))


def quality(pixels: Pixels) -> Quality:
    """Judge the quality of an image."""
    return judge()(features(pixels))


Features = NDArray[np.float64]

SIDE = 256
"""Side in pixels for measuring spectrum and shades. Noise and blocks are measured on the original image."""

STAMP = 32
BLOCK = 8
_BANDS = (4, 8, 16, 32, 64, 96, 128)
_SHARES = (1, 5, 25, 50, 75, 95, 99)
_FLOOR = 1e-6
_HIGH_PASS = np.outer((1, -2, 1), (1, -2, 1)) / 6
"""A filter that removes slopes and keeps the standard deviation of noise."""
_WINDOW = np.outer(np.hanning(SIDE + 2)[1:-1], np.hanning(SIDE + 2)[1:-1])


def features(pixels: Pixels) -> Features:
    """Return all measures of an image, 8 or 16 bits, grey or colour; always finite."""
    full = _grey(pixels)
    even = cv2.resize(full, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    measured = [_shades(full, even), _edges(full), _spectrum(even), _borders(even), _stamp(even)]
    return cast("Features", np.concatenate(measured))


def _grey(pixels: Pixels) -> Features:
    """Return the image as one channel from 0 to 1."""
    whole = 255.0 if pixels.dtype == np.uint8 else 65535.0
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) if pixels.ndim == 3 else pixels
    return cast("Features", grey.astype(np.float64) / whole)


def _shades(full: Features, even: Features) -> Features:
    """Return mean, spread and percentiles of grey values, and the shares of black and white."""
    ends = [(full <= 0).mean(), (full >= 1).mean(), (full < 0.02).mean(), (full > 0.98).mean()]
    return np.array([even.mean(), even.std(), *np.percentile(even, _SHARES), *ends])


def _edges(full: Features) -> Features:
    """Return measures of noise, sharpness and JPEG blocks, from a high-pass filter."""
    measured = []
    for scale in (full, _halve(full), _halve(_halve(full))):
        left = np.abs(cv2.filter2D(scale, -1, _HIGH_PASS))
        step = 1 + max(left.shape) // 128
        measured += [*np.percentile(left[::step, ::step], (25, 50, 75, 95, 99.5)), left.mean()]
    return np.concatenate([np.log(np.array(measured) + 1e-4), _blocks(full, 0), _blocks(full, 1)])


def _halve(picture: Features) -> Features:
    size = (max(1, picture.shape[1] // 2), max(1, picture.shape[0] // 2))
    return cast("Features", cv2.resize(picture, size, interpolation=cv2.INTER_AREA))


def _blocks(full: Features, axis: int) -> Features:
    """Compare differences across the edges of 8 × 8 blocks with those within. The second value is flatness."""
    steps = np.abs(np.diff(full, axis=axis)).mean(axis=1 - axis)
    across = steps[BLOCK - 1 :: BLOCK]
    within = np.delete(steps, np.arange(BLOCK - 1, len(steps), BLOCK))
    if not across.size or not within.size:
        return np.zeros(2)
    return np.array([np.log((across.mean() + 1e-4) / (within.mean() + 1e-4)), np.log(within.mean() + 1e-4)])


def _spectrum(even: Features) -> Features:
    """Return the power in each frequency band, and its excess along each axis."""
    power = np.abs(np.fft.rfft2((even - even.mean()) * _WINDOW)) ** 2
    energy = np.array([power[part].mean() for part in _wedges()]) + _FLOOR
    total, rows, columns = np.log(energy).reshape(3, -1)
    return np.concatenate([total, rows - total, columns - total])


@cache
def _wedges() -> list[NDArray[np.bool_]]:
    """Return the frequencies of each band: all, along rows, along columns."""
    down = np.abs(np.fft.fftfreq(SIDE) * SIDE)[:, None]
    along = np.fft.rfftfreq(SIDE)[None, :] * SIDE
    radius = np.hypot(down, along)
    bands = [(low <= radius) & (radius < high) for low, high in zip((0, *_BANDS), _BANDS, strict=False)]
    return [
        *bands,
        *(band & (along > 3 * down) for band in bands),
        *(band & (down > 3 * along) for band in bands),
    ]


def _borders(even: Features) -> Features:
    """Return the darkness of each corner and side, to recognise rotation and crop."""
    step = SIDE // 8
    corners = [even[rows, columns] for rows in _ends(step) for columns in _ends(step)]
    sides = [even[rows, :] for rows in _ends(4)] + [even[:, columns] for columns in _ends(4)]
    dark = [(part < 0.01).mean() for part in (*corners, *sides)]
    return np.array([*dark, *(part.mean() for part in sides), *(part.std() for part in sides)])


def _ends(width: int) -> tuple[slice, slice]:
    return slice(0, width), slice(SIDE - width, SIDE)


def _stamp(even: Features) -> Features:
    """Return a small image of mean 0 and SD 1, to recognise orientation and crop."""
    small = cv2.resize(even, (STAMP, STAMP), interpolation=cv2.INTER_AREA)
    return cast("Features", ((small - small.mean()) / (small.std() + 0.02)).ravel())
