"""Tables of the field's words in plain text: terms, anatomy, findings and small words.

A file `NAME.tsv` has four columns with a tab between them: the list that a row belongs to, the language ("" if the word
roots fit all languages), the name of a concept, and its forms. The forms are words with spaces between them, phrases
with "|" between them, or a piece of a pattern. In a form, ⟨name⟩ stands for the row of that name in the list "pieces",
or else for all forms of the list of that name. A line that begins with "# " describes the rows below it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from snellen.runtime import regex

__all__ = ["WordLists", "list_words", "read_lexicon"]

_REFERENCE = re.compile("⟨([^⟩]+)⟩")


class LexiconRow(NamedTuple):
    """One concept of a list."""

    language: str
    name: str
    forms: str


class WordLists:
    """The lists of one file, each by its name."""

    def __init__(self, text: str) -> None:
        self.lists: dict[str, list[LexiconRow]] = {}
        pieces: dict[str, str] = {}
        for line in text.split("\n"):
            if line and not line.startswith("# "):
                of, language, name, forms = line.split("\t")
                if "⟨" in forms:
                    forms = _REFERENCE.sub(lambda found: pieces.get(found[1]) or self.read_text(found[1]), forms)
                if of == "pieces":
                    pieces[name] = forms
                self.lists.setdefault(of, []).append(LexiconRow(language, name, forms))

    def find_rows(self, of: str, language: str = "") -> list[LexiconRow]:
        """Return the rows of a list in order, of all languages or of one."""
        return [row for row in self.lists[of] if not language or row.language == language]

    def read_table(self, of: str, language: str = "") -> dict[str, str]:
        """Return the forms of each concept as one text, by the concept's name."""
        return {row.name: row.forms for row in self.find_rows(of, language)}

    def split_forms(self, of: str, by: str = "|") -> dict[str, tuple[str, ...]]:
        """Return the forms of each concept as a tuple, by the concept's name."""
        return {row.name: tuple(row.forms.split(by)) for row in self.find_rows(of)}

    def read_groups(self, of: str, language: str = "") -> tuple[tuple[str, ...], ...]:
        """Return the forms of each row as a tuple, for lists without concept names."""
        return tuple(tuple(row.forms.split("|")) for row in self.find_rows(of, language))

    def read_phrases(self, of: str, language: str = "") -> tuple[str, ...]:
        """Return all forms of a list, in order."""
        return tuple(phrase for forms in self.read_groups(of, language) for phrase in forms)

    def read_lines(self, of: str, language: str = "") -> tuple[str, ...]:
        """Return the forms of each row as one text."""
        return tuple(row.forms for row in self.find_rows(of, language))

    def read_text(self, of: str) -> str:
        """Return the forms of a list as one text; a long pattern needs several rows."""
        return "".join(self.read_lines(of))

    def compile_text(self, of: str, flags: int = 0) -> re.Pattern[str]:
        """Compile the forms of a list as one pattern."""
        return regex(self.read_text(of), flags)

    def read_words(self, of: str, language: str = "") -> frozenset[str]:
        """Return all words of a list."""
        return frozenset(" ".join(self.read_lines(of, language)).split())

    def compile_rules(self, of: str) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Compile patterns, each with its replacement; an underscore stands for a space."""
        return tuple((regex(row.forms), row.name.replace("_", " ")) for row in self.find_rows(of))


@cache
def read_lexicon(name: str) -> WordLists:
    """Return the lists of a file, which is read only once.

    >>> read_lexicon("anatomy").read_table("parts")["heart"]
    'heart cardia cuore corazon coeur herz'
    """
    return WordLists(Path(__file__).with_name(f"{name}.tsv").read_text(encoding="utf-8"))


_WHOLE_WORD = re.compile(r"(?<![\w*])[a-z]+(?![\w*])")


@cache
def list_words(name: str) -> frozenset[str]:
    """Return the whole English words of a file, without stems and pieces of patterns.

    >>> "saggital" in list_words("terms"), "sagittal" in list_words("terms")
    (False, True)
    """
    return frozenset(
        word
        for rows in read_lexicon(name).lists.values()
        for row in rows
        if row.language in ("", "en") and not set("\\([?") & set(row.forms)
        for word in _WHOLE_WORD.findall(row.forms.lower())
    )
