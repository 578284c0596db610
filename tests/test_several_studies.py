"""Several studies in one folder: none replaces the results of another, and each can be chosen by its name."""

import json
import re
import sys
from dataclasses import replace

import pytest

from snellen.cli import main
from snellen.conditions import IMAGE_REMOVED
from snellen.errors import PluginError, StoreError, StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.scoring.result_files import record_results
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Expectation, StressTest
from snellen.study import Study, export, judge, publish, rescore
from strategies import items

FILES = ("results.csv", "results.json", "report.html")
OWN = StressTest("own-removal", "Does it need the image?", (IMAGE_REMOVED,), Expectation.WORSE)


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """Commands typed in a folder; gives what each printed, and checks how it ended."""
    monkeypatch.chdir(tmp_path)

    def run(line, status=0):
        monkeypatch.setattr(sys, "argv", ["snellen", *line.split()])
        ended = 0
        try:
            main()
        except SystemExit as end:
            ended = end.code
        printed = capsys.readouterr()
        assert ended == status, printed
        return " ".join((printed.out + printed.err).split())

    return run


def study(out, **settings):
    model = FakeModel(lambda request: "Answer: A")
    usual = {"models": [model], "benchmarks": [Benchmark("b", items(6))], "tests": "image-needed", "out": out}
    return Study(**{**usual, **settings})


def ran(out, **settings):
    return study(out, **settings).run(lambda progress: None)


def files(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def test_no_study_replaces_the_results_of_another(tmp_path):
    """The first lies in the folder as ever, the others in folders there; each is redrawn where it lies."""
    first = ran(tmp_path)
    before = files(tmp_path)
    second = ran(tmp_path, tests="option-order", repeat=False)
    third = ran(tmp_path, name="pilot", limit=3)
    assert [each.folder for each in (first, second, third)] == [tmp_path, tmp_path / "study-2", tmp_path / "pilot"]
    assert files(tmp_path) == before
    kept = {each.folder: files(each.folder) for each in (first, second, third)}
    assert publish(tmp_path).folder == third.folder
    assert publish(tmp_path, study="study-1").folder == tmp_path
    assert publish(tmp_path, study="study-2").study["tests"] == ["option-order"]
    assert {folder: files(folder) for folder in kept} == kept
    for folder, name in zip(kept, ("study-1", "study-2", "pilot"), strict=True):
        assert json.loads(kept[folder]["results.json"])["study"]["name"] == name
        assert f"snellen report OUT --study {name} " in kept[folder]["report.html"].decode()


def test_responses_are_read_for_every_study_of_a_folder(tmp_path):
    """Also for those whose results lie in a folder of their own."""
    ran(tmp_path)
    second = ran(tmp_path, limit=3)
    assert second.folder != second.out
    (asked,) = second.benchmarks.values()
    assert {row["item_id"] for row in second.responses()} == {item.id for item in asked.items[:3]}


def test_results_are_not_written_behind_a_link(tmp_path, no_page):
    """A folder from elsewhere may hold a link by the name of a study's folder; what lies there stays."""
    out, mine = tmp_path / "out", tmp_path / "mine"
    ran(out)
    second = ran(out, tests="option-order").folder
    second.rename(mine)
    (mine / "report.html").write_text("mine")
    second.symlink_to(mine)
    with pytest.raises(StoreError, match="'study-2' leads out of"):
        publish(out, study="study-2")
    assert (mine / "report.html").read_text() == "mine"


def test_a_study_that_is_resumed_keeps_its_name_and_asks_nothing_twice(tmp_path):
    """Also after another one; its own results are scored, whichever is the latest."""
    ran(tmp_path)
    ran(tmp_path, limit=3)
    assert study(tmp_path).ask(lambda progress: None).done == 0
    with Store.open(tmp_path) as store:
        assert [each.name for each in store.studies.load_all()] == ["study-1", "study-2"]
        assert store.studies.record()["name"] == "study-1"
    assert study(tmp_path, limit=3).score().folder == tmp_path / "study-2"
    assert study(tmp_path).score().folder == tmp_path
    with pytest.raises(StudyError, match=r"No study in .* matches this one: study-1, study-2"):
        study(tmp_path, limit=4).score()


def test_a_name_that_another_study_has_is_refused_before_anything_is_asked(tmp_path):
    """The folder is as it was."""
    ran(tmp_path, name="pilot")
    before = files(tmp_path)
    silent = FakeModel(lambda request: pytest.fail("was asked"), name="fake/other")
    with pytest.raises(StudyError, match="holds another study called 'pilot', with other models"):
        ran(tmp_path, name="pilot", models=[silent])
    assert files(tmp_path) == before


def test_a_study_file_gives_its_study_a_name(tmp_path):
    """The file's own, or the one that it says; what is given beside it wins."""
    path = tmp_path / "first look.toml"
    path.write_text('models = "organism/blind"\nbenchmarks = "phantoms:items=2"\ntests = "image-needed"\n')
    read = Study.from_toml(path, out=tmp_path / "out")
    assert read.run(lambda progress: None).study["name"] == "first-look"
    assert replace(read, name="other").run(lambda progress: None).study["name"] == "other"
    path.write_text('name = "said"\n')
    assert Study.from_toml(path).name == "said"
    assert Study.from_toml(path, name="given").name == "given"
    path.write_text('name = "../said"\n')
    with pytest.raises(StudyError, match=r"first look.toml: A study cannot be called '../said'"):
        Study.from_toml(path)
    path.write_text('stem = "x"\n')
    with pytest.raises(StudyError, match="there is no setting 'stem'"):
        Study.from_toml(path)


def test_every_function_takes_the_study_that_is_named(tmp_path):
    """rescore, export and judge; an unknown name has the closest beside it."""
    ran(tmp_path, name="long")
    ran(tmp_path, name="short", limit=2)
    assert rescore(tmp_path).tables["fake/function", "b"].arms["original"].wanted == 2
    assert rescore(tmp_path, study="long").tables["fake/function", "b"].arms["original"].wanted == 6
    assert export(tmp_path, tmp_path / "a.jsonl", study="long") == 12
    asked = []
    judging = FakeModel(lambda request: asked.append(request) or "no", name="fake/judge")
    judge(tmp_path, judging, study="short", watch=lambda progress: None)
    short = len(asked)
    judge(tmp_path, judging, study="long", watch=lambda progress: None)
    assert 0 < short < len(asked)
    for takes in (publish, rescore, lambda out, study: export(out, out / "a.jsonl", study=study)):
        with pytest.raises(StudyError, match=r"Did you mean 'short'\? There are: long, short"):
            takes(tmp_path, study="shot")


def test_studies_are_listed(tmp_path, typed):
    """Each with when, what, how much of it is there, and where its report lies or how to draw it."""
    ran(tmp_path / "o")
    half = study(tmp_path / "o", name="pilot", epochs=2, tests=["image-needed", "option-order"])
    half.ask(lambda progress: None)
    printed = typed("list studies o")
    page = tmp_path / "o" / "report.html"
    assert re.search(
        r"study-1 asked \d{4}-.* models fake/function benchmarks b tests image-needed responses 12 of 12 "
        rf"report {re.escape(str(page))} pilot \(latest\) asked .* tests image-needed, option-order "
        r"responses 36 of 36 report not drawn yet: snellen report o --study pilot$",
        printed,
    )
    assert "Which folder? snellen list studies OUT" in typed("list studies", status=2)
    assert "There are no responses in nowhere" in typed("list studies nowhere", status=1)
    assert "Only studies are listed by folder: snellen list studies o" in typed("list tests o", status=2)
    Store.open(tmp_path / "empty", write=True).close()
    assert "empty holds no study yet" in typed("list studies empty", status=1)


def test_what_is_missing_is_counted_in_the_list(tmp_path, typed):
    """A model that failed on one question, and an item to which a condition does not apply."""
    without = replace(items(1)[0], id="plain", images=())
    failing = FakeModel(lambda request: 1 / 0 if "picture 3 " in request.text else "Answer: A")
    study(tmp_path / "o", models=[failing], benchmarks=[Benchmark("b", (*items(6), without))]).ask(
        lambda progress: None
    )
    record = record_results(rescore(tmp_path / "o"))
    replies, wanted = (sum(line[part] for line in record["accounting"]) for part in ("replies", "wanted"))
    assert replies < wanted
    assert f"responses {replies} of {wanted} " in typed("list studies o")


def test_commands_say_which_study_they_took(tmp_path, typed):
    """And how to take another; of a folder with one study, nothing is said."""
    exam = "exam --model organism/blind --benchmark phantoms:items=4 --out o --tests"
    alone = typed(f"{exam} image-needed")
    assert alone.endswith(f"Report: {tmp_path / 'o' / 'report.html'} (all tests: --verbose)")
    assert "--study" not in alone
    told = "Study: pilot, one of 2 in o; --study NAME chooses another (study-1)."
    second = typed(f"{exam} option-order --name pilot")
    assert f"Report: {tmp_path / 'o' / 'pilot' / 'report.html'} (all tests: --verbose) {told}" in second
    for command in ("report o", "score o", "export o --to jsonl --file a.jsonl", "published mirage o"):
        assert told in typed(command)
        assert "Study: study-1, one of 2 in o" in typed(f"{command} --study study-1")
        assert "Did you mean 'pilot'? There are: study-1, pilot." in typed(f"{command} --study pilt", status=1)
    assert told in typed("judge o --model organism/refuser --limit 1")
    again = typed(f"{exam} image-needed")
    assert f"Report: {tmp_path / 'o' / 'report.html'} (all tests: --verbose) Study: study-1, one of 2 in o" in again


def test_an_import_says_which_study_it_made(tmp_path, typed):
    """Beside a study that was run, one of its own, under the name that it is given."""
    ran(tmp_path / "o")
    export(tmp_path / "o", tmp_path / "a.jsonl")
    assert "The responses are in the study theirs." in typed("import a.jsonl --from jsonl --out o --name theirs")
    assert "one of 2 in o" in typed("report o")
    assert (tmp_path / "o" / "theirs" / "report.html").is_file()


def test_a_test_that_only_python_knows_is_left_out_and_said(tmp_path, typed):
    """The others are scored; terminal, results.json and report say what is missing, and the command ends with 1."""
    whole = ran(tmp_path / "o", tests=["image-needed", OWN])
    assert whole.unscored == {}
    printed = typed("report o --verbose", status=1)
    sentence = (
        "The test 'own-removal' cannot be scored here, because no installed package registers it: score it from Python "
        "with Study(...).score() or publish(out, tests=[...]), or register it under the entry point snellen.stress."
    )
    assert f"snellen: {sentence} It is left out" in printed
    assert "score needs the image?" in printed
    record = json.loads((tmp_path / "o" / "results.json").read_text())
    assert record["unscored"] == {"own-removal": sentence}
    assert {row["test"] for row in record["results"]} == {"honest", "image-needed"}
    assert (
        "<b>Left out.</b> The test &#39;own-removal&#39; cannot be scored"
        in (tmp_path / "o" / "report.html").read_text()
    )
    assert sentence in str(rescore(tmp_path / "o"))
    assert record_results(publish(tmp_path / "o", tests=[OWN])) == record_results(whole)
    assert study(tmp_path / "o", tests=["image-needed", OWN]).score().unscored == {}


def test_a_study_of_tests_that_only_python_knows_cannot_be_reported_from_the_shell(tmp_path, typed):
    """Nothing would be left; one sentence, and the report that is there stays."""
    ran(tmp_path / "o", tests=[OWN])
    before = files(tmp_path / "o")
    assert "The test 'own-removal' cannot be scored here" in typed("report o", status=1)
    assert files(tmp_path / "o") == before
    with pytest.raises(PluginError, match="own-removal"):
        rescore(tmp_path / "o")


def test_the_own_questions_of_a_test_that_is_left_out_are_left_out_too(tmp_path):
    """Other tests are not held against answers to questions that they never asked."""
    rate = stress_test("mirage-rate:none").with_settings(name="own-rate")
    whole = ran(tmp_path, tests=["image-needed", rate], limit=4)
    assert {finding.benchmark for finding in whole.findings} == {"b", "mirage-questions"}
    rest = publish(tmp_path)
    assert {finding.benchmark for finding in rest.findings} == {"b"}
    assert list(rest.unscored) == ["own-rate"]
    assert list(rest.benchmarks) == ["b"]
    assert "&#39;own-rate&#39; cannot be scored here" in (tmp_path / "report.html").read_text()
