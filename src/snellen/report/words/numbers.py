"""Formatting of numbers, measures and outcomes for the report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import orjson

from snellen.reading.claims.parser import AGREEMENT
from snellen.reading.outcomes import Outcome
from snellen.runtime import visible
from snellen.stats import Estimate, cohens_kappa
from snellen.stress.base import Expectation, Status, StressTest, Unit
from snellen.stress.conclusions import at_most, decimals, hundredths, join_ends

OUTCOME_WORDS = {
    Outcome.CORRECT: "right",
    Outcome.WRONG: "wrong",
    Outcome.ABSTAINED: "says it cannot tell",
    Outcome.REFUSED: "refuses",
    Outcome.FLAGGED_QUALITY: "image too poor",
    Outcome.UNPARSED: "unparsed",
    Outcome.TRUNCATED: "truncated",
    Outcome.EMPTY: "empty",
    Outcome.UNCLEAR: "unclear",
    Outcome.SCORED: "a report",
}

STATUS_CLASS = dict.fromkeys(Status, "unclear") | {Status.PASS: "good", Status.FAIL: "bad"}
STATUS_MARK = {
    Status.PASS: "✓",
    Status.FAIL: "✗",
    Status.INCONCLUSIVE: "?",
    Status.REPORTED: "",
    Status.WITHHELD: "⚠",
    Status.NOT_APPLICABLE: "–",
}

EXPECTATION_WORDS = {
    Expectation.INVARIANT: "Expected of a good model: accuracy and choices stay the same. A change of {margin} points, "
    "or of {moved} of the answers, matters.",
    Expectation.ABSTAIN: "Expected of a good model: it says that it cannot tell.",
    Expectation.CHANGE: "Expected of a good model: its answer changes with the truth.",
    Expectation.WORSE: "Expected: most of the accuracy above chance is lost. The test fails if surely more than "
    "{image_dependence} of it is kept, and passes if surely less is (95% CI; a response without an answer counts as a "
    "guess).",
    Expectation.UNKNOWN: "What a good model does is not known here: the numbers are reported without a verdict.",
}

REPORTS_ONLY = "A published measure: its numbers are reported without a verdict."


def describe_expected(test: StressTest, *, reports: bool = False) -> str:
    """Describe a good model's behaviour in a test, with the study's thresholds."""
    if reports and not test.passes and test.expects is not Expectation.UNKNOWN:
        return REPORTS_ONLY
    dependence, margin, moved = test.thresholds
    return (test.passes or EXPECTATION_WORDS[test.expects]).format(
        image_dependence=f"{100 * dependence:g}%", margin=f"{100 * margin:g}", moved=f"{100 * moved:g}%"
    )


def make_printable(value: Any) -> Any:
    """Make a template's value printable: hidden characters become visible, None becomes ""."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return "" if value is None else value


def begun(words: str) -> str:
    """Capitalise the first letter.

    >>> begun("robustness R")
    'Robustness R'
    """
    return words[:1].upper() + words[1:]


def claims_parser_agreement() -> str:
    """Describe the agreement of the parser of claims with labels."""
    told = [
        f"precision {_with_ends(each.precision)} and recall {_with_ends(each.recall)} on {count(each.n)} {each.words}"
        for each in AGREEMENT
    ]
    begins = "Agreement with labels that a language model gave by reading (95% Wilson intervals)"
    return f"{begins}: {'; '.join(told)}."


def missing_image_agreement() -> str:
    """Describe the agreement of the missing-image parser with labels. "" if unmeasured."""
    file = files("snellen.reading.missing_image").joinpath("agreement.json")
    if not file.is_file():
        return ""
    told = [
        f"κ {_with_ends(known['kappa'])} over its six labels and κ {_with_ends(known['flagged_kappa'])} on responses "
        f"that admit a missing image or voice doubt, on {count(known['n'])} {known['of']}"
        for known in orjson.loads(file.read_bytes())
    ]
    return f"Agreement with our labels, which a language model gave: {'; '.join(told)}."


def describe_agreement(on: str, pairs: Sequence[tuple[object, object]], of: str = "", over: str = "") -> str:
    """Describe the agreement of judge and parser. No κ if one of them never varies.

    >>> describe_agreement("what is flagged", [(1, 1), (0, 0)] * 20 + [(0, 1)] * 10, "responses")
    'On what is flagged it agrees with the parser on 80% of 50 responses: κ 0.62 (0.42 to 0.81).'
    """
    parser, judge = zip(*pairs, strict=True)
    alike = figure(sum(ours == theirs for ours, theirs in pairs) / len(pairs), "share")
    words = f"On {on} it agrees with the parser on {alike} of {count(len(pairs))}{of and f' {of}'}"
    if len(set(parser)) == 1 or len(set(judge)) == 1:
        return f"{words}; there is no κ, since one of the two always gives the same label."
    return f"{words}{over}: κ {with_interval(cohens_kappa(parser, judge), 'score')}."


def _with_ends(of: Sequence[float]) -> str:
    value, low, high = of
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


UNITS = {
    Unit.POINTS: "percentage points",
    Unit.SHARE: "percent",
    Unit.SCORE: "0 to 1",
    Unit.HUNDRED: "of 100",
    Unit.NUMBER: "as measured",
    Unit.VARIANCE: "points",
    Unit.RATIO: "percent",
    Unit.SIGNAL: "0 to 1",
    Unit.CHANGE: "percent",
    Unit.DOSE: "0 is none",
}
"""Words for each unit."""


MOST_CHANGE = 10.0
"""Larger changes are not printed in full; they occur if the baseline is near 0."""


def figure(value: float, unit: str, digits: int = 0) -> str:
    """Format a number with its unit, and no more decimals than are reliable.

    >>> figure(0.876, "share"), figure(0.002, "share"), figure(-0.123, "points"), figure(1.234, "number")
    ('88%', '0.2%', '−12 points', '1.2')
    >>> figure(0.995, "share"), figure(-0.995, "points"), figure(1.0, "share")
    ('99.5%', '−99.5 points', '100%')
    >>> figure(0.7135, "hundred"), figure(0.8, "score"), figure(1.204, "ratio")
    ('71', '0.80', '120%')
    >>> figure(0.0004, "variance"), figure(-0.286, "change"), figure(0.623, "dose")
    ('2.0 points', '−29%', '0.62')
    >>> figure(1304.6, "number"), figure(-99.4, "number")
    ('1,305', '−99')
    >>> figure(0.655, "share", 1), figure(-0.3, "points", 1), figure(1.0, "share", 1)
    ('65.5%', '−30.0 points', '100%')
    """
    if not math.isfinite(value):
        return "–"
    if unit == "variance":
        return f"{end(value, unit)} points"
    if unit in ("share", "ratio"):
        return f"{end(value, unit, digits)}%"
    if unit == "points":
        said = end(value, unit, digits)
        return f"{said} point{'' if said in ('+1', '−1') else 's'}"
    if unit in ("hundred", "change"):
        return f"{end(value, unit)}{'%' if unit == 'change' else ''}"
    if unit in ("score", "signal", "dose"):
        return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
    return (f"{value:,.0f}" if abs(value) >= 99.5 else f"{value:.2g}").replace("-", "−")


def end(value: float, unit: str, digits: int = 0) -> str:
    """Format one end of an interval without its unit.

    Only exact values are 0 or 100: values near them get more decimals.

    >>> end(0.4, "share"), end(math.nan, "share"), end(34.95, "change"), end(-12.5, "ratio")
    ('40', '–', '>+1000', '<−1000')
    """
    if not math.isfinite(value):
        return "–"
    if unit in ("number", "score", "signal", "dose"):
        return figure(value, unit)
    if unit == "variance":
        deviation = f"{100 * math.sqrt(max(0.0, value)):.1f}"
        return "<0.1" if deviation == "0.0" and value > 0 else deviation
    if unit in ("change", "ratio") and abs(value) >= MOST_CHANGE:
        most = round(100 * MOST_CHANGE)
        return f"<−{most}" if value < 0 else f">{'+' if unit == 'change' else ''}{most}"
    edges = (100,) if unit in ("points", "change") else (0, 100)
    needed = decimals(value, *edges)
    said = hundredths(value, needed if abs(100 * value) in edges else max(digits, needed))
    return f"+{said}" if unit in ("points", "change") and value > 0 and float(said) else said


def tenths(value: float, unit: str) -> str:
    """Format a share or difference with one decimal, for comparison with published tables.

    >>> tenths(0.8283, "share"), tenths(-0.0567, "points"), tenths(0.02, "points")
    ('82.8%', '−5.7', '+2.0')
    """
    if not math.isfinite(value):
        return "–"
    rounded = f"{100 * value:+.1f}" if unit == "points" else f"{100 * value:.1f}%"
    return rounded.replace("-", "−").replace("−0.0", "0.0").replace("+0.0", "0.0")


NOT_KNOWN = "not known"


def interval(estimate: Estimate, unit: str) -> str:
    """Format an interval in words. An unbounded end is not named.

    >>> interval(Estimate(0.5, 0.4, 0.6, 100, "wilson"), "share")
    '40 to 60'
    >>> interval(Estimate(1.2, 0.8, math.inf, 100, "fieller"), "ratio")
    '80 or more'
    """
    return join_ends(*(end(each, unit) if math.isfinite(each) else "" for each in (estimate.low, estimate.high)))


def with_ends(value: str, ends: str) -> str:
    """Join a formatted number and its interval."""
    if ends != NOT_KNOWN:
        return f"{value} ({ends})"
    return ends if value == "–" else f"{value} (interval {ends})"


def with_interval(estimate: Estimate, unit: str) -> str:
    """Format a number with its 95% interval.

    >>> with_interval(Estimate(0.5, 0.4, 0.6, 100, "wilson"), "share")
    '50% (40 to 60)'
    """
    return with_ends(figure(estimate.value, unit), interval(estimate, unit))


def format_aloud(estimate: Estimate, unit: str) -> str:
    """Format a number with its interval for screen readers.

    >>> format_aloud(Estimate(0.5, 0.4, 0.6, 100, "wilson"), "share")
    '50%, 95% CI 40 to 60'
    """
    return f"{figure(estimate.value, unit)}, 95% CI {interval(estimate, unit)}"


def p_value(p: float, *, at_floor: bool = False) -> str:
    """Format p with two significant digits. A bound if the number of draws limits it.

    >>> p_value(0.00004), p_value(0.0312), p_value(1.0), p_value(1 / 101, at_floor=True)
    ('< 0.001', '= 0.031', '= 1', '≤ 0.01')
    """
    return "< 0.001" if p < 0.001 else at_most(p) if at_floor else f"= {p:.2g}"


def count(number: int) -> str:
    """Format a whole number with thousands separators."""
    return f"{number:,}"


def from_to(numbers: Sequence[int]) -> str:
    """Format the least and the most of some counts. One number if they are equal.

    >>> from_to([12, 12]), from_to([1200, 90])
    ('12', '90 to 1,200')
    """
    low, high = count(min(numbers)), count(max(numbers))
    return low if low == high else f"{low} to {high}"


def unbroken(date: str) -> str:
    """Use hyphens in a date that do not break lines."""
    return date.replace("-", "\u2011")


def shorten_text(text: str, limit: int) -> str:
    """Cut a text to a length, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def excerpt(text: str, evidence: str, head: int = 360, around: int = 90) -> str:
    """Return the beginning of a response, and the part that was read.

    >>> excerpt("one two three four five six seven", "six", head=3, around=4)
    'one … ive six sev …'
    """
    at = text.find(evidence, head) if evidence and evidence not in text[:head] else -1
    start, end = (at - around, at + len(evidence) + around) if at >= 0 else (len(text) - 2 * around, len(text))
    if start <= head:
        return text[: max(end, head)] + (" …" if max(end, head) < len(text) else "")
    return f"{text[:head]} … {text[start:end]}" + (" …" if end < len(text) else "")
