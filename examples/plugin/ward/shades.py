"""A benchmark: plain grey squares, each with its shade as the right answer."""

import numpy as np

from snellen import Benchmark, Image, Item, Option

SHADES = ("Black", "Dark grey", "Light grey", "White")


def load(*, items: int = 40, allow_broken: bool = False) -> Benchmark:
    """Plain grey squares: which shade is it?"""
    options = tuple(Option(shade) for shade in SHADES)
    made = []
    for number in range(items):
        answer = number % len(SHADES)
        image = Image(np.full((32, 32), 85 * answer, dtype=np.uint8))
        made.append(Item(f"shades/{number}", "Which shade is it?", options, answer, images=(image,)))
    return Benchmark("shades", tuple(made))
