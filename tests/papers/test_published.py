"""Printed figures: ours to carry, and equal to the papers'."""

import json

import pytest
from click.testing import CliRunner

from snellen.cli import cli, terminal
from snellen.errors import StudyError
from snellen.papers import compared, papers, printed, sheets
from snellen.study import bring, rescore


def test_the_italian_table_is_the_printed_one(oracles):
    """Every model and arm, value and interval."""
    table = oracles["italian"]["table"]
    ours = {(line.model, line.arm.removeprefix("image-")): list(line.printed) for line in compared("italian")}
    assert ours == {(model, arm): figures for model, arms in table.items() for arm, figures in arms.items()}


def test_without_replies_there_is_nothing_to_compare():
    """The printed figures stand alone."""
    assert {line.agrees for line in compared("italian")} == {None}


@pytest.mark.parametrize("paper", papers())
def test_every_paper_has_a_table(paper):
    """Under its title; every table with a title, a cell for every column, and notes that say how to read it."""
    assert printed(paper)["paper"]
    assert next(sheets(paper)).title == printed(paper)["paper"]
    for sheet in sheets(paper):
        assert sheet.title
        assert sheet.rows
        assert {len(row) for row in sheet.rows} == {len(sheet.columns)}
        assert all(sheet.notes)


@pytest.mark.parametrize("paper", papers())
def test_the_command_prints_everything(paper, monkeypatch):
    """Every table of a paper with its notes; on a narrow screen no figure is cut in two."""
    monkeypatch.setattr(terminal.out, "_width", 80)  # whatever terminal this is
    done = CliRunner().invoke(cli, ["published", paper])
    assert done.exit_code == 0
    output = " ".join(done.output.split())
    for sheet in sheets(paper):
        assert sheet.title in output
        for line in sheet.rows:
            assert all(cell in done.output for cell in line[sheet.words :])
        assert all(" ".join(each.split()) in output for each in sheet.notes)


@pytest.mark.parametrize("asked", [printed, sheets, compared])
def test_an_unknown_paper_is_refused(asked):
    """With those there are."""
    with pytest.raises(StudyError, match="There are: artefacts, italian, mirage, pathway, readiness"):
        asked("nature")


def test_figures_without_public_replies_are_not_compared():
    """It says whose replies are public."""
    with pytest.raises(StudyError, match=r"not public\. They are of: italian"):
        compared("readiness")


def test_without_a_paper_the_papers_are_listed():
    """Each with its title, a line each."""
    done = CliRunner(env={"COLUMNS": "200"}).invoke(cli, ["paper", "figures"])
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.output.splitlines()] == list(papers())
    assert all(printed(paper)["paper"] in done.output for paper in papers())


def test_the_command_sets_ours_beside_the_printed(tmp_path):
    """Equal, different or not there, in words; on a narrow screen no figure is cut in two."""
    rows = row("openai/gpt-4o", "original", 9, "europemedqa-ssm-it")
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    bring([tmp_path / "a.jsonl"], tmp_path / "out", format="jsonl")
    done = CliRunner(env={"COLUMNS": "66"}).invoke(cli, ["paper", "figures", "italian", str(tmp_path / "out")])
    assert done.exit_code == 0
    assert "83.2 [74.6, 91.7]" in done.output
    assert done.output.count("DIFFERENT") == 1
    assert done.output.count("not in OUT") == 7


def row(model, arm, right, benchmark):
    """A reply of one of ten items; the first so many are right."""
    return [
        {
            "model": model, "benchmark": benchmark, "item_id": str(n), "arm": arm, "replicate": run, "question": "?",
            "options": ["A", "B"], "answer": "A", "response": f"{n}, {'A' if n < right else 'B'}",
        }
        for n in range(10)
        for run in range(2)
    ]  # fmt: skip


def test_ours_stands_beside_the_printed_figure(tmp_path):
    """Nine of ten right is not what was printed, and is said so; another benchmark beside it changes nothing."""
    model = "openai/gpt-4o"
    rows = [*row(model, "original", 9, "europemedqa-ssm-it"), *row(model, "original", 2, "another")]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    bring([tmp_path / "a.jsonl"], tmp_path / "out", format="jsonl")
    lines = {(line.model, line.arm): line for line in compared("italian", rescore(tmp_path / "out"))}
    found = lines[model, "original"]
    assert found.ours[0] == 90.0
    assert found.agrees is False
    assert lines[model, "image-blank"].agrees is None
