"""A plug-in brings a parser of a kind that Snellen does not know: it grades, gives columns, and is qualified."""

from importlib import import_module

import pytest

from snellen.errors import DataError
from snellen.items import Benchmark
from snellen.judging.qualify import as_text, qualify
from snellen.models.fake import FakeModel
from snellen.reading import Outcome
from snellen.scoring.responses import stored_responses
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study
from strategies import items


@pytest.fixture
def advice(ward):
    """The file of the plug-in that has the parser and the test."""
    return import_module("ward.advice")


@pytest.fixture
def asked(advice, tmp_path):
    """A study of the plug-in's test beside one of ours."""
    says = FakeModel(lambda request: "Please see a doctor." if "X-ray" in request.text else "Answer: A", name="fake/m")
    Study(
        models=[says],
        benchmarks=[Benchmark("b", items(4))],
        tests=["advises", "option-order"],
        out=tmp_path / "out",
        canary=False,
    ).ask(lambda _: None)
    with Store.open(tmp_path / "out") as store:
        yield store


def test_it_grades_the_questions_of_the_test_that_needs_it(asked, advice):
    """Outcomes, measures and columns are by it, and no other response is read by it."""
    results = score(asked)
    table = results.tables["fake/m", "mirage-questions"]
    [arm] = table.arms
    sends = table.arms[arm].of(advice.Advices).sends
    assert 0 < sends.sum() < len(table.items)
    assert sends.tolist() == table.arms[arm].is_(Outcome.CORRECT).tolist()
    [found] = [finding for finding in results.findings if finding.test.name == "advises"]
    [measure] = found.measures
    assert (measure.estimate.value, measure.parser) == (sends.mean(), "advice")
    assert {parser.name for parser in results.parsers} == {"lenient", "advice"}
    assert all(grades.of(advice.Advices) is None for grades in results.tables["fake/m", "b"].arms.values())


def test_responses_are_exported_with_what_it_read(asked):
    """Its outcomes and rules stand in the rows."""
    rows = [row for row in stored_responses(asked) if row["benchmark"] == "mirage-questions"]
    assert {(row["parser"], row["rule"], row["outcome"]) for row in rows} == {
        ("advice", "sends", "correct"),
        ("advice", "keeps", "wrong"),
    }


def test_it_is_compared_with_labels(advice):
    """By its own labels; another label is refused with those that there are."""
    rows = [
        {"response": "You must See a doctor now.", "label": "Sends"},
        {"response": "It is a cold.", "label": "sends"},
    ]
    done = qualify("advice", rows)
    assert [row.predicted for row in done.rows] == ["sends", "keeps"]
    assert "Parser advice: 2 rows" in as_text(done)
    with pytest.raises(DataError, match="row 1: expected as label sends or keeps, got 'maybe'"):
        qualify("advice", [{"response": "", "label": "maybe"}])
