"""Matrix of the models' answers to the items of an audited benchmark."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.items import LETTERS, Item
from snellen.runtime import counted
from snellen.tools.audit.audited import Audited, groups_of, right_place

Ints = NDArray[np.int64]


class AnswerMatrix(NamedTuple):
    """What each model chose. Options that mean "I do not know" are none: choosing one is no answer (−1)."""

    items: tuple[Item, ...]
    models: tuple[str, ...]
    vectors: int
    """How many response vectors there are: runs of models."""
    chosen: Ints
    """A row for each model: the place among the options that are real answers."""
    options: Ints
    key: Ints
    groups: Ints

    @property
    def right(self) -> NDArray[np.float64]:
        """1 if a model is right, 0 if it is wrong, NaN without an answer."""
        return np.where(self.chosen < 0, np.nan, (self.chosen == self.key).astype(np.float64))

    def letter(self, item: int, option: int) -> str:
        """The letter of an option as the item shows it."""
        from_a = self.items[item].real_places[option]
        return LETTERS[from_a] if from_a < len(LETTERS) else f"option {from_a + 1}"

    @property
    def whose(self) -> str:
        """The models in words: "8 models (24 runs)"."""
        models = counted(len(self.models), "model")
        return models if self.vectors == len(self.models) else f"{models} ({counted(self.vectors, 'run')})"


def collect_answered(audited: Audited) -> AnswerMatrix | None:
    """Keep the items that some model answered; None if there are none."""
    if audited.answers is None or not audited.choices:
        return None
    by_model = audited.answers.by_model()
    whole = by_model.select_items(audited.choices)
    models, columns = np.flatnonzero((whole >= 0).any(axis=1)), np.flatnonzero((whole >= 0).any(axis=0))
    if not models.size:
        return None
    items = tuple(audited.choices[at] for at in columns)
    chosen = whole[np.ix_(models, columns)]
    key = np.empty(len(items), dtype=np.int64)
    options = np.empty(len(items), dtype=np.int64)
    for at, item in enumerate(items):
        real = item.real_places
        place = np.full(len(item.options) + 1, -1, dtype=np.int64)
        place[real] = np.arange(len(real))
        chosen[:, at], key[at], options[at] = place[chosen[:, at]], real.index(right_place(item)), len(real)
    names = tuple(by_model.vectors[at] for at in models)
    given = audited.answers
    vectors = sum(name in names for name in given.models or given.vectors)
    return AnswerMatrix(items, names, vectors, chosen, options, key, groups_of(items))
