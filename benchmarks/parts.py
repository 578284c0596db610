"""What we wrote ourselves beside the library that does it: processor time of each, one thread, medians of several.

python benchmarks/parts.py
"""

from __future__ import annotations

import io
import statistics
import subprocess
import sys
import time
from base64 import b64encode as slow_b64encode

import cv2
import numpy as np
import PIL.Image
import scipy.stats
from pybase64 import b64encode
from ratios import QUICK, beside, few, told
from skimage.metrics import peak_signal_noise_ratio, structural_similarity
from statsmodels.stats.inter_rater import cohens_kappa as their_kappa
from statsmodels.stats.proportion import proportion_confint

from snellen.images.headers import check_jpeg, check_png
from snellen.perturb.artefacts.degradation import distance
from snellen.stats import bootstrap, cohens_kappa, wilson


def costs(repeats: int, *functions) -> list[list[float]]:
    """Microseconds of processor time of one call of each, round by round; the functions take turns."""
    for function in functions:
        function()
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(few(5)):
        for function, took in zip(functions, times, strict=True):
            started = time.process_time()
            for _ in range(repeats):
                function()
            took.append((time.process_time() - started) / repeats * 1e6)
    return times


def importing(statement: str) -> tuple[float, float]:
    """Seconds of processor time and megabytes that an import adds to NumPy."""
    code = (
        "import numpy, time\ndef used(): return int(open('/proc/self/statm').read().split()[1]) * 4096 / 1e6\n"
        f"before, started = used(), time.process_time()\n{statement}\n"
        "print(time.process_time() - started, used() - before)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    seconds, megabytes = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    return statistics.median(seconds), statistics.median(megabytes)


def their_distance(before, after):
    ssim = structural_similarity(
        before, after, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255
    )
    return ssim, peak_signal_noise_ratio(before, after)


def main() -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(0)
    picture = cv2.GaussianBlur(rng.normal(128, 60, (512, 512)).astype(np.float32), (0, 0), 0.6)
    picture = picture.clip(0, 255).astype(np.uint8)
    spoilt = (picture * 0.9).astype(np.uint8)
    png, jpeg = (cv2.imencode(kind, picture)[1].tobytes() for kind in (".png", ".jpg"))
    answers, labels = rng.random(400) < 0.7, rng.integers(0, 4, (2, 400))
    table = np.zeros((4, 4))
    np.add.at(table, tuple(labels), 1)
    pairs = [
        (f"PNG whole? {len(png) / 1000:.0f} kB", "Pillow", 200, lambda: check_png(png, ""),
         lambda: PIL.Image.open(io.BytesIO(png)).load()),
        (f"JPEG whole? {len(jpeg) / 1000:.0f} kB", "Pillow", 200, lambda: check_jpeg(jpeg, ""),
         lambda: PIL.Image.open(io.BytesIO(jpeg)).load()),
        ("SSIM and PSNR of 512²", "scikit-image", 10, lambda: distance(picture, spoilt),
         lambda: their_distance(picture, spoilt)),
        ("Wilson's interval", "statsmodels", 1000, lambda: wilson(280, 400),
         lambda: proportion_confint(280, 400, method="wilson")),
        ("Cohen's kappa of 400", "statsmodels", 200, lambda: cohens_kappa(*labels), lambda: their_kappa(table)),
        ("BCa bootstrap of a mean, 400 items, 10,000 times", "SciPy", 3,
         lambda: bootstrap(answers, seed=1, method="bca"),
         lambda: scipy.stats.bootstrap((answers,), np.mean, n_resamples=10_000, method="BCa")),
        (f"base64 of {len(png) / 1000:.0f} kB by pybase64, which we use", "the standard library", 200,
         lambda: b64encode(png), lambda: slow_b64encode(png)),
    ]  # fmt: skip
    for name, whose, repeats, ours, theirs in pairs:
        rounds = costs(max(1, repeats // 10) if QUICK else repeats, ours, theirs)
        mine, other = map(statistics.median, rounds)
        told(name, whose, beside(rounds[1], rounds[0]), package="" if " " in whose else whose.lower())
        print(f"{name}: {mine:,.0f} µs, {whose} {other:,.0f} µs, ratio {other / mine:.1f}", flush=True)
    for statement in (
        ()
        if QUICK
        else (
            "import scipy.special",
            "import scipy.stats",
            "import statsmodels.stats.api",
            "from skimage.metrics import structural_similarity",
            "import aiohttp",
            "import torch",
        )
    ):
        print("{}: {:.2f} s, {:.0f} MB".format(statement, *importing(statement)), flush=True)


if __name__ == "__main__":
    main()
