"""Artefacts beside TorchIO's with the same parameters, PNG beside Pillow's, and 2,000 degraded pictures end to end.

python benchmarks/artefacts.py

Kernels and PNG: processor time, one thread each, engines taking turns, medians. End to end: seconds on two threads.
"""

# ruff: noqa: E402 - threads are limited before NumPy is loaded

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import PIL.Image
import SimpleITK
import torch
from ratios import QUICK, beside, few, told

from snellen.images import Encoder, Image, decode, encode
from snellen.perturb.artefacts import (
    ARTEFACTS,
    PUBLISHED,
    BiasField,
    Blur,
    Crop,
    Degradation,
    Ghosting,
    Motion,
    MotionAsPublished,
    Noise,
    Rotation,
)
from snellen.perturb.artefacts.bias_field import POWERS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # TorchIO's own
    import torchio as tio

SAMPLES = Path(__file__).parents[1].parent / "shared" / "data" / "sample-images"
ROUNDS, SIDE, PICTURES = few(9), 512, 200


class Rivals(NamedTuple):
    """One artefact by us and by TorchIO, on fractions of one picture, and how many times as fast ours should be."""

    name: str
    aim: float | None
    ours: Callable[[np.ndarray], np.ndarray]
    theirs: Callable[[torch.Tensor], object]
    shape: str = "volume"


def rivals(side: int) -> Iterator[Rivals]:
    """Each artefact at strong, as drawn for an MRI; what TorchIO cannot do alike is said in the name."""
    rng = np.random.default_rng(4)
    sigma = 12.0 * side / 512
    coefficients = rng.uniform(-1.8, 1.8, 20).tolist()
    powers = [(x, y, z) for x in range(4) for y in range(4 - x) for z in range(4 - x - y)]
    flat = {(x, y): value for (x, y, z), value in zip(powers, coefficients, strict=True) if z == 0}
    moved = Motion.draw(1, rng, kind="MRI")
    kept = int(0.4 * side)
    top, left = int(0.3 * (side - kept + 1)), int(0.9 * (side - kept + 1))
    yield Rivals("noise", 1, Noise(0.4, 3), tio.Noise(mean=0, std=0.4, seed=3))
    yield Rivals(
        "bias field", 100, BiasField(tuple(flat[power] for power in POWERS)), tio.BiasField(coefficients, order=3)
    )
    yield Rivals("motion", 4, moved, motion(moved, turned=0, shifted=(1, 2)), "slab")
    published = MotionAsPublished(moved.degrees, moved.translation, moved.times)
    yield Rivals("motion as published", None, published, motion(moved, turned=2, shifted=(0, 1)), "slab")
    turned = tio.Affine(scales=1, degrees=(0, 0, 30), translation=0, default_pad_value=0)
    yield Rivals("rotation by 30°, canvas of the same size", 8, Rotation(30), turned, "canvas")
    yield Rivals("blur, strong", 8, Blur(12), tio.Blur((sigma, sigma, 0)))
    yield Rivals("blur, weak", 8, Blur(3), tio.Blur((sigma / 4, sigma / 4, 0)))
    ghosts = tio.Ghosting(num_ghosts=5, axis=1, intensity=1, restore=0.02)
    yield Rivals("ghosting (another formula)", None, Ghosting(0.04, 5, 1), ghosts)
    window = (top, side - kept - top, left, side - kept - left, 0, 0)
    yield Rivals("crop", None, Crop(0.4, 0.3, 0.9), tio.Crop(window))


def motion(moved: Motion, *, turned: int, shifted: tuple[int, int]) -> tio.Motion:
    """TorchIO's motion with our numbers about and along these axes."""
    degrees, translation = np.zeros((2, len(moved.times), 3))
    degrees[:, turned] = moved.degrees
    translation[:, shifted] = moved.translation
    return tio.Motion(degrees, translation, np.array(moved.times), image_interpolation="linear")


def fractions(side: int) -> np.ndarray:
    """Smooth shapes and grain."""
    rng = np.random.default_rng(side)
    smooth = cv2.resize(rng.random((9, 9), dtype=np.float32), (side, side), interpolation=cv2.INTER_CUBIC)
    return np.clip(0.8 * smooth + 0.1 * rng.random((side, side), dtype=np.float32), 0, 1)


def timed(*functions: Callable[[], object]) -> list[list[float]]:
    """Milliseconds of processor time of each, round by round, taking turns, after one call to warm up."""
    for function in functions:
        function()
    rounds = []
    for _ in range(ROUNDS):
        row = []
        for function in functions:
            started = time.process_time()
            function()
            row.append(1000 * (time.process_time() - started))
        rounds.append(row)
    return [list(column) for column in zip(*rounds, strict=True)]


def kernels() -> None:
    print("| | size | ours, ms | ours from and to 8 bits, ms | TorchIO, ms | images/s, ours | TorchIO / ours | aim |")
    print("|---|---|---|---|---|---|---|---|")
    for side in (512,) if QUICK else (512, 1024):
        picture = fractions(side)
        for rival in rivals(side):
            print(row(rival, picture), flush=True)


def tensors(picture: np.ndarray, canvas: tuple[int, int]) -> dict[str, torch.Tensor]:
    """The picture in TorchIO's orders of axes; TorchIO keeps the size, so a larger canvas is handed to it."""
    margins = [(size - side) // 2 for size, side in zip(canvas, picture.shape, strict=True)]
    wider = [
        (max(0, margin), max(0, size - len(picture) - margin)) for size, margin in zip(canvas, margins, strict=True)
    ]
    volume = torch.from_numpy(picture)[None, :, :, None]
    return {
        "volume": volume,
        "slab": volume.permute(0, 3, 1, 2).contiguous(),
        "canvas": torch.from_numpy(np.pad(picture, wider))[None, :, :, None],
    }


def row(rival: Rivals, picture: np.ndarray) -> str:
    name, aim, ours, theirs, shape = rival
    pixels, step = np.rint(picture * 255).astype(np.uint8), Degradation((ours,))
    tensor = tensors(picture, ours(picture).shape)[shape]
    rounds = timed(lambda: ours(picture), lambda: step(pixels), lambda: theirs(tensor))
    mine, stored, other = map(statistics.median, rounds)
    told(f"{name}, {len(picture)}²", "TorchIO", beside(rounds[2], rounds[0]), package="torchio")
    met = "" if aim is None else f"{aim:g}" + ("" if other / mine >= aim else ", missed")
    size = f"{len(picture)}² | {mine:.2f} | {stored:.2f} | {other:.1f}"
    return f"| {name} | {size} | {1000 / mine:,.0f} | {other / mine:.1f} | {met} |"


def samples() -> list[np.ndarray]:
    """The sample images where they lie beside the checkout, as grey; else one of our own."""
    if not SAMPLES.is_dir():
        print("The sample images are not beside this checkout: synthetic pictures instead.")
        return [np.rint(fractions(700) * 255).astype(np.uint8)]
    files = [SAMPLES / entry["file"] for entry in json.loads((SAMPLES / "manifest.json").read_text())]
    read = [decode(file.read_bytes(), name=file.name) for file in files]
    return [pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) for pixels in read]


def cropped(count: int) -> Iterator[np.ndarray]:
    """Pictures of 512²: the samples brought to 640 at least, each cropped at many places."""
    rng = np.random.default_rng(4)
    known = samples()
    for index in range(count):
        pixels = known[index % len(known)]
        scale = 640 / min(pixels.shape)
        size = tuple(max(640, round(side * scale)) for side in pixels.shape[::-1])
        large = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
        top, left = (rng.integers(side - SIDE + 1) for side in large.shape)
        yield np.ascontiguousarray(large[top : top + SIDE, left : left + SIDE])


def by_pillow(pixels: np.ndarray) -> bytes:
    buffer = BytesIO()
    PIL.Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def png() -> None:
    print("\n| PNG of a grey 512² picture | ours, ms | kB | Pillow, ms | kB |\n|---|---|---|---|---|")
    clean = list(cropped(13))
    kinds = {
        "sample images": clean,
        "with weak noise": [Degradation((Noise(0.15, seed),))(pixels) for seed, pixels in enumerate(clean)],
        "with strong noise": [Degradation((Noise(0.4, seed),))(pixels) for seed, pixels in enumerate(clean)],
    }
    for name, pictures in kinds.items():
        times = np.array([timed(lambda p=p: encode(p), lambda p=p: by_pillow(p)) for p in pictures[::3]])
        mine, other = np.median(times, axis=2).mean(axis=0)
        told(f"PNG of 512², {name}", "Pillow", beside(*times.sum(axis=0)[::-1]), package="pillow")
        sizes = [np.mean([len(data) for data in made]) / 1000 for made in (
            [encode(pixels).data for pixels in pictures], [by_pillow(pixels) for pixels in pictures]
        )]  # fmt: skip
        print(f"| {name} | {mine:.1f} | {sizes[0]:.0f} | {other:.1f} | {sizes[1]:.0f} |", flush=True)


def steps(index: int) -> Iterator[Degradation]:
    """The five of the artefacts paper at both strengths, for one picture."""
    for name in PUBLISHED:
        for severity in (0.5, 1.0):
            part = ARTEFACTS[name].draw(severity, np.random.default_rng([4, index]), kind="MRI")
            yield Degradation((part,))


def end_to_end() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for index, pixels in enumerate(cropped(PICTURES)):
            files.append(Path(folder) / f"{index}.png")
            files[-1].write_bytes(encode(pixels).data)
        images = [Image(file).then(step) for index, file in enumerate(files) for step in steps(index)]
        encoder = Encoder()

        def sent(image: Image) -> tuple[str, float]:
            encoded = encoder(image)
            return encoded.sha256, encoded.measured["ssim"]

        started, used = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(2) as threads:
            done = list(threads.map(sent, images))
        took, busy = time.perf_counter() - started, time.process_time() - used
    hashes = {sha256 for sha256, _ in done}
    print(
        f"\n{PICTURES} pictures of 512² (the sample images, enlarged and cropped), five artefacts at both strengths: "
        f"{len(done):,} pictures read, degraded, measured, encoded and hashed on two threads in {took:.1f} s "
        f"({busy:.1f} s of processor time, aim: below 60 s); {len(hashes):,} different, "
        f"mean SSIM {np.mean([ssim for _, ssim in done]):.2f}."
    )


def main() -> None:
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    wanted = sys.argv[1:] or ["kernels", "png", *([] if QUICK else ["end-to-end"])]
    for name, part in (("kernels", kernels), ("png", png), ("end-to-end", end_to_end)):
        if name in wanted:
            part()


if __name__ == "__main__":
    main()
