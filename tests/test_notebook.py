"""In a notebook: a study runs in a cell with its progress shown, and what it returns is a small table."""

import subprocess
import sys
from dataclasses import replace

import nbformat
import pytest

from snellen.errors import BrokenRow
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.study import Study
from strategies import items


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """A standard exam of six models."""
    return Study(benchmarks=["phantoms:items=8,leak=0.5"], out=tmp_path_factory.mktemp("exam"))


@pytest.fixture(scope="module")
def results(exam):
    """What it came to."""
    return exam.run(lambda progress: None)


def test_results_are_a_line_and_a_small_table(results):
    """One line says how much there is; the table has a row for each model and test, under 20 kB."""
    assert len(repr(results)) < 300
    assert repr(results).startswith("<Results of 6 models on 1 benchmark in ")
    statuses = [each.verdict.status for each in results.findings]
    assert f"{statuses.count('fail')} fail" in repr(results)
    drawn = results._repr_html_()
    assert drawn.count("<tr>") == 1 + len(results.findings) + len(results.over_all)
    assert "<td>organism/blind</td>" in drawn
    assert len(drawn.encode()) < 20_000


def test_a_plan_is_a_line_and_a_small_table(exam):
    """How much will be asked, by benchmark and test."""
    plan = exam.plan()
    assert repr(plan) == f"<Plan of 6 models, 1 benchmark, {len(plan.tests)} tests, seed 0>"
    drawn = plan._repr_html_()
    assert drawn.count("<tr>") == 1 + len(plan.tests)
    assert "requests in all" in drawn
    assert len(drawn.encode()) < 20_000


def test_names_from_elsewhere_are_shown_as_text(tmp_path):
    """Neither a benchmark's name nor that of a broken file adds an element."""
    evil = "<script>alert(1)</script>"
    study = Study(
        models=[FakeModel(lambda request: "Answer: A", name=f"fake/{evil}")],
        benchmarks=[Benchmark(evil, items(4), broken=(BrokenRow("line 3", "x", "no answer"),))],
        tests=["image-needed"],
        out=tmp_path,
    )
    for shown in (study.plan(), study.run(lambda progress: None)):
        drawn = shown._repr_html_()
        assert "<script" not in drawn
        assert "&lt;script&gt;" in drawn
        assert "1 broken rows" in drawn


def test_many_findings_are_counted_and_not_drawn(results):
    """A table of a hundred rows is enough for a notebook."""
    many = replace(results, findings=results.findings * 10)
    assert many._repr_html_().count("<tr>") == 101
    left = len(many.findings) + len(many.over_all) - 100
    assert f"and {left:,} more rows" in many._repr_html_()


CELL = """
import warnings
warnings.simplefilter("error")
from snellen import FakeModel, Study
results = Study(
    models=[FakeModel(lambda request: "Answer: A", name="fake/a")], benchmarks="phantoms:items=6",
    tests="image-needed", out="exam",
).run()
results
"""
RUN = """
import sys
import nbclient, nbformat
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(sys.argv[1])])
nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
nbformat.write(notebook, "done.ipynb")
"""


def test_a_cell_runs_a_study_and_shows_how_far_it_is(tmp_path):
    """In a real kernel, whose loop is running: no warning, a bar that ends full, and the table of the results."""
    done = subprocess.run([sys.executable, "-c", RUN, CELL], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [cell] = nbformat.read(tmp_path / "done.ipynb", as_version=4).cells
    kinds = [each.output_type for each in cell.outputs]
    assert kinds == ["display_data", "execute_result"], cell.outputs
    bar, table = (each.data for each in cell.outputs)
    assert "12 of 12" in bar["text/plain"]
    assert '<progress value="12" max="12">' in bar["text/html"]
    assert "<td>image-needed</td>" in table["text/html"]
    assert table["text/plain"].startswith("<Results of 1 model on 1 benchmark in exam: ")
