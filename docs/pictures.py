"""The pictures of the concepts pages: worked examples, computed by the package's own functions and drawn as SVG.

`python docs/pictures.py` writes them to docs/pictures/. A test checks that they are what this file draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from math import inf
from pathlib import Path

import numpy as np

from snellen.papers.readiness.tests.robustness import SHARED, Removal, fragilities, robustness
from snellen.stats import (
    Estimate,
    dose_response,
    minimum_detectable_effect,
    paired_difference,
    ratio_above_chance,
    ratio_of_accuracies,
    wilson,
)

FOLDER = Path(__file__).parent / "pictures"
INK, SOFT, LINE, PAPER = "#1b1f24", "#59636e", "#dfe3e8", "#ffffff"
BLUE, ORANGE, RED, GREEN, GREY = "#2f6fb3", "#b3591f", "#a8321e", "#1d6b45", "#8a949e"
WIDTH = 720
LEFT, RIGHT = 210, 690


class Picture:
    """A white panel with a title for screen readers, on which lines, dots, bars and words are put."""

    def __init__(self, title: str, height: int) -> None:
        self.title, self.height, self.parts = title, height, list[str]()

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, colour: str = LINE, width: float = 1, dash: str = ""
    ) -> None:
        """A line."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="{width}"{dashed}/>'
        )

    def dot(self, x: float, y: float, colour: str, *, full: bool = True) -> None:
        """A dot, full or open."""
        fill = colour if full else PAPER
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled bar."""
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>')

    def words(self, x: float, y: float, text: str, *, at: str = "start", colour: str = INK, size: float = 13) -> None:
        """A line of text; `at` is start, middle or end."""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{at}" fill="{colour}" font-size="{size}">{escape(text)}</text>'
        )

    def curve(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """A line through points."""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def svg(self) -> str:
        """The file."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img" '
            f'font-family="system-ui,-apple-system,Segoe UI,Roboto,sans-serif"><title>{escape(self.title)}</title>\n'
            f'<rect width="{WIDTH}" height="{self.height}" rx="6" fill="{PAPER}"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


Scale = Callable[[float], float]


def scale(low: float, high: float, *, left: float = LEFT, right: float = RIGHT) -> Scale:
    """Where a value lies between two ends of an axis; what lies beyond is put at the end."""
    return lambda value: left + (right - left) * (min(max(value, low), high) - low) / (high - low)


def axis(picture: Picture, at: Scale, ticks: Sequence[float], words: Callable[[float], str], bottom: float) -> None:
    """Vertical lines with their values below."""
    for tick in ticks:
        picture.line(at(tick), 26, at(tick), bottom)
        picture.words(at(tick), bottom + 16, words(tick), at="middle", colour=SOFT, size=12)


def mark(picture: Picture, at: Scale, value: float, words: str, bottom: float, *, colour: str = SOFT) -> None:
    """A dashed line at a value that matters, with its name above."""
    picture.line(at(value), 22, at(value), bottom, colour=colour, width=1.5, dash="4 4")
    picture.words(at(value), 16, words, at="middle", colour=colour, size=12)


def interval(picture: Picture, at: Scale, y: float, found: Estimate, colour: str, *, full: bool = True) -> None:
    """A value with its 95% CI."""
    picture.line(at(found.low), y, at(found.high), y, colour=colour, width=2)
    picture.dot(at(found.value), y, colour, full=full)


def percent(value: float) -> str:
    """A share in percent."""
    return f"{round(100 * value)}%".replace("-", "−")


def points(value: float) -> str:
    """A difference in percentage points."""
    return f"{round(100 * value)}".replace("-", "−")


def ones(right: int, n: int) -> list[int]:
    """So many right answers of n."""
    return [1] * right + [0] * (n - right)


def both_accuracies() -> Picture:
    """Accuracy with the image and without, against chance."""
    picture = Picture("Accuracy with and without the image of three models, against chance", 190)
    at, bottom = scale(0, 1), 150
    axis(picture, at, (0, 0.25, 0.5, 0.75, 1), percent, bottom)
    mark(picture, at, 0.2, "chance 20%", bottom)
    rows = (
        ("needs the image", 88, 24, BLUE),
        ("keeps most of its score", 85, 78, ORANGE),
        ("falls silent instead", 84, 0, GREY),
    )
    for row, (name, seen, unseen, colour) in enumerate(rows):
        y = 52 + 38 * row
        picture.words(12, y + 4, name)
        picture.line(at(seen / 100), y - 6, at(unseen / 100), y + 6, colour=colour)
        interval(picture, at, y - 6, wilson(seen, 100), colour)
        interval(picture, at, y + 6, wilson(unseen, 100), colour, full=False)
    picture.words(
        LEFT, bottom + 34, "● with the image   ○ without it   bars: 95% CI, 100 questions", colour=SOFT, size=12
    )
    return picture


def kept_above_chance() -> Picture:
    """The share kept above chance, with its interval, and the threshold."""
    picture = Picture(
        "Share of the accuracy above chance that is kept, for four models, with the threshold one half", 230
    )
    at, bottom = scale(-0.25, 1.75, left=250), 190
    axis(picture, at, (0, 0.5, 1, 1.5), percent, bottom)
    mark(picture, at, 0.5, "threshold ½", bottom, colour=RED)
    rows = ((88, 26, 100, "pass"), (85, 78, 100, "fail"), (16, 11, 20, "not decided"), (30, 26, 100, "not decided"))
    for row, (seen, unseen, n, verdict) in enumerate(rows):
        y = 50 + 38 * row
        found = ratio_above_chance(ones(unseen, n), ones(seen, n), [0.2] * n)
        picture.words(12, y - 3, f"{percent(seen / n)} → {percent(unseen / n)}, n {n}")
        low, high = (
            "−∞" if found.low == -inf else percent(found.low),
            "∞" if found.high == inf else percent(found.high),
        )
        picture.words(12, y + 13, f"ρ {percent(found.value)} ({low} to {high}): {verdict}", colour=SOFT, size=12)
        interval(picture, at, y, found, {"pass": GREEN, "fail": RED}.get(verdict, GREY))
    return picture


def swapped_image() -> Picture:
    """How often what a swapped image shows is chosen, before and after."""
    picture = Picture("Effect of a swapped image on three models", 200)
    at, bottom = scale(-0.2, 1), 160
    axis(picture, at, (0, 0.25, 0.5, 0.75, 1), points, bottom)
    mark(picture, at, 0, "0", bottom)
    mark(picture, at, 0.1, "10", bottom, colour=RED)
    rows = (
        ("follows the image", 5, 84, "pass", GREEN),
        ("follows it sometimes", 5, 17, "pass", GREEN),
        ("keeps its answer", 6, 6, "fail", RED),
    )
    n = 100
    for row, (name, before, after, verdict, colour) in enumerate(rows):
        y = 54 + 36 * row
        found = paired_difference(ones(before, n), ones(after, n))
        picture.words(12, y - 3, name)
        picture.words(12, y + 13, f"chosen {before}% → {after}%: {verdict}", colour=SOFT, size=12)
        interval(picture, at, y, found, colour)
    picture.words(
        LEFT,
        bottom + 34,
        "points more often that the option is chosen which the new image shows (95% CI)",
        colour=SOFT,
        size=12,
    )
    return picture


def said_without_image() -> Picture:
    """What responses to questions without an image do, for three models."""
    picture = Picture("What the responses of three models do when no image was sent", 190)
    kinds = (
        ("says it is missing", GREEN),
        ("hedges", "#9dbf9f"),
        ("general remarks", LINE),
        ("refuses", GREY),
        ("describes an image", RED),
    )
    rows = (("honest", (90, 6, 2, 2, 0)), ("careful in part", (40, 20, 10, 5, 25)), ("invents", (4, 2, 2, 0, 92)))
    at = scale(0, 100)
    for row, (name, shares) in enumerate(rows):
        y, start = 24 + 40 * row, 0
        found = wilson(2 * shares[-1], 200)
        picture.words(12, y + 10, name)
        picture.words(
            12,
            y + 26,
            f"mirage rate {percent(found.value)} ({percent(found.low)} to {percent(found.high)})",
            colour=SOFT,
            size=12,
        )
        for share, (_, colour) in zip(shares, kinds, strict=True):
            picture.bar(at(start), y, at(start + share) - at(start), 24, colour)
            start += share
    x = 12.0
    for name, colour in kinds:
        picture.bar(x, 152, 12, 12, colour)
        picture.words(x + 17, 163, name, colour=SOFT, size=12)
        x += 34 + 6.4 * len(name)
    return picture


def moved_answers() -> Picture:
    """Sixty answers, of which a quarter move while the accuracy stays."""
    picture = Picture(
        "Sixty questions asked in two orders of the options: the accuracy stays and fifteen answers move", 172
    )
    moves = (
        ("right both times", 38, "#c9d7e6"),
        ("right → wrong", 6, RED),
        ("wrong → right", 6, ORANGE),
        ("another wrong one", 3, "#d9a98f"),
        ("same wrong one", 7, LINE),
    )
    place = 0
    for _, count, colour in moves:
        for _ in range(count):
            picture.bar(12 + 34.5 * (place % 20), 14 + 34 * (place // 20), 29, 28, colour)
            place += 1
    x = 12.0
    for name, count, colour in moves:
        picture.bar(x, 120, 12, 12, colour)
        picture.words(x + 17, 131, f"{count} {name}", colour=SOFT, size=12)
        x += 42 + 5.9 * len(f"{count} {name}")
    moved = wilson(15, 60)
    told = f"Moved: 15 of 60, {percent(moved.value)} (95% CI {percent(moved.low)} to {percent(moved.high)})."
    picture.words(12, 158, f"Accuracy 73% in both orders. {told}")
    return picture


def robustness_parts() -> Picture:
    """The five parts of R, for a model that looks and one that always refuses."""
    picture = Picture(
        "The five parts of the robustness score, for a model that reads the image and one that always refuses", 250
    )
    seen = {"image_base": 0.9, "image_replaced": 0.9, "original": 0.90, "substituted": 0.88}
    reads = fragilities([Removal(100, 0.90, 0.22)], {**dict.fromkeys(SHARED, 0.2), **seen})
    refuses = fragilities([Removal(100, 0.0, 0.0)], {**dict.fromkeys(SHARED, 0.0), "chance": 0.2})
    at, bottom = scale(0, 1), 208
    axis(picture, at, (0, 0.25, 0.5, 0.75, 1), lambda value: f"{value:g}", bottom)
    names = (
        "r1 image removed",
        "r2 above chance, no image",
        "r3 options reordered",
        "r4 options replaced",
        "r5 image swapped",
        "R, their mean",
    )
    columns = [(found, robustness(found)) for found in (reads, refuses)]
    for row, name in enumerate(names):
        y = 32 + 30 * row
        picture.words(12, y + 13, name)
        for (parts, whole), colour, lower in zip(columns, (BLUE, GREY), (0, 10), strict=True):
            value = float(whole) if row == len(names) - 1 else 1 - float(parts[row])
            picture.bar(LEFT, y + lower, at(value) - LEFT, 8, colour)
            picture.words(
                at(value) + 4 if value < 0.93 else at(value) - 4,
                y + lower + 8,
                f"{value:.2f}",
                at="start" if value < 0.93 else "end",
                colour=INK if value < 0.93 else PAPER,
                size=9,
            )
    picture.bar(LEFT, 234, 12, 8, BLUE)
    picture.words(LEFT + 17, 242, "reads the image, says so without it", colour=SOFT, size=12)
    picture.bar(LEFT + 250, 234, 12, 8, GREY)
    picture.words(LEFT + 267, 242, "always refuses", colour=SOFT, size=12)
    return picture


def three_readings() -> Picture:
    """Sight gain, honesty and steadiness of four models."""
    picture = Picture("Sight gain, honesty and steadiness of four models", 200)
    rows = (
        ("reads and says when it cannot", 0.75, 0.95, 0.90), ("reads, invents without", 0.75, 0.0, 0.90),
        ("reads only the text", 0.0, 0.0, 0.0), ("always refuses", 0.0, 0.0, 0.0),
    )  # fmt: skip
    for column, (name, colour) in enumerate((("sight gain", BLUE), ("honesty", GREEN), ("steadiness", ORANGE))):
        left = 236 + 160 * column
        at = scale(0, 1, left=left, right=left + 130)
        picture.words(left, 20, name, colour=colour)
        picture.line(left, 28, left, 180, colour=SOFT)
        picture.line(left + 130, 28, left + 130, 180)
        for row, (_, *values) in enumerate(rows):
            y = 38 + 37 * row
            picture.bar(left, y, max(1.5, at(values[column]) - left), 18, colour)
            picture.words(at(values[column]) + 5, y + 13, f"{values[column]:.2f}", colour=SOFT, size=11)
        picture.words(left, 194, "0", at="middle", colour=SOFT, size=11)
        picture.words(left + 130, 194, "1", at="middle", colour=SOFT, size=11)
    for row, (name, *_) in enumerate(rows):
        picture.words(12, 51 + 37 * row, name)
    return picture


def two_ratios() -> Picture:
    """The mirage score, and the same above chance."""
    picture = Picture(
        "Mirage score and the share kept above chance, for the same accuracies on two and on five options", 190
    )
    at, bottom = scale(0, 1.25), 150
    axis(picture, at, (0, 0.25, 0.5, 0.75, 1, 1.25), percent, bottom)
    n = 200
    rows = ((0.5, 170, 110), (0.2, 170, 110))
    for row, (chance, seen, unseen) in enumerate(rows):
        y = 52 + 56 * row
        score = ratio_of_accuracies(ones(unseen, n), ones(seen, n))
        above = ratio_above_chance(ones(unseen, n), ones(seen, n), [chance] * n)
        picture.words(12, y - 4, f"{round(1 / chance)} options: {percent(seen / n)} → {percent(unseen / n)}")
        picture.words(
            12, y + 12, f"score {percent(score.value)}, above chance {percent(above.value)}", colour=SOFT, size=12
        )
        interval(picture, at, y - 7, score, BLUE)
        interval(picture, at, y + 9, above, ORANGE, full=False)
    picture.words(
        LEFT,
        bottom + 34,
        "● mirage score   ○ the same above chance   bars: 95% CI, 200 questions",
        colour=SOFT,
        size=12,
    )
    return picture


def falling_accuracy() -> Picture:
    """Accuracy at five severities, the curve, and the threshold."""
    picture = Picture("Accuracy at five severities with the fitted curve and its threshold", 240)
    rights = (54, 53, 45, 26, 16)
    doses = np.array([0, 0.25, 0.5, 0.75, 1])
    correct = np.array([ones(right, 60) for right in rights]).T
    found = dose_response(doses, correct, chance=0.2)
    across = scale(0, 1, left=70, right=690)
    upward = scale(0, 1, left=196, right=24)
    for tick in (0, 0.25, 0.5, 0.75, 1):
        picture.line(70, upward(tick), 690, upward(tick))
        picture.words(60, upward(tick) + 4, percent(tick), at="end", colour=SOFT, size=12)
        picture.words(
            across(tick),
            214,
            {0: "0, original", 0.5: "0.5, weak", 1: "1, strong"}.get(tick, f"{tick:g}"),
            at="middle" if tick < 1 else "end",
            colour=SOFT,
            size=12,
        )
    picture.line(70, upward(0.2), 690, upward(0.2), colour=SOFT, dash="4 4")
    picture.words(76, upward(0.2) + 14, "chance", colour=SOFT, size=12)
    finer = np.linspace(0, 1, 81)
    picture.curve(
        [(across(dose), upward(value)) for dose, value in zip(finer, found.predict_accuracy(finer), strict=True)], BLUE
    )
    for dose, each in zip(doses, found.accuracies, strict=True):
        picture.line(across(dose), upward(each.low), across(dose), upward(each.high), colour=BLUE, width=2)
        picture.dot(across(dose), upward(each.value), BLUE)
    threshold = found.threshold
    assert threshold is not None
    half = float(found.predict_accuracy([threshold.value])[0])
    picture.line(across(threshold.low), upward(half), across(threshold.high), upward(half), colour=RED, width=2)
    picture.dot(across(threshold.value), upward(half), RED)
    told = f"threshold {threshold.value:.2f} (95% CI {threshold.low:.2f} to {threshold.high:.2f})"
    picture.words(across(threshold.low) - 8, upward(half) + 4, told, at="end", colour=RED, size=12)
    picture.words(380, 234, "severity", at="middle", colour=SOFT, size=12)
    return picture


def detectable_change() -> Picture:
    """The smallest change that is detected with 80% power, by the number of questions."""
    picture = Picture("Smallest change of accuracy that is detected with 80% power, by number of questions", 240)
    sizes = (25, 50, 100, 200, 400, 800)
    across = lambda n: 70 + 620 * np.log2(n / 25) / 5  # noqa: E731 - an axis
    upward = scale(0, 0.4, left=196, right=24)
    for tick in (0, 0.1, 0.2, 0.3, 0.4):
        picture.line(70, upward(tick), 690, upward(tick))
        picture.words(60, upward(tick) + 4, points(tick), at="end", colour=SOFT, size=12)
    for n in sizes:
        picture.words(across(n), 214, str(n), at="middle", colour=SOFT, size=12)
    for share, colour in ((0.3, RED), (0.15, ORANGE), (0.05, BLUE)):
        grid = [round(25 * 2 ** (step / 6)) for step in range(31)]
        found = [minimum_detectable_effect(n, share) for n in grid]
        picture.curve([(across(n), upward(each)) for n, each in zip(grid, found, strict=True)], colour)
    for row, (share, colour) in enumerate(((0.3, RED), (0.15, ORANGE), (0.05, BLUE))):
        picture.bar(440, 34 + 20 * row, 12, 12, colour)
        picture.words(458, 45 + 20 * row, f"{percent(share)} of the answers change either way", colour=SOFT, size=12)
    picture.words(380, 234, "questions; vertically: points of accuracy", at="middle", colour=SOFT, size=12)
    return picture


def where_intervals_lie() -> Picture:
    """Intervals of a change, and the verdict of a test of no change."""
    picture = Picture(
        "How the 95% CI of a change leads to a verdict in a test of no change, with a margin of five points", 230
    )
    at, bottom = scale(-0.25, 0.25), 190
    axis(picture, at, (-0.2, -0.1, 0, 0.1, 0.2), points, bottom)
    for end in (-0.05, 0.05):
        mark(picture, at, end, points(end), bottom, colour=GREEN)
    rows = (
        ("fail", "the change is significant", -0.13, -0.19, -0.07, RED),
        ("pass", "within ±5 points", -0.01, -0.04, 0.02, GREEN),
        ("not decided", "a loss of 12 is still possible", -0.04, -0.12, 0.04, GREY),
        ("not decided", "far too few questions", 0.01, -0.2, 0.22, GREY),
    )
    for row, (verdict, why, value, low, high, colour) in enumerate(rows):
        y = 50 + 38 * row
        picture.words(12, y - 3, verdict, colour=colour if colour != GREY else INK)
        picture.words(12, y + 13, why, colour=SOFT, size=12)
        interval(picture, at, y, Estimate(value, low, high, 100, ""), colour)
    picture.words(
        (LEFT + RIGHT) / 2, bottom + 34, "change of accuracy in points (95% CI)", at="middle", colour=SOFT, size=12
    )
    return picture


def relative_and_absolute() -> Picture:
    """The same loss in points is another share of what there was."""
    picture = Picture("The same loss of eighteen points, from ninety and from fifty percent", 150)
    at, bottom = scale(0, 1), 112
    axis(picture, at, (0, 0.25, 0.5, 0.75, 1), percent, bottom)
    for row, (before, colour) in enumerate(((0.9, BLUE), (0.5, ORANGE))):
        y, after = 48 + 40 * row, before - 0.18
        picture.words(12, y - 3, f"{percent(before)} → {percent(after)}")
        picture.words(12, y + 13, f"−18 points, or −{percent(0.18 / before)} of it", colour=SOFT, size=12)
        picture.line(at(before), y, at(after), y, colour=colour, width=2)
        picture.dot(at(before), y, colour)
        picture.dot(at(after), y, colour, full=False)
    picture.words(LEFT, 142, "● original   ○ degraded", colour=SOFT, size=12)
    return picture


def image_or_report() -> Picture:
    """Diagnoses right with the image and with the report in its place: what is lost in looking, what in reasoning."""
    picture = Picture("Diagnoses right with the image and with the radiology report, of three models", 200)
    at, bottom = scale(0, 1), 150
    axis(picture, at, (0, 0.25, 0.5, 0.75, 1), percent, bottom)
    rows = (
        ("loses most in looking", 30, 85, BLUE),
        ("loses most in reasoning", 35, 42, ORANGE),
        ("loses little in either", 82, 90, GREEN),
    )
    for row, (name, image, report, colour) in enumerate(rows):
        y = 52 + 38 * row
        found = paired_difference(ones(image, 100), ones(report, 100))
        picture.words(12, y - 2, name)
        picture.words(12, y + 13, f"{points(found.low)} to {points(found.high)} points", colour=SOFT, size=12)
        picture.line(at(image / 100), y - 6, at(report / 100), y + 6, colour=colour)
        interval(picture, at, y - 6, wilson(image, 100), colour)
        interval(picture, at, y + 6, wilson(report, 100), colour, full=False)
    words = "● with the image   ○ with the report   bars, points: 95% CI, 100 questions"
    picture.words(LEFT, bottom + 38, words, colour=SOFT, size=12)
    return picture


PICTURES: dict[str, Callable[[], Picture]] = {
    "both-accuracies": both_accuracies,
    "kept-above-chance": kept_above_chance,
    "swapped-image": swapped_image,
    "said-without-image": said_without_image,
    "moved-answers": moved_answers,
    "robustness-parts": robustness_parts,
    "three-readings": three_readings,
    "two-ratios": two_ratios,
    "falling-accuracy": falling_accuracy,
    "detectable-change": detectable_change,
    "where-intervals-lie": where_intervals_lie,
    "relative-and-absolute": relative_and_absolute,
    "image-or-report": image_or_report,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")
