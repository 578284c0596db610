"""ROUGE: common words, word pairs or subsequences of a report and its reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from snellen.reading.reports.metrics.metric import Metric, Pair, prose, score_each
from snellen.runtime import regex

_WORD = regex(r"[a-z0-9]+")
_SOURCE = "Lin 2004; our own implementation, the same values as the package rouge-score 0.1.2"
_HOW = "F1 between 0 and 1. Words are runs of a–z and 0–9 in lower case, without stemming."


def words_of(text: str) -> list[str]:
    """Return the words that ROUGE counts.

    >>> words_of("Heart size: normal (CTR 0.45).")
    ['heart', 'size', 'normal', 'ctr', '0', '45']
    """
    return _WORD.findall(text.lower())


def longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of words.

    The first text is one integer with one bit per word. So each word of the second text needs only a few operations,
    regardless of the length of the first (Hyyrö 2004).

    >>> longest_common("no effusion or edema".split(), "no edema or effusion".split())
    2
    """
    if not first or not second:
        return 0
    places: dict[str, int] = {}
    for place, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(first)) - 1
    rows = full
    for word in second:
        if at := places.get(word, 0):
            matched = rows & at
            rows = ((rows + matched) | (rows - matched)) & full
    return len(first) - rows.bit_count()


def rouge_l(pair: Pair) -> float:
    """Return F1 of the longest common subsequence of words.

    >>> rouge_l(Pair("No edema", "No edema or effusion"))
    0.6666666666666666
    """
    generated, reference = map(words_of, pair)
    return _f1(longest_common(reference, generated), len(generated), len(reference))


def rouge_n(pair: Pair, n: int) -> float:
    """Return F1 of the common n-grams. Each counts as often as it occurs in both.

    >>> rouge_n(Pair("No edema", "No edema or effusion"), 2)
    0.5
    """
    generated, reference = (Counter(_runs(words_of(text), n)) for text in pair)
    return _f1((generated & reference).total(), generated.total(), reference.total())


def _runs(words: list[str], n: int) -> zip[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(n)), strict=False)


def _f1(common: int, generated: int, reference: int) -> float:
    return 2 * common / (generated + reference) if common else 0.0


def _make_metric(name: str, title: str, counted: str, value: Callable[[Pair], float]) -> Metric:
    return Metric(name=name, title=title, about=f"{counted}: {_HOW}", source=_SOURCE, score=score_each(value, prose))


ROUGE_L = _make_metric("rouge-l", "ROUGE-L", "The longest common subsequence of words", rouge_l)
ROUGE_1 = _make_metric("rouge-1", "ROUGE-1", "Words in common", partial(rouge_n, n=1))
ROUGE_2 = _make_metric("rouge-2", "ROUGE-2", "Pairs of neighbouring words in common", partial(rouge_n, n=2))
