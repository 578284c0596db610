"""`snellen benchmark clean`, as a user meets it."""

import json
from shutil import copytree

import pytest

from cli.test_cli import snellen
from snellen.benchmarks import folder as own_folder
from snellen.benchmarks import load
from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.study import Study, bring, export
from strategies import items


@pytest.fixture
def typed(tmp_path):
    """A function that types a command in an empty folder and gives what it prints; it checks how it ended."""
    return lambda *words, status=0: " ".join(snellen(*words, cwd=tmp_path, status=status).split())


def always(letter, name):
    """A model that gives one letter, whatever it is shown."""
    return FakeModel(lambda request: f"Answer: {letter}", name=name)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A folder with an exam of two models that never look, on 40 items of a benchmark in a folder."""
    folder = tmp_path_factory.mktemp("asked")
    own_folder.save(items(40, options=4), folder / "mine")
    models = [always("A", "fake/a"), always("B", "fake/b")]
    Study(models=models, benchmarks=[load(folder / "mine")], tests="image-needed", out=folder / "exam").ask(
        lambda progress: None
    )
    return folder


@pytest.fixture
def exam(asked, tmp_path):
    """A copy of that exam, to be written to."""
    copytree(asked, tmp_path, dirs_exist_ok=True)
    return tmp_path / "exam"


def test_a_benchmark_is_cleaned_and_can_be_asked_again(typed, exam):
    """The table, the sentences and the folder; the folder is a benchmark for an exam."""
    printed = typed("benchmark", "clean", "exam", "--benchmark", "mine", "--resamples", "40")
    assert "fake/a 10 10 30 0 0" in printed
    assert "At least one of 2 models answers 20 of 40 items right without the image (50%)." in printed
    assert "Kept: 20 of 40 items (50%), by the paper's rule." in printed
    assert "After correction for luck, no change of order among 1 pair of models is shown" in printed
    home = exam / "bclean" / "mine-clean"
    assert str(home) in printed.replace(" ", "")
    planned = typed("exam", "--benchmark", str(home), "--tests", "image-needed", "--dry-run", "--out", "other")
    assert "image-needed 20" in planned
    assert {item.answer for item in load(home)} == {2, 3}


def test_without_the_benchmark_ids_are_written_and_said_so(typed, exam):
    """The list is one that a test takes."""
    said = typed("benchmark", "clean", "exam", "--to", "cleaned", "--resamples", "40")
    assert "no items: name them with --benchmark" in said
    assert len((exam.parent / "cleaned" / "mine-clean" / "kept.txt").read_text().splitlines()) == 20


def test_a_folder_that_is_there_is_not_touched(typed, exam):
    """The second run says what to do, before it computes anything."""
    typed("benchmark", "clean", "exam", "--resamples", "40")
    assert "nothing is overwritten" in typed("benchmark", "clean", "exam", status=1)


def test_a_threshold_and_step_3(typed, exam):
    """Both are in the record."""
    words = ("--threshold", "0.9", "--train-on-compromised", "--train", "mine", "--resamples", "40")
    typed("benchmark", "clean", "exam", *words)
    record = json.loads((exam / "bclean" / "mine-clean" / "bclean.json").read_text())
    assert record["rule"] == "posterior"
    assert record["threshold"] == 0.9
    assert record["text_only"]["judged"] > 0
    assert "--train needs --train-on-compromised" in typed("benchmark", "clean", "exam", "--train", "mine", status=2)
    both = ("--superguesser", ".", "--train-on-compromised")
    assert "Choose --superguesser or" in typed("benchmark", "clean", "exam", *both, status=2)


def test_responses_that_were_imported_are_cleaned_by(typed, exam):
    """An import with both conditions gives the same sets."""
    export(exam, exam.parent / "all.jsonl")
    bring([exam.parent / "all.jsonl"], exam.parent / "again", format="jsonl")
    assert "answers 20 of 40 items right without the image" in typed("benchmark", "clean", "again", "--resamples", "40")


def test_a_study_without_the_condition_says_what_to_run(typed, tmp_path):
    """The message has the command."""
    asked = Benchmark("b", items(3))
    Study(models=[always("A", "fake/a")], benchmarks=[asked], tests="option-order", out=tmp_path / "exam").ask(
        lambda progress: None
    )
    assert "snellen exam --tests image-needed" in typed("benchmark", "clean", "exam", status=1)


def test_another_benchmark_is_refused(typed, exam):
    """Nothing is written for items that were not asked."""
    own_folder.save(items(5, options=3), exam.parent / "other")
    assert "It asked: mine" in typed("benchmark", "clean", "exam", "--benchmark", "other", status=1)
    assert not (exam / "bclean").exists()


def test_several_benchmarks_have_a_folder_each(typed, tmp_path):
    """Names that are no paths become some."""
    benchmarks = [Benchmark(name, items(6)) for name in ("one:leak=0.5", "../two")]
    Study(models=[always("A", "m")], benchmarks=benchmarks, tests="image-needed", out=tmp_path / "exam").ask(
        lambda progress: None
    )
    typed("benchmark", "clean", "exam")
    assert sorted(path.name for path in (tmp_path / "exam" / "bclean").iterdir()) == ["one-leak-0.5-clean", "two-clean"]


def test_a_benchmark_of_several_kinds_that_was_asked_as_one_is_found(typed, tmp_path):
    """Its choices bear the name of the whole; the study asked the whole."""
    open_item = Item("open", "What is shown?", answer="a nodule", kind="open", images=items(1)[0].images)
    own_folder.save([*items(6, options=4), open_item], tmp_path / "mine")
    models = [always("A", "fake/a")]
    study = Study(models=models, benchmarks=[load(tmp_path / "mine")], tests="image-needed", out=tmp_path / "exam")
    study.ask(lambda progress: None)
    typed("benchmark", "clean", "exam", "--benchmark", "mine", "--resamples", "40")
    assert (tmp_path / "exam" / "bclean" / "mine-clean" / "items.jsonl").exists()


@pytest.mark.parametrize("command", ["audit", "benchmark clean", "bclean"])
def test_what_asks_nothing_does_not_claim_to_resume_after_ctrl_c(typed, exam, monkeypatch, command):
    """Neither stores anything before its end."""

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("snellen.cli.audit.audit_and_show", stopped)
    monkeypatch.setattr("snellen.cli.clean.clean_study", stopped)
    assert typed(*command.split(), "exam", status=130).endswith("Stopped. Nothing was kept.")
