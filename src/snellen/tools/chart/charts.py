"""The charts of an eye exam: their series, random letters, and the choice of the next letter size.

The *threshold* of a model is the letter size that it reads half of the time. A `Belief` is a probability
distribution of the threshold, updated after each response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from zlib import crc32

import numpy as np
from scipy.special import gammaln, xlogy

from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.stats.observations import Numbers
from snellen.stats.psychometric import log_prior, rise
from snellen.tools.chart.result import ChartSeries, Ground, Letter, Trial

LETTERS = 5
"""Maximum number of letters in a row."""
SMALLEST = 3
"""Smallest letter size in pixels; a stroke is a fifth of it."""
STEP = 0.03
"""Distance between two thresholds of the grid, in log10 of pixels."""
BESIDE = 0.25
"""Expected difference between the thresholds of two series, as a standard deviation in log10."""


def letters_that_fit(size: int, side: int) -> int:
    """Return how many letters fit into a row with letter-sized gaps; at most five.

    >>> [letters_that_fit(size, 448) for size in (5, 48, 60, 80, 140)]
    [5, 5, 4, 3, 2]
    """
    return max(1, min(LETTERS, ((side - side // 28) // size + 1) // 2))


@cache
def candidates(side: int) -> tuple[int, ...]:
    """List the letter sizes for an image in whole pixels.

    From 13 px on, they are at least 8% apart.
    """
    largest = (side - side // 28) // 3
    steps = np.geomspace(SMALLEST, largest, round(np.log10(largest / SMALLEST) / 0.02))
    sizes: list[int] = []
    for size in sorted({round(step) for step in steps}):
        if not sizes or size >= 1.08 * sizes[-1] or size < 13:
            sizes.append(size)
    return tuple(sizes)


@dataclass(frozen=True)
class Belief:
    """Probabilities of a model's threshold, and of its rates of guesses and slips.

    `weights` has a row per threshold, and a column per combination of curve width, guess rate and lapse rate.
    """

    side: int
    weights: Numbers

    @property
    def thresholds(self) -> Numbers:
        """log10 of the thresholds of the grid."""
        return _thresholds(self.side)

    @property
    def spread(self) -> float:
        """Standard deviation of log10 of the threshold."""
        mass = self.weights.sum(axis=1)
        centre = float(mass @ self.thresholds)
        return float(np.sqrt(mass @ (self.thresholds - centre) ** 2))

    @property
    def threshold(self) -> float:
        """Median threshold in pixels."""
        mass = np.cumsum(self.weights.sum(axis=1))
        return float(10 ** np.interp(0.5, mass, self.thresholds))

    @property
    def reads(self) -> float:
        """Probability that the threshold is not above the largest available size."""
        return float(self.weights[10**self.thresholds <= candidates(self.side)[-1]].sum())

    def update_belief(self, size: int, right: int, shown: int) -> Belief:
        """Return the belief after `right` of `shown` letters of a size were read."""
        chance = _shares(self.side)[candidates(self.side).index(size)]
        weights = self.weights * chance**right * (1 - chance) ** (shown - right)
        return replace(self, weights=weights / weights.sum())

    def next_size(self) -> int:
        """Return the most informative size: least expected entropy of the threshold."""
        expected = [self._left_open(place) for place in range(len(candidates(self.side)))]
        return candidates(self.side)[int(np.argmin(expected))]

    def _left_open(self, place: int) -> float:
        joint = np.einsum("kto,to->kt", _replies(self.side)[place], self.weights)
        of_reply = joint.sum(axis=1)
        return float(xlogy(of_reply, of_reply).sum() - xlogy(joint, joint).sum())


def make_prior(side: int) -> Belief:
    """Return the belief before any response: all thresholds equally likely, weak priors for the rest."""
    prior = np.exp(log_prior(*_combine_parameters().T))
    weights = np.ones((_thresholds(side).size, 1)) * prior
    return Belief(side, weights / weights.sum())


def transfer_belief(first: Belief, side: int) -> Belief:
    """Return the first belief about another series, derived from the first series.

    Half of the weight lies around the first series' threshold; the other half is spread over all thresholds.
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
def _combine_parameters() -> Numbers:
    """Return all combinations of width, guess rate and lapse rate, one per row."""
    grid = np.meshgrid((0.03, 0.08, 0.2, 0.5), (0.002, 0.04, 0.1, 0.2), (0.005, 0.04, 0.12, 0.3), indexing="ij")
    return np.stack([each.ravel() for each in grid], axis=1)


@cache
def _shares(side: int) -> Numbers:
    """Compute the probability of reading a letter: by size, threshold and combination."""
    at = np.log10(np.array(candidates(side)))[:, None, None]
    widths, guesses, lapses = _combine_parameters().T
    along = (at - _thresholds(side)[:, None]) / widths
    return np.asarray(guesses + (1 - guesses - lapses) * rise(along, "logistic"))


@cache
def _replies(side: int) -> tuple[Numbers, ...]:
    """Compute the probability of each number of letters read, for each size."""
    found = []
    for size, chance in zip(candidates(side), _shares(side), strict=True):
        shown = letters_that_fit(size, side)
        right = np.arange(shown + 1)[:, None, None]
        ways = np.exp(gammaln(shown + 1) - gammaln(right + 1) - gammaln(shown - right + 1))
        found.append(ways * chance**right * (1 - chance) ** (shown - right))
    return tuple(found)


SMALL, LARGE = 448, 1344
"""Width and height of small and large images, in pixels."""
ACUITY = ChartSeries("acuity", "dark letters on a light ground", SMALL)
CONTRASTS = tuple(
    ChartSeries(f"contrast-{percent}", f"at {percent}% contrast", SMALL, contrast=percent / 100)
    for percent in (30, 10, 3)
)
POLARITY = ChartSeries("light-on-dark", "light letters on a dark ground", SMALL, light_on_dark=True)
GROUND = ChartSeries("x-ray", "on an X-ray-like ground", SMALL, ground="x-ray")
WIDE = ChartSeries("large", f"in an image of {LARGE} px", LARGE)
CORNERS = ChartSeries("corners", "a letter in each part of the image", SMALL)
OTHERS = (*CONTRASTS, POLARITY, GROUND, WIDE)
PLACES = tuple(
    "the centre" if (row, column) == ("", "") else f"the {row} {column}".strip().replace("  ", " ")
    for row, column in product(("top", "", "bottom"), ("left", "", "right"))
)
"""The nine parts of an image, row by row."""
EXHAUSTIVE_CONTRASTS = (100, 30, 10, 3)
LARGEST_IN_A_PART = SMALL // 3 * 2 // 3
"""Size in pixels of the largest letter with enough free space in a ninth of the image."""
JITTER = 14
"""Maximum shift of a row from the middle, in pixels.

It varies how letters fall on the patches of a model.
"""


def row_chart(series: ChartSeries, size: int, seed: int, number: int) -> LetterChart:
    """Draw a row of letters of one size near the middle.

    >>> [letter.size for letter in row_chart(ACUITY, 60, seed=1, number=0).letters]
    [60, 60, 60, 60]
    """
    rng = _generator(series, seed, number)
    count = letters_that_fit(size, series.side)
    left = _near_middle(rng, series.side - (2 * count - 1) * size)
    top = _near_middle(rng, series.side - size)
    drawn = rng.permutation(list(SLOAN))[:count].tolist()
    placed = tuple(PlacedLetter(letter, left + 2 * size * place, top, size) for place, letter in enumerate(drawn))
    return _chart(series, placed, int(rng.integers(0, 2**31)))


def nine_chart(series: ChartSeries, size: int, seed: int, number: int) -> LetterChart:
    """Draw a letter in each of the nine parts of the image, in three rows.

    >>> len(nine_chart(CORNERS, 40, seed=1, number=0).letters)
    9
    """
    rng = _generator(series, seed, number)
    part = series.side // 3
    edge = part // 12
    placed = []
    # No letter occurs twice: if a response names only a few, it is clear which ones.
    drawn = rng.permutation(list(SLOAN)).tolist()
    for row in range(3):
        letters = drawn[3 * row : 3 * row + 3]
        # All letters of a row have the same height, so that none seems to belong to another row.
        top = _place_letter(rng, row, series.side, size, edge)
        placed += [
            PlacedLetter(letter, _place_letter(rng, column, series.side, size, edge), top, size)
            for column, letter in enumerate(letters)
        ]
    return _chart(series, tuple(placed), int(rng.integers(0, 2**31)))


def rows_of(chart: LetterChart) -> tuple[str, ...]:
    """Return the letters of each row, from top to bottom."""
    tops = sorted({placed.y for placed in chart.letters})
    return tuple("".join(each.letter for each in chart.letters if each.y == top) for top in tops)


def chart_of(trial: Trial) -> LetterChart:
    """Return the chart of a trial, to draw it again as it was sent."""
    placed = tuple(PlacedLetter(each.letter, each.x, each.y, each.size) for each in trial.letters)
    return _chart(trial.series, placed, trial.seed)


def list_unread(chart: LetterChart) -> tuple[Letter, ...]:
    """List the letters of a chart, marked as not yet read."""
    return tuple(Letter(*placed, mark="missing") for placed in chart.letters)


def _generator(series: ChartSeries, seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(series.name.encode()), number])


def _near_middle(rng: np.random.Generator, room: int) -> int:
    off = min(JITTER, room // 2)
    return room // 2 + int(rng.integers(-off, off + 1))


def _place_letter(rng: np.random.Generator, part: int, side: int, size: int, edge: int) -> int:
    """Return the position of a letter in one of three parts: near an edge or in the middle."""
    third = side // 3
    room = third - size - edge
    off = int(rng.integers(0, max(1, min(JITTER, room // 2))))
    return (edge + off, (side - size) // 2 + off - JITTER // 2, side - size - edge - off)[part]


def _chart(series: ChartSeries, placed: tuple[PlacedLetter, ...], seed: int) -> LetterChart:
    side = series.side
    return LetterChart(side, side, placed, series.contrast, series.light_on_dark, series.ground, seed)


def exhaustive_series() -> tuple[ChartSeries, ...]:
    """List the series of an exhaustive exam: each shade, ground and contrast, and one on a large image."""
    crossed = []
    grounds: tuple[Ground, ...] = ("plain", "x-ray")
    for light, ground, percent in product((False, True), grounds, EXHAUSTIVE_CONTRASTS):
        parts = ["light-on-dark"] * light + ["x-ray"] * (ground == "x-ray") + [f"contrast-{percent}"] * (percent < 100)
        shade = "light letters" if light else "dark letters"
        words = f"{shade} on {'an X-ray-like' if ground == 'x-ray' else 'a plain'} ground at {percent}% contrast"
        crossed.append(ChartSeries("-".join(parts), words, SMALL, percent / 100, light, ground) if parts else ACUITY)
    return (*crossed, WIDE)
