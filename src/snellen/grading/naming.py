"""Finding the options' words in a text, at word boundaries and in the plural too, without a pattern per item."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDINGS = ("", "s", "es")


@dataclass(frozen=True)
class Names:
    """Words to be found in a text that has been brought into the same form; the longest name wins at each place.

    >>> Names(("effusion", "left effusion")).all("a left effusion and effusions")
    [(2, 15), (20, 29)]
    """

    keys: tuple[str, ...]

    def at(self, words: str, start: int) -> int | None:
        """Where the name that begins here ends."""
        space = words.find(" ", start)
        first = words[start:] if space < 0 else words[start:space]
        for name in self._by_first_word.get(first, ()):
            end = start + len(name)
            if words.startswith(name, start) and (end == len(words) or words[end] == " "):
                return end
        found = self._unspaced.match(words, start) if self._unspaced else None
        return found.end() if found else None

    def all(self, words: str) -> list[tuple[int, int]]:
        """Every name in the text, from left to right, none within another."""
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(words):
            end = self.at(words, start) if start == 0 or words[start - 1] == " " else self._inside(words, start)
            if end is not None:
                found.append((start, end))
                start = end
            elif self._unspaced is not None:
                start += 1
            else:
                space = words.find(" ", start)
                start = len(words) if space < 0 else space + 1
        return found

    def _inside(self, words: str, start: int) -> int | None:
        """Names of scripts without spaces may begin anywhere."""
        found = self._unspaced.match(words, start) if self._unspaced else None
        return found.end() if found else None

    @cached_property
    def _by_first_word(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for key in _longest_first(key for key in self.keys if not IDEOGRAPH.search(key)):
            for ending in reversed(_ENDINGS):
                name = key + ending
                names.setdefault(name.partition(" ")[0], []).append(name)
        return names

    @cached_property
    def _unspaced(self) -> re.Pattern[str] | None:
        keys = _longest_first(key for key in self.keys if IDEOGRAPH.search(key))
        return re.compile("|".join(map(_unspaced, keys))) if keys else None


def _longest_first(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=len, reverse=True)


def _unspaced(key: str) -> str:
    """A name in a script without spaces; a single character must end its word, as in "较大" but not in "大小"."""
    return re.escape(key) if len(key) > 1 else f"(?<![增扩变缩放]){re.escape(key)}(?![^ 的])"


_COMPOUND = re.compile(r"([^\W\d_]{3,})-(?!(?:the|not|and|this|that|with|which|because|but|its)\b)([^\W\d_]{3,})")


def compounds(text: str) -> set[tuple[str, str]]:
    """The words joined by a hyphen, two by two: "amoxicillin-clavulanic acid" is not amoxicillin.

    >>> compounds("Pre-eclampsia, not eclampsia - or so")
    {('pre', 'eclampsia')}
    """
    return set(_COMPOUND.findall(text.lower())) if "-" in text else set()


def within_compound(words: str, start: int, end: int, joined: set[tuple[str, str]]) -> bool:
    """Whether a name is only one half of words joined by a hyphen."""
    if not joined:
        return False
    before, after = words[: max(0, start - 1)].rpartition(" ")[2], words[end + 1 :].partition(" ")[0]
    own = words[start:end]
    return (before, own.partition(" ")[0]) in joined or (own.rpartition(" ")[2], after) in joined
