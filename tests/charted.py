"""A made-up result of an eye chart, for tests of its page."""

from dataclasses import replace
from functools import cache

import numpy as np

from snellen.images.letters import SLOAN
from snellen.stats import Estimate, wilson
from snellen.stats.psychometric import PsychometricCurve
from snellen.tools.chart.result import (
    Acuity,
    ChartResult,
    ChartSeries,
    Corner,
    CurvePoint,
    Invention,
    Letter,
    Point,
    Shrinking,
    Trial,
)

ACUITY = ChartSeries("acuity", "dark on light, full contrast", 448)
FAINT = ChartSeries("contrast-10", "at 10% contrast", 448, contrast=0.1)
LIGHT = ChartSeries("light-on-dark", "light letters on dark", 448, light_on_dark=True)
XRAY = ChartSeries("x-ray", "on an X-ray-like ground", 448, ground="x-ray")
LARGE = ChartSeries("large", "in a large image", 1344)
CORNERS = ChartSeries("corners", "in nine parts of the image", 448)
SIZES = (32, 24, 16, 12, 10, 8, 6, 5)
METHOD = "parametric bootstrap"


def asked(number, series, size, threshold, *, reply=None, outcome="answered", at=None):
    """A request whose letters are read well above the threshold, invented or declined below it."""
    rng = np.random.default_rng(number)
    shown = rng.choice(list(SLOAN), 5)
    left, top = at or ((series.side - 9 * size) // 2, (series.side - size) // 2)
    chance = 1 / (1 + (threshold / size) ** 14)
    letters = []
    for place, letter in enumerate(shown):
        right = rng.random() < chance
        mark = "right" if right else "wrong" if rng.random() < 0.6 else "declined" if rng.random() < 0.7 else "missing"
        said = letter if right else str(rng.choice([each for each in SLOAN if each != letter]))
        said = said if mark in ("right", "wrong") else ""
        letters.append(Letter(str(letter), left + 2 * size * place, top, size, mark, said))
    words = " ".join(each.said or "?" for each in letters) if reply is None else reply
    return Trial(number, series, tuple(letters), ("".join(shown),), number, outcome, words, 280, 12)


def measured(series, trials, threshold, first=None):
    """The acuity of a series, as if fitted."""
    curve = PsychometricCurve(threshold, 0.2, 0.03, 0.02)
    points = []
    for size in sorted({trial.size for trial in trials if trial.series is series}):
        own = [trial for trial in trials if trial.series is series and trial.size == size]
        counts = (sum(trial.count(mark) for trial in own) for mark in ("right", "wrong", "declined", "missing"))
        points.append(Point(size, *counts))
    n = sum(point.n for point in points)
    size = Estimate(threshold, threshold / 1.15, threshold * 1.15, n, METHOD)
    logmar = Estimate(*(float(np.log10(end / 5)) for end in (size.value, size.low, size.high)), n, METHOD)
    drawn = tuple(
        CurvePoint(float(at), *(float(curve.predict_accuracy(at * times)) for times in (1, 1 / 1.12, 1.12)))
        for at in np.geomspace(4, 40, 41)
    )
    change = (
        None
        if first is None
        else Estimate(threshold / first, threshold / first / 1.2, threshold / first * 1.2, n, METHOD)
    )
    return Acuity(series, size, logmar, tuple(points), curve, drawn, change)


@cache
def charted(*, model="organism/made-up", reply=None):
    """A result of every kind of figure; `reply` stands in for the words of every reply."""
    thresholds = {ACUITY: 8.2, FAINT: 13.0, LIGHT: 8.6, XRAY: 10.4, LARGE: 16.5}
    plan = [(series, size) for series in thresholds for size in SIZES for _ in range(3 if series is ACUITY else 1)]
    trials = [asked(n, series, size, thresholds[series], reply=reply) for n, (series, size) in enumerate(plan, 1)]
    for row in range(3):
        for column in range(3):
            blind = (row, column) == (2, 2)
            place = (20 + 130 * column, 60 + 150 * row)
            trials.append(asked(len(trials) + 1, CORNERS, 14, 40.0 if blind else 5.0, reply=reply, at=place))
    trials.append(asked(len(trials) + 1, ACUITY, 8, 8.2, reply="The server did not answer.", outcome="failed"))
    first, *others = (
        measured(series, trials, at, None if series is ACUITY else 8.2) for series, at in thresholds.items()
    )
    names = [f"{down} {across}".replace("middle centre", "centre") for down in ("top", "middle", "bottom")
             for across in ("left", "centre", "right")]  # fmt: skip
    why = "It does not read half of the letters at any size up to 144 px, beyond what guesses explain (0 of 17 right)."
    others[1] = replace(others[1], size=None, logmar=None, curve=None, drawn=(), change=None, why=why)
    corners = tuple(
        Corner(n // 3, n % 3, name, 2 if n == 8 else 15, 15, 0.0002 if n == 8 else 1.0, n == 8)
        for n, name in enumerate(names)
    )
    return ChartResult(
        model=model,
        revision="1+0a1b2c3d",
        created="2026-11-17T00:40:00+00:00",
        seed=7,
        exhaustive=False,
        sentence=f"{model} reads letters down to 8.2 px (95% CI 7.1 to 9.4; logMAR 0.21; n = 120 letters).",
        sentences=(
            "At 10% contrast, letters must be 1.6 times as large (95% CI 1.3 to 1.9).",
            "Below 8 px it invents letters instead of saying that it cannot read them.",
            "It is blind in the bottom right: 2 of 15 letters read there, 120 of 120 elsewhere.",
        ),
        why="",
        acuity=first,
        others=tuple(others),
        corners=corners,
        corner_size=14,
        shrinking=Shrinking(
            448, 1344, Estimate(2.0, 1.7, 2.4, 240, METHOD), True, Estimate(670.0, 560.0, 790.0, 240, METHOD)
        ),
        invention=Invention(wilson(21, 30), 6, first.points, 9),
        trials=tuple(trials),
        asked=len(trials),
        input_tokens=280 * len(trials),
        output_tokens=12 * len(trials),
    )
