"""Options whose meaning hangs on the question or on other options: yes and no, sides, sizes, numbers, "both"."""

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
_REFERS_TO_OTHERS = re.compile(
    r"(?i:\b(?:all|any|none|both|neither|either) of (?:the|these)\b|\bthe above\b"
    r"|\b(?:precedenti|anteriores|précédentes?|ci-dessus|vorgenannten|obigen)\b|\boben genannt"
    r"|(?:以上|上述)(?:都|皆|均|所|全))"
    r"|^(?i:both |only )?[A-H](?:, ?[A-H])*,? (?:and|or|&) [A-H](?: only)?\.?$"
)
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


def refers_to_others(option: str) -> bool:
    """Whether an option speaks of other options by their place.

    >>> [refers_to_others(text) for text in ("All of the above", "B and C", "Tutte le precedenti", "Both lungs")]
    [True, True, True, False]
    """
    return _REFERS_TO_OTHERS.search(option) is not None
