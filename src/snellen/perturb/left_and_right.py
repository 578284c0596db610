"""Left and right in six languages: find sides in a text and swap them.

A mirror swaps left and right, the hours of a clock face except 6 and 12, and the sense of a rotation. It keeps above
and below. It also keeps medial and lateral, nasal and temporal, inner and outer. These refer to the midline of the
body, which is mirrored as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from snellen.perturb.sides import NEITHER_LEFT_NOR_RIGHT
from snellen.runtime import regex

_PAIRS = """
left/right leftmost/rightmost leftward/rightward leftwards/rightwards leftsided/rightsided lefthand/righthand
sinistra/destra sinistro/destro sinistre/destre sinistri/destri
izquierda/derecha izquierdo/derecho izquierdas/derechas izquierdos/derechos
gauches/droits
linke/rechte linkem/rechtem linken/rechten linker/rechter linkes/rechtes links/rechts linkerseits/rechterseits
izda/dcha izdo/dcho sinister/dexter
clockwise/counterclockwise orario/antiorario horario/antihorario horaire/antihoraire
"""
_OTHER = {one: two for pair in _PAIRS.split() for one, two in (pair.split("/"), reversed(pair.split("/")))}
_ONE_WAY = {"droit": "gauche", "droite": "gauche", "droites": "gauches", "anticlockwise": "clockwise"}
_MASCULINE = regex(
    r"\b(?:poumon|lobe|rein|côté|hémi\w+|œil|oeil|sein|bras|genou|pied|testicule|ovaire|ventricule|hile|sinus|nerf"
    r"|uretère|os|fémur|tibia|humérus|coude|poignet|doigt|orteil|muscle|champ|cervelet|thalamus|noyau|apex|sommet"
    r"|quadrant|creux|bord|cadran)\b[\w\s-]{0,24}$",
    re.IGNORECASE,
)
"""French masculine nouns before "gauche"; the other side is then "droit" instead of "droite"."""
_CLIPPED = {"sx": "dx", "dx": "sx", "li": "re", "re": "li", "izq": "der", "der": "izq", "g": "d", "d": "g"}
_CLIP = r"(?<=\w )[sd]x\b(?! of\b)|\A[sd]x(?=\.?\Z)|\b(?:li|re|der)(?=\.(?:\s|$|[,;)?-]))|\bizq(?:d[ao])?\b"
"""Abbreviated sides: sx and dx in Italian, li. and re. in German, izq. and der. in Spanish."""
_FRENCH_CLIP = "|".join(
    rf"(?<=\b{noun} )[GD]\b(?!['’])"
    for noun in ("poumon", "côté", "rein", "sein", "œil", "oeil", "genou", "épaule", "hanche", "hémithorax", "ovaire")
)
"""G and D in French, after nouns that have a side."""
_DIAGNOSIS = regex(
    r"\b(?:the|a|an|of|and|or|this|likely|final|working|primary|main|your|best|top|his|her|their|correct|differential"
    r"|possible|probable|provisional|new|is|for|with|what|which) $",
    re.IGNORECASE,
)
"""English words before dx or sx that mean diagnosis or symptoms."""
_LEFT = frozenset(pair.split("/")[0] for pair in _PAIRS.split()) | {"gauche"}

_HOURS_IN_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_HOURS_IN_CHINESE = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
_HOUR = (
    r"\b(?:\d{1,2}|" + "|".join(_HOURS_IN_WORDS) + r")(?=(?::00)?[ -]?o['’´`]?[ ]?clock\b)"
    r"|\b\d{1,2}(?=[ -]?Uhr\b)|(?<=\bore )\d{1,2}\b|(?<=\ba las )\d{1,2}\b|(?<=\bde las )\d{1,2}\b"
    r"|(?<=\bà )\d{1,2}(?= ?h(?:eures?)?\b)|(?:\d{1,2}|十[一二]?|[一二三四五六七八九])(?=点(?:钟|方|位|处))"
)
_TURN = r"\bgegen den Uhrzeigersinn\b|\bim Uhrzeigersinn\b|[顺逆](?=时针)"
_TURNED = {
    "gegen den uhrzeigersinn": "im Uhrzeigersinn", "im uhrzeigersinn": "gegen den Uhrzeigersinn",
    "顺": "逆", "逆": "顺",
}  # fmt: skip
_SHORT = (
    r"\b[RL](?:[UML]L|[UL]Q|[UL]E|MCA|PCA|IJV?|MLO)\b|\bO[DS]\b|\b[RL]t\b|\b[RL]T(?=[ .-]+[a-z]|\.?\Z)"
    r"|(?<![\w/.°])(?<!\d )[RL](?=(?:[\s).,:;?/>–-]|$))(?!\s?\d)(?!\.\s?\w)"
)
"""Lobes, quadrants and eyes; R and L alone, if they are not a unit, a vertebra or an initial."""
_SIDE = regex(
    f"(?P<not_a_side>(?i:{NEITHER_LEFT_NOR_RIGHT}))|(?P<hour>(?i:{_HOUR}))|(?P<turn>(?i:{_TURN}))|(?P<short>{_SHORT})"
    rf"|(?P<clipped>(?i:{_CLIP})|{_FRENCH_CLIP})"
    r"|(?P<sign>[左右])|(?P<word>[^\W\d_\u3040-\u9fff]+)"
)
_AND_OR = r"(?:\b(?:or|and|vs|versus|o|od|e|ed|y|u|ou|et|oder|und|bzw|sowie)\b|[&/,、])"
_BETWEEN = regex(
    rf"(?P<of_one>[\s.\-–]*(?:[^\W\d_'’]+[\s\-–'’]+){{0,3}}?){_AND_OR}[\s\-–.]*"
    r"(?P<before_two>(?:[^\W\d_'’]+[\s\-–'’]+){0,3})"
    r"||(?P<of_sign>[\u4e00-\u9fff]{0,2})(?:、|或者?|和|与|及|还是)在?",
    re.IGNORECASE,
)
_SMALL_WORDS = """
the a an in on at of to from is it its one ones that this by both either side il lo la i gli le l un una nel nella nell
dal al alla da di del della dell sul sulla lato el los las en de por lado les du des dans à au sur côté der die das dem
den im am auf von zur seite
"""
_SMALL = frozenset(_SMALL_WORDS.split())
"""Words that do not describe what is on a side."""
_WORDS = regex(r"[^\W\d_]+")
_NEAR = 120
_SENTENCE = regex(r"[^.!?。！？]*(?:[.!?。！？]+|$)")
_IMAGE = regex(
    r"image|picture|film|scan|radiogra|view|immagin|lastra|imagen|placa|cliché|bild|aufnahme|图|片|像", re.IGNORECASE
)
_PATIENT = regex(r"patient|pazient|pacient|soggetto|subject|sujeto|sujet|患者|病人|受检者", re.IGNORECASE)
_OF = r"(?:[\W的侧边中上方]|(?:" + "|".join((*sorted(_SMALL), "s", "hand", "parte", "part", "ist")) + r")(?!\w)){0,12}?"
_OF_THE_IMAGE, _OF_THE_PATIENT = (
    regex(rf"§{_OF}(?:{whose.pattern})|(?:{whose.pattern})\w{{0,4}}?{_OF}§", re.IGNORECASE)
    for whose in (_IMAGE, _PATIENT)
)
"""Patterns of a side of the image and of the patient, with § for the side."""


class _Named(NamedTuple):
    """A side in a text: its position, the other side's word, and the rest of the word's meaning."""

    start: int
    end: int
    left: bool
    other: str
    rest: str


def _sides(text: str) -> Iterator[_Named]:
    for found in _SIDE.finditer(text):
        said, kind = found.group(), str(found.lastgroup)
        other = _swap_side(said, kind, text[: found.start()])
        if other != said:
            left = _is_left(said, kind)
            yield _Named(found.start(), found.end(), left, other, _rest(said, kind))


def _swap_side(said: str, kind: str, before: str) -> str:
    """Return the word for the other side; unchanged if it names none."""
    if kind == "word":
        return _match_case(said, _other_word(said.lower(), before))
    if kind == "hour":
        return _other_hour(said)
    if kind == "turn":
        return _match_case(said, _TURNED[said.lower()])
    if kind == "clipped":
        small = said.lower()
        if small in ("sx", "dx") and _DIAGNOSIS.search(before):
            return said
        return _match_case(said, _CLIPPED.get(small, "dcho" if small.endswith("o") else "dcha"))
    if kind == "sign":
        return "左" if said == "右" else "右"
    if kind == "short":
        return {"R": "L", "L": "R"}[said[0]] + said[1:] if said[0] in "RL" else {"OD": "OS", "OS": "OD"}[said]
    return said


def _other_word(word: str, before: str) -> str:
    if word == "gauche":
        return "droit" if _MASCULINE.search(before) else "droite"
    known = _OTHER.get(word) or _ONE_WAY.get(word)
    if known is not None:
        return known
    # German compounds: linksseitig, rechtsbasal
    for one, two in (("links", "rechts"), ("rechts", "links")):
        if word.startswith(one):
            return two + word.removeprefix(one)
    return word


def _other_hour(said: str) -> str:
    for names in (_HOURS_IN_WORDS, _HOURS_IN_CHINESE):
        if said.lower() in names:
            return _match_case(said, names[(10 - names.index(said.lower())) % 12])
    hour = int(said)
    return str(12 - hour) if 1 <= hour <= 11 else said


def _match_case(said: str, other: str) -> str:
    """Return a word in the case of another: capitals, first capital, or unchanged."""
    if said.isupper() and len(said) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if said[:1].isupper() else other


def _is_left(said: str, kind: str) -> bool:
    small = said.lower()
    if kind == "hour":
        names = _HOURS_IN_WORDS if small in _HOURS_IN_WORDS else _HOURS_IN_CHINESE
        return (names.index(small) + 1 if small in names else int(said)) > 6
    if kind == "turn":
        return small[0] in "g逆"
    if kind == "clipped":
        return small in ("sx", "li", "g") or small.startswith("izq")
    return small in _LEFT or small.startswith("links") or said in ("左", "OS") or said[:1] == "L"


def _rest(said: str, kind: str) -> str:
    """Return the meaning of a word besides its side: the lobe of RLL, the hour."""
    if kind == "hour":
        return "".join(sorted((said.lower(), _other_hour(said).lower())))
    if kind == "short":
        return said[1:] if said[1:] not in ("t", "T") and said[0] in "RL" else ""
    small = said.lower()
    return small if kind == "word" and small not in _OTHER and small.startswith(("links", "rechts")) else ""


def _find_single_sides(text: str) -> list[_Named]:
    """Find the sides that a text names, without pairs such as "left or right"."""
    found, kept = list(_sides(text)), []
    while found:
        one = found.pop(0)
        if found and _are_together(text, one, found[0]):
            found.pop(0)
        else:
            kept.append(one)
    return kept


def _are_together(text: str, one: _Named, two: _Named) -> bool:
    """Return True if both sides are named together, as in "left or right lung"."""
    between = _BETWEEN.fullmatch(text[one.end : two.start])
    if between is None or one.left == two.left or _strip_direction(one) != _strip_direction(two):
        return False
    after = text[two.end : two.end + _NEAR]
    if sign := between["of_sign"]:
        return after.startswith(sign) or not re.match(r"[\u4e00-\u9fff]", after)
    of_one, of_two = _telling(between["of_one"] or ""), _telling(between["before_two"] or "")
    if of_one and (said := _telling(re.split(r"[^\w\s-]", after)[0])) and said[: len(of_one)] != of_one:
        return False
    return not of_two or _telling(text[max(0, one.start - _NEAR) : one.start])[-len(of_two) :] == of_two


def _strip_direction(side: _Named) -> str:
    return side.rest.removeprefix("links").removeprefix("rechts")


def _telling(text: str) -> list[str]:
    """Return the words of a text that describe what is on a side."""
    return [word for word in _WORDS.findall(text.lower()) if word not in _SMALL]


def _drop_viewing_notes(text: str) -> str:
    """Remove sentences on how to view the image, such as "left is the patient's right"."""
    kept = []
    for found in _SENTENCE.finditer(text):
        sentence = found.group()
        asks = sentence.rstrip().endswith(("?", "？"))
        sides = list(_sides(sentence))
        both = {side.left for side in sides} == {True, False}
        marked = _swap_sides(sentence, [side._replace(other="§") for side in sides])
        if asks or not both or not _OF_THE_IMAGE.search(marked) or not _OF_THE_PATIENT.search(marked):
            kept.append(sentence)
    return "".join(kept)


@lru_cache(maxsize=2**14)
def names_a_side(text: str) -> bool:
    """Return True if a text names left or right; "left or right?" names neither.

    >>> [names_a_side(text) for text in ("Effusion on the left?", "Left or right lung?", "Which is right?", "左肺")]
    [True, False, False, True]
    """
    return bool(_find_single_sides(_drop_viewing_notes(unicodedata.normalize("NFC", text))))


@lru_cache(maxsize=2**14)
def other_side(text: str) -> str | None:
    """Swap the sides in a text; None if its words cannot be swapped back.

    >>> [other_side(text) for text in ("Right lower lobe (RLL)", "poumon gauche", "at 3 o'clock", "左肺")]
    ['Left lower lobe (LLL)', 'poumon droit', "at 9 o'clock", '右肺']
    """
    swapped = _swap_sides(text, _find_single_sides(text))
    return swapped if _swap_sides(swapped, _find_single_sides(swapped)) == text else None


def _swap_sides(text: str, sides: list[_Named]) -> str:
    for side in reversed(sides):
        text = text[: side.start] + side.other + text[side.end :]
    return text


_LOOSE = regex(r"[\W_]+")


@lru_cache(maxsize=2**14)
def in_signs(text: str, *, mirrored: bool = False) -> str:
    """Return the text in lower case, with a sign for each side.

    The sign is the same in any language. A text and its mirror image have the same signs if one of them is `mirrored`.

    >>> in_signs("Poumon droit.") == in_signs("poumon gauche", mirrored=True)
    True
    """
    text = unicodedata.normalize("NFC", text)
    for side in reversed(_find_single_sides(text)):
        sign = "ab1" if side.left != mirrored else "ab2"
        text = f"{text[: side.start]} {sign}{_strip_direction(side)} {text[side.end :]}"
    return " ".join(_LOOSE.sub(" ", text).casefold().split())
