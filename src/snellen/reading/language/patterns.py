"""Patterns of word roles, matched with a text's shape. A shape has one letter per word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

_Tree: TypeAlias = "dict[str, _Tree]"


def word_set(words: str) -> frozenset[str]:
    """Return the words of a line as a set."""
    return frozenset(words.split())


class Alphabet(NamedTuple):
    """The letter of each role."""

    letter: Mapping[str, str]
    alike: Mapping[str, str]
    """For each letter, the letters of other roles that it also fits."""

    def letters(self, names: str) -> str:
        """Return the letters of the roles "a|b"."""
        found = [self.letter[name] for name in names.split("|")]
        return "".join(letter + self.alike.get(letter, "") for letter in found)

    def any_of(self, names: str) -> str:
        """Return a pattern of one letter that fits one of the roles "a|b"."""
        letters = self.letters(names)
        return re.escape(letters) if len(letters) == 1 else f"[{re.escape(letters)}]"


class Notation(NamedTuple):
    """Notation of lines of roles, which compiles them to patterns.

    "a|b" is either role, "a?" an optional one, and "!a|b" means that neither comes next. A sign of `gaps` and a number
    allow up to this many words of one kind. A sign of `starts` at the beginning of a line is the beginning of a
    sentence, "$" its end.
    """

    alphabet: Alphabet
    families: Mapping[str, Sequence[str]]
    """Names such as "<pic>", each with the alternatives that replace it."""
    gaps: Mapping[str, str]
    """For each sign, a pattern of one letter."""
    starts: Mapping[str, Sequence[str]]
    """For each sign, the patterns with which a line may begin."""
    end: str

    def pattern(self, *lines: str) -> RolePattern:
        """Return one pattern from lines, any of which may match a shape."""
        return RolePattern(self, lines)

    def compile_lines(self, lines: Sequence[str]) -> re.Pattern[str]:
        """Compile the lines to one regular expression."""
        tree: _Tree = {}
        for line in self.spelt_out(lines):
            first, *rest = line.split()
            # A separate branch for each first letter lets the search skip all others.
            for start in self.starts.get(first) or map(re.escape, self.alphabet.letters(first)):
                node = tree.setdefault(start, {})
                for part in rest:
                    node = node.setdefault(part, {})
                node["end"] = {}
        return re.compile("|".join(start + self._branches(node) for start, node in tree.items()))

    def list_required(self, line: str) -> list[frozenset[str]]:
        """Return the letters of each required part of a line without "<name>"."""
        signs = ("!", *self.gaps, *self.starts)
        parts = [part for part in line.split() if part != "$" and not part.startswith(signs) and part[-1] != "?"]
        return [frozenset(self.alphabet.letters(part)) for part in parts]

    def spelt_out(self, lines: Sequence[str]) -> list[str]:
        """Return the lines with each "<name>" replaced by all of its alternatives."""
        made = list(lines)
        for name, choices in self.families.items():
            made = [line.replace(name, choice) for line in made for choice in (choices if name in line else ("",))]
        return made

    def _branches(self, node: _Tree) -> str:
        """Return the pattern of the branches below a node; empty at a line's end."""
        if "end" in node:
            return ""
        ways = [self._part(part) + self._branches(below) for part, below in node.items()]
        return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"

    def _part(self, part: str) -> str:
        if part == "$":
            return self.end
        for sign, gap in self.gaps.items():
            if part.startswith(sign):
                return f"{gap}{{0,{part.removeprefix(sign)}}}?"
        if part.startswith("!"):
            return f"(?!{self.alphabet.any_of(part[1:])})"
        return self.alphabet.any_of(part.removesuffix("?")) + ("?" if part.endswith("?") else "")


class RolePattern:
    """Lines of roles as one pattern, compiled on first use."""

    def __init__(self, notation: Notation, lines: Sequence[str]) -> None:
        self._notation, self._lines = notation, lines

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled regular expression."""
        return self._notation.compile_lines(self._lines)

    @cached_property
    def needs(self) -> frozenset[str]:
        """Letters, at least one of which every matching shape contains. So most shapes need no search."""
        lines = [self._notation.list_required(line) for line in self._notation.spelt_out(self._lines)]
        common = Counter(chain.from_iterable(lines))
        chosen = (max(line, key=lambda part: common[part] / (len(part) + 0.5)) for line in lines)
        return frozenset(chain.from_iterable(chosen))

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        """Function that returns the first match in a shape, as in `re.Pattern.search`."""
        return self.compiled.search

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        """Function that yields all matches in a shape."""
        return self.compiled.finditer
