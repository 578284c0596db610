"""Numbers in words, as verdicts say them."""

from __future__ import annotations

from math import isinf


def points(value: float) -> str:
    """A difference of shares in percentage points.

    >>> points(-0.123)
    '−12 points'
    """
    rounded = round(100 * value)
    return f"{'−' if rounded < 0 else ''}{abs(rounded)} point{'' if abs(rounded) == 1 else 's'}"


def percent(value: float) -> str:
    """A share in percent; only all is 100% and only none is 0%.

    >>> percent(0.876), percent(0.999), percent(0.001)
    ('88%', '>99%', '<1%')
    """
    if 0.995 <= value < 1:
        return ">99%"
    sign = "−" if value < -0.005 else ""
    return "<1%" if 0 < value < 0.005 else f"{sign}{abs(round(100 * value))}%"


def span(low: float, high: float) -> str:
    """A 95% interval in percentage points.

    >>> span(-0.05, 0.12)
    '[−5 to 12]'
    """
    ends = [f"{'−' if 100 * end < -0.5 else ''}{'∞' if isinf(end) else abs(round(100 * end))}" for end in (low, high)]
    return f"[{ends[0]} to {ends[1]}]"
