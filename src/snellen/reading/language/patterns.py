"""Patterns written in roles, and found in the shape of a text: one letter a word, by the role it plays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

_Tree: TypeAlias = "dict[str, _Tree]"


def word_set(words: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(words.split())


class Alphabet(NamedTuple):
    """The letters of some roles by name."""

    letter: Mapping[str, str]
    alike: Mapping[str, str]
    """Letters that stand for more than their own role, with those that they stand for beside it."""

    def letters(self, names: str) -> str:
        """The letters of the roles "a|b"."""
        found = [self.letter[name] for name in names.split("|")]
        return "".join(letter + self.alike.get(letter, "") for letter in found)

    def any_of(self, names: str) -> str:
        """A pattern of one letter, of the roles "a|b"."""
        letters = self.letters(names)
        return re.escape(letters) if len(letters) == 1 else f"[{re.escape(letters)}]"


class Notation(NamedTuple):
    """How lines of role names are written: with which alphabet, which names for several ways, which gaps and ends.

    "a|b" is either role, "a?" one that may be left out, "!a|b" that neither comes next, a sign of `gaps` with a number
    up to so many words of that kind, "$" where a sentence ends, and a sign of `starts`, at first, where one begins.
    """

    alphabet: Alphabet
    families: Mapping[str, Sequence[str]]
    """Names such as "<pic>", each with the ways of writing what it stands for."""
    gaps: Mapping[str, str]
    """A pattern of one letter for each sign."""
    starts: Mapping[str, Sequence[str]]
    """Patterns, any of which a line may begin with."""
    end: str

    def pattern(self, *lines: str) -> RolePattern:
        """One pattern out of lines, any of which may match a shape."""
        return RolePattern(self, lines)

    def compiled(self, lines: Sequence[str]) -> re.Pattern[str]:
        """The lines as one expression."""
        tree: _Tree = {}
        for line in self.spelt_out(lines):
            first, *rest = line.split()
            # One branch for each first letter lets the search skip all others.
            for start in self.starts.get(first) or map(re.escape, self.alphabet.letters(first)):
                node = tree.setdefault(start, {})
                for part in rest:
                    node = node.setdefault(part, {})
                node["end"] = {}
        return re.compile("|".join(start + self._branches(node) for start, node in tree.items()))

    def required(self, line: str) -> list[frozenset[str]]:
        """The letters of each part of a line without "<name>" that cannot be left out."""
        signs = ("!", *self.gaps, *self.starts)
        parts = [part for part in line.split() if part != "$" and not part.startswith(signs) and part[-1] != "?"]
        return [frozenset(self.alphabet.letters(part)) for part in parts]

    def spelt_out(self, lines: Sequence[str]) -> list[str]:
        """Lines without "<name>": one for each thing that such a name stands for."""
        made = list(lines)
        for name, choices in self.families.items():
            made = [line.replace(name, choice) for line in made for choice in (choices if name in line else ("",))]
        return made

    def _branches(self, node: _Tree) -> str:
        """The ways on from a place in the tree of all lines; none where a line ends."""
        if "end" in node:
            return ""
        ways = [self._part(part) + self._branches(below) for part, below in node.items()]
        return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"

    def _part(self, part: str) -> str:
        """The pattern of one part of a line."""
        if part == "$":
            return self.end
        for sign, gap in self.gaps.items():
            if part.startswith(sign):
                return f"{gap}{{0,{part.removeprefix(sign)}}}?"
        if part.startswith("!"):
            return f"(?!{self.alphabet.any_of(part[1:])})"
        return self.alphabet.any_of(part.removesuffix("?")) + ("?" if part.endswith("?") else "")


class RolePattern:
    """Lines of roles as one pattern, compiled when it is first used: all together take a quarter of a second."""

    def __init__(self, notation: Notation, lines: Sequence[str]) -> None:
        self._notation, self._lines = notation, lines

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression."""
        return self._notation.compiled(self._lines)

    @cached_property
    def needs(self) -> frozenset[str]:
        """A few letters, at least one of which stands in every shape that matches: most shapes need no search."""
        lines = [self._notation.required(line) for line in self._notation.spelt_out(self._lines)]
        common = Counter(chain.from_iterable(lines))
        chosen = (max(line, key=lambda part: common[part] / (len(part) + 0.5)) for line in lines)
        return frozenset(chain.from_iterable(chosen))

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        """The first place in a shape at which one of the lines matches, as `re.Pattern.search` finds it."""
        return self.compiled.search

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """All such places."""
        return self.compiled.finditer
