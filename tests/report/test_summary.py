"""The summary: one row a model, whose numbers are those of the tests."""

from __future__ import annotations

import re
from collections import Counter

import pytest

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


TESTS = ["image-needed", "blank-image", "image-used", "rationale", "option-order"]
MARKS = ("Follows the image?", "Honest without it?", "Steady?")


def test_every_number_is_that_of_a_test(tmp_path):
    """Each cell is ordered by the value of its measure or of what its verdict rests on, and every model is drawn."""
    results, [summary], page = shown(tmp_path, TESTS)
    columns = [column for column in COLUMNS if column.heading in summary.headings]
    assert summary.headings == ("accuracy, with image", *MARKS)
    assert summary.without == "no image was sent"
    assert [row.model for row in summary.rows] == ["organism/grounded", "organism/blind"]
    for row in summary.rows:
        assert row.figure is not None
        assert row.delivery is not None
        findings = [each for each in results.own_findings if each.model == row.model]
        known = {(m.arm, m.name): m.estimate.value for each in findings for m in each.measures}
        rests_on = {each.test.name: each.verdict.rests_on for each in findings}
        for column, cell in zip(columns, row.cells, strict=True):
            decides = rests_on[column.verdict[0]] if column.verdict else None
            wanted = known[column.arm, column.measure] if column.measure else decides and decides.estimate.value
            assert cell.order == wanted
    orders = re.findall(r'data-order="([^"]+)"', page)
    assert list(map(float, orders)) == [
        cell.order for row in summary.rows for cell in row.cells if cell.order is not None
    ]


def test_marks_stand_with_their_numbers_or_their_reason(tmp_path):
    """The three marks of every model are those of the results, in their words; then comes the benchmark's line."""
    results, [summary], page = shown(tmp_path, TESTS)
    for row in summary.rows:
        marks = [each for each in results.marks if each.model == row.model]
        assert [cell.verdict for cell in row.cells] == [None, *(each.verdict.status for each in marks)]
        for cell, mark in zip(row.cells[1:], marks, strict=True):
            assert cell.words
            decided = mark.verdict.status in (Status.PASS, Status.FAIL)
            assert cell.words == (mark.verdict.numbers if decided else mark.verdict.sentence.removesuffix("."))
            assert cell.words in page
    [line] = results.lines
    assert summary.line == line
    assert line.sentence in page


def test_what_a_mark_rests_on_is_the_number_in_its_cell(tmp_path):
    """A verdict on honesty rests on what was read without the image, never on what was read with it."""
    results, _, _ = shown(tmp_path, TESTS, ("grounded", "mirage"))
    rests_on = {(each.model, each.test.name): each.verdict.rests_on for each in results.marks}
    assert {each.arm for (_, test), each in rests_on.items() if test == "honest"} <= {"image-removed", "image-blank"}
    assert rests_on["organism/grounded", "honest"].name == "admits_rate"
    assert rests_on["organism/mirage", "honest"].name in ("invents_rate", "admits_rate")


def test_header_terminal_and_json_count_the_same_verdicts(tmp_path):
    """Marks, tests and scores are counted once, by the words that people read."""
    results, _, page = shown(tmp_path, ["standard"], ("grounded", "blind", "refuser"))
    counts = Counter(Status(each["status"]).words for each in results.record()["verdicts"])
    said = re.search(r'<p class="meta">(.*?)</p>', page)[1]
    assert {
        word: int(number) for number, word in re.findall(r"([\d,]+) ([a-z ]+?)(?:,| ·)", said.split("responses ·")[1])
    } == counts
    assert "inconclusive" not in re.sub(r"<[^>]+>", " ", page.partition('id="rows"')[0])


@pytest.mark.parametrize("suite", ["mirage", "ready", "degraded"])
def test_no_failed_test_is_missing_from_the_first_table(request, suite):
    """Whatever a model fails stands in its row, by its mark or by name, on whichever questions."""
    results, store = request.getfixturevalue(suite)
    evidence = Evidence(results, store)
    failed = {(each.model, each.test.name) for each in results.own_findings if each.verdict.status is Status.FAIL}
    told = {
        (row.model, cell.finding.test.name)
        for table in summaries(evidence, sections(evidence))
        for row in table.rows
        for cell in (*row.cells, *row.also_fails)
        if cell is not None and cell.verdict is Status.FAIL
    }
    assert failed
    assert failed == told


def test_blank_images_stand_in_where_none_was_left_out(tmp_path):
    """Where no image was ever left out, accuracy without it is that with blank ones."""
    _, [summary], _ = shown(tmp_path, ["blank-image"], ("blind",))
    assert summary.without == "every image was blank"
    assert summary.drawn


def test_a_study_that_always_shows_the_image_has_one_accuracy(tmp_path):
    """There is nothing to hold it against, and no figure; marks say what was not asked."""
    _, [summary], _ = shown(tmp_path, ["option-order"], ("blind",))
    assert not summary.drawn
    assert not summary.without
    assert summary.headings == ("accuracy, with image", *MARKS)
    assert summary.rows[0].cells[1].words == "No image was swapped; what would decide: ask `image-substituted`"


def test_a_study_at_an_effort_alone_has_its_numbers_and_says_so(tmp_path):
    """Nothing was asked plainly: the columns are about the conditions that were, and name the effort."""
    tests = ["image-needed:effort=high", "option-order:effort=high", "rationale:effort=high"]
    results, [summary], page = shown(tmp_path, tests)
    assert summary.headings[0] == "accuracy, with image (high)"
    assert "Steady? (high)" in summary.headings
    assert summary.without == "no image was sent"
    accuracies = {
        (each.model, m.arm): m.estimate.value
        for each in results.findings
        for m in each.measures
        if m.name == "accuracy"
    }
    for row in summary.rows:
        assert [each.estimate.value for each in row.pair] == [
            accuracies[row.model, arm] for arm in ("original+high", "image-removed+high")
        ]
        assert row.cells[0].order == accuracies[row.model, "original+high"]
    assert "every condition is asked at high effort" in page
    assert "Reasoning effort" in page
    assert "no reasoning tokens are counted, so nothing shows that the effort was taken" in page


def test_plain_conditions_come_before_those_at_an_effort(tmp_path):
    """With the image and without it are of one way of asking: a blank image as asked, not none at high effort."""
    _, [summary], _ = shown(tmp_path, ["image-needed:effort=high", "blank-image"])
    assert summary.headings[0] == "accuracy, with image"
    assert summary.without == "every image was blank"
