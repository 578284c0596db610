"""`snellen audit` prints and writes what it finds, reads a study's own folder, and says what it cannot."""

import json

import pytest

from snellen.benchmarks import load
from snellen.cli import cli
from snellen.cli.review import open_review
from snellen.errors import PluginError
from snellen.models.fake import FakeModel
from snellen.study import Study
from snellen.testing import own_benchmark
from snellen.tools.audit.checks import MEMBERS
from snellen.tools.review.drawing import DrawingPlan, draw_sample
from snellen.tools.review.tasks.mend import MEND


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


def test_what_raters_decide_becomes_a_corrected_copy(tmp_path, capsys):
    """Audit --review, a vote by every rater, benchmark mend: the copy is corrected, and the original as it was."""
    rows = [{"id": f"q{at}", "question": f"Which side has shadow {at}?", "options": ["Left", "Right"], "answer": "A"}
            for at in range(6)]  # fmt: skip
    rows[1]["question"] = "Which side is/are it on?"
    rows[2]["options"] = ["Right &amp; upper", "Left"]
    benchmark = own_benchmark(tmp_path / "mine", rows)
    before = {file: file.read_bytes() for file in (tmp_path / "mine").rglob("*") if file.is_file()}
    review, copy = tmp_path / "mending", tmp_path / "copy"
    run("audit", benchmark, "--out", tmp_path / "audit", "--check", "wording", "--review", review)
    assert "2 items to decide on" in capsys.readouterr().out
    with open_review(str(review), None, None, begin=True) as found:
        drew = draw_sample(found.store, found.study, MEND, DrawingPlan())
        found.ballots.add_review("mend", drew.record, drew.cases)
        for name in ("anna", "bert"):
            rater = found.ballots.rater(found.ballots.invite(name))
            while (case := found.ballots.next_case(rater)) is not None:
                value = {"decision": "mend", "key": "B", "new_question": "Which side is it on?", "why": name}
                found.ballots.cast(
                    rater, case.id, value if "is/are" in case.question else {"decision": "remove"}, nonce=case.id
                )
    run("benchmark", "mend", benchmark, "--review", review, "--out", copy)
    said = capsys.readouterr().out
    assert "mended 1" in said
    assert "removed 1" in said
    items = {item.id: item for item in load(str(copy))}
    assert set(items) == {f"q{at}" for at in (0, 1, 3, 4, 5)}
    assert (items["q1"].question, items["q1"].answer) == ("Which side is it on?", 1)
    assert "agreement" in (copy / "changelog.csv").read_text()
    assert {file: file.read_bytes() for file in before} == before
