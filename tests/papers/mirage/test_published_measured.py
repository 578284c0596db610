"""Mirage scores and rates of a study of one's own, under the printed ones."""

from itertools import product
from math import inf, nan
from types import SimpleNamespace

import pytest

from snellen.commands.terminal import show_published
from snellen.papers import sheets
from snellen.papers.mirage.published.tables import measured
from snellen.study import Study, rescore


def found(measure, value, **changed):
    """A row of results, with an interval of a tenth to either side."""
    test = "mirage-score" if "score" in measure else "mirage-rate"
    row = {"model": "m", "benchmark": "b", "test": test, "arm": "image-removed", "measure": measure}
    return {
        **row, "value": value, "low": value - 0.1, "high": value + 0.1, "n": 1200,
        "method": "fieller", "parser": "lenient", "subset": "", "judge": "", **changed,
    }  # fmt: skip


def scores(*rows):
    """The lines of the table of scores."""
    return next(measured(rows)).rows


def rates(*rows):
    """The lines of the table of rates."""
    return list(measured(rows))[1].rows


def test_scores_and_their_means_have_a_line_each():
    """A model on a benchmark, a model over benchmarks and a benchmark over models."""
    rows = scores(
        found("mirage_score", 0.5),
        found("mean_mirage_score", 0.6, benchmark="all benchmarks"),
        found("mean_mirage_score", 0.7, model="all models", n=40),
    )
    assert rows == (
        ("m", "b", "50.0 [40.0, 60.0]", "1,200"),
        ("m", "all benchmarks", "60.0 [50.0, 70.0]", "1,200"),
        ("all models", "b", "70.0 [60.0, 80.0]", "40"),
    )


def test_rates_have_a_line_an_arm():
    """Both ways of counting beside each other, each with its n; one that was not measured is a dash."""
    rows = rates(
        found("mirage_rate", 0.5, arm="no-image+bare", n=190),
        found("mirage_rate_as_published", 0.6, arm="no-image+bare", n=200),
        found("mirage_rate_as_published", 0.7, arm="no-image+mirage-vqa-rad", test="mirage-rate:vqa-rad", n=200),
    )
    assert rows == (
        ("m", "b", "no-image+bare", "50.0 [40.0, 60.0]", "190", "60.0 [50.0, 70.0]", "200"),
        ("m", "b", "no-image+mirage-vqa-rad", "–", "–", "70.0 [60.0, 80.0]", "200"),
    )


def test_other_tests_and_measures_are_left_out():
    """A score of another test, and an accuracy of this one."""
    rows = (
        found("mirage_score", 0.5, test="image-needed"),
        found("accuracy", 0.5, test="mirage-score"),
        found("mirage_rate", 0.5, test="mirage-bias"),
        found("missing_rate", 0.5, test="mirage-rate"),
    )
    assert scores(*rows) == rates(*rows) == ()


@pytest.mark.parametrize("measure", ["mirage_score", "mirage_rate"])
def test_the_own_parser_counts_and_nothing_is_mixed(measure):
    """Two models on two benchmarks give four lines, those of the parser that comes first."""
    kinds = list(product(("lenient", "strict"), ("m", "o"), ("b", "c")))
    rows = [
        found(measure, 0.5 if parser == "lenient" else 0.1, model=model, benchmark=name, parser=parser)
        for parser, model, name in kinds
    ]
    lines = scores(*rows) if "score" in measure else rates(*rows)
    assert [line[:2] for line in lines] == [(model, name) for _, model, name in kinds[:4]]
    assert all(any(cell.startswith("50.0") for cell in line) for line in lines)


def test_the_parser_of_rates_need_not_be_that_of_scores():
    """Questions without options are read by another reader."""
    rows = [found("mirage_score", 0.5), found("mirage_rate", 0.6, method="wilson", parser="missing-image")]
    assert [len(sheet.rows) for sheet in measured(rows)] == [1, 1]
    assert "Method: wilson; parser=missing-image." in list(measured(rows))[1].notes[0]


def test_what_is_not_known_is_no_number():
    """No value is a dash, no interval is none, and a ratio that nothing bounds has no end."""
    rows = scores(
        found("mirage_score", nan),
        found("mirage_score", 0.5, benchmark="c", low=nan, high=nan),
        found("mirage_score", 0.5, benchmark="d", high=inf),
    )
    assert [row[2] for row in rows] == ["–", "50.0", "50.0 [40.0, ∞]"]


def test_a_study_without_the_tests_is_told_so():
    """No empty table without a word."""
    of_scores, of_rates = measured([found("accuracy", 0.5, test="image-needed")])
    assert (of_scores.rows, of_rates.rows) == ((), ())
    assert "no results of the test `mirage-score`" in of_scores.notes[0]
    assert "no results of the test `mirage-rate`" in of_rates.notes[0]


def test_they_stand_under_the_printed_ones(capsys, monkeypatch):
    """After all of the paper's tables, with the method."""
    monkeypatch.setenv("COLUMNS", "120")
    rows = [found("mirage_score", 0.5, model="mine/model"), found("mirage_rate", 0.25, model="mine/model")]
    results = SimpleNamespace(rows=lambda: iter(rows))
    assert [sheet.title for sheet in sheets("mirage", results)][-2:] == [
        "Mirage scores measured in OUT",
        "Mirage rates measured in OUT",
    ]
    show_published("mirage", results)
    upper, _, lower = capsys.readouterr().out.partition("Mirage scores measured in OUT")
    assert "46.7 [42.4, 51.5]" in upper
    assert "mine/model" not in upper
    lines = [line.split() for line in lower.splitlines() if "mine/model" in line]
    assert lines[0] == ["mine/model", "b", "50.0", "[40.0,", "60.0]", "1,200"]
    assert "25.0" in lines[1]
    assert "Method: fieller; parser=lenient." in lower


def test_a_study_as_it_is_run_has_what_is_shown(tmp_path):
    """Asked, scored and set under the printed figures: scores, both means, and rates of two arms."""
    study = Study(
        models=["organism/grounded", "organism/mirage"],
        benchmarks=["phantoms:items=8", "phantoms:items=8,language=it"],
        tests=["mirage-score", "mirage-rate:none,vqa-rad"],
        out=tmp_path / "out",
        limit=8,
        canary=False,
    )
    study.ask(lambda progress: None)
    of_scores, of_rates = list(sheets("mirage", rescore(tmp_path / "out")))[-2:]
    assert len(of_scores.rows) == 2 * 2 + 2 + 2
    assert {row[0] for row in of_scores.rows} == {"organism/grounded", "organism/mirage", "all models"}
    assert {row[3:5] for row in of_rates.rows if row[0] == "organism/grounded"} == {("0.0 [0.0, 32.4]", "8")}
    assert {row[5:] for row in of_rates.rows if row[0] == "organism/mirage"} == {("100.0 [67.6, 100.0]", "8")}
    assert len(of_rates.rows) == 2 * 2
