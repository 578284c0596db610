"""Options that depend on the question or on others, and questions with fixed options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from snellen.runtime import regex

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
        "grande", "side", "sides", "half", "halves", "far", "of", "the", "on", "in", "image", "scan", "lato", "lati",
        "metà", "entrambe", "nessuna", "i", "le", "dei", "delle", "due", "all", "della", "estrema", "scansione",
    )
)  # fmt: skip
_RELATIVE_SIGNS = regex("[左右上下前后双两侧半部分边面均有无最图像大中小等]+")
_REFERS_TO_OTHERS = regex(
    r"(?i:\b(?:all|any|none|both|neither|either) of (?:the|these)\b|\bthe above\b"
    r"|\b(?:precedenti|anteriores|précédentes?|ci-dessus|vorgenannten|obigen)\b|\boben genannt"
    r"|(?:以上|上述)(?:都|皆|均|所|全))"
    r"|^(?i:both |only )?[A-H](?:, ?[A-H])*,? (?:and|or|&) [A-H](?: only)?\.?$"
)
_MEANS_UNKNOWN = regex(
    r"(?:i )?(?:do not|don't|don’t) know|unknown|unsure|not sure|undetermined|indeterminate|uncertain(?: from\b.*)?"
    r"|(?:it )?(?:cannot|can't|can’t|could not) (?:be )?(?:determined?|tell|told|say|said|assessed|answered)\b.*"
    r"|unable to (?:determine|tell|say|assess)\b.*|(?:insufficient|not enough) (?:information|data)\b.*"
    r"|sconosciuto|non (?:lo )?so|non (?:è )?determinabile|desconocido|no (?:lo )?sé|inconnu|je ne sais pas"
    r"|unbekannt|(?:ich )?weiß (?:es )?nicht|未知|不知道|不确定|无法(?:判断|确定).*",
    re.IGNORECASE,
)
_ASKS_FOR_MISFIT = regex(
    r"\b(?:except|not|\w+n['’]t|(?<!at )least|incorrect|inaccurate|untrue|false|unlikely|improbable|avoided|absent"
    r"|contraindicat\w+|inappropriate|inconsistent|eccetto|tranne|non(?!-)|meno|fals[aoe]|errat[aoe]"
    r"|controindicat\w+|excepto|menos|incorrect[ao]|sauf|moins|faux|fausse|außer|nicht|wenigsten|falsche?)\b|不(?!含)|除外|除了|错误|禁忌",
    re.IGNORECASE,
)
_ASKS_WHERE = regex(
    r"\b(?:where|locat\w+|(?:which|what) (?:\w+ )?(?:areas?|regions?|lobes?|lungs?|parts?|organs?|quadrants?"
    r"|ventricles?|hemispheres?|bones?|vessels?|structures?|sides?)|dove|d[oó]nde|où|wo|in which)\b|哪里|哪个部位|何处",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W_]+")


def is_polar(options: Sequence[str]) -> bool:
    """Return True if the options are yes and no in some language.

    >>> is_polar(["Yes.", "No"]), is_polar(["Left", "Right"])
    (True, False)
    """
    return all(option.strip(" .!。").casefold() in _POLAR for option in options)


def is_relative(option: str) -> bool:
    """Return True if an option means something only together with its question.

    >>> is_relative("Left"), is_relative("Both sides"), is_relative("3"), is_relative("Drusen")
    (True, True, True, False)
    """
    words = _WORD.findall(option.casefold())
    return all(word in _RELATIVE or word.isdigit() or _RELATIVE_SIGNS.fullmatch(word) for word in words)


@lru_cache(maxsize=4096)
def refers_to_others(option: str) -> bool:
    """Return True if an option refers to other options by their position.

    >>> [refers_to_others(text) for text in ("All of the above", "B and C", "Tutte le precedenti", "Both lungs")]
    [True, True, True, False]
    """
    return _REFERS_TO_OTHERS.search(option) is not None


def means_unknown(option: str) -> bool:
    """Return True if an option only states that the answer is not known.

    >>> means_unknown("Cannot be determined from the image"), means_unknown("Unknown primary tumour")
    (True, False)
    """
    return _MEANS_UNKNOWN.fullmatch(option.strip(" .。")) is not None


def asks_for_misfit(question: str) -> bool:
    """Return True if a question asks which option does not fit.

    >>> asks_for_misfit("Which is LEAST likely?"), asks_for_misfit("Which lobe is affected at least?")
    (True, False)
    """
    return _ASKS_FOR_MISFIT.search(question) is not None


def asks_where(question: str) -> bool:
    """Return True if a question asks for a place.

    >>> asks_where("Where is the lesion?"), asks_where("Which lobe is affected?"), asks_where("What is shown?")
    (True, True, False)
    """
    return _ASKS_WHERE.search(question) is not None


def names_both(question: str, options: Sequence[str]) -> bool:
    """Return True if a question names its own two options.

    >>> names_both("Is this a CT or an MRI?", ["CT", "MRI"]), names_both("Which scan is this?", ["CT", "MRI"])
    (True, False)
    """
    said = f" {' '.join(_WORD.findall(question.casefold()))} "
    return len(options) == 2 and all(f" {' '.join(_WORD.findall(each.casefold()))} " in said for each in options)
