"""The cheap look before the phrases of silence passes whatever one of the phrases matches."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snellen.grading.language.acts import declining
from snellen.grading.language.acts.quality import QUALITY

_ABROAD = list(declining.LANGUAGES)


def _by_language(phrases, english):
    own = len(phrases) - len(_ABROAD)
    return zip(phrases, [english] * own + _ABROAD, strict=True)


PHRASES = [
    *_by_language(QUALITY, "en-quality"),
    *_by_language(declining.LACKING, "en"),
    *_by_language(declining.DECLINES, "en"),
    *_by_language(declining.UNTOLD, "en"),
]


@pytest.mark.parametrize(("phrase", "language"), PHRASES)
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_a_text_that_a_phrase_matches_has_a_part_of_a_word_that_is_looked_for_first(phrase, language, data):
    drawn = data.draw(st.from_regex(re.compile(phrase), fullmatch=True)).lower()
    found = re.search(phrase, drawn, re.MULTILINE)
    assert found is None or declining.may_speak(found.group(), language)
