import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from snellen.reading.reports.metrics import Pair, metric_named
from snellen.reading.reports.metrics.rouge import longest_common

TEXT = st.text("ab cN.é0-\n", max_size=40) | st.lists(
    st.sampled_from(["No", "effusion.", "left", "LEFT", "is", "the", "0.5cm", "—"]), max_size=30
).map(" ".join)
NAMES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}


@given(TEXT, TEXT)
@example("Clear.", "Clear.")
@example("a b c a b", "b a b c a")
def test_rouge_has_the_values_of_the_package_rouge_score(generated, reference):
    """ROUGE-1, ROUGE-2 and ROUGE-L without stemming are those of rouge-score, to the last digits."""
    theirs = RougeScorer(list(NAMES.values())).score(reference, generated)
    for ours, name in NAMES.items():
        value = metric_named(ours).score([Pair(generated, reference)])[0]
        if any(map(str.isalnum, generated)) and any(map(str.isalnum, reference)):
            np.testing.assert_allclose(value, theirs[name].fmeasure, atol=1e-15)
        else:
            assert np.isnan(value)


@given(*[st.lists(st.sampled_from("abcd"), max_size=70)] * 2)
def test_the_longest_common_subsequence_is_that_of_the_textbook(first, second):
    """Whole numbers with a bit a word give what the table of all prefixes gives."""
    row = [0] * (len(second) + 1)
    for word in first:
        before = row[:]
        for place, other in enumerate(second):
            row[place + 1] = before[place] + 1 if word == other else max(before[place + 1], row[place])
    assert longest_common(first, second) == row[-1]


def test_a_report_of_twenty_thousand_words_is_scored():
    """Long reports take whole numbers of many bits, and no recursion."""
    words = [f"w{place % 977}" for place in range(20_000)]
    assert metric_named("rouge-l").score([Pair(" ".join(words), " ".join(words[::2]))])[0] == 2 / 3
