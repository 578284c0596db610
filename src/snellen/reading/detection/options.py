"""Options of a detection question: the normal one, and the names of each disease."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.items import Item, Option
from snellen.reading.language.detection_roles import HAN, JOINED, LETTER, OPTION, OTHER, Phrase, Vocabulary, spelling
from snellen.reading.language.words.diagnoses import ALIASES, PLACES


class Choices(NamedTuple):
    """Possible conclusions: the normal option, the letter of each disease option, and the words of all."""

    normal: int
    diseases: Mapping[str, int]
    exact: Mapping[str, int]
    vocabulary: Vocabulary


def choices(item: Item) -> Choices | None:
    """Return the possible conclusions for a question. None if no option is known to mean normal."""
    normal = item.normal
    return None if normal is None else _choices(item.options, normal)


@lru_cache(maxsize=256)
def _choices(options: tuple[Option, ...], normal: int) -> Choices:
    texts = [option.text.strip().casefold() for option in options]
    others = [at for at, option in enumerate(options) if at != normal and not option.abstains]
    letters = {at: LETTER["abnormal"] if len(others) == 1 else chr(OPTION + at) for at in others}
    phrases = [Phrase(words, letters[at]) for at in others for words in _ways(texts[at], texts)]
    phrases += [Phrase(words, LETTER["normal"]) for words in _ways(texts[normal], texts)]
    phrases += [Phrase(tuple(name.split()), OTHER) for name in PLACES]
    phrases += [Phrase(tuple(map(spelling, words)), letter) for words, letter in JOINED.items()]
    own = [text for text in texts if HAN.search(text)]
    exact = {text: at for at, text in enumerate(texts)}
    vocabulary = Vocabulary(phrases, own, several=len(others) > 1)
    return Choices(normal, {letter: at for at, letter in letters.items()}, exact, vocabulary)


def _ways(text: str, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words of an option. Also yield names of its disease that no other option has."""
    if HAN.search(text):
        yield (text,)
        return
    known = next((names for names in ALIASES if _american(text) in names), ())
    for name in (text, *(name for name in known if name not in texts)):
        words = tuple(map(spelling, re.findall(r"\w+(?:['-]\w+)*", name)))
        if words:
            yield words


def _american(text: str) -> str:
    return " ".join(map(spelling, text.split()))
