"""Biases of a judge compared with raters, by length, order, author and style.

Each row has a *gap*: the mean of the judge's opinions minus the raters' grade, where correct is 1, unclear ½ and
incorrect 0. A judge that errs equally in both directions has no gap. A bias is a gap that is larger for some responses
than for others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from snellen.judging.provider import provider_of
from snellen.reading.language.cleaning import strip_thinking
from snellen.runtime import regex
from snellen.stats import Estimate, group_difference
from snellen.stats.paired import bonett_price
from snellen.stress.conclusions import points, points_of

FEWEST = 10
"""Rows that a group needs to be reported."""
MOST_STYLES = 6
"""Largest number of styles that are compared: the most frequent ones in the rows."""
_LISTS = regex(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+\S.*\n(?:.*\n)*?\s*(?:[-*•]|\d{1,2}[.)])\s+\S", re.MULTILINE)
_MARKDOWN = regex(r"\*\*\S|^#{1,6} |^\s*\|.*\|\s*$|```|__\S", re.MULTILINE)
_HEDGED = regex(
    r"\b(?:may|might|could|possibl[ey]|perhaps|probabl[ey]|likely|uncertain|unsure|not sure|suspected|forse|"
    r"probabilmente|potrebbe|possibile|quizás?|probablemente|podría|posible|peut-être|probablement|pourrait|vielleicht|"
    r"möglicherweise|wahrscheinlich|könnte)\b|可能|也许|或许|大概",
    re.IGNORECASE,
)
_CONFIDENT = regex(
    r"\b(?:definitely|certainly|clearly|undoubtedly|doubtless|obviously|unequivocal(?:ly)?|certamente|sicuramente|"
    r"chiaramente|senza dubbio|sin duda|claramente|ciertamente|certainement|clairement|sans aucun doute|zweifellos|"
    r"eindeutig|definitiv|sicherlich)\b|肯定|无疑|显然|毫无疑问",
    re.IGNORECASE,
)
STYLES: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "lists": ("responses with a list", lambda text: _LISTS.search(text) is not None),
    "markdown": ("responses with markup", lambda text: _MARKDOWN.search(text) is not None),
    "hedged": ("responses in hedged words", lambda text: _HEDGED.search(text) is not None),
    "confident": ("responses in confident words", lambda text: _CONFIDENT.search(text) is not None),
}


class Gap(NamedTuple):
    """How much higher a judge grades one row than raters do, with the row's fields."""

    value: float
    fields: Mapping[str, Any]
    cluster: str

    @property
    def text(self) -> str:
        """The text of the response without its thinking."""
        return strip_thinking(str(self.fields.get("response") or ""))


class Bias(NamedTuple):
    """A possible bias: its size (None with too few rows), and a sentence about it."""

    estimate: Estimate | None
    sentence: str

    @property
    def found(self) -> bool:
        """True if the interval excludes 0."""
        return self.estimate is not None and not self.estimate.low <= 0 <= self.estimate.high

    @property
    def record(self) -> dict[str, Any]:
        """The bias as JSON values."""
        known = self.estimate
        if known is None:
            return {"found": False, "sentence": self.sentence}
        numbers = {"value": known.value, "low": known.low, "high": known.high, "n": known.n, "method": known.method}
        return {**numbers, "found": self.found, "sentence": self.sentence}


def biases(gaps: Sequence[Gap], judge: str) -> dict[str, Bias]:
    """Return the biases by length, by the judge's own maker and by style. For order see `position`."""
    middle, own = median([len(gap.text) for gap in gaps]) if gaps else 0, provider_of(judge)
    by_author = [(gap, provider_of(str(gap.fields["model"])) == own) for gap in gaps if gap.fields.get("model")]
    by_length = [(gap, len(gap.text) > middle) for gap in gaps]
    found = {
        "length": _compare_gaps(by_length, f"responses longer than {middle:g} characters", "shorter ones"),
        "own provider": _compare_gaps(by_author, f"responses of its own provider ({own})"),
    }
    for name, (words, has) in STYLES.items():
        found[f"style: {name}"] = _compare_gaps([(gap, has(gap.text)) for gap in gaps], words)
    styles = Counter(str(gap.fields["style"]) for gap in gaps if gap.fields.get("style"))
    for style, _ in styles.most_common(MOST_STYLES):
        by_style = [(gap, str(gap.fields.get("style")) == style) for gap in gaps]
        found[f"style: {style!r} (named by the rows)"] = _compare_gaps(by_style, f"responses of the style {style!r}")
    return found


def position(turned: Sequence[Gap], changed: Estimate, apart: float | None) -> Bias:
    """Return the effect of order: how much higher rows are graded with the response first.

    `changed` is the share of rows whose grade changes with the order, `apart` how often two opinions in one order
    differ.
    """
    if len(turned) < FEWEST:
        return Bias(None, f"Too few rows to decide (graded in both orders: {len(turned)}; {FEWEST} are needed).")
    estimate = _mean(turned)
    usual = "" if apart is None else f" (two opinions in the same order differ in {apart:.0%})"
    share = f"The grade changes in {changed.value:.0%} of the rows when the order is swapped{usual}."
    which = "higher" if estimate.value > 0 else "lower"
    if Bias(estimate, "").found:
        said = f"With the response first, grades are {which}: {points_of(estimate)}, n={estimate.n}."
    else:
        said = f"No bias in either direction: at most {_largest(estimate)} ({_as_found(estimate)})."
    return Bias(estimate, f"{share} {said}")


def _compare_gaps(gaps: Sequence[tuple[Gap, bool]], these: str, those: str = "the others") -> Bias:
    """Return the difference in gap between rows with a feature and the others."""
    first, second = ([gap for gap, has in gaps if has is wanted] for wanted in (True, False))
    if min(len(first), len(second)) < FEWEST:
        counts = f"{these}: {len(first)}, {those}: {len(second)}"
        return Bias(None, f"Too few rows to decide ({counts}; {FEWEST} of each are needed).")
    estimate = group_difference(_mean(first), _mean(second))
    if not Bias(estimate, "").found:
        said = f"{these.capitalize()} compared with {those}: no bias found, at most {_largest(estimate)}"
        return Bias(estimate, f"{said} ({_as_found(estimate)}).")
    does = "favours" if estimate.value > 0 else "is harder on"
    return Bias(estimate, f"Compared with people, it {does} {these}: {points_of(estimate)}, n={estimate.n}.")


def _mean(gaps: Sequence[Gap]) -> Estimate:
    return bonett_price([gap.value for gap in gaps], [gap.cluster for gap in gaps])


def _largest(estimate: Estimate) -> str:
    return points(max(abs(estimate.low), abs(estimate.high)))


def _as_found(estimate: Estimate) -> str:
    return f"{points_of(estimate).replace(' (95% CI', ', 95% CI').removesuffix(')')}, n={estimate.n}"
