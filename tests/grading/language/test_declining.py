"""The cheap look before the phrases of silence passes whatever one of the phrases matches."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snellen.grading.language.acts.declining import guarded


@pytest.mark.parametrize(("pattern", "parts"), guarded())
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_a_text_that_a_phrase_matches_has_a_part_of_a_word_that_is_looked_for_first(pattern, parts, data):
    found = pattern.search(data.draw(st.from_regex(pattern, fullmatch=True)).lower())
    if found is not None:
        assert any(part in found.group() for part in parts) if parts else not found.group().isascii()
