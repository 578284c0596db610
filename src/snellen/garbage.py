"""Fewer garbage collections while many small records come and go."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 50_000
"""New objects between two collections; Python's own 700 is meant for far smaller heaps than a benchmark's items."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Collect less often, and leave alone what is there already, for the length of a block."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
