"""Confidence: how likely a reading is right."""

from __future__ import annotations

import json
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.reading.confidence import COUNTED, UNSURE, confidence, read_counts, write_counted
from snellen.reading.parsers import BY_JUDGE, our_parsers, parser_named


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_confidence_rises_with_what_is_right_and_falls_with_what_is_wrong(right, wrong):
    """It lies between 0 and 1, whatever was counted."""
    here = confidence(right, right + wrong)
    assert 0 < here < 1
    assert confidence(right + 1, right + wrong + 1) > here > confidence(right, right + wrong + 1)


@pytest.mark.parametrize("parser", our_parsers(), ids=lambda parser: parser.name)
def test_every_rule_has_a_confidence_where_anybody_counted(parser):
    """Rules that were never seen on labelled responses are unsure, forms are sure, and so is what no parser reads."""
    for rule in parser.rules:
        known, before = parser.confidence(rule), rule.endswith(("content-filter", "empty"))
        if not parser.counted and not parser.strict:
            assert isnan(known) or before
            assert not parser.unsure(rule)
        elif rule in parser.formal or parser.strict:
            assert known == 1
        elif rule not in parser.counted and not before:
            assert parser.unsure(rule)
    assert parser.confidence("content-filter") == parser.confidence("empty") == 1
    assert isnan(parser.confidence(BY_JUDGE))
    assert not parser.unsure(BY_JUDGE)


def test_rules_of_the_usual_forms_are_sure():
    """What most models answer with is not in doubt; text from which an answer must be inferred is."""
    lenient = parser_named("lenient")
    assert min(lenient.confidence(rule) for rule in ("answer-phrase", "bare-letter", "letter-and-text")) >= UNSURE
    assert lenient.unsure("no-answer")
    assert read_counts("lenient") == lenient.counted


def test_counts_of_one_study_leave_those_of_others(tmp_path):
    """Two studies write into one file, each the parsers that it counted."""
    path = tmp_path / "counted.json"
    write_counted({"one": {"a": (1, 2)}, "other": {"b": (3, 3)}}, path)
    write_counted({"one": {"c": (0, 1)}}, path)
    assert json.loads(path.read_bytes()) == {"one": {"c": [0, 1]}, "other": {"b": [3, 3]}}
    path.write_bytes(COUNTED.read_bytes())
    write_counted({}, path)
    assert path.read_bytes() == COUNTED.read_bytes()
