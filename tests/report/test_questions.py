"""The chapters that answer a question by tests."""

from dataclasses import replace

from snellen.reading.outcomes import Outcome
from snellen.report.components import Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.account import draw_limits
from snellen.report.sections.benchmark import draw_with_without
from snellen.report.sections.outcome_bars import draw_outcomes
from snellen.report.sections.questions import draw_question, draw_reruns, questions
from snellen.report.sections.tests import draw_test, sections
from snellen.stress.base import Status


def tables(part):
    """All tables in a part, at any depth."""
    for each in getattr(part, "parts", ()):
        if isinstance(each, Table):
            yield each
        yield from tables(each)


def chapters(results, store, told_in=()):
    """The names of the tests that answer each question, here and elsewhere."""
    evidence = Evidence(results, store)
    found = questions(sections(evidence), dict(told_in))
    return {
        name: ([each.test.name for each in question.here], [each.test.name for each, _ in question.elsewhere])
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
    steps = lambda name: [each for each in tables(draw_test(evidence, by_name[name])) if "step by step" in each.caption]  # noqa: E731
    assert steps("image-needed") == []
    plots = steps("text-needed")
    assert len(plots) == len(results.study["models"])
    for plot in plots:
        labels = ["as asked", "without the image", "with question and options alone", "with the options alone"]
        assert [row.head.words for row in plot.rows] == labels
        assert "the dashed line is guessing" in plot.caption
        assert plot.figure.name.startswith("text-needed-accuracy-step-by-step")
        assert plot.figure.csv.count("\n") == 6
    assert len({plot.figure.name for plot in plots}) == len(plots)


def test_a_test_named_elsewhere_keeps_its_numbers(usual):
    """No verdict without the number that it rests on."""
    evidence = Evidence(*usual)
    benchmark = questions(sections(evidence), {"test-image-needed": "Paper"})["benchmark"]
    [(there, chapter)] = benchmark.elsewhere
    note, listing = draw_question(evidence, benchmark, ()).parts[0].parts
    assert (chapter, note.words, note.links[0].to) == ("Paper", "In “Paper”:", "test-image-needed")
    for cell, finding in zip(listing.items, there.findings, strict=True):
        assert bool(cell.to) == (finding.verdict.rests_on is not None)
        assert ("(" in cell.words) == bool(cell.to)


def test_nothing_is_said_of_what_was_not_asked(usual):
    """Without a test that takes the image away, nothing is known without sight."""
    results, store = usual
    kept = tuple(finding for finding in results.findings if finding.test.name == "option-order")
    evidence = Evidence(replace(results, findings=kept), store)
    tests = sections(evidence)
    assert [*draw_with_without(evidence), *draw_reruns(evidence, tests)] == []
    unanswered = questions(tests, {})["knows"]
    kept = unanswered._replace(here=())
    assert draw_question(evidence, kept, ()).parts[0].words.startswith("Not examined. ")


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
    drawn = [each for test in sections(evidence) for each in tables(draw_test(evidence, test)) if each.key]
    assert {row.cells[-1].n for table in drawn for row in table.rows} == {"n 24"}
    [again] = draw_reruns(evidence, sections(evidence))
    assert {row.benchmark for row in again.parts[0].rows} == {"bench"}


def limits(results, store):
    """What the page says that a reader should know before relying on the numbers, by heading."""
    return {card.title: card.parts[0].words for card in draw_limits(Evidence(results, store)).parts[0].cards}


def test_limits_are_told(usual):
    """What could not be detected, how responses were read, and whether all are there."""
    results, store = usual
    found = limits(results, store)
    arms = [grades for table in results.tables.values() for grades in table.arms.values()]
    stated = sum(int(grades.is_(Outcome.CORRECT, Outcome.WRONG).sum()) for grades in arms)
    assert "72" in found["Completeness"]
    assert found["Reading of responses"].startswith(f"{stated} of 72 responses state an answer; ")
    assert "could not be detected (80% power)" in found["Power"]


def test_what_an_import_does_not_know_is_not_told_as_known(imported, reply):
    """Nothing of an import says whether images arrived."""
    found = limits(*imported([reply(n, "Answer: A") for n in range(9)]))
    assert found["Delivery of images"] == "Unknown: the imported files do not show it."
