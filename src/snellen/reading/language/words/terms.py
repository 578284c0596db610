"""Terms: one name for synonyms and abbreviations, and terms that exclude each other.

The words are English, in American spelling and singular, as `diagnoses.normalise_spelling` returns them. An unlisted
word is represented by its stem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from snellen.lexicon import read_lexicon
from snellen.reading.language.patterns import word_set
from snellen.reading.language.words.anatomy import NamedAnatomy, find_anatomy
from snellen.reading.language.words.diagnoses import normalise_spelling

_WORDS = read_lexicon("terms")

SAME = _WORDS.read_table("same")
TOGETHER = _WORDS.read_table("together")
COMPOSED = _WORDS.read_table("composed")
LIGHT = _WORDS.read_words("light")
CASED = _WORDS.read_table("cased")
SPECIES = _WORDS.read_table("species")
ROMAN = _WORDS.read_table("roman")
GRADED = _WORDS.read_table("graded") | ROMAN
UNSAYS = _WORDS.split_forms("unsays", " ")
ASKS = tuple(map(word_set, _WORDS.read_lines("asks")))
ASKS_SIZE = _WORDS.read_words("asks size")
PREFIXES = _WORDS.read_words("prefixes")
POLAR = _WORDS.read_words("polar")
SHUNS = _WORDS.read_words("shuns")
ALLOWS = _WORDS.read_words("allows")
OR = word_set("or vs versus")
"""Words that join alternatives."""
ORDINALS = {word: number for number, words in _WORDS.read_table("ordinals").items() for word in words.split()}
COUNTS = _WORDS.read_table("counts")
UNITS = {name: (base, float(size)) for name, (base, size) in _WORDS.split_forms("units", " ").items()}
_ENDINGS = tuple(_WORDS.read_text("endings").split())
_SHORTEST_STEM = 4
_BY_WORD = {word: term for term, words in SAME.items() for word in words.split()}
_LONG_STEM = 6


@lru_cache(maxsize=50_000)
def term(word: str) -> str:
    """Return the term for a plain lower-case word; its stem if it is not listed.

    >>> term("radiographs"), term("haemorrhagic"), term("enhancing"), term("thrombosed"), term("thrombosis")
    ('xray', 'hemorrhage', 'enhancement', 'thrombosis', 'thrombosis')
    """
    single = normalise_spelling(word)
    known = _BY_WORD.get(word) or _BY_WORD.get(single)
    return known or _BY_STEM.get(left := stem(single), left)


def stem(word: str) -> str:
    """Return a word without its ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_BY_STEM = {left: name for word, name in reversed(_BY_WORD.items()) if len(left := stem(word)) >= _LONG_STEM}
"""Terms by the stems of their words, for endings that are not listed."""


def _by_first(phrases: Mapping[str, str]) -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    found: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for phrase, meant in phrases.items():
        first, *rest = map(normalise_spelling, phrase.split())
        found.setdefault(first, []).append((tuple(rest), tuple(meant.split())))
    for ways in found.values():
        ways.sort(key=lambda way: -len(way[0]))
    return found


_PHRASES = _by_first(TOGETHER)


def phrase_at(words: list[str], place: int) -> tuple[tuple[str, ...], int] | None:
    """Return the terms of the longest phrase that begins at a place, and its end. None if there is none.

    >>> phrase_at(["the", "chest", "x", "ray"], 2)
    (('xray',), 4)
    """
    for rest, meant in _PHRASES.get(words[place], ()):
        end = place + 1 + len(rest)
        if tuple(words[place + 1 : end]) == rest:
            return meant, end
    return None


def _terms(words: str) -> frozenset[str]:
    return frozenset(map(term, words.split()))


SIDES = _terms("left right bilateral")
MODALITIES = _terms("xray ct mri ultrasound angiography mammography pet flair dwi adc t1 t2 contrast noncontrast")
PLANES = _terms("axial coronal sagittal posteroanterior anteroposterior lateralview")
SEXES = _terms("male female")
LOOK_ALIKE = _terms(_WORDS.read_text("look alike"))
NOTHING_WRONG = _terms("normal none")
ABNORMAL = _terms("abnormality abnormal finding pathology disease lesion problem anomaly")
"""Terms whose denial means that nothing is wrong."""
DEGREES = frozenset(map(term, _WORDS.read_words("degrees")))
"""Terms of degree, number or age, which a reference may add to the answer."""
RIVALS = tuple(map(_terms, _WORDS.read_lines("rivals")))
"""Groups of terms that exclude each other."""
IMPLIES = {term(word): tuple(map(term, wider)) for word, wider in _WORDS.split_forms("implies", " ").items()}
_PARTS: dict[str, list[tuple[str, frozenset[str]]]] = {}
for _name, _words in COMPOSED.items():
    for _part in (_composing := _terms(_words)):
        _PARTS.setdefault(_part, []).append((term(_name), _composing))
_GROUPS: dict[str, tuple[frozenset[str], ...]] = {
    member: tuple(group for group in RIVALS if member in group) for group in RIVALS for member in group
}


def rivals(one: str) -> tuple[frozenset[str], ...]:
    """Return the groups of mutually exclusive terms to which this term belongs."""
    return _GROUPS.get(one, ())


@lru_cache(maxsize=50_000)
def kind_of(one: str) -> str:
    """Return the kind of a term: finding ("thing"), body part ("part") or neither ("")."""
    found: NamedAnatomy | None = find_anatomy(one)
    if found is None:
        return ""
    return "thing" if found.things else "part" if found.parts else ""


def add_implied(terms: Iterable[str]) -> set[str]:
    """Return the terms and all that they imply."""
    found = set(terms)
    for each in tuple(found):
        found.update(IMPLIES.get(each, ()))
        found.update(name for name, parts in _PARTS.get(each, ()) if parts <= found)
    return found


def wider(one: str) -> tuple[str, ...]:
    """Return the wider terms that a term implies."""
    return IMPLIES.get(one, ())
