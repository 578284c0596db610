"""Suites: a whole protocol under one name, in its own words."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from snellen.benchmarks import load
from snellen.cli import cli, terminal
from snellen.cli.asking import not_sent, show_plan
from snellen.errors import StudyError
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.papers import suite_named, suites
from snellen.papers.readiness import readiness
from snellen.papers.readiness.report.abstention import count_unexplained
from snellen.papers.standard import standard
from snellen.prompts import PROMPTS, Settings
from snellen.reading.columns import NEW_OPTION
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.provenance import particulars
from snellen.scoring.resolving import study_record
from snellen.store import Store
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import Expectation, StressTest
from snellen.study import Study, rescore
from strategies import findings
from studied import results_of

READINESS = [
    "image-needed",
    "visual-necessity",
    "option-order",
    "option-order:image=removed",
    "distractors",
    "distractors:image=removed",
    "unknown-option",
    "unknown-option:image=removed",
    "visual-substitution",
    "chain-of-thought",
    "reasoning-effort",
    "rationale:image-removed,original+cot",
    "grounded-reading",
    "robustness",
]
ARMS = {
    "original", "image-removed", "options-shuffled", "image-removed+options-shuffled", "unknown-offered",
    "image-removed+unknown-offered", "image-substituted", "original+cot", "original+low", "original+medium",
    "original+high", *(f"distractors-replaced:count={count}" for count in range(1, 5)),
    *(f"image-removed+distractors-replaced:count={count}" for count in range(1, 5)),
}  # fmt: skip
MODEL = FakeModel(lambda request: "<answer>A</answer>")


def study(**settings):
    """A study of a fake model on a few items."""
    return Study(**{"models": [MODEL], "benchmarks": [Benchmark("b", findings(6))], "out": "nowhere", **settings})


def names(**settings):
    """The tests that a study plans."""
    return [test.name for test in study(**settings).plan().tests]


def test_readiness_is_all_of_its_tests():
    """T1 to T6, the score and the grounded reading; every arm is asked once."""
    planned = study(tests=["readiness"]).plan()
    assert [test.name for test in planned.tests] == READINESS
    assert {arm.name for arm in planned.arms_of(planned.benchmarks[0])} == ARMS
    assert len(planned.arms_of(planned.benchmarks[0])) == len(ARMS)


def test_the_scores_ask_nothing_of_their_own():
    """All their arms are those of the tests before them."""
    tests = [stress_test(name) for name in READINESS]
    asked = {arm.name for test in tests if not test.scores for arm in test.all_arms}
    assert {arm.name for test in tests if test.scores for arm in test.all_arms} <= asked


def test_the_prompt_is_the_papers_word_for_word():
    """Supplementary Note 5, without and with chain of thought."""
    item = Item(id="1", question="What is it?", context="A man.", options=(Option("Drusen"), Option("Cyst")), answer=0)
    planned = study(tests=["readiness"]).plan()
    asked = {arm.name: arm.prompt.render(item).text for arm in planned.arms_of(planned.benchmarks[0])}
    question = (
        "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
        "The following is a multiple choice question (with answers).\n"
        "Question: A man.\n\nWhat is it?\n"
        "Options:\n"
        "A. Drusen\n"
        "B. Cyst\n"
    )
    place = "Provide answer with the index and content of the option, and place it within <answer>"
    assert asked["original"] == f"{question}{place}</answer>"
    assert asked["original+cot"] == (
        f"{question}Let us think step by step, enclosing the thought process within <thinking> and </thinking>.\n"
        f"{place} and </answer>."
    )
    others = {text for arm, text in asked.items() if arm != "original+cot"}
    assert others == {asked["original"]}
    assert not any(arm.prompt.system for arm in planned.arms_of(planned.benchmarks[0]))


def test_a_prompt_that_is_named_wins_over_the_suites():
    """And tests without a suite are asked in our own words."""
    assert study(tests=["readiness"], prompt="letter").plan().prompt is PROMPTS["letter"]
    assert study(tests=["image-needed", "readiness"]).plan().prompt is PROMPTS["readiness"]
    assert study(tests=["standard"]).plan().prompt is PROMPTS["letter"]
    assert study(tests=["image-needed"]).plan().prompt is PROMPTS["letter"]


@pytest.mark.parametrize(("suite", "temperature"), [("readiness", 0.0), ("mirage", 1.0), ("artefacts", 0.0)])
def test_a_suite_asks_at_its_papers_temperature_unless_the_user_names_one(suite, temperature):
    """Its arms have it; the standard exam leaves it to the provider, and of two suites the first decides."""

    def asked_at(*tests, **settings):
        plan = Study(models=["organism/blind"], tests=tests, **settings).plan()
        return {arm.settings.temperature for benchmark in plan.benchmarks for arm in plan.arms_of(benchmark)}

    assert asked_at(suite) == {temperature}
    assert asked_at(suite, settings=Settings(temperature=0.3)) == {0.3}
    assert asked_at("standard") == {None}
    assert asked_at("standard", suite, "mirage-bias") == {temperature, 1.0}


class NoTemperature(FakeModel):
    """A model that takes no temperature."""

    def untaken(self, settings):
        """Its name, if one is set."""
        return ("temperature",) if settings.temperature is not None else ()


def test_it_is_said_where_a_model_does_not_take_the_papers_temperature(tmp_path, capsys):
    """In the plan and in the study's record, which the report and results.json show."""
    models = [NoTemperature(lambda request: "A", name="fake/fixed"), FakeModel(lambda request: "A", name="fake/free")]
    study = Study(models=models, benchmarks=["phantoms:items=2"], tests=["readiness", "image-needed"], out=tmp_path)
    show_plan(study.plan(), out_folder=tmp_path, answered=0)
    assert "· temperature 0 as in the paper" in capsys.readouterr().out
    assert [line.split(":")[0] for line in not_sent(study.plan())] == [
        "fake/fixed does not accept temperature 0. It is not sent; the model uses its own default."
    ]
    with Store.open(tmp_path, write=True) as store:
        record = study_record(study.plan(), store, {})
    assert ("settings not sent", "fake/fixed temperature 0.0") in particulars(record)
    assert ("settings", "temperature 0.0") in particulars(record)


def test_settings_are_passed_on(tmp_path):
    """The items that need the image to the three tests that ask for them, the number of images to the fifth."""
    listed = tmp_path / "needed.txt"
    listed.write_text("f000\nf001\n")
    found = names(tests=[f"readiness:items={listed},images=3"])
    assert [name for name in found if str(listed) in name] == [
        f"visual-necessity:items={listed}", f"grounded-reading:items={listed}", f"robustness:items={listed}",
    ]  # fmt: skip
    assert "visual-substitution:images=3" in found
    assert readiness(images=1).tests == readiness().tests == (*READINESS, "reports")
    needing = tuple(replace(item, metadata={**item.metadata, "needs": 2}) for item in findings(6))
    rated = names(tests=["readiness:rating=needs,at_least=2"], benchmarks=[Benchmark("b", needing)])
    assert "robustness:rating=needs,at_least=2" in rated


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("readiness:colour=red", "cannot be made"),
        ("readiness:now", "cannot be made"),
        ("standard:items=3", "cannot be made"),
        ("readiness:images=x", "whole number"),
        ("readiness:items=nowhere.txt", "is missing"),
        ("readiness:words=few", "words to be a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_said_before_anything_is_asked(spec, message):
    """Unknown ones, bare ones, wrong ones, a file that is not there."""
    with pytest.raises(StudyError, match=message):
        study(tests=[spec]).plan()


@pytest.mark.parametrize(
    "tests",
    [
        ["standard", "readiness"],
        ["readiness", "standard"],
        ["image-needed", "standard"],
        ["standard", "image-needed"],
        ["standard", "standard"],
        ["option-order", "option-order:image=kept"],
    ],
)
def test_a_test_that_is_named_twice_is_asked_once(tests):
    """By a suite, by two, or by itself, in any order and under any of its names; here no question is open."""
    found = names(tests=tests)
    assert len(set(found)) == len(found)
    assert {name for entry in tests for name in expanded(entry)} - {"open-answers", "reports"} == set(found)


def expanded(entry):
    """The tests that an entry names."""
    suite = suite_named(entry)
    return suite.tests if suite else [stress_test(entry).name]


def test_a_test_of_ones_own_never_gives_way_in_silence():
    """One that takes the name of another is refused."""
    mine = StressTest("image-needed", "Mine?", (), Expectation.UNKNOWN)
    with pytest.raises(StudyError, match="tests twice: image-needed"):
        study(tests=["standard", mine]).plan()


def test_a_suite_comes_from_a_file(tmp_path):
    """Its tests, and its prompt unless the file has one."""
    path = tmp_path / "study.toml"
    path.write_text('models = ["organism/blind"]\nbenchmarks = ["phantoms:items=4"]\ntests = ["readiness:images=2"]\n')
    planned = Study.from_toml(path).plan()
    assert "visual-substitution:images=2" in [test.name for test in planned.tests]
    assert planned.prompt.name == "readiness"
    assert Study.from_toml(path, prompt="letter").plan().prompt.name == "letter"


def test_a_suite_is_named_on_the_command_line(tmp_path, monkeypatch):
    """What would be asked of whom, test by test; with no argument the standard exam."""
    monkeypatch.chdir(tmp_path)
    options = ["--dry-run", "--model", "organism/blind", "--benchmark", "phantoms:items=8"]
    monkeypatch.setattr(terminal.out, "_width", 250)  # whatever terminal this is
    wide = CliRunner()
    done = wide.invoke(cli, ["exam", "--tests", "readiness", *options], catch_exceptions=False)
    assert done.exit_code == 0
    assert all(name in done.output for name in READINESS)
    usual = wide.invoke(cli, ["exam", *options], catch_exceptions=False)
    assert [name for name in (*standard().tests, "visual-necessity") if name not in usual.output] == [
        "open-answers", "reports", "visual-necessity",
    ]  # fmt: skip


VQA_RAD = Path(__file__).resolve().parents[3] / "shared" / "data" / "vqa-rad"


@pytest.mark.skipif(not VQA_RAD.exists(), reason="the real VQA-RAD files are not at ../shared/data/vqa-rad")
def test_real_questions_go_through_the_whole_protocol(tmp_path):
    """Nothing crashes; every item is answered or has a reason under every arm, and nothing is missing."""
    study = Study(
        models=["organism/grounded"],
        benchmarks=[f"vqa-rad:{VQA_RAD},split=all"],
        tests=["readiness"],
        limit=24,
        image_side=64,
        out=tmp_path,
    )
    results = results_of(study)
    assert [finding.test.name for finding in results.findings] == READINESS
    [table] = results.tables.values()
    for arm, grades in table.arms.items():
        assert len(grades) + sum(grades.inapplicable.values()) == 24, arm
        assert (grades.missing, grades.failed) == (0, {})
    reasons = {arm: set(grades.inapplicable) for arm, grades in table.arms.items()}
    assert "yes and no cannot be replaced with an unrelated option" in reasons["distractors-replaced:count=1"]
    assert any("only the correct answer would be left" in reason for reason in reasons["unknown-offered"])
    assert len(table.arms["image-substituted"]) > 0
    assert any("no other patient's image" in reason for reason in reasons["image-substituted"])
    by_test = {finding.test.name: finding for finding in results.findings}
    assert by_test["robustness"].measure("score", "robustness_partial") is not None
    assert by_test["grounded-reading"].measure("reading", "sight_gain") is not None


def test_every_test_of_the_protocol_runs_where_all_of_it_applies(tmp_path):
    """On items with categories, kinds of image and donors no arm is empty, and the score is whole.

    Every wrong reply of one that never looks carries a mode of failure.
    """
    study = Study(
        models=["organism/blind"], benchmarks=[Benchmark("b", findings(24))], tests=["readiness"], out=tmp_path
    )
    results = results_of(study)
    [table] = results.tables.values()
    assert {arm: len(grades) for arm, grades in table.arms.items()} == dict.fromkeys(ARMS, 24)
    by_test = {finding.test.name: finding for finding in results.findings}
    assert by_test["robustness"].measure("score", "robustness") is not None
    with Store.open(tmp_path) as store:
        evidence = Evidence(results, store)
        without, wrong = count_unexplained(evidence, "organism/blind")
    assert (without, wrong > 24) == (0, True)
    lent = {int(chosen) for chosen in table.arms["distractors-replaced:count=4"].chosen if chosen < 0}
    assert lent <= {NEW_OPTION - place for place in range(5)}
    assert len(lent) > 1, "options that were lent are told apart"


def test_the_list_of_items_is_kept_with_the_answers(tmp_path, monkeypatch):
    """A study can be scored elsewhere and later, with the list that it was asked with, even if that is gone."""
    monkeypatch.chdir(tmp_path)
    benchmark = load("phantoms:items=12")
    listed = tmp_path / "needed.txt"
    listed.write_text("\n".join(item.id for item in benchmark.items[:5]))
    tests = ["visual-necessity:items=needed.txt"]
    asked = Study(models=["organism/blind"], benchmarks=[benchmark], tests=tests, out="out").run(
        watch=lambda seen: None
    )
    before = list(asked.rows())
    assert {row["n"] for row in before if row["measure"] == "accuracy"} == {5}
    listed.unlink()
    (tmp_path / "out").rename(tmp_path / "moved")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert list(rescore(tmp_path / "moved").rows()) == before


@pytest.mark.parametrize(
    ("slip", "meant"), [("artefact", "artefacts"), ("mirge", "mirage"), ("standrd:x=1", "standard")]
)
def test_a_suite_that_is_misspelt_is_suggested(slip, meant):
    """A slip of the pen is answered with the suite that was meant; no name is a suite's and a test's."""
    with pytest.raises(StudyError, match=rf"Did you mean the suite '{meant}'\?.*readiness"):
        suite_named(slip)
    assert not suites().keys() & MEMBERS.keys()
    assert suite_named("image-needed") is suite_named("nothing") is None


@pytest.mark.parametrize(
    ("make", "spec", "said"),
    [
        (suite_named, "artefacts:prompt=standard", r"'prompt'\. Settings: prompts, system, scale\."),
        (stress_test, "weak-artefacts:noise,strength=1", r"'strength'\. Settings: prompt, scale\."),
    ],
)
def test_a_setting_that_is_unknown_is_answered_with_those_there_are(make, spec, said):
    """Both a suite and a test say what they can be told."""
    with pytest.raises(StudyError, match=said):
        make(spec)
