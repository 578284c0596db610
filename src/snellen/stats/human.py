"""What people score: an accuracy that is known, or an exam's points turned into one."""

from __future__ import annotations

from typing import TypedDict


class Human(TypedDict, total=False):
    """A human reference: an accuracy, and where it was points, the exam they come from."""

    accuracy: float
    points: float
    questions: int
    right: float
    wrong: float


def human_accuracy(points: float, *, questions: int = 60, right: float = 1.5, wrong: float = -0.4) -> float:
    """The share of right answers behind an exam's points, had every question been answered.

    The defaults are those of the Italian exam of the Italian paper, where it is (points + 24) / 114.

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
    """A human reference from an accuracy, or from points and the exam's rules.

    >>> human(points=56.9)["points"], human(accuracy=0.71)
    (56.9, {'accuracy': 0.71})
    """
    if (accuracy is None) == (points is None):
        raise ValueError("A human reference is either an accuracy or an exam's points.")
    if accuracy is not None:
        if exam:
            raise ValueError(f"A human accuracy needs nothing else, got {', '.join(exam)} too.")
        if not 0 <= accuracy <= 1:
            raise ValueError(f"A human accuracy lies between 0 and 1, got {accuracy:g}.")
        return Human(accuracy=float(accuracy))
    assert points is not None
    rules = {"questions": 60, "right": 1.5, "wrong": -0.4} | exam
    if unknown := rules.keys() - {"questions", "right", "wrong"}:
        raise ValueError(f"An exam has questions, right and wrong; got {', '.join(sorted(unknown))}.")
    if rules["questions"] != int(rules["questions"]):
        raise ValueError(f"An exam has a whole number of questions, got {rules['questions']}.")
    found = human_accuracy(points, questions=int(rules["questions"]), right=rules["right"], wrong=rules["wrong"])
    return Human(
        accuracy=found, points=points, questions=int(rules["questions"]), right=rules["right"], wrong=rules["wrong"]
    )
