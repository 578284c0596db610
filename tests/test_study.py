"""Studies: from names or from a file, planned before they are run."""

import asyncio
import dataclasses
import subprocess
import sys
from dataclasses import replace
from types import FunctionType

import pytest
from click.testing import CliRunner

import snellen.study
from snellen.asking.plan import total
from snellen.asking.requests import count_answered
from snellen.benchmarks import folder, load
from snellen.cli import cli
from snellen.conditions import IMAGE_REMOVED, OptionsShuffled, Together
from snellen.errors import DataError, StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.models.openai import OpenAI
from snellen.papers.standard import standard
from snellen.prompts import Arm, Prompt, Settings
from snellen.scoring.human_reference import human_reference
from snellen.scoring.result_files import record_results
from snellen.scoring.results import Results
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Expectation, StressTest
from snellen.stress.design import Design, Thresholds
from snellen.study import Study, rescore
from strategies import findings, items
from studied import results_of

MODEL = FakeModel(lambda request: "Answer: A")
WITH_OPTIONS = ["follows", "honest", "steady", "image-needed", "blank-image", "image-used", "rationale", "option-order"]
"""The tests of the standard exam that ask questions with options."""


def study(tmp_path, **settings):
    return Study(**{"models": [MODEL], "benchmarks": [Benchmark("b", items(8))], "out": tmp_path / "out", **settings})


def test_the_thresholds_of_a_study_are_stored_and_count(tmp_path):
    """In every test that is scored, also when the folder is scored again."""
    study(tmp_path, image_dependence=0.3, margin=0.1).ask(lambda progress: None)
    for finding in rescore(tmp_path / "out").findings:
        assert finding.test.thresholds == Thresholds(image_dependence=0.3, margin=0.1)


def test_a_study_runs_and_publishes(tmp_path):
    """Run it, and the table, the record and the report lie in its folder."""
    results = study(tmp_path).run(lambda progress: None)
    assert str(results).count("\n") == len(WITH_OPTIONS) + 1  # and accuracy
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        "report.html", "results.csv", "results.json", "responses.sqlite",
    }  # fmt: skip


def test_the_standard_exam_asks_open_questions_where_there_are_any(tmp_path):
    """They are a benchmark of their own beside the questions with options, with a test of their own."""
    mixed = Benchmark("b", (*items(8), *(replace(item, id=f"open {item.id}") for item in in_words(3))))
    plan = study(tmp_path, benchmarks=[mixed]).plan()
    assert [test.name for test in plan.tests] == [*WITH_OPTIONS, "open-answers"]
    assert [*standard().tests] == [*WITH_OPTIONS, "open-answers", "reports"]
    asked = {part.name: [test.name for test in plan.tests_of(part)] for part in plan.benchmarks}
    assert asked == {"b": WITH_OPTIONS, "b/open": ["open-answers"]}
    only_open = study(tmp_path, benchmarks=[Benchmark("b", in_words(3))]).plan()
    assert [test.name for test in only_open.tests] == ["open-answers"]


def in_words(count):
    """Open questions."""
    return tuple(replace(item, kind="open", options=(), answer="a mass") for item in items(count))


def test_a_text_only_model_need_not_be_named_twice(tmp_path):
    """It is one of the study's models, also alone on the command line, and is reached like the others."""
    study = Study(models=["organism/blind"], text_only=["organism/mirage"], benchmarks=["phantoms:items=4"])
    assert [(each.name, each.text_only) for each in study.plan().models] == [
        ("organism/blind", False),
        ("organism/mirage", True),
    ]
    named = ("--text-only", "organism/mirage", "--benchmark", "phantoms:items=4", "--dry-run", "--out", str(tmp_path))
    assert "1 model · " in CliRunner().invoke(cli, ["exam", *named]).output


def test_only_organisms_are_told_answers_if_no_benchmark_is_named(tmp_path):
    """The leak is for the demonstration; a real model gets phantoms whose text gives nothing away."""
    organism = {"name": "organism/blind", "as": "mine"}
    models = {
        "phantoms:leak=0.5": (("organism/blind",), (organism,)),
        "phantoms": ((MODEL,), ("organism/blind", MODEL)),
    }
    found = {
        name: [[each.name for each in Study(models=of, out=tmp_path).plan().benchmarks] for of in several]
        for name, several in models.items()
    }
    assert found == {name: [[name]] * 2 for name in models}


def test_a_plan_counts_shared_requests_once(tmp_path):
    """Eight items, five arms, each of them asked once however many tests share it, and two orders once more."""
    planned = study(tmp_path).plan()
    counts = list(planned.counts())
    assert [(count.test, count.requests, count.shared) for count in counts] == [
        ("follows", 16, 0),
        ("honest", 24, 8),
        ("steady", 32, 8),
        ("image-needed", 16, 16),
        ("blank-image", 16, 16),
        ("image-used", 16, 16),
        ("rationale", 24, 24),
        ("option-order", 16, 16),
    ]
    assert total(counts) == 56
    assert str(planned).endswith("56 requests in all")
    assert total(list(study(tmp_path, limit=1).plan().counts())) == 7
    assert not (tmp_path / "out").exists()


def test_what_is_answered_already_need_not_be_asked_again(tmp_path):
    """Counted over the arms that are asked, the shared ones once; reading changes nothing and needs no lock."""
    asked = study(tmp_path, tests=["image-needed"], limit=3, epochs=2)
    assert count_answered(asked.plan()) == 0
    assert not (tmp_path / "out").exists()
    asked.ask(lambda progress: None)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    assert count_answered(asked.plan()) == total(list(asked.plan().counts())) == 3 * 2 * 2
    assert count_answered(study(tmp_path, tests=["image-needed"], limit=2, epochs=3).plan()) == 2 * 2 * 2
    again = 3  # second responses to the original question, which option-order wants too
    assert count_answered(study(tmp_path, tests=["image-needed", "option-order"]).plan()) == 3 * 2 + again
    assert count_answered(study(tmp_path, tests=["image-needed"], seed=1).plan()) == 0
    assert count_answered(study(tmp_path, models="organism/blind").plan()) == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before
    with Store.open(tmp_path / "out", write=True):
        assert count_answered(asked.plan()) == 3 * 2 * 2


def test_arms_that_ask_the_same_are_answered_once(tmp_path):
    """An arm of another name and the same words needs no request, and the plan knows it."""
    tests = ["image-needed", "weak-artefacts:noise,prompt=standard"]
    whole = study(tmp_path, tests=tests, prompt="detection")
    study(tmp_path, tests=tests[:1], prompt="detection").ask(lambda progress: None)
    every = total(list(whole.plan().counts()))
    left = every - count_answered(whole.plan())
    assert whole.ask(lambda progress: None).done == left == 8
    assert count_answered(whole.plan()) == every


def test_a_plan_says_what_does_not_apply(tmp_path):
    """Items without images are counted with the reason."""
    (count,) = (
        study(tmp_path, benchmarks=[Benchmark("b", items(4, images=False))], tests=["image-needed"]).plan().counts()
    )
    assert count.inapplicable == {"the item has no image to remove": 4}
    assert (count.requests, count.counted_on) == (4, None)


def test_a_large_benchmark_is_counted_on_some_of_its_items(tmp_path, monkeypatch):
    """The numbers are scaled up to all of them, and the count says so."""
    monkeypatch.setattr("snellen.asking.plan.COUNTED_WHOLE", 39)
    monkeypatch.setattr("snellen.asking.plan.COUNTED_ON", 10)
    words = Benchmark("b", items(40, images=False))
    (count,) = study(tmp_path, benchmarks=[words], tests=["image-needed"]).plan().counts()
    expected = (10, 40, 40, {"the item has no image to remove": 40})
    assert (count.counted_on, count.requests, count.asked, count.inapplicable) == expected


def test_a_plan_of_several_kinds_of_test_and_benchmark(tmp_path):
    """A list that fits one benchmark is enough; rounds ask one kind; a test that is asked whole lifts the limit."""
    rated = Benchmark("rated", tuple(replace(item, metadata={"needs": 3}) for item in items(4)))
    both = [rated, Benchmark("b", items(4))]
    assert study(tmp_path, benchmarks=both, tests=["visual-necessity:rating=needs"]).plan()
    with pytest.raises(StudyError, match=r"'visual-necessity:rating=needs' selects none of the items asked from 'b'"):
        study(tmp_path, benchmarks=both[1:], tests=["visual-necessity:rating=needs"]).plan()
    both, tests = [both[1], Benchmark("words", in_words(4))], ["image-needed", "open-answers"]
    some = study(tmp_path, benchmarks=both, tests=tests, until_settled=True, limit=3).plan()
    assert [(some.in_rounds(each), some.limit_of(each)) for each in some.benchmarks] == [(True, 3), (False, 3)]
    own = Design("own", "?", (Arm(IMAGE_REMOVED),), whole=True, epochs=5)
    with pytest.raises(StudyError, match="until_settled works only"):
        replace(some, tests=(*some.tests, own))
    more = replace(some, tests=(*some.tests, own), until_settled=False)
    assert [(more.limit_of(each), more.epochs_of(each)) for each in more.benchmarks] == [(None, 3), (3, 1)]


def test_a_study_comes_from_a_file(tmp_path):
    """Everything in the file counts, and what is given beside it wins."""
    path = tmp_path / "study.toml"
    path.write_text('models = ["organism/blind"]\nseed = 3\nlimit = 7\n[settings]\ntemperature = 0.5\nmax_tokens = 9\n')
    read = Study.from_toml(path, seed=4, settings=Settings(temperature=0.0))
    assert (read.models, read.seed, read.limit) == (["organism/blind"], 4, 7)
    assert read.settings == Settings(temperature=0.0, max_tokens=9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sed = 3", "Did you mean 'seed'"),
        ("[settings]\ntemprature = 0", r"\[settings\].*Did you mean 'temperature'"),
        ("seed = ", "cannot be read"),
        ('epochs = "2"', "Expected epochs to be a whole number, got '2'"),
        ('seed = "x"', "study.toml: Expected seed to be a whole number, got 'x'"),
        ("out = 3", "Expected out to be a folder, got 3"),
        ("prompt = 3", "Expected prompt to be a name, a file, a template or a table, got 3"),
        ("tests = 3", "Expected tests to be a list of entries such as .image-needed.* got 3"),
        ('tests = ["image-needed", 3]', "each of the tests to be .*; got 3"),
        (
            '[[models]]\nname = "openai/m"\nbase_uri = "http://h/v1"',
            r"\[\[models\]\]: there is no setting 'base_uri'. Did you mean 'base_url'",
        ),
        ("settings = 3", r"\[settings\] to be names and values.* got 3"),
        ("[settings]\nmax_tokens = 1.5", "a whole number for max_tokens, got 1.5"),
        ("[settings]\nreasoning_effort = 1", "reasoning_effort to be one of none, minimal"),
        ("human = []", "human reference"),
        ("limit = 1.5", "a whole number"),
        ("allow_broken = 1", "true or false"),
        ("seed = true", "a whole number"),
        ('[settings]\ntemperature = "0"', "a number of 0 or more for temperature"),
        ("[settings]\ntemperature = nan", "a number of 0 or more"),
        ("xyzzy = 1", "There are: models"),
        ('timeout = "10"', "Expected timeout to be a number of seconds, got '10'"),
        ("timeout = 0", "a timeout of more than 0 seconds"),
        ("image_dependence = 50", "Expected image_dependence to be a share between 0 and 1, got 50"),
        ('margin = "5"', "Expected margin to be a share between 0 and 1, got '5'"),
        ("timeout = nan", "a timeout of more than 0 seconds"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, text, message):
    """Unknown settings and broken files say what was expected."""
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(StudyError, match=message):
        Study.from_toml(path)


@pytest.mark.parametrize("written", ["90", "90.0"])
def test_a_timeout_holds_for_models_that_have_one(tmp_path, monkeypatch, written):
    """It reaches servers; organisms, which wait for nobody, are asked as ever, and an own model keeps its own."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    path = tmp_path / "study.toml"
    path.write_text(f'models = ["openai/x", "organism/blind"]\ntimeout = {written}\nbenchmarks = ["phantoms:items=2"]')
    named = Study.from_toml(path)
    assert [retried._model.timeout for retried in named.plan().models] == [90, 90]
    own = replace(named, models=[OpenAI("y", timeout=7)])
    assert [retried._model.timeout for retried in own.plan().models] == [7]
    assert OpenAI("z").timeout == 600


def test_a_model_that_gave_no_reply_is_warned_of(tmp_path):
    """From Python too, nobody need look for it in the report; what others answered is scored."""
    buggy = FakeModel(lambda request: 1 / 0, name="fake/buggy")
    with pytest.warns(
        UserWarning, match="fake/buggy gave no response or is no longer asked: .* has a bug: ZeroDivisionError"
    ):
        results = study(tmp_path, models=[MODEL, buggy], tests=["image-needed"]).run(lambda progress: None)
    assert {finding.model for finding in results.findings} == {"fake/function", "fake/buggy"}


def test_one_name_stands_for_a_list_of_one(tmp_path):
    """In Python and in a file, for models, benchmarks and tests; so does one thing, also one that can be iterated."""
    path = tmp_path / "study.toml"
    path.write_text('models = "organism/blind"\nbenchmarks = "phantoms:items=4"\ntests = "image-needed"')
    one = Benchmark("b", items(4))
    for given in (
        Study.from_toml(path),
        Study(models="organism/blind", benchmarks="phantoms:items=4", tests="image-needed"),
        Study(models=MODEL, benchmarks=one, tests=stress_test("image-needed")),
        Study(
            models=(model for model in [MODEL]),
            benchmarks=folder.save(items(4), tmp_path / "own"),
            tests="image-needed",
        ),
    ):
        planned = given.plan()
        assert [len(planned.models), *map(len, planned.benchmarks), planned.tests[0].name] == [1, 4, "image-needed"]


def test_a_study_takes_settings_and_people_as_they_are_written(tmp_path):
    """As a dictionary, and as a share."""
    given = Study(settings={"temperature": 0}, human="71%")
    assert given.settings == Settings(temperature=0.0)
    assert given.human == {"accuracy": 0.71}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"models": 3}, "Expected models to be a list of entries such as .*FunctionModel.*; got 3"),
        ({"models": [None]}, "each of the models .* got None"),
        ({"benchmarks": {"phantoms": 3}}, "Expected benchmarks to be a list"),
        ({"tests": [standard]}, r"each of the tests to be .* or StressTest"),
        ({"seed": "x"}, "Expected seed to be a whole number, got 'x'"),
        ({"limit": 2.0}, "Expected limit to be a whole number, got 2.0"),
        ({"allow_broken": "yes"}, "Expected allow_broken to be true or false"),
        ({"out": None}, "Expected out to be a folder, got None"),
        ({"settings": {"temprature": 0}}, "Did you mean 'temperature'"),
        ({"settings": 0.5}, "Expected settings to be names and values"),
        ({"benchmarks": items(4)}, r"each of the benchmarks to be .* or Benchmark\(.mine., items\); got Item\(id="),
        ({"benchmarks": ["phantoms:items=x"]}, "expected items to be a whole number, got 'x'"),
        ({"benchmarks": ["phantoms:itmes=3"]}, "no setting 'itmes'. Settings: task, items, .* Did you mean 'items'"),
        ({"models": []}, "names no models"),
        ({"models": [MODEL, MODEL]}, "twice: fake/function"),
        ({"models": ["gpt-5"]}, "provider/model"),
        ({"epochs": 0}, "at least one epoch"),
        ({"limit": 0}, "at least one"),
        ({"prompt": "none"}, "no prompt 'none'"),
        ({"seed": 2**70}, "Expected seed to be at most 9,223,372,036,854,775,807"),
        ({"out": "a\0b"}, "which has a null byte"),
        ({"epochs": 2**63}, "Expected epochs to be at most 1,048,576"),
        ({"benchmarks": ["./no/such/folder"]}, "no folder or file"),
        ({"benchmarks": ["phantoms:items=1.5"]}, "cannot be loaded"),
        ({"parser": "none"}, "no 'none' among the parsers"),
        ({"max_connections": 0}, "at least one connection"),
        ({"benchmarks": ["phantoms:leek=1"]}, "cannot be loaded"),
        (
            {"benchmarks": ["phantoms:task=premises"], "tests": ["image-needed"]},
            "questions are open, .* Add the test open-answers",
        ),
        (
            {"benchmarks": ["phantoms:task=report"], "tests": ["image-needed"]},
            "asks for reports, .* Add the test reports",
        ),
        ({"tests": ["open-answers"]}, "questions have options, and these tests ask open ones"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(tmp_path, settings, message):
    """Each wrong setting has its own words."""
    with pytest.raises(StudyError, match=message):
        study(tmp_path, **settings).plan()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ((), "no items"),
        ((items(1)[0], items(1)[0]), "have the id 'q000'"),
        (("q000",), "holds 'q000', expected Item"),
        ((replace(items(1)[0], id=3),), "its id is 3, expected a text"),
        ((replace(items(1)[0], options=("Yes", "No")),), "its options hold 'Yes', expected Option"),
        ((replace(items(1)[0], images=("a.png",)),), "its images hold 'a.png', expected Image"),
        ((replace(items(1)[0], images=items(1)[0].images[0]),), "expected a tuple of Image"),
        ((replace(items(1)[0], answer=7),), "its answer 7 is not one of"),
        ((replace(items(1)[0], options=items(1)[0].options[:1], answer=0),), "it has 1 options"),
        ((replace(items(1)[0], question="half \ud800"),), "half a character"),
    ],
)
def test_a_benchmark_given_as_it_is_is_checked(tmp_path, broken, message):
    """What no loader would let pass is refused here too, before anything is asked."""
    with pytest.raises(DataError, match=message):
        study(tmp_path, benchmarks=[Benchmark("b", broken)]).plan()


def test_a_prompt_without_the_options_is_refused(tmp_path):
    """A reordering that nobody sees would look steady."""
    hidden = StressTest("t", "Is it?", (Arm(IMAGE_REMOVED, Prompt("bare", "{question}")),), Expectation.WORSE)
    with pytest.raises(StudyError, match="does not show the options"):
        study(tmp_path, tests=[hidden]).run(lambda progress: None)
    spoken = Prompt("spoken", "{question}", in_words=True)
    moved = Arm(Together((IMAGE_REMOVED, OptionsShuffled())), spoken)
    with pytest.raises(StudyError, match=r"changes the options of .* does not show them"):
        str(study(tmp_path, tests=[StressTest("t", "Is it?", (moved,), Expectation.WORSE)]).plan())


def test_the_seed_draws_the_phantoms_too_unless_they_name_their_own(tmp_path):
    """Another seed, other patients; a benchmark that draws nothing is the same under any."""

    def ids(seed, *benchmarks):
        return [item.id for item in study(tmp_path, seed=seed, benchmarks=benchmarks).plan().benchmarks[0]]

    assert ids(7, "phantoms:items=3") == [item.id for item in load("phantoms:items=3,seed=7")]
    assert ids(7, "phantoms:items=3,seed=3") == ids(8, "phantoms:items=3,seed=3")
    assert ids(-1, "phantoms:items=3") == [item.id for item in load(f"phantoms:items=3,seed={2**64 - 1}")]
    folder.save(items(3), tmp_path / "own")
    assert ids(7, str(tmp_path / "own")) == ids(0, str(tmp_path / "own"))


def test_zero_is_zero_however_it_is_written():
    """0 and 0.0 are one setting, and one key."""
    assert Settings(temperature=0).chosen == Settings(temperature=0.0).chosen
    assert str(Settings(temperature=0).chosen) == "{'temperature': 0.0}"


def test_a_folder_may_have_any_name(tmp_path):
    """Commas and signs of equality in a path are part of it."""
    folder.save(items(3), tmp_path / "a,b=c")
    assert len(load(str(tmp_path / "a,b=c"))) == 3


def test_a_study_runs_in_a_notebook(tmp_path):
    """A loop that is running already does not matter."""

    async def cell():
        return study(tmp_path).run(lambda progress: None)

    results = asyncio.run(cell())
    assert [each.test.name for each in (*results.marks, *results.findings)] == WITH_OPTIONS


@pytest.mark.parametrize(
    ("given", "accuracy"),
    [("0.71", 0.71), ("71%", 0.71), ("points=56.9", 80.9 / 114), ("points=5,questions=10,right=1,wrong=0", 0.5)],
)
def test_what_people_score_can_be_given_in_several_ways(given, accuracy):
    """As a share, in percent, or as the points of an exam."""
    assert human_reference(given)["accuracy"] == pytest.approx(accuracy)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("71", "between 0 and 1, got 71"),
        ("people", "expected a share such as 0.71"),
        ("points=500", "cannot be reached"),
        ("accuracy=0.7,points=3", "either an accuracy or an exam's points"),
        ("0.7,right=3", "takes no exam rules, got right"),
        ("score=3", "either an accuracy"),
        ("0.5,0.6", "expected one share"),
        ("points=x", "expected a number for points, got 'x'"),
        ("points=3,questions=inf", "expected a number for questions"),
        ({"accuracy": "x"}, "expected a number for accuracy, got 'x'"),
        ([], "expected a share"),
    ],
)
def test_a_reference_that_makes_no_sense_is_refused(given, message):
    """With what came and what was expected."""
    with pytest.raises(StudyError, match=f"human reference .*{message}"):
        human_reference(given)


def test_a_study_file_may_say_what_people_score(tmp_path):
    """In a section of its own; it is in the results."""
    path = tmp_path / "study.toml"
    path.write_text('models = ["organism/blind"]\nbenchmarks = ["phantoms:items=4"]\n[human]\npoints = 56.9\n')
    read = Study.from_toml(path, out=tmp_path / "out")
    assert round(100 * read.run(lambda progress: None).study["human"]["accuracy"], 1) == 71.0


def test_a_score_over_several_benchmarks_stands_beside_those_of_each(tmp_path):
    """In the rows and among the verdicts, under a name of its own; of one benchmark there is none."""
    two = [Benchmark("one", findings(6)), Benchmark("two", findings(9))]
    results = results_of(study(tmp_path, benchmarks=two, tests=["robustness", "image-needed"]))
    [finding] = results.over_all
    assert (finding.benchmark, finding.test.name) == ("all benchmarks", "robustness")
    assert finding.measure("score", "fragility_1").estimate.n == 15
    assert {row["benchmark"] for row in results.rows() if row["test"] == "robustness"} == {
        "one", "two", "all benchmarks",
    }  # fmt: skip
    told = [each for each in record_results(results)["verdicts"] if each["benchmark"] == "all benchmarks"]
    assert [(each["test"], each["status"]) for each in told] == [("robustness", "reported")]
    alone = results_of(study(tmp_path / "alone", benchmarks=two[:1], tests=["robustness"]))
    assert alone.over_all == ()


def test_the_pool_is_the_whole_benchmark_however_few_are_asked(tmp_path):
    """A limit changes neither what is drawn for an item nor who lends to it."""
    asked = []
    model = FakeModel(lambda request: asked.append((request.text, request.images)) or "Answer: A")
    for limit in (4, None):
        study(
            tmp_path / str(limit), models=[model], benchmarks=[Benchmark("b", findings(12))], limit=limit,
            tests=["visual-substitution", "distractors"],
        ).ask(lambda progress: None)  # fmt: skip
    few, all_of_them = asked[: 4 * 6], asked[4 * 6 :]
    assert len(all_of_them) == 12 * 6
    assert all(request in all_of_them for request in few)


@pytest.mark.parametrize("setting", ["stem", "_folder"])
def test_a_study_file_cannot_say_where_it_lies(tmp_path, setting):
    """Its own place is no setting of a study."""
    (tmp_path / "study.toml").write_text(f'{setting} = "x"')
    with pytest.raises(StudyError, match=f"there is no setting {setting!r}"):
        Study.from_toml(tmp_path / "study.toml")


def public(kind):
    """What a class offers besides its fields: the methods, and the properties."""
    offered = {name: each for name, each in vars(kind).items() if name[0] != "_" and name not in names_of_fields(kind)}
    methods = {name for name, each in offered.items() if isinstance(each, FunctionType | classmethod)}
    return methods, offered.keys() - methods


def names_of_fields(kind):
    return {each.name for each in dataclasses.fields(kind)}


def test_study_and_results_have_few_public_names():
    """Five methods each; what else is known of a plan or of results is a function in the package of its verb."""
    assert public(Study) == ({"from_toml", "plan", "ask", "score", "run"}, set())
    said = {"tables", "own_findings", "every_finding", "held_back", "left_out", "error_rate"}
    assert public(Results) == ({"rows", "breakdown", "responses", "to_pandas", "save"}, said)


def test_functions_on_a_folder_can_be_imported_from_study():
    """As before they had packages of their own; those of imports and comparison are loaded when they are used."""
    for name in ("publish", "rescore", "gate", "compare", "bring", "export", "judge"):
        found = getattr(snellen.study, name)
        assert (found.__name__, found.__module__ == "snellen.study") == (name, False)
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from snellen.study import nothing  # noqa: F401
    loaded = "import sys, snellen.study; print([each for each in sys.modules if each.startswith(LATE)])"
    late = ("snellen.imports", "snellen.tools.compare", "snellen.judging.asking", "snellen.scoring.gate")
    done = subprocess.run([sys.executable, "-c", loaded.replace("LATE", repr(late))], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
