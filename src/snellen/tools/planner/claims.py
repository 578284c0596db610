"""Claims: what the verdict of a test has to tell apart, as means over items, for planning how many items that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from snellen.errors import StudyError
from snellen.models.request_tokens import Range
from snellen.stats.item_contrast import Contrast, chance_of_moving
from snellen.stress.base import Expectation, StressTest
from snellen.stress.conclusions import SIGNIFICANT, TOLERATED, percent, points
from snellen.stress.design import Thresholds


class Quantity(NamedTuple):
    """A number that a plan assumes, or that a pilot estimated with a 95% CI, and where it is from."""

    value: float
    source: str
    low: float | None = None
    high: float | None = None
    n: int | None = None

    @property
    def estimated(self) -> bool:
        """Whether it was estimated from responses."""
        return self.low is not None


class Assumptions(NamedTuple):
    """How models answer, as far as the number of items depends on it."""

    accuracy: Quantity
    """The share of right answers under the baseline."""
    within: Quantity
    """The variance of a response being right, around its item's own share: 0 where every run says the same."""
    rerun: Quantity
    """The share of answers that differ between two runs of the same question."""
    moved: Quantity
    """The share of right answers that turn wrong or back under a condition that does not matter, beyond run to run."""

    def at(self, end: Literal["low", "high"]) -> Assumptions:
        """The same with every estimate but the accuracy at an end of its interval."""
        ends = ((each, getattr(each, end)) for each in self[1:])
        return Assumptions(self.accuracy, *(each if at is None else each._replace(value=at) for each, at in ends))


class Claim(NamedTuple):
    """One thing that a verdict has to tell apart, in words, and as a contrast for each number of repeats."""

    words: str
    contrasts: tuple[Contrast | None, ...]
    """For once, twice and so on; None where so few repeats cannot tell it at all."""
    together: int = 1
    """So many conditions must all come out right."""
    gain: float | None = None
    """The accuracy above chance, where the distance is told as a share of it."""

    def power(self, items: int, repeats: int) -> float:
        """How often so many items decide it, at least."""
        contrast = self.contrasts[repeats - 1]
        if contrast is None or items < 1:
            return 0.0
        return max(0.0, 1 - self.together * (1 - contrast.power(items, repeats)))

    def items(self, power: float, repeats: int) -> float:
        """The fewest items that decide it this often."""
        contrast = self.contrasts[repeats - 1]
        return inf if contrast is None else contrast.items(1 - (1 - power) / self.together, repeats)

    def detectable(self, items: int, power: float, repeats: int) -> float:
        """The smallest distance that so many items decide this often."""
        contrast = self.contrasts[repeats - 1]
        if contrast is None or items < 1:
            return inf
        return contrast.detectable(items, 1 - (1 - power) / self.together, repeats)

    def in_words(self, distance: float) -> str:
        """A distance as it is printed: in points, or as a share kept on either side of the limit."""
        if distance > (self.gain or 1.0):
            return "none"
        return f"{100 * distance:.1f} points" if self.gain is None else f"± {100 * distance / self.gain:.0f}% kept"


class Setting(NamedTuple):
    """All that the claims of a test depend on beside the test."""

    about: Assumptions
    chance: float
    family: int
    """So many p-values are corrected together, at most."""
    repeats: int
    thresholds: Thresholds
    change: float | None = None
    """The change of accuracy that is to be found, in place of each test's own margin."""


SHARE_APART = 0.25
"""A share kept of 25 or 75% is to be told from the limit of 50%: so far from it."""
RATE_APART = 0.2
"""A rate so far from its limit of one half is to be told from it."""
IGNORES = 0.05
"""The signal below which `grounding-signal` fails."""


def claims_of(test: StressTest, setting: Setting) -> tuple[Claim, ...] | None:
    """What the verdict of a test must tell apart; nothing where it has no verdict, None where no formula is known.

    A test without a formula is to be asked whole; so are the verdicts that are corrected together.
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


def _kept(test: StressTest, setting: Setting) -> Iterator[Claim]:
    """Two shares of the accuracy above chance that are kept, one on each side of the limit.

    Per item: right under the condition, less the limit times right under the baseline. Both are taken to be
    independent between items, which is the case that needs most items unless they are opposed.
    """
    accuracy, chance, within = setting.about.accuracy.value, setting.chance, setting.about.within.value
    gain, limit = accuracy - chance, setting.thresholds.image_dependence
    if gain <= 0:
        raise StudyError(
            f"An accuracy of {percent(accuracy)} is not above chance ({percent(chance)}): no share of it can be kept."
        )
    apart = min(SHARE_APART, limit / 2, (1 - limit) / 2)
    for share, word in ((limit - apart, "passes"), (limit + apart, "fails")):
        right = chance + share * gain
        total = right * (1 - right) + limit**2 * accuracy * (1 - accuracy)
        noise = min(total, (1 + limit**2) * within)
        contrast = Contrast(apart * gain, total - noise, noise)
        yield Claim(f"{word} a score of which {percent(share)} is kept", (contrast,) * setting.repeats, gain=gain)


def _change(
    test: StressTest, setting: Setting, *, margin: float | None = None, sides: int = 1, least: int = 1
) -> Iterator[Claim]:
    """A change of the accuracy that matters is found, and none is passed."""
    size = setting.change or margin or setting.thresholds.margin
    about, arms = setting.about, max(1, len(test.compared))
    harmless, noise = about.moved.value, 2 * about.within.value
    shown = Contrast(size, harmless + size - size**2, noise, "difference", SIGNIFICANT / setting.family)
    inside = Contrast(size, harmless, noise, "inside-both" if sides == 2 else "inside")
    yield Claim(f"finds a change of {points(size)}", _from(least, shown, setting.repeats))
    yield Claim(f"shows that there is none, ± {points(size)}", _from(least, inside, setting.repeats), arms)


def _from(least: int, contrast: Contrast, repeats: int) -> tuple[Contrast | None, ...]:
    return tuple(contrast if times >= least else None for times in range(1, repeats + 1))


def _stable(test: StressTest, setting: Setting) -> Iterator[Claim]:
    """The same both ways, and hardly any answer moves, beyond run to run where that is known."""
    yield from _change(test, setting, sides=2)
    yield _few_move(test, setting)


def _unharmed(test: StressTest, setting: Setting) -> Iterator[Claim]:
    yield from _change(test, setting)
    yield _few_move(test, setting)


def _few_move(test: StressTest, setting: Setting) -> Claim:
    """A stable model is shown to move fewer answers than are allowed.

    Asked once, answers that change from run to run anyway count as moved. Asked repeatedly, they are taken off: those
    are modelled as items that a coin answers, twice as many as differ between two runs.
    """
    few, moved, rerun = setting.thresholds.moved, setting.about.moved.value, setting.about.rerun.value
    rate = min(1.0, moved + rerun)
    once = (
        Contrast(few - rate, rate * (1 - rate), null=few * (1 - few) / (rate * (1 - rate) or 1.0))
        if rate < few
        else None
    )
    coins = min(1.0 - moved, 2 * rerun)
    again = [
        Contrast(few - moved, moved * (1 - moved) + coins * chance_of_moving(times), sort="inside")
        if moved < few
        else None
        for times in range(2, setting.repeats + 1)
    ]
    return Claim(
        f"passes if {percent(moved)} of the answers move, limit {percent(few)}", (once, *again), len(test.compared)
    )


def _above_chance(test: StressTest, setting: Setting) -> Iterator[Claim]:
    """Right answers without the image beyond chance are found, and none is passed; on items that need the image."""
    size, chance = setting.change or setting.thresholds.margin, setting.chance
    for right, sort, word in (
        (chance + size, "limit", f"fails {points(size)} above chance where the image is needed"),
        (chance, "inside", "passes chance level where the image is needed"),
    ):
        total = right * (1 - right)
        noise = min(total, setting.about.within.value)
        alpha = SIGNIFICANT / setting.family if sort == "limit" else SIGNIFICANT
        null = chance * (1 - chance) / total if sort == "limit" else 1.0
        contrast = Contrast(size, total - noise, noise, "limit" if sort == "limit" else "inside", alpha, null)
        yield Claim(word, (contrast,) * setting.repeats)


def _half(test: StressTest, setting: Setting) -> Iterator[Claim]:
    """A rate of most is told from one of few."""
    yield from (_rate(0.5, rate, setting) for rate in (0.5 + RATE_APART, 0.5 - RATE_APART))


def _flags(test: StressTest, setting: Setting) -> Iterator[Claim]:
    """Most degraded images are flagged, and hardly any original."""
    yield from _half(test, setting)
    yield _rate(TOLERATED, TOLERATED / 4, setting)


def _rate(limit: float, rate: float, setting: Setting) -> Claim:
    total, apart = rate * (1 - rate), abs(rate - limit)
    noise = min(total, setting.about.within.value)
    contrast = Contrast(apart, total - noise, noise, null=limit * (1 - limit) / total)
    return Claim(f"tells a rate of {percent(rate)} from {percent(limit)}", (contrast,) * setting.repeats)


Making = Callable[[StressTest, Setting], Iterator[Claim]]
BY_EXPECTATION: Mapping[Expectation, Making] = {
    Expectation.INVARIANT: _stable,
    Expectation.WORSE: _kept,
    Expectation.CHANGE: _half,
    Expectation.ABSTAIN: _half,
}
"""For tests that conclude in the usual way."""
BY_NAME: Mapping[str, Making] = {
    "text-needed": _kept,
    "visual-necessity": _above_chance,
    "visual-substitution": _change,
    "mirror": lambda test, setting: _change(test, setting, margin=setting.thresholds.moved),
    "distractors": _unharmed,
    "unknown-option": _change,
    "chain-of-thought": _unharmed,
    "reasoning-effort": _unharmed,
    "dataset-name": _change,
    "grounding-signal": lambda test, setting: _change(test, setting, margin=IGNORES, least=2),
    "weak-artefacts": _change,
    "strong-artefacts": _flags,
}
REPORTED = (
    "blank-chain-of-thought", "blank-image", "dose-response", "guess-mode", "image-needed", "image-used",
    "open-answers", "option-order", "pathway-answers", "pathway-choices", "rationale",
)  # fmt: skip
"""Tests that conclude in their own way, without a verdict."""
WHOLE = ("unknown-option:image=removed",)
"""Tests that conclude in another way than those of their name."""


TABLE = Path(__file__).with_name("constants.json")


class Gpu(NamedTuple):
    """How fast an engine reads and writes tokens on a device."""

    name: str
    engine: str
    parameters: float
    device: str
    prefill: float
    """Tokens read a second."""
    decode: float
    """Tokens written a second, all sequences together."""
    measured: bool
    source: str

    def seconds(self, read: Range, written: Range) -> Range:
        """How long so many tokens take."""
        return Range(*(r / self.prefill + w / self.decode for r, w in zip(read, written, strict=True)))

    @property
    def words(self) -> str:
        """Its rates as they are printed."""
        known = "measured" if self.measured else "ASSUMED, not measured"
        rates = f"{self.prefill:,.0f} tokens read and {self.decode:,.0f} written a second"
        return f"{self.name}, {rates} on {self.device} ({known}; {self.source.removeprefix('assumed: ')})"


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = orjson.loads(TABLE.read_bytes())
    return table


def as_of() -> str:
    """The day of the constants."""
    return str(_table()["as_of"])


def constant(group: str, name: str) -> Quantity:
    """One constant that is a number."""
    return Quantity(**_table()[group][name])


def token_range(name: str) -> Range:
    """How many tokens a request has of something."""
    found = _table()["request"][name]
    return Range(found["low"], found["high"])


def source(group: str, name: str) -> str:
    """Where a constant is from."""
    return str(_table()[group][name]["source"])


def usual_assumptions() -> Assumptions:
    """How models are taken to answer where nobody has asked them."""
    return Assumptions(*(constant("assumptions", name) for name in Assumptions._fields))


def given_assumptions(about: Assumptions, given: Mapping[str, float]) -> Assumptions:
    """The same with some of it set by whoever plans."""
    return about._replace(**{name: Quantity(value, "as you set it") for name, value in given.items()})


def gpu_named(name: str) -> Gpu:
    """The rates of an engine by their name."""
    known = {row["name"]: Gpu(**row) for row in _table()["gpu"]}
    if name not in known:
        raise StudyError(f"There are no rates {name!r} of a GPU. There are: {', '.join(known)}.")
    return known[name]


def usual_gpu() -> Gpu:
    """The first rates of the table."""
    return Gpu(**_table()["gpu"][0])
