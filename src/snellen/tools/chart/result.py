"""ChartResult: what an eye chart has shown of a model, with every chart that was asked, as the page draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from snellen.stats import Estimate
from snellen.stats.psychometric import PsychometricCurve

Mark = Literal["right", "wrong", "declined", "missing"]
"""What became of a letter: read, another one said, said to be unreadable, or left out of the reply."""
Outcome = Literal["answered", "refused", "no image", "cut off", "failed"]
"""What became of a chart. Only letters of those that were answered count; the others are told of."""


class Letter(NamedTuple):
    """A letter of a chart: where it stood, in pixels from the top left, and what was read."""

    letter: str
    x: int
    y: int
    size: int
    mark: Mark
    said: str = ""
    """The letter that was read in its place; empty where none was."""


@dataclass(frozen=True)
class Series:
    """Charts that differ in nothing but their letters: a curve is fitted to each series but the corners."""

    name: str
    """As in chart.json: acuity, contrast-30, contrast-10, contrast-3, light-on-dark, x-ray, large, corners."""
    words: str
    """As in a table: "at 30% contrast"."""
    side: int
    """Width and height of the image, in pixels."""
    contrast: float = 1.0
    light_on_dark: bool = False
    ground: Literal["plain", "x-ray"] = "plain"


@dataclass(frozen=True)
class Trial:
    """One request: a chart, the reply to it, and what became of each letter."""

    number: int
    series: Series
    letters: tuple[Letter, ...]
    rows: tuple[str, ...]
    """The letters as they stood in rows."""
    seed: int
    """Of the chart's ground."""
    outcome: Outcome
    reply: str
    """The model's words as they came; where the request failed, why."""
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def size(self) -> int:
        """The letters' size in pixels."""
        return self.letters[0].size

    def count(self, mark: Mark) -> int:
        """How many letters have this mark."""
        return sum(letter.mark == mark for letter in self.letters)


class Point(NamedTuple):
    """All letters of one size: how many were read right, another one said, declined, left out."""

    size: int
    right: int
    wrong: int
    declined: int
    missing: int

    @property
    def n(self) -> int:
        """How many letters were shown."""
        return self.right + self.wrong + self.declined + self.missing


class Drawn(NamedTuple):
    """The fitted curve at one size, with the interval of the bootstrap."""

    size: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Acuity:
    """How small a model reads in one series. Where no size can be told, `size` is None and `why` says why not."""

    series: Series
    size: Estimate | None
    """The letter size in pixels at which half of the letters are read, guesses and slips aside; n counts letters."""
    logmar: Estimate | None
    """log10 of a fifth of that size: the stroke in pixels, where 1 px is 0.0."""
    points: tuple[Point, ...]
    """By rising size."""
    curve: PsychometricCurve | None = None
    drawn: tuple[Drawn, ...] = ()
    """The curve along the sizes, by rising size, for drawing."""
    change: Estimate | None = None
    """Its size over that of the first series: 2 means that letters must be twice as large; None for the first."""
    why: str = ""


@dataclass(frozen=True)
class Corner:
    """One of the nine parts of the image: how many letters were read there, at a size that is read in the centre."""

    row: int
    """0 at the top."""
    column: int
    """0 at the left."""
    name: str
    """As in a sentence: "top left"."""
    right: int
    n: int
    p: float
    """Of so few right here, held against the other parts and the rows in the middle: exact, corrected by Holm."""
    blind: bool


@dataclass(frozen=True)
class Shrinking:
    """Whether images seem to be made smaller on their way: the same letters in a small and in a large image."""

    small_side: int
    large_side: int
    ratio: Estimate
    """The smallest size read in the large image over that in the small one; 1 where nothing is shrunk."""
    shrunk: bool | None
    """None where the interval allows for both."""
    seen_side: Estimate | None
    """At most how many pixels of the large image's side are left, where it is shrunk; fewer if the small one is too."""


@dataclass(frozen=True)
class Invention:
    """What a model does with letters that it cannot read."""

    invented: Estimate | None
    """Of the letters below the threshold that were not read right, the share in whose place another was said."""
    from_size: int | None
    """The largest size in pixels from which on down more than half of the letters are invented; None: never seen."""
    points: tuple[Point, ...]
    """All letters at full contrast by rising size."""
    replies: int = 0
    """How many replies the letters that were not read stand in: those of one reply are one cluster."""


@dataclass(frozen=True)
class ChartResult:
    """What an eye chart has shown of one model."""

    model: str
    revision: str
    created: str
    seed: int
    exhaustive: bool
    sentence: str
    """The result in one sentence."""
    sentences: tuple[str, ...]
    """What else was found, each in a sentence with its numbers."""
    why: str
    """Why there is no number; empty where there is one."""
    acuity: Acuity | None
    """Dark letters on a light plain ground at full contrast in the middle of the small image."""
    others: tuple[Acuity, ...]
    """The same for fainter letters, light letters on dark, an X-ray-like ground, and the large image."""
    corners: tuple[Corner, ...]
    """Nine, row by row; empty where they were not asked."""
    corner_size: int | None
    shrinking: Shrinking | None
    invention: Invention | None
    trials: tuple[Trial, ...]
    """Every request in the order of asking, failed ones included."""
    asked: int
    """How many requests."""
    input_tokens: int | None
    """Of all requests; None where the provider counts none."""
    output_tokens: int | None
