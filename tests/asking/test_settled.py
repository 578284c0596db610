"""Asking until settled: a random order, in rounds; what is settled is not asked on, and numbers hold at every look."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from settling import Knowing, benchmark
from snellen.asking.asked import FIRST, Rounds
from snellen.asking.stored import completeness
from snellen.cli.terminal import list_verdict_lines, show_results
from snellen.errors import RejectedError, StudyError, UnusableModelError
from snellen.items import Benchmark, Option
from snellen.models.fake import FakeModel
from snellen.report.page import render
from snellen.report.words.numbers import interval
from snellen.scoring.result_files import record_results
from snellen.scoring.settled import asked_until
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.study import Study, rescore

pytestmark = pytest.mark.usefixtures("no_groups")

NEEDED = stress_test("image-needed").with_settings(name="needed", conclude=None)
ORDER = stress_test("option-order").with_settings(name="order", conclude=None)
"""What two tests measure, judged by the rules of tests that expect a worse score and no change."""
TESTS = (NEEDED, ORDER)
QUESTIONS = 220


def study(out, *models, questions=QUESTIONS, **changes):
    settings = {"benchmarks": [benchmark(questions)], "tests": TESTS, "until_settled": True, "seed": 3, "repeat": False}
    settings |= changes
    return Study(models=models, out=out, **settings)


@pytest.fixture(scope="module", autouse=True)
def few_looks():
    """So few questions are looked at less often than usual, to save time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("snellen.asking.asked.GROWTH", 1.3)
        yield


@pytest.fixture(scope="module")
def settled(tmp_path_factory):
    """A model that looks, one whose share kept lies near the limit, and what became of them."""
    out = tmp_path_factory.mktemp("settled")
    models = Knowing(name="fake/sees"), Knowing(0.75, 0.5, name="fake/between")
    asked = study(out, *models)
    asked.ask()
    return asked, models, asked.score()


def test_the_order_is_drawn_by_seed_and_patient_alone():
    """Items listed otherwise are asked in the same order; patients stay together, and no look parts them."""
    items = benchmark(150, patients=40).items
    rounds = Rounds.from_items(items, 1)
    listed_otherwise = tuple(reversed(items))
    again = Rounds.from_items(listed_otherwise, 1)
    assert [items[at].id for at in rounds.order] == [listed_otherwise[at].id for at in again.order]
    assert Rounds.from_items(items, 2).order.tolist() != rounds.order.tolist()
    patients = [items[at].cluster for at in rounds.order]
    changes = [end for end in range(1, 150) if patients[end] != patients[end - 1]]
    assert len(changes) == 39
    assert set(rounds.ends[:-1]) <= set(changes)
    assert rounds.ends[0] >= FIRST
    assert rounds.ends[-1] == 150
    assert np.flatnonzero(rounds.is_in_rounds(1)).size == rounds.ends[0]


def test_a_store_has_the_order_of_the_run(tmp_path):
    """Patients have no names in a store, and yet the items that were asked first are the ones that are scored."""
    asked = benchmark(150, patients=40)
    with Store.open(tmp_path, write=True) as store:
        _, digest = store.studies.add_benchmark(asked)
        stored = store.studies.benchmark(digest)
    assert [item.cluster for item in stored.items] != [item.cluster for item in asked.items]
    first, second = Rounds.from_items(asked.items, 1), Rounds.from_items(stored.items, 1)
    assert (first.order.tolist(), first.ends) == (second.order.tolist(), second.ends)


def test_what_is_settled_is_not_asked_on(settled):
    """Both verdicts of one model are settled early; of the other only the arms of the open verdict go on."""
    _, (sees, between), results = settled
    stops = {(each.model, each.test): each for each in results.stops}
    early = stops["fake/sees", "needed"]
    assert (early.verdict, early.settled) == (Status.PASS, True)
    assert FIRST <= early.questions < QUESTIONS
    most = max(stops["fake/sees", test].questions for test in ("needed", "order"))
    assert sees.asked.total() <= 3 * most
    assert stops["fake/between", "order"].questions < QUESTIONS
    assert stops["fake/between", "needed"] == ("fake/between", "b", "needed", QUESTIONS, QUESTIONS, "inconclusive")
    assert between.asked.total() == 2 * QUESTIONS + stops["fake/between", "order"].questions


def test_the_verdicts_are_those_of_the_full_grid(settled, tmp_path):
    """What is settled early comes out as it does where everything is asked."""
    whole = study(tmp_path, Knowing(name="fake/sees"), until_settled=False)
    whole.ask()
    full = rescore(tmp_path, tests=TESTS)
    early = [each for each in settled[2].findings if each.model == "fake/sees"]
    assert [each.verdict.status for each in early] == [each.verdict.status for each in full.findings]


def test_numbers_say_that_they_hold_at_any_time(settled):
    """Every interval is a confidence sequence, or has no ends; p-values are corrected by their number."""
    rows = list(settled[2].rows())
    held = [row for row in rows if "betting" in row["method"]]
    rest = [row for row in rows if "betting" not in row["method"]]
    assert {row["measure"] for row in held} >= {"accuracy", "difference", "kept_above_chance", "changed_rate"}
    assert {row["measure"] for row in rest} == {"bootstrap_difference", "cohens_d"}
    assert all(row["low"] == -np.inf and row["high"] == np.inf and row["p"] is None for row in rest)
    corrected = [row for row in held if row["p_adjusted"] is not None]
    assert len(corrected) == 4
    assert all(row["p_adjusted"] == pytest.approx(min(1, 2 * row["p"])) for row in corrected)


def test_where_asking_stopped_stands_in_results_terminal_and_report(settled, capsys):
    """The sentence is the same everywhere, and says that not all was asked."""
    _, _, results = settled
    asked = max(each.questions for each in results.stops if each.model == "fake/sees")
    said = f"stopped after {asked} of {QUESTIONS} questions: settled"
    assert f"fake/sees on b, {said}" in str(results)
    show_results(results)
    assert f"b, n {asked} to {QUESTIONS} " in capsys.readouterr().out
    show_results(results, verbose=True)
    printed = capsys.readouterr().out
    assert said in printed
    assert f"all {QUESTIONS} questions asked: not settled" in printed
    assert "95% confidence sequences" in printed
    record = json.loads((results.folder / "results.json").read_text())
    assert record["study"]["until_settled"] == ["b"]
    assert [each["questions"] for each in record["until_settled"]] == [each.questions for each in results.stops]
    page = (results.folder / "report.html").read_text()
    assert f"sees: {said}." in page
    assert "Bonferroni" in page
    there = sum(len(grades) for table in results.tables.values() for grades in table.arms.values())
    assert f"All {there} responses that were asked for are here." in page
    assert "<b>95% confidence sequences</b> by betting" in page
    assert results.models_compared == ()


def test_withheld_verdicts_are_not_called_open(settled):
    """Asking stopped where images may not have arrived, and the same command would not go on."""
    results = settled[2]
    found = [each for each in results.findings if each.model == "fake/sees"]
    held = [replace(each, verdict=replace(each.verdict, status=Status.WITHHELD)) for each in found]
    said = asked_until(results.tables["fake/sees", "b"], held)
    assert said.startswith("asked ")
    assert said.endswith(f" of {QUESTIONS} questions: verdicts withheld")


def test_the_summary_has_the_numbers_of_the_test_that_asked_most(settled):
    """An accuracy that two tests have is the one with more questions, whichever of them is named first."""
    backwards = replace(settled[2], findings=tuple(reversed(settled[2].findings)))
    with Store.open(settled[0].out) as store:
        page = render(backwards, store)
    most = {each.model: each for each in backwards.findings if each.test.name == "needed"}
    accuracy = most["fake/between"].measure("original", "accuracy").estimate
    table = page[: page.index("Before you rely on this")]
    assert interval(accuracy, "share") in table


def test_asked_again_nothing_is_missing(settled):
    """The same command asks nothing more; responses are there for all that was wanted."""
    again, models, results = settled
    before = [model.asked.total() for model in models]
    assert again.ask().done == 0
    with Store.open(again.out) as store:
        there = completeness(store, store.studies.record())
    assert there.stored == there.wanted == sum(before)
    assert [model.asked.total() for model in models] == before
    assert all(each["missing"] == 0 for each in record_results(results)["accounting"])


def test_stopped_at_any_moment_it_comes_to_the_same(settled, tmp_path):
    """Cut off in the middle of a round and resumed, it asks each question once and stops where it would have."""
    _, (whole, _), results = settled
    left = iter(range(whole.asked.total() // 2))

    def cut(request):
        if next(left, None) is None:
            raise UnusableModelError("the server is gone")

    model = Knowing(name="fake/sees", fails=cut)
    asked = study(tmp_path, model, max_connections=4)
    assert set(asked.ask().unusable) == {"fake/sees"}
    partly = rescore(tmp_path, tests=TESTS)
    assert all(each.questions < QUESTIONS for each in partly.stops)
    model._fails = lambda request: None
    asked.ask()
    found = {each for each in results.stops if each.model == "fake/sees"}
    assert set(rescore(tmp_path, tests=TESTS).stops) == found
    with Store.open(tmp_path) as store:
        assert len(store.responses.find_known(list(model.asked))) == whole.asked.total()


def test_what_failed_is_asked_again(tmp_path):
    """A failed request counts as missing, holds nothing up, and is asked again by the next run."""
    failing = {"Question 7?", "Question 11?", "Question 13?"}

    def refuse(request):
        if any(question in request.text for question in failing):
            raise RejectedError("too long")

    model = Knowing(name="fake/sees", fails=refuse)
    asked = study(tmp_path, model, questions=40)
    first = asked.ask()
    assert first.failed == 9
    failing.clear()
    assert asked.ask().done == 9


def test_a_model_that_is_given_up_ends_its_rounds(tmp_path):
    """A wrong key costs one request, and the other model is asked on."""

    def locked(request):
        raise UnusableModelError("wrong key")

    closed, model = Knowing(name="fake/closed", fails=locked), Knowing(name="fake/sees")
    asked = study(tmp_path, closed, model, questions=40)
    progress = asked.ask()
    assert closed.asked.total() == 1
    assert set(progress.unusable) == {"fake/closed"}
    assert model.asked.total() > 3 * FIRST
    assert {each.model: each.settled for each in rescore(tmp_path, tests=TESTS).stops}["fake/closed"] is False


def test_responses_that_were_not_drawn_at_random_do_not_count(tmp_path):
    """The first questions, asked before by another study, are not the first of the random order."""
    model = Knowing(name="fake/sees")
    study(tmp_path, model, until_settled=False, limit=30, name="first").ask()
    asked = study(tmp_path, model, name="second", tests=[NEEDED])
    asked.ask()
    results = rescore(tmp_path, tests=TESTS)
    stops = results.stops
    with Store.open(tmp_path) as store:
        drawn = set(Rounds.from_items(asked.plan().benchmarks[0].items, 3).order[: stops[0].questions].tolist())
        number = store.studies.model_number("fake/sees", model.revision)
        arm, _ = store.studies.arm(store.studies.record("second")["arms"]["b"]["image-removed"])
        there = set(store.responses.load_answered(number, arm)[:, 0].tolist())
    assert there == drawn | set(range(30))
    rates = [row["n"] for row in results.rows() if row["measure"] == "accuracy"]
    assert set(rates) <= {each.questions for each in stops}


def yes_or_no(questions):
    """Questions whose words give the answer away, and of which no swap of images has a known answer."""
    options = (Option("Yes"), Option("No"))
    rows = [
        replace(item, question=f"Is sign {at} present?", options=options, answer=at % 2, metadata={"modality": "CT"})
        for at, item in enumerate(benchmark(questions))
    ]
    return Benchmark("b", rows)


def known_answer(request):
    return f"Answer: {'AB'[int(re.search('sign (.*) present', request.text)[1]) % 2]}"


def test_the_marks_of_a_model_that_never_looks_stop_it(tmp_path):
    """Without a test that has a verdict of its own, these decide when asking stops; steady is not asked."""
    blind = FakeModel(lambda request: f"The image shows a large effusion on the left side. {known_answer(request)}")
    study(tmp_path, blind, benchmarks=[yes_or_no(200)], tests=["follows", "honest"]).ask()
    results = rescore(tmp_path)
    stops = {each.test: each for each in results.stops}
    assert {name: each.verdict for name, each in stops.items()} == {"follows": Status.FAIL, "honest": Status.FAIL}
    assert max(each.questions for each in results.stops) < 200
    assert f"stopped after {stops['follows'].questions} of 200 questions: settled" in str(results)


def test_any_other_image_settles_what_the_text_gives_away(tmp_path):
    """Where no swap has a known answer, and the benchmark gets its line, with intervals that hold at every look."""
    knows = FakeModel(known_answer)
    study(tmp_path, knows, benchmarks=[yes_or_no(240)], tests=["follows", "image-needed"]).ask()
    results = rescore(tmp_path)
    (table,) = results.tables.values()
    (stop,) = (each for each in results.stops if each.test == "follows")
    assert stop.verdict is Status.FAIL
    assert stop.questions == len(table.arms["image-exchanged"]) < 240
    (line,) = results.lines
    assert (line.status, line.reason) == (Status.FAIL, "half-possible")
    assert line.best.accuracy.method == "betting"
    assert "Score possible without images: this model scores 100%" in "\n".join(list_verdict_lines(results))


def test_open_questions_are_refused():
    """What judges grade later cannot be settled while it is asked."""
    words = [replace(item, kind="open", options=(), answer="yes") for item in benchmark(4)]
    asked = study("out", Knowing(), benchmarks=[replace(benchmark(4), items=tuple(words))], tests=["open-answers"])
    with pytest.raises(StudyError, match="until_settled works only for questions with options"):
        asked.plan()
