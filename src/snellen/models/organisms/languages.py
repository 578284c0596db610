"""Languages that organisms read and answer in; for other languages they use English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

TEXTS = Path(__file__).parent / "texts"
"""The texts of the organisms as JSON: languages, medicine and report words."""
Vocabulary = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Phrases by kind (finding, side, location, count, size, answer, abstention) and by meaning."""


@cache
def read_texts(name: str) -> Any:
    """Return the content of a JSON file of texts; it is read once."""
    return orjson.loads((TEXTS / f"{name}.json").read_bytes())


@dataclass(frozen=True)
class Replies:
    """Phrases for choices, abstentions, refusals and descriptions.

    `{letter}` and `{option}` are the choice, `{finding}` is a finding, `{asked}` and `{shown}` are two kinds of image,
    and `{problem}` is a problem of image quality. `conclusions` end a response if options have no letters.
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
    """Steps of reasoning, for prompts that ask for thinking.

    In `drifting`, `{seen}` is the answer that the image shows and `{answer}` the one that the organism ends with.
    `{first}` and `{second}` are findings that are not in the image.
    """

    looking: tuple[str, ...]
    searching: tuple[str, ...]
    reading: tuple[str, ...]
    imagining: tuple[str, ...]
    recalling: tuple[str, ...]
    drifting: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """One language. Meanings have English names; the first phrase of each meaning is its name in this language.

    `problems` names problems of image quality, and `asked` has patterns for the kind of answer that a question wants.
    `filler` has words that do not matter in a yes-or-no question. `in_a_sentence` has findings whose name needs an
    article. `spaced` is False for scripts without spaces between words.
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
        """Return the name of a meaning. The meaning itself if this language has no name for it."""
        return next(iter(self.words[kind].get(value, ())), value)

    def mention(self, finding: str) -> str:
        """Return the name of a finding as used within a sentence."""
        return self.in_a_sentence.get(finding, self.name("finding", finding))

    def modality(self, name: str) -> str:
        """Return the name of a kind of image."""
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

# Words by which each language is recognised. Single letters are left out, because they are also labels of options and
# figures. The related languages are here so that they are not taken for Italian.
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


_SPEAKS_FOR: dict[str, list[str]] = {}
"""The languages that each of these words suggests."""
for _code, _words in _TELLING.items():
    for _word in _words.split():
        _SPEAKS_FOR.setdefault(_word, []).append(_code)
_IDEOGRAPH = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3040-\u9fff]+")


def language_of(text: str) -> str:
    """Return the code of the language of a text. "en" for languages that organisms do not know.

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
