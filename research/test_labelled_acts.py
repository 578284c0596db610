"""Labelled responses of the parsers that read what a response does: the figures are those that come out."""

import json
import runpy
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import pytest

from snellen.reading.acts import NETWORK
from snellen.reading.mismatch.parser import LABELS
from snellen.reading.parsers import parser_named
from snellen.reading.premise.parser import ACTS

STUDIES = Path(__file__).parent


class Labelled(NamedTuple):
    """A study of labelled responses, and what its labels are at least."""

    folder: str
    labels: Collection[str]
    sought: str
    share: tuple[float, float]
    """Of the rows with the label that is sought: more than the first, less than the second."""
    rows: int
    apart: int
    """One of so many rows at least was kept apart."""


LABELLED = {
    "mismatch": Labelled("mismatch", LABELS, "named", (0.35, 0.65), 240, 3),
    "premise": Labelled("false_premise", ACTS, "corrects", (0.3, 0.5), 350, 2),
}


@pytest.fixture(scope="module", params=LABELLED)
def parser(request):
    """Each parser."""
    return parser_named(request.param)


@pytest.fixture(scope="module")
def measure(parser):
    """The script of its study."""
    return runpy.run_path(str(STUDIES / LABELLED[parser.name].folder / "measure.py"))


def test_figures_agreement_and_counts_are_those_measured(parser, measure):
    """What the docs quote, what the parser says of itself, and what its confidence rests on."""
    record = measure["as_record"](measure["figures"]())
    assert record == json.loads(measure["MEASURED"].read_text(encoding="utf-8"))
    assert parser.read_agreement() == measure["agreement"](record)
    # What only the network reads is counted on more rows, by research/acts/second_reader.py.
    counted, counts = dict(parser.counted), measure["counts"]()
    assert counted.pop(NETWORK)[1] >= 10
    counts.pop(NETWORK, None)
    assert {rule: list(pair) for rule, pair in counted.items()} == counts


def test_the_labels_are_many_in_six_languages_and_many_were_kept_apart(parser, measure):
    """About two of five are what the parser looks for; every rule that was counted has words."""
    rows, wanted = measure["rows"](), LABELLED[parser.name]
    assert len({row["id"] for row in rows}) == len(rows) >= wanted.rows
    assert {row["label"] for row in rows} == set(wanted.labels)
    assert {row["language"] for row in rows} == {"en", "it", "es", "fr", "de", "zh"}
    low, high = wanted.share
    assert low < sum(row["label"] == wanted.sought for row in rows) / len(rows) < high
    assert sum(row["split"] != "development" for row in rows) >= len(rows) // wanted.apart
    assert measure["counts"]().keys() <= parser.rules.keys()


def test_some_labels_were_given_twice():
    """Those of contradictions, so that the labels can be held against each other."""
    rows = runpy.run_path(str(STUDIES / "mismatch" / "measure.py"))["rows"]()
    assert sum("again" in row for row in rows) >= 80
