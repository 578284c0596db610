"""Features of a response: word and character n-grams, negation, position, and what question and options share with it.

NumPy only. Every n-gram is hashed into one of a fixed number of columns, so that no vocabulary is stored.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from labelled_rows import Row
from numpy.typing import NDArray

CHARACTERS, WORDS = 1 << 16, 1 << 16
COLUMNS = CHARACTERS + WORDS
LONGEST = 2000
"""Of a longer response, so many characters of each end are read."""
EDGE = 12
"""So many words are the opening, and so many the close."""
REACH = 5
"""A negation reaches over so many words."""

_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W_]+(?:['’][^\W_]+)?|[?!]")
_NEGATORS = frozenset([
    "no", "not", "non", "none", "never", "without", "cannot", "can't", "isn't", "aren't", "wasn't", "doesn't", "don't",
    "didn't", "unable", "neither", "nor", "nothing", "sin", "ningún", "ninguna", "nunca", "tampoco", "nessun",
    "nessuna", "senza", "mai", "né", "ne", "pas", "sans", "aucun", "aucune", "kein", "keine", "keinen", "keiner",
    "nicht", "ohne", "nie", "não", "sem", "nenhum", "nenhuma", "不", "没", "無", "无", "未", "非",
])  # fmt: skip
_STOP = frozenset([
    "the", "a", "an", "of", "is", "are", "in", "on", "and", "to", "this", "it", "that", "la", "il", "el", "le", "der",
    "die", "das", "de", "di", "und", "et", "e", "y",
])  # fmt: skip

Ids = NDArray[np.uint32]
Features = tuple[Ids, NDArray[np.float32], NDArray[np.float32]]
"""The columns of a response that are not zero, how often each n-gram stands in it, and the other features."""
_P, _Q = np.uint32(0x01000193), np.uint32(0x9E3779B1)
_BITS = np.uint32(16)
_TOLD, _NEGATED, _OPENS, _CLOSES, _NEGATED_TOLD, _SHOWN = (np.uint32(zlib.crc32(bytes([place]))) for place in range(6))

DENSE = (
    "characters", "words", "short", "told_share", "echo_share", "is_option", "opens_with_option", "negators",
    "negated_told", "negates_first", "asks", "ends_with_question", "cjk", "new_words", "has_options", "has_question",
    "cut_off", "shown_named", "part_named", "digits",
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def _hash(word: str) -> int:
    return zlib.crc32(word.encode())


def split_words(text: str) -> list[str]:
    """The words of a lower-case text; each Chinese character is one."""
    return _WORD.findall(text)


def _clip(text: str) -> str:
    text = " ".join(text.lower().split())
    return text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]} {text[-LONGEST:]}"


def _characters(text: str) -> Ids:
    codes = np.frombuffer(f" {text} ".encode("utf-32-le", "replace"), np.uint32)
    found, grams = [], codes * _P
    for length in range(2, 6):
        if len(codes) < length:
            break
        grams = (grams[:-1] ^ codes[length - 1 :]) * _P
        found.append((grams * _Q) >> _BITS)
    return np.concatenate(found) if found else np.zeros(0, np.uint32)


def _spread(words: Sequence[str], marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    reach = np.zeros(len(words), bool)
    for place in np.flatnonzero(marks):
        reach[place + 1 : place + 1 + REACH] = True
    return reach


def featurise(row: Row) -> Features:
    """The features of a response to its question."""
    text = _clip(row.response)
    words = split_words(text)
    told = frozenset(split_words(" ".join((row.question, *row.options, str(row.facts.get("premise", "")))).lower()))
    told -= _STOP
    part, shown = (frozenset(split_words(str(row.facts.get(name, "")).lower())) for name in _PARTS)
    ids = np.fromiter(map(_hash, words), np.uint32, len(words))
    is_told = np.fromiter((word in told or word in part for word in words), bool, len(words))
    is_shown = np.fromiter((word in shown for word in words), bool, len(words))
    negates = np.fromiter((word in _NEGATORS for word in words), bool, len(words))
    negated = _spread(words, negates)
    grams = [ids, ids[is_told] ^ _TOLD, ids[negated] ^ _NEGATED, ids[:EDGE] ^ _OPENS, ids[-EDGE:] ^ _CLOSES]
    grams.append(np.where(is_told & negated, _NEGATED_TOLD, _SHOWN)[(is_told & negated) | is_shown])
    # A word that the question has told stands as one sign, so that "no TOLD" is learned from any question.
    signs = np.where(is_shown, _SHOWN, np.where(is_told, _TOLD, ids))
    for one in (ids, signs):
        pairs = (one[:-1] * _P) ^ one[1:]
        grams += [pairs, (pairs[:-1] * _P) ^ one[2:]]
    hashed = (np.concatenate(grams) * _Q) >> _BITS
    columns, counts = np.unique(np.concatenate([_characters(text), hashed + np.uint32(CHARACTERS)]), return_counts=True)
    content = {word for word in words if word not in _STOP}
    options = [" ".join(option.lower().split()) for option in row.options]
    bare = text.strip(" .*\"'")
    dense = np.array(
        [
            np.log1p(len(text)), np.log1p(len(words)), len(words) <= REACH, is_told.mean() if words else 0,
            len(content & told) / max(len(told), 1), bare in options, bare.startswith(tuple(options) or ("\0",)),
            np.log1p(negates.sum()), np.log1p((negated & is_told).sum()), negates[:3].any(), "?" in text,
            text.endswith("?"), bool(re.search("[\u4e00-\u9fff]", text)), np.log1p(len(content - told)),
            bool(options), bool(row.question), row.finish == "length", is_shown.any(),
            any(word in part for word in words), bool(re.search(r"\d", text)),
        ],
        np.float32,
    )  # fmt: skip
    return columns, (1 + np.log(counts)).astype(np.float32), dense


_PARTS = ("body_part", "shown_body_part")


def document_frequency(rows: Iterable[Ids]) -> NDArray[np.int64]:
    """In how many responses each column stands."""
    found = np.zeros(COLUMNS, np.int64)
    for columns in rows:
        found[columns] += 1
    return found


def weigh(columns: Ids, counts: NDArray[np.float32], idf: NDArray[np.float32]) -> NDArray[np.float32]:
    """TF-IDF, with the length of the character part and of the word part made 1; columns never trained on weigh 0."""
    values = counts * idf[columns]
    border = np.searchsorted(columns, CHARACTERS)
    for part in (values[:border], values[border:]):
        length = np.sqrt(part @ part)
        if length:
            part /= length
    return values
