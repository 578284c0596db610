"""`snellen audit` prints and writes what it finds, reads a study's own folder, and says what it cannot."""

import json

import pytest

from snellen.cli import cli
from snellen.errors import PluginError
from snellen.models.fake import FakeModel
from snellen.study import Study
from snellen.tools.audit.checks import MEMBERS


def run(*words):
    cli.main([*map(str, words)], standalone_mode=False)


def test_a_leak_is_found_and_written(tmp_path, capsys):
    """Phantoms whose text gives the answer away: the guesser says so first, by what the context says."""
    run("audit", "phantoms:items=120,leak=0.8", "--out", tmp_path / "audit", "--check", "super-guesser")
    said = " ".join(capsys.readouterr().out.split())
    assert "Score possible without images: a guesser that reads only" in said
    assert "named in the context" in said
    written = {file.name for file in (tmp_path / "audit").iterdir()}
    assert {"audit.html", "findings.csv", "items.csv", "audit.json"} <= written
    told = json.loads((tmp_path / "audit" / "audit.json").read_text())
    assert told["findings"][0]["severity"] == "high"
    assert "seed" in told["about"]


def test_the_folder_of_a_study_is_audited_with_its_answers(tmp_path, capsys):
    """Items and answers come from the store: two models are too few to say anything of keys, which is said."""
    models = [FakeModel(lambda request: "A", name=f"m/{number}") for number in range(2)]
    study = Study(models=models, benchmarks=["phantoms:items=20"], tests=["image-needed"], out=tmp_path / "out")
    study.run()
    capsys.readouterr()
    run("audit", tmp_path / "out", "--out", tmp_path / "audit", "--check", "wrong-keys", "--check", "missing-images")
    said = " ".join(capsys.readouterr().out.split())
    assert "answers of 2 models were found" in said
    assert "None of the 20 items has an image" in said


def test_the_checks_are_listed(capsys):
    """Every check with its question; a name that is none is told with the nearest."""
    run("audit", "--list")
    said = capsys.readouterr().out
    assert all(f"{name}\n" in said or f"{name}  (" in said for name in MEMBERS)
    with pytest.raises(PluginError, match="Did you mean 'pruning'"):
        run("audit", "phantoms", "--check", "prunning")
