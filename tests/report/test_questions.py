from dataclasses import replace

from snellen.models.fake import FakeModel
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.blind_arms import DESCRIBES
from snellen.report.sections.four_questions import cards
from snellen.report.sections.tests import sections
from snellen.stress.base import Status

SILENT = "I cannot see any image, so I cannot answer."


def answers(results, store):
    """The answers of each card, by its question."""
    evidence = Evidence(results, store)
    return {
        card.question: [(answer.status, answer.word) for part in card.parts for answer in part.answers]
        for card in cards(evidence, sections(evidence))
    }


def right_letter(request):
    """The letter of the right option: questions number them x, y, z in turn."""
    wanted = "xyz"[int(request.text.split("picture ")[1].split(" ")[0]) % 3]
    lines = [line for line in request.text.splitlines() if line[1:3] == ". "]
    return next(line[0] for line in lines if line.endswith(wanted))


def test_model_that_looks_and_says_when_it_cannot(study, question):
    """Right with the image and silent without: it knows; whether the score needs the image, silence does not show."""
    model = FakeModel(
        lambda request: f"Answer: {right_letter(request)}" if request.images else SILENT, name="fake/sees"
    )
    found = answers(*study([question(n) for n in range(200)], (model,)))
    assert found["Does it know when it cannot see?"] == [(Status.PASS, "Yes")]
    assert found["Is it steady?"] == [(Status.PASS, "Yes")]
    assert found["Does the score need the image?"] == [(Status.INCONCLUSIVE, "Inconclusive"), (Status.PASS, "Yes")]


def test_model_that_knows_the_answers_without_looking(study, question):
    """Right with and without the image: it does not say so, and its score does not need the image."""
    model = FakeModel(lambda request: f"Answer: {right_letter(request)}", name="fake/blind")
    found = answers(*study([question(n) for n in range(200)], (model,)))
    assert found["Does it know when it cannot see?"] == [(Status.FAIL, "No")]
    assert found["Does the score need the image?"] == [(Status.FAIL, "No"), (Status.FAIL, "Not for all of it")]


def test_too_few_items_cannot_tell(study, question):
    """Where little was asked, the page does not pretend to know what the benchmark needs."""
    model = FakeModel(lambda request: "Answer: A", name="fake/a")
    found = answers(*study([question(n) for n in range(4)], (model,)))
    assert set(found["Does the score need the image?"]) == {(Status.INCONCLUSIVE, "Inconclusive")}


def test_questions_nobody_asked_stay_open(study):
    """Without a test that takes the image away, three of the four questions have no answer."""
    results, store = study()
    kept = tuple(finding for finding in results.findings if finding.test.name == "option-order")
    found = answers(replace(results, findings=kept), store)
    assert [question for question, given in found.items() if not given] == [
        "Does it use the image?",
        "Does it know when it cannot see?",
        "Does the score need the image?",
    ]


def test_blank_images_answer_where_none_was_left_out(imported, reply):
    """A study that has only blank images still says whether it knows and whether the benchmark needed eyes."""
    rows = [reply(n, f"Answer: {'ABC'[n % 3]}", arm=arm) for n in range(60) for arm in ("original", "image-blank")]
    results, store = imported(rows)
    found = answers(results, store)
    assert found["Does the score need the image?"] == [(Status.FAIL, "No"), (Status.FAIL, "Not for all of it")]
    assert (Status.FAIL, "No") in found["Does it know when it cannot see?"]
    evidence = Evidence(results, store)
    part = cards(evidence, sections(evidence))[3].parts[-1]
    assert part.forests[0].caption.startswith("Accuracy when every image was blank; the dashed line is blind guessing")


def test_number_beside_a_bar_has_its_own_n(study):
    """Twelve items asked twice are 24 replies: beside an interval over items stand the items."""
    results, store = study(epochs=2)
    evidence = Evidence(results, store)
    [part] = [part for part in cards(evidence, sections(evidence))[1].parts if part.bars]
    assert {(bar.n, bar.number.n) for bar in part.bars} == {("12", "12")}
    assert {bar.n for section in sections(evidence) for bar in section.bars} == {"24"}


def test_no_image_comes_before_a_blank_one(study):
    """Where both were asked, the first screen shows what no image does, whichever test came first."""
    results, store = study(tests=("blank-image", "image-needed"))
    evidence = Evidence(results, store)
    part = cards(evidence, sections(evidence))[3].parts[-1]
    assert part.forests[0].caption.startswith("Accuracy when no image was sent")


def test_describing_what_was_not_shown_is_told_on_the_first_screen(study, question):
    """A model that describes a picture it never had gets its own part, drawn for the arm that it is reported for."""
    model = FakeModel(lambda request: "The X-ray shows a fracture of the left radius. Answer: A", name="fake/sees")
    results, store = study([question(n) for n in range(40)], (model,), tests=("rationale",))
    evidence = Evidence(results, store)
    card = cards(evidence, sections(evidence))[1]
    [part] = [part for part in card.parts if part.heading.startswith("Does it describe")]
    assert [(answer.status, answer.word) for answer in part.answers] == [(Status.REPORTED, DESCRIBES[Status.REPORTED])]
    [plot] = part.forests
    assert plot.caption == f"Describes something in the image, {results.findings[0].verdict.rests_on.arm} (percent)"
    assert [mark.number.value for mark in plot.marks] == ["100%"]
