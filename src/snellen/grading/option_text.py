"""The words of the options: how they look without case, accents and punctuation, and where a text names them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from snellen.grading.naming import IDEOGRAPH, Names
from snellen.grading.phrases import NEGATED_AFTER, NEGATED_BEFORE, NO_WORDS, YES_WORDS
from snellen.items import LETTERS, Option

_WORD = r"\d+(?:[.,]\d+)+|[^\W_]+"
_COARSE = re.compile(_WORD)
_FINE = re.compile(_WORD + r"|[<>≤≥+%±=/°†‡↑↓→←-]")
_ACCENT = re.compile("[\u0300-\u036f]+")
_ARTICLE = re.compile(r"(?:an?|the|il|lo|la|gli|le|un|una|uno|el|los|las|les|une|der|die|das|ein|eine|l) (?=.)")
_LABELLED = re.compile(r"[\W_]*[A-Za-z][.):,]")
_JOINT = re.compile(r" (?:and |or |plus |with |vs |e |o |ed |et |ou |y |und |oder )?")
_BRACKETED = re.compile(r"\([^()]*\)")


_DRESS = 40
"""How much longer than the longest option a text may be and still be nothing but an option."""


def normal(text: str, *, signs: bool = False) -> str:
    """The words of a text, in lower case, without accents or punctuation; with `signs`, also < > + % and the like.

    >>> normal("  Sì: l'Edema (polmonare), 1,5 cm ")
    'si l edema polmonare 1.5 cm'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", text.casefold())))
    words = (_FINE if signs else _COARSE).findall(text.lower())
    return " ".join(word.replace(",", ".") if word[0].isdigit() else word for word in words)


@dataclass(frozen=True)
class OptionWords:
    """The options of one item, prepared for reading.

    `keys` holds each option's words, empty where its text says no more than a letter would. `exact` finds an option by
    its words, `polarity` by what yes and no mean here.
    """

    size: int
    keys: tuple[str, ...]
    exact: Mapping[str, int]
    polarity: Mapping[str, int]
    signs: bool
    names: Names
    longest: int

    def normal(self, text: str) -> str:
        """A text's words, as finely as these options need them."""
        return normal(text, signs=self.signs)

    def whole(self, text: str) -> int | None:
        """The option whose words are exactly these."""
        text = text.strip()
        if len(text) > self.longest + _DRESS:
            return None
        words = self.normal(text)
        found = self.exact.get(words)
        if found is None and not _LABELLED.match(text):
            found = self.exact.get(_ARTICLE.sub("", words, count=1))
        return found

    def opening(self, text: str) -> int | None:
        """The option whose words the text begins with; the longest, where several do."""
        words = self.normal(text[: self.longest + _DRESS])
        article = None if _LABELLED.match(text) else _ARTICLE.match(words)
        for start in (0, article.end()) if article else (0,):
            if (end := self.names.at(words, start)) is not None:
                return self._option(words[start:end])
        return None

    def series(self, text: str) -> list[int]:
        """The options that a text begins with one after the other: "effusion and pneumothorax"."""
        found: list[int] = []
        words = self.normal(text)
        start = 0
        while (end := self.names.at(words, start)) is not None:
            found.append(self._option(words[start:end]))
            joint = _JOINT.match(words, end)
            if joint is None:
                break
            start = joint.end()
        return found

    def named(self, text: str) -> list[int]:
        """The options a sentence names and does not deny, in order; the longest wording counts, not its parts."""
        words = self.normal(text)
        return [
            self._option(words[start:end])
            for start, end in self.names.all(words)
            if not NEGATED_BEFORE.search(words[max(0, start - 60) : start])
            and not NEGATED_AFTER.match(words[end : end + 60])
        ]

    def mentions(self, text: str) -> list[int]:
        """The options a text names, denied or not."""
        words = self.normal(text)
        return [self._option(words[start:end]) for start, end in self.names.all(words)]

    def part(self, text: str) -> int | None:
        """The one option whose words contain these, where no other does."""
        words = _ARTICLE.sub("", self.normal(text), count=1)
        if len(words) < (2 if IDEOGRAPH.search(words) else 4):
            return None
        padded = words if IDEOGRAPH.search(words) else f" {words} "
        holding = [place for place, key in enumerate(self.keys) if padded in f" {key} "]
        return holding[0] if len(holding) == 1 else None

    def _option(self, words: str) -> int:
        found = self.exact.get(words)
        if found is not None:
            return found
        return self.exact[words[:-1]] if words[:-1] in self.exact else self.exact[words[:-2]]


@lru_cache(maxsize=8192)
def option_words(options: tuple[Option, ...]) -> OptionWords:
    """The options prepared for reading, once per set of options."""
    texts = [option.text for option in options]
    signs = False
    keys = [normal(text) for text in texts]
    if len(set(keys)) < len(keys) or not all(keys):
        signs = True
        keys = [normal(text, signs=True) for text in texts]
    keys = [key if _says_more(key, len(options)) else "" for key in keys]
    exact = _exact(keys, [normal(_BRACKETED.sub(" ", text), signs=signs) for text in texts])
    polarity = {
        sign: place
        for sign, known in (("yes", YES_WORDS), ("no", NO_WORDS))
        for place, key in enumerate(keys)
        if key in known
    }
    return OptionWords(
        size=len(options),
        keys=tuple(keys),
        exact=MappingProxyType(exact),
        polarity=MappingProxyType(polarity if len(polarity) == 2 else {}),
        signs=signs,
        names=Names(tuple(key for key in exact if key not in YES_WORDS and key not in NO_WORDS)),
        longest=max(map(len, texts), default=0),
    )


def _says_more(key: str, size: int) -> bool:
    """Whether an option's text is more than the name of an option, such as a lone "B" among five options."""
    return not (len(key) == 1 and key.upper() in LETTERS[:size])


def _exact(keys: Sequence[str], short: Sequence[str]) -> dict[str, int]:
    """Each option by its words, also without an opening article or its brackets, where that stays unique."""
    exact = {key: place for place, key in enumerate(keys) if key}
    for variants in ([_ARTICLE.sub("", key, count=1) for key in keys], short):
        for place, words in enumerate(variants):
            if keys[place] and len(words) > 2 and variants.count(words) == 1:
                exact.setdefault(words, place)
    return exact
