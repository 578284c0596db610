"""Contradictions between what two replies say they see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.reading.claims.columns import contradictions

CONTRARY = read_table(__file__, "CONTRARY")


@pytest.mark.parametrize(("first", "second", "rule"), CONTRARY)
def test_names_what_cannot_both_be_true(first, second, rule):
    """Sides, presence, leads, planes, weightings, shapes, rhythms, counts that exclude each other, either way round."""
    assert [(0, 0, rule)] == contradictions([first], [second])
    assert [(0, 0, rule)] == contradictions([second], [first])


@take_rows("first, second")
def test_better_none_than_wrong(first, second):
    """What may both be true, or is said with a condition, is no contradiction."""
    assert contradictions([first], [second]) == []


def test_a_reply_that_says_both_contradicts_no_one():
    """Only replies that say one thing throughout are held against each other."""
    assert contradictions(["A left pneumothorax.", "A right pneumothorax."], ["A right pneumothorax."]) == []


def test_points_at_the_claims():
    """The pair gives the first claim of each reply that speaks of it."""
    found = contradictions(["Clear lungs.", "A left fracture.", "Left fracture."], ["A mass.", "A right fracture."])
    assert found == [(1, 1, "side")]


CLAIMS = st.lists(st.one_of(st.text(), st.sampled_from([text for row in CONTRARY for text in row[:2]])), max_size=4)


@given(CLAIMS, CLAIMS)
def test_is_the_same_either_way_round_and_never_against_oneself(first, second):
    """Turning the replies round turns the pairs round; no reply contradicts itself."""
    turned = sorted((j, i, rule) for i, j, rule in contradictions(second, first))
    assert contradictions(first, second) == turned
    assert contradictions(first, first) == []
