"""Acts of a response, read by a small trained network: does it say that no image came, refuse, doubt, …?

A word is the sum of the vectors of its hashed form, beginnings and endings, and of what it shares with the question.
Convolutions add its neighbours, the strongest words of a sentence decide what the sentence does, and the sentences
decide what the response does. `research/acts` has the labelled responses, the training and the comparison with rules.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.perturb.topics import modalities_of, parts_of
from snellen.reading.language.cleaning import lower_keeping_offsets

ACTS = (
    "says_no_image", "describes_findings", "refuses", "abstains", "doubts", "flags_quality", "corrects_premise",
    "names_contradiction", "answers",
)  # fmt: skip
BUCKETS, PARTS = 1 << 16, 6
"""Number of vectors that words are hashed to, and of vectors that are added up for a word."""
LONGEST, _BEGINNING = 3_000, 2_000
"""Most words that are read of a response, and how many of them are from its beginning."""
_WEIGHTS = Path(__file__).with_name("acts.npz")
_CHINESE = "\u4e00-\u9fff"
_PAIR = re.compile(f"([{_CHINESE}])(?=([{_CHINESE}]?))")
_LETTERS = rf"[^\W\d_{_CHINESE}]+"
_SIGNS = r"\d+(?:[.,]\d+)*|[.!?;:,()\n…。！？，；：-]"
_WORD = re.compile(rf"[{_CHINESE}]{{1,2}}|{_LETTERS}(?:['’]{_LETTERS})*|{_SIGNS}")
_PLACED_WORD = re.compile(rf"[{_CHINESE}]|{_LETTERS}(?:['’]{_LETTERS})*|{_SIGNS}")
_ENDS = frozenset(".!?\n。！？;；")
_BARE, _LONG = 6, 80
_MOST_REMEMBERED = 30_000
ALONE = 0.95
"""Probability above which the network is believed although no rule finds the act."""
NETWORK = "network"
"""Rule of a reading that only the network makes."""


class QuestionFacts(NamedTuple):
    """What is known of the question that a response answers; empty if unknown."""

    question: str = ""
    options: tuple[str, ...] = ()
    premise: str = ""
    part: str = ""
    shown_part: str = ""
    modality: str = ""
    shown_modality: str = ""


def facts_of(item: Item) -> QuestionFacts:
    """Return what an item tells of its question."""
    topics = (
        str(item.metadata.get(name) or "") for name in ("body_part", "shown_body_part", "modality", "shown_modality")
    )
    asked = "\n".join(part for part in (item.context, item.question) if part)
    claims = item.premise.claims if item.premise else ""
    return QuestionFacts(asked, tuple(option.text for option in item.options), claims, *topics)


class ResponseWords(NamedTuple):
    """A response as the network reads it: its words, what each shares with the case, and where sentences begin."""

    words: list[str]
    flags: list[int]
    starts: list[int]
    about: NDArray[np.float32]


def split_words(text: str) -> list[str]:
    """Return words, numbers and signs in lower case; Chinese as pairs of neighbouring characters.

    >>> split_words("No image. 没有图"), split_words("It's 2.5 cm")
    (['no', 'image', '.', '没有', '有图', '图'], ["it's", '2.5', 'cm'])
    """
    low = text.lower()
    return _WORD.findall(low if low.isascii() else _PAIR.sub(r" \1\2 ", low))


@lru_cache(1 << 16)
def hash_parts(word: str) -> tuple[int, ...]:
    """Return the buckets of a word, its beginnings and its endings, filled up with 0."""
    if word[0] >= "\u4e00":
        parts = list(word) if len(word) == 2 else []
    else:
        whole = f"<{word}>"
        parts = [whole[:4], whole[:5], whole[-4:], whole[-5:]] if len(word) > 3 else []
        parts += [whole[1:7]] if len(word) > 6 else []
    hashed = [1 + zlib.crc32(each.encode()) % (BUCKETS - 1) for each in (word, *(f"_{part}" for part in parts))]
    return tuple((hashed + [0] * PARTS)[:PARTS])


def _content(text: str, shortest: int) -> frozenset[str]:
    """Return the words of a text with some letters; short ones say little."""
    return frozenset(each for each in split_words(text) if len(each) >= (2 if each[0] >= "\u4e00" else shortest))


def _topics_of(text: str) -> frozenset[str]:
    return parts_of(text) | modalities_of(text)


@lru_cache(1 << 16)
def _topics_of_word(word: str) -> frozenset[str]:
    return _topics_of(word) if len(word) > 1 else frozenset()


@lru_cache(1 << 12)
def _content_of_case(case: QuestionFacts) -> tuple[frozenset[str], ...]:
    about, shown = f"{case.part} {case.modality}".strip(), f"{case.shown_part} {case.shown_modality}".strip()
    return (
        _content(case.question, 4),
        _content(" ".join(case.options), 3),
        *(_content(fact, 2) for fact in (case.premise, about, shown)),
        _topics_of(about or case.question),
        _topics_of(shown),
    )


def make_words(text: str, case: QuestionFacts) -> ResponseWords:
    """Return a response as the network reads it."""
    words = split_words(text) or ["."]
    if len(words) > LONGEST:
        words = words[:_BEGINNING] + words[_BEGINNING - LONGEST :]
    *shared, topics, others = _content_of_case(case)
    known = [(place, content) for place, content in enumerate(shared) if content]
    flags, starts, begins = [], [], True
    for place, word in enumerate(words):
        bits = sum([1 << bit for bit, content in known if word in content]) | begins << 7
        if named := _topics_of_word(word):
            own = not named.isdisjoint(topics)
            bits |= own << 5 | (bool(topics) and not own) << 6 | (not named.isdisjoint(others)) << 8
        if begins:
            starts.append(place)
        flags.append(bits)
        begins = word in _ENDS
    bare = text.strip(" .*()\n").lower()
    about = (
        case.question, case.options, case.premise, case.shown_part or case.shown_modality, False, len(words) <= _BARE,
        bare in {option.lower() for option in case.options}, len(words) > _LONG,
    )  # fmt: skip
    return ResponseWords(words, flags, starts, np.array(list(map(bool, about)), np.float32))


class ActNetwork:
    """The trained weights; vectors of words are kept once they have been added up."""

    def __init__(self, weights: Path = _WEIGHTS) -> None:
        with np.load(weights) as stored:
            self._weights = {name: stored[name].astype(np.float32) for name in stored.files if name != "words"}
            self._words: NDArray[np.int8] = stored["words"]
        self._lock = Lock()
        self._places: dict[str, int] = {}
        self._vectors = np.empty((1 << 10, self._weights["enter.bias"].size), np.float32)
        bits = (np.arange(1 << 9)[:, None] >> np.arange(9) & 1).astype(np.float32)
        self._of_flags = bits @ self._weights["flags.weight"].T @ self._weights["enter.weight"].T

    def read(self, words: ResponseWords) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the log-odds of each act, for the response and for each sentence."""
        weights, about = self._weights, words.about
        with self._lock:
            state = self._look_up(words.words)
        state += self._of_flags[words.flags]
        state += weights["about.weight"] @ about + weights["enter.bias"]
        for number, reach in enumerate((1, 2, 4)):
            state += np.maximum(self._convolve(state, number, reach), 0)
        state -= state.mean(1, keepdims=True)
        state *= weights["norm.weight"] / np.sqrt((state * state).mean(1, keepdims=True) + 1e-5)
        state += weights["norm.bias"]
        lengths = np.diff(words.starts, append=len(words.words))[:, None]
        most, mean = (join.reduceat(state, words.starts) for join in (np.maximum, np.add))
        each = self._decide("sentence", np.hstack([most, mean / lengths, np.tile(about, (len(lengths), 1))]))
        strongest, chances = each.max(0), _sigmoid(each)
        known = [_sigmoid(strongest), strongest.clip(-8, 8) / 8, chances.mean(0), chances[0], chances[-1], about]
        return strongest + self._decide("response", np.concatenate(known)), each

    def _look_up(self, words: list[str]) -> NDArray[np.float32]:
        """Return the vector of each word."""
        places = self._places
        if new := [word for word in dict.fromkeys(words) if word not in places]:
            if len(places) + len(new) > _MOST_REMEMBERED:
                places.clear()
                new = list(dict.fromkeys(words))
            while len(places) + len(new) > len(self._vectors):
                self._vectors = np.vstack([self._vectors, np.empty_like(self._vectors)])
            summed = self._words[np.array([hash_parts(word) for word in new])].sum(1, dtype=np.float32)
            first = len(places)
            self._vectors[first : first + len(new)] = summed * self._weights["scale"] @ self._weights["enter.weight"].T
            places.update((word, first + number) for number, word in enumerate(new))
        return self._vectors[[places[word] for word in words]]

    def _convolve(self, state: NDArray[np.float32], number: int, reach: int) -> NDArray[np.float32]:
        """Join each word with the words at some distance before and after it."""
        width = state.shape[1]
        joined = np.zeros((len(state), 3 * width), np.float32)
        joined[reach:, :width] = state[:-reach]
        joined[:, width : 2 * width] = state
        joined[:-reach, 2 * width :] = state[reach:]
        result: NDArray[np.float32] = joined @ self._weights[f"steps.{number}"] + self._weights[f"steps.{number}.bias"]
        return result

    def _decide(self, layers: str, known: NDArray[np.float32]) -> NDArray[np.float32]:
        weights = self._weights
        hidden = np.maximum(known @ weights[f"{layers}.0.weight"].T + weights[f"{layers}.0.bias"], 0)
        decided: NDArray[np.float32] = hidden @ weights[f"{layers}.3.weight"].T + weights[f"{layers}.3.bias"]
        return decided


def _sigmoid(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.float32(1) / (np.float32(1) + np.exp(-odds))


class Acts(NamedTuple):
    """The acts of a response: the probability of each, and what is needed to quote it."""

    probabilities: Mapping[str, float]
    text: str
    words: ResponseWords
    by_sentence: NDArray[np.float32]

    def __contains__(self, act: object) -> bool:
        """Return whether the network alone is believed that the response performs an act."""
        return self.probabilities[str(act)] > ALONE

    def quote(self, act: str) -> str:
        """Return the sentence that performs an act most clearly, as it stands in the text."""
        start, stop = self.spans()[int(self.by_sentence[:, ACTS.index(act)].argmax())]
        return self.text[start:stop].strip()

    def spans(self) -> list[tuple[int, int]]:
        """Return where in the text each sentence that was read begins and ends."""
        places = [found.start() for found in _PLACED_WORD.finditer(lower_keeping_offsets(self.text))]
        if len(places) > LONGEST:
            places = places[:_BEGINNING] + places[_BEGINNING - LONGEST :]
        starts = [places[place] if place < len(places) else 0 for place in self.words.starts]
        return list(zip(starts, [*starts[1:], len(self.text)], strict=True))


@lru_cache(1 << 12)
def read_acts(text: str, case: QuestionFacts) -> Acts:
    """Read the acts of a response, without markup and thinking, to a question.

    >>> acts = read_acts("I don't see any image. Please attach it.", QuestionFacts("Is there a fracture?"))
    >>> "says_no_image" in acts, "refuses" in acts, acts.quote("says_no_image")
    (True, False, "I don't see any image.")
    """
    words = make_words(text, case)
    odds, by_sentence = _network().read(words)
    return Acts(dict(zip(ACTS, _sigmoid(odds).tolist(), strict=True)), text, words, by_sentence)


@cache
def _network() -> ActNetwork:
    return ActNetwork()
