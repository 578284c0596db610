"""The words and pairs of words of a response."""

import numpy as np

from snellen.reading.wording.columns import read_terms, wordings


def test_pairs_do_not_reach_over_marks_or_from_thinking_to_text():
    """A pair is two words with nothing but space between them."""
    assert read_terms("left lung, clear").terms == ("clear", "left", "left lung", "lung")
    assert "one two" not in read_terms("two", "one").terms
    assert read_terms("").rule == "nothing"


def test_columns_keep_which_response_has_what():
    """Some of the responses keep their own terms."""
    read = {(0, 0): read_terms("a b"), (1, 0): read_terms(""), (2, 0): read_terms("b c")}
    made = wordings(read, {})
    kept = made.only(np.array([False, True, True]))
    assert kept.ends.tolist() == [0, 3]
    assert {made.terms[at] for at in kept.places.tolist()} == {"b", "c", "b c"}
    assert len(made) == 3
