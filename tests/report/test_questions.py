"""The chapters that answer a question, what models do without sight, and what a reader should know beforehand."""

from dataclasses import replace

from snellen.grading.outcomes import Outcome
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.account import accounting
from snellen.report.sections.limits import limits
from snellen.report.sections.questions import questions, reruns
from snellen.report.sections.tests import sections
from snellen.report.sections.without_sight import list_blind_outcomes
from snellen.stress.base import Status
from strategies import items

SILENT = "I cannot see any image, so I cannot answer."


def chapters(results, store, told_in=()):
    """The names of the tests that answer each question, here and elsewhere."""
    evidence = Evidence(results, store)
    found = questions(evidence, sections(evidence), dict(told_in))
    return {
        name: ([each.test.name for each in question.sections], [each.section.test.name for each in question.elsewhere])
        for name, question in found.items()
    }


def right_letter(request):
    """The letter of the right option: questions number them x, y, z in turn."""
    wanted = "xyz"[int(request.text.split("picture ")[1].split(" ")[0]) % 3]
    lines = [line for line in request.text.splitlines() if line[1:3] == ". "]
    return next(line[0] for line in lines if line.endswith(wanted))


def without_sight(results, store):
    """What each model does without sight."""
    evidence = Evidence(results, store)
    [said] = list_blind_outcomes(evidence, sections(evidence))
    return said


def test_every_test_stands_in_the_chapter_of_its_question_once(study):
    """By what it expects of a good model; one that another chapter shows is only named."""
    results, store = study(tests=("image-needed", "rationale", "option-order"))
    assert chapters(results, store) == {
        "looks": (["follows", "image-needed"], []),
        "reads": ([], []),
        "knows": (["honest", "rationale"], []),
        "stable": (["steady", "option-order"], []),
        "conditions": ([], []),
    }
    assert chapters(results, store, {"test-option-order": "Paper"})["stable"] == (["steady"], ["option-order"])


def test_what_takes_the_words_away_says_nothing_about_looking(study):
    """A pass of text-needed stands under a question of its own: who reads and never looks passes it, too."""
    found = chapters(*study(tests=("image-needed", "text-needed")))
    assert found["looks"] == (["follows", "image-needed"], [])
    assert found["reads"] == (["text-needed"], [])


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
    [there] = questions(evidence, sections(evidence), {"test-image-needed": "Paper"})["looks"].elsewhere
    assert there.chapter == "Paper"
    for cell in there.cells:
        assert (cell.number is None) == (cell.finding.verdict.rests_on is None)


def test_what_models_do_without_the_image_is_shown_with_its_number(study, question):
    """Who never answers without the image and who always does; the verdict on it is `honest`, and no second one."""
    models = (
        FakeModel(lambda request: f"Answer: {right_letter(request)}" if request.images else SILENT, name="fake/sees"),
        FakeModel(lambda request: f"Answer: {right_letter(request)}", name="fake/blind"),
    )
    said = without_sight(*study([question(n) for n in range(20)], models))
    assert {bar.label: bar.number.value for bar in said.bars} == {"fake/sees": "100%", "fake/blind": "0%"}


def test_nothing_is_said_of_what_was_not_asked(study):
    """Without a test that takes the image away, nothing is known without sight."""
    results, store = study()
    kept = tuple(finding for finding in results.findings if finding.test.name == "option-order")
    evidence = Evidence(replace(results, findings=kept), store)
    tests = sections(evidence)
    assert (list_blind_outcomes(evidence, tests), reruns(evidence, tests)) == ([], [])


def test_blank_images_answer_where_none_was_left_out(imported, reply):
    """A study that has only blank images still says what models do without sight, and what the benchmark gives away."""
    rows = [reply(n, f"Answer: {'ABC'[n % 3]}", arm=arm) for n in range(60) for arm in ("original", "image-blank")]
    results, store = imported(rows)
    assert without_sight(results, store).caption.startswith("Outcomes when every image was blank; ")
    assert [line.status for line in results.lines] == [Status.FAIL]


def test_no_image_comes_before_a_blank_one(study):
    """Where both were asked, what no image does is told, whichever test came first."""
    said = without_sight(*study(tests=("blank-image", "image-needed")))
    assert said.caption.startswith("Outcomes when no image was sent; ")


def test_untold_without_image_is_found_in_guess_mode(mirages):
    """A study of guess mode alone still shows what the models do without an image: the arm that is not told so."""
    benchmark = Benchmark("b", items(12))
    said = without_sight(*mirages(["guess-mode"], benchmarks=[benchmark], one=lambda request: "[[A]]"))
    assert [bar.arm for bar in said.bars] == ["image-removed"]


def test_number_beside_a_bar_has_its_own_n(study):
    """Twelve items asked twice are 24 replies: beside an interval over items stand the items."""
    results, store = study(epochs=2)
    said = without_sight(results, store)
    assert {(bar.n, bar.number.n) for bar in said.bars} == {("12", "12")}
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
