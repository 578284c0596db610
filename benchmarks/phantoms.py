"""How fast the phantoms are: 1,000 items without pictures, and with every picture drawn and encoded on two threads.

python benchmarks/phantoms.py
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from snellen.benchmarks import load


def main() -> None:
    started = time.perf_counter()
    benchmark = load("phantoms:items=1000")
    made = time.perf_counter() - started
    images = list(dict.fromkeys(image for item in benchmark for image in item.images))
    started = time.perf_counter()
    with ThreadPoolExecutor(2) as threads:
        sizes = list(threads.map(lambda image: len(image.encoded().data), images))
    drawn = time.perf_counter() - started
    size = sum(sizes) / len(sizes) / 1000
    print(f"1,000 items: {made:.2f} s; their {len(images)} pictures of {size:.0f} kB: {drawn:.1f} s")


if __name__ == "__main__":
    main()
