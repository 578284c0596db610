"""The page of a calibration: the threshold and what it is worth, the ROC curves, and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from snellen.guard.calibrate import Calibration, Caught, sentences
from snellen.report.figures.marks import Scale, axis_title, forest_mark, scale, titled_axis
from snellen.report.figures.palette import SHAPES, hue, shape
from snellen.report.sheet import policy, styles, templates
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate, RocPoint

STYLES = ("tokens", "page", "figures", "marks", "chapters", "audit", "narrow", "print")
SIDE, LEFT, TOP, FOOT = 330.0, 56.0, 12.0, 48.0
"""Pixels of the square in which curves are drawn, and of what stands around it."""
CAPTION = "Replies caught that do not rest on the image, against false alarms"
WIDTH, HEIGHT = 640.0, TOP + SIDE + FOOT


def render(calibration: Calibration) -> str:
    """The whole page; it holds no text of a question or a reply."""
    style = styles(STYLES)
    first, *others = sentences(calibration)
    shares = scale([calibration.alarms], "share", reference=calibration.rate)
    return (
        templates()
        .get_template("snellen.guard:calibration.html.jinja")
        .render(
            style=style,
            policy=policy(style, ""),
            calibration=calibration,
            headline=first,
            others=others,
            curve=roc_figure(calibration.caught, calibration.threshold) if calibration.caught else "",
            shares=list(_shares(calibration, shares)),
            axis=titled_axis(shares, axis_title("replies at or above the threshold", "share")),
            aucs=[(place, each, _said(each.auc, "score")) for place, each in enumerate(calibration.caught)],
            mark=line_mark,
        )
    )


def _shares(calibration: Calibration, shares: Scale) -> Iterator[tuple[str, Markup, str, int]]:
    """False alarms first, then what is caught of each source: words, picture, number, n."""
    named = [("rest on the image (false alarms)", calibration.alarms)]
    for words, estimate in [*named, *((each.source, each.reached) for each in calibration.caught)]:
        yield words, forest_mark(estimate, shares), _said(estimate, "share"), estimate.n


def _said(estimate: Estimate, unit: str) -> str:
    return f"{figure(estimate.value, unit)} [{interval(estimate, unit)}]"


def roc_figure(caught: Sequence[Caught], threshold: float) -> Markup:
    """The curves of several sources in one square; a mark stands where the threshold lies, the diagonal is luck."""
    parts = [*_frame()]
    for place, each in enumerate(caught):
        drawn = [*_curve(each.curve, place), _mark(each.curve, threshold, place)]
        parts.append(Markup('<g class="series{}">{}</g>').format(hue(place), Markup("").join(drawn)))
    label = "; ".join(
        f"{each.source}: AUC {each.auc.value:.2f}, 95% CI {each.auc.low:.2f} to {each.auc.high:.2f}" for each in caught
    )
    return Markup(
        '<figure class="curve roc"><figcaption>{}</figcaption>'
        '<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">{}</svg></figure>'
    ).format(
        "Replies caught that do not rest on the image, against false alarms",
        WIDTH,
        HEIGHT,
        label,
        Markup("").join(parts),
    )


def line_mark(place: int) -> Markup:
    """The line and the mark of a source, for a table."""
    return Markup(
        '<svg class="line-mark{}" width="26" height="14" aria-hidden="true">'
        '<line class="fall dashes-{}" x1="0" x2="26" y1="7" y2="7"/>'
        '<svg x="13" y="7" overflow="visible"><path class="dot" d="{}"/></svg></svg>'
    ).format(hue(place), place % len(SHAPES), shape(place))


def _right(share: float) -> float:
    return LEFT + share * SIDE


def _down(share: float) -> float:
    return TOP + (1 - share) * SIDE


def _frame() -> Iterator[Markup]:
    line = Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>')
    text = Markup('<text class="scale" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield line.format("grid", _right(0), _right(1), _down(share), _down(share))
        yield line.format("grid", _right(share), _right(share), _down(0), _down(1))
        yield text.format(LEFT - 8, _down(share) + 4, "end", figure(share, "share"))
        yield text.format(_right(share), TOP + SIDE + 18, "middle", figure(share, "share"))
    yield line.format("reference", _right(0), _right(1), _down(0), _down(1))
    yield text.format(_right(0.5), HEIGHT - 8, "middle", "False alarms (%)")


def _curve(points: Sequence[RocPoint], place: int) -> Iterator[Markup]:
    path = "L".join(f"{_right(each.false_alarms):.1f} {_down(each.detected):.1f}" for each in points)
    yield Markup('<path class="fall dashes-{}" d="M{}"/>').format(place % len(SHAPES), path)


def _mark(points: Sequence[RocPoint], threshold: float, place: int) -> Markup:
    at = [each for each in points if each.threshold >= threshold][-1]
    return Markup('<svg x="{:.1f}" y="{:.1f}" overflow="visible"><path class="dot" d="{}"/></svg>').format(
        _right(at.false_alarms), _down(at.detected), shape(place)
    )
