"""How sure the order of several models is: ranks, pairs, and tests that say what they assume."""

from dataclasses import replace

import pytest

from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.many_models import orders, sentence
from snellen.scoring.many_models import many_models
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study
from tables import sheet


@pytest.fixture(scope="module")
def examined(tmp_path_factory):
    """Three organisms on the same phantoms."""
    out = tmp_path_factory.mktemp("order") / "out"
    models = [f"organism/{name}" for name in ("grounded", "blind", "mirage")]
    Study(models=models, benchmarks=["phantoms:items=40"], tests=["option-order"], out=out).ask(lambda progress: None)
    with Store.open(out) as store:
        results = score(store)
        evidence = Evidence(results, store)
        return results, orders(evidence), render(results, store), evidence


def test_models_stand_by_rank_with_their_accuracy(examined):
    """The same numbers as in results.csv."""
    results, [order], _, _ = examined
    rows = {row["model"]: row for row in results.rows() if row["test"] == "many-models" and row["measure"] == "rank"}
    assert {line.model: float(line.rank) for line in order.whole.ranks} == {
        name: row["value"] for name, row in rows.items()
    }
    assert [float(line.rank) for line in order.whole.ranks] == sorted(float(line.rank) for line in order.whole.ranks)
    assert len(order.whole.pairs) == 3
    assert order.whole.sentence.rstrip(".").lower().startswith(results.models_compared[0].sentence.lower())


def test_pairs_stand_by_p_and_two_tests_say_what_they_assume(examined):
    """The least p first; a settled order is marked by Holm's p, never by Dunn's."""
    results, [order], page, _ = examined
    by_name = {
        (results.models_compared[0].models[each.first], results.models_compared[0].models[each.second]): each
        for each in results.models_compared[0].ranking.pairs
    }
    found = [by_name[pair.first, pair.second] for pair in order.whole.pairs]
    assert [each.difference.p for each in found] == sorted(each.difference.p for each in found)
    assert [pair.settled for pair in order.whole.pairs] == [each.adjusted < 0.05 for each in found]
    assert "takes each model’s answers as independent" in order.whole.tests[0].assumes
    assert order.whole.tests[1].line.startswith("Q ")
    assert page.index('id="typical"') < page.index('id="order"') < page.index('id="verdicts"')


def test_every_pair_is_a_cell_of_a_figure(examined):
    """It is a file with its numbers; the page links to it and does not draw it."""
    _, [order], _, evidence = examined
    names = [figure.name for figure in evidence.figures]
    assert order.whole.figure.name in names
    assert order.whole.figure.csv.count("\n") == 4


def test_two_models_are_told_as_two():
    """Settled, or not."""
    first, second = (
        replace(sheet({"original": "+" * 40}), model="x"),
        replace(sheet({"original": "-" * 40}), model="y"),
    )
    alike = replace(sheet({"original": "+-" * 20}), model="y")
    other = replace(sheet({"original": "-+" * 20}), model="x")
    assert sentence(next(many_models([first, second]))) == "The order of the two models is settled: x is first."
    assert sentence(next(many_models([other, alike]))) == "The order of the two models is not settled."


def test_a_refusal_is_not_called_an_answer(tmp_path):
    """A model that refuses everything is ranked, over questions to which it responded."""
    models = ["organism/grounded", "organism/refuser"]
    Study(models=models, benchmarks=["phantoms:items=20"], tests=["option-order"], out=tmp_path).ask(
        lambda progress: None
    )
    with Store.open(tmp_path) as store:
        page = render(score(store), store)
    assert "over the 20 questions to which all of them responded; a refusal counts as not right" in page
    assert "all of them answered" not in page
