"""`snellen benchmark guess`, as a user meets it."""

import json

import pytest

from snellen.cli import cli, terminal
from snellen.testing import own_benchmark
from snellen.tools.audit.superguesser.lora import AdaptedModel
from tiny_model import asked

SMALL = ("--precision", "fp32", "--batch", "16", "--learning-rate", "2e-3", "--device", "cpu", "--prompt", "mirage")


def row(item, split):
    options = [option.text for option in item.options]
    return {
        "id": f"{split}-{item.id}",
        "question": item.question,
        "options": options,
        "answer": item.answer,
        "split": split,
    }


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A function that runs the command in a folder with a benchmark of two splits, and gives what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal.out, "_width", 120)
    items = [row(asked(number), split) for split, count in (("train", 64), ("test", 24)) for number in range(count)]
    own_benchmark(tmp_path / "tiny", items)

    def typed(*arguments):
        cli.main(["benchmark", "guess", "tiny", *arguments], standalone_mode=False)
        return capsys.readouterr()

    return typed


def test_a_dry_run_says_what_would_be_trained_and_loads_no_model(run, tmp_path):
    """Questions, steps and, for folds, how many trainings."""
    printed = run("--base", "nowhere", "--dry-run").out
    assert "58 questions to learn from in 3 steps, 6 for validation, 24 tested." in printed
    printed = run("--base", "nowhere", "--folds", "3", "--dry-run", "--questions", "20").out
    assert "3 folds: 3 trainings, one after another." in printed
    assert "60 training questions not drawn" in printed
    assert not (tmp_path / "superguesser").exists()


def test_it_is_stopped_with_ctrl_c_and_goes_on(run, saved, tmp_path, monkeypatch, capsys):
    """The message says so, and the second call ends with the result and the files."""
    loss, calls = AdaptedModel.loss, []

    def interrupted(self, batch):
        calls.append(batch)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return loss(self, batch)

    monkeypatch.setattr(AdaptedModel, "loss", interrupted)
    with pytest.raises(SystemExit, match="130"):
        run("--base", str(saved.folder), *SMALL)
    assert "Stopped. Run the same command to continue training." in capsys.readouterr().err
    monkeypatch.setattr(AdaptedModel, "loss", loss)
    done = run("--base", str(saved.folder), *SMALL)
    assert "training 1 12 of 12 loss" in done.err
    assert "tokens/s · 0 s left" in done.err
    assert "Trained on 58 questions without images, the super-guesser answers" in done.out
    kept = json.loads((tmp_path / "superguesser" / "superguesser.json").read_bytes())
    assert (kept["benchmark"], kept["n"], kept["prompt"], kept["trainings"][0]["steps"]) == ("tiny", 24, "mirage", 12)
    assert len((tmp_path / "superguesser" / "scores.jsonl").read_bytes().splitlines()) == 24


def test_questions_that_are_too_long_are_counted(run, saved):
    """And what was cut off is said."""
    done = run("--base", str(saved.folder), *SMALL, "--epochs", "1", "--max-length", "32")
    assert "Cut off at the beginning, because longer than 32 tokens: 24 tested questions, 64 for" in done.out
