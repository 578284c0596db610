"""Topics: body parts, regions, modalities and kinds of finding in a text; several if in doubt.

An image of one region may also show others; in doubt, this is assumed.

In the word lists, `lung*` stands for words that begin with it, `*itis` for those that end with it. `*retin*` stands for
words that contain it. Accents and case do not matter. English, Italian, Spanish, French and German share one list,
since the roots of medical words are similar; Chinese has its own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.perturb.alike import content
from snellen.perturb.sides import speaks_of_sides
from snellen.perturb.words import SIGN, STOP, simplify_text
from snellen.runtime import regex

_WORDS = read_lexicon("topics")

PARTS = _WORDS.read_table("parts")
FINDINGS = _WORDS.read_table("findings")
PARTS_IN_CHINESE = _WORDS.read_table("parts in chinese")
FINDINGS_IN_CHINESE = _WORDS.read_table("findings in chinese")


class _Topic(NamedTuple):
    name: str
    whole: frozenset[str]
    beginnings: tuple[str, ...]
    ends: tuple[str, ...]
    within: tuple[str, ...]

    def holds(self, word: str) -> bool:
        return (
            word in self.whole
            or word.startswith(self.beginnings)
            or word.endswith(self.ends)
            or any(each in word for each in self.within)
        )


def _topic(name: str, listed: str) -> _Topic:
    words = listed.split()
    return _Topic(
        name,
        frozenset(word for word in words if "*" not in word),
        tuple(word[:-1] for word in words if word.endswith("*") and word[0] != "*"),
        tuple(word[1:] for word in words if word[0] == "*" and word[-1] != "*"),
        tuple(word[1:-1] for word in words if word[0] == word[-1] == "*"),
    )


@lru_cache(maxsize=2**14)
def parts_of(text: str) -> frozenset[str]:
    """Return the body parts that a text mentions.

    >>> sorted(parts_of("Pleural effusion")), sorted(parts_of("Kidney stone or appendicitis"))
    (['chest'], ['abdomen'])
    """
    return frozenset(_find_topics(text, of=0))


@lru_cache(maxsize=2**14)
def bearings(text: str) -> frozenset[str]:
    """Return everything that relates a text to another: body parts, kinds of finding, and words.

    >>> bearings("Left renal mass").isdisjoint(bearings("Appendicitis"))
    False
    >>> bearings("Left renal mass").isdisjoint(bearings("Macular hole"))
    True
    """
    sided = ["side"] if speaks_of_sides(text) else []
    return frozenset((*parts_of(text), *_find_topics(text, of=1), *sided, *_words(text)))


def _find_topics(text: str, *, of: int) -> set[str]:
    """Return the topics of the words: body parts (`of=0`) or findings (`of=1`)."""
    found = {name for word in _WORD.findall(simplify_text(text)) for name in _topics_of(word)[of]}
    if SIGN.search(text):
        found |= {name for name, signs in _IN_CHINESE[of].items() if any(each in text for each in signs)}
    return found


@lru_cache(maxsize=2**16)
def _topics_of(word: str) -> tuple[tuple[str, ...], ...]:
    """Return a word's body parts and its findings."""
    if word in _NO_TOPIC:
        return ((), ())
    return tuple(tuple(topic.name for topic in topics if topic.holds(word)) for topics in _TOPICS)


def _words(text: str) -> set[str]:
    """Return the content words as stems and as written; of Chinese, every two adjacent characters."""
    stems = {word for word in content(text) if not SIGN.search(word) and not any(map(str.isdigit, word))}
    plain = {word for word in _WORD.findall(simplify_text(text)) if len(word) > 2} - _SAYS_NOTHING
    pairs = {run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1)}
    return {f"={word}" for word in stems | plain | pairs}


_WORD = regex("[a-z]+")
_RUN = regex(f"(?:{SIGN.pattern})+")
_SAYS_NOTHING = frozenset((*STOP, *read_lexicon("synonyms").read_words("vague")))
_NO_TOPIC = _WORDS.read_words("unlike")
_TOPICS = tuple(tuple(_topic(*each) for each in listed.items()) for listed in (PARTS, FINDINGS))
_IN_CHINESE = tuple(
    {name: words.split() for name, words in listed.items()} for listed in (PARTS_IN_CHINESE, FINDINGS_IN_CHINESE)
)

_CALLED = _WORDS.read_table("modalities")
MODALITIES = frozenset(_CALLED)
_CODES = _WORDS.read_table("dicom codes")
_EACH = {kind: regex(rf"(?<![a-z])(?:{called})(?![a-z])") for kind, called in _CALLED.items()}


def modalities_of(text: str) -> frozenset[str]:
    """Return the kinds of image that a text names.

    >>> sorted(modalities_of("Radiograph")), sorted(modalities_of("PET-CT")), sorted(modalities_of("scan"))
    (['x-ray'], ['ct', 'pet'], [])
    """
    plain = simplify_text(text)
    if plain.strip() in _CODES:
        return frozenset({_CODES[plain.strip()]})
    return frozenset(kind for kind, pattern in _EACH.items() if pattern.search(plain))


TOGETHER = {
    "brain": ("eye", "head and neck", "spine"),
    "eye": ("brain", "head and neck"),
    "head and neck": ("brain", "eye", "spine", "chest", "arm"),
    "chest": ("head and neck", "spine", "abdomen", "arm"),
    "abdomen": ("chest", "spine", "pelvis", "leg"),
    "pelvis": ("abdomen", "spine", "leg"),
    "spine": ("brain", "head and neck", "chest", "abdomen", "pelvis", "leg"),
    "arm": ("chest", "head and neck"),
    "leg": ("pelvis", "abdomen", "spine"),
}
"""Per region, others that its images may show: a chest film shows a shoulder, one of the hip the lower spine."""
REGIONS = frozenset(TOGETHER)
_EVERYWHERE = regex(r"\b(?:whole|entire|total|full)[ -]?body\b|\btrunk\b|\btorso\b|全身", re.IGNORECASE)


def regions_of(text: str) -> frozenset[str]:
    """Return the body regions that a text names.

    Tissues that are everywhere, such as bone or skin, do not count.

    >>> sorted(regions_of("left knee joint")), sorted(regions_of("lung")), sorted(regions_of("bone"))
    (['leg'], ['chest'], [])
    """
    return REGIONS if _EVERYWHERE.search(text) else parts_of(text) & REGIONS


def may_be_shown(regions: frozenset[str]) -> frozenset[str]:
    """Return all regions that images of the given regions may show.

    >>> sorted(may_be_shown(regions_of("shoulder")))
    ['arm', 'chest', 'head and neck']
    """
    return regions.union(*(TOGETHER[region] for region in regions))
