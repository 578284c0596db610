"""What the tests of the clinical pathway conclude: from numbers that are known."""

import pytest

from snellen.images import decode
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.papers.pathway.report.chapter import describe_loss
from snellen.papers.pathway.tests.mismatched_image import CONTROL, mismatched_image
from snellen.papers.pathway.tests.tasks import ANSWERS, REPORT, conclude
from snellen.stats import Estimate
from snellen.stress.base import Measure, Status
from snellen.stress.measures import KINDS as USUAL
from snellen.study import Study
from snellen.testing import own_benchmark
from strategies import picture
from studied import results_of
from tables import sheet, verdict

TEST = mismatched_image()
(WRONG_IMAGE,) = (arm.name for arm in TEST.compared)
LOST = "100% of the responses were cut off, are empty or could not be read"
FOLLOWS = "it names hardly any wrong image"
DECLINES = "it declines 100% of the questions and names no contradiction in them"
NOTICES = "it notices that text and image do not fit"


@pytest.mark.parametrize(
    ("control", "arm", "status", "meaning"),
    [
        ("+" * 30, "-" * 30, Status.FAIL, FOLLOWS),
        ("+" * 30, "x" * 30, Status.FAIL, DECLINES),
        ("+" * 30, "o" * 30, Status.FAIL, DECLINES),
        ("+" * 30, "t" * 30, Status.INCONCLUSIVE, LOST),
        ("+" * 30, "?" * 30, Status.INCONCLUSIVE, LOST),
        ("+" * 30, "+" * 30, Status.PASS, NOTICES),
        ("-" * 30, "+" * 30, Status.FAIL, "it speaks of contradictions whether or not there is one"),
        ("-" + "+" * 29, "-" * 30, Status.FAIL, FOLLOWS),
        ("-+++" * 75, "+++--" * 60, Status.FAIL, FOLLOWS),
        (" " * 30 + "+" * 30, "+" * 30 + " " * 30, Status.PASS, NOTICES),
    ],
)
def test_what_is_concluded(control, arm, status, meaning):
    """False alarms weigh against what is named; cut off, declined and following the text are three things."""
    found = verdict(TEST, sheet({CONTROL.name: control, WRONG_IMAGE: arm}))
    assert (found.status, found.meaning) == (status, meaning)


def test_both_rates_are_told_in_plain_words():
    """What is named where text and image contradict each other, where they do not, and the difference."""
    few = verdict(TEST, sheet({CONTROL.name: "++-", WRONG_IMAGE: "+--"}))
    assert "named, and one is named in 33% of the questions without any: a difference of 0 points" in few.numbers


def accuracy(arm, name, value, n):
    """A measure of an arm."""
    kind = USUAL[name]
    return {(arm, name): Measure(arm, kind, Estimate(value, max(0.0, value - 0.1), min(1.0, value + 0.1), n, "wilson"))}


def test_numbers_with_the_report_are_said_to_be_so():
    """Of a model without vision alone; of one that sees, compared on the same questions."""
    blind = conclude(ANSWERS, accuracy(REPORT.label, "accuracy", 0.9, 40)).numbers
    assert blind == "90% (95% CI 80 to 100) of 40 questions right, with the radiology report in place of the image"
    measures = {
        **accuracy("original", "accuracy", 0.5, 40),
        **accuracy(REPORT.label, "difference", 0.1, 10),
        **accuracy(REPORT.label, "baseline_accuracy", 0.8, 10),
    }
    assert conclude(ANSWERS, measures).numbers == (
        "50% (95% CI 40 to 60) of 40 questions right; 90% with the radiology report in place of the image, on 10 "
        "questions with a report (80% with the image)"
    )


def test_responses_that_were_cut_off_are_not_called_wrong_even_with_the_report(tmp_path):
    """Nor is a model that is silent with the image, and right with the report, said to lose in looking."""

    def cut(request):
        return Response("The image shows", finish="length", sent=tuple(receipt(each) for each in request.images))

    benchmarks = ["phantoms:task=pathway,items=14"]
    Study(models=[FakeModel(cut, name="a/cut")], benchmarks=benchmarks, tests=["pathway-answers"], out=tmp_path).run()
    page = (tmp_path / "report.html").read_text()
    assert "100% give no answer to the report" in page
    assert "are wrong even with the report" not in page
    never, always = Estimate(0.0, 0.0, 0.1, 40, "wilson"), Estimate(1.0, 0.9, 1.0, 40, "bonett-price")
    said = describe_loss(never, always, 0.0, 1.0)
    assert "100% give no answer with the image" in said
    assert "that is lost" not in said
    assert "that is lost in looking" in describe_loss(never, always)


def test_rows_of_the_task_mismatch_are_contradictions_and_no_diagnoses(tmp_path):
    """Asked as they are, with diagnoses of other patients as the control; no accuracy counts them."""
    case = {"question": "What is the diagnosis?", "history": "Her knee hurts.", "metadata": {"body_part": "knee"}}
    rows = [
        {**case, "id": f"{task}{at}", "task": task, "cluster": f"{task}{at}", "image": f"{task}{at}.png", "answer": "x"}
        for task in ("IV", "VIII")
        for at in range(12)
    ]
    own_benchmark(tmp_path, rows)
    for at, row in enumerate(rows):
        (tmp_path / row["image"]).write_bytes(picture(10 * at).read())

    def notice(request):
        shown = int(decode(request.images[0].data, name="x").mean()) // 10
        return "The image does not match the history." if shown >= 12 else "Diagnosis: x"

    models = [FakeModel(notice, name="fake/notices"), FakeModel(lambda request: "Diagnosis: x", name="fake/follows")]
    results = results_of(Study(models=models, benchmarks=[tmp_path], tests=["pathway"], out=tmp_path / "out"))
    found = {(each.model, each.test.name): each for each in results.findings}
    for name, named, status in (("fake/notices", 1.0, Status.PASS), ("fake/follows", 0.0, Status.FAIL)):
        finding = found[name, "mismatched-image"]
        assert (finding.measure(WRONG_IMAGE, "named_rate").estimate.value, finding.verdict.status) == (named, status)
        answers = found[name, "pathway-answers"].measure("original", "accuracy").estimate
        assert (answers.value, answers.n) == (1.0, 12)
