"""Random keys: how often a rule would be right if keys were random.

The keys of all items of a group (a patient, an image) move on by the same number of options. So copies of one question
count as one, and independent items stay independent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import erfc, sqrt

import numpy as np

from snellen.items import Item
from snellen.stats.permutation import drawn_p
from snellen.tools.audit.audited import Floats, Ints, groups_of
from snellen.tools.audit.finding import Severity

DRAWS = 9_999
FEW_ITEMS = 20
FEW_GROUPS = 6
"""Minimum number of groups to judge a habit of the whole benchmark."""
_MANY_GROUPS = 2_000
"""From this many groups on, the sum over groups is close to normal."""
_CELLS = 1_000_000


def too_few(items: int, groups: int) -> str | None:
    """Explain why items are too few to show a habit; None if they suffice."""
    if items < FEW_ITEMS:
        one = "there is one of them" if items == 1 else f"there are {items} of them"
        return f"{one}, and distinguishing a habit from chance needs {FEW_ITEMS}"
    if groups < FEW_GROUPS:
        one = "one patient or image" if groups == 1 else f"{groups} patients or images"
        return f"they have {one}, and distinguishing a habit from chance needs {FEW_GROUPS}"
    return None


def severity_of(share: float, chance: float) -> Severity:
    """Grade how much a rule matters by the share that it has right.

    High from halfway between chance and 1; low if less than five points from chance.

    >>> severity_of(0.6, 0.2).value, severity_of(0.26, 0.2).value, severity_of(0.23, 0.2).value
    ('high', 'medium', 'low')
    """
    if share >= (1 + chance) / 2:
        return Severity.HIGH
    return Severity.MEDIUM if abs(share - chance) >= 0.05 else Severity.LOW


def credit_p(earned: Sequence[Sequence[float]], keys: Sequence[int], groups: Ints, *, seed: int = 0) -> float:
    """Test a rule's credit against keys dealt at random (two-sided p).

    `earned` has, for each item, the rule's credit if each of its options were right, in an order that does not depend
    on the key; `keys` has the place of the right one.

    >>> credit_p([[1, 0]] * 8, [0] * 8, np.arange(8)) < 0.02
    True
    """
    tables = _by_group(earned, keys, groups)
    expected = sum(float(table.mean()) for table in tables)
    spread = sum(float(table.var()) for table in tables)
    away = abs(sum(float(table[0]) for table in tables) - expected)
    if spread == 0:
        return 1.0
    if len(tables) > _MANY_GROUPS:
        return float(erfc(away / sqrt(2 * spread)))
    sizes = np.array([table.size for table in tables])
    padded = np.array([np.resize(table, sizes.max()) for table in tables])
    rng, rows = np.random.default_rng(seed), max(1, _CELLS // sizes.size)
    drawn = np.zeros(DRAWS)
    for start in range(0, DRAWS, rows):  # many draws at once, as far as memory allows
        moves = (rng.random((min(rows, DRAWS - start), sizes.size)) * sizes).astype(np.int64)
        drawn[start : start + rows] = padded[np.arange(sizes.size), moves].sum(axis=1)
    return drawn_p(int(np.sum(np.abs(drawn - expected) >= away - 1e-9)), DRAWS).p


def _by_group(earned: Sequence[Sequence[float]], keys: Sequence[int], groups: Ints) -> list[Floats]:
    """Sum each group's credit for keys moved by 0, 1, 2… options."""
    tables: dict[tuple[int, int], Floats] = {}
    for credit, key, group in zip(earned, keys, groups, strict=True):
        at = (int(group), len(credit))
        moved = np.roll(np.asarray(credit, dtype=np.float64), -key)
        tables[at] = tables[at] + moved if at in tables else moved
    return sorted((np.round(table, 9) for table in tables.values()), key=lambda table: (table.size, *table))


def uneven_p(labels: Sequence[int], kinds: int, groups: Ints, *, seed: int = 0) -> float:
    """Test whether labels of `kinds` kinds are spread unevenly (permuted Pearson's χ²).

    >>> uneven_p([0] * 30 + [1] * 10, 2, np.arange(40)) < 0.01
    True
    """
    counts = np.zeros((int(groups.max()) + 1, kinds), dtype=np.int64)
    np.add.at(counts, (groups, np.asarray(labels)), 1)
    total, rng = counts.sum(axis=0), np.random.default_rng(seed)
    sums = np.zeros((DRAWS, kinds), dtype=np.int64)
    # A row stands for all its turns: by the greatest of them.
    turned = (max(tuple(row[turn:] + row[:turn]) for turn in range(kinds)) for row in counts.tolist())
    for row, times in sorted(Counter(turned).items()):
        turns = rng.multinomial(times, [1 / kinds] * kinds, size=DRAWS)
        for turn in range(kinds):
            sums += turns[:, turn, None] * np.roll(np.array(row), turn)
    even = total.sum() / kinds
    seen = float(((total - even) ** 2).sum())
    return drawn_p(int(np.sum(((sums - even) ** 2).sum(axis=1) >= seen - 1e-9)), DRAWS).p


def by_content(items: Sequence[Item]) -> list[int]:
    """Order the items by the content of their groups, whatever their order and ids."""
    groups = groups_of(items).tolist()
    said = [_content(item) for item in items]
    of_group: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for group, each in sorted(zip(groups, said, strict=True)):
        of_group[group].append(each)
    return sorted(range(len(items)), key=lambda place: (said[place], of_group[groups[place]]))


def _content(item: Item) -> tuple[str, ...]:
    return item.question, item.context, str(item.answer), *(option.text for option in item.options)
