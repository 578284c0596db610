"""Open answers read with embeddings: only where words decide nothing."""

from __future__ import annotations

import numpy as np
import pytest

from rows import take_rows
from snellen.items import Item
from snellen.reading.open.embedded import read_open_embedded, reread
from snellen.reading.open.reading import read_open
from snellen.reading.outcomes import OpenGrade

ITEM = Item(id="o/1", question="What is the name of the lesion?", kind="open", answer="splenule")


def embed_as(cosine):
    """Embeddings in which any two different texts have this cosine."""
    return lambda text: np.array([1.0, 0.0]) if text == ITEM.answer else np.array([cosine, (1 - cosine**2) ** 0.5])


@take_rows("cosine, grade, rule")
def test_the_likeness_decides_where_no_word_is_shared(cosine, grade, rule):
    """Alike is correct, near is unclear, and anything else stays incorrect."""
    found = reread(read_open("the lentil-shaped thing", ITEM), ITEM, embed=embed_as(cosine))
    assert (found.grade, found.rule) == (grade, rule)


@pytest.mark.parametrize("text", ["splenule", "no splenule", "splenule or cyst", "I cannot see the image.", "", "脾脏"])
def test_what_words_decide_stays(text):
    """A match, a denial, alternatives, a silence, and what is not English."""
    read = read_open(
        text, Item(id="o/1", question="?" if text == "脾脏" else ITEM.question, kind="open", answer="splenule")
    )
    item = ITEM if text != "脾脏" else Item(id="o/1", question="?", kind="open", answer="splenule")
    assert reread(read, item, embed=embed_as(0.99)) == read


def test_a_paraphrase_in_unknown_words_is_nearer_than_another_answer():
    """With the real model, where it is installed."""
    item = Item(id="o/2", question="What does the man suffer from?", kind="open", answer="hair loss")
    assert read_open_embedded("baldness of the scalp", item).grade is not OpenGrade.INCORRECT
    assert read_open_embedded("a broken toe", item).grade is OpenGrade.INCORRECT
