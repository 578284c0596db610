"""The languages the organisms read and answer in; where a question is in none of them, they answer in English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from snellen.models.organisms.texts import read_texts

__all__ = ["LANGUAGES", "Language", "Replies", "Steps", "language_of"]

Vocabulary = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By kind (finding, side, location, count, size, answer, abstention) and by what is meant: the phrases that say so."""


@dataclass(frozen=True)
class Replies:
    """The turns of phrase: how a choice, an abstention, a refusal or a description is put, each in several wordings.

    `{letter}` and `{option}` are the choice, `{finding}` what is named, `{asked}` and `{shown}` two kinds of image,
    `{problem}` is what spoils an image. `conclusions` end a response where options have no letters.
    """

    no_image: tuple[str, ...]
    nothing_seen: tuple[str, ...]
    another_image: tuple[str, ...]
    unrecognised: tuple[str, ...]
    too_poor: tuple[str, ...]
    refusals: tuple[str, ...]
    looked: tuple[str, ...]
    guessed: tuple[str, ...]
    imagined: tuple[str, ...]
    described: tuple[str, ...]
    unremarkable: tuple[str, ...]
    imagined_at_length: tuple[str, ...]
    supposed: tuple[str, ...]
    recalled: tuple[str, ...]
    drifted: tuple[str, ...]
    endings: tuple[str, ...]
    conclusions: tuple[str, ...]
    expected: str
    stop: str = "."


@dataclass(frozen=True)
class Steps:
    """What is said on the way to an answer, step by step, where a prompt asks for thinking.

    In `drifting`, `{seen}` is the answer that was seen, `{answer}` the one arrived at, `{first}` and `{second}` are
    findings that are not there.
    """

    looking: tuple[str, ...]
    searching: tuple[str, ...]
    reading: tuple[str, ...]
    imagining: tuple[str, ...]
    recalling: tuple[str, ...]
    drifting: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """One language. What is meant is named in English throughout; the first phrase of each meaning is its name.

    `problems` names what can spoil an image, `asked` tells what kind of answer a question wants, `filler` has the
    words that do not matter in a yes-or-no question, `in_a_sentence` the findings whose name needs an article there. A
    script that is not `spaced` has no words to go by.
    """

    code: str
    words: Vocabulary
    modalities: Mapping[str, tuple[str, ...]]
    problems: Mapping[str, str]
    asked: Mapping[str, re.Pattern[str]]
    yes_or_no: re.Pattern[str]
    negation: re.Pattern[str]
    replies: Replies
    steps: Steps
    filler: frozenset[str] = frozenset()
    in_a_sentence: Mapping[str, str] = field(default_factory=dict)
    spaced: bool = True

    def name(self, kind: str, value: str) -> str:
        """What a meaning is called; itself where this language has no word for it."""
        return next(iter(self.words[kind].get(value, ())), value)

    def mention(self, finding: str) -> str:
        """A finding as it stands within a sentence."""
        return self.in_a_sentence.get(finding, self.name("finding", finding))

    def modality(self, name: str) -> str:
        """What a kind of image is called."""
        return next(iter(self.modalities.get(name, ())), name)


def _read_language(code: str) -> Language:
    texts = read_texts(code)
    return Language(
        **{
            **texts,
            "words": {kind: _freeze(meanings) for kind, meanings in texts["words"].items()},
            "modalities": _freeze(texts["modalities"]),
            "asked": {kind: re.compile(pattern) for kind, pattern in texts["asked"].items()},
            "yes_or_no": re.compile(texts["yes_or_no"], re.IGNORECASE),
            "negation": re.compile(texts["negation"]),
            "replies": Replies(**_freeze(texts["replies"])),
            "steps": Steps(**_freeze(texts["steps"])),
            "filler": frozenset(texts["filler"]),
        },
        code=code,
    )


def _freeze(texts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(said) if isinstance(said, list) else said for name, said in texts.items()}


LANGUAGES: Mapping[str, Language] = {code: _read_language(code) for code in ("en", "it", "zh")}

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
