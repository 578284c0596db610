"""The chapters that answer a question, and what a reader should know beforehand."""

from dataclasses import replace

from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.account import accounting
from snellen.report.sections.limits import limits
from snellen.report.sections.outcome_bars import draw_outcomes
from snellen.report.sections.questions import questions, reruns
from snellen.report.sections.summary import draw_with_without
from snellen.report.sections.tests import sections
from snellen.stress.base import Status


def chapters(results, store, told_in=()):
    """The names of the tests that answer each question, here and elsewhere."""
    evidence = Evidence(results, store)
    found = questions(evidence, sections(evidence), dict(told_in))
    return {
        name: ([each.test.name for each in question.sections], [each.section.test.name for each in question.elsewhere])
        for name, question in found.items()
    }


def test_every_test_stands_in_the_chapter_of_its_question_once(study):
    """By what it expects of a good model; one that another chapter shows is only named."""
    results, store = study(tests=("image-needed", "rationale", "option-order"))
    assert chapters(results, store) == {
        "looks": (["follows"], []),
        "knows": (["honest", "rationale"], []),
        "stable": (["steady", "option-order"], []),
        "benchmark": (["image-needed"], []),
        "conditions": ([], []),
    }
    assert chapters(results, store, {"test-option-order": "Paper"})["stable"] == (["steady"], ["option-order"])


def test_what_takes_the_words_away_says_nothing_about_looking(study):
    """A pass of text-needed is about the benchmark: who reads and never looks passes it, too."""
    found = chapters(*study(tests=("image-needed", "text-needed")))
    assert found["looks"] == (["follows"], [])
    assert found["benchmark"] == (["image-needed", "text-needed"], [])


def test_steps_are_drawn_for_every_model_beside_guessing(study):
    """Four accuracies in the order of the steps, named by them; a test without steps has none."""
    results, store = study(tests=("image-needed", "text-needed"))
    evidence = Evidence(results, store)
    by_name = {each.test.name: each for each in sections(evidence)}
    assert by_name["image-needed"].ladders == ()
    plots = by_name["text-needed"].ladders
    assert len(plots) == len(results.study["models"])
    for plot in plots:
        labels = ["as asked", "without the image", "with question and options alone", "with the options alone"]
        assert [mark.label for mark in plot.marks] == labels
        assert "the dashed line is guessing" in plot.caption
        assert plot.figure.name.startswith("text-needed-accuracy-step-by-step")
        assert plot.figure.csv.count("\n") == 6
    assert len({plot.figure.name for plot in plots}) == len(plots)


def test_a_test_named_elsewhere_keeps_its_numbers(study):
    """No verdict without the number that it rests on."""
    evidence = Evidence(*study())
    [there] = questions(evidence, sections(evidence), {"test-image-needed": "Paper"})["benchmark"].elsewhere
    assert there.chapter == "Paper"
    for cell in there.cells:
        assert (cell.number is None) == (cell.finding.verdict.rests_on is None)


def test_nothing_is_said_of_what_was_not_asked(study):
    """Without a test that takes the image away, nothing is known without sight."""
    results, store = study()
    kept = tuple(finding for finding in results.findings if finding.test.name == "option-order")
    evidence = Evidence(replace(results, findings=kept), store)
    tests = sections(evidence)
    assert (list(draw_with_without(evidence)), reruns(evidence, tests)) == ([], [])


def test_blank_images_answer_where_none_was_left_out(imported, reply):
    """A study that has only blank images still says what models do without sight, and what the benchmark gives away."""
    rows = [reply(n, f"Answer: {'ABC'[n % 3]}", arm=arm) for n in range(60) for arm in ("original", "image-blank")]
    results, store = imported(rows)
    [bars] = draw_outcomes(Evidence(results, store))
    assert [each.words for each in bars.columns] == ["With the image", "Blank image"]
    assert [line.status for line in results.lines] == [Status.FAIL]


def test_bars_count_responses(study):
    """Twelve items asked twice are 24 responses."""
    results, store = study(epochs=2)
    evidence = Evidence(results, store)
    assert {bar.n for section in sections(evidence) for bar in section.bars} == {"24"}
    assert [each.benchmark for each in reruns(evidence, sections(evidence))] == ["bench"]


def test_limits_are_told_beforehand(study):
    """What could not be detected, how responses were read, and whether all are there."""
    results, store = study()
    evidence = Evidence(results, store)
    found = {each.heading: each.sentence for each in limits(evidence, accounting(evidence))}
    assert found["Completeness"] == "All 72 planned responses are there."
    arms = [grades for table in results.tables.values() for grades in table.arms.values()]
    stated = sum(int(grades.is_(Outcome.CORRECT, Outcome.WRONG).sum()) for grades in arms)
    assert found["Reading of responses"].startswith(f"{stated} of 72 responses state an answer; ")
    assert "could not be detected (80% power)" in found["Power"]


def test_what_an_import_does_not_know_is_not_told_as_known(imported, reply):
    """Nothing of an import says whether images arrived."""
    evidence = Evidence(*imported([reply(n, "Answer: A") for n in range(9)]))
    found = {each.heading: each.sentence for each in limits(evidence, accounting(evidence))}
    assert found["Delivery of images"] == "Not known: nothing in the imported files tells."
