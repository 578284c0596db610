"""Vision: a small network recognises what an image shows, with its confidence.

The network is plain NumPy. Its weights, and the words it knows, are in vision.npz. research/organisms/train_vision.py
makes them; the network knows only its training images. It computes in 64 bits, because processors add in different
orders, and the differences are then too small to change an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from snellen.images import Pixels, decode
from snellen.models.organisms.sight import NOTHING, Percept

Tensor = NDArray[np.float64]

SIDE = 128
"""Side of the network's input in pixels, with three colours."""

HEADS = ("finding", "side", "location", "count", "size")
STRIDES = (4, 1, 2, 2, 1)
WEIGHTS = Path(__file__).with_name("vision.npz")
_ONE_THREAD = 250_000


@dataclass(frozen=True)
class Network:
    """Convolutions, a layer that combines them, and one output ("head") per field of a percept.

    Finding and location are labelled "modality|value", since each modality has its own.
    """

    kernels: tuple[Tensor, ...]
    shifts: tuple[Tensor, ...]
    joint: tuple[Tensor, Tensor]
    heads: Mapping[str, tuple[Tensor, Tensor]]
    labels: Mapping[str, tuple[str, ...]]

    def __call__(self, picture: Tensor) -> dict[str, Tensor]:
        """Return the probability of every label of every head."""
        x = picture
        for kernel, shift, stride in zip(self.kernels, self.shifts, STRIDES, strict=True):
            x = _convolve(x, kernel, stride) + shift
            np.maximum(x, 0, out=x)
        features = np.concatenate([x.ravel(), x.mean(axis=(0, 1)), x.max(axis=(0, 1))])
        hidden = np.maximum(np.einsum("i,ij->j", features, self.joint[0]) + self.joint[1], 0)
        return {
            name: _softmax(np.einsum("i,ij->j", hidden, weight) + bias) for name, (weight, bias) in self.heads.items()
        }


def _convolve(x: Tensor, kernel: Tensor, stride: int) -> Tensor:
    """Return a convolution as one matrix product; kernel (size, size, in, out), padded with zeros."""
    size, _, into, out = kernel.shape
    if size == 1:
        return _product(x.reshape(-1, into), kernel[0, 0]).reshape(*x.shape[:2], out)
    padded = np.pad(x, ((size // 2, size // 2), (size // 2, size // 2), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(0, 1))[::stride, ::stride]
    rows, columns = windows.shape[:2]
    flat = windows.transpose(0, 1, 3, 4, 2).reshape(rows * columns, size * size * into)
    return cast("Tensor", _product(flat, kernel.reshape(-1, out)).reshape(rows, columns, out))


def _product(many: Tensor, kernel: Tensor) -> Tensor:
    """Return a matrix product, in slices so small that the BLAS library starts no threads.

    Many threads look at images at the same time; more threads would only compete for the processor's cores.
    """
    slices = 1
    while many.shape[0] % (2 * slices) == 0 and many.shape[0] // slices * kernel.size > _ONE_THREAD:
        slices *= 2
    return many.reshape(slices, -1, many.shape[1]) @ kernel


def _softmax(logits: Tensor) -> Tensor:
    raised = np.exp(logits - logits.max())
    return cast("Tensor", raised / raised.sum())


@cache
def network() -> Network:
    """Load the network with its stored weights."""
    with np.load(WEIGHTS) as stored:
        arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
    full = {name: array.astype(np.float64) for name, array in arrays.items() if array.dtype == np.float16}
    layers = range(len(STRIDES))
    return Network(
        kernels=tuple(full[f"kernel{layer}"] for layer in layers),
        shifts=tuple(full[f"shift{layer}"] for layer in layers),
        joint=(full["joint"], full["joint_bias"]),
        heads={name: (full[name], full[f"{name}_bias"]) for name in HEADS},
        labels={name: tuple(str(label) for label in arrays[f"{name}_labels"]) for name in HEADS},
    )


def small(pixels: Pixels) -> Tensor:
    """Return an image of any size as 128 × 128 pixels of three colours."""
    shrunk = cv2.resize(pixels.astype(np.float64), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return cast("Tensor", shrunk if shrunk.ndim == 3 else cv2.merge([shrunk] * 3))


def look(data: bytes) -> Percept:
    """Return the percept of an encoded image file."""
    pixels = decode(data, name="to look at")
    net = network()
    picture = small(pixels)
    # Mean 0 and SD 1; a single shade becomes zero.
    found = net((picture - picture.mean()) / (picture.std() + 4))
    modality, sure = _modality(net, found["finding"])
    seen: dict[str, str] = {}
    confidence = {"modality": sure}
    for head in HEADS:
        seen[head], confidence[head] = _best(net.labels[head], found[head], modality)
    modalities = dict.fromkeys(label.split("|")[0] for label in net.labels["finding"])
    leanings = {name: _best(net.labels["finding"], found["finding"], name)[0] for name in modalities if name != NOTHING}
    return Percept(
        modality=modality,
        finding=seen["finding"],
        side=seen["side"],
        location=seen["location"],
        count=int(seen["count"]),
        size=seen["size"],
        confidence=MappingProxyType(confidence),
        leanings=MappingProxyType(leanings),
    )


def _modality(net: Network, probabilities: Tensor) -> tuple[str, float]:
    """Return the modality whose findings have the highest total probability, and this probability."""
    totals: dict[str, float] = {}
    for label, probability in zip(net.labels["finding"], probabilities, strict=True):
        name = label.split("|")[0]
        totals[name] = totals.get(name, 0.0) + float(probability)
    best = max(totals, key=lambda name: totals[name])
    return best, totals[best]


def _best(labels: tuple[str, ...], probabilities: Tensor, modality: str) -> tuple[str, float]:
    fits = [index for index, label in enumerate(labels) if "|" not in label or label.split("|")[0] == modality]
    if not fits:
        return "", 0.0
    among = probabilities[fits]
    best = int(among.argmax())
    return labels[fits[best]].split("|")[-1], float(among[best] / max(float(among.sum()), 1e-12))
