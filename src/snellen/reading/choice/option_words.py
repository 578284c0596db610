"""Option texts in simplified form, and where a text mentions them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from types import MappingProxyType

from snellen.items import LETTERS, Option
from snellen.reading.choice.option_names import (
    Names,
    combinations,
    compounds,
    covers,
    initials,
    is_ideographic,
    species,
    telling_words,
    within_compound,
)
from snellen.reading.language.acts import answering as cues
from snellen.reading.language.words.numbers import in_digits
from snellen.runtime import regex

_WORD = r"\d+(?:[.,]\d+)+|[^\W_]+"
_COARSE = regex(_WORD)
_FINE = regex(_WORD + r"|[<>≤≥+%±=/°†‡↑↓→←-]|(?<=\w)!")
_ACCENT = regex("[\u0300-\u036f]+")
_LABELLED = regex(r"[\W_]*[A-Za-z][.):,]")
_THOUSANDS = regex(r"\d{1,3}(?:,\d{3})+")
_POSSESSIVE = regex(r"['’]s\b")
_BRITISH = regex(r"ae(?=[mdc])|oe(?=dem|liac|soph|strog|a\b|tus)|(?<=tum)our|(?<=[a-z])is(?=ing\b|ation\b|ed\b)")
_AMERICAN = {"our": "or", "is": "iz"}
_IN_BRACKETS = regex(r"\(([A-Z][A-Za-z0-9-]{0,7}[A-Z0-9])\)")
_BRACKETED = regex(r"\([^()]*\)")

_MISQUOTED = 4
"""A misquoted option is searched in this many first words of a text; the option has fewer words."""
_DRESS = 40
"""A text that consists only of an option may exceed the longest option by this many characters."""


@lru_cache(maxsize=256)  # One short text is normalised several times in a row.
def normal(text: str, *, signs: bool = False) -> str:
    """Return the words of a text in lower case, without accents or punctuation.

    `signs` keeps signs such as < > + %.

    >>> normal("  Sì: l'Edema (polmonare), 1,5 cm ")
    'si l edema polmonare 1.5 cm'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", text.casefold())))
    text = text.lower()
    if "'" in text or "’" in text:
        text = _POSSESSIVE.sub("", text)
    text = _BRITISH.sub(lambda found: _AMERICAN.get(found.group(), "e"), text)
    words = (_FINE if signs else _COARSE).findall(text)
    return " ".join([_number(word) if word[0].isdigit() else word for word in words])


def _number(word: str) -> str:
    word = word.replace(",", "" if _THOUSANDS.fullmatch(word) else ".")
    return word.rstrip("0").rstrip(".") if word.count(".") == 1 and word[-1] == "0" else word


@dataclass(frozen=True, eq=False)
class OptionWords:
    """The options of one item, prepared for reading.

    `keys` holds each option's words, or "" if its text is only a letter. `exact` finds an option by its words, `cased`
    by its unchanged text, `polarity` by yes or no. `counts` is true if all options begin with a number.
    """

    size: int
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    exact: Mapping[str, int]
    cased: Mapping[str, int]
    polarity: Mapping[str, int]
    signs: bool
    counts: bool
    names: Names
    longest: int

    def normal(self, text: str) -> str:
        """Normalise a text, keeping signs and reading numbers only if these options need it."""
        words = normal(text, signs=self.signs)
        return in_digits(words) if self.counts else words

    def match_exactly(self, text: str) -> int | None:
        """Return the option with exactly these words, or None."""
        text = text.strip()
        if len(text) > self.longest + _DRESS:
            return None
        if self.cased and (found := self.cased.get(text.strip(".()[]\"' "))) is not None:
            return found
        words = self.normal(text)
        found = self.exact.get(words)
        if found is None and not _LABELLED.match(text):
            found = self.exact.get(cues.ARTICLE.sub("", words, count=1))
        return found

    def opening(self, text: str) -> int | None:
        """Return the option with which a text begins; the longest if several fit."""
        if not self.names.keys:
            return None
        words = self.normal(text[: self.longest + _DRESS])
        article = None if _LABELLED.match(text) else cues.ARTICLE.match(words)
        for start in (0, article.end()) if article else (0,):
            end = self.names.end_of_name(words, start)
            if end is not None:
                joined = within_compound(words, start, end, compounds(text[: self.longest + _DRESS]))
                return None if joined else self._option(words[start:end])
        return None

    def ending(self, text: str) -> int | None:
        """Return the option with which a text ends, unless the text denies it."""
        words, places = self._places(text[-self.longest - _DRESS :])
        if not places or places[-1][1] < len(words) - 2:
            return None
        start, end = places[-1]
        return None if cues.NEGATED_BEFORE.search(words[max(0, start - 60) : start]) else self._option(words[start:end])

    def series(self, text: str) -> list[int]:
        """Return the options joined at the beginning of a text: "effusion and pneumothorax"."""
        found: list[int] = []
        words = self.normal(text)
        start = 0
        while (end := self.names.end_of_name(words, start)) is not None:
            found.append(self._option(words[start:end]))
            joint = cues.JOINT.match(words, end)
            if joint is None:
                break
            start = joint.end()
        return found

    def spoken_for(self, text: str) -> tuple[list[int], list[int]]:
        """Return the options that a sentence asserts, and those that it only supposes, in order.

        Denied options are left out. Of overlapping options only the longest counts.
        """
        words, places = self._places(text)
        asserted: list[int] = []
        supposed: list[int] = []
        for at, (start, end) in enumerate(places):
            following = places[at + 1][0] if at + 1 < len(places) else None
            if not cues.NEGATED_BEFORE.search(words[max(0, start - 60) : start]) and not _is_denied(
                words, end, following
            ):
                (supposed if cues.SUPPOSED_AFTER.match(words, end) else asserted).append(self._option(words[start:end]))
        return asserted, supposed

    def find_named(self, text: str) -> list[int]:
        """Return the options that a sentence asserts. If there are none, return those that it supposes."""
        asserted, supposed = self.spoken_for(text)
        return asserted or supposed

    def mentions(self, text: str) -> list[int]:
        """Return the options that a text names, including denied ones."""
        words, places = self._places(text)
        return [self._option(words[start:end]) for start, end in places]

    def offers_another(self, text: str, choice: int) -> bool:
        """Return whether a text offers the option as one alternative: "either a fracture or a cyst"."""
        if self.keys[choice][:1].isdigit():  # "0.25, or 25%" gives one value in two forms
            return False
        words, places = self._places(text)
        return any(
            self._option(words[start:end]) == choice
            and (cues.OR_BEFORE.search(words[max(0, start - 12) : start]) or cues.OR_AFTER.match(words, end))
            for start, end in places
        )

    def _places(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """Return the words of a text and the positions of options in them. Half of a hyphenated word does not count."""
        if not self.names.keys:
            return "", []
        words = self.normal(text)
        places = self.names.find_all(words)
        if places and (joined := compounds(text)):
            places = [(start, end) for start, end in places if not within_compound(words, start, end, joined)]
        return words, places

    def part(self, text: str) -> int | None:
        """Return the option whose words contain this text, if there is only one."""
        if not self.names.keys:
            return None
        words = cues.ARTICLE.sub("", self.normal(text), count=1)
        unspaced = is_ideographic(words)
        padded = words if unspaced else f" {words} "
        holding = [place for place, key in enumerate(self._padded) if padded in key]
        if len(holding) != 1:
            return None
        telling = any(sign.isupper() or sign.isdigit() for sign in text.strip()[1:])
        if len(words) < (2 if telling or unspaced else 4):
            return None
        return holding[0] if telling or self._tells(words, holding[0]) else None

    def match_loosely(self, text: str) -> int | None:
        """Return the one option that the text shortens, reorders, or misspells by one letter."""
        if not self.names.keys:
            return None
        words = self.normal(text).split()
        telling = telling_words(words)
        if not telling:
            return None
        holding = [place for place, key in enumerate(self.keys) if key and covers(key.split(), telling)]
        return holding[0] if len(holding) == 1 and self._tells(" ".join(words), holding[0]) else None

    def nearest(self, text: str, own: int) -> int | None:
        """Return the one option that a text misquotes after giving the letter of option `own`.

        The text shortens or misspells the option. Or it shares two consecutive words with a short option and no word
        with `own`.
        """
        like = self.match_loosely(text)
        if like is not None:
            return like
        said = self.normal(text).split()[:_MISQUOTED]
        pairs = {pair for pair in pairwise(said) if not cues.SMALL_WORDS.issuperset(pair)}
        if not pairs or not set(said).difference(cues.SMALL_WORDS).isdisjoint(self.keys[own].split()):
            return None
        holding = [place for place, key in enumerate(self.keys) if not pairs.isdisjoint(pairwise(key.split()))]
        return holding[0] if len(holding) == 1 and len(self.keys[holding[0]].split()) < _MISQUOTED else None

    def _tells(self, words: str, place: int) -> bool:
        """Return whether part of an option identifies it: its first word or a third of it.

        The part must not end like a word of another option: "sarcoma" could be an Ewing sarcoma or an osteosarcoma. A
        single word must not be only the general term of its option, such as "nephritis".
        """
        if " " not in words and cues.SPECIFIED.fullmatch(self.keys[place]) and self.keys[place].endswith(words):
            return False
        last = words.rpartition(" ")[2]
        others = (own for other, key in enumerate(self.keys) if other != place for own in key.split())
        if len(last) > 4 and any(own != last and own.endswith(last) for own in others):
            return False
        key = self.keys[place]
        return 3 * len(words) >= len(key) or key.partition(" ")[0].startswith(words.partition(" ")[0])

    @cached_property
    def _padded(self) -> list[str]:
        return [f" {key} " for key in self.keys]

    @cached_property
    def numbered(self) -> bool:
        """True if any option begins with a number."""
        return any(key[:1].isdigit() for key in self.keys)

    @cached_property
    def initials(self) -> Mapping[str, int]:
        """Options by the first letters of their words."""
        return initials(self.keys)

    @cached_property
    def combined(self) -> Mapping[frozenset[str], int]:
        """Options that combine several letters or numerals: "Both A and B", "II and III only"."""
        return combinations([normal(text) for text in self.texts])

    def _option(self, words: str) -> int:
        found = self.exact.get(words)
        if found is not None:
            return found
        return self.exact[words[:-1]] if words[:-1] in self.exact else self.exact[words[:-2]]


@lru_cache(maxsize=32768)
def option_words(options: tuple[Option, ...]) -> OptionWords:
    """Prepare options for reading; the result is cached per set of options."""
    texts = [option.text for option in options]
    keys = [normal(text) for text in texts]
    signs = len(set(keys)) < len(keys) or not all(keys) or any(map(_loses_signs, keys, texts))
    if signs:
        keys = [normal(text, signs=True) for text in texts]
    cased = {text.strip(): place for place, text in enumerate(texts)} if len(set(keys)) < len(keys) else {}
    keys = [key if _says_more(key, len(options)) and keys.count(key) == 1 else "" for key in keys]
    exact = _exact(keys, texts, signs=signs)
    polarity = {
        sign: place
        for sign, known in (("yes", cues.YES_WORDS), ("no", cues.NO_WORDS))
        for place, key in enumerate(keys)
        if key in known
    }
    return OptionWords(
        size=len(options),
        texts=tuple(texts),
        keys=tuple(keys),
        exact=MappingProxyType(exact),
        cased=MappingProxyType(cased),
        polarity=MappingProxyType(polarity if len(polarity) == 2 else {}),
        signs=signs,
        counts=all(key[:1].isdigit() for key in keys),
        names=Names(tuple(key for key in exact if key not in cues.YES_WORDS and key not in cues.NO_WORDS)),
        longest=max(map(len, texts), default=0),
    )


def _loses_signs(key: str, text: str) -> bool:
    """Return whether an option without its signs would be a bare letter: "H+"."""
    return len(key) == 1 and key.isalpha() and len(text.strip()) > 1


def _says_more(key: str, size: int) -> bool:
    """Return whether an option's text is more than a label such as "B"."""
    return not (len(key) == 1 and key.upper() in LETTERS[:size])


def _exact(keys: Sequence[str], texts: Sequence[str], *, signs: bool) -> dict[str, int]:
    """Map the words of each option, and its unique shorter forms, to the option.

    Shorter forms drop the first article, drop the brackets, keep only an abbreviation in brackets, or shorten a genus
    to its initial.
    """
    exact = {key: place for place, key in enumerate(keys) if key}
    shorter = (
        [cues.ARTICLE.sub("", key, count=1) for key in keys],
        [normal(_BRACKETED.sub(" ", text), signs=signs) for text in texts],
        [_abbreviation(text) for text in texts],
        [species(text, keys) for text in texts],
    )
    for variants in shorter:
        for place, words in enumerate(variants):
            if keys[place] and len(words) > 1 and variants.count(words) == 1:
                exact.setdefault(words, place)
    return exact


def _abbreviation(text: str) -> str:
    found = _IN_BRACKETS.search(text)
    return normal(found.group(1)) if found else ""


def _is_denied(words: str, end: int, following: int | None) -> bool:
    """Return whether the words after a name deny it. "This, not that" denies only the second name."""
    found = cues.NEGATED_AFTER.match(words[end : end + 60])
    if found is None:
        return False
    said = found.group().split()
    contrasts = len(said) <= 2 and said[-1] in cues.CONTRASTS and (len(said) == 1 or len(said[0]) == 1)
    return not (contrasts and following is not None and following - end - found.end() < 20)
