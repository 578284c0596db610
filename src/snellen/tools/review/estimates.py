"""JSON records of estimates in a review's results."""

from __future__ import annotations

from math import isfinite
from typing import Any

from snellen.stats import Estimate


def estimate_record(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON; infinite or undefined numbers are null.

    >>> estimate_record(Estimate(0.5, 0.25, float("inf"), 7, "example"))
    {'value': 0.5, 'low': 0.25, 'high': None, 'n': 7, 'method': 'example'}
    """
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high")}
    known = {name: float(value) if isfinite(value) else None for name, value in numbers.items()}
    return {**known, "n": estimate.n, "method": estimate.method}
