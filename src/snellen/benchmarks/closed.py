"""Closed questions: the options of one that is answered yes or no, or with one of two opposites that it names."""

from __future__ import annotations

import re

# "Left or right?" offers its own two answers; beyond these pairs, where an option begins and ends is guesswork.
_OPPOSITES = frozenset(
    frozenset(pair)
    for pair in (
        ("left", "right"),
        ("ap", "pa"),
        ("ct", "mri"),
        ("male", "female"),
        ("normal", "abnormal"),
        ("unilateral", "bilateral"),
        ("solid", "cystic"),
        ("superior", "inferior"),
        ("hyperintense", "hypointense"),
        ("heterogeneous", "homogeneous"),
        ("symmetric", "asymmetric"),
        ("regular", "irregular"),
        ("focal", "diffuse"),
        ("supratentorial", "infratentorial"),
        ("radiolucent", "radioopaque"),
        ("exterior", "interior"),
        ("inside", "outside"),
        ("axial", "sagittal"),
    )
)
_EITHER = re.compile(r"(?<![\w-])([\w-]+) or (?:(?:an?|the) )?([\w-]+)")
# One pair for all spellings: a pair of its own for each would tell which of the two is right.
_YES_OR_NO = (
    (("Yes", "No"), {"yes": 0, "no": 1}),
    (("是", "否"), {"是": 0, "是的": 0, "不是": 1, "否": 1}),
    (("有", "没有"), {"有": 0, "没有": 1, "无": 1}),
    (("包含", "不包含"), {"包含": 0, "不包含": 1}),
    (("存在", "不存在"), {"存在": 0, "不存在": 1}),
)


def yes_or_no(answer: str) -> tuple[tuple[str, ...], int] | None:
    """The two options of a yes-or-no question, in English or Chinese, and the right one; None for any other answer.

    >>> yes_or_no("No."), yes_or_no("不是"), yes_or_no("Maybe")
    ((('Yes', 'No'), 1), (('是', '否'), 1), None)
    """
    given = bare(answer)
    return next(((options, meant[given]) for options, meant in _YES_OR_NO if given in meant), None)


def offered(question: str, answer: str) -> tuple[tuple[str, ...], int] | None:
    """The options of a closed question and the right one, where they are certain; else None.

    >>> offered("Is the mass on the left or right?", "Right")
    (('left', 'right'), 1)
    """
    if (found := yes_or_no(answer)) is not None:
        return found
    given = bare(answer)
    for either in _EITHER.finditer(question):
        words = either.groups()
        pair = [word.casefold() for word in words]
        if frozenset(pair) in _OPPOSITES and given in pair:
            return words, pair.index(given)
    return None


def bare(answer: str) -> str:
    """An answer without its full stop, in small letters."""
    return answer.strip().rstrip(" .。").casefold()
