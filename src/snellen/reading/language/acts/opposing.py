"""Contradictions between two responses that the parsers of findings and terms miss.

Those parsers do not read sizes, grades and lobes, nor negations in languages other than English. Responses that
contradict each other are never the same; other pairs stay open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from snellen.perturb.words import simplify_text
from snellen.runtime import regex

_OPPOSITES = (
    (
        r"left\w*|sinistr\w+|izquierd\w+|gauches?|links\w*|linke\w*",
        r"right\w*|destr[aoei]|derech\w+|droite?s?|rechts?\w*",
    ),
    (
        r"upper|superior\w*|superieur\w*|ober\w+|apical\w*|apex",
        r"lower|inferior\w*|inferieur\w*|unter\w+|basal\w*|bases?",
    ),
    (r"anterior\w*|anterieur\w*", r"posterior\w*|posterieur\w*"),
    (r"medial\w*", r"lateral\w*"),
    (r"proximal\w*|prossimal\w+", r"distal\w*"),
    (
        r"mild\w*|minimal\w*|small|tiny|trace|lie[vf][ei]\w*|minim[aoei]|piccol\w+|leichte?\w*|leger\w*|leve\w*",
        r"severe\w*|massive\w*|large|huge|grav[ei]\w*|sever[aoei]|massiv[aoei]|schwer\w*|grands?|grandes?|important\w*",
    ),
    (r"benign\w*|gutartig\w*", r"malign\w*|bosartig\w*"),
    (r"acut[ae]\w*|acut[oi]|aigue?s?|agud[ao]s?|akut\w*", r"chroni\w*|cronic\w*"),
    (
        r"bilateral\w*|both|beidseits|entramb[ie]|ambos|ambas",
        r"unilateral\w*|left|right|sinistr[aoei]|destr[aoei]|izquierd[ao]|derech[ao]|gauche|droite?|links|rechts",
    ),
)
_POLES = tuple(
    (regex(rf"\b(?:{one})\b"), regex(rf"\b(?:{other})\b")) for one, other in _OPPOSITES
)  # fmt: skip
_DENIALS = regex(
    r"\b(?:non(?![- ]hodgkin|-)|nessun\w*|senza|assen[tz]\w*|esclu[ds]\w+|negativ[oa]|ne pas|pas d\w*|pas|aucun\w*|sans"
    r"|keine?\w*|nicht|ohne|sin|ningun\w*|ausencia|descarta\w*)\b|[无未没]"
)
"""Negations in languages other than English; English ones are read with the findings and terms."""
_MEASURED = regex(r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s*-?\s*(mm|cm|millimet\w*|centimet\w*|%|percent|per cento|ml|hu)\b")
_GRADED = regex(
    r"\b(?:grade|stage|type|class|category|bi-?rads|li-?rads|pi-?rads|ti-?rads|lung-?rads|fazekas|grado|stadio|tipo"
    r"|classe|stadium|grad|stade|estadio)\s*:?\s*(\d\w?|[ivx]+\w?)\b"
)
_FEW = 15
"""In responses with at most this many words, every word counts; in longer ones, other words may mean the same."""
_IDLE_WORDS = """
a an the this that these it its there here is are was be has have can of in on at to by for with and as from
i we see seen show shows shown demonstrates reveals suggests indicates appears visible noted finding findings
evidence image picture scan study view x-ray xray radiograph film chest patient side sided answer diagnosis likely
about approximately circa measures diameter misura most probably consistent suggestive compatible due which
il lo la i gli le l un uno una di del dello della dei degli delle da dal in nel nello nella con su sul sulla si vede
vedono osserva osservano nota notano c e ed che ci sono sono mostra presenta presente immagine radiografia esame
torace lato tratta diagnosi risposta paziente probabile probabilmente compatibile un' al alla
"""
_IDLE = frozenset(_IDLE_WORDS.split())
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
    """Return whether a word, or another form of it, is among others."""
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
