"""The claims of a test's verdict, which determine how many items a study needs.

A *claim* is a conclusion that the verdict must be able to reach, such as "finds a change of 5 points".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from snellen.errors import StudyError
from snellen.models.request_tokens import TokenRange
from snellen.stats.item_contrast import ItemContrast, chance_of_moving
from snellen.stress.base import Expectation, StressTest
from snellen.stress.conclusions import SIGNIFICANT, TOLERATED, percent, points
from snellen.stress.design import Thresholds


class Quantity(NamedTuple):
    """An assumed or estimated number with its source."""

    value: float
    source: str
    low: float | None = None
    high: float | None = None
    n: int | None = None

    @property
    def estimated(self) -> bool:
        """Whether the number was estimated from responses, not assumed."""
        return self.low is not None


class Assumptions(NamedTuple):
    """Assumptions on how models answer, which determine the number of items."""

    accuracy: Quantity
    """Share of correct responses under the baseline."""
    within: Quantity
    """Variance of correctness between repeats of one item; 0 if all repeats agree."""
    rerun: Quantity
    """Share of answers that differ between two repeats of the same question."""
    moved: Quantity
    """Share of answers that a harmless condition turns right or wrong, beyond the variation between repeats."""

    def at_interval_end(self, end: Literal["low", "high"]) -> Assumptions:
        """Replace every estimate except the accuracy by an end of its interval."""
        ends = ((each, getattr(each, end)) for each in self[1:])
        return Assumptions(self.accuracy, *(each if at is None else each._replace(value=at) for each, at in ends))


class VerdictClaim(NamedTuple):
    """One claim of a verdict, with the statistical contrast that decides it."""

    words: str
    contrasts: tuple[ItemContrast | None, ...]
    """The contrast for one repeat, two repeats and so on; None if so few repeats cannot decide the claim."""
    together: int = 1
    """Number of conditions that must all be decided correctly."""
    gain: float | None = None
    """The accuracy above chance if distances are given as a share of it, else None."""

    def power(self, items: int, repeats: int) -> float:
        """Return a lower bound of the probability that this number of items decides the claim."""
        contrast = self.contrasts[repeats - 1]
        if contrast is None or items < 1:
            return 0.0
        return max(0.0, 1 - self.together * (1 - contrast.power(items, repeats)))

    def items(self, power: float, repeats: int) -> float:
        """Return the fewest items that decide the claim with this power; infinite if none do."""
        contrast = self.contrasts[repeats - 1]
        return inf if contrast is None else contrast.items(1 - (1 - power) / self.together, repeats)

    def detectable(self, items: int, power: float, repeats: int) -> float:
        """Return the smallest distance that this number of items decides with this power."""
        contrast = self.contrasts[repeats - 1]
        if contrast is None or items < 1:
            return inf
        return contrast.detectable(items, 1 - (1 - power) / self.together, repeats)

    def in_words(self, distance: float) -> str:
        """Format a distance in points, or as a share of the accuracy above chance."""
        if distance > (self.gain or 1.0):
            return "none"
        return f"{100 * distance:.1f} points" if self.gain is None else f"± {100 * distance / self.gain:.0f}% kept"


class ClaimSetting(NamedTuple):
    """Settings on which the claims of a test depend, besides the test itself."""

    about: Assumptions
    chance: float
    family: int
    """Maximum number of p-values that are corrected together."""
    repeats: int
    thresholds: Thresholds
    change: float | None = None
    """The change of accuracy to be found; None for each test's own margin."""


SHARE_APART = 0.25
"""Distance from the 50% limit at which a kept share must be recognised: 25 points."""
RATE_APART = 0.2
"""Distance from the limit of one half at which a rate must be recognised."""
IGNORES = 0.05
"""Signal below which `grounding-signal` fails."""


def claims_of(test: StressTest, setting: ClaimSetting) -> tuple[VerdictClaim, ...] | None:
    """List the claims of a test's verdict; empty without a verdict, None without a formula.

    A test without a formula is asked in full; so are tests whose verdicts are decided together.
    """
    name = test.name.partition(":")[0]
    if test.marks:
        return None
    if test.scores or name in REPORTED or (test.expects is Expectation.UNKNOWN and test.loaded.conclude is None):
        return ()
    if test.name in WHOLE:
        return None
    made = BY_NAME.get(name) or (BY_EXPECTATION.get(test.expects) if test.loaded.conclude is None else None)
    return None if made is None else tuple(made(test, setting))


def _claim_share_kept(test: StressTest, setting: ClaimSetting) -> Iterator[VerdictClaim]:
    """Yield two claims on the share kept of the accuracy above chance: below and above the limit.

    The contrast per item is: right under the condition, minus the limit times right under the baseline. The two are
    assumed to be independent, which needs most items unless they are negatively correlated.
    """
    accuracy, chance, within = setting.about.accuracy.value, setting.chance, setting.about.within.value
    gain, limit = accuracy - chance, setting.thresholds.image_dependence
    if gain <= 0:
        raise StudyError(
            f"The assumed accuracy of {percent(accuracy)} is not above chance ({percent(chance)}). Choose a higher one."
        )
    apart = min(SHARE_APART, limit / 2, (1 - limit) / 2)
    for share, word in ((limit - apart, "passes"), (limit + apart, "fails")):
        right = chance + share * gain
        total = right * (1 - right) + limit**2 * accuracy * (1 - accuracy)
        noise = min(total, (1 + limit**2) * within)
        contrast = ItemContrast(apart * gain, total - noise, noise)
        words = f"{word} if {percent(share)} of the score above chance is kept"
        yield VerdictClaim(words, (contrast,) * setting.repeats, gain=gain)


def _change(
    test: StressTest, setting: ClaimSetting, *, margin: float | None = None, sides: int = 1, least: int = 1
) -> Iterator[VerdictClaim]:
    """Yield two claims: a relevant change of accuracy is found, and its absence is shown."""
    size = setting.change or margin or setting.thresholds.margin
    about, arms = setting.about, max(1, len(test.compared))
    harmless, noise = about.moved.value, 2 * about.within.value
    shown = ItemContrast(size, harmless + size - size**2, noise, "difference", SIGNIFICANT / setting.family)
    inside = ItemContrast(size, harmless, noise, "inside-both" if sides == 2 else "inside")
    missing, rest = (None,) * min(least - 1, setting.repeats), max(0, setting.repeats - least + 1)
    yield VerdictClaim(f"finds a change of {points(size)}", (*missing, *(shown,) * rest))
    yield VerdictClaim(f"shows no change beyond {points(size)}", (*missing, *(inside,) * rest), arms)


def _stable(test: StressTest, setting: ClaimSetting, *, sides: int = 1) -> Iterator[VerdictClaim]:
    """Yield the claims that accuracy is kept (`sides` 2: equal), and that few answers change beyond repeats."""
    yield from _change(test, setting, sides=sides)
    yield _few_move(test, setting)


def _few_move(test: StressTest, setting: ClaimSetting) -> VerdictClaim:
    """Make the claim that a stable model changes fewer answers than allowed.

    With one repeat, random changes between repeats count as changes. With several, they are subtracted: they are
    modelled as items answered by a coin flip, twice as many as differ between two repeats.
    """
    few, moved, rerun = setting.thresholds.moved, setting.about.moved.value, setting.about.rerun.value
    rate = min(1.0, moved + rerun)
    contrasts: list[ItemContrast | None] = [None] * setting.repeats
    if rate < few:
        null = few * (1 - few) / (rate * (1 - rate) or 1.0)
        contrasts[0] = ItemContrast(few - rate, rate * (1 - rate), null=null)
    coins = min(1.0 - moved, 2 * rerun)
    for times in range(2, setting.repeats + 1) if moved < few else ():
        spread = moved * (1 - moved) + coins * chance_of_moving(times)
        contrasts[times - 1] = ItemContrast(few - moved, spread, sort="inside")
    words = f"passes if {percent(moved)} of the answers change (limit {percent(few)})"
    return VerdictClaim(words, tuple(contrasts), len(test.compared))


def _above_chance(test: StressTest, setting: ClaimSetting) -> Iterator[VerdictClaim]:
    """Yield two claims: accuracy above chance without the image is found, or excluded."""
    size, chance = setting.change or setting.thresholds.margin, setting.chance
    for right, sort, word in (
        (chance + size, "limit", f"fails if it is {points(size)} above chance without the image"),
        (chance, "inside", "passes if it is at chance level without the image"),
    ):
        total = right * (1 - right)
        noise = min(total, setting.about.within.value)
        alpha = SIGNIFICANT / setting.family if sort == "limit" else SIGNIFICANT
        null = chance * (1 - chance) / total if sort == "limit" else 1.0
        contrast = ItemContrast(size, total - noise, noise, "limit" if sort == "limit" else "inside", alpha, null)
        yield VerdictClaim(word, (contrast,) * setting.repeats)


def _half(test: StressTest, setting: ClaimSetting) -> Iterator[VerdictClaim]:
    """Yield the claims that rates of 70% and of 30% are distinguished from one half."""
    yield from (_rate(0.5, rate, setting) for rate in (0.5 + RATE_APART, 0.5 - RATE_APART))


def _flags(test: StressTest, setting: ClaimSetting) -> Iterator[VerdictClaim]:
    """Yield the claims that most degraded images are flagged, and hardly any original ones."""
    yield from _half(test, setting)
    yield _rate(TOLERATED, TOLERATED / 4, setting)


def _rate(limit: float, rate: float, setting: ClaimSetting) -> VerdictClaim:
    total, apart = rate * (1 - rate), abs(rate - limit)
    noise = min(total, setting.about.within.value)
    contrast = ItemContrast(apart, total - noise, noise, null=limit * (1 - limit) / total)
    return VerdictClaim(f"distinguishes a rate of {percent(rate)} from {percent(limit)}", (contrast,) * setting.repeats)


Making = Callable[[StressTest, ClaimSetting], Iterator[VerdictClaim]]
BY_EXPECTATION: Mapping[Expectation, Making] = {
    Expectation.INVARIANT: lambda test, setting: _stable(test, setting, sides=2),
    Expectation.WORSE: _claim_share_kept,
    Expectation.CHANGE: _half,
    Expectation.ABSTAIN: _half,
}
"""Claims of tests with the usual kind of verdict, by the test's expectation."""
BY_NAME: Mapping[str, Making] = {
    "text-needed": _claim_share_kept,
    "visual-necessity": _above_chance,
    "visual-substitution": _change,
    "mirror": lambda test, setting: _change(test, setting, margin=setting.thresholds.moved),
    "distractors": _stable,
    "unknown-option": _change,
    "chain-of-thought": _stable,
    "reasoning-effort": _stable,
    "dataset-name": _change,
    "grounding-signal": lambda test, setting: _change(test, setting, margin=IGNORES, least=2),
    "weak-artefacts": _change,
    "strong-artefacts": _flags,
}
REPORTED = (
    "blank-chain-of-thought", "blank-image", "cues", "dose-response", "finding-moved", "finding-removed", "guess-mode",
    "image-needed", "image-used", "label-swaps", "open-answers", "option-order", "pathway-answers", "pathway-choices",
    "published-grounding", "rationale", "report-shortcuts",
)  # fmt: skip
"""Tests that report numbers without a verdict."""
WHOLE = ("unknown-option:image=removed",)
"""Tests asked in full because their verdict differs from that of other settings of the same test."""


TABLE = Path(__file__).with_name("constants.json")


class Gpu(NamedTuple):
    """Speed at which an inference engine reads and writes tokens on a device."""

    name: str
    engine: str
    parameters: float
    device: str
    prefill: float
    """Tokens read per second."""
    decode: float
    """Tokens written per second, over all parallel sequences."""
    measured: bool
    source: str

    def seconds(self, read: TokenRange, written: TokenRange) -> TokenRange:
        """Estimate the seconds for these numbers of tokens."""
        return TokenRange(*(r / self.prefill + w / self.decode for r, w in zip(read, written, strict=True)))

    @property
    def words(self) -> str:
        """Describe the rates in words."""
        known = "measured" if self.measured else "ASSUMED, not measured"
        rates = f"{self.prefill:,.0f} tokens read and {self.decode:,.0f} written per second"
        return f"{self.name}, {rates} on {self.device} ({known}; {self.source.removeprefix('assumed: ')})"


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = orjson.loads(TABLE.read_bytes())
    return table


def as_of() -> str:
    """Return the date of the table of constants."""
    return str(_table()["as_of"])


def constant(group: str, name: str) -> Quantity:
    """Return one numeric constant with its source."""
    return Quantity(**_table()[group][name])


def token_range(name: str) -> TokenRange:
    """Return the assumed range of tokens for one part of a request."""
    found = _table()["request"][name]
    return TokenRange(found["low"], found["high"])


def source(group: str, name: str) -> str:
    """Return the source of a constant."""
    return str(_table()[group][name]["source"])


def usual_assumptions() -> Assumptions:
    """Return the default assumptions, for use without a pilot study."""
    return Assumptions(*(constant("assumptions", name) for name in Assumptions._fields))


def given_assumptions(about: Assumptions, given: Mapping[str, float]) -> Assumptions:
    """Replace assumptions by values that the user gives."""
    return about._replace(**{name: Quantity(value, "as you set it") for name, value in given.items()})


def gpu_named(name: str = "") -> Gpu:
    """Return the rates with this name, by default the first. Raise StudyError for an unknown name."""
    known = {row["name"]: Gpu(**row) for row in _table()["gpu"]}
    if name and name not in known:
        raise StudyError(f"No speed of the GPU {name!r} is known. Choose one of: {', '.join(known)}.")
    return known[name or next(iter(known))]
