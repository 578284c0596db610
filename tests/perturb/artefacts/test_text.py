"""Burned-in text: lines over the picture, more and larger with severity."""

import numpy as np
import pytest

from snellen.perturb.artefacts import BurnedText
from snellen.perturb.artefacts.text import WORDS


def test_lines_are_white_on_black_in_their_rows():
    """Only the rows of its lines change, whatever the picture shows."""
    picture = np.full((280, 280), 0.5, dtype=np.float32)
    spoilt = BurnedText(0.04, ((0, 0.1, "ABC"), (7, 0.0, "XYZ")))(picture)
    changed = np.flatnonzero((spoilt != picture).any(axis=1))
    assert changed.min() >= 0
    assert set((changed // 20).tolist()) == {0, 7}
    assert not (spoilt != picture)[:20, :28].any()
    assert spoilt.min() == 0
    assert spoilt.max() > 0.95


@pytest.mark.parametrize("seed", range(5))
def test_it_grows(seed):
    """Strong text has all the lines of weak text and covers more; lines do not run into each other."""
    weak, strong = (BurnedText.draw(each, np.random.default_rng(seed), kind="X-ray") for each in (0.5, 1.0))
    assert strong.lines[: len(weak.lines)] == weak.lines
    assert (len(weak.lines), len(strong.lines)) == (3, 14)
    picture = np.full((280, 280), 0.5, dtype=np.float32)
    shares = [(each(picture) != picture).mean() for each in (weak, strong)]
    assert 0.02 < shares[0] < 0.15
    assert 0.5 < shares[1] < 0.9


def test_the_words_name_nobody_and_no_side():
    """Nothing that reads as a side marker, a name or a finding."""
    assert not {"L", "R", "LEFT", "RIGHT"} & {part for word in WORDS for part in word.split()}
    assert all(word == word.upper() for word in WORDS)
