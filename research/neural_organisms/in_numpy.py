"""The network of neural organisms in NumPy: it looks at images, reads words and writes an answer.

`network.py` is the same in torch, for training; a test checks that both compute the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray
from words import END, LONGEST_ANSWER, LONGEST_TEXT, MARKS, START

from snellen.images import Pixels

Tensor = NDArray[np.float32]
Weights = Mapping[str, Tensor]

SIDE, PATCH = 128, 4
STEM = {
    "stem0": (48, 96, 1),
    "stem1": (96, 160, 2),
    "stem2": (160, 160, 1),
    "stem3": (160, 256, 2),
    "stem4": (256, 256, 1),
}
"""Channels in, channels out and stride of the convolutions over patches of the image."""
PLACES, WIDTH, HEADS = 64, 256, 8
ENCODERS, ENCODER_INNER = 2, 1024
DECODERS, DECODER_INNER = 5, 768
_SIZE = WIDTH // HEADS


def shapes(words: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight, for a vocabulary of this size."""
    found: dict[str, tuple[int, ...]] = {}
    for name, (into, out, _) in STEM.items():
        found |= {name: (9 * into, out)} | {f"{name}.{part}": (out,) for part in ("norm", "bias", "mean", "var")}
    blocks = [("encoder", at, ENCODER_INNER) for at in range(ENCODERS)]
    for kind, at, inner in blocks + [("decoder", at, DECODER_INNER) for at in range(DECODERS)]:
        name = f"{kind}{at}"
        found |= {f"{name}.qkv": (WIDTH, 3 * WIDTH), f"{name}.out": (WIDTH, WIDTH)}
        found |= {f"{name}.up": (WIDTH, inner), f"{name}.down": (inner, WIDTH)}
        found |= {f"{name}.norm1": (WIDTH,), f"{name}.norm2": (WIDTH,)}
        if kind == "decoder":
            found[f"{name}.image"] = (WIDTH, 2 * WIDTH)
    found |= {"encoded.norm": (WIDTH,), "decoded.norm": (WIDTH,), "places": (PLACES, WIDTH), "words": (words, WIDTH)}
    return found | {"text_places": (LONGEST_TEXT, WIDTH), "answer_places": (LONGEST_ANSWER, WIDTH)}


def shrink(pixels: Pixels) -> Pixels:
    """Return an image of any size as 128 × 128 pixels of three colours."""
    small = cv2.resize(pixels, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return cast("Pixels", small if small.ndim == 3 else np.repeat(small[..., None], 3, axis=2))


def _norm(x: Tensor, gain: Tensor) -> Tensor:
    square = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
    return cast("Tensor", x * (gain / np.sqrt(square + np.float32(1e-6))))


def _relu(x: Tensor) -> Tensor:
    return np.maximum(x, 0, out=x)


def _convolve(x: Tensor, kernel: Tensor, stride: int) -> Tensor:
    many, side, _, into = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    out = side // stride
    columns = np.empty((many, out, out, 9, into), np.float32)
    for at in range(9):
        row, column = divmod(at, 3)
        columns[..., at, :] = padded[:, row : row + side : stride, column : column + side : stride]
    return (columns.reshape(-1, 9 * into) @ kernel).reshape(many, out, out, -1)


def _attend(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None) -> Tensor:
    """Return what each query finds; `hidden` is added to the scores, and minus infinity hides a key."""
    scores = q @ k.swapaxes(-1, -2)
    scores *= np.float32(_SIZE**-0.5)
    if hidden is not None:
        scores += hidden
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return cast("Tensor", (scores @ v).swapaxes(1, 2).reshape(len(q), -1, WIDTH))


def _heads(x: Tensor, parts: int) -> tuple[Tensor, ...]:
    many, long, _ = x.shape
    return tuple(x.reshape(many, long, parts, HEADS, _SIZE).transpose(2, 0, 3, 1, 4))


def look(weights: Weights, images: Sequence[Pixels]) -> list[Tensor]:
    """Return the 64 tokens of each image of 128 × 128 pixels."""
    x = np.stack(images).astype(np.float32)
    middle, spread = x.mean((1, 2, 3), keepdims=True), x.std((1, 2, 3), keepdims=True)
    x = (x - middle) / (spread + np.float32(4))
    grid = SIDE // PATCH
    x = (
        x.reshape(-1, grid, PATCH, grid, PATCH, 3)
        .transpose(0, 1, 3, 2, 4, 5)
        .reshape(-1, grid, grid, PATCH * PATCH * 3)
    )
    for name, (_, _, stride) in STEM.items():
        y = _convolve(x, weights[name], stride) - weights[f"{name}.mean"]
        y *= weights[f"{name}.norm"] / np.sqrt(weights[f"{name}.var"] + np.float32(1e-5))
        y = _relu(y + weights[f"{name}.bias"])
        x = x + y if y.shape == x.shape else y
    x = x.reshape(len(x), PLACES, WIDTH) + weights["places"]
    for layer in range(ENCODERS):
        name = f"encoder{layer}"
        q, k, v = _heads(_norm(x, weights[f"{name}.norm1"]) @ weights[f"{name}.qkv"], 3)
        x = _finish(weights, name, x, _attend(q, k, v, None))
    return list(_norm(x, weights["encoded.norm"]))


def _finish(weights: Weights, name: str, x: Tensor, found: Tensor) -> Tensor:
    x = x + found @ weights[f"{name}.out"]
    inner = _relu(_norm(x, weights[f"{name}.norm2"]) @ weights[f"{name}.up"])
    return x + inner @ weights[f"{name}.down"]


def write(weights: Weights, images: Sequence[Tensor | None], texts: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the most likely answer to each text, as numbers of words; an image that is None was not sent."""
    longest = max(1, *map(len, texts))
    read = np.zeros((len(texts), longest), np.int64)
    for at, text in enumerate(texts):
        read[at, : len(text)] = text
    tokens = np.stack([np.zeros((PLACES, WIDTH), np.float32) if each is None else each for each in images])
    missing = np.array([each is None for each in images])
    hidden = np.concatenate([np.repeat(missing[:, None], PLACES, 1), read == 0], 1)
    hides = np.where(hidden, np.float32(-1e9), np.float32(0))[:, None, None, :]
    keys, values = _read(weights, tokens, weights["words"][read] + weights["text_places"][:longest], hides)
    return _write(weights, keys, values, hides)


def _read(weights: Weights, image: Tensor, x: Tensor, hides: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """Return the keys and values of image and text in every block."""
    keys, values = [], []
    for layer in range(DECODERS):
        name = f"decoder{layer}"
        q, k, v = _heads(_norm(x, weights[f"{name}.norm1"]) @ weights[f"{name}.qkv"], 3)
        seen_k, seen_v = _heads(image @ weights[f"{name}.image"], 2)
        keys.append(np.concatenate([seen_k, k], 2))
        values.append(np.concatenate([seen_v, v], 2))
        if layer < DECODERS - 1:
            x = _finish(weights, name, x, _attend(q, keys[-1], values[-1], hides))
    return keys, values


def _write(weights: Weights, keys: list[Tensor], values: list[Tensor], hides: Tensor) -> list[list[int]]:
    written = np.full((len(hides), 1), MARKS.index(START))
    while written.shape[1] < LONGEST_ANSWER and not (written == MARKS.index(END)).any(1).all():
        x = (weights["words"][written[:, -1]] + weights["answer_places"][written.shape[1] - 1])[:, None]
        hides = np.concatenate([hides, np.zeros((len(hides), 1, 1, 1), np.float32)], 3)
        for layer in range(DECODERS):
            name = f"decoder{layer}"
            q, k, v = _heads(_norm(x, weights[f"{name}.norm1"]) @ weights[f"{name}.qkv"], 3)
            keys[layer], values[layer] = np.concatenate([keys[layer], k], 2), np.concatenate([values[layer], v], 2)
            x = _finish(weights, name, x, _attend(q, keys[layer], values[layer], hides))
        logits = _norm(x[:, 0], weights["decoded.norm"]) @ weights["words"].T
        written = np.concatenate([written, logits.argmax(-1)[:, None]], 1)
    return [list(map(int, row[1:])) for row in written]
