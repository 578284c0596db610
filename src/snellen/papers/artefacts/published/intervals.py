"""The artefacts paper: which kind of interval gives the printed ones, from the rate, n and the classes' sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10
from typing import Any, NamedTuple, get_args

from snellen.papers.paper import Sheet, figures
from snellen.stats import Estimate, stratified_law
from snellen.stats.stratified import Interval

WAYS: tuple[Interval, ...] = get_args(Interval)
NAMES = {"percentile": "percentiles", "normal": "±1.96 SD", "published-text": "±1.96 SD/5 (its text)"}
DIGITS, LAST = 3, 0.001
"""Rates are printed to so many decimals, the last of which is worth so much."""
NARROW = 0.75
"""An interval of less than this share of the unstratified one's width tells that the classes differ much."""
MARKS = {(True, True): "=", (False, True): "~", (False, False): "×"}


@dataclass(frozen=True)
class Rate:
    """A printed rate with its interval, the sizes of the classes behind it, and how many of each are right if known."""

    id: str
    model: str
    images: str
    measure: str
    sizes: tuple[int, ...]
    figure: tuple[float, float, float]
    known: tuple[int, ...] | None = None

    @property
    def n(self) -> int:
        """How many images there are."""
        return sum(self.sizes)

    @property
    def right(self) -> int:
        """The whole number of answers that is nearest to the printed mean of resamples."""
        return round(self.figure[0] * self.n)

    @property
    def splits(self) -> Sequence[tuple[int, ...]]:
        """How the right answers may be shared out among the classes; which class has more does not matter."""
        if self.known is not None or len(self.sizes) == 1:
            return [self.known or (self.right,)]
        half = self.sizes[0]
        return [(some, self.right - some) for some in range(max(0, self.right - half), self.right // 2 + 1)]

    @property
    def free(self) -> bool:
        """Whether the split over classes is not printed."""
        return len(self.splits) > 1

    @property
    def on_grid(self) -> int:
        """How many of the two printed ends are whole numbers of answers."""
        return sum(round(round(end * self.n) / self.n, DIGITS) == end for end in self.figure[1:])

    @property
    def lopsided(self) -> bool:
        """Whether the ends lie at different distances from the printed mean, by more than rounding."""
        value, low, high = self.figure
        return abs((high - value) - (value - low)) > 2.5 * LAST


class Fit(NamedTuple):
    """The interval that one way makes of a rate, under the split that comes nearest to the printed one."""

    rate: Rate
    split: tuple[int, ...]
    estimate: Estimate

    @property
    def off(self) -> float:
        """By how much the worse of the two ends is off."""
        ends = zip((self.estimate.low, self.estimate.high), self.rate.figure[1:], strict=True)
        return max(abs(ours - printed) for ours, printed in ends)

    @property
    def exact(self) -> bool:
        """Whether both ends are the printed ones to the printed digit."""
        return (round(self.estimate.low, DIGITS), round(self.estimate.high, DIGITS)) == self.rate.figure[1:]

    @property
    def near(self) -> bool:
        """Whether both ends are within one answer of the printed ones: a thousand resamples leave as much open."""
        return self.off <= 1 / self.rate.n + LAST / 2


def rates(record: Mapping[str, Any] | None = None) -> list[Rate]:
    """Every rate that the text prints with an interval.

    >>> len(rates()), rates()[0].figure, rates()[0].known
    (25, (0.77, 0.72, 0.82), (95, 59))
    """
    given = (record or figures("artefacts"))["rates"]
    plain = {row["id"]: _rate(row) for row in given}
    return [_with_split(plain[row["id"]], plain.get(row.get("of", ""))) for row in given]


def fit(rate: Rate, way: Interval) -> Fit:
    """The interval of a rate, made in one way; where the split is free, that of the split that fits best."""
    fits = [Fit(rate, split, stratified_law(split, rate.sizes, interval=way)) for split in rate.splits]
    return min(fits, key=lambda each: (round(each.off, 9), abs(each.split[0] - each.split[-1])))


def possible(rate: Rate) -> list[tuple[int, ...]]:
    """The splits over classes under which percentiles come within one answer of the printed interval."""
    return [split for split in rate.splits if Fit(rate, split, stratified_law(split, rate.sizes)).near]


def interval_sheet(record: Mapping[str, Any]) -> Sheet:
    """A line a rate: as printed, the answers behind it, and its interval made in two ways."""
    found = rates(record)
    return Sheet(
        title=record["paper"],
        columns=("rate", "printed", "right", *(NAMES[way] for way in WAYS[:2])),
        rows=tuple(_row(rate) for rate in found),
        notes=tuple(_notes(record, found)),
    )


def ways_sheet(record: Mapping[str, Any]) -> Sheet:
    """How many of the printed intervals each way gives."""
    found = rates(record)
    bound = [rate for rate in found if not rate.free]
    return Sheet(
        title="Printed intervals that each way gives",
        columns=(
            "way",
            f"to the digit, of {len(found)}",
            "within one answer",
            f"to the digit, of {len(bound)} not free",
        ),
        rows=tuple(
            (
                NAMES[way],
                str(sum(fit(rate, way).exact for rate in found)),
                str(sum(fit(rate, way).near for rate in found)),
                str(sum(fit(rate, way).exact for rate in bound)),
            )
            for way in WAYS
        ),
        notes=(_grid(found), _lopsided(found)),
    )


def _rate(row: Mapping[str, Any]) -> Rate:
    value, low, high = row["figure"]
    return Rate(row["id"], row["model"], row["images"], row["measure"], tuple(row["sizes"]), (value, low, high))


def _with_split(rate: Rate, part: Rate | None) -> Rate:
    """The rate with how many of each class are right, where the sensitivity or the specificity is printed too."""
    return rate if part is None else replace(rate, known=(part.right, rate.right - part.right))


def _row(rate: Rate) -> tuple[str, ...]:
    value, low, high = rate.figure
    fits = [fit(rate, way) for way in WAYS[:2]]
    answers = "+".join(map(str, fits[0].split)) + "?" * rate.free
    shown = (
        f"{each.estimate.low:.{DIGITS}f}–{each.estimate.high:.{DIGITS}f} {MARKS[each.exact, each.near]}"
        for each in fits
    )
    about = f"{rate.model}, {rate.images}: {rate.measure}"
    return about, f"{value:.{DIGITS}f} ({low:.{DIGITS}f}–{high:.{DIGITS}f})", answers, *shown


def _notes(record: Mapping[str, Any], found: Sequence[Rate]) -> Iterator[str]:
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
    """What an interval much narrower than that of n independent answers tells of the classes."""
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
    """What it means that all ends are whole numbers of answers."""
    whole, chance = sum(rate.on_grid for rate in found), sum(log10(rate.n * LAST) for rate in found)
    most, least = (round(1 / (pick(rate.n for rate in found) * LAST)) for pick in (min, max))
    return (
        f"{whole} of {2 * len(found)} printed ends are whole numbers of answers out of n, as percentiles of resamples "
        f"are. Of ±1.96 SD, printed to {DIGITS} decimals, one end in {least} to {most} (by n) would be one by "
        f"accident, and the lower ends alone all of them with a chance of 10^{chance:.0f}."
    )


def _lopsided(found: Sequence[Rate]) -> str:
    some = [rate for rate in found if rate.lopsided]
    named = "; ".join(f"{value:.3f} ({low:.3f}–{high:.3f})" for value, low, high in (rate.figure for rate in some))
    return (
        f"{len(some)} of {len(found)} intervals lie lopsided about their mean by more than rounding, which mean ± x "
        f"never does: {named}."
    )
