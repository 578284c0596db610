"""Measurement of an exam: computes thresholds and other results, with intervals, from its trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import comb, hypot, inf, log10

import numpy as np
from numpy.typing import NDArray

from snellen.stats import Estimate, holm, proportion, wilson
from snellen.stats.falling_curve import never_rising
from snellen.stats.psychometric import PsychometricFit, fit_psychometric
from snellen.tools.chart.charts import ACUITY, CORNERS, LARGE, OTHERS, PLACES, SMALL, WIDE, exhaustive_series
from snellen.tools.chart.files import Examined
from snellen.tools.chart.result import (
    STROKES,
    Acuity,
    ChartResult,
    ChartSeries,
    Corner,
    CurvePoint,
    Invention,
    Mark,
    Point,
    Shrinking,
    Trial,
)
from snellen.tools.chart.sentences import first_sentence, further_sentences, why_unread

CURVE_POINTS = 60
BLIND = 0.05
"""Significance level for a part of the image in which fewer letters are read."""
SAME, SMALLER = 1.25, 1.1
"""Threshold ratios: below the first, images seem not shrunk; above the second, they seem shrunk."""
CLEARLY = 1.5
"""In an exhaustive exam: minimum letter size for testing parts of the image, relative to the threshold."""
CENTRE = 4
"""Index of the centre among the nine parts."""
CHANCE = 0.3
"""Share of letters right that guessing could explain: one in ten, with a safety margin."""
MARKS: tuple[Mark, ...] = ("right", "wrong", "declined", "missing")


def measure(examined: Examined, trials: Sequence[Trial], why: str = "") -> ChartResult:
    """Measure an exam; `why` says why it was not completed, or is empty."""
    in_order = tuple(sorted(trials, key=lambda trial: trial.number))
    answered = [trial for trial in in_order if trial.outcome == "answered"]
    first, fits = _acuity(ACUITY, answered, None, examined.seed)
    asked = {trial.series for trial in in_order}
    series = [each for each in exhaustive_series() if each in asked] if examined.exhaustive else OTHERS
    beside = [each for each in series if each in asked and each != ACUITY]
    others = tuple(_acuity(each, answered, fits, examined.seed)[0] for each in beside) if fits else ()
    shown = _corner_trials(answered, first)
    result = ChartResult(
        model=examined.model,
        revision=examined.revision,
        created=examined.created,
        seed=examined.seed,
        exhaustive=examined.exhaustive,
        sentence="",
        sentences=(),
        why="" if first.size is not None else why_unread(in_order, first, why),
        acuity=first if first.points else None,
        others=others,
        corners=_corners(shown, [trial for trial in answered if trial.series == ACUITY and len(trial.rows) == 1]),
        corner_size=shown[0].size if shown else None,
        shrinking=_shrinking(others),
        invention=_invention(answered, first),
        trials=in_order,
        asked=len(in_order),
        input_tokens=_tokens(trial.input_tokens for trial in in_order),
        output_tokens=_tokens(trial.output_tokens for trial in in_order),
    )
    return replace(result, sentence=first_sentence(result), sentences=further_sentences(result))


def points(trials: Iterable[Trial]) -> tuple[Point, ...]:
    """Count the letters of all trials by size."""
    by_size: dict[int, Counter[Mark]] = {}
    for trial in trials:
        by_size.setdefault(trial.size, Counter()).update(letter.mark for letter in trial.letters)
    return tuple(Point(size, *(counts[mark] for mark in MARKS)) for size, counts in sorted(by_size.items()))


def _acuity(
    series: ChartSeries, answered: Sequence[Trial], like: PsychometricFit | None, seed: int
) -> tuple[Acuity, PsychometricFit | None]:
    """Estimate the threshold of a series.

    `like` is the fit of the first series, whose curve the fit starts from.
    """
    trials = [trial for trial in answered if trial.series == series]
    own = points(trials)
    if why := _why_none(own):
        return Acuity(series, None, None, own, why=why), None
    sizes = [point.size for point in own]
    fit = fit_psychometric(
        [trial.size for trial in trials],
        [trial.count("right") for trial in trials],
        [len(trial.letters) for trial in trials],
        like=None if like is None else like.curve,
        correlation=None if like is None else like.correlation,
        seed=seed,
    )
    along = np.geomspace(sizes[0] / 1.2, sizes[-1] * 1.2, CURVE_POINTS)
    low, high = fit.band(along)
    rows = zip(along, fit.curve.predict_accuracy(along), low, high, strict=True)
    drawn = tuple(CurvePoint(*map(float, row)) for row in rows)
    change = None if like is None else _change(fit.threshold, like.threshold)
    return Acuity(series, fit.threshold, _as_logmar(fit.threshold), own, fit.curve, drawn, change), fit


def _why_none(own: Sequence[Point]) -> str:
    """Explain why no threshold can be estimated; empty if one can."""
    if not own:
        return "No chart of this series was answered."
    share = never_rising([point.right / point.n for point in own[::-1]], [point.n for point in own[::-1]])
    read = [point for point, reached in zip(own[::-1], share, strict=True) if reached >= 0.5]
    right, shown = sum(point.right for point in read), sum(point.n for point in read)
    if not read or wilson(right, shown).low < CHANCE:
        return (
            f"It reads no size up to {own[-1].size} px reliably: half of the letters, and clearly more than by "
            f"guessing ({sum(point.right for point in own)} of {sum(point.n for point in own)} letters right)."
        )
    if share[-1] > 0.5:
        return f"More than half of the letters are read even at the smallest size shown, {own[0].size} px."
    return ""


def _as_logmar(size: Estimate) -> Estimate:
    low = log10(size.low / STROKES) if size.low else -inf
    high = log10(size.high / STROKES) if size.high < inf else inf
    return Estimate(log10(size.value / STROKES), low, high, size.n, size.method)


def _change(size: Estimate, first: Estimate) -> Estimate:
    """Divide a threshold by the first series'; interval by MOVER (Donner & Zou 2012)."""
    value, low, high = (log10(end) if end else -inf for end in (size.value, size.low, size.high))
    other, least, most = (log10(end) if end else -inf for end in (first.value, first.low, first.high))
    down, up = hypot(value - low, most - other), hypot(high - value, other - least)
    change = value - other
    return Estimate(10**change, 10 ** (change - down), 10 ** (change + up), size.n, f"MOVER of both: {size.method}")


def _shrinking(others: Sequence[Acuity]) -> Shrinking | None:
    large = next((each for each in others if each.series == WIDE), None)
    if large is None or large.change is None:
        return None
    ratio = large.change
    shrunk = True if ratio.low > SMALLER else False if ratio.high < SAME else None
    seen = Estimate(
        LARGE / ratio.value,
        0.0 if ratio.high == inf else LARGE / ratio.high,
        min(float(LARGE), LARGE / ratio.low) if ratio.low else float(LARGE),
        ratio.n,
        ratio.method,
    )
    return Shrinking(SMALL, LARGE, ratio, shrunk, seen if shrunk else None)


def _corner_trials(answered: Sequence[Trial], first: Acuity) -> list[Trial]:
    """Select the trials with letters in all nine parts, large enough to be read."""
    made = [trial for trial in answered if trial.series == CORNERS]
    if made or first.size is None:
        return made
    legible = CLEARLY * first.size.value
    return [trial for trial in answered if trial.series == ACUITY and len(trial.letters) == 9 and trial.size >= legible]


def _corners(trials: Sequence[Trial], rows: Sequence[Trial]) -> tuple[Corner, ...]:
    """Compare each of the nine parts with the others and with rows in the middle."""
    if not trials:
        return ()
    right = np.array([[letter.mark == "right" for letter in trial.letters] for trial in trials])
    ps = np.array([fewer_here_p(right, place) for place in range(9)])
    in_rows = [letter.mark == "right" for trial in rows if trial.size >= trials[0].size for letter in trial.letters]
    if right[:, CENTRE].mean() >= 0.5:
        # If most parts are blind, as after a crop to the centre, they are not worse than each other, but than rows.
        than_rows = [fewer_than_p(int(each.sum()), len(trials), sum(in_rows), len(in_rows)) for each in right.T]
        ps = np.minimum(1, 2 * np.minimum(ps, than_rows))
    corrected = holm(ps.tolist())
    return tuple(
        Corner(
            row=place // 3,
            column=place % 3,
            name=name,
            right=int(right[:, place].sum()),
            n=len(trials),
            p=float(corrected[place]),
            blind=bool(corrected[place] < BLIND and right[:, place].mean() < 0.5),
        )
        for place, name in enumerate(PLACES)
    )


def fewer_than_p(right: int, n: int, others_right: int, others: int) -> float:
    """Compute Fisher's exact probability of this few right, or fewer, among n.

    >>> round(fewer_than_p(0, 2, 3, 3), 3)
    0.1
    """
    all_right = right + others_right
    ways = sum(comb(all_right, few) * comb(n + others - all_right, n - few) for few in range(right + 1))
    return ways / comb(n + others, n)


def fewer_here_p(right: NDArray[np.bool_], place: int) -> float:
    """Compute the exact probability of this few right, or fewer, in one part.

    `right` has a row per chart and a column per part. Under the null hypothesis, all parts of a chart are equally
    likely to be right, and charts are independent.

    >>> fewer_here_p(np.array([[False, True], [False, True]]), 0)
    0.25
    """
    law = np.ones(1)
    for share in right.mean(axis=1):
        law = np.convolve(law, (1 - share, share))
    return float(min(1.0, law[: int(right[:, place].sum()) + 1].sum()))


def _invention(answered: Sequence[Trial], first: Acuity) -> Invention | None:
    own = [trial for trial in answered if trial.series == ACUITY]
    if not own:
        return None
    shares = never_rising([point.wrong / point.n for point in first.points], [point.n for point in first.points])
    invents = [point.size for point, share in zip(first.points, shares, strict=True) if share > 0.5]
    below = [trial for trial in own if first.size is None or trial.size < first.size.value]
    unread = [(trial.number, letter) for trial in below for letter in trial.letters if letter.mark != "right"]
    invented = None
    if unread:
        flags = [letter.mark == "wrong" for _, letter in unread]
        invented = proportion(np.array(flags, float), [number for number, _ in unread])
    return Invention(invented, max(invents, default=None), first.points, len({number for number, _ in unread}))


def _tokens(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
