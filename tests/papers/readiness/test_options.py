"""Options (T4): other wrong options and the option Unknown, with the image and without it."""

import pytest

from snellen.errors import StudyError
from snellen.papers.readiness.tests.options import HEADLINE
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

ARMS = [f"distractors-replaced:count={count}" for count in (1, 2, 3, 4)]
BLIND = [f"image-removed+{arm}" for arm in ARMS]
UNKNOWN, BLIND_UNKNOWN = "unknown-offered", "image-removed+unknown-offered"
WITHOUT = "unknown-option:image=removed"
HALF = "+" * 50 + "-" * 50


def asked(baseline, lines, *, removed=False, wanted=0):
    """A table of the baseline and of each number of replacements."""
    lines = [lines] * 4 if isinstance(lines, str) else lines
    before, arms = ("image-removed", BLIND) if removed else ("original", ARMS)
    return sheet({before: baseline, **dict(zip(arms, lines, strict=False))}, wanted=wanted)


def offered(line, before=None, *, wanted=0):
    """A table of what it says when Unknown is offered and no image."""
    return sheet({"image-removed": before or "-" * len(line), BLIND_UNKNOWN: line}, wanted=wanted)


def test_each_number_of_replacements_is_held_against_the_same_baseline():
    """With and without the image; whether choices moved is not told, since the options did."""
    for removed, arms in ((False, ARMS), (True, BLIND)):
        name = "distractors:image=removed" if removed else "distractors"
        found = numbers(name, asked("++--", ["++--", "+++-", "++++", "----"], removed=removed))
        assert [found[arm, "difference"].value for arm in arms] == pytest.approx([0, 0.25, 0.5, -0.5])
        assert not [each for _, each in found if each == "changed_rate"]


@pytest.mark.parametrize(
    ("lines", "removed", "status", "words"),
    [
        (HALF, False, Status.PASS, "It is stable"),
        ("+" * 90 + "-" * 10, False, Status.PASS, "It is stable"),
        ("-" * 100, False, Status.FAIL, "larger than chance explains"),
        ("+" * 45 + "-" * 55, False, Status.INCONCLUSIVE, "is still possible"),
        (HALF, True, Status.PASS, "It is stable"),
        ("+" * 90 + "-" * 10, True, Status.FAIL, "larger than chance explains"),
        ("-" * 100, True, Status.FAIL, "larger than chance explains"),
        ("o" * 100, False, Status.FAIL, "larger than chance explains"),
        ("+" * 20 + "?" * 80, False, Status.INCONCLUSIVE, "unreadable, cut-off or empty"),
        ([HALF, HALF, "-" * 100], False, Status.FAIL, "larger than chance explains"),
        ([HALF], False, Status.PASS, "It is stable"),
        ([], False, Status.INCONCLUSIVE, "No question has wrong options that could be replaced."),
        ([" " * 4] * 4, False, Status.INCONCLUSIVE, "No question has wrong options that could be replaced."),
    ],
)
def test_what_is_concluded_of_other_wrong_options(lines, removed, status, words):
    """A rise with the image is welcome; without it neither rise nor fall has a good reason. The worst number decides.

    Numbers that nobody could be asked under do not count.
    """
    name = "distractors:image=removed" if removed else "distractors"
    found = verdict(name, asked(HALF, lines, removed=removed))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


def test_refusals_and_failures_are_no_change():
    """All refused: no answer could move, and the refusals are told. All failed: nothing came of what was wanted."""
    found = asked("x" * 100, "x" * 100)
    assert verdict("distractors", found).status is Status.INCONCLUSIVE
    assert numbers("distractors", found)[ARMS[0], "refusal_rate"].value == 1
    failed = verdict("distractors", asked("+" * 20, " " * 20, wanted=20))
    assert (failed.status, "20 of 20 responses" in failed.sentence) == (Status.INCONCLUSIVE, True)
    assert "20 of 20 responses" in verdict(WITHOUT, offered(" " * 20, wanted=20)).sentence


def test_the_image_is_kept_or_removed():
    """Nothing else."""
    assert stress_test("distractors:image=kept").name == "distractors"
    with pytest.raises(StudyError, match="expected image to be kept or removed, got 'blurred'"):
        stress_test("distractors:image=blurred")


def test_silence_is_held_against_luck():
    """Of ten replies four take Unknown and one refuses; picking any of five options would take it in two."""
    found = numbers(WITHOUT, offered("oooox++---"))
    assert found[BLIND_UNKNOWN, HEADLINE].value == pytest.approx(0.5 - 0.2)
    assert found[BLIND_UNKNOWN, "silence_rate"].value == pytest.approx(0.5)
    assert found[BLIND_UNKNOWN, "difference"].value == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("o" * 60, Status.PASS, "it says that it cannot tell"),
        ("x" * 60, Status.PASS, "it says that it cannot tell"),
        ("ox" * 30, Status.PASS, "100% (95% CI 94 to 100) of 60 questions"),
        ("+-" * 30, Status.FAIL, "It picks a diagnosis rather than Unknown when no image was sent"),
        ("o" * 12 + "-" * 48, Status.INCONCLUSIVE, "0 points (95% CI −11 to 11) more than by chance"),
        ("-", Status.INCONCLUSIVE, "too few"),
        (" ", Status.INCONCLUSIVE, "No question could be offered with Unknown"),
    ],
)
def test_what_is_concluded_of_unknown_without_the_image(line, status, words):
    """Most take it, however they put it: it passes. Fewer than by luck: ruled out. Between the two nothing is said."""
    found = verdict(WITHOUT, offered(line))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("+" * 80 + "-" * 20, Status.PASS),
        ("+" * 95 + "-" * 5, Status.PASS),
        ("o" * 100, Status.FAIL),
        ("+" * 30 + "o" * 70, Status.FAIL),
        ("+" * 76 + "o" * 24, Status.INCONCLUSIVE),
        (" " * 100, Status.INCONCLUSIVE),
    ],
)
def test_what_is_concluded_of_unknown_with_the_image(line, status):
    """It should answer as before; one who flees into Unknown gets worse."""
    assert verdict("unknown-option", sheet({"original": "+" * 80 + "-" * 20, UNKNOWN: line})).status is status


def test_the_margin_is_corrected_with_the_other_tests():
    """What is shown alone is not beside two tests with a limit that show nothing; reported tests do not count."""
    line, others = "o" + "-" * 29, ("image-substituted", "distractors-replaced:count=1")
    found = sheet({"original": line, "image-removed": line, BLIND_UNKNOWN: line, **dict.fromkeys(others, line)})
    assert verdict(WITHOUT, found, "comparison:image-substituted", "image-needed", "mirage-score").status is Status.FAIL
    beside = verdict(WITHOUT, found, "visual-substitution", "distractors")
    assert (beside.status, beside.reason) == (Status.INCONCLUSIVE, "after-correction")
