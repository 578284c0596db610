"""Patterns of roles: what a shape must have to match, told without a search."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.reading.language.acts.missing import WAYS
from snellen.reading.language.image_roles import LETTER

SHAPES = st.text(st.sampled_from(sorted(LETTER.values())), max_size=30)


@pytest.mark.parametrize(("way", "lines"), WAYS, ids=[way for way, _ in WAYS])
@settings(max_examples=40)
@given(data=st.data())
def test_a_shape_without_any_letter_that_is_needed_never_matches(way, lines, data):
    """Drawn from all other letters, no text matches; there are such letters, and most are not needed."""
    others = sorted(set(LETTER.values()) - lines.needs)
    assert lines.needs
    assert len(others) > len(LETTER) / 2
    shape = data.draw(st.text(st.sampled_from(others), max_size=30))
    assert lines.search(f".{shape}.") is None


@settings(max_examples=40)
@given(SHAPES)
def test_every_shape_that_matches_has_a_letter_that_is_needed(shape):
    """Whatever is drawn."""
    for _, lines in WAYS:
        assert lines.search(f".{shape}.") is None or not lines.needs.isdisjoint(shape)
