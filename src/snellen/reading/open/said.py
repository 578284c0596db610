"""Terms of a text: asserted or denied, with alternatives and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from snellen.reading.language.negation import denied_words
from snellen.reading.language.words import terms as vocabulary
from snellen.reading.language.words.diagnoses import normalise_spelling, plain
from snellen.reading.language.words.numbers import in_digits
from snellen.reading.language.words.terms import add_implied, phrase_at, term
from snellen.runtime import regex

LONGEST = 4_000
"""Only this many characters of a statement are read."""
_ABBREVIATED = regex(r"\b[A-Z][A-Z0-9]{0,3}\b")
_TOKEN = regex(r"\d+(?:[.,]\d+)?|[\u3040-\u9fff]|[^\W\d_\u3040-\u9fff]+(?:'[^\W\d_]+)?\d{0,2}|[,;:.()%]")
_SET_OFF = regex(rf"\b({'|'.join(sorted(vocabulary.PREFIXES))})-(?=[a-z])")
_SIGNS = frozenset(",;:.()")
_PARTING = frozenset(",;")
_ORGANISM = regex(r"\b([A-Z])\.? ?([a-z]{4,})\b")
_LEVELS = regex(r"\b([CTLS])(\d{1,2}) ?[-/–] ?(\d{1,2})\b", re.IGNORECASE)
"""Two levels of the spine, the second only as a number: "L4/5"."""
_VERTEBRA = regex(
    rf"\b({'|'.join(vocabulary.ORDINALS)}) (lumbar|cervical|sacral|thoracic)(?: vertebral body| vertebra)\b",
    re.IGNORECASE,
)
_CLASS = regex(r"(?<!CN )\b(III|II|\d)([A-Ca-c])\b|(?:(?<=[Tt]ype )|(?<=[Gg]rade )|(?<=[Ss]tage ))(IV|V|I)([A-C])\b")
"""A class with a letter: "IIIA", "3a"."""
_NUMERAL = regex(rf"(?<!CN )\b({'|'.join(sorted(vocabulary.ROMAN, key=len, reverse=True))})\b")
_AFTER_CLASS = regex(rf"(?i:\b(type|grade|stage|class|group|level)) ({'|'.join(sorted(vocabulary.GRADED, key=len))})\b")
_RANGE = regex(r"(?<=\d) ?[-–—] ?(?=\d)")
_RANGED = frozenset(("to", "or"))
COUNT = "of them"
"""Unit of a number of things, as opposed to a length."""
_ALTERNATIVE, _NON = "or", "non"
_TIMES = frozenset(("x", "by", "×"))
_INSTEAD = (("rather", "than"), ("instead", "of"), ("opposed", "to"), ("likely", "than"), ("favored", "over"))
"""Word pairs that deny the rest of their clause."""
_RULED_OUT = (("ruled", "out"), ("rules", "out"), ("less", "likely"))
"""Word pairs that deny their whole clause."""
_EXCLUDED = "excluded"
_LIKE = frozenset(("mimicking", "mimics", "mimic", "simulating", "resembling"))
"""Words before a disease that a finding only resembles."""
_SUSPECTED = frozenset(("suspected", "considered"))
_TURNS = frozenset((",", ";", "but"))
"""Signs after "was suspected" which show that the suspicion did not hold."""


@dataclass(frozen=True, slots=True)
class MeasuredNumber:
    """A number with the name of its unit. `written` is the number before conversion to this unit."""

    value: float
    unit: str = ""
    written: float = 0.0
    digits: int = 0

    def agrees(self, other: MeasuredNumber) -> bool:
        """Return whether another number is equal after rounding.

        If only one of them has a unit, the written numbers must be equal.

        >>> shared = MeasuredNumber(56, "mm", 5.6, 1)
        >>> shared.agrees(MeasuredNumber(56, "mm", 56)), MeasuredNumber(4).agrees(MeasuredNumber(5))
        (True, False)
        """
        if self.unit != other.unit:
            return "" in (self.unit, other.unit) and self.written == other.written
        return self.value == other.value or self._rounds_to(other) or other._rounds_to(self)

    def _rounds_to(self, other: MeasuredNumber) -> bool:
        scale = other.value / other.written if other.written else 1.0
        rounded = round(self.value / scale, other.digits)
        return rounded == other.written and abs(self.value - other.value) <= 0.05 * abs(self.value)


@dataclass(frozen=True, slots=True)
class StatementTerms:
    """A statement split into terms."""

    words: tuple[str, ...]
    """Its words in a uniform spelling, without articles."""
    terms: tuple[str, ...]
    """Its asserted terms in order, each once; light words only if it has no others."""
    denied: frozenset[str]
    numbers: tuple[MeasuredNumber, ...]
    count: MeasuredNumber | None
    """The number in its first word of number, such as "single"; None if it has none."""
    ranges: tuple[tuple[MeasuredNumber, MeasuredNumber], ...]
    """Pairs of numbers that leave open which one holds: "2 or 3", "4-6 weeks"."""
    pieces: tuple[tuple[str, ...], ...]
    """Its asserted terms on both sides of each "or"; one piece if there is no "or"."""
    items: tuple[tuple[str, ...], ...]
    """Its asserted terms between commas."""
    polarity: bool | None
    """True if it opens with yes, False with no, otherwise None."""

    @property
    def asserted(self) -> set[str]:
        """Its asserted terms and numbers, and all that they imply."""
        return add_implied((*self.terms, *(f"{each.value:g}" for each in self.numbers if not each.unit)))


@lru_cache(maxsize=8_192)
def read_statement(text: str, shunned: bool = False) -> StatementTerms:
    """Read the terms of a text.

    `shunned`: the question asks what to avoid, so "avoid" denies nothing.

    >>> heard = read_statement("No pleural effusion, but a 5.6 cm mass in the RUL")
    >>> heard.terms, sorted(heard.denied), heard.numbers[0].value
    (('mass', 'right', 'upper'), ['effusion', 'pleura'], 56.0)
    """
    tokens = _tokens(text[:LONGEST])
    single = [token if token in _SIGNS else normalise_spelling(token) for token in tokens]
    denied = _flag_denied(tokens, vocabulary.ALLOWS if shunned else vocabulary.SHUNS)
    numbers, numeric, ranges = _numbers(tokens, single)
    asserted: list[str] = []
    light: list[str] = []
    refused: list[str] = []
    pieces: list[list[str]] = [[]]
    items: list[list[str]] = [[]]
    for place, names in _iter_terms(single, numeric):
        token = tokens[place]
        if token == _ALTERNATIVE:
            pieces.append([])
            items.append([])
        elif names == () or (names is None and (token in _SIGNS or token in _NEGATING)):
            if token in _PARTING:
                items.append([])
        elif denied[place] and not (names and token in _NEGATING):
            refused += names or (term(token),)
        elif names is None and single[place] in vocabulary.LIGHT:
            light.append(term(token))
        else:
            asserted += names or (term(token),)
            pieces[-1] += names or (term(token),)
            items[-1] += names or (term(token),)
    bare = [word for token, word in zip(tokens, single, strict=True) if token not in _SIGNS and word not in _ARTICLES]
    return StatementTerms(
        words=tuple(bare),
        terms=tuple(dict.fromkeys(asserted)) or (() if numbers else tuple(dict.fromkeys(light))),
        denied=frozenset(refused)
        | {each for one in asserted for each in vocabulary.UNSAYS.get(one, ()) if each not in asserted},
        numbers=numbers,
        ranges=ranges,
        count=_count(tokens),
        pieces=tuple(map(tuple, pieces)),
        items=tuple(tuple(item) for item in items if item),
        polarity=_polarity(tokens),
    )


_ARTICLES = frozenset(("a", "an", "the"))
_NEGATING = frozenset(("no", "not", "without", "any", "nor", "neither", "rather", "than", "non"))


def _tokens(text: str) -> list[str]:
    written = _ORGANISM.sub(lambda found: vocabulary.SPECIES.get(" ".join(found.groups()).lower(), found.group()), text)
    written = _LEVELS.sub(r"\1\2 \1\3", written)
    written = _VERTEBRA.sub(lambda found: f"{found[2][0]}{vocabulary.ORDINALS[found[1].lower()]}", written)
    written = _CLASS.sub(_join_class, written)
    written = _AFTER_CLASS.sub(lambda found: f"{found[1]} {vocabulary.GRADED[found[2]]}", written)
    written = _NUMERAL.sub(lambda found: vocabulary.ROMAN[found[1]], written)
    written = _RANGE.sub(" to ", written)
    written = _ABBREVIATED.sub(lambda found: vocabulary.CASED.get(found.group(), found.group()), written)
    if (alone := written.strip(" .").upper()) in vocabulary.CASED:
        written = vocabulary.CASED[alone]
    tokens = _TOKEN.findall(_SET_OFF.sub(r"\1", plain(written)))
    return [_ALTERNATIVE if token in vocabulary.OR else token for token in tokens]


def _join_class(found: re.Match[str]) -> str:
    number, letter = found[1] or found[3], found[2] or found[4]
    return f"class{letter.lower()}{vocabulary.GRADED.get(number, number)}"


def _flag_denied(tokens: Sequence[str], denying: frozenset[str]) -> list[bool]:
    """Return for each token whether it is denied; "non" denies only the next word.

    `denying` are words that deny in this context only.
    """
    prefixed = {place + 1 for place, token in enumerate(tokens) if token == _NON}
    heard = ["-" if token == _NON else _EXCLUDED if token in denying else token for token in tokens]
    heard = ["without" if token in _LIKE else token for token in heard]
    for place, pair in enumerate(pairwise(tokens)):
        following = tokens[place + 2] if place + 2 < len(tokens) else ""
        if pair in _INSTEAD and tokens[max(place - 1, 0)] != "less":
            heard[place : place + 2] = [";", "without"]
        elif pair in _RULED_OUT or (pair[0] == "was" and pair[1] in _SUSPECTED and following in _TURNS):
            heard[place] = _EXCLUDED
    flags = denied_words(heard)
    return [flag or place in prefixed for place, flag in enumerate(flags)]


def _iter_terms(single: list[str], numeric: frozenset[int]) -> Iterator[tuple[int, tuple[str, ...] | None]]:
    """Yield the position of each word or phrase. Add the terms of a phrase, or None for a word. Skip numbers."""
    place = 0
    while place < len(single):
        found = phrase_at(single, place)
        if found is not None:
            yield place, tuple(term(word) for word in found[0] if word not in vocabulary.LIGHT)
            place = found[1]
            continue
        if place not in numeric:
            yield place, None
        place += 1


def _numbers(
    tokens: Sequence[str], single: Sequence[str]
) -> tuple[tuple[MeasuredNumber, ...], frozenset[int], tuple[tuple[MeasuredNumber, MeasuredNumber], ...]]:
    """Return the numbers of a text, their token positions, and its ranges. "2 x 3 cm" has its unit at the end."""
    found: list[tuple[str, int]] = []
    places: set[int] = set()
    units: dict[int, str] = {}
    for place, token in enumerate(tokens):
        digits = _digits(token)
        if digits is None:
            continue
        places.add(place)
        following = single[place + 1] if place + 1 < len(single) else ""
        if following in vocabulary.UNITS:
            places.add(place + 1)
            units[len(found)] = following
        elif following in ("st", "nd", "rd", "th"):
            places.add(place + 1)
        found.append((digits, place))
    made: list[MeasuredNumber] = []
    ranged: list[bool] = []
    shared = ""
    for at in range(len(found) - 1, -1, -1):
        digits, place = found[at]
        between = tokens[place + 1 : found[at + 1][1]] if at + 1 < len(found) else ()
        joins = _RANGED if place == 0 or tokens[place - 1] != "between" else {"and"}
        ranged.append(bool(between) and between[-1] in joins and len(between) <= 1 + (at in units))
        shared = units.get(at) or (shared if ranged[-1] or not _TIMES.isdisjoint(between) else "")
        made.append(_number(digits, shared))
    made.reverse()
    ranges = [pair for pair, joined in zip(pairwise(made), ranged[:0:-1], strict=True) if joined]
    return tuple(made), frozenset(places), tuple(ranges)


def _digits(token: str) -> str | None:
    if token[0].isdigit():
        return token.replace(",", ".") if token.isascii() else None
    if token in vocabulary.ORDINALS:
        return vocabulary.ORDINALS[token]
    spelt = in_digits(token)
    return spelt if spelt != token and spelt.isdigit() and token not in vocabulary.COUNTS else None


def _number(digits: str, unit: str) -> MeasuredNumber:
    value = float(digits)
    decimals = len(digits.partition(".")[2])
    name, scale = vocabulary.UNITS.get(unit, ("", 1.0))
    return MeasuredNumber(round(value * scale, 6), name, value, decimals)


def _count(tokens: Iterable[str]) -> MeasuredNumber | None:
    for token in tokens:
        if token in vocabulary.COUNTS:
            return MeasuredNumber(float(vocabulary.COUNTS[token]), written=float(vocabulary.COUNTS[token]))
    return None


def _polarity(tokens: Sequence[str]) -> bool | None:
    opening = term(tokens[0]) if tokens else ""
    return {"yes": True, "no": False}.get(opening)
