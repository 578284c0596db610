"""`snellen plan --labels`: how many labels are enough, said before anybody labels."""

import re

import pytest
from click.testing import CliRunner

from snellen.cli import cli, terminal
from snellen.stats.label_planning import labels_for_accuracy, labels_for_kappa_above, labels_for_kappa_width


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setattr(terminal.out, "_width", 160)


def plan(*arguments):
    """What the command prints."""
    done = CliRunner().invoke(cli, ["plan", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.output


def numbers(text):
    """The right column of the table, below its head."""
    rows = [re.split(r" {2,}", line.strip()) for line in text.splitlines()]
    return [row[1] for row in rows if len(row) == 2 and row[1] != "labels"]


def test_the_numbers_are_those_of_the_statistics():
    """Four of them, for what is expected without a word: κ 0.8, half of the responses correct, 1,000 responses."""
    text = plan("--labels", "--width", 0.1)
    about = {"agreement": 0.9, "share": 0.5}
    accuracy = labels_for_accuracy(0.1, **about, responses=1000)
    wanted = [
        labels_for_kappa_width(0.1, **about).labels,
        labels_for_kappa_above(0.6, **about).labels,
        accuracy.labels_alone,
        accuracy.labels,
    ]
    assert [int(each) for each in numbers(text)] == wanted
    assert "agree on 90% of the responses (κ 0.80); people call 50% correct" in text
    assert text == plan("--labels", "--width", 0.1, "--agreement", 0.9)


def test_what_cannot_be_is_said():
    """No number of labels shows what is not so, and few responses cannot be known precisely."""
    text = plan("--labels", "--kappa", 0.5, "--width", 0.1, "--responses", 50)
    assert "impossible: κ is expected to be 0.50" in text
    assert "more responses are needed" in text
    assert "more than there are responses" in text


def test_a_study_says_how_many_responses_there_are(tmp_path):
    """Of one model under one condition, for each benchmark."""
    (tmp_path / "study.toml").write_text('benchmarks = ["phantoms"]\nlimit = 30\nepochs = 2\n')
    text = plan(tmp_path / "study.toml", "--labels", "--width", 0.15)
    assert "phantoms: the same, with the judge's 60 grades corrected by labels" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plan"], "Which study?"),
        (["plan", "--labels", "--kappa", "0.8", "--agreement", "0.9"], "Choose --kappa or --agreement"),
        (["plan", "--labels", "--agreement", "0.3", "--correct", "0.9"], "is impossible"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(arguments, words):
    """With what to do."""
    done = CliRunner().invoke(cli, arguments)
    assert (done.exit_code, words in done.output) == (2, True)
