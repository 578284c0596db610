"""How much of a stored study is there: the responses that it asks for, and those that came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.plan import epochs_asked, limit_asked
from snellen.store import Store


class Completeness(NamedTuple):
    """How many responses a study has, and how many it asks for; conditions that do not apply to an item ask none."""

    stored: int
    wanted: int


def completeness(store: Store, study: Mapping[str, Any]) -> Completeness:
    """What there is of a study, counted without reading a response."""
    stored = wanted = 0
    for benchmark, digests in study["arms"].items():
        items = store.count_items(study["benchmarks"][benchmark])
        asked = min(items, limit_asked(study, benchmark) or items)
        epochs = epochs_asked(study, benchmark)
        for digest in digests.values():
            inapplicable = sum(at < asked for at in store.inapplicable_under(digest))
            for model, revision in study["models"]:
                cells = store.answered_under(digest, model, revision)
                # How often imported questions should have been asked, nobody said: as often as any of them was.
                runs = len(np.unique(cells[:, 1])) if epochs is None else epochs
                within = (cells[:, 0] < asked) & ((cells[:, 1] < runs) | (epochs is None))
                stored += int(within.sum())
                wanted += (asked - inapplicable) * runs
    return Completeness(stored, wanted)
