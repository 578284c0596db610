"""Words of side and position, in six languages: what a turn of the image makes false."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from snellen.runtime import regex

_CORRECT = (
    r"\bright(?= (?:answers?|options?|choices?|responses?|statements?|diagnos[ie]s|treatments?|therapy|steps?|order"
    r"|sequence|combination|conclusion|decision|explanation|interpretation|management|amount|dose|time|now|away"
    r"|after|angles?)\b)"
    r"|\b(?:all|is|are|be|it['’]s|that['’]s|that|this|not|most|got|completely) right(?=\s*(?:[?.,;:!)]|$))"
    r"|,\s*right(?=\s*\?\s*$)"
)
_REMAINING = (
    r"\bleft (?=(?:the|his|her|their|untreated|undiagnosed|unattended|unrepaired|alone|out|over|off|behind|work|home"
    r"|against|without)\b)|\bleft ?over\b|\b(?:is|are|be|was|were) left(?=\s*(?:[?.,;!]|$))"
)
_NAMES = (
    r"\b(?:upper|lower)[ -](?:respiratory|gi\b|gastrointestinal|urinary|motor neuron|limits?|extremit\w+|limbs?|legs?"
    r"|arms?|back|than|doses?|risk|rates?|levels?)|\blateral ventric\w+"
    r"|\b(?:lateral|anteroposterior|posteroanterior)[ -](?:view|projection|film|radiograph|decubitus|x-?ray)\w*"
    r"|\b(?:anterior|posterior)[ -](?:to[ -])?(?:anterior|posterior)\b"
    r"|\btop (?=(?:\d+|two|three|five|differential|diagnos\w*|choice|priority|concern)\b)|\bbottom line\b"
    r"|\bside[ -](?:effects?|reactions?|by side)\b|\bbasal (?=gangli|cell|metabol)"
)
"""Of views, tracts and limbs, which are called so however the image is turned."""
_ROMANCE = (
    r"\b(?:superior|inferior)[ei]? (?=a\b|al(?:la?|le|lo)?\b|o uguale|o igual)"
    r"|\b(?:supérieur|inférieur)e?s?(?= (?:à|au|ou égal))"
    r"|\b(?:las|los|todas|todos|pregunta|domanda) anterior[ei]s?\b|\b(?:poster|anter)iormente\b"
    r"|\btiene derecho\b|\bderechos?(?= a(?:l\b|\b))|\b(?:a|ont|avoir|plein|tout|le) droit(?= (?:à|au|de|d['’]))"
    r"|\bà côté\b|\bci-dess(?:us|ous)\b"
)
"""Greater and less, before and after, the law, and what stands above on the page."""
_CHINESE_ELSE = (
    r"(?<=[\d一二三四五六七八九十百千岁年月天周日时分秒米克升次倍个%％])左右"
    r"|左(?=旋|氧氟沙星|甲状腺素|西孟旦|乙拉西坦|炔诺|卡尼汀)"
)
"""About so much, and the names of drugs."""

_ENGLISH = """
left leftmost leftward leftwards right rightmost rightward rightwards upper uppermost lower lowermost top topmost bottom
beneath underneath superior* inferior* anterior* posterior* antero* postero* infero* superolateral superomedial
superotemporal superonasal medial* lateral laterally laterality mediolateral dorsal dorsally ventral ventrally cephalad
caudal* apical basal basilar quadrant* clockwise counterclockwise anticlockwise side sides sided horizontal* vertical*
upward* downward* upside
"""
_ITALIAN = """
sinistra sinistro sinistre sinistri destra destro destre destri laterale laterali dorsale dorsali ventrale ventrali
apicale apicali basale basali orario antiorario lato lati
"""
_SPANISH = """
izquierd* derecha derechas derecho derechos laterales dorsales ventrales apicales basales arriba abajo cuadrante*
horario antihorario lado lados
"""
_FRENCH = """
gauche gauches droit droite droits droites supérieur* inférieur* antérieur* postérieur* médial médiale médiales médiaux
latéral* dessus dessous horaire antihoraire côté côtés dorsaux ventraux apicaux basaux
"""
_GERMAN = """
links* rechts* linke linkem linken linker linkes rechte rechtem rechten rechter rechtes obere* untere* oben unten
oberlappen* unterlappen* oberfeld* unterfeld* oberpol* unterpol* vorn vorne hinten vordere* hintere* lateralem lateralen
lateraler kranial* kaudal* dorsale* ventrale* apikal* gegenuhrzeigersinn uhrzeigersinn seite seiten seitlich*
"""
_PHRASES = (
    r"\bo['’]clock\b|\b(?:above|below) the\b|\bin (?:alto|basso)\b|\bverso (?:l['’]alto|il basso)\b"
    r"|\bagujas del reloj\b|\b(?:en|du|vers le) (?:haut|bas)\b|\baiguilles d['’]une montre\b"
)
_CHINESE = (
    r"左|右|(?<![片图像])[上下前后](?:方|部|叶|肺|野|段|缘|极|半|侧|端|腔|壁|颌|角)|内侧|外侧|[一哪患健对]一?侧|哪边"
    r"|象限|[顺逆]时针|点钟|顶部|底部|颞侧|鼻侧"
)
_ABBREVIATED = (
    r"\b(?:[RL][UML]L|[RL][UL]Q|O[DS])\b"
    r"|(?<![\w/.°])(?<!\d )[RL](?=[\s).,:;?/>–-]?(?:$|[\s),:;?/>–]))(?!\s?\d)(?![.]\s?\w)"
)
"""Lobes, quadrants and eyes; R and L where they stand alone and are no unit, no vertebra and no initial."""

_LISTED = " ".join((_ENGLISH, _ITALIAN, _SPANISH, _FRENCH, _GERMAN)).split()
_WORDS = frozenset(word for word in _LISTED if not word.endswith("*"))
_BEGINNINGS = tuple(word.rstrip("*") for word in _LISTED if word.endswith("*"))
_WORD = regex(r"[^\W\d_]+")
_IN_SMALL_LETTERS = regex(f"{_PHRASES}|{_CHINESE}")
_IN_CAPITALS = regex(_ABBREVIATED)
_NOT_SIDES = regex("|".join((_CORRECT, _REMAINING, _NAMES, _ROMANCE, _CHINESE_ELSE)), re.IGNORECASE)
NEITHER_LEFT_NOR_RIGHT = "|".join((_CORRECT, _REMAINING, _ROMANCE, _CHINESE_ELSE))
"""The words for left and right where they mean neither: correct, remaining, the law, about so much."""


@lru_cache(maxsize=2**14)
def speaks_of_sides(text: str) -> bool:
    """Whether a text has a word of side or position; in doubt it has.

    >>> [speaks_of_sides(text) for text in ("Which lobe? RLL", "Lungenflügel links", "Which of these is right?")]
    [True, True, False]
    """
    text = unicodedata.normalize("NFC", text)
    return _has_sides(text) and _has_sides(_NOT_SIDES.sub(" ", text))


def _has_sides(text: str) -> bool:
    small = text.lower()
    words = set(_WORD.findall(small))
    if not words.isdisjoint(_WORDS) or any(word.startswith(_BEGINNINGS) for word in words):
        return True
    return _IN_SMALL_LETTERS.search(small) is not None or _IN_CAPITALS.search(text) is not None
