"""Weights in 8 bits: each column of a matrix has a scale of its own.

python research/neural_organisms/pack.py OUT/base-0.npz OUT/base-1.npz --out organisms
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

SCALE = ".scale"


def quantise(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Matrices as whole numbers from -127 to 127 with the scale of each column; vectors in half precision."""
    packed: dict[str, np.ndarray] = {}
    for name, weight in weights.items():
        if weight.ndim == 1:
            packed[name] = weight.astype(np.float16)
            continue
        scale = (np.abs(weight).max(axis=0) / 127 + 1e-12).astype(np.float32)
        packed[name] = np.rint(weight / scale).astype(np.int8)
        packed[name + SCALE] = scale
    return packed


def restore(packed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights as 32-bit numbers."""
    return {
        name: array.astype(np.float32) * packed[name + SCALE] if name + SCALE in packed else array.astype(np.float32)
        for name, array in packed.items()
        if not name.endswith(SCALE)
    }


def main() -> None:
    """Pack trained weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    settings = parser.parse_args()
    for path in settings.paths:
        with np.load(path) as arrays:
            full = {name: arrays[name].astype(np.float32) for name in arrays.files if arrays[name].dtype == np.float16}
            np.savez(settings.out / path.name, **quantise(full), vocabulary=arrays["vocabulary"])


if __name__ == "__main__":
    main()
