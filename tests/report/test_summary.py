"""The summary: one row a model, whose numbers are those of the tests."""

from __future__ import annotations

import re

from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.summary import COLUMNS, summaries
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study


def shown(out, tests, organisms=("grounded", "blind")):
    """The results, the summaries and the page of a study of organisms."""
    models = [f"organism/{name}" for name in organisms]
    study = Study(models=models, benchmarks=["phantoms:items=24,leak=0.5"], tests=tests, out=out)
    study.ask(lambda progress: None)
    with Store.open(out) as store:
        results = score(store)
        return results, summaries(Evidence(results, store)), render(results, store)


def test_every_number_is_that_of_a_test(tmp_path):
    """Each cell is ordered by the value of its measure, and every model has a figure."""
    results, [summary], page = shown(tmp_path, ["image-needed", "rationale", "option-order"])
    assert summary.headings == tuple(column.heading for column in COLUMNS)
    assert summary.without == "no image was sent"
    assert [row.model for row in summary.rows] == ["organism/grounded", "organism/blind"]
    for row in summary.rows:
        assert row.figure is not None
        known = {
            (m.arm, m.name): m.estimate.value for f in results.findings if f.model == row.model for m in f.measures
        }
        for column, cell in zip(COLUMNS, row.cells, strict=True):
            if cell is not None:
                assert cell.order == known[column.arm or "image-removed", column.measure]
    orders = re.findall(r'data-order="([^"]+)"', page)
    assert list(map(float, orders)) == [cell.order for row in summary.rows for cell in row.cells if cell]


def test_blank_images_stand_in_where_none_was_left_out(tmp_path):
    """And what was not measured has no column."""
    _, [summary], _ = shown(tmp_path, ["blank-image"], ("blind",))
    assert summary.without == "every image was blank"
    assert "invents findings" not in summary.headings


def test_a_study_that_always_shows_the_image_has_no_summary(tmp_path):
    """There is nothing to hold accuracy against."""
    _, found, page = shown(tmp_path, ["option-order"], ("blind",))
    assert found == []
    assert 'id="summary"' not in page
