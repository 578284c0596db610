"""Cues: named features of each option from the text of a question.

*Clues* describe what the context states about an option. *Habits* describe the option itself: its position, length,
numbers and words. The module `guesser` uses hashed words. An audit uses `named_cues`, which names every word that is
frequent enough to learn from.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import chain
from math import fsum, log, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from snellen.items import LETTERS, Item
from snellen.reading.language.acts.answering import NO_WORDS, YES_WORDS
from snellen.reading.language.patterns import word_set
from snellen.reading.language.tokens import MARK, Words, tokens

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Weight = Callable[[str], float]

_ASKS, _ENDS = re.compile("[?？]"), ".!。！\n"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
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
"""First column of each kind of habit, and the number of columns."""
_MOST_OPTION_WORDS, _MOST_QUESTION_WORDS, _MOST_NAMED_WORDS = 6, 16, 30

_FORMS = tuple(map(re.compile, (r"\d", r"[(\[/]", r"[,;]", r"[.。]\s*$", r"^\s*[A-ZÀ-Þ][a-zà-ÿ]")))
_FORM_NAMES = ("a number", "a bracket or slash", "a comma", "a full stop at its end", "a capital letter at its start")
_CLUES = (
    "partly named in the context",
    "named in the context",
    "denied in the context",
    "named by itself in the context",
    "with more of its words in the context than any other",
    "named last in the context",
    *("saying yes to what the context affirms", "saying yes to what the context denies") * 2,
)
_LOOKS = (
    *("the longer option", "the longest option", "the shortest option"),
    *("the option with the larger number", "the option whose number is between the others"),
    *("with words of the question", "named in the question", "denied in the question"),
)
_ODD = (
    *(
        "the option with more words of the others",
        "the option most like the others",
        "the option least like the others",
    ),
    *(f"the only option with {form}" for form in _FORM_NAMES),
    *(f"the only option without {form}" for form in _FORM_NAMES),
)


class CueKind(StrEnum):
    """Kinds of cues, by the text they use; the value is printed in sentences."""

    CONTEXT = "what the context says of the options"
    POSITION = "the position of the option"
    LENGTH = "the length of the option"
    NUMBER = "the size of the number in the option"
    QUESTION = "words of the question in the option"
    ODD_ONE_OUT = "how an option differs from the others in wording or format"
    WORD = "words of the option"
    PAIR = "words of the option together with words of the question"


_NAMED = (*_CLUES, *(f"option {letter}" for letter in LETTERS), "the last option", *_LOOKS, *_ODD)
_NAMED_KINDS = (
    *(CueKind.CONTEXT,) * len(_CLUES),
    *(CueKind.POSITION,) * (len(LETTERS) + 1),
    *(CueKind.LENGTH,) * 3,
    *(CueKind.NUMBER,) * 2,
    *(CueKind.QUESTION,) * 3,
    *(CueKind.ODD_ONE_OUT,) * len(_ODD),
)


class Cues(NamedTuple):
    """Features of questions: a row per option, and per item the number of options and the correct row."""

    clues: Any
    habits: Any
    sizes: Ints
    right: Ints


class _Answer(NamedTuple):
    """An option with its position, its words, and the words that not all options share."""

    place: int
    text: str
    words: Words
    telling: Words


class _TextParts(NamedTuple):
    context: Words
    question: Words
    answers: list[_Answer]
    looks: list[list[tuple[int, float]]]


def cues_of(items: Sequence[Item]) -> Cues:
    """Compute the clues and habits of all options, with hashed words."""
    asked, weight = _read(items)
    clues = scipy.sparse.csr_matrix(np.array([row for each in asked for row in _clues(each, weight)]))
    habits = [row for each in asked for row in _habits(each, weight)]
    columns, values = (np.array(list(chain.from_iterable(side))) for side in zip(*habits, strict=True))
    bounds = np.cumsum([0, *(len(row) for row, _ in habits)])
    table = scipy.sparse.csr_matrix((values, columns, bounds), shape=(len(habits), _COLUMNS))
    return Cues(clues, table, *_find_key_rows(items, asked))


class NamedCues(NamedTuple):
    """Features of questions with named columns, such as "option C"."""

    table: Any
    names: tuple[str, ...]
    kinds: tuple[CueKind, ...]
    sizes: Ints
    right: Ints

    def mark_kinds(self, *kinds: CueKind) -> NDArray[np.bool_]:
        """Mark the columns of these kinds."""
        return np.array([kind in kinds for kind in self.kinds])

    def take(self, places: Ints) -> NamedCues:
        """Return the features of some items, in the given order."""
        sizes, starts = self.sizes[places], (np.cumsum(self.sizes) - self.sizes)[places]
        first = np.cumsum(sizes) - sizes
        rows = np.repeat(starts - first, sizes) + np.arange(int(sizes.sum()))
        return self._replace(table=self.table[rows], sizes=sizes, right=self.right[places] - starts + first)


def named_cues(items: Sequence[Item], *, fewest: int = 3) -> NamedCues:
    """Compute all cues by name.

    A word or a pair of words is a cue if it distinguishes options in at least `fewest` items.

    >>> from snellen.items import Option
    >>> asked = Item("1", "Which side?", (Option("Left"), Option("Right")), 0)
    >>> cues = named_cues([asked] * 3)
    >>> [name for name, value in zip(cues.names, cues.table[0].toarray()[0]) if value > 0][-3:-1]
    ["the word 'left'", "'left' if the question contains 'side'"]
    """
    asked, weight = _read(items)
    sizes, right = _find_key_rows(items, asked)
    owner = np.repeat(np.arange(len(items)), sizes)
    plain = scipy.sparse.csr_matrix(np.array([row for each in asked for row in _named_rows(each, weight)]))
    words = [list(dict.fromkeys(answer.words))[:_MOST_NAMED_WORDS] for each in asked for answer in each.answers]
    questions = [[word for word in dict.fromkeys(each.question) if word != MARK] for each in asked]
    told = {word: number for number, word in enumerate(sorted({*chain(*words), *chain(*questions)}))}
    spelled = _restore_spelling(sorted(told), items)
    own = [np.array([told[word] for word in row], dtype=np.int64) for row in words]
    said = [np.array([told[word] for word in row[:_MOST_QUESTION_WORDS]], dtype=np.int64) for row in questions]
    crossed = [
        np.add.outer(row[:_MOST_OPTION_WORDS] * len(told), said[item]).ravel()
        for row, item in zip(own, owner, strict=True)
    ]
    one, one_table = _build_code_table(own, owner, sizes, fewest)
    two, two_table = _build_code_table(crossed, owner, sizes, fewest)
    single = [f"the word {spelled[code]!r}" for code in one]
    paired = [f"{spelled[code // len(told)]!r} if the question contains {spelled[code % len(told)]!r}" for code in two]
    kinds = (*_NAMED_KINDS, *[CueKind.WORD] * len(single), *[CueKind.PAIR] * len(paired))
    table = scipy.sparse.hstack([plain, one_table, two_table]).tocsr()
    return NamedCues(table, (*_NAMED, *single, *paired), kinds, sizes, right)


def _restore_spelling(words: Sequence[str], items: Sequence[Item]) -> list[str]:
    """Return words in their most frequent spelling, since they are compared without a final s."""
    texts = (text for item in items for text in (item.question, *(option.text for option in item.options)))
    counted = Counter(_LETTERS_ONLY.findall("\n".join(texts).casefold()))
    return [f"{word}s" if counted[f"{word}s"] > counted[word] else word for word in words]


def _build_code_table(codes: Sequence[Ints], owner: Ints, sizes: Ints, fewest: int) -> tuple[Ints, Any]:
    """Tabulate codes that distinguish options in enough items. An option's codes together weigh at most one."""
    lengths = np.array([len(row) for row in codes])
    rows, flat = np.repeat(np.arange(len(codes)), lengths), np.concatenate(codes)
    kinds, column = np.unique(flat, return_inverse=True)
    together, options = np.unique(owner[rows] * max(1, len(kinds)) + column, return_counts=True)
    item, of = np.divmod(together, max(1, len(kinds)))
    apart = np.bincount(of[options < sizes[item]], minlength=len(kinds)) >= fewest
    place = np.cumsum(apart) - 1
    kept = apart[column]
    values = 1 / np.sqrt(lengths[rows[kept]])
    shape = (len(codes), int(apart.sum()))
    return kinds[apart], scipy.sparse.csr_matrix((values, (rows[kept], place[column[kept]])), shape=shape)


def _named_rows(asked: _TextParts, weight: Weight) -> Iterator[list[float]]:
    last = max(answer.place for answer in asked.answers)
    odd = _odd_ones(asked.answers)
    clues = _clues(asked, weight)
    for answer, clue, habits, unlike in zip(asked.answers, clues, _plain_habits(asked, weight), odd, strict=True):
        places = [0.0] * (len(LETTERS) + 1)
        places[min(answer.place, len(LETTERS) - 1)] = 1.0
        places[-1] = float(answer.place == last)
        looks = [0.0] * (_OWN_WORDS - _LENGTHS)
        for column, value in habits:
            looks[column - _LENGTHS] = value
        yield [*clue, *places, *looks, *unlike]


def _odd_ones(answers: Sequence[_Answer]) -> Iterator[list[float]]:
    """Yield each option's similarity to the others, and its unique or uniquely missing forms."""
    words = [set(answer.words) for answer in answers]
    held = Counter(chain.from_iterable(words))
    others = len(answers) - 1
    alike = [sum(held[word] - 1 for word in own) / (len(own) * others) if own else 0.0 for own in words]
    forms = [[bool(form.search(answer.text)) for form in _FORMS] for answer in answers]
    counts = [sum(form) for form in zip(*forms, strict=True)]
    varied = max(alike) > min(alike)
    for likeness, own in zip(alike, forms, strict=True):
        only = [float(has and count == 1) for has, count in zip(own, counts, strict=True)]
        lacks = [float(not has and count == others > 1) for has, count in zip(own, counts, strict=True)]
        extremes = [float(varied and likeness == max(alike)), float(varied and likeness == min(alike))]
        yield [likeness, *extremes, *only, *lacks]


def _read(items: Sequence[Item]) -> tuple[list[_TextParts], Weight]:
    """Split items into text parts, and define a weight of words by their rarity."""
    answers = {options: _answers(item) for options, item in {each.options: each for each in items}.items()}
    looks = {options: _looks(each) for options, each in answers.items()}
    asked = [_TextParts(*_texts(item), answers[item.options], looks[item.options]) for item in items]
    held = Counter(chain.from_iterable({*each.context, *each.question} for each in asked))

    def weight(word: str) -> float:
        return log((len(items) + 1) / held.get(word, 1))

    return asked, weight


def _find_key_rows(items: Sequence[Item], asked: Sequence[_TextParts]) -> tuple[Ints, Ints]:
    sizes = np.array([len(each.answers) for each in asked])
    places = [[answer.place for answer in each.answers] for each in asked]
    keys = [row.index(int(item.answer or 0)) for row, item in zip(places, items, strict=True)]
    return sizes, np.cumsum(sizes) - sizes + np.array(keys)


def _texts(item: Item) -> tuple[Words, Words]:
    """Split the text into context and question. The first sentences of a question may be context."""
    before = _ASKS.split(item.question, maxsplit=1)
    start = max(before[0].rfind(end) for end in _ENDS) + 1 if len(before) > 1 else 0
    return tokens(f"{item.context}\n{item.question[:start]}"), tokens(item.question[start:])


def _answers(item: Item) -> list[_Answer]:
    read = [tuple(word for word in tokens(option.text) if word != MARK) for option in item.options]
    real = item.real_places
    shared = set(read[real[0]]).intersection(*(read[place] for place in real)) | _NEGATIONS
    telling = [tuple(word for word in words if word not in shared) for words in read]
    return [_Answer(place, item.options[place].text, read[place], telling[place]) for place in real]


def _signs(answers: Sequence[_Answer]) -> list[int]:
    """Return +1 for yes and −1 for no if an item offers both, otherwise zeros."""
    first = [answer.words[0] if answer.words else "" for answer in answers]
    signs = [int(word in _YES) - int(word in _NO) for word in first]
    return signs if {1, -1} <= set(signs) else [0] * len(signs)


def _clues(asked: _TextParts, weight: Weight) -> Iterator[Sequence[float]]:
    """Features of each option from the context. If options are yes and no, they use the question as well."""
    context, question, answers, _ = asked
    signs = _signs(answers)
    if any(signs):
        said, denied = _measure_overlap(context, question, weight)
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


def _measure_overlap(context: Words, question: Words, weight: Weight) -> tuple[float, bool]:
    """Return a question's largest share in one context clause, and if the clause is negated."""
    asked = set(question) - {MARK}
    # fsum does not depend on the order of the set, which differs from run to run
    whole = fsum(map(weight, asked)) or 1.0
    clauses = [set(clause.split()) for clause in " ".join(context).split(MARK)]
    return max((fsum(map(weight, asked & clause)) / whole, bool((clause - asked) & _NEGATIONS)) for clause in clauses)


class _OptionMention(NamedTuple):
    """Mention of an option in a text: share of words, whole, negated, in a clause of its own, last position."""

    share: float
    named: bool
    denied: bool
    alone: bool
    last: int


_UNMENTIONED = _OptionMention(0.0, named=False, denied=False, alone=False, last=-1)


def _mention(answer: _Answer, text: Words, weight: Weight) -> _OptionMention:
    words, held = answer.words, set(text)
    if held.isdisjoint(words):
        return _UNMENTIONED
    whole = sum(map(weight, answer.telling))
    share = sum(weight(word) for word in answer.telling if word in held) / whole if whole else 0.0
    starts = [
        start
        for start, word in enumerate(text)
        if words and word == words[0] and text[start : start + len(words)] == words
    ]
    said = any(not _is_negated(text[max(0, start - _REACH) : start]) for start in starts)
    framed = (MARK, *text, MARK)
    alone = any(framed[start] == framed[start + len(words) + 1] == MARK for start in starts)
    return _OptionMention(share, said, bool(starts) and not said, alone, max(starts, default=-1))


def _is_negated(before: Words) -> bool:
    """Return True if the clause just before an option negates it."""
    clause = before[::-1].index(MARK) if MARK in before else len(before)
    return not _NEGATIONS.isdisjoint(before[len(before) - clause :])


def _habits(asked: _TextParts, weight: Weight) -> Iterator[tuple[list[int], list[float]]]:
    """Features of an option's form, whatever the context states."""
    words = [word.encode() for word in asked.question if word != MARK][:_MOST_QUESTION_WORDS]
    for answer, plain in zip(asked.answers, _plain_habits(asked, weight), strict=True):
        own = [zlib.crc32(word.encode()) for word in answer.words[:_MOST_OPTION_WORDS]]
        crossed = [zlib.crc32(word, code) for code in own for word in words]
        columns, values = zip(*plain, strict=True)
        yield (
            [_PLACES + min(answer.place, _LAST_PLACE), *columns]
            + [_OWN_WORDS + code % (_CROSSED - _OWN_WORDS) for code in own]
            + [_CROSSED + code % (_COLUMNS - _CROSSED) for code in crossed],
            [1.0, *values, *_share_weight(own), *_share_weight(crossed)],
        )


def _plain_habits(asked: _TextParts, weight: Weight) -> Iterator[list[tuple[int, float]]]:
    """Columns with an option's length, its number, and how the question mentions it."""
    for answer, looks in zip(asked.answers, asked.looks, strict=True):
        mention = _mention(answer, asked.question, weight)
        yield looks + [(_ASKED + column, float(value)) for column, value in enumerate(mention[:3])]


def _looks(answers: Sequence[_Answer]) -> list[list[tuple[int, float]]]:
    lengths = [log1p(len(answer.text)) for answer in answers]
    numbers = [float(found.group()) for answer in answers if (found := _NUMBER.search(answer.text))]
    rows = []
    for at in range(len(answers)):
        row = [(_LENGTHS, lengths[at] - sum(lengths) / len(lengths))]
        row += [(_LENGTHS + 1, float(lengths[at] == max(lengths))), (_LENGTHS + 2, float(lengths[at] == min(lengths)))]
        if len(numbers) == len(answers):
            rank = sum(number < numbers[at] for number in numbers) / (len(numbers) - 1)
            row += [(_NUMBERS, rank), (_NUMBERS + 1, 1 - abs(2 * rank - 1))]
        rows.append(row)
    return rows


def _share_weight(codes: Sequence[int]) -> list[float]:
    """Weights of hashed words, so that many together count no more than one."""
    return [1 / sqrt(len(codes) or 1)] * len(codes)
