from snellen.items import Benchmark
from snellen.protocols.mirage.report.chapter import CHAPTER, DIAGNOSES, HEADING
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.blind_arms import DESCRIBES
from snellen.report.sections.four_questions import cards
from snellen.report.sections.tests import sections
from snellen.stress.base import Status
from strategies import items

SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."


def first_screen(results, store):
    evidence = Evidence(results, store)
    tests = sections(evidence)
    return cards(evidence, tests, list(CHAPTER.cards(evidence, tests)))


def fooled(request):
    """Describes only where a system prompt speaks of an image."""
    return SEEN if request.system else SILENT


def test_card_speaks_of_the_mirage_rate(mirages):
    """Where nothing else looked at the words, the card begins with the rate, bare and under what fools a model most."""
    tests = ["mirage-rate:none,visual-evidence", "mirage-bias:seeds=2"]
    _, know, _, _ = first_screen(*mirages(tests, fooled=fooled, sees=lambda request: f"{SEEN} [[A]]"))
    rate, bias = know.parts
    assert rate.heading == HEADING
    assert {(each.status, each.word, each.about) for each in rate.answers} == {
        (Status.FAIL, DESCRIBES[Status.FAIL], "fake/fooled, fake/sees")
    }
    bare, worst = rate.forests
    assert [mark.number.value for mark in bare.marks] == ["0%", "100%"]
    assert [mark.label for mark in worst.marks] == ["fake/fooled, visual-evidence", "fake/sees, none"]
    assert [mark.number.value for mark in worst.marks] == ["100%", "100%"]
    assert bias.brief
    assert [(each.word, each.about) for each in bias.answers] == [
        (DIAGNOSES[Status.INCONCLUSIVE], "fake/fooled, fake/sees")
    ]


def test_worst_scaffold_is_not_drawn_twice(mirages):
    """Where no scaffold is worse than none, one picture says it all."""
    _, know, _, _ = first_screen(*mirages(["mirage-rate:none,visual-evidence"], sees=lambda request: SEEN))
    assert len(know.parts[0].forests) == 1


def test_what_looked_at_the_words_comes_first(mirages):
    """With a test of the rationales beside it, the mirage rate comes after what that test found."""
    tests = ["image-needed", "rationale", "mirage-rate:none"]
    benchmark = Benchmark("b", items(12))
    _, know, _, _ = first_screen(*mirages(tests, benchmarks=[benchmark], sees=lambda request: f"{SEEN} Answer: A"))
    headings = [part.heading for part in know.parts]
    assert headings.index("Does it describe what it was not shown?") < headings.index(HEADING)


def test_untold_without_image_is_found_in_guess_mode(mirages):
    """A study of guess mode alone still shows what the models do without an image: the arm that is not told so."""
    benchmark = Benchmark("b", items(12))
    _, know, _, eyes = first_screen(*mirages(["guess-mode"], benchmarks=[benchmark], one=lambda request: "[[A]]"))
    assert [part.heading for part in know.parts] == ["Does it say so?"]
    assert [bar.arm for bar in know.parts[0].bars] == ["image-removed"]
    assert eyes.parts[0].forests[0].caption.startswith("Accuracy when no image was sent")


def test_name_of_the_dataset_is_shown_by_its_change(mirages):
    """Steadiness under the benchmark's name is shown as the change in accuracy that its verdict is about."""
    benchmark = Benchmark("b", items(12))
    _, _, steady, _ = first_screen(*mirages(["dataset-name"], benchmarks=[benchmark], one=lambda request: "[[A]]"))
    assert steady.parts[0].forests[0].caption.startswith("Change in accuracy")
