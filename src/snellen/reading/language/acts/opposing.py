"""Contradictions between two responses that the parsers of findings and terms miss.

Those parsers do not read sizes, grades and lobes, nor negations in languages other than English. Responses that
contradict each other are never the same; other pairs stay open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from snellen.lexicon import read_lexicon
from snellen.perturb.words import simplify_text
from snellen.runtime import regex

_LEXICON = read_lexicon("opposing")
_ONE_POLE, _OTHER_POLE = _LEXICON.read_table("one pole"), _LEXICON.read_table("other pole")
_POLES = tuple((regex(rf"\b(?:{_ONE_POLE[of]})\b"), regex(rf"\b(?:{_OTHER_POLE[of]})\b")) for of in _ONE_POLE)
_DENIALS, _MEASURED, _GRADED = map(_LEXICON.compile_text, ("denials", "measured", "graded"))
_FEW = 15
"""In responses with at most this many words, every word counts; in longer ones, other words may mean the same."""
_IDLE = _LEXICON.read_words("idle")
_WORD = regex(r"[^\W_]+(?:[-.,/][^\W_]+)*")
_YES, _NO = ("true", "yes", "1", "present", "positive"), ("false", "no", "0", "absent", "negative")


def contradict(one: str, other: str) -> bool:
    """Return whether two responses contradict each other: in size, grade, place, degree, denial or JSON.

    >>> contradict("A 3 cm nodule", "The nodule measures 5 cm"), contradict("3 cm", "about 30 mm")
    (True, False)
    >>> contradict("È un melanoma.", "Non è un melanoma."), contradict("left upper lobe", "the left lower lobe")
    (True, True)
    >>> contradict('{"effusion": true}', '{"effusion": false}')
    True
    """
    fields = _fields(one), _fields(other)
    if fields[0] and fields[1] and any(fields[1].get(name, value) != value for name, value in fields[0].items()):
        return True
    first, second = simplify_text(one), simplify_text(other)
    if bool(_DENIALS.search(first)) != bool(_DENIALS.search(second)):
        return True
    measures, grades = (_are_disjoint({*read(first)}, {*read(second)}) for read in (_sizes, _grades))
    return measures or grades or any(_take_opposite_poles(first, second, poles) for poles in _POLES)


def other_words(one: str, other: str, same: Callable[[str, str], bool]) -> bool:
    """Return whether both short responses have words that `same` ignores and the other lacks.

    A comparison by findings may see only the fracture in "open fracture" and "closed fracture". A word counts as
    ignored if the two stay the same without it, so "cardiomegaly" and "enlarged heart" remain the same.
    """
    if max(len(text.split()) for text in (one, other)) > _FEW:
        return False
    own = own_words(one, other)
    if not all(own):
        return False
    first, second = (" ".join(_words(text)) for text in (one, other))
    return any(same(_less(first, word), second) for word in own[0]) and any(
        same(first, _less(second, word)) for word in own[1]
    )


def own_words(one: str, other: str) -> tuple[list[str], list[str]]:
    """Return the words of each response that the other lacks in any form. Common words are left out.

    >>> own_words("Versamento pleurico sinistro", "Si vede un versamento pleurico a sinistra")
    ([], [])
    """
    first, second = _words(one), _words(other)
    return _not_in(first, second), _not_in(second, first)


def _words(text: str) -> list[str]:
    return _WORD.findall(simplify_text(text))


def _not_in(words: list[str], others: list[str]) -> list[str]:
    return [word for word in words if word not in _IDLE and not _is_among(word, others)]


def _is_among(word: str, others: list[str]) -> bool:
    return any(
        word == each or (len(word) > 4 and len(each) > 4 and word[:-1] == each[: len(word) - 1]) for each in others
    )


def _less(text: str, word: str) -> str:
    return re.sub(rf"(?<!\S){re.escape(word)}(?!\S)", "", text)


def _are_disjoint(one: set[str], other: set[str]) -> bool:
    return bool(one) and bool(other) and not one & other


def _take_opposite_poles(one: str, other: str, poles: tuple[re.Pattern[str], re.Pattern[str]]) -> bool:
    """Return whether the responses name opposite poles, and each only one."""
    named = [tuple(bool(pole.search(text)) for pole in poles) for text in (one, other)]
    return sorted(named) == [(False, True), (True, False)]


def _sizes(text: str) -> Iterator[str]:
    """Yield sizes with their unit; lengths are in millimetres."""
    for number, unit in _MEASURED.findall(text):
        value = float(number.replace(",", "."))
        yield f"{10 * value:g} mm" if unit.startswith("c") else f"{value:g} {unit[:2]}"


def _grades(text: str) -> Iterator[str]:
    return (found.group(1) for found in _GRADED.finditer(text))


def _fields(text: str) -> dict[str, str]:
    """Return the yes-no fields of a response that is JSON, as "yes" or "no"."""
    try:
        read = orjson.loads(text.strip().removeprefix("```json").strip("` \n"))
    except orjson.JSONDecodeError:
        return {}
    given: dict[str, Any] = read if isinstance(read, dict) else {}
    plain = {name: str(value).lower() for name, value in given.items() if isinstance(value, bool | int | float | str)}
    polar = {**dict.fromkeys(_YES, "yes"), **dict.fromkeys(_NO, "no")}
    return {name: polar[value] for name, value in plain.items() if value in polar}
