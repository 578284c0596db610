"""In a notebook: a study runs in a cell with its progress shown, and what it returns is a small table."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from snellen.errors import BrokenRow
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.study import Study
from strategies import items
from studied import results_of

pytestmark = pytest.mark.usefixtures("no_groups")


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    """A standard exam of six models."""
    return Study(benchmarks=["phantoms:items=8,leak=0.5"], out=tmp_path_factory.mktemp("exam"))


@pytest.fixture(scope="module")
def results(exam):
    """What it came to."""
    return results_of(exam)


def test_results_are_a_line_and_a_small_table(results):
    """One line says how much there is; the table has a row for each model and test, under 20 kB."""
    assert len(repr(results)) < 300
    assert repr(results).startswith("<Results of 6 models on 1 benchmark in ")
    statuses = [each.verdict.status.words for each in results.own_findings]
    assert f"{statuses.count('not decided')} not decided" in repr(results)
    drawn = results._repr_html_()
    assert drawn.count("<tr>") == 1 + len(results.own_findings)
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
    for shown in (study.plan(), results_of(study)):
        drawn = shown._repr_html_()
        assert "<script" not in drawn
        assert "&lt;script&gt;" in drawn
        assert "1 broken rows" in drawn


def test_many_findings_are_counted_and_not_drawn(results):
    """A table of a hundred rows is enough for a notebook."""
    many = replace(results, findings=results.findings * 10)
    assert many._repr_html_().count("<tr>") == 101
    left = len(many.own_findings) - 100
    assert f"and {left:,} more rows" in many._repr_html_()


EXAMPLE = Path(__file__).parents[1] / "examples" / "exam.ipynb"
RUN = """
import sys
import nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.insert(0, nbformat.v4.new_code_cell("import warnings; warnings.simplefilter('error')"))
nbclient.NotebookClient(notebook, kernel_name="python3", timeout=240).execute()
nbformat.write(notebook, "done.ipynb")
"""


def test_the_example_notebook_is_committed_without_outputs():
    """Who opens it sees what it does, and nothing of the machine that ran it."""
    for cell in nbformat.read(EXAMPLE, as_version=4).cells:
        assert not cell.get("outputs"), cell
        assert cell.get("execution_count") is None


def test_the_example_notebook_runs_and_shows_how_far_it_is(tmp_path):
    """In a real kernel, whose loop is running: no warning, a bar that ends full, and the table of the results."""
    done = subprocess.run([sys.executable, "-c", RUN, EXAMPLE], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cells = [cell for cell in nbformat.read(tmp_path / "done.ipynb", as_version=4).cells if cell.cell_type == "code"]
    _, plan, run, verdicts, numbers, figure, outcomes, response = (cell.outputs for cell in cells)
    assert plan[0].data["text/plain"].startswith("<Plan of 2 models, 1 benchmark, 3 tests")
    assert [each.output_type for each in run] == ["display_data", "execute_result"], run
    bar, table = (each.data for each in run)
    count = re.search(r"(\d+) of \1\b", bar["text/plain"])[1]
    assert f'<progress value="{count}" max="{count}">' in bar["text/html"]
    assert "<td>image-needed</td>" in table["text/html"]
    assert table["text/plain"].startswith("<Results of 2 models on 1 benchmark in notebook-exam: ")
    assert "organism/grounded pass" in verdicts[0].text
    assert "cluster-wilson" in numbers[0].data["text/html"]
    assert "organism/blind" in figure[0].data["text/html"]
    assert (tmp_path / "accuracies.csv").read_text().startswith("model,image-removed,")
    assert "abstained" in outcomes[0].data["text/html"]
    assert "Answer:" in response[0].text
