"""Invented details (the Mirage paper): what mirages state of persons, documents and things that nobody sent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from snellen.reading.invented.columns import Inventions
from snellen.reading.invented.parser import DETAIL_KINDS, IDENTIFYING, DetailKind
from snellen.stress.base import Kind, Measure, Unit, by_name
from snellen.stress.measures import share
from snellen.stress.table import Table

IDENTIFIERS = "invented_identifier_rate"


def rate_named(kind: DetailKind) -> str:
    """The measure of one kind of detail.

    >>> rate_named(DetailKind.DATE)
    'invented_date_rate'
    """
    return f"invented_{kind}_rate"


_IDENTIFYING = ", ".join(words for kind, words in DETAIL_KINDS.items() if kind in IDENTIFYING)
KINDS = by_name(
    Kind(
        IDENTIFIERS,
        f"describes the image with invented identifiers ({_IDENTIFYING})",
        Unit.SHARE,
        parser="invented",
    ),
    *(
        Kind(rate_named(kind), f"describes the image with invented {words}", Unit.SHARE, parser="invented")
        for kind, words in DETAIL_KINDS.items()
    ),
)


def invented_measures(
    arm: str, table: Table, describes: NDArray[np.bool_], *, among: NDArray[np.bool_]
) -> Iterator[Measure]:
    """The share of responses that describe an image and state such details, of those that say something."""
    found = table.arms[arm].of(Inventions)
    if found is None or not among.any():
        return
    yield Measure(arm, KINDS[IDENTIFIERS], share(table, table.rate(arm, describes & found.identifying, among=among)))
    for kind in DETAIL_KINDS:
        rate = table.rate(arm, describes & found.of(kind), among=among)
        yield Measure(arm, KINDS[rate_named(kind)], share(table, rate))
