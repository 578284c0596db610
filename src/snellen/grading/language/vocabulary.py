"""The words that a response is looked through for: those of a question’s options beside those of the language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from snellen.grading.language.detection_roles import OTHER
from snellen.grading.language.tokens import BETWEEN, HAN, WORDS, apart, chinese_words, spelling

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
        self._han = chinese_words(own)
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
