"""The summary: one row a model, whose numbers are those of the tests."""

from __future__ import annotations

import re

from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.summary import COLUMNS, summaries
from snellen.report.sections.tests import sections
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.base import Status
from snellen.study import Study


def shown(out, tests, organisms=("grounded", "blind")):
    """The results, the summaries and the page of a study of organisms."""
    models = [f"organism/{name}" for name in organisms]
    study = Study(models=models, benchmarks=["phantoms:items=24,leak=0.5"], tests=tests, out=out)
    study.ask(lambda progress: None)
    with Store.open(out) as store:
        results = score(store)
        evidence = Evidence(results, store)
        return results, summaries(evidence, sections(evidence)), render(results, store)


def test_every_number_is_that_of_a_test(tmp_path):
    """Each cell is ordered by the value of its measure or of what its verdict rests on, and every model is drawn."""
    tests = ["image-needed", "image-used", "rationale", "option-order"]
    results, [summary], page = shown(tmp_path, tests)
    columns = [column for column in COLUMNS if column.heading in summary.headings]
    assert summary.headings == tuple(column.heading for column in columns)
    assert not {column.heading.partition(",")[0] for column in COLUMNS if column not in columns} - {
        "accuracy",
        "names a wrong image",
        "corrects false premises",
        "kept with the options alone: does the score need the question?",
    }
    assert summary.without == "no image was sent"
    assert [row.model for row in summary.rows] == ["organism/grounded", "organism/blind"]
    for row in summary.rows:
        assert row.figure is not None
        assert row.delivery is not None
        findings = [each for each in results.findings if each.model == row.model]
        known = {(m.arm, m.name): m.estimate.value for each in findings for m in each.measures}
        rests_on = {each.test.name: each.verdict.rests_on for each in findings}
        for column, cell in zip(columns, row.cells, strict=True):
            if column.measure and cell.order is not None:
                assert cell.order == known[column.arm or "image-removed", column.measure]
            elif cell.order is not None:
                assert cell.order == rests_on[column.verdict[0]].estimate.value
    orders = re.findall(r'data-order="([^"]+)"', page)
    assert list(map(float, orders)) == [
        cell.order for row in summary.rows for cell in row.cells if cell.order is not None
    ]


def test_verdicts_stand_with_their_numbers(tmp_path):
    """A column with a question has the verdict on it; what is only reported has none."""
    results, [summary], _ = shown(tmp_path, ["image-needed", "image-used", "rationale", "option-order"])
    for row in summary.rows:
        verdicts = {e.test.name: e.verdict.status for e in results.findings if e.model == row.model}
        shown_here = [cell.verdict for cell in row.cells]
        columns = [column for column in COLUMNS if column.heading in summary.headings]
        wanted = [verdicts.get((column.verdict or ("",))[0]) if ": " in column.heading else None for column in columns]
        assert shown_here == wanted


def test_blank_images_stand_in_where_none_was_left_out(tmp_path):
    """And what was not measured has no column."""
    _, [summary], _ = shown(tmp_path, ["blank-image"], ("blind",))
    assert summary.without == "every image was blank"
    assert "invents findings" not in summary.headings
    assert summary.rows[0].cells[3].verdict is Status.FAIL


def test_a_study_that_always_shows_the_image_has_one_accuracy(tmp_path):
    """There is nothing to hold it against, and no figure."""
    _, [summary], _ = shown(tmp_path, ["option-order"], ("blind",))
    assert not summary.drawn
    assert not summary.without
    assert [heading.partition(":")[0] for heading in summary.headings] == [
        "accuracy, with image",
        "answers moved by option order",
    ]


def test_a_study_at_an_effort_alone_has_its_numbers_and_says_so(tmp_path):
    """Nothing was asked plainly: the columns are about the conditions that were, and name the effort."""
    tests = ["image-needed:effort=high", "option-order:effort=high", "rationale:effort=high"]
    results, [summary], page = shown(tmp_path, tests)
    assert summary.headings[0] == "accuracy, with image (high)"
    assert "accuracy, without (high)" in summary.headings
    assert "answers moved by option order: is it stable? (high)" in summary.headings
    assert summary.without == "no image was sent"
    accuracies = {
        (each.model, m.arm): m.estimate.value
        for each in results.findings
        for m in each.measures
        if m.name == "accuracy"
    }
    for row in summary.rows:
        assert row.pair is not None
        assert row.cells[0].order == accuracies[row.model, "original+high"]
        assert row.cells[1].order == accuracies[row.model, "image-removed+high"]
    assert "every condition is asked at high effort" in page
    assert "Reasoning effort" in page
    assert "no reasoning tokens are counted, so nothing shows that the effort was taken" in page


def test_plain_conditions_come_before_those_at_an_effort(tmp_path):
    """With the image and without it are of one way of asking: a blank image as asked, not none at high effort."""
    _, [summary], _ = shown(tmp_path, ["image-needed:effort=high", "blank-image"])
    assert summary.headings[0] == "accuracy, with image"
    assert summary.without == "every image was blank"
