"""Options for closed questions: yes or no, and named opposites."""

from __future__ import annotations

import re

# "Left or right?" names both answers. For other words, it is unclear where an answer begins and ends.
_PAIRS = """
left/right ap/pa ct/mri male/female normal/abnormal unilateral/bilateral solid/cystic superior/inferior
hyperintense/hypointense heterogeneous/homogeneous symmetric/asymmetric regular/irregular focal/diffuse
supratentorial/infratentorial radiolucent/radioopaque exterior/interior inside/outside axial/sagittal
"""
_OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _PAIRS.split())
_EITHER = re.compile(r"(?<![\w-])([\w-]+) or (?:(?:an?|the) )?([\w-]+)")
# All spellings share one pair: separate pairs would show which answer is correct.
_YES_OR_NO = (
    (("Yes", "No"), {"yes": 0, "no": 1}),
    (("是", "否"), {"是": 0, "是的": 0, "不是": 1, "否": 1}),
    (("有", "没有"), {"有": 0, "没有": 1, "无": 1}),
    (("包含", "不包含"), {"包含": 0, "不包含": 1}),
    (("存在", "不存在"), {"存在": 0, "不存在": 1}),
)


def yes_or_no(answer: str) -> tuple[tuple[str, ...], int] | None:
    """Return options and correct index of a yes/no question; None for other answers.

    >>> yes_or_no("No."), yes_or_no("不是"), yes_or_no("Maybe")
    ((('Yes', 'No'), 1), (('是', '否'), 1), None)
    """
    given = bare(answer)
    return next(((options, meant[given]) for options, meant in _YES_OR_NO if given in meant), None)


def find_closed_options(question: str, answer: str) -> tuple[tuple[str, ...], int] | None:
    """Return options and correct index of a closed question; None if uncertain.

    >>> find_closed_options("Is the mass on the left or right?", "Right")
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
    """Return an answer in lower case, without its full stop."""
    return answer.strip().rstrip(" .。").casefold()
