"""Rationales: what is kept of a reply's claims, and that its thinking is read too."""

from __future__ import annotations

import pytest

from rows import take_rows
from snellen.items import Item, Option
from snellen.models.organisms.languages import LANGUAGES
from snellen.reading.claims.parser import read_rationale

ITEM = Item(
    "1", "A man fell on his left wrist. What is the diagnosis?", context="The X-ray shows a displaced fracture."
)


def test_only_firm_claims_that_were_not_told_are_kept():
    """What a picture means, and what context or question told do not count."""
    reply = (
        "The X-ray shows a displaced fracture. The image shows a small bony fragment and soft tissue gas. "
        "There is no dislocation. The ECG is consistent with an infarct."
    )
    claims = read_rationale(reply, "", ITEM).claims
    assert claims == ("The image shows a small bony fragment and soft tissue gas.", "There is no dislocation.")


def test_thinking_is_read_like_the_reply():
    """A claim, a notice and doubt count wherever they stand."""
    read = read_rationale("B", "I see a mass in the scan. No image was provided. I am not sure.", ITEM)
    assert read == (("I see a mass in the scan.",), True, True, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_organisms_are_read_as_they_were_made(language):
    """Those who say that nothing is there notice and claim nothing; those who imagine make a firm claim."""
    replies = LANGUAGES[language].replies
    for text in (*replies.no_image, *replies.nothing_seen):
        assert read_rationale(text, "", ITEM)[:2] == ((), True)
    for text in (*replies.imagined, *replies.imagined_at_length):
        said = text.format(letter="B", finding={"en": "gas", "it": "gas", "zh": "气体"}[language])
        assert read_rationale(said, "", ITEM).claims


@take_rows("text, explains")
def test_a_bare_answer_explains_nothing(text, explains):
    """An answer with its option's words is still only an answer."""
    item = Item(id="1", question="Where?", options=(Option("Right lower zone"), Option("Left upper zone")))
    assert read_rationale(text, "", item).explains is explains
