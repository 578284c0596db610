"""The charts of the exam: which series there are, and a fresh chart of random letters for any of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from zlib import crc32

import numpy as np
from scipy.special import gammaln, xlogy

from snellen.images.letters import SLOAN, LetterChart, Placed
from snellen.stats.observations import Numbers
from snellen.stats.psychometric import log_prior, rise
from snellen.tools.chart.result import Letter, Series, Trial

LETTERS = 5
"""Letters in a row, where the image is wide enough."""
SMALLEST = 3
"""Pixels; a stroke is a fifth of it."""
STEP = 0.03
"""Between two thresholds of the grid, in log10."""
BESIDE = 0.25
"""How far, in log10, the threshold of another series is expected from that of the first."""


def letters_that_fit(size: int, side: int) -> int:
    """Letters of a row with gaps of one letter between them, five at most.

    >>> [letters_that_fit(size, 448) for size in (5, 48, 60, 80, 140)]
    [5, 5, 4, 3, 2]
    """
    return max(1, min(LETTERS, ((side - side // 28) // size + 1) // 2))


@cache
def candidates(side: int) -> tuple[int, ...]:
    """The sizes that may be shown in an image: whole pixels, at least 4% apart, two letters in a row at least."""
    largest = (side - side // 28) // 3
    steps = np.geomspace(SMALLEST, largest, round(np.log10(largest / SMALLEST) / 0.02))
    sizes: list[int] = []
    for size in sorted({round(step) for step in steps}):
        if not sizes or size >= 1.08 * sizes[-1] or size < 13:
            sizes.append(size)
    return tuple(sizes)


@dataclass(frozen=True)
class Belief:
    """A weight for every threshold, a row, and every combination of width, guess and lapse, a column."""

    side: int
    weights: Numbers

    @property
    def thresholds(self) -> Numbers:
        """log10 of the thresholds of the grid."""
        return _thresholds(self.side)

    @property
    def spread(self) -> float:
        """The standard deviation of log10 of the threshold."""
        mass = self.weights.sum(axis=1)
        centre = float(mass @ self.thresholds)
        return float(np.sqrt(mass @ (self.thresholds - centre) ** 2))

    @property
    def threshold(self) -> float:
        """The median threshold, as a size."""
        mass = np.cumsum(self.weights.sum(axis=1))
        return float(10 ** np.interp(0.5, mass, self.thresholds))

    @property
    def reads(self) -> float:
        """The probability that it reads any letters: that the threshold lies among the sizes that may be shown."""
        return float(self.weights[10**self.thresholds <= candidates(self.side)[-1]].sum())

    def after(self, size: int, right: int, shown: int) -> Belief:
        """What is believed once `right` of `shown` letters of a size were read."""
        chance = _shares(self.side)[candidates(self.side).index(size)]
        weights = self.weights * chance**right * (1 - chance) ** (shown - right)
        return replace(self, weights=weights / weights.sum())

    def next_size(self) -> int:
        """The size after whose reply the least entropy of the threshold is expected to be left."""
        expected = [self._left_open(place) for place in range(len(candidates(self.side)))]
        return candidates(self.side)[int(np.argmin(expected))]

    def _left_open(self, place: int) -> float:
        joint = np.einsum("kto,to->kt", _replies(self.side)[place], self.weights)
        of_reply = joint.sum(axis=1)
        return float(xlogy(of_reply, of_reply).sum() - xlogy(joint, joint).sum())


def at_first(side: int) -> Belief:
    """What is believed before anything was asked: any threshold, and the weak priors of the rest."""
    prior = np.exp(log_prior(*_others().T))
    weights = np.ones((_thresholds(side).size, 1)) * prior
    return Belief(side, weights / weights.sum())


def beside(first: Belief, side: int) -> Belief:
    """What is believed of another series once the first is known: the same curve, its threshold not far off.

    Half of the weight lies around the first threshold, the other half anywhere.
    """
    thresholds = _thresholds(side)
    known = first.weights.sum(axis=1)
    away = (thresholds[:, None] - first.thresholds) / BESIDE
    near = np.exp(-(away**2) / 2) @ known
    mass = near / near.sum() / 2 + 0.5 / thresholds.size
    return Belief(side, mass[:, None] * first.weights.sum(axis=0))


@cache
def _thresholds(side: int) -> Numbers:
    return np.arange(np.log10(SMALLEST) - 0.2, np.log10(candidates(side)[-1]) + 0.35, STEP)


@cache
def _others() -> Numbers:
    """A row for each combination of width, guess and lapse."""
    grid = np.meshgrid((0.03, 0.08, 0.2, 0.5), (0.002, 0.04, 0.1, 0.2), (0.005, 0.04, 0.12, 0.3), indexing="ij")
    return np.stack([each.ravel() for each in grid], axis=1)


@cache
def _shares(side: int) -> Numbers:
    """The share right at each candidate size, for each threshold and each combination of the rest."""
    at = np.log10(np.array(candidates(side)))[:, None, None]
    widths, guesses, lapses = _others().T
    along = (at - _thresholds(side)[:, None]) / widths
    return np.asarray(guesses + (1 - guesses - lapses) * rise(along, "logistic"))


@cache
def _replies(side: int) -> tuple[Numbers, ...]:
    """Of each candidate size the probability of each number of letters right, for each threshold and the rest."""
    found = []
    for size, chance in zip(candidates(side), _shares(side), strict=True):
        shown = letters_that_fit(size, side)
        right = np.arange(shown + 1)[:, None, None]
        ways = np.exp(gammaln(shown + 1) - gammaln(right + 1) - gammaln(shown - right + 1))
        found.append(ways * chance**right * (1 - chance) ** (shown - right))
    return tuple(found)


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
