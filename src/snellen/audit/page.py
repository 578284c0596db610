"""The page of an audit: what was found, the items and the evidence, what cannot be said, in one HTML file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from snellen.audit.audit import LEVEL, Audit
from snellen.audit.checks import Check, check_named
from snellen.audit.finding import LONGEST_QUOTE, Checked, Curve, Finding, Number, Severity
from snellen.report.figures.marks import Scale, axis_title, forest_mark, scale, titled_axis
from snellen.report.sheet import policy, styles, templates
from snellen.report.words.numbers import begun, figure, interval, p_value, shortened
from snellen.runtime import counted

STYLES = ("tokens", "page", "figures", "marks", "chapters", "audit", "narrow", "print")
SHOWN, FOLDED = 10, 200
"""Items of a finding that are shown, and how many more are folded below them; findings.csv has all."""
SEVERITY_CLASS = {Severity.HIGH: "bad", Severity.MEDIUM: "bad", Severity.LOW: "unclear"}
SEVERITY_MARK = {Severity.HIGH: "!!", Severity.MEDIUM: "!", Severity.LOW: "·"}


class Baseline(NamedTuple):
    """A number in a row of a figure."""

    words: str
    picture: Markup
    said: str
    interval: str
    n: int
    expected: str
    method: str


class Baselines(NamedTuple):
    """Numbers on one axis."""

    rows: tuple[Baseline, ...]
    axis: Markup


class ToldCheck(NamedTuple):
    """What a check has to say on the page."""

    check: Check
    done: Checked
    findings: tuple[Finding, ...]
    numbers: tuple[Baselines, ...]
    curves: tuple[Markup, ...]


def render(audit: Audit, about: Mapping[str, Any], *, quotes: bool = True) -> str:
    """The whole page. `about` is what the audit was made with; without quotes it holds no text of the benchmark."""
    style = styles(STYLES)
    environment = templates()
    environment.filters.update(shortened=shortened, p=p_value, begun=begun)
    return environment.get_template("snellen.audit:page.html.jinja").render(
        style=style,
        policy=policy(style, ""),
        audit=audit,
        about=about,
        quotes=quotes,
        headline=headline(audit),
        tally=[(each, sum(found.severity is each for found in audit.findings)) for each in Severity],
        told=[_told(audit, each) for each in audit.checked],
        level=LEVEL,
        shown=SHOWN,
        folded=FOLDED,
        longest_quote=LONGEST_QUOTE,
        severity_class=SEVERITY_CLASS,
        severity_mark=SEVERITY_MARK,
        counted=counted,
    )


def headline(audit: Audit) -> str:
    """What matters most, in a sentence; how much was looked at, where nothing was found."""
    if audit.findings:
        return audit.findings[0].sentence
    looked = [each.check for each in audit.checked if each.looked_at]
    if not looked:
        return "Nothing could be checked."
    return (
        f"{counted(len(looked), 'check')} of {counted(len(audit.of.items), 'item')} found nothing. That is no proof: "
        "what the checks look for is listed below."
    )


def _told(audit: Audit, done: Checked) -> ToldCheck:
    standing = tuple(each for each in audit.findings if each.check == done.check)
    drawn = tuple(_curve(each) for each in done.curves if each.points)
    return ToldCheck(check_named(done.check), done, standing, tuple(_baselines(done.numbers)), drawn)


def _baselines(numbers: Sequence[Number]) -> Iterator[Baselines]:
    """A figure for all numbers of one unit, each held against what is expected of it."""
    for unit, given in groupby(sorted(numbers, key=lambda each: each.unit), key=lambda each: each.unit):
        some = list(given)
        whole = scale([each.estimate for each in some], unit)
        rows = tuple(_baseline(each, whole) for each in some)
        yield Baselines(rows, titled_axis(whole, axis_title("accuracy" if unit == "share" else "value", unit)))


def _baseline(number: Number, whole: Scale) -> Baseline:
    estimate, expected = number.estimate, number.expected
    against = Scale(whole.low, whole.high, whole.ticks, whole.unit, expected)
    held = "" if expected is None else figure(expected, number.unit)
    picture = forest_mark(estimate, against)
    value, ends = figure(estimate.value, number.unit), interval(estimate, number.unit)
    return Baseline(number.words, picture, value, ends, estimate.n, held, estimate.method)


WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 640.0, 220.0, 56.0, 18.0, 14.0, 44.0
"""Pixels of the drawing of a curve, and of the room around its plot."""


def _curve(curve: Curve) -> Markup:
    """A curve with its band; the level that it is held against is a dashed line."""
    last = max(across for across, _ in curve.points) or 1.0
    top = max([0.0, *(each.high for _, each in curve.points if math.isfinite(each.high)), curve.level or 0.0])
    whole = math.ceil(min(1.0, top) * 10) / 10 or 1.0

    def right(value: float) -> float:
        return LEFT + value / last * (WIDTH - LEFT - RIGHT)

    def down(value: float) -> float:
        return TOP + (1 - min(max(value, 0.0), whole) / whole) * (HEIGHT - TOP - FOOT)

    upper = [(right(across), down(each.high)) for across, each in curve.points]
    lower = [(right(across), down(each.low)) for across, each in reversed(curve.points)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in upper + lower)
    line = "L".join(f"{right(across):.1f} {down(each.value):.1f}" for across, each in curve.points)
    parts = [Markup('<path class="band" d="M{}Z"/><path class="fall" d="M{}"/>').format(path, line)]
    parts += [_dot(right(across), down(each.value)) for across, each in curve.points]
    if curve.level is not None:
        parts.append(_rule("reference", down(curve.level)))
    parts += [_rule("grid", down(share * whole)) for share in (0, 0.5, 1)]
    parts += [_label(LEFT - 8, down(share * whole) + 4, figure(share * whole, "share"), "end") for share in (0, 0.5, 1)]
    parts += [_label(right(last * share), HEIGHT - 24, f"{last * share:,.0f}", "middle") for share in (0, 0.5, 1)]
    parts.append(_label(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 6, begun(curve.across), "middle"))
    said = "; ".join(
        f"{across:,.0f}: {figure(each.value, 'share')} (95% CI {interval(each, 'share')})"
        for across, each in curve.points
    )
    return Markup(
        '<figure class="curve model-0"><figcaption>{}</figcaption>'
        '<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg></figure>'
    ).format(begun(curve.upwards), WIDTH, HEIGHT, said, Markup("").join(parts))


def _rule(look: str, height: float) -> Markup:
    return Markup('<line class="{}" x1="{:.0f}" x2="{:.0f}" y1="{:.1f}" y2="{:.1f}"/>').format(
        look, LEFT, WIDTH - RIGHT, height, height
    )


def _dot(x: float, y: float) -> Markup:
    return Markup('<circle class="knot" cx="{:.1f}" cy="{:.1f}" r="2.6"/>').format(x, y)


def _label(x: float, y: float, words: str, side: str) -> Markup:
    return Markup('<text class="scale" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, side, words)
