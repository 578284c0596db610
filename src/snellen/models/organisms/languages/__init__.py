"""The languages the organisms read and response in; where a question is in none of them, they response in English."""

from __future__ import annotations

import re
from collections.abc import Mapping

from snellen.models.organisms.languages.chinese import CHINESE
from snellen.models.organisms.languages.english import ENGLISH
from snellen.models.organisms.languages.italian import ITALIAN
from snellen.models.organisms.languages.language import Language, Replies, Steps

__all__ = ["LANGUAGES", "Language", "Replies", "Steps", "language_of"]

LANGUAGES: Mapping[str, Language] = {language.code: language for language in (ENGLISH, ITALIAN, CHINESE)}

# Words by which each language is known, single letters left out: they are labels of options and figures too.
# The neighbours' words are there so that their languages are not taken for Italian.
_TELLING = {
    "en": "an and are at does for from has have how image in is it of on or patient that the there these this to was "
    "what where which with",
    "es": "al con cuál cuáles cuántos cuántas de del dónde el en es esta este está hay imagen la las los muestra "
    "paciente para por que qué se son su un una",
    "fr": "au aux avec ce cette combien dans de des du en est et il image la le les où par patient pour quel quelle "
    "sur un une",
    "pt": "as com da de do dos em esta este está há imagem mostra na no os ou paciente para por qual quais que "
    "quantos radiografia se são um uma é",
    "de": "auf aus bei bild das dem den der des die ein eine einem im in ist mit oder sind und von was welche welcher "
    "wie wo zu",
    "it": "al alla che con da dei del dell della delle descrivi di dov dove gli il immagine in la le lo mostra nel "
    "nell nella paziente per qual quale quali quante quanti questa queste questi questo radiografia si sono su sul "
    "sulla un una uno è",
}


def _by_word() -> dict[str, list[str]]:
    """The languages that each of these words speaks for."""
    codes: dict[str, list[str]] = {}
    for code, words in _TELLING.items():
        for word in words.split():
            codes.setdefault(word, []).append(code)
    return codes


_SPEAKS_FOR = _by_word()
_IDEOGRAPH = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3040-\u9fff]+")


def language_of(text: str) -> str:
    """The code of the language a text is in.

    >>> [language_of(text) for text in ("Which lobe is it?", "Qual è il reperto?", "病变在哪里？", "¿Dónde está?")]
    ['en', 'it', 'zh', 'en']
    """
    words = _LATIN_WORD.findall(text.casefold())
    signs = 0 if text.isascii() else len(_IDEOGRAPH.findall(text))
    if signs and signs >= len(words) and not _KANA.search(text):
        return "zh"
    hits = dict.fromkeys(_TELLING, 0)
    for word in words:
        for code in _SPEAKS_FOR.get(word, ()):
            hits[code] += 1
    best = max(hits, key=lambda code: hits[code])
    return best if best in LANGUAGES else "en"
