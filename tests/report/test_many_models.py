"""How sure the order of several models is: ranks, pairs, and tests that say what they assume."""

from dataclasses import replace

import pytest

from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.result_lines import measure_accuracy
from snellen.report.sections.benchmark import describe_order, draw_order
from snellen.report.words.numbers import figure
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
        return results, draw_order(evidence), render(results, store), evidence


def test_models_stand_by_rank_with_their_accuracy(examined):
    """The same numbers as in results.csv; the chapter's result says how sure the order is."""
    results, chapter, _, _ = examined
    rows = {row["model"]: row for row in results.rows() if row["test"] == "many-models" and row["measure"] == "rank"}
    ranks = chapter.parts[1]
    assert {row.model: row.cells[0].order for row in ranks.rows} == {name: row["value"] for name, row in rows.items()}
    assert [row.cells[0].order for row in ranks.rows] == sorted(row.cells[0].order for row in ranks.rows)
    accuracy = measure_accuracy(results, "organism/grounded", ranks.rows[0].benchmark)
    assert ranks.rows[0].cells[2].words.startswith(figure(accuracy.value, "share"))
    assert chapter.result.rstrip(".").lower().startswith(results.models_compared[0].sentence.lower())


def test_pairs_stand_by_p_and_two_tests_say_what_they_assume(examined):
    """The least p first; a settled order is marked by Holm's p, never by Dunn's."""
    results, chapter, page, _ = examined
    compared = results.models_compared[0]
    short = [name.rpartition("/")[2] for name in compared.models]
    by_name = {(short[each.first], short[each.second]): each for each in compared.ranking.pairs}
    fold = chapter.parts[2]
    tests, table = fold.parts
    found = [by_name[row.head.words, row.cells[0].words] for row in table.rows]
    assert fold.title == "3 pairs of models, with p by two tests"
    assert [each.difference.p for each in found] == sorted(each.difference.p for each in found)
    assert ["<b>" in row.cells[4].words for row in table.rows] == [each.adjusted < 0.05 for each in found]
    assert "assumes that models answer independently" in tests.items[0].note
    assert tests.items[1].words.startswith("Cochran’s Q with paired differences: Q ")
    assert page.index('id="typical"') < page.index('id="order"') < page.index('id="verdicts"')


def test_every_pair_is_a_cell_of_a_figure(examined):
    """It is a file with its numbers; the page links to it and does not draw it."""
    _, chapter, page, evidence = examined
    made = chapter.parts[1].figure
    assert made.name in [each.name for each in evidence.figures]
    assert made.csv.count("\n") == 4
    assert f"figures/{made.name}.svg" in page


def test_two_models_are_told_as_two():
    """Settled, or not."""
    first, second = (
        replace(sheet({"original": "+" * 40}), model="x"),
        replace(sheet({"original": "-" * 40}), model="y"),
    )
    alike = replace(sheet({"original": "+-" * 20}), model="y")
    other = replace(sheet({"original": "-+" * 20}), model="x")
    assert describe_order(next(many_models([first, second]))) == "The order of the two models is settled: x is first."
    assert describe_order(next(many_models([other, alike]))) == "The order of the two models is not settled."


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
