"""BLEU by sacrebleu: of each pair (its sentence-level form), and of all pairs at once from summed counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from snellen.errors import MissingExtraError
from snellen.reading.reports.metrics.metric import Corpus, Floats, Metric, Pair, each, has_words, prose

ORDER = 4
SETTINGS = {"lowercase": True, "tokenize": "13a", "smooth_method": "exp"}
SIGNATURE, OF_ALL = (f"nrefs:1|case:lc|eff:{effective}|tok:13a|smooth:exp" for effective in ("yes", "no"))
"""What sacrebleu prints of these settings, but its version: of one pair, and of all pairs at once."""
_PACKAGE, _EXTRA = "sacrebleu", "reports"


@cache
def _scorer() -> Any:
    try:
        from sacrebleu.metrics import BLEU as SACREBLEU
    except ModuleNotFoundError as error:
        raise MissingExtraError(_PACKAGE, _EXTRA) from error
    return SACREBLEU(effective_order=True, **SETTINGS)


@lru_cache(maxsize=10_000)
def _scored(pair: Pair) -> tuple[float, tuple[float, ...]]:
    """The value of a pair and what corpus BLEU adds up; both are asked for, one after the other."""
    text = prose(pair)
    if not has_words(text):
        return np.nan, (0.0,) * (2 + 2 * ORDER)
    one = _scorer().sentence_score(text.generated, [text.reference])
    # sacrebleu gives 100.00000000000004 for reports that are the same
    return min(1.0, one.score / 100), (one.sys_len, one.ref_len, *one.counts, *one.totals)


def bleu(pair: Pair) -> float:
    """BLEU of one pair between 0 and 1; in a report of fewer than four words, only runs of words that it can have."""
    return _scored(pair)[0]


def counts(pairs: Sequence[Pair]) -> Floats:
    """Of each pair, what corpus BLEU adds up: length, length of the reference, matching and all runs of 1 to 4 words.

    A pair without a word on one side counts for nothing.
    """
    rows = [_scored(pair)[1] for pair in pairs]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2 + 2 * ORDER)


def corpus_bleu(summed: Floats) -> Floats:
    """BLEU between 0 and 1 from summed counts; where no run of some length matches, smoothed as sacrebleu does.

    The last axis has the counts, so that many resamples are computed at once.

    >>> corpus_bleu(np.array([4.0, 4, 4, 3, 2, 1, 4, 3, 2, 1]))
    array(1.)
    """
    lengths, matched, total = summed[..., :2], summed[..., 2 : 2 + ORDER], summed[..., 2 + ORDER :]
    none = (matched == 0) & (total > 0)
    halved = 0.5 ** np.cumsum(none, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(none, halved, matched) / total
        brevity = np.exp(np.minimum(0.0, 1 - lengths[..., 1] / lengths[..., 0]))
        value = brevity * np.exp(np.log(precision).mean(axis=-1))
    return np.asarray(np.where(matched.any(axis=-1) & (total > 0).all(axis=-1), value, 0.0))


def _missing() -> str:
    return "" if find_spec(_PACKAGE) else str(MissingExtraError(_PACKAGE, _EXTRA))


BLEU = Metric(
    name="bleu",
    title="BLEU",
    about=(
        "Runs of one to four words in common, with a penalty for reports that are shorter than the reference, between "
        f"0 and 1. Sentence-level BLEU of each pair (sacrebleu {SIGNATURE}); corpus BLEU counts the runs of all "
        f"pairs together ({OF_ALL})."
    ),
    source="Papineni 2002; the package sacrebleu (Post 2018)",
    needs=f"The package {_PACKAGE}: pip install 'snellen[{_EXTRA}]'",
    score=each(bleu),
    lacks=_missing,
    corpus=Corpus("corpus BLEU", lambda pairs, _: counts(pairs), corpus_bleu),
)
