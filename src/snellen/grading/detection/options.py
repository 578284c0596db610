"""The options of a detection question as words to look for: which means normal, and how each disease may be called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.grading.detection.roles import LETTER, OPTION, OTHER
from snellen.grading.detection.words import BETWEEN, HAN, JOINED, WORDS, apart, chinese, spelling
from snellen.items import Item, Option

_ALIASES = (
    ("choroidal neovascularization", "cnv", "choroidal neovascular membrane", "wet amd", "neovascular amd"),
    ("diabetic macular edema", "dme", "macular edema", "cystoid macular edema"),
    ("drusen", "early amd", "dry amd", "amd", "age-related macular degeneration"),
    ("covid-19", "covid", "covid19", "covid 19", "covid-19 pneumonia", "covid pneumonia"),
    ("pituitary", "pituitary tumor", "pituitary adenoma", "pituitary macroadenoma", "pituitary microadenoma",
     "pituitary mass", "pituitary lesion"),
    ("glioma", "glioblastoma", "astrocytoma"),
    ("diabetic retinopathy", "npdr", "pdr", "retinopathy"),
    ("bacterial pneumonia", "lobar pneumonia"),
)  # fmt: skip
"""Other names of diseases that are often asked about."""
_PLACES = ("pituitary gland", "pituitary fossa", "pituitary stalk", "pituitary region")
_REMEMBERED = 20_000


class Phrase(NamedTuple):
    """Words in a row as `spelling` has them, and the letter that stands for them."""

    words: tuple[str, ...]
    letter: str


class Vocabulary(dict[str, str]):
    """The letter of every word met so far; of one that may begin a phrase, nothing."""

    def __init__(self, phrases: Iterable[Phrase], own: list[str], *, several: bool) -> None:
        super().__init__()
        self.several = several
        self._han = chinese(own)
        self._alone: dict[str, str] = {}
        self._phrases: dict[str, dict[str, list[Phrase]]] = {}
        # Of phrases of one length those of the options come first.
        for phrase in sorted(phrases, key=lambda one: -len(one.words)):
            first, *rest = phrase.words
            following = self._phrases.setdefault(first, {})
            if rest:
                following.setdefault(rest[0], []).append(phrase)
            else:
                self._alone.setdefault(first, phrase.letter)

    def __missing__(self, word: str) -> str:
        letter = "" if spelling(word) in self._phrases else self._letter(word)
        if len(self) < _REMEMBERED:
            self[word] = letter
        return letter

    def _letter(self, word: str) -> str:
        spelled = spelling(word)
        return self._alone.get(spelled) or WORDS.get(word) or WORDS.get(spelled) or OTHER

    def shapes(self, text: str) -> list[str]:
        """The shapes of some sentences in lower case: one letter for each word and sign, and for each phrase."""
        han = not text.isascii() and HAN.search(text) is not None
        words = self._han.findall(text) if han else apart(text)
        letters = [self[word] for word in words]
        passed = 0
        for place, letter in enumerate(letters):
            if not letter and place >= passed:
                letters[place], passed = self._phrase(words, place)
                letters[place + 1 : passed] = [" "] * (passed - place - 1)
        return "".join(letters).replace(" ", "").split(BETWEEN)

    def _phrase(self, words: list[str], place: int) -> tuple[str, int]:
        """The letter of the longest phrase that begins at a place, or of the word alone; and where it ends."""
        following = self._phrases[spelling(words[place])]
        if following and place + 1 < len(words):
            for phrase in following.get(spelling(words[place + 1]), ()):
                end = place + len(phrase.words)
                if phrase.words[2:] == tuple(map(spelling, words[place + 2 : end])):
                    return phrase.letter, end
        return self._letter(words[place]), place + 1


class Choices(NamedTuple):
    """What a reply may conclude: the option that means normal, the one each letter stands for, and their words."""

    normal: int
    diseases: Mapping[str, int]
    exact: Mapping[str, int]
    vocabulary: Vocabulary


def choices(item: Item) -> Choices | None:
    """What a reply to a question may conclude; None where no option is known to mean normal."""
    normal = item.normal
    return None if normal is None else _choices(item.options, normal)


@lru_cache(maxsize=256)
def _choices(options: tuple[Option, ...], normal: int) -> Choices:
    texts = [option.text.strip().casefold() for option in options]
    others = [at for at, option in enumerate(options) if at != normal and not option.abstains]
    letters = {at: LETTER["abnormal"] if len(others) == 1 else chr(OPTION + at) for at in others}
    phrases = [Phrase(words, letters[at]) for at in others for words in _ways(texts[at], texts)]
    phrases += [Phrase(words, LETTER["normal"]) for words in _ways(texts[normal], texts)]
    phrases += [Phrase(tuple(name.split()), OTHER) for name in _PLACES]
    phrases += [Phrase(tuple(map(spelling, words)), letter) for words, letter in JOINED.items()]
    own = [text for text in texts if HAN.search(text)]
    exact = {text: at for at, text in enumerate(texts)}
    vocabulary = Vocabulary(phrases, own, several=len(others) > 1)
    return Choices(normal, {letter: at for at, letter in letters.items()}, exact, vocabulary)


def _ways(text: str, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The words of an option, and other names of its disease that no other option has."""
    if HAN.search(text):
        yield (text,)
        return
    known = next((names for names in _ALIASES if _american(text) in names), ())
    for name in (text, *(name for name in known if name not in texts)):
        words = tuple(map(spelling, re.findall(r"\w+(?:['-]\w+)*", name)))
        if words:
            yield words


def _american(text: str) -> str:
    return " ".join(map(spelling, text.split()))
