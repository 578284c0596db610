"""Find statements that the image is missing, and requests for it.

All parsers that need this decision share this module: those of choices, diagnoses, detections, claims and missing
images. The parser of missing images skips the ways in `UNSEEN`, because its labels count them as doubt.
A *way* is a kind of such statements. A *shape* has one letter for each word of a response (`language/image_roles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.image_roles import LETTER, LEXICONS, ShapedReply, pattern, shape_response
from snellen.reading.language.patterns import word_set

_LEXICON = read_lexicon("missing")

UNSEEN = _LEXICON.read_phrases("unseen")
WAYS = tuple(
    (way, pattern(*_LEXICON.read_lines(way.replace("-", " "))))
    for way in ("cannot-see", "not-received", "send-it", "needed", "blind", "nothing-in-it", "barely-seen")
)
"""Named ways to say that the image is missing, in the order of search."""

_ASKS_FOR_SIGHT = pattern(*_LEXICON.read_lines("asks for sight"))


@lru_cache(maxsize=8192)
def asks_for_sight(question: str) -> bool:
    """Return whether a question asks if the image is visible. Then a mere "no" says that it is missing.

    >>> asks_for_sight("Can you see the attached image?"), asks_for_sight("Can you see a fracture in the image?")
    (True, False)
    """
    return _ASKS_FOR_SIGHT.search(shape_response(question).shape) is not None


class MissingImageStatement(NamedTuple):
    """A statement that the image is missing: its way, its offsets in the text, and its sentence."""

    way: str
    start: int
    end: int
    sentence: str


def says_missing(text: str, question: str = "") -> MissingImageStatement | None:
    """Find the first statement that the image is missing, or a request for it. None if there is none.

    Absent findings ("no fracture is visible") and poor image quality do not count.

    >>> says_missing("I'm sorry. I cannot see the image.").sentence
    'i cannot see the image.'
    >>> says_missing("No fracture is visible in the image.") is None
    True
    """
    return missing_in(shape_response(text, question))


def missing_in(reply: ShapedReply) -> MissingImageStatement | None:
    """Find the first statement in a shaped response that the image is missing."""
    return next(_find_all(reply, every=False), None)


def every_missing(text: str, question: str = "") -> list[MissingImageStatement]:
    """Find all statements that the image is missing."""
    return list(_find_all(shape_response(text, question), every=True))


def _find_all(reply: ShapedReply, *, every: bool) -> Iterator[MissingImageStatement]:
    for way, start, end in _find_ways(reply.shape):
        sentence, first = reply.sentence(start)
        while not reply.tokens[first][0].isalnum() and first + 1 < sentence.stop:
            first += 1
        _, last = reply.sentence(end - 1)
        yield MissingImageStatement(
            way, *reply.span(first, last + 1), reply.words(sentence.start, sentence.stop).strip()
        )
        if not every:
            return


@lru_cache(maxsize=4096)
def _find_ways(shape: str) -> tuple[tuple[str, int, int], ...]:
    """Return the ways found in a shape, with their positions. Cached, because many responses share a shape."""
    may = [(way, lines) for way, lines in WAYS if not lines.needs.isdisjoint(shape)]
    return tuple((way, *found.span()) for way, lines in may for found in lines.finditer(shape))


def may_say_missing(words: Iterable[str]) -> bool:
    """Return whether a line with these words may say that the image is missing. A quick check.

    >>> may_say_missing(["no", "image", "came"]), may_say_missing(["the", "image", "shows", "a", "fracture"])
    (True, False)
    """
    seen = set(map(_HINTS.__getitem__, words))
    return _BOTH in seen or (_DENIES in seen and _NAMES in seen)


_DENIES, _NAMES = 1, 2
_BOTH = _DENIES | _NAMES
_DENYING = frozenset(
    LETTER[role]
    for role in word_set(
        "not cannot no without unseeing blank fail forget need send give describe text want ask if when"
    )
)
_NAMING = frozenset(
    LETTER[role]
    for role in word_set("picture pictures study see seeing sight text message given load visible get analyse here you")
)
_MOST_REMEMBERED = 30_000


class _Hints(dict[str, int]):
    """Cache of flags by word: it may deny or request, and it may name image, sight or sending; in all languages."""

    def __missing__(self, word: str) -> int:
        letters = {lexicon[word] for lexicon in LEXICONS}
        hint = (_DENIES if letters & _DENYING else 0) | (_NAMES if letters & _NAMING else 0)
        if word >= "\u3040":  # Chinese does not separate words by spaces.
            hint = _BOTH
        if len(self) < _MOST_REMEMBERED:
            self[word] = hint
        return hint


_HINTS = _Hints(t=_DENIES)
"""A separate "t" denies, because "don't" is split at its apostrophe."""
