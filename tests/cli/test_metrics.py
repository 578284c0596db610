"""`snellen metrics`, as a user meets it."""

import json
import sys

import click
import pytest

from snellen.cli import cli, metrics, terminal
from snellen.errors import BrokenRowsError, MetricError, PluginError
from snellen.reading.reports.metrics import bleu, radeval

ROWS = [
    {"id": "a", "reference": "No effusion.", "generated": "No effusion.", "patient": "1"},
    {"id": "b", "reference": "Left effusion.", "generated": "Right effusion.", "patient": "1"},
    {"id": "c", "reference": "IMPRESSION: Edema.", "generated": "Edema.", "patient": "2"},
    {"id": "d", "reference": "Edema.", "generated": "", "patient": "3"},
]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A function that runs the command in a folder with pairs.jsonl and gives what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal.out, "_width", 120)
    monkeypatch.delenv("SNELLEN_RADEVAL", raising=False)
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, ROWS)))

    def typed(*arguments):
        cli.main(["metrics", *arguments], standalone_mode=False)
        return capsys.readouterr()

    return typed


def test_a_file_is_scored_by_all_metrics_that_run_here(run):
    """The table has n, mean, interval and method; what is not scored is counted below it."""
    printed = run("pairs.jsonl").out
    for title in ("Findings F1", "BLEU", "corpus BLEU", "ROUGE-L", "ROUGE-1", "ROUGE-2"):
        assert f" {title} " in printed
    assert "RadGraph" not in printed
    assert "ROUGE-L                 3   0.833   0.000 to 1.000   0          cluster-t" in printed
    assert "4 pairs of 3 patients, 3 scored." in printed
    assert "Not scored: 1 × empty report." in printed
    assert "2 of the scored references have no impression." in printed
    assert "ROUGE-L 0.625 (95% CI" in printed.partition("If every empty report counted as 0")[2]


def test_everything_is_written_where_that_is_asked_for(run, tmp_path):
    """The JSON file has the value of every pair."""
    printed = run("pairs.jsonl", "--metric", "rouge-1", "--json", "all.json").out
    assert f"Every value: {tmp_path / 'all.json'}" in printed
    (told,) = json.loads((tmp_path / "all.json").read_text())["metrics"]
    assert [each["value"] for each in told["values"]] == [1, 0.5, 1, None]


def test_the_list_says_of_each_metric_what_it_needs(run):
    """Sources, install lines, and whether it runs here; what is missing for several is said once."""
    printed = run("--list").out
    assert "rouge-l  (higher is better; runs here)" in printed
    assert "radcliq-v1  (lower is better; does not run here)" in printed
    assert printed.count("python -m venv radeval-env") == 1
    assert printed.count("Missing: the same.") == 5
    assert "chexbert.pth of StanfordAIMI/RRG_scorers" in printed


def test_a_metric_that_cannot_run_is_an_error_only_where_it_was_named(run, monkeypatch):
    """By name it is an error with the install lines; among the usual ones it is left out, and that is said."""
    with pytest.raises(MetricError, match=r"green cannot be computed here(?s:.*)pip install radeval"):
        run("pairs.jsonl", "--metric", "green")
    monkeypatch.setattr(bleu, "find_spec", lambda name: None)
    ended = run("pairs.jsonl")
    assert "bleu is left out. The package 'sacrebleu' is needed" in ended.err
    assert "BLEU" not in ended.out


def test_radeval_is_asked_in_the_environment_that_is_named(run, tmp_path, monkeypatch):
    """--radeval and SNELLEN_RADEVAL name its Python; with --fetch-weights nobody looks for weights."""
    asked = []

    def scores(name, pairs, *, where=None):
        asked.append((name, len(pairs), where))
        return [0.5] * len(pairs)

    monkeypatch.setattr(radeval, "scores", scores)
    monkeypatch.setattr(radeval, "lacks", lambda name, where=None: "nothing is there" if not where.python else "")
    assert "CheXbert similarity" in run("pairs.jsonl", "--metric", "chexbert", "--radeval", sys.executable).out
    monkeypatch.setenv("SNELLEN_RADEVAL", "env/python")
    run("pairs.jsonl", "--metric", "radcliq-v1", "--fetch-weights")
    first, second = (radeval.Environment(sys.executable), radeval.Environment("env/python", fetch=True))
    assert asked == [("chexbert", 3, first), ("radcliq-v1", 3, second)]


def test_what_is_wrong_is_said(run, tmp_path):
    """No file, an unknown metric, broken rows."""
    with pytest.raises(click.UsageError, match="Which file"):
        run()
    with pytest.raises(PluginError, match="Did you mean 'rouge-l'"):
        run("pairs.jsonl", "--metric", "rouge-ll")
    (tmp_path / "broken.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(BrokenRowsError, match="it has no 'reference'"):
        run("broken.jsonl")


def test_long_jobs_say_which_metric_they_are_at(run, monkeypatch):
    """Where nobody watches a bar, a line for each metric goes to stderr if there are many pairs."""
    monkeypatch.setattr(metrics, "LONG_JOB", 3)
    assert "ROUGE-L 3 of 3" in run("pairs.jsonl", "--metric", "rouge-l").err
    monkeypatch.setattr(metrics, "LONG_JOB", 300)
    assert run("pairs.jsonl", "--metric", "rouge-l").err == ""
