"""Visual necessity: better than luck without the image, where only luck should be left."""

from dataclasses import replace

import pytest

from snellen.errors import StudyError
from snellen.papers.readiness.tests.visual_necessity import HEADLINE, visual_necessity
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, rated, sheet, verdict

TEST = visual_necessity(rating="needs")
BLIND = "image-removed"


def blind(line, seen=None, asked=None):
    """A table of what it says without the image, and with it all right unless told."""
    return sheet({"original": seen or "+" * len(line), BLIND: line}, asked)


def test_what_became_of_the_answers_without_an_image():
    """Right by a shortcut, wrong all the same, or not given; the rest could not be read."""
    found = numbers(TEST, blind("+++---oox?"))
    assert found[BLIND, "shortcut_right_rate"].value == pytest.approx(0.3)
    assert found[BLIND, "confident_wrong_rate"].value == pytest.approx(0.3)
    assert found[BLIND, "silence_rate"].value == pytest.approx(0.3)
    assert found[BLIND, HEADLINE].value == pytest.approx(0.3 + 0.4 * 0.2 - 0.2)
    assert found["original", "accuracy"].value == 1


def test_only_the_items_that_need_the_image_count():
    """And every number says how they were chosen."""
    asked = (*rated(8)[:4], *(replace(item, metadata={"needs": 1}) for item in rated(8)[4:]))
    found = numbers(TEST, blind("----++++", asked=asked))
    assert (found[BLIND, "accuracy"].value, found[BLIND, "accuracy"].n) == (0, 4)
    measures = TEST.measure(blind("----++++", asked=asked))
    assert {each.subset for each in measures} == {"ratings: needs at least 3"}


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("+" * 60 + "-" * 40, Status.FAIL, "It has a shortcut"),
        ("+" * 40 + "-" * 160, Status.INCONCLUSIVE, "20%"),
        ("+" * 400 + "-" * 1600, Status.PASS, "scores no more than chance"),
        ("-" * 100, Status.PASS, "scores no more than chance"),
        ("o" * 100, Status.PASS, "scores no more than chance"),
        ("+-", Status.INCONCLUSIVE, "above chance is possible"),
        ("  ", Status.INCONCLUSIVE, "No question that needs the image was answered without it"),
    ],
    ids=["shortcut", "luck of few", "luck of many", "worse than luck", "all silent", "two items", "no reply"],
)
def test_what_is_concluded(line, status, words):
    """Above luck is a shortcut; at luck, or silent, passes; few items cannot tell."""
    found = verdict(TEST, blind(line))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


def test_replies_that_never_came_withhold_the_verdict():
    """All of them failed: it is not nought."""
    found = verdict(TEST, sheet({"original": "+" * 40, BLIND: " " * 40}, wanted=40))
    assert found.status is Status.INCONCLUSIVE
    assert "40 of 40 responses of the condition image-removed are missing" in found.sentence


def test_a_finding_among_many_is_corrected():
    """What is shown alone is not beside tests with a limit that show nothing; reported tests do not count."""
    lines = {"original": "+" * 50, BLIND: "+" * 18 + "-" * 32}
    others = ("image-substituted", "distractors-replaced:count=1")
    found = sheet({**lines, **dict.fromkeys(others, "+" * 49 + "-")})
    assert verdict(TEST, found, "comparison:image-substituted", "image-needed", "mirage-score").status is Status.FAIL
    beside = verdict(TEST, found, "visual-substitution", "distractors")
    assert (beside.status, beside.reason) == (Status.INCONCLUSIVE, "after-correction")


def test_what_is_still_possible_is_said():
    """And how many questions would settle it."""
    said = verdict(TEST, blind("+" * 20 + "-" * 80)).sentence
    assert "20% of 100 questions" in said
    assert "8% above chance is possible; about 280 questions would settle it" in said


def test_accuracy_and_margin_are_one_count_or_both_are_named():
    """31% right is 11 points above a chance of 20%; it is 16 only if the quarter without an answer count as guesses."""
    spoken, silent = (verdict(TEST, blind("+" * 31 + rest)).numbers for rest in ("-" * 69, "-" * 44 + "o" * 25))
    assert spoken.startswith("31% of 100 questions that need the image are right without it, 11 points (95% CI ")
    assert silent.startswith("31% of 100 questions that need the image are right without it, 16 points (95% CI ")
    assert spoken.endswith(") above chance")
    assert silent.endswith(") above chance, counting the 25% without an answer as guesses")


def test_the_names_lead_back():
    """With the settings that are not the usual ones."""
    for name in ("visual-necessity", "visual-necessity:rating=needs", "visual-necessity:words=30,sure=2"):
        assert stress_test(name).name == name
    with pytest.raises(StudyError, match="cannot be made"):
        stress_test("visual-necessity:colour=red")
