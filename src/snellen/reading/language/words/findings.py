"""Findings: one concept for its words in all languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_WORDS = read_lexicon("claims")

_SIGNS = "'()/\"[]“”.,;:!?*#-–"
_SHORTEST = 3
_MOST = 100_000
_FOLDS = (
    ("ph", "f"),
    ("y", "i"),
    ("k", "c"),
    ("h", ""),
    ("ct", "tt"),
    ("pt", "tt"),
    ("x", "ss"),
    ("ae", "e"),
    ("oe", "e"),
)
_STEM = 6

CONCEPTS = _WORDS.read_table("concepts")
COMPOUNDS = _WORDS.read_table("compounds")


def spelt_out(text: str) -> str:
    """Return the English words for the compounds and Chinese words of a lower-case text.

    >>> spelt_out("ein pleuraerguss rechts")
    'pleural effusion'
    """
    return " ".join(words for written, words in COMPOUNDS.items() if written in text)


FINDINGS = _WORDS.read_table("findings")
SIDES = _WORDS.read_table("sides")
NOT_A_SIDE = regex(
    r"(?:(?:to|toward|towards|verso)(?: the| il lato| la)? |)(?:left|right|destr[aoei]|sinistr[aoei])(?: side|"
    r" half)? "
    r"(?:of|dell)\W{0,2}(?:the )?(?:image|immagine)|(?:lato|side|parte) (?:destr[ao]|sinistr[ao]) dell'immagine|"
    r"\b(?:to|towards?|verso) (?:the |il lato )?(?:left|right|destra|sinistra|destro|sinistro)\b|"
    r"\bleft anterior descending|discendente anteriore sinistra|"
    r"\b(?:left|right) (?:ventric|atri|bundle|heart|coronary|main|axis|dominan)\w*|"
    r"\b(?:ventricol\w+|atri\w*|coronaria|branca|cuore|strain|emiblocco) (?:destr|sinistr)\w+"
)
"""Words for a side that do not give the side of a finding."""
NONE_OF = _WORDS.read_text("none of")
PLACE_FOLLOWS = r"(?![^,.;]{0,40}\b(?:in|on|at|of the|nell\w*|nel|a|del\w*|sul\w*|significant\w*)\b)"
"""Pattern that fails if a place follows, which would limit an absence."""
UNSURE = regex(r"possib|suspect|sospett|rather than|piuttosto|exclud|esclud|rul(?:es?|ing) out|\bvs\b|\bor\b|\bo\b")
"""Words that leave a finding open, or compare it."""
ELEVATION = regex(
    r"(?:st[- ]?(?:segment)? ?elevat\w+|elevat\w+ (?:of|in) (?:the )?st|sopraslivell\w+(?: (?:del|dello) (?:tratto|"
    r"segmento))?(?: st)?|"
    r"st sopraslivellat\w+|elevazion\w+ (?:del )?(?:tratto )?st|st-elevazione)"
    r"((?:(?!reciproc|depress|sottosl|\bma\b|\bbut\b|\bnon\b|\bno\b|\bwithout\b|\bsenza\b|\bq\b)[^.;]){0,110})"
)
"""An ST elevation, with the text that names its leads."""
LEADS = regex(r"\bv([1-6])(?: ?[-–‑] ?v?([1-6]))?\b|\b(iii|ii|avf|avl)\b|\b(inferior|precordial)\w*")
"""Leads of an electrocardiogram."""
PLANES = _WORDS.read_table("planes")
WEIGHTED = regex(r"\b(?:immagine|image|figura|figure) ([ab])\b")
"""An image with a letter."""
SHAPES = _WORDS.read_table("shapes")
RHYTHMS = _WORDS.read_table("rhythms")
COUNTED = regex(
    r"\b(two|three|four|five|six|due|tre|quattro|cinque|sei|\d{1,2})\s(?:\w+\s){0,2}?(nodul|electrode|elettrod|cyst|"
    r"cisti|calcul|stone)"
)
"""Things that can be counted, with their number."""
NUMBERS = _WORDS.read_table("numbers")
ANYTHING = regex(
    "|".join([*FINDINGS.values(), *PLANES.values(), *SHAPES.values(), *RHYTHMS.values()])
    + r"|\bst\b|\bst-|elevat|sopraslivell|\bt[12]\b|nodul|electrode|elettrod|cyst|cisti|calcul|stone"
)
"""A claim without any of these words concerns none of the rules here."""


def fold_spelling(word: str) -> str:
    """Return a word in the spelling that Latin and Greek roots share across languages.

    >>> fold_spelling("hyperkeratotic")[:6] == fold_spelling("ipercheratosiche")[:6]
    True
    """
    bare = "".join(sign for sign in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(sign))
    for old, new in _FOLDS:
        bare = bare.replace(old, new)
    return re.sub(r"(.)\1", r"\1", bare)


_BY_WORD = {fold_spelling(word): name for name, words in CONCEPTS.items() for word in words.split()}
_BY_STEM = {word[:_STEM]: name for word, name in reversed(_BY_WORD.items())}
"""Concept of each stem; if several share it, such as pneumothorax and pneumonia, the first one."""


def concept(word: str) -> str:
    """Return the concept of a word; its stem if it has no concept.

    >>> concept("pneumonia"), concept("pneumothoraces"), concept("tibial")
    ('pneumonia', 'pneumothorax', 'tibial')
    """
    whole = fold_spelling(word)
    stem = whole[:_STEM]
    return _BY_WORD.get(whole) or _BY_STEM.get(stem, stem)


_EMPTY = frozenset(map(concept, _WORDS.read_words("empty words")))


class _Names(dict[str, str]):
    """Cache of the concept of each word, empty if it has none. Cleared when it grows too large."""

    def __missing__(self, word: str) -> str:
        name = concept(word) if len(word) >= _SHORTEST or word.isdigit() else ""
        if len(self) > _MOST:
            self.clear()
        self[word] = name = "" if name in _EMPTY else name
        return name


_NAMES = _Names()


def concepts(words: Iterable[str]) -> set[str]:
    """Return the concepts of lower-case words, which may contain hyphens but no other signs."""
    return {name for word in words for part in word.split("-") if (name := _NAMES[part])}


def content(text: str) -> set[str]:
    """Return the concepts in a lower-case text: of its numbers and of words with three or more letters."""
    for sign in _SIGNS:
        text = text.replace(sign, " ")
    names = set(map(_NAMES.__getitem__, text.split()))
    names.discard("")
    return names
