"""Words whose meaning hangs on the question: yes and no, sides, sizes, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PAIRS = (
    ("yes", "no"), ("sì", "no"), ("si", "no"), ("sí", "no"), ("oui", "non"), ("ja", "nein"), ("true", "false"),
    ("vero", "falso"), ("vrai", "faux"), ("wahr", "falsch"), ("verdadero", "falso"), ("present", "absent"),
    ("是", "否"), ("有", "无"), ("是", "不是"), ("有", "没有"), ("对", "错"), ("正确", "错误"),
)  # fmt: skip
_POLAR = frozenset(word for pair in _PAIRS for word in pair) | {"maybe", "forse", "quizás", "peut-être", "vielleicht"}
_RELATIVE = _POLAR | frozenset(
    (
        "left", "right", "both", "neither", "either", "none", "one", "two", "three", "four", "five", "small",
        "medium", "large", "upper", "lower", "middle", "mid", "anterior", "posterior", "superior", "inferior",
        "medial", "lateral", "normal", "abnormal", "bilateral", "unilateral", "more", "less", "first", "second",
        "third", "sinistra", "destra", "sinistro", "destro", "entrambi", "nessuno", "piccolo", "medio",
        "grande", "左", "右", "左侧", "右侧", "双侧", "大", "中", "小", "无",
    )
)  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


def is_polar(options: Sequence[str]) -> bool:
    """Whether the options are yes and no in some language.

    >>> is_polar(["Yes.", "No"]), is_polar(["Left", "Right"])
    (True, False)
    """
    return all(option.strip(" .!。").casefold() in _POLAR for option in options)


def is_relative(option: str) -> bool:
    """Whether an option says something only together with its question.

    >>> is_relative("Left"), is_relative("3"), is_relative("Drusen")
    (True, True, False)
    """
    words = _WORD.findall(option.casefold())
    return all(word in _RELATIVE or word.isdigit() for word in words)
