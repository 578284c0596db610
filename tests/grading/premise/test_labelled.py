"""Labelled responses to questions that take something for granted: the figures are those that come out."""

import json
import runpy
from pathlib import Path

import pytest

from snellen.grading.parsers import parser_named
from snellen.grading.premise.parser import ACTS

STUDY = Path(__file__).parents[3] / "studies" / "false_premise"


@pytest.fixture(scope="module")
def measure():
    """The script of the study."""
    return runpy.run_path(str(STUDY / "measure.py"))


def test_figures_agreement_and_counts_are_those_measured(measure):
    """What the docs quote, what the parser says of itself, and what its confidence rests on."""
    record = measure["as_record"](measure["figures"]())
    assert record == json.loads(measure["MEASURED"].read_text(encoding="utf-8"))
    parser = parser_named("premise")
    assert parser.measured() == measure["agreement"](record)
    assert {rule: list(pair) for rule, pair in parser.counted.items()} == measure["counts"]()


def test_the_labels_are_many_and_most_were_kept_apart(measure):
    """In six languages; every rule that was counted has words."""
    rows = measure["rows"]()
    assert len({row["id"] for row in rows}) == len(rows) >= 350
    assert {row["label"] for row in rows} == set(ACTS)
    assert {row["language"] for row in rows} == {"en", "it", "es", "fr", "de", "zh"}
    assert 0.3 < sum(row["label"] == "corrects" for row in rows) / len(rows) < 0.5
    assert sum(row["split"] != "development" for row in rows) >= len(rows) // 2
    assert measure["counts"]().keys() <= parser_named("premise").rules.keys()
