"""The charts of the exam: which series there are, and a fresh chart of random letters for any of them."""

from __future__ import annotations

from itertools import product
from zlib import crc32

import numpy as np

from snellen.images.letters import SLOAN, LetterChart, Placed
from snellen.tools.chart.adaptive import letters_that_fit
from snellen.tools.chart.result import Letter, Series, Trial

SMALL, LARGE = 448, 1344
"""Sides of the images in pixels."""
ACUITY = Series("acuity", "dark letters on a light ground", SMALL)
CONTRASTS = tuple(
    Series(f"contrast-{percent}", f"at {percent}% contrast", SMALL, contrast=percent / 100) for percent in (30, 10, 3)
)
POLARITY = Series("light-on-dark", "light letters on a dark ground", SMALL, light_on_dark=True)
GROUND = Series("x-ray", "on an X-ray-like ground", SMALL, ground="x-ray")
WIDE = Series("large", f"in an image of {LARGE} px", LARGE)
CORNERS = Series("corners", "a letter in each part of the image", SMALL)
OTHERS = (*CONTRASTS, POLARITY, GROUND, WIDE)
PLACES = tuple(
    "the centre" if (row, column) == ("", "") else f"the {row} {column}".strip().replace("  ", " ")
    for row, column in product(("top", "", "bottom"), ("left", "", "right"))
)
"""The nine parts of an image, row by row."""
EXHAUSTIVE_CONTRASTS = (100, 30, 10, 3)
LARGEST_IN_A_PART = SMALL // 3 * 2 // 3
"""Pixels of the largest letter that stands clear in a ninth of the image."""
JITTER = 14
"""Pixels by which a row may stand off the middle, so that it falls on the patches of a model in many ways."""


def row_chart(series: Series, size: int, seed: int, number: int) -> LetterChart:
    """A row of letters of one size near the middle; seed, series and number decide everything.

    >>> [letter.size for letter in row_chart(ACUITY, 60, seed=1, number=0).letters]
    [60, 60, 60, 60]
    """
    rng = _generator(series, seed, number)
    count = letters_that_fit(size, series.side)
    left = _near_middle(rng, series.side - (2 * count - 1) * size)
    top = _near_middle(rng, series.side - size)
    drawn = rng.permutation(list(SLOAN))[:count].tolist()
    placed = tuple(Placed(letter, left + 2 * size * place, top, size) for place, letter in enumerate(drawn))
    return _chart(series, placed, rng)


def nine_chart(series: Series, size: int, seed: int, number: int) -> LetterChart:
    """A letter in each of the nine parts, three rows of three.

    >>> len(nine_chart(CORNERS, 40, seed=1, number=0).letters)
    9
    """
    rng = _generator(series, seed, number)
    part = series.side // 3
    edge = part // 12
    placed = []
    # No letter twice: where few are named, it is known which.
    drawn = rng.permutation(list(SLOAN)).tolist()
    for row in range(3):
        letters = drawn[3 * row : 3 * row + 3]
        # One height for a row, so that no letter seems to stand in another one.
        top = _inside(rng, row, series.side, size, edge)
        placed += [
            Placed(letter, _inside(rng, column, series.side, size, edge), top, size)
            for column, letter in enumerate(letters)
        ]
    return _chart(series, tuple(placed), rng)


def rows_of(chart: LetterChart) -> tuple[str, ...]:
    """The letters of each row, from top to bottom."""
    tops = sorted({placed.y for placed in chart.letters})
    return tuple("".join(each.letter for each in chart.letters if each.y == top) for top in tops)


def chart_of(trial: Trial) -> LetterChart:
    """The chart that was asked, as it was drawn."""
    series = trial.series
    placed = tuple(Placed(each.letter, each.x, each.y, each.size) for each in trial.letters)
    return LetterChart(
        series.side, series.side, placed, series.contrast, series.light_on_dark, series.ground, trial.seed
    )


def unread(chart: LetterChart) -> tuple[Letter, ...]:
    """The letters of a chart that nobody has read."""
    return tuple(Letter(*placed, mark="missing") for placed in chart.letters)


def _generator(series: Series, seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(series.name.encode()), number])


def _near_middle(rng: np.random.Generator, room: int) -> int:
    off = min(JITTER, room // 2)
    return room // 2 + int(rng.integers(-off, off + 1))


def _inside(rng: np.random.Generator, part: int, side: int, size: int, edge: int) -> int:
    """Where a letter begins that stands in one of three parts: at the edge of the image, or in its middle."""
    third = side // 3
    room = third - size - edge
    off = int(rng.integers(0, max(1, min(JITTER, room // 2))))
    return (edge + off, (side - size) // 2 + off - JITTER // 2, side - size - edge - off)[part]


def _chart(series: Series, placed: tuple[Placed, ...], rng: np.random.Generator) -> LetterChart:
    seed = int(rng.integers(0, 2**31))
    side = series.side
    return LetterChart(side, side, placed, series.contrast, series.light_on_dark, series.ground, seed)


def exhaustive_series() -> tuple[Series, ...]:
    """Every combination of contrast, polarity and ground, and the large image; the first is the usual one."""
    crossed = []
    for light, ground, percent in product((False, True), ("plain", "x-ray"), EXHAUSTIVE_CONTRASTS):
        parts = ["light-on-dark"] * light + ["x-ray"] * (ground == "x-ray") + [f"contrast-{percent}"] * (percent < 100)
        shade = "light letters" if light else "dark letters"
        words = f"{shade} on {'an X-ray-like' if ground == 'x-ray' else 'a plain'} ground at {percent}% contrast"
        series = Series("-".join(parts), words, SMALL, percent / 100, light, "x-ray" if ground == "x-ray" else "plain")
        crossed.append(series if parts else ACUITY)
    return (*crossed, WIDE)
