"""The headline says who was examined on what, and the most important thing found; on every organism the right thing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from organisms import EXAM, scored
from snellen.models.fake import FakeModel
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.result_lines import measure_accuracy
from snellen.report.sections.first_screen import list_tables
from snellen.report.sections.headline import headline
from snellen.report.sections.tests import sections
from snellen.sight.delivery import Delivery
from snellen.stress.base import Status, Verdict
from snellen.stress.verdicts.sentences import percent

pytestmark = pytest.mark.usefixtures("no_groups")

TIGHT = "phantoms:items=60"
NO_FOLLOWING = " fails “Follows the image?”: 0% (0 to "
SAYS = {
    ("blind",): (f"blind{NO_FOLLOWING}", Status.FAIL),
    ("memoriser",): (f"memoriser{NO_FOLLOWING}", Status.FAIL),
    ("blind", "memoriser"): ("No model passes: both fail “Follows the image?”", Status.FAIL),
    ("pretender",): (f"pretender{NO_FOLLOWING}", Status.FAIL),
    ("positional",): ("positional fails “Steady?”: 8", Status.FAIL),
    ("mirage",): ("mirage fails “Honest without the image?”: 9", Status.FAIL),
    ("random",): ("Not decided with 60 questions", Status.INCONCLUSIVE),
    ("refuser",): ("Not applicable", Status.NOT_APPLICABLE),
    ("grounded",): ("grounded passes one of three tests", Status.INCONCLUSIVE),
    ("grounded", "flagger", "rambler"): ("No model passes all three tests", Status.INCONCLUSIVE),
}
"""With so few questions nobody passes all three: honesty needs more of them."""


def told(*study, **settings):
    """The headline of a study of organisms."""
    with scored(*study, **settings) as (results, store):
        return headline(Evidence(results, store))


def test_the_most_important_thing_is_found(examined_alone):
    """What was found of each organism is what it was made to do, whatever its status."""
    for organisms, (begins, status) in SAYS.items():
        found = headline(Evidence(*examined_alone(*organisms)))
        assert found.found.startswith(begins), organisms
        assert found.status is status, organisms
        assert found.title.endswith("on phantoms (items 60, leak 0.5), 60 questions")


def test_the_headline_stands_before_the_verdicts(examined_alone):
    """On the page it comes first."""
    page = render(*examined_alone("random"))
    assert page.index("Not decided with 60 questions") < page.index('id="verdicts"')


def test_a_model_is_named_only_for_the_benchmark_on_which_it_fails(examined):
    """One benchmark leaks and the other does not; the title counts the questions that were asked."""
    found = told(examined, ("blind", "grounded"), (TIGHT, EXAM), limit=40)
    assert found.found == "One of two models fails no test: grounded"
    assert found.meaning.count("Keeps its answer when the image shows another patient: blind") == 1
    both = "phantoms (items 60) with 40 questions and phantoms (items 60, leak 0.5) with 40 questions"
    assert found.title == f"blind and grounded on {both}"


def test_one_decided_test_that_all_models_fail_is_the_headline(examined):
    """It claims nothing of tests that were not asked, and a blank image is not called missing."""
    with scored(examined, ("blind", "mirage"), (EXAM,), ("blank-image",)) as (results, store):
        evidence = Evidence(results, store)
        found, table = headline(evidence), next(iter(list_tables(evidence, sections(evidence))))
    assert found.found == "No model passes: both fail “Honest without the image?”"
    assert "Mostly answers without a word about the blank image: blind" in found.meaning
    [note] = [each.note for each in table.columns if each.words == "Honest without the image?"]
    assert note.startswith("blank image, n ")


def test_what_is_not_decided_says_what_would_decide(examined):
    """The reason of each open mark and its remedy, once."""
    found = told(examined, ("grounded",), (EXAM,), ("option-order",), limit=8)
    assert (found.found, found.status) == ("Not decided with 8 questions", Status.INCONCLUSIVE)
    assert found.meaning == (
        "“Follows the image?” not decided: no image was swapped; what would decide: run the suite `standard` in the "
        "same folder. “Honest without the image?” not decided: nothing was asked without the image; what would decide: "
        "run the suite `standard` in the same folder. “Steady?” not decided: fewer than 30 questions; what would "
        "decide: ask at least 30 questions, better 200"
    )


def test_a_verdict_of_any_other_test_is_told_where_there_are_no_marks(examined):
    """The first test that fails is told, else the first that passes."""
    with scored(examined, ("mirage",), (), ("mirage-rate",), limit=40) as (results, store):
        evidence = Evidence(results, store)
        assert headline(evidence).status is Status.FAIL
        [table] = list_tables(evidence, sections(evidence))
        assert [cell.status for cell in table.rows[0].cells] == [Status.FAIL]
    found = told(examined, ("grounded",), (), ("mirage-rate",), limit=40)
    assert (found.found, found.status) == (
        "grounded passes the test “Describes images never sent?”",
        Status.PASS,
    )


def marked(results, model, *statuses, meaning="answers without a word about the missing image"):
    """Marks of a model as if they had come out so."""
    of_model = [each for each in results.marks if each.model == model]
    return [
        replace(each, verdict=Verdict(status, "1 of 2", meaning if status is Status.FAIL else "as it should"))
        for each, status in zip(of_model, statuses, strict=True)
    ]


def test_who_passes_comes_first_then_what_separates_models_of_equal_score(examined_alone):
    """One of three passes; another with the same score is named with what it fails, a weaker one is not."""
    results, store = examined_alone("grounded", "mirage", "blind")
    marks = [
        *marked(results, "organism/grounded", *[Status.PASS] * 3),
        *marked(results, "organism/mirage", Status.PASS, Status.FAIL, Status.PASS),
        *marked(results, "organism/blind", Status.FAIL, Status.FAIL, Status.PASS),
    ]
    found = headline(Evidence(replace(results, marks=tuple(marks)), store))
    score_of_both = percent(measure_accuracy(results, "organism/mirage", EXAM).value)
    assert (found.found, found.status) == ("One of three models passes all three tests: grounded", Status.PASS)
    assert found.meaning == (
        f"Two models score {score_of_both}. Of these, mirage answers without a word about the missing image"
    )


def test_images_that_did_not_arrive_are_the_headline(examined_alone):
    """Whatever the marks are, nothing is concluded from them."""
    results, store = examined_alone("grounded")
    lost = Delivery("organism/grounded", EXAM, answered_without=9, failed_with=9)
    found = headline(Evidence(replace(results, delivery=(lost,)), store))
    assert (found.found, found.status) == (
        "The images seem not to have reached grounded",
        Status.WITHHELD,
    )


def test_an_open_reason_names_its_models_unless_it_is_of_all(study, question):
    """Of two models of which one answers nothing, that is said of it alone."""
    models = [FakeModel(lambda request: "", name="fake/silent"), FakeModel(lambda request: "B", name="fake/chooses")]
    told = headline(Evidence(*study([question(number) for number in range(6)], models)))
    assert told.found == "Not decided with 6 questions"
    assert told.meaning.startswith("silent: answers no question. chooses: ")
    alone = headline(Evidence(*study([question(number) for number in range(6)], models[:1])))
    assert alone.meaning == "Answers no question"


def test_names_from_right_to_left_leave_the_words_around_them_in_order(study, question):
    """The comma after such a name has a mark, so that the number behind it stays behind."""
    name = "\u0646\u0645\u0648\u0630\u062c"
    page = render(*study([question(0)], [FakeModel(lambda request: "B", name=name)]))
    assert f'<p class="meta">{name} on bench,\u200e 1 question' in page
