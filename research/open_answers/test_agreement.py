"""Open answers that were labelled by reading: the figures that the docs state are those that come out.

The questions and references are not part of the project; what needs them skips where they are not beside it.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from snellen.reading.confidence import COUNTED
from snellen.reading.grades import grade_reply
from snellen.reading.parsers import parser_named

STUDY = Path(__file__).parent


@pytest.fixture(scope="module")
def measure():
    """The script of the study."""
    return runpy.run_path(str(STUDY / "measure.py"))


@pytest.fixture(scope="module")
def rows(measure):
    """The labelled responses with their questions."""
    if not measure["QUESTIONS"].exists():
        pytest.skip(f"VQA-RAD is not at {measure['QUESTIONS']}")
    return measure["rows"]()


@pytest.fixture
def read_once(monkeypatch):
    """Each parser reads a response once, in however many parts of the rows it stands."""
    kept = {}

    def once(reply, item, parser):
        key = (parser.name, reply.text, reply.finish, item.question, item.context, repr(item.metadata))
        return kept[key] if key in kept else kept.setdefault(key, grade_reply(reply, item, parser))

    monkeypatch.setattr("snellen.judging.qualify.open_answers.grade_reply", once)


@pytest.mark.usefixtures("read_once")
def test_figures_and_counts_are_those_measured(measure, rows):
    """What the docs quote, and what confidence rests on, is what the parsers read today."""
    assert measure["figures"](rows) == json.loads(measure["MEASURED"].read_text(encoding="utf-8"))
    stored = json.loads(COUNTED.read_bytes())
    counts = json.loads(json.dumps(measure["counts"](rows)))
    assert counts == {parser: stored[parser] for parser in counts}


def test_the_parser_carries_the_figures_of_the_study(measure):
    """Its agreement is that of the rows kept apart first."""
    known = json.loads(measure["MEASURED"].read_text(encoding="utf-8"))
    carried = parser_named("match").read_agreement()
    assert carried == measure["agreement"](known)
    assert carried[0]["kappa"] == known["match"]["kept apart"]["kappa"]
    assert carried[0]["kappa"][0] >= 0.75


def test_rows_quote_nothing_of_others_and_questions_stay_apart():
    """A row names its question; no question has rows that rules were made with and rows kept apart."""
    rows = list(map(json.loads, (STUDY / "labelled.jsonl").read_text(encoding="utf-8").splitlines()))
    assert len({row["id"] for row in rows}) == len(rows) >= 360
    assert all(row["of"].startswith("vqa-rad/") and not row.keys() & {"question", "references"} for row in rows)
    by_split = {split: {row["of"] for row in rows if row["split"] == split} for split in ("development", "apart")}
    assert by_split["development"].isdisjoint(by_split["apart"])
    assert sum(row["label"] == "correct" for row in rows) >= 0.4 * len(rows)
    assert sum("again" in row for row in rows) >= 100
    assert sum(row["split"] == "apart" or "kept_apart" in row for row in rows) >= len(rows) // 3
