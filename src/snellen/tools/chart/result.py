"""The records of an eye exam: trials with their letters, thresholds, and the whole result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from snellen.stats import Estimate
from snellen.stats.psychometric import PsychometricCurve

Ground = Literal["plain", "x-ray"]
STROKES = 5
"""A letter's height in strokes; logMAR is log10 of the stroke in pixels."""
Mark = Literal["right", "wrong", "declined", "missing"]
"""How a letter was read: correctly, as another letter, called unreadable, or left out."""
Outcome = Literal["answered", "refused", "no image", "cut off", "failed"]
"""Outcome of a chart. Only letters of answered charts count; other outcomes are counted separately."""


class Letter(NamedTuple):
    """A letter of a chart: its position in pixels, and how the model read it."""

    letter: str
    x: int
    y: int
    size: int
    mark: Mark
    said: str = ""
    """The letter that the model named here; empty if none."""


@dataclass(frozen=True)
class ChartSeries:
    """A series of charts that differ only in their letters and sizes."""

    name: str
    """Name in files: acuity, contrast-30, contrast-10, contrast-3, light-on-dark, x-ray, large, corners."""
    words: str
    """Name in a table: "at 30% contrast"."""
    side: int
    """Width and height of the image, in pixels."""
    contrast: float = 1.0
    light_on_dark: bool = False
    ground: Ground = "plain"


@dataclass(frozen=True)
class Trial:
    """One request: a chart, the response, and how each letter was read."""

    number: int
    series: ChartSeries
    letters: tuple[Letter, ...]
    rows: tuple[str, ...]
    """The letters of each row, from top to bottom."""
    seed: int
    """Seed of the chart's background."""
    outcome: Outcome
    reply: str
    """The text of the response, or the error if the request failed."""
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def size(self) -> int:
        """Size of the letters in pixels."""
        return self.letters[0].size

    def count(self, mark: Mark) -> int:
        """Count the letters with this mark."""
        return sum(letter.mark == mark for letter in self.letters)


class Point(NamedTuple):
    """Counts of all letters of one size, by how they were read."""

    size: int
    right: int
    wrong: int
    declined: int
    missing: int

    @property
    def n(self) -> int:
        """Number of letters shown."""
        return self.right + self.wrong + self.declined + self.missing


class CurvePoint(NamedTuple):
    """The fitted curve at one size, with its bootstrap interval."""

    size: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Acuity:
    """The threshold of a model in one series; if `size` is None, `why` says why."""

    series: ChartSeries
    size: Estimate | None
    """Letter size in pixels at which half of the letters are read, without guesses and slips; n counts letters."""
    logmar: Estimate | None
    """The same size in logMAR: log10 of the stroke (a fifth of the size) in pixels; 1 px is 0.0."""
    points: tuple[Point, ...]
    """Counts by size, smallest first."""
    curve: PsychometricCurve | None = None
    drawn: tuple[CurvePoint, ...] = ()
    """The fitted curve for drawing, smallest size first."""
    change: Estimate | None = None
    """Threshold divided by that of the first series: 2 means letters twice as large. None for the first."""
    why: str = ""


@dataclass(frozen=True)
class Corner:
    """Results in one of nine parts of the image, with letters of a readable size."""

    row: int
    """0 is the top row."""
    column: int
    """0 is the left column."""
    name: str
    """Name in a sentence: "the top left"."""
    right: int
    n: int
    p: float
    """Exact, Holm-corrected p of this few right, compared with the other parts or with rows in the middle."""
    blind: bool


@dataclass(frozen=True)
class Shrinking:
    """Whether large images seem to be shrunk before the model sees them."""

    small_side: int
    large_side: int
    ratio: Estimate
    """Threshold in the large image divided by that in the small one; 1 if images are not shrunk."""
    shrunk: bool | None
    """None if the interval allows both."""
    seen_side: Estimate | None
    """Maximum side in pixels that remains of the large image; None unless shrunk. Less if small ones shrink too."""


@dataclass(frozen=True)
class Invention:
    """How a model responds to letters that it cannot read."""

    invented: Estimate | None
    """Share of letters read as another one, among those below the threshold that were not read correctly."""
    from_size: int | None
    """Largest size in pixels at and below which most letters are invented, or None."""
    points: tuple[Point, ...]
    """Counts of all letters of the first series, smallest size first."""
    replies: int = 0
    """Number of responses with unread letters; the letters of one response are one cluster."""


@dataclass(frozen=True)
class ChartResult:
    """All results of one model's eye chart."""

    model: str
    revision: str
    created: str
    seed: int
    exhaustive: bool
    sentence: str
    """The main result in one sentence."""
    sentences: tuple[str, ...]
    """Further results, one sentence each, with numbers."""
    why: str
    """Why there is no threshold; empty if there is one."""
    acuity: Acuity | None
    """The first series: dark letters on a light plain ground at full contrast, in the middle of the small image."""
    others: tuple[Acuity, ...]
    """The other series: fainter letters, light on dark, X-ray-like ground, large image."""
    corners: tuple[Corner, ...]
    """Nine parts, row by row; empty if not tested."""
    corner_size: int | None
    shrinking: Shrinking | None
    invention: Invention | None
    trials: tuple[Trial, ...]
    """All requests in the order of asking, including failed ones."""
    asked: int
    """Number of requests."""
    input_tokens: int | None
    """Input tokens of all requests; None if the provider reports none."""
    output_tokens: int | None
