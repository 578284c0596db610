"""Human scores: a known accuracy, or an accuracy computed from an exam's points."""

from __future__ import annotations

from typing import TypedDict


class Human(TypedDict, total=False):
    """Human reference: an accuracy, with the points and rules of the exam if it comes from one."""

    accuracy: float
    points: float
    questions: int
    right: float
    wrong: float


def human_accuracy(points: float, *, questions: int = 60, right: float = 1.5, wrong: float = -0.4) -> float:
    """Convert an exam's points to the share of right answers. All questions count as answered.

    The defaults are the rules of the Italian exam: the accuracy is (points + 24) / 114.

    >>> round(human_accuracy(56.9), 3)
    0.71
    """
    if questions < 1 or right <= wrong:
        raise ValueError(f"A right answer must give more than a wrong one, got {questions=}, {right=}, {wrong=}.")
    accuracy = (points - questions * wrong) / (questions * (right - wrong))
    if not -1e-9 <= accuracy <= 1 + 1e-9:
        low, high = questions * wrong, questions * right
        raise ValueError(f"{points:g} points cannot be reached: {questions} questions give {low:g} to {high:g}.")
    return min(max(accuracy, 0.0), 1.0)


def human(accuracy: float | None = None, points: float | None = None, **exam: float) -> Human:
    """Make a human reference from an accuracy, or from points and the exam's rules.

    >>> human(points=56.9)["points"], human(accuracy=0.71)
    (56.9, {'accuracy': 0.71})
    """
    if (accuracy is None) == (points is None):
        raise ValueError("Expected either an accuracy or an exam's points for the human reference.")
    if accuracy is not None:
        if exam:
            raise ValueError(f"A human accuracy takes no exam rules, got {', '.join(exam)}.")
        if not 0 <= accuracy <= 1:
            raise ValueError(f"A human accuracy lies between 0 and 1, got {accuracy:g}.")
        return Human(accuracy=float(accuracy))
    assert points is not None
    rules = {"questions": 60, "right": 1.5, "wrong": -0.4} | exam
    if unknown := rules.keys() - {"questions", "right", "wrong"}:
        raise ValueError(f"An exam takes only `questions`, `right` and `wrong`, got {', '.join(sorted(unknown))}.")
    if rules["questions"] != int(rules["questions"]):
        raise ValueError(f"`questions` must be a whole number, got {rules['questions']}.")
    found = human_accuracy(points, questions=int(rules["questions"]), right=rules["right"], wrong=rules["wrong"])
    return Human(
        accuracy=found, points=points, questions=int(rules["questions"]), right=rules["right"], wrong=rules["wrong"]
    )
