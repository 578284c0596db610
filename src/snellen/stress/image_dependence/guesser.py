"""A guesser without eyes: how sure of an answer can one be who has only read the other items?

It is a conditional logit over an item's options, trained on other patients' items: nothing it says of an item depends
on that item's key. Its *clues* are what the context says of an option. Its *habits* are what tends to be right in this
benchmark (a position, a length, a word); they are trusted only as far as they were right about items held out.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import fsum, log, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from snellen.grading.language.acts.answering import NO_WORDS, YES_WORDS
from snellen.grading.language.patterns import word_set
from snellen.grading.language.tokens import MARK, Words, tokens
from snellen.items import Item
from snellen.stress.folds import folds_of, in_drawn_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Weight = Callable[[str], float]

FEWEST = 10
"""Nothing is learnt from fewer items than this."""
CLUES = 2.0
"""The log-odds that a clue is expected to be worth: the spread of the prior on its weight."""
TRUSTS = (0.0, 0.5, 1.0)
"""The same for habits; which of them, the items held out decide."""

_ASKS, _ENDS = re.compile("[?？]"), ".!。！\n"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NEGATIONS = word_set(
    "no not without never neither nor cannot don doesn didn isn aren wasn weren absent absence negative excluded "
    "non senza nessun nessuno nessuna assente assenza sin ningun ninguna pas sans aucun aucune kein keine keinen nicht "
    "ohne sem nenhum nenhuma nao geen niet 未 无 無 没 不 非 否"
)
_YES = YES_WORDS | word_set("true present vero presente verdadero vrai wahr 真")
_NO = NO_WORDS | word_set("false absent falso assente faux falsch 假")
_REACH = 6
_LAST_PLACE = 5
_PLACES, _LENGTHS, _NUMBERS, _ASKED, _OWN_WORDS, _CROSSED, _COLUMNS = 0, 6, 9, 11, 14, 526, 2574
"""Where the columns of each kind of habit begin, and how many there are."""
_MOST_OPTION_WORDS, _MOST_QUESTION_WORDS = 6, 16


@dataclass(frozen=True)
class Guesses:
    """What the guesser makes of each item; NaN where an item offers no choice between answers.

    `best` is the probability of the option it likes best, `right` that of the right option, and `hit` whether the two
    are one: 1 or 0, or a share where it likes several alike.
    """

    best: Floats
    right: Floats
    hit: Floats


def guess(items: Sequence[Item], *, folds: int = 5, seed: int = 0) -> Guesses:
    """How sure a guesser is of each item's answer that was trained on the items of other patients.

    >>> from snellen.items import Option
    >>> sides = (Option("Left"), Option("Right"))
    >>> asked = [Item(id=str(number), question="Which side?", options=sides, answer=0) for number in range(40)]
    >>> float(guess(asked).hit.mean()), float(guess(asked[:9]).hit.mean())
    (1.0, 0.5)
    """
    found = np.full((3, len(items)), np.nan)
    places = in_drawn_order(items, [place for place, item in enumerate(items) if _takes_part(item)], seed)
    if places:
        chosen = [items[place] for place in places]
        found[:, places] = _judged(_posed(chosen), folds_of(chosen, folds if len(chosen) >= FEWEST else 1))
    return Guesses(*found)


def _takes_part(item: Item) -> bool:
    """Whether the item is a choice between two or more answers, one of them right."""
    real = [place for place, option in enumerate(item.options) if not option.abstains]
    return item.kind == "choice" and len(real) > 1 and item.answer in real


class _Posed(NamedTuple):
    """Questions as numbers: a row for every option that is an answer, and for every item its rows and the right one."""

    clues: Any
    habits: Any
    sizes: Ints
    right: Ints


def _judged(posed: _Posed, fold: Ints) -> Floats:
    """`best`, `right` and `hit` of each item."""
    starts = np.cumsum(posed.sizes) - posed.sizes
    given = _given(posed, fold)
    best = np.maximum.reduceat(given, starts)
    liked = np.isclose(given, np.repeat(best, posed.sizes), rtol=1e-9, atol=0).astype(np.float64)
    return np.stack([best, given[posed.right], liked[posed.right] / np.add.reduceat(liked, starts)])


def _given(posed: _Posed, fold: Ints) -> Floats:
    """The probability of each option, by a guesser who has not seen the fold of its item."""
    given = 1 / np.repeat(posed.sizes, posed.sizes)
    folds = range(fold.max() + 1)
    if len(folds) == 1:
        return given
    designs = [sparse.hstack([CLUES * posed.clues, trust * posed.habits]).tocsr() for trust in TRUSTS]
    for design in designs:
        design.eliminate_zeros()
    losses = _losses(designs, posed, fold) if len(folds) > 2 else np.zeros((len(folds), len(TRUSTS), len(fold)))
    for held in folds:
        design = designs[_trusted(losses[held][:, fold != held])]
        rows = np.repeat(fold == held, posed.sizes)
        given[rows] = _learnt(design, posed, fold != held)[rows]
    return given


def _losses(designs: Sequence[Any], posed: _Posed, fold: Ints) -> Floats:
    """By fold, trust and item: the surprise at its key of one who has seen neither that fold nor the item's own."""
    folds = range(fold.max() + 1)
    losses = np.zeros((len(folds), len(designs), len(fold)))
    for one, other in combinations(folds, 2):
        for trust, design in enumerate(designs):
            surprise = -np.log(_learnt(design, posed, ~np.isin(fold, (one, other)))[posed.right])
            losses[one, trust, fold == other] = surprise[fold == other]
            losses[other, trust, fold == one] = surprise[fold == one]
    return losses


def _trusted(losses: Floats) -> int:
    """The least trust that does no worse than the best one, but for chance (one standard error)."""
    excess = losses - losses[losses.mean(axis=1).argmin()]
    good = excess.mean(axis=1) <= excess.std(axis=1) / sqrt(excess.shape[1])
    return int(good.argmax())


def _learnt(design: Any, posed: _Posed, seen: NDArray[np.bool_]) -> Floats:
    """The probability of every option, by weights learnt from the items seen; a normal prior holds them back."""
    from scipy.optimize import minimize  # takes a fifth of a second to import, which every command would wait for

    rows = np.repeat(seen, posed.sizes)
    shown, sizes = design[rows], posed.sizes[seen]
    turned = shown.T.tocsr()
    right = (np.cumsum(rows) - 1)[posed.right[seen]]
    truth = np.zeros(shown.shape[0])
    truth[right] = 1

    def surprise(weights: Floats) -> tuple[float, Floats]:
        given = _shares(shown @ weights, sizes)
        return weights @ weights / 2 - np.log(given[right]).sum(), turned @ (given - truth) + weights

    start = np.zeros(design.shape[1])
    found = minimize(surprise, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-2, "ftol": 1e-6})
    return _shares(design @ found.x, posed.sizes)


def _shares(scores: Floats, sizes: Ints) -> Floats:
    """Scores as probabilities over the options of each item."""
    starts = np.cumsum(sizes) - sizes
    grown = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    return np.asarray(grown / np.repeat(np.add.reduceat(grown, starts), sizes)).clip(1e-12)


class _Answer(NamedTuple):
    """An option as it is read: its place, its words, and those of them that tell it from the others."""

    place: int
    text: str
    words: Words
    telling: Words


def _posed(items: Sequence[Item]) -> _Posed:
    texts = [_texts(item) for item in items]
    held = Counter(chain.from_iterable({*context, *question} for context, question in texts))
    offered = [_answers(item) for item in items]

    def weight(word: str) -> float:
        return log((len(items) + 1) / held.get(word, 1))

    clues: list[Sequence[float]] = []
    habits: list[list[tuple[int, float]]] = []
    for answers, (context, question) in zip(offered, texts, strict=True):
        clues.extend(_clues(answers, context, question, weight))
        habits.extend(_habits(answers, question, weight))
    sizes = np.array([len(answers) for answers in offered])
    places = [[answer.place for answer in answers] for answers in offered]
    keys = [row.index(int(item.answer or 0)) for row, item in zip(places, items, strict=True)]
    columns, values = np.array(list(chain.from_iterable(habits))).T
    bounds = np.cumsum([0, *map(len, habits)])
    table = sparse.csr_matrix((values, columns.astype(np.int64), bounds), shape=(len(habits), _COLUMNS))
    return _Posed(sparse.csr_matrix(np.array(clues)), table, sizes, np.cumsum(sizes) - sizes + np.array(keys))


def _texts(item: Item) -> tuple[Words, Words]:
    """What is told and what is asked: a question may tell a story before it asks."""
    before = _ASKS.split(item.question, maxsplit=1)
    start = max(before[0].rfind(end) for end in _ENDS) + 1 if len(before) > 1 else 0
    return tokens(f"{item.context}\n{item.question[:start]}"), tokens(item.question[start:])


def _answers(item: Item) -> list[_Answer]:
    read = [tuple(word for word in tokens(option.text) if word != MARK) for option in item.options]
    real = [place for place, option in enumerate(item.options) if not option.abstains]
    shared = set(read[real[0]]).intersection(*(read[place] for place in real)) | _NEGATIONS
    telling = [tuple(word for word in words if word not in shared) for words in read]
    return [_Answer(place, item.options[place].text, read[place], telling[place]) for place in real]


def _signs(answers: Sequence[_Answer]) -> list[int]:
    """+1 for yes and −1 for no where an item offers both, else zeros."""
    first = [answer.words[0] if answer.words else "" for answer in answers]
    signs = [int(word in _YES) - int(word in _NO) for word in first]
    return signs if {1, -1} <= set(signs) else [0] * len(signs)


def _clues(answers: Sequence[_Answer], context: Words, question: Words, weight: Weight) -> Iterator[Sequence[float]]:
    """What the context says: of each option; or, where these are yes and no, of what the question asks."""
    signs = _signs(answers)
    if any(signs):
        said, denied = _said(context, question, weight)
        found = (0.0, said) if denied else (said, 0.0)
        for sign in signs:
            yield *(0.0,) * 6, *(sign * share for share in found), *(float(sign * (share > 0.5)) for share in found)
        return
    mentions = [_mention(answer, context, weight) for answer in answers]
    second = sorted(mention.share for mention in mentions)[-2]
    last = max(mention.last for mention in mentions)
    for mention in mentions:
        ahead = max(0.0, mention.share - second)
        yield *mention[:4], ahead, float(mention.last == last >= 0), 0.0, 0.0, 0.0, 0.0


def _said(context: Words, question: Words, weight: Weight) -> tuple[float, bool]:
    """How much of what is asked stands in one clause of the context, and whether that clause denies it."""
    asked = set(question) - {MARK}
    # The order of a set differs from run to run; an exact sum does not.
    whole = fsum(map(weight, asked)) or 1.0
    clauses = [set(clause.split()) for clause in " ".join(context).split(MARK)]
    return max((fsum(map(weight, asked & clause)) / whole, bool((clause - asked) & _NEGATIONS)) for clause in clauses)


class _Mention(NamedTuple):
    """How a text mentions an option: the share of its telling words, in full, denied, between marks; and where last."""

    share: float
    named: bool
    denied: bool
    alone: bool
    last: int


def _mention(answer: _Answer, text: Words, weight: Weight) -> _Mention:
    words, held = answer.words, set(text)
    whole = sum(map(weight, answer.telling))
    share = sum(weight(word) for word in answer.telling if word in held) / whole if whole else 0.0
    starts = [
        start
        for start, word in enumerate(text)
        if words and word == words[0] and text[start : start + len(words)] == words
    ]
    said = any(not _negated(text[max(0, start - _REACH) : start]) for start in starts)
    framed = (MARK, *text, MARK)
    alone = any(framed[start] == framed[start + len(words) + 1] == MARK for start in starts)
    return _Mention(share, said, bool(starts) and not said, alone, max(starts, default=-1))


def _negated(before: Words) -> bool:
    """Whether the last clause of what stands before an option negates it."""
    clause = before[::-1].index(MARK) if MARK in before else len(before)
    return not _NEGATIONS.isdisjoint(before[len(before) - clause :])


def _habits(answers: Sequence[_Answer], question: Words, weight: Weight) -> Iterator[list[tuple[int, float]]]:
    """By column: what an option looks like, beside the others and beside the question, whatever the context says."""
    lengths = [log1p(len(answer.text)) for answer in answers]
    numbers = [float(found.group()) for answer in answers if (found := _NUMBER.search(answer.text))]
    asked = [word.encode() for word in question if word != MARK][:_MOST_QUESTION_WORDS]
    for at, answer in enumerate(answers):
        row = [(_PLACES + min(answer.place, _LAST_PLACE), 1.0), (_LENGTHS, lengths[at] - sum(lengths) / len(lengths))]
        row += [(_LENGTHS + 1, float(lengths[at] == max(lengths))), (_LENGTHS + 2, float(lengths[at] == min(lengths)))]
        if len(numbers) == len(answers):
            rank = sum(number < numbers[at] for number in numbers) / (len(numbers) - 1)
            row += [(_NUMBERS, rank), (_NUMBERS + 1, 1 - abs(2 * rank - 1))]
        row += [(_ASKED + column, float(value)) for column, value in enumerate(_mention(answer, question, weight)[:3])]
        own = [zlib.crc32(word.encode()) for word in answer.words[:_MOST_OPTION_WORDS]]
        row += _hashed(own, _OWN_WORDS, _CROSSED)
        row += _hashed([zlib.crc32(word, code) for code in own for word in asked], _CROSSED, _COLUMNS)
        yield row


def _hashed(codes: Sequence[int], first: int, end: int) -> list[tuple[int, float]]:
    """Hashed words as columns, so weighted that many count together no more than one."""
    share = 1 / sqrt(len(codes) or 1)
    return [(first + code % (end - first), share) for code in codes]
