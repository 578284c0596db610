"""BLEU by sacrebleu, per pair (sentence level) and for all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from snellen.errors import MissingExtraError
from snellen.reading.reports.metrics.metric import Corpus, Floats, Metric, Pair, has_words, prose, score_each

ORDER = 4
SETTINGS = {"lowercase": True, "tokenize": "13a", "smooth_method": "exp"}
SIGNATURE, OF_ALL = (f"nrefs:1|case:lc|eff:{effective}|tok:13a|smooth:exp" for effective in ("yes", "no"))
"""Signatures that sacrebleu prints for these settings, without its version: for one pair, and for all pairs."""
_PACKAGE, _EXTRA = "sacrebleu", "reports"


@cache
def _scorer() -> Any:
    try:
        from sacrebleu.metrics import BLEU as SACREBLEU
    except ModuleNotFoundError as error:
        raise MissingExtraError(_PACKAGE, _EXTRA) from error
    return SACREBLEU(effective_order=True, **SETTINGS)


@lru_cache(maxsize=10_000)
def _score_pair(pair: Pair) -> tuple[float, tuple[float, ...]]:
    """Return the BLEU of a pair and its counts for corpus BLEU. Cached, because both are needed."""
    text = prose(pair)
    if not has_words(text):
        return np.nan, (0.0,) * (2 + 2 * ORDER)
    one = _scorer().sentence_score(text.generated, [text.reference])
    # sacrebleu returns 100.00000000000004 for identical reports
    return min(1.0, one.score / 100), (one.sys_len, one.ref_len, *one.counts, *one.totals)


def bleu(pair: Pair) -> float:
    """Return BLEU of one pair, from 0 to 1. A report under four words uses only the n-grams that it can have."""
    return _score_pair(pair)[0]


def counts(pairs: Sequence[Pair]) -> Floats:
    """Return the counts of each pair for corpus BLEU.

    A row has the length, the reference's length, matching n-grams and all n-grams for n = 1 to 4. If one side has no
    words, the row is 0.
    """
    rows = [_score_pair(pair)[1] for pair in pairs]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2 + 2 * ORDER)


def corpus_bleu(summed: Floats) -> Floats:
    """Return BLEU from 0 to 1 from summed counts. Precisions without a match are smoothed as in sacrebleu.

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
    score=score_each(bleu),
    lacks=_missing,
    corpus=Corpus("corpus BLEU", lambda pairs, _: counts(pairs), corpus_bleu),
)
