"""Human accuracy as shown in the report: a line in figures, and a note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen.report.words.numbers import figure


class People(NamedTuple):
    """Human accuracy and a sentence on its source."""

    accuracy: float
    note: str


def people(study: Mapping[str, Any]) -> People | None:
    """Return the human accuracy of a study. None if it has none.

    >>> people({"human": {"accuracy": 0.71}}).note
    'People: 71%, as given with the study. No interval is known.'
    """
    known = study.get("human")
    if not known:
        return None
    accuracy = float(known["accuracy"])
    score = f"People: {figure(accuracy, 'share')}"
    if "points" not in known:
        return People(accuracy, f"{score}, as given with the study. No interval is known.")
    return People(accuracy, f"{score}, {_from_points(known)} No interval is known.")


def _from_points(known: Mapping[str, Any]) -> str:
    """Describe an exam's points and rules, and the formula for the share."""
    points, questions, right, wrong = (known[name] for name in ("points", "questions", "right", "wrong"))
    lost, range_of_points = -questions * wrong, questions * (right - wrong)
    sign = "+" if lost >= 0 else "−"
    return (
        f"from {points:g} points in an exam of {questions} questions with {right:+g} for a right and "
        f"{wrong:+g} for a wrong answer: ({points:g} {sign} {abs(lost):g}) / {range_of_points:g}, "
        "if they answered every question."
    ).replace("-", "−")
