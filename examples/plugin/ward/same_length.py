"""A metric of reports: how nearly two reports are of one length."""

from collections.abc import Sequence

import numpy as np

from snellen.reading.reports.metrics import Floats, Metric, Pair


def score(pairs: Sequence[Pair]) -> Floats:
    """The shorter length over the longer one, and NaN if a report has no word."""
    lengths = np.array([[len(text.split()) for text in pair] for pair in pairs], dtype=np.float64).reshape(-1, 2)
    lengths[(lengths == 0).any(axis=1)] = np.nan
    return np.asarray(lengths.min(axis=1) / lengths.max(axis=1))


SAME_LENGTH = Metric(
    name="same-length",
    title="Same length",
    about="The number of words of the shorter report over that of the longer one.",
    source="The ward's own",
    score=score,
)
