"""Patterns written in roles, and found in the shape of a reply: one letter a word, by the role it plays."""

from __future__ import annotations

import re
from typing import TypeAlias

from snellen.grading.language.roles import BULLET, COLON, COMMA, LETTER, OTHER, QUERY, STOP


def word_set(words: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(words.split())


_FAMILIES = {
    "<pic>": ("picture|pictures|study",),
    "<sure>": ("picture|pictures",),
    "<cannot>": ("cannot", "can not", "not ..1 can", "not ..2 able", "no able", "without ..2 able"),
    "<inthe>": ("in|of <the>", "inthe"),
    "<in>": ("in|of|inthe",),
    "<the>": ("the|your|this",),
    "<see>": ("see|seeing",),
}
_Tree: TypeAlias = "dict[str, _Tree]"


def pattern(*lines: str) -> re.Pattern[str]:
    """One pattern out of lines of role names, any of which may match the shape of a text; a shape begins with a stop.

    "a|b" is either role, "a?" one that may be left out, "!a|b" that neither comes next, "..3" up to three words of any
    role within the sentence, "%3" up to three that are not of medicine or help, "~3" up to three words of one
    phrase (no preposition, no new clause), "-3" up to three that leave the sentence a plain statement, "=3" up to three
    nouns, "^" where a clause begins, "^^" where a sentence or an entry of a list begins, "^." where a sentence begins,
    "$" where it ends, "<pic>" any kind of picture.

    >>> shape = "".join(LETTER[role] for role in "stop i cannot see the picture stop".split())
    >>> bool(pattern("<cannot> ..2 see ~3 <pic>").search(shape))
    True
    """
    tree: _Tree = {}
    for line in _spelt_out(lines):
        first, *rest = line.split()
        # One branch for each first letter lets the search skip all others.
        for letter in _STARTS.get(first) or _letters(first):
            node = tree.setdefault(letter, {})
            for part in rest:
                node = node.setdefault(part, {})
            node["end"] = {}
    return re.compile("|".join(re.escape(letter) + _branches(node) for letter, node in tree.items()))


def _spelt_out(lines: tuple[str, ...]) -> list[str]:
    """Lines without "<name>": one for each thing that such a name stands for."""
    made = list(lines)
    for name, choices in _FAMILIES.items():
        made = [line.replace(name, choice) for line in made for choice in (choices if name in line else ("",))]
    return made


def _branches(node: _Tree) -> str:
    """The ways on from a place in the tree of all lines; none where a line ends."""
    if "end" in node:
        return ""
    ways = [_part(part) + _branches(below) for part, below in node.items()]
    return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"


def _letters(names: str) -> str:
    # A word that the question has too is still just a word where nothing is asked of it, and a shade is a finding.
    letters = "".join(LETTER[name] for name in names.split("|"))
    letters = letters.replace(OTHER, OTHER + LETTER["asked"] + LETTER["anatomy"])
    letters = letters.replace(LETTER["finding"], LETTER["finding"] + LETTER["shade"])
    return letters.replace(LETTER["plural"], LETTER["plural"] + LETTER["asked-many"])


_STARTS = {
    "^": STOP + QUERY + COMMA + COLON + BULLET + _letters("but|and|sorry|or|if|when"),
    "^^": STOP + QUERY + COLON + BULLET,
    "^.": STOP + QUERY,
}
_GAPS = {
    "..": f"[^{STOP}{QUERY}]",
    "~": f"(?:[^{STOP}{QUERY}{COMMA}{COLON}{_letters('in|inthe|of|but|more|different|show')}]|"
    f",(?=[{_letters('see|analyse|tell|or|and')}]))",
    "-": f"[^{STOP}{QUERY}{_letters('may|if|when|need|suppose|show|cannot|to')}]",
    "%": f"[^{STOP}{QUERY}{_letters('medical|help|doctor|rules|consult|people')}]",
    "=": f"[{_letters('other|plural|ing|finding|number|kind|people|adverb|picture|pictures|study|message|medical')}]",
}


def _part(part: str) -> str:
    """The pattern of one part of a line."""
    if part == "$":
        return f"(?=[{STOP}{QUERY}])"
    for sign, gap in _GAPS.items():
        if part.startswith(sign):
            return f"{gap}{{0,{part.removeprefix(sign)}}}?"
    if part.startswith("!"):
        return f"(?![{_letters(part[1:])}])"
    return f"[{_letters(part.removesuffix('?'))}]{'?' if part.endswith('?') else ''}"
