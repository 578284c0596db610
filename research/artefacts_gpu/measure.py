"""How fast artefacts are made on a GPU: pictures a second, and how much of the memory's bandwidth that is.

    PYTHONPATH=src python research/artefacts_gpu/measure.py

1,024 synthetic grey pictures of 1024² are made on the device from a seed; each has its own draw of the artefact, at
strong unless the table says weak. Every path is called once to warm up, then timed (median of several calls, the
device waited for). "Call" is the whole of `degrade_batch`, with all that is prepared for it in Python; "device" is
what the profiler saw the device work for one call.

Two models of the bytes that must move, for each pixel of a picture: the least, which reads each pixel that is needed
once (8 bits) and writes each result once (8 bits); and what the algorithm moves, with 32-bit fractions written and
read between its steps (`Traffic`). Shares are those bytes over the device's time and over what a large copy moved in
the same run, reads and writes counted. It needs torch, NumPy and SciPy; where OpenCV is missing, results are held
against the same functions on the CPU, which tests/perturb/test_batch.py holds against the artefacts themselves.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import traceback
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple


class Absent(ModuleType):
    """Stands where a package is missing: artefacts can be drawn and held without it, only not called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)


MISSING = [name for name in ("cv2", "pybase64") if find_spec(name) is None]
for missing in MISSING:
    sys.modules[missing] = Absent(missing)
    sys.modules[missing].__spec__ = ModuleSpec(missing, None)

import numpy as np  # noqa: E402 - what is missing has to be stood in for first
import torch  # noqa: E402

from snellen.perturb.artefacts import ARTEFACTS, Degradation  # noqa: E402
from snellen.perturb.batch import degrade_batch  # noqa: E402

SEED, KIND, CHECKED, NOMINAL = 4, "MRI", 16, 4.8e12
MOVED, BANDS = 24, 2 * 1.6 / 25
"""Movements at strong, and the share of all frequencies that one stretch of 25 touches: ±f, its neighbours' jitter."""


class Traffic(NamedTuple):
    """Bytes for each pixel of a picture: the least, and what the algorithm moves when its steps are joined."""

    least: float
    moved: float


STRETCH = 4 + 4 + 4 + 4 + BANDS * (4 + 4 + 4)  # sample, write; transform, write; add its band to those before it
SCAN = (1 + 4) + 4 + (4 + 4) + (4 + 4) + (4 + 4) + (4 + 1)  # fractions, least, less it; back, plus it; stored
TRAFFIC = {
    "noise": Traffic(2, 2),
    # the sort that finds the level of white is counted as one pass over values and places
    "bias-field": Traffic(2, (1 + 4) + (4 + 4 + 8) + (4 + 4) + (4 + 1)),
    "motion": Traffic(2, SCAN + MOVED * STRETCH + STRETCH - 8),
    "crop": Traffic(2 * 0.4**2, 2 * 0.4**2),
    "rotation": Traffic(2, 2),
    "rotation, weak": Traffic(1 + 1.866, 1 + 1.866),
    "motion-as-published": Traffic(2, SCAN + (4 + 4) + (4 + 4)),
    "ghosting": Traffic(2, (1 + 4) + (4 + 4) + (4 + 4) + (4 + 4) + (4 + 1)),
    "blur": Traffic(2, (1 + 4) + (4 + 4) + (4 + 1)),
}
"""The published five and their like. Blur also multiplies: about 300 million times and adds for a picture of 1024²."""


def pictures(count: int, side: int, device: str) -> torch.Tensor:
    """Smooth shapes, edges and a little grain, made on the device."""
    rng = torch.Generator(device=device).manual_seed(SEED)
    pixels = torch.empty(count, side, side, dtype=torch.uint8, device=device)
    for start in range(0, count, 32):
        some = len(pixels[start : start + 32])
        coarse = torch.rand(some, 1, 12, 12, generator=rng, device=device)
        smooth = torch.nn.functional.interpolate(coarse, size=(side, side), mode="bicubic")[:, 0]
        edges = 0.25 * (smooth > 0.6) + 0.15 * (smooth < 0.3)
        grain = 0.05 * torch.rand(some, side, side, generator=rng, device=device)
        pixels[start : start + some] = ((0.5 * smooth + edges + grain).clamp(0, 1) * 255).round().to(torch.uint8)
    return pixels


def degradations(name: str, count: int) -> list[Degradation]:
    """One for each picture, each with a draw of its own."""
    member, severity = ARTEFACTS[name.partition(",")[0]], 0.5 if name.endswith("weak") else 1.0
    drawn = (member.drawn(severity, np.random.default_rng([SEED, index]), kind=KIND) for index in range(count))
    return [Degradation((part,)) for part in drawn]


def waited(device: str) -> float:
    """The time, once the device has done all it was given."""
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def median_time(function, repeats: int, device: str) -> float:
    """Seconds of one call, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        started = waited(device)
        function()
        times.append(waited(device) - started)
    return statistics.median(times)


def device_time(function, device: str) -> float:
    """Seconds that the device itself worked for one call, as its profiler saw it; NaN where it sees nothing."""
    if device != "cuda":
        return float("nan")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        function()
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profile.key_averages()) / 1e6 or float("nan")


def copy_bandwidth(device: str) -> float:
    """Bytes a second that a large copy reads and writes."""
    size = 1 << (32 if device == "cuda" else 27)
    source, target = (torch.ones(size // 4, dtype=torch.float32, device=device) for _ in range(2))
    return 2 * size / median_time(lambda: target.copy_(source), 10, device)


def expected(name: str, pixels: torch.Tensor) -> np.ndarray:
    """What the CPU makes of the first pictures."""
    some, steps = pixels[:CHECKED].cpu(), degradations(name, len(pixels[:CHECKED]))
    if "cv2" in MISSING:
        return degrade_batch(some, steps).numpy()
    return np.stack([step(picture) for step, picture in zip(steps, some.numpy(), strict=True)])


def peak_memory(function, device: str) -> float:
    """Gigabytes that one call takes beyond what was taken before it; NaN where nothing counts them."""
    if device != "cuda":
        return float("nan")
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    function()
    return (torch.cuda.max_memory_allocated() - before) / 1e9


def row(name: str, pixels: torch.Tensor, right: np.ndarray, *, fused: bool, bandwidth: float, repeats: int) -> str:
    """One line of the table."""
    device, steps = pixels.device.type, degradations(name, len(pixels))
    torch.compiler.reset()

    def call() -> torch.Tensor:
        return degrade_batch(pixels, steps, fused=fused)

    apart = np.abs(call()[:CHECKED].cpu().numpy().astype(np.int64) - right)
    whole, peak = median_time(call, repeats, device), peak_memory(call, device)
    rate = len(pixels) / device_time(call, device)
    least, moved = (each * pixels[0].numel() for each in TRAFFIC[name])
    return (
        f"| {name} | {'fused' if fused else 'plain'} | {len(pixels) / whole:,.0f} | {rate:,.0f} | {least / 1e6:.1f} "
        f"| {moved / 1e6:.1f} | {rate * least / bandwidth:.1%} | {rate * moved / bandwidth:.1%} | {peak:.1f} "
        f"| {apart.max()} | {np.mean(apart > 0):.1e} |"
    )


HEAD = (
    "| artefact | operations | images/s, call | images/s, device | least MB each | moved MB each | least, of copy "
    "| moved, of copy | peak GB beyond input | largest difference, levels | share of pixels |\n" + "|---" * 11 + "|"
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=1024)
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=list(TRAFFIC), default=list(TRAFFIC))
    parser.add_argument("--plain", action="store_true", help="no torch.compile")
    chosen = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    bandwidth = copy_bandwidth(device)
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name() if device == 'cuda' else 'the CPU'}")
    print(f"A large copy moves {bandwidth / 1e12:.2f} TB/s, reads and writes counted; nominal {NOMINAL / 1e12} TB/s.")
    against = "the same functions on the CPU" if "cv2" in MISSING else "the artefacts one by one on the CPU"
    print(f"Missing: {', '.join(MISSING) or 'nothing'}. {CHECKED} pictures of each are held against {against}.")
    pixels = pictures(chosen.pictures, chosen.side, device)
    print(f"{len(pixels)} pictures of {chosen.side}².\n\n{HEAD}", flush=True)
    for name in chosen.only:
        right = expected(name, pixels)
        for fused in (False,) if chosen.plain else (False, True):
            try:
                print(row(name, pixels, right, fused=fused, bandwidth=bandwidth, repeats=chosen.repeats), flush=True)
            except Exception:  # the rest is still worth measuring; what went wrong is printed in full
                print(f"| {name} | {'fused' if fused else 'plain'} | failed |\n{traceback.format_exc()}", flush=True)


if __name__ == "__main__":
    main()
