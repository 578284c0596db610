"""`snellen benchmark degrade` beside TorchIO's own transforms: images of 512² per core-hour.

python benchmarks/degrade.py [--images N]

Ours is the whole way of a copy: read and hash the source, decode, draw, degrade, measure SSIM and PSNR, encode as PNG,
hash, write, and the line of the manifest. TorchIO's is read, transform and write as PNG, without distances and hashes.
Processor time of one process with one thread, engines taking turns, medians of the rounds.
"""

# ruff: noqa: E402 - threads are limited before NumPy is loaded

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import SimpleITK
import torch

sys.path.insert(0, str(Path(__file__).parent))
from artefacts import SIDE, Rivals, cropped, rivals, tio
from ratios import QUICK, beside, few, told

from snellen.conditions import ImageDegraded
from snellen.images import encode
from snellen.tools.degrade import Task
from snellen.tools.degrade.copies import UNFINISHED, SourceFile, copy_sources

ROUNDS, AIM = few(5), 100_000
BESIDE = {
    "noise": ("noise", "strong"),
    "bias field": ("bias-field", "strong"),
    "motion": ("motion", "strong"),
    "rotation by 30°, canvas of the same size": ("rotation", "weak"),
    "blur, strong": ("blur", "strong"),
    "blur, weak": ("blur", "weak"),
    "ghosting (another formula)": ("ghosting", "strong"),
    "crop": ("crop", "strong"),
}
"""TorchIO's transforms, and the artefact that does the same."""


def by_torchio(rival: Rivals, file: Path, out: Path) -> None:
    """An image read, transformed and written as TorchIO does it."""
    pixels = tio.ScalarImage(file).data.to(torch.float32) / 255
    if rival.shape == "canvas":  # TorchIO keeps the size, so that the margin that a turn needs is put around first
        wider = int(SIDE * (np.cos(np.pi / 6) + np.sin(np.pi / 6)) - SIDE) // 2
        pixels = torch.nn.functional.pad(pixels, (0, 0, wider, wider, wider, wider))
    done = rival.theirs(pixels.permute(0, 3, 1, 2).contiguous() if rival.shape == "slab" else pixels)
    done = done.permute(0, 2, 3, 1) if rival.shape == "slab" else done
    tio.ScalarImage(tensor=(done.clip(0, 1) * 255).round().to(torch.uint8)).save(out / file.name)


def seconds(work: Callable[[], object]) -> float:
    """Processor time."""
    started = time.process_time()
    work()
    return time.process_time() - started


def row(rival: Rivals, folder: Path, files: list[Path]) -> str:
    artefact, strength = BESIDE[rival.name]
    out = folder.parent / "copies"
    (out / UNFINISHED).mkdir(parents=True, exist_ok=True)
    task = Task(folder, out, (ImageDegraded(artefact, strength),), "MRI")
    sources = [SourceFile(file.name, file.name) for file in files]
    theirs = folder.parent / "torchio"
    theirs.mkdir(exist_ok=True)
    copy_sources(task, sources[:2])
    by_torchio(rival, files[0], theirs)
    mine, other = [], []
    for _ in range(ROUNDS):
        mine.append(seconds(lambda: copy_sources(task, sources)) / len(files))
        other.append(seconds(lambda: [by_torchio(rival, file, theirs) for file in files]) / len(files))
    told(f"a degraded copy, {artefact}, {strength}", "TorchIO", beside(other, mine), package="torchio")
    ours, its = statistics.median(mine), statistics.median(other)
    hour = f"{3600 / ours:,.0f}{'' if 3600 / ours >= AIM else ', missed'}"
    its_hour = f"{1000 * its:.1f} | {3600 / its:,.0f}"
    return f"| {artefact}, {strength} | {1000 * ours:.1f} | {hour} | {its_hour} | {its / ours:.1f} |"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--images", type=int, default=2 if QUICK else 12)
    count = options.parse_args().images
    warnings.simplefilter("ignore")  # TorchIO's own, for each file
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "images"
        folder.mkdir()
        files = [folder / f"{index}.png" for index in range(count)]
        for file, pixels in zip(files, cropped(count), strict=True):
            file.write_bytes(encode(pixels).data)
        print(f"\n{count} grey images of {SIDE}², PNG to PNG; aim: {AIM:,} images per core-hour.\n")
        print("| artefact | ours, ms | images per core-hour | TorchIO, ms | images per core-hour | times as fast |")
        print("|---|---|---|---|---|---|")
        for rival in rivals(SIDE):
            if rival.name in BESIDE:
                print(row(rival, folder, files), flush=True)


if __name__ == "__main__":
    main()
