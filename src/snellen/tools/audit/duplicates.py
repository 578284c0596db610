"""Duplicates: items that say the same, or nearly so, about the same image.

Two texts are near-duplicates if they have at least `NEAR` of their pairs of neighbouring words in common (Jaccard
index). The index is computed for every candidate pair. Candidates are found by prefix filtering, which misses none: if
the pairs of words are sorted by rarity, two such texts share one of their first. In many texts made from templates no
word is rare, and prefix filtering is slow; then MinHash (rensa) finds the candidates.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from snellen.errors import SnellenError
from snellen.items import Item
from snellen.perturb.words import SIGN, simplify_text

Ints = NDArray[np.int64]

NEAR = 0.8
"""Minimum Jaccard index of the word pairs of near-duplicates."""
EXTRA = "audit"
_MOST_NAMED = 20
_MOST_CANDIDATES = 4_000_000
"""Maximum number of candidate pairs that prefix filtering may find."""
_HASHES, _BANDS = 256, 32
"""Hashes and bands of MinHash. Of pairs with index 0.8, one in 400 is missed: (1 − 0.8⁸)³²."""
_PAIRS_AT_ONCE = 100_000
_WORD = re.compile(rf"{SIGN.pattern}|(?:(?!{SIGN.pattern})[^\W_])+")


_ARTICLES = frozenset(("a", "an", "the", "any"))


def plain_words(text: str) -> list[str]:
    """Split a text into lower-case words without accents; each Chinese sign is a word.

    >>> plain_words("Is the Œdema left-sided? 肺炎")
    ['is', 'the', 'oedema', 'left', 'sided', '肺', '炎']
    """
    return _WORD.findall(simplify_text(text))


@dataclass(frozen=True)
class ItemWords:
    """Wording of an item: its words, sorted options, and images."""

    question: tuple[str, ...]
    context: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    shows: frozenset[str]

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Question, context and options as runs of words. No word pair spans two of them."""
        return self.question, self.context, *self.options


def wording(item: Item) -> ItemWords:
    """Return the wording of an item, whatever its spelling, punctuation, articles and option order."""
    return ItemWords(
        _telling(item.question),
        _telling(item.context),
        tuple(sorted(_telling(option.text) for option in item.options)),
        identify_images(item),
    )


@lru_cache(maxsize=2**15)
def _telling(text: str) -> tuple[str, ...]:
    """Drop the articles of a text, unless it has no other words."""
    words = plain_words(text)
    return tuple(word for word in words if word not in _ARTICLES) or tuple(words) or (text.strip(),)


def identify_images(item: Item) -> frozenset[str]:
    """Identify the images that an item shows; an unreadable one equals no other."""
    found = set()
    for place, image in enumerate(item.images):
        try:
            found.add(image.fingerprint)
        except (SnellenError, OSError):
            found.add(f"unreadable {item.id} {place}")
    return frozenset(found)


Method = Literal["exact", "minhash", "part"]
"""Completeness of the pairs: all of them, nearly all, or only those found first."""


class Alike(NamedTuple):
    """Two texts by place, and the share of word pairs that both have."""

    one: int
    other: int
    share: float


@dataclass(frozen=True)
class Duplicates:
    """Items that say the same about the same image, and pairs that nearly do."""

    wordings: tuple[ItemWords, ...]
    same: tuple[tuple[int, ...], ...]
    near: tuple[Alike, ...]
    """Pairs of near-duplicates. Of items that say the same, only the first is in a pair."""
    method: Method


def duplicates(items: Sequence[Item], *, near: float = NEAR) -> Duplicates:
    """Find the duplicates among items that show the same images or no image."""
    wordings = tuple(wording(item) for item in items)
    lists: dict[ItemWords, list[int]] = defaultdict(list)
    for place, each in enumerate(wordings):
        lists[each].append(place)
    number = {each: count for count, each in enumerate({each.shows: None for each in lists})}
    found, method = near_duplicates([each.parts for each in lists], [number[each.shows] for each in lists], near=near)
    firsts = [places[0] for places in lists.values()]
    tasks = [items[place].metadata.get("task") for place in firsts]  # one case is asked about in several tasks
    pairs = tuple(
        sorted(Alike(firsts[one], firsts[other], share) for one, other, share in found if tasks[one] == tasks[other])
    )
    return Duplicates(wordings, tuple(tuple(each) for each in lists.values() if len(each) > 1), pairs, method)


def named_beside(items: Sequence[Item], places: Sequence[int], at: int) -> tuple[str, ...]:
    """Return the ids of the items at places other than `at`, twenty at most."""
    return tuple(items[to].id for to in islice((to for to in places if to != at), _MOST_NAMED))


def near_duplicates(
    texts: Sequence[Sequence[Sequence[str]]], blocks: Sequence[int] | None = None, *, near: float = NEAR
) -> tuple[list[Alike], Method]:
    """Find the pairs of texts in a block whose Jaccard index reaches `near`.

    A text is a list of runs of words. Compared are the pairs of neighbouring words in a run; its two ends count as
    words.

    >>> near_duplicates([[["is", "it", "a", "cyst"]], [["is", "it", "a", "cyst"], ["no"]], [["why"]]], near=0.7)
    ([Alike(one=0, other=1, share=0.7142857142857143)], 'exact')
    """
    table = _table(texts, blocks)
    candidates, method = _candidates(table, near)
    if method == "part" and (hashed := _by_minhash(table)) is not None:
        candidates, method = hashed, "minhash"
    found: list[Alike] = []
    for start in range(0, len(candidates), _PAIRS_AT_ONCE):
        one, other = candidates[start : start + _PAIRS_AT_ONCE].T
        common = np.asarray(table[one].multiply(table[other]).sum(axis=1)).ravel()
        sizes = np.diff(table.indptr)
        share = common / (sizes[one] + sizes[other] - common)
        found += [Alike(int(one[at]), int(other[at]), float(share[at])) for at in np.flatnonzero(share >= near - 1e-12)]
    return found, method


def _by_minhash(table: csr_array) -> Ints | None:
    """Find candidate pairs by MinHash; None if the package is not installed."""
    try:
        from rensa import RMinHash, RMinHashLSH
    except ImportError:
        return None
    index = RMinHashLSH(threshold=NEAR, num_perm=_HASHES, num_bands=_BANDS)
    kept: list[Ints] = []
    for row, (start, end) in enumerate(pairwise(table.indptr.tolist())):
        each = RMinHash(num_perm=_HASHES, seed=1)
        each.update(list(map(str, table.indices[start:end].tolist())))
        before = np.array(index.query(each), dtype=np.int64)
        kept.append(before * table.shape[0] + row)
        index.insert(row, each)
    both = _distinct(np.concatenate(kept))
    return np.column_stack(np.divmod(both, table.shape[0]))


def _table(texts: Sequence[Sequence[Sequence[str]]], blocks: Sequence[int] | None) -> csr_array:
    """Make a matrix of texts and their word pairs, the rarest first."""
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    flat: list[int] = []
    lengths: list[int] = []
    for runs in texts:
        before = len(flat)
        for place, run in enumerate(runs):
            if run:  # the end of a run, told apart by what it is a run of, is the beginning of the next
                end = -1 - min(place, 2)
                flat.append(end)
                flat.extend(map(number.__getitem__, run))
                flat.append(end)
        lengths.append(len(flat) - before)
    words = np.array(flat, dtype=np.int64) + 3
    owners = np.repeat(np.arange(len(texts)), lengths)
    inside = (owners[1:] == owners[:-1]) & ((words[1:] > 2) | (words[:-1] > 2))
    codes = words[:-1][inside] * (len(number) + 3) + words[1:][inside]
    owners = owners[:-1][inside]
    _, codes = np.unique(codes, return_inverse=True)
    if blocks is not None and codes.size:
        _, codes = np.unique(np.asarray(blocks)[owners] * (int(codes.max()) + 1) + codes, return_inverse=True)
    kinds = int(codes.max(initial=-1)) + 1
    single = _distinct(owners * max(kinds, 1) + codes)
    owners, codes = np.divmod(single, max(kinds, 1))
    rarity = np.empty(kinds, dtype=np.int64)
    rarity[np.argsort(np.bincount(codes, minlength=kinds), kind="stable")] = np.arange(kinds)
    columns = rarity[codes]
    order = np.lexsort((columns, owners))
    starts = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=len(texts)))))
    return csr_array((np.ones(single.size, dtype=np.int32), columns[order], starts), shape=(len(texts), kinds))


def _candidates(table: csr_array, near: float) -> tuple[Ints, Method]:
    """Pair the rows of similar size that share one of their rarest columns."""
    sizes = np.diff(table.indptr).astype(np.int64)
    owners = np.repeat(np.arange(sizes.size), sizes)
    rank = np.arange(owners.size) - table.indptr[:-1][owners]
    prefix = rank <= sizes[owners] - np.ceil(near * sizes[owners] - 1e-9)
    columns, owners = table.indices[prefix].astype(np.int64), owners[prefix]
    order = np.lexsort((owners, sizes[owners], columns))
    columns, owners = columns[order], owners[order]
    firsts = np.arange(columns.size)
    kept, fresh = np.zeros(0, dtype=np.int64), [np.zeros(0, dtype=np.int64)]
    for lag in range(1, columns.size):
        firsts = firsts[firsts + lag < columns.size]
        together = columns[firsts] == columns[firsts + lag]
        together &= sizes[owners[firsts]] >= near * sizes[owners[firsts + lag]] - 1e-9
        firsts = firsts[together]
        if not firsts.size or kept.size > _MOST_CANDIDATES:
            break
        pairs = np.sort(np.column_stack((owners[firsts], owners[firsts + lag])), axis=1)
        fresh.append(pairs[:, 0] * sizes.size + pairs[:, 1])
        if sum(each.size for each in fresh) > max(kept.size, 10 * _PAIRS_AT_ONCE):
            kept, fresh = _distinct(np.concatenate((kept, *fresh))), []
    kept = _distinct(np.concatenate((kept, *fresh)))
    pairs = np.column_stack(np.divmod(kept, max(sizes.size, 1)))
    return pairs, "exact" if kept.size <= _MOST_CANDIDATES else "part"


def _distinct(codes: Ints) -> Ints:
    """Sort the codes and drop repeats; four times faster than NumPy's `unique` here."""
    ordered = np.sort(codes)
    return np.asarray(ordered[np.diff(ordered, prepend=-1) != 0])
