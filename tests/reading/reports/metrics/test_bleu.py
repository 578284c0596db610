import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from snellen.errors import MissingExtraError
from snellen.reading.reports.metrics import Pair, bleu, metric_named

WORDS = st.lists(st.sampled_from(["no", "left", "effusion", "is", "seen", "heart"]), min_size=1, max_size=12)
PAIR = st.builds(Pair, WORDS.map(" ".join), WORDS.map(" ".join))


@given(st.lists(PAIR, min_size=1, max_size=6))
def test_bleu_is_that_of_sacrebleu(pairs):
    """Sentence BLEU of a pair and corpus BLEU from summed counts are sacrebleu's, between 0 and 1."""
    theirs = BLEU(**bleu.SETTINGS, effective_order=True)
    expected = [theirs.sentence_score(pair.generated, [pair.reference]).score / 100 for pair in pairs]
    np.testing.assert_allclose(metric_named("bleu").score(pairs), expected)
    generated, references = zip(*pairs, strict=True)
    at_once = BLEU(**bleu.SETTINGS).corpus_score(list(generated), [list(references)]).score / 100
    np.testing.assert_allclose(bleu.corpus_bleu(bleu.counts(pairs).sum(axis=0)), at_once)


def test_many_sums_at_once_are_each_by_itself():
    """Corpus BLEU of a table of sums, as a bootstrap has them, is that of every row."""
    counts = bleu.counts([Pair("a b c d e", "a b c d"), Pair("a c", "a b c"), Pair("x", "y"), Pair("b c d e", "b c d")])
    sums = np.cumsum(counts, axis=0)
    np.testing.assert_array_equal(bleu.corpus_bleu(sums), [bleu.corpus_bleu(row) for row in sums])


def test_a_pair_without_words_has_no_bleu_and_adds_nothing():
    """An empty report is not 0: it has no value, and corpus BLEU does not count it."""
    pairs = [Pair("", "No effusion."), Pair("No effusion.", " \n"), Pair("No effusion.", "No effusion.")]
    np.testing.assert_array_equal(metric_named("bleu").score(pairs), [np.nan, np.nan, 1.0])
    assert (bleu.counts(pairs)[:2] == 0).all()


def test_the_signature_is_what_sacrebleu_prints():
    """The settings stand in words in `about`, as sacrebleu writes them."""
    for signature, settings in ((bleu.SIGNATURE, {"effective_order": True}), (bleu.OF_ALL, {})):
        scorer = BLEU(**bleu.SETTINGS, **settings)
        scorer.corpus_score(["a"], [["a"]])
        assert str(scorer.get_signature()).startswith(f"{signature}|version:")
        assert signature in metric_named("bleu").about


def test_bleu_without_sacrebleu_names_the_install_line(monkeypatch):
    """Where sacrebleu is missing, the error and the list say how to install it."""
    monkeypatch.setattr(bleu, "find_spec", lambda name: None)
    assert metric_named("bleu").missing().endswith("pip install 'snellen[reports]'")
    bleu._scorer.cache_clear()
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[reports\]"):
        metric_named("bleu").score([Pair("a", "a")])
