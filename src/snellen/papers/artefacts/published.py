"""Recompute the intervals and percentage changes of the artefacts paper from its printed figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log10
from typing import Any, NamedTuple, get_args

import numpy as np

from snellen.conditions import ImageDegraded
from snellen.conditions.labels import read_label
from snellen.papers.artefacts.tests.pooled import BEST, CATEGORY, paper_kind
from snellen.papers.paper import PaperTable, Row, describe_methods, figures, format_row, select_own
from snellen.scoring.findings import ALL_MODELS
from snellen.scoring.results import Results
from snellen.stats import Estimate, percent_change, stratified_law
from snellen.stats.stratified import Interval

WAYS: tuple[Interval, ...] = get_args(Interval)
NAMES = {"percentile": "percentiles", "normal": "±1.96 SD", "published-text": "±1.96 SD/5 (its text)"}
DIGITS, LAST = 3, 0.001
"""Number of printed decimals of a rate, and the value of the last decimal."""
NARROW = 0.75
"""Share of the unstratified interval's width. A narrower printed interval means that the classes differ much."""
MARKS = {(True, True): "=", (False, True): "~", (False, False): "×"}


@dataclass(frozen=True)
class Rate:
    """A printed rate with its interval, class sizes and, if known, correct answers per class."""

    id: str
    model: str
    images: str
    measure: str
    sizes: tuple[int, ...]
    figure: tuple[float, float, float]
    known: tuple[int, ...] | None = None

    @property
    def n(self) -> int:
        """Number of images."""
        return sum(self.sizes)

    @property
    def right(self) -> int:
        """Number of correct answers that is nearest to the printed mean of resamples."""
        return round(self.figure[0] * self.n)

    @property
    def splits(self) -> Sequence[tuple[int, ...]]:
        """Possible divisions of the correct answers among the classes."""
        if self.known is not None or len(self.sizes) == 1:
            return [self.known or (self.right,)]
        half = self.sizes[0]
        return [(some, self.right - some) for some in range(max(0, self.right - half), self.right // 2 + 1)]

    @property
    def free(self) -> bool:
        """Whether several divisions of the correct answers among the classes are possible."""
        return len(self.splits) > 1

    @property
    def on_grid(self) -> int:
        """Number of printed interval ends (0 to 2) that are a whole number of answers."""
        return sum(round(round(end * self.n) / self.n, DIGITS) == end for end in self.figure[1:])

    @property
    def lopsided(self) -> bool:
        """Whether the two ends differ in distance from the printed mean by more than rounding."""
        value, low, high = self.figure
        return abs((high - value) - (value - low)) > 2.5 * LAST


class IntervalFit(NamedTuple):
    """The interval by one method, for the division over classes that fits best."""

    rate: Rate
    split: tuple[int, ...]
    estimate: Estimate

    @property
    def off(self) -> float:
        """Difference from the printed interval, at the end that differs more."""
        ends = zip((self.estimate.low, self.estimate.high), self.rate.figure[1:], strict=True)
        return max(abs(ours - printed) for ours, printed in ends)

    @property
    def exact(self) -> bool:
        """Whether both ends equal the printed ones to the printed digit."""
        return (round(self.estimate.low, DIGITS), round(self.estimate.high, DIGITS)) == self.rate.figure[1:]

    @property
    def near(self) -> bool:
        """Whether both ends are within one answer of the printed ones."""
        return self.off <= 1 / self.rate.n + LAST / 2


def rates(record: Mapping[str, Any] | None = None) -> list[Rate]:
    """Return every rate that the paper's text prints with an interval.

    >>> len(rates()), rates()[0].figure, rates()[0].known
    (25, (0.77, 0.72, 0.82), (95, 59))
    """
    given = (record or figures("artefacts"))["rates"]
    plain = {}
    for row in given:
        value, low, high = row["figure"]
        about, sizes = (row["id"], row["model"], row["images"], row["measure"]), tuple(row["sizes"])
        plain[row["id"]] = Rate(*about, sizes, (value, low, high))
    return [_with_split(plain[row["id"]], plain.get(row.get("of", ""))) for row in given]


def fit(rate: Rate, way: Interval) -> IntervalFit:
    """Compute a rate's interval by one method, with the division over classes that fits best."""
    fits = [IntervalFit(rate, split, stratified_law(split, rate.sizes, interval=way)) for split in rate.splits]
    return min(fits, key=lambda each: (round(each.off, 9), abs(each.split[0] - each.split[-1])))


def possible(rate: Rate) -> list[tuple[int, ...]]:
    """Divisions over classes whose percentile interval is within one answer of the printed one."""
    return [split for split in rate.splits if IntervalFit(rate, split, stratified_law(split, rate.sizes)).near]


def interval_sheet(record: Mapping[str, Any]) -> PaperTable:
    """Table of printed rates with their answers and two recomputed intervals."""
    found = rates(record)
    return PaperTable(
        title=record["paper"],
        columns=("rate", "printed", "right", *(NAMES[way] for way in WAYS[:2])),
        rows=tuple(_interval_row(rate) for rate in found),
        notes=tuple(_interval_notes(record, found)),
    )


def ways_sheet(record: Mapping[str, Any]) -> PaperTable:
    """Table of how many printed intervals each method reproduces."""
    found, rows = rates(record), []
    bound = sum(not rate.free for rate in found)
    for way in WAYS:
        fits = [fit(rate, way) for rate in found]
        exact = [each for each in fits if each.exact]
        counts = (len(exact), sum(each.near for each in fits), sum(not each.rate.free for each in exact))
        rows.append((NAMES[way], *map(str, counts)))
    columns = ("way", f"to the digit, of {len(found)}", "within one answer", f"to the digit, of {bound} not free")
    notes = (_grid(found), _describe_lopsided(found))
    return PaperTable("Printed intervals that each way gives", columns, tuple(rows), notes)


def _with_split(rate: Rate, part: Rate | None) -> Rate:
    """Add the correct answers per class from the printed sensitivity or specificity."""
    return rate if part is None else replace(rate, known=(part.right, rate.right - part.right))


def _interval_row(rate: Rate) -> tuple[str, ...]:
    value, low, high = rate.figure
    fits = [fit(rate, way) for way in WAYS[:2]]
    answers = "+".join(map(str, fits[0].split)) + "?" * rate.free
    shown = (
        f"{each.estimate.low:.{DIGITS}f}–{each.estimate.high:.{DIGITS}f} {MARKS[each.exact, each.near]}"
        for each in fits
    )
    about = f"{rate.model}, {rate.images}: {rate.measure}"
    return about, f"{value:.{DIGITS}f} ({low:.{DIGITS}f}–{high:.{DIGITS}f})", answers, *shown


def _interval_notes(record: Mapping[str, Any], found: Sequence[Rate]) -> Iterator[str]:
    given = record["statistics"]
    yield (
        "Right: the whole number of answers nearest to the printed rate, a mean over resamples, by class. = both ends "
        "to the printed digit, ~ both within one answer, × not; the intervals are those of ever more resamples."
    )
    yield (
        f"?: how the answers split over the classes is not printed, and that which fits best is taken "
        f"({sum(rate.free for rate in found)} of {len(found)}); so it can only help a way of making intervals."
    )
    yield (
        f"The text says: {given['resamples']:,} stratified bootstraps, standard error = SD/5, interval = mean ± 1.96 "
        "standard errors. No printed interval is that one; they are the percentiles of the bootstrap."
    )
    yield from _one_class(found)
    yield from (f"– {remark}" for remark in record["remarks"])


def _one_class(found: Sequence[Rate]) -> Iterator[str]:
    """Explain intervals that are much narrower than an unstratified one: the classes differ."""
    for rate in found:
        _, low, high = rate.figure
        plain = stratified_law([rate.right], [rate.n])
        if rate.free and rate.measure == "accuracy" and high - low < NARROW * (plain.high - plain.low):
            fewer, more = zip(*possible(rate), strict=True)
            yield (
                f"{rate.model}, {rate.images}: unstratified, {rate.right} right of {rate.n} would give "
                f"{plain.low:.3f}–{plain.high:.3f}. The printed {low:.3f}–{high:.3f} is so narrow only if {min(more)} "
                f"to {max(more)} of one class and {min(fewer)} to {max(fewer)} of the other were right, of "
                f"{rate.sizes[0]} each: most images got one and the same answer, right or wrong."
            )


def _grid(found: Sequence[Rate]) -> str:
    """Explain why interval ends that are whole numbers of answers point to percentiles."""
    whole, chance = sum(rate.on_grid for rate in found), sum(log10(rate.n * LAST) for rate in found)
    most, least = (round(1 / (pick(rate.n for rate in found) * LAST)) for pick in (min, max))
    return (
        f"{whole} of {2 * len(found)} printed ends are whole numbers of answers out of n, as percentiles of resamples "
        f"are. Of ±1.96 SD, printed to {DIGITS} decimals, one end in {least} to {most} (by n) would be one by "
        f"accident, and the lower ends alone all of them with a chance of 10^{chance:.0f}."
    )


def _describe_lopsided(found: Sequence[Rate]) -> str:
    some = [rate for rate in found if rate.lopsided]
    named = "; ".join(f"{value:.3f} ({low:.3f}–{high:.3f})" for value, low, high in (rate.figure for rate in some))
    return (
        f"{len(some)} of {len(found)} intervals lie lopsided about their mean by more than rounding, which mean ± x "
        f"never does: {named}."
    )


VERDICTS = {True: "equal", False: "NOT by rounding", None: "–"}


@dataclass(frozen=True)
class PrintedChange:
    """A printed percentage change, with the two rates that it compares if these are printed."""

    about: str
    percent: float
    digits: int
    p: str = ""
    base: Rate | None = None
    arm: Rate | None = None

    @property
    def found(self) -> float | None:
        """The change computed from the printed rates, in percent. None if a rate is not printed."""
        return None if self.base is None or self.arm is None else _percent(self.base.figure[0], self.arm.figure[0])

    @property
    def allowed(self) -> tuple[float, float] | None:
        """Smallest and largest change, in percent, of rates that round to the printed ones."""
        if self.base is None or self.arm is None:
            return None
        off = (-LAST / 2, LAST / 2)
        changes = [
            _percent(self.base.figure[0] + one, self.arm.figure[0] + other) for one, other in product(off, repeat=2)
        ]
        return min(changes), max(changes)

    @property
    def fits(self) -> bool | None:
        """Whether rounding explains the printed change; None if a rate is not printed."""
        if self.allowed is None:
            return None
        low, high = self.allowed
        half = 0.5 * 0.1**self.digits
        return low - half <= self.percent <= high + half

    @property
    def before(self) -> float | None:
        """The rate before the change, printed or derived from the change."""
        if self.base is not None:
            return self.base.figure[0]
        return None if self.arm is None else self.arm.figure[0] / (1 + self.percent / 100)


def changes(record: Mapping[str, Any] | None = None) -> list[PrintedChange]:
    """Return every percentage change in the paper's text.

    >>> [change.percent for change in changes()]
    [-28.6, -38.5, 13.3, 8.9, -41.0, -77.5]
    """
    given = record or figures("artefacts")
    printed = {rate.id: rate for rate in rates(given)}
    example = given["example"]
    base, arm = (Rate("", "", "", "accuracy", (200,), (example[key],) * 3) for key in ("base", "arm"))
    about = f"Example: {example['base']:g} before, {example['arm']:g} after"
    found = [PrintedChange(about, float(example["percent"]), 1, "", base, arm)]
    for row in given["changes"]:
        rate_pair = (printed.get(row.get(key, "")) for key in ("base", "arm"))
        about = f"{row['model']}, {row['images']}: {row['measure']}"
        found.append(PrintedChange(about, float(row["percent"]), row["digits"], row.get("p", ""), *rate_pair))
    return found


def bound_change(right_before: int, right_after: int, n: int) -> tuple[Estimate, Estimate]:
    """Compute the change with the most and the fewest questions correct both times.

    >>> most, least = bound_change(140, 100, 200)
    >>> print(most), print(least)
    -0.29 [-0.36, -0.21] (n=200, fieller)
    -0.29 [-0.42, -0.12] (n=200, fieller)
    (None, None)
    """
    order = np.arange(n)
    most = percent_change(order < right_before, order < right_after)
    return most, percent_change(order < right_before, order >= n - right_after)


def change_sheet(record: Mapping[str, Any]) -> PaperTable:
    """Table of percentage changes: printed, from the printed rates, and the range that rounding allows."""
    found = changes(record)
    return PaperTable(
        title="Percentage changes in the text",
        columns=("change", "printed", "by printed rates", "rounding allows", ""),
        rows=tuple(map(_row, found)),
        notes=tuple(_notes(found)),
    )


def average_sheet(record: Mapping[str, Any]) -> PaperTable:
    """Table of the abstract's averages, which cannot be recomputed from the text."""
    given = record["averages"]
    names = ("original_accuracy", "weak_change_percent", "strong_detection")
    accuracy, change, detected = (given[name] for name in names)
    return PaperTable(
        title="Averages in the abstract",
        columns=("images", "accuracy, unaltered", "change, weak artefacts", "strong artefacts detected"),
        rows=tuple(
            (kind, f"{accuracy[kind]:.3f}", f"{change[kind]:+.2f}%", f"{detected[kind]:.3f}") for kind in accuracy
        ),
        notes=(
            "As printed. They cannot be recomputed: the text does not say over which models, prompts and artefacts "
            "they are, and the figures of each stand in the supplement. No interval is printed.",
            "A mean of changes is not the change of the mean accuracy: models with little to lose weigh as much. The "
            "text defines a change for one model, so the average is taken to be the mean of changes.",
            "The test pooled-artefacts makes the same averages of a study of one's own, with intervals.",
        ),
    )


def _percent(base: float, arm: float) -> float:
    return 100 * (arm - base) / base


def _row(change: PrintedChange) -> tuple[str, ...]:
    printed = f"{change.percent:+.{change.digits}f}%"
    if change.found is None or change.allowed is None:
        return change.about, printed, "–", "–", "–"
    allowed = " to ".join(f"{end:+.2f}" for end in change.allowed)
    return change.about, printed, f"{change.found:+.2f}%", allowed, VERDICTS[change.fits]


def _notes(found: Sequence[PrintedChange]) -> Iterator[str]:
    yield "(after − before) / before. –: an accuracy that the change is of is not printed."
    for change in found:
        if change.fits is False:
            yield (
                f"{change.about}: no accuracies that round to the printed ones give {change.percent:+.1f}%, so that "
                "the change is of other resamples than the printed means, or of something else."
            )
    yield (
        "The printed p are of a two-sided t-test; between bootstrap means, the only numbers of which the text speaks, "
        "the number of resamples stands for n and anything is significant. Ours is McNemar's exact p of paired "
        "answers; these are not public, but the printed rates bound it:"
    )
    for change in found:
        if change.p and change.arm is not None:
            yield _bounds(change, change.arm)


def _bounds(change: PrintedChange, arm: Rate) -> str:
    """Describe the interval and p with the most and the least overlap of correct answers."""
    assert change.before is not None
    before = round(change.before * arm.n)
    where = "printed" if change.base is not None else f"{change.before:.3f} by the printed change"
    most, least = bound_change(before, arm.right, arm.n)
    ends = [f"{100 * each.value:+.1f}% [{100 * each.low:+.1f}, {100 * each.high:+.1f}]" for each in (most, least)]
    return (
        f"– {change.about}, p {change.p}: from {before} right of {arm.n} ({where}) to {arm.right}. If as many as "
        f"possible are right both times, {ends[0]}, p = {most.p:.1g}; if as few, {ends[1]}, p = {least.p:.1g}."
    )


MEASURES = ("accuracy", "percent_change", "flagged_quality_rate")
DEGRADED = "degraded:"
"""Prefix of the names of arms with an artefact."""


def sheets(results: Results | None = None) -> Iterator[PaperTable]:
    """Tables of printed intervals, changes and averages, then of a study's results if given."""
    record = figures("artefacts")
    yield interval_sheet(record)
    yield ways_sheet(record)
    yield change_sheet(record)
    yield average_sheet(record)
    if results is not None:
        rows = list(results.rows())
        yield pooled_sheet(rows, record["averages"])
        yield tabulate_results(rows)


POOLED = (
    ("accuracy", "pooled_accuracy", "pooled_accuracy_mixed", "original_accuracy"),
    ("change", "pooled_change", "", "weak_change_percent"),
    ("change of mean", "change_of_pooled", "change_of_pooled_mixed", ""),
    ("flagged", "pooled_detection_rate", "pooled_detection_rate_mixed", "strong_detection"),
)
"""Per average: its label, our measure as published and by the mixed model, and its key in the printed figures."""


def pooled_sheet(rows: Sequence[Row], averages: Mapping[str, Any]) -> PaperTable:
    """Table of the abstract's averages from a study, overall and by kind of image."""
    own = {
        (row["model"], row["benchmark"], row["subset"], row["measure"]): row
        for row in rows
        if row["test"].partition(":")[0] == "pooled-artefacts"
    }
    of_all = {key[:3] for key in own if key[0] == ALL_MODELS} or {key[:3] for key in own}
    places = [place for place in dict.fromkeys(key[:3] for key in own) if place in of_all and BEST not in place[2]]
    lines = [
        (
            _name_place(place, places),
            words,
            *(format_row(own.get((*place, name))) for name in (plain, mixed)),
            _as_printed(averages.get(printed, {}), place[2].removeprefix(CATEGORY)),
        )
        for place in places
        for words, plain, mixed, printed in POOLED
        if (*place, plain) in own
    ]
    notes = (
        "In percent, 95% CI. As published: the mean over models, prompts and artefacts, with an interval for other "
        "patients; a change is the mean of the changes of each. Mixed: with an interval for other patients and other "
        "models.",
    )
    return PaperTable(
        title="Averages in OUT",
        columns=("images", "average", "as published", "mixed", "printed"),
        rows=tuple(lines),
        notes=notes if lines else ("OUT has no averages: its study did not ask for the test pooled-artefacts.",),
        words=2,
    )


def _name_place(place: tuple[str, str, str], places: Sequence[tuple[str, str, str]]) -> str:
    """Name the kind of image or the benchmark. Add model and benchmark if there are several."""
    model, benchmark, kind = place
    several = [name for at, name in enumerate((model, benchmark)) if len({each[at] for each in places}) > 1]
    return ", ".join(dict.fromkeys((*several, kind.removeprefix(CATEGORY) or benchmark)))


def _as_printed(figures: Mapping[str, float], kind: str) -> str:
    """Format the paper's figure, in percent, for one of its three kinds of image."""
    name = paper_kind(kind)
    if name not in figures:
        return "–"
    return f"{figures[name]:+.2f}" if figures[name] < 0 else f"{100 * figures[name]:.1f}"


def tabulate_results(rows: Sequence[Row]) -> PaperTable:
    """Table of a study's results by model, benchmark and artefact."""
    wanted = [row for row in rows if read_label(row["arm"]).has(ImageDegraded) and row["measure"] in MEASURES]
    own = select_own(wanted)
    lines: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in own:
        lines.setdefault((row["model"], row["benchmark"], row["arm"].removeprefix(DEGRADED)), {})[row["measure"]] = row
    notes = (
        f"In percent, 95% CI. Method: {describe_methods(own)}.",
        "Change: (accuracy with the artefact − accuracy without) / accuracy without, paired by item. Flagged: "
        "responses that say the image is too poor instead of answering.",
    )
    return PaperTable(
        title="Measured in OUT",
        columns=("model", "benchmark", "artefact", "accuracy", "change", "flagged"),
        rows=tuple((*about, *(format_row(found.get(name)) for name in MEASURES)) for about, found in lines.items()),
        notes=notes if lines else ("OUT has no results of degraded images: its study did not ask for them.",),
        words=3,
    )
