"""Find option names in a text, in singular and plural. Names match whole words, without a pattern per item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from snellen.items import LETTERS
from snellen.reading.language.acts.answering import ALL_OF_THEM, COMPOUND, JOINING, NONE_OF_THEM, SMALL_WORDS
from snellen.reading.language.patterns import word_set
from snellen.runtime import regex

_NUMERALS = word_set("i ii iii iv v vi vii viii ix x xi xii")
_SPECIES = regex(r"([A-Z][a-z]{3,})((?: [a-z]{4,}).*)")
_SHORTEST_SLIP = 7
_MOST_WORDS = 14
_SHORT_WORD = 3


def telling_words(spoken: Sequence[str]) -> list[str]:
    """Return the words that distinguish options; none if they are too many or too short."""
    if len(spoken) > _MOST_WORDS:
        return []
    telling = [word for at, word in enumerate(spoken) if word not in SMALL_WORDS or (at and len(word) == 1)]
    return telling if telling and max(map(len, telling)) > _SHORT_WORD else []


def covers(option: Sequence[str], telling: Sequence[str]) -> bool:
    """Return whether every word belongs to the option: written out, shortened, or with one letter wrong.

    >>> covers(["staphylococcus", "aureus"], ["staph", "aureus"]), covers(["hyperkalemia"], ["hypokalemia"])
    (True, False)
    """
    if "".join(telling) == "".join(word for word in option if word not in SMALL_WORDS):
        return True
    left = list(option)
    for word in telling:
        for own in left:
            if own[0] == word[0] and _same(own, word):
                left.remove(own)
                break
        else:
            return False
    return True


def _same(own: str, word: str) -> bool:
    if own == word or own == word + "s" or word == own + "s":
        return True
    if not word.isalpha() or len(word) < 4:
        return False
    return own.startswith(word) or (min(len(own), len(word)) >= _SHORTEST_SLIP and _one_slip(own, word))


def _one_slip(own: str, word: str) -> bool:
    """Return whether two words differ by one letter after the first four: missing, extra, changed or swapped.

    Among the first four letters, one may be missing or doubled: "glucoma", but not "hypotension" for "hypertension".
    """
    if abs(len(own) - len(word)) > 1 or own[:2] != word[:2] or (len(own) == len(word) and own[:4] != word[:4]):
        return False
    at = next((place for place, (one, other) in enumerate(zip(own, word, strict=False)) if one != other), None)
    if at is None:
        return True
    swapped = own[at + 1 : at + 2] + own[at : at + 1] + own[at + 2 :]
    return word[at:] in (own[at + 1 :], swapped) or own[at:] == word[at + 1 :] or own[at + 1 :] == word[at + 1 :]


def initials(keys: Sequence[str]) -> Mapping[str, int]:
    """Map initials to options, if no other option has the same initials.

    >>> initials(["open reduction and internal fixation", "left lower lobe"])
    {'orif': 0, 'lll': 1, 'ori': 0}
    """
    made = ["".join(word[0] for word in key.split() if word not in SMALL_WORDS) for key in keys]
    found = {short: place for place, short in enumerate(made) if len(short) > 1 and made.count(short) == 1}
    for place, short in enumerate(made):
        # "LAD" is the left anterior descending artery: initials may omit the last word.
        if len(short) > _SHORT_WORD and sum(other.startswith(short[:-1]) for other in made) == 1:
            found.setdefault(short[:-1], place)
    return found


def combination(words: str) -> frozenset[str] | None:
    """Return the letters or numerals that a text combines; None if it contains other words.

    >>> sorted(combination("both a and c"))
    ['a', 'c']
    """
    named = [word for word in words.split() if word not in JOINING]
    if named and (all(word in _NUMERALS for word in named) or all(len(word) == 1 and word.isalpha() for word in named)):
        return frozenset(named)
    return None


def combinations(keys: Sequence[str]) -> Mapping[frozenset[str], int]:
    """Map combined letters or numerals to their option. "All of the above" combines the plain options before it."""
    made: dict[frozenset[str], int] = {}
    plain: list[str] = []
    for place, key in enumerate(keys):
        named = combination(key)
        if named is not None and (len(named) > 1 or "only" in key):
            made[named] = place
        elif ALL_OF_THEM.fullmatch(key):
            made[frozenset(plain)] = place
        elif not NONE_OF_THEM.match(key) and place < len(LETTERS):
            plain.append(LETTERS[place].lower())
    return made


def species(text: str, keys: Sequence[str]) -> str:
    """Return a species name with its genus shortened, such as "c albicans".

    Return an empty text if the short form could be read as another option's label.
    """
    found = _SPECIES.fullmatch(text.strip())
    if found is None:
        return ""
    letter, rest = found.group(1)[0], found.group(2).strip().lower()
    place = LETTERS.index(letter)
    return "" if place < len(keys) and keys[place].startswith(rest) else f"{letter.lower()} {rest}"


_IDEOGRAPH = regex("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDINGS = ("", "s", "es")


def is_ideographic(text: str) -> bool:
    """Return whether a text has characters of a script without spaces, such as Chinese."""
    return not text.isascii() and _IDEOGRAPH.search(text) is not None


@dataclass(frozen=True)
class Names:
    """Option names to find in a normalised text. At each place the longest name wins.

    >>> Names(("effusion", "left effusion")).find_all("a left effusion and effusions")
    [(2, 15), (20, 29)]
    """

    keys: tuple[str, ...]

    def end_of_name(self, words: str, start: int) -> int | None:
        """Return the end of the name that begins at `start`. None if no name begins there."""
        space = words.find(" ", start)
        first = words[start:] if space < 0 else words[start:space]
        for name in self._by_first_word.get(first, ()):
            end = start + len(name)
            if words.startswith(name, start) and (end == len(words) or words[end] == " "):
                return end
        found = self._unspaced.match(words, start) if self._unspaced else None
        return found.end() if found else None

    def find_all(self, words: str) -> list[tuple[int, int]]:
        """Find every name in the text, from left to right, without overlaps."""
        if self._unspaced is None and self._by_first_word.keys().isdisjoint(words.split(" ")):
            return []
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(words):
            end = (
                self.end_of_name(words, start)
                if start == 0 or words[start - 1] == " "
                else self._end_of_unspaced(words, start)
            )
            if end is not None:
                found.append((start, end))
                start = end
            elif self._unspaced is not None:
                start += 1
            else:
                space = words.find(" ", start)
                start = len(words) if space < 0 else space + 1
        return found

    def _end_of_unspaced(self, words: str, start: int) -> int | None:
        found = self._unspaced.match(words, start) if self._unspaced else None
        return found.end() if found else None

    @cached_property
    def _by_first_word(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for key in _longest_first(key for key in self.keys if not is_ideographic(key)):
            for ending in reversed(_ENDINGS):
                name = key + ending
                names.setdefault(name.partition(" ")[0], []).append(name)
        return names

    @cached_property
    def _unspaced(self) -> re.Pattern[str] | None:
        keys = _longest_first(key for key in self.keys if is_ideographic(key))
        return re.compile("|".join(map(_pattern_of_unspaced, keys))) if keys else None


def _longest_first(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=len, reverse=True)


def _pattern_of_unspaced(key: str) -> str:
    """Build the pattern of a name in a script without spaces.

    A single character must end its word: "较大" contains "大", "大小" does not.
    """
    return re.escape(key) if len(key) > 1 else f"(?<![增扩变缩放]){re.escape(key)}(?![^ 的])"


def compounds(text: str) -> set[tuple[str, str]]:
    """Return pairs of words joined by a hyphen: "amoxicillin-clavulanic acid" is not amoxicillin.

    >>> compounds("Pre-eclampsia, not eclampsia - or so")
    {('pre', 'eclampsia')}
    """
    return set(COMPOUND.findall(text.lower())) if "-" in text else set()


def within_compound(words: str, start: int, end: int, joined: set[tuple[str, str]]) -> bool:
    """Return whether a name is only one half of a hyphenated word."""
    if not joined:
        return False
    before, after = words[: max(0, start - 1)].rpartition(" ")[2], words[end + 1 :].partition(" ")[0]
    own = words[start:end]
    return (before, own.partition(" ")[0]) in joined or (own.rpartition(" ")[2], after) in joined
