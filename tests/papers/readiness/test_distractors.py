"""Distractors: easier wrong options may help where the image is there, and nothing where it is not."""

import pytest

from snellen.errors import StudyError
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

ARMS = [f"distractors-replaced:count={count}" for count in (1, 2, 3, 4)]
BLIND = [f"image-removed+{arm}" for arm in ARMS]


def asked(baseline, lines, *, removed=False, wanted=0):
    """A table of the baseline and of each number of replacements."""
    arms = BLIND if removed else ARMS
    if isinstance(lines, str):
        lines = [lines] * 4
    before = "image-removed" if removed else "original"
    return sheet({before: baseline, **dict(zip(arms, lines, strict=False))}, wanted=wanted)


def test_each_number_of_replacements_is_held_against_the_same_baseline():
    """With and without the image; whether choices moved is not told, since the options did."""
    found = numbers("distractors", asked("++--", ["++--", "+++-", "++++", "----"]))
    assert [found[arm, "difference"].value for arm in ARMS] == pytest.approx([0, 0.25, 0.5, -0.5])
    assert not [name for _, name in found if name == "changed_rate"]
    without = numbers("distractors:image=removed", asked("++--", ["++--", "+++-", "++++", "----"], removed=True))
    assert [without[arm, "difference"].value for arm in BLIND] == pytest.approx([0, 0.25, 0.5, -0.5])


@pytest.mark.parametrize(
    ("lines", "removed", "status", "words"),
    [
        ("+" * 50 + "-" * 50, False, Status.PASS, "It is stable"),
        ("+" * 90 + "-" * 10, False, Status.PASS, "It is stable"),
        ("-" * 100, False, Status.FAIL, "larger than chance explains"),
        ("+" * 45 + "-" * 55, False, Status.INCONCLUSIVE, "is still possible"),
        ("+" * 50 + "-" * 50, True, Status.PASS, "It is stable"),
        ("+" * 90 + "-" * 10, True, Status.FAIL, "larger than chance explains"),
        ("-" * 100, True, Status.FAIL, "larger than chance explains"),
        ("o" * 100, False, Status.FAIL, "larger than chance explains"),
        ("+" * 20 + "?" * 80, False, Status.INCONCLUSIVE, "could not be read"),
    ],
)
def test_what_is_concluded(lines, removed, status, words):
    """A rise with the image is welcome; without it, neither rise nor fall has a good reason."""
    name = "distractors:image=removed" if removed else "distractors"
    found = verdict(name, asked("+" * 50 + "-" * 50, lines, removed=removed))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


def test_the_worst_number_of_replacements_decides():
    """One arm that gets worse is enough, and arms that nobody could be asked under do not count."""
    good, bad = "+" * 50 + "-" * 50, "-" * 100
    assert verdict("distractors", asked(good, [good, good, bad])).status is Status.FAIL
    assert verdict("distractors", asked(good, [good])).status is Status.PASS


@pytest.mark.parametrize("lines", [[], [" " * 4] * 4])
def test_where_nothing_could_be_replaced_nothing_is_concluded(lines):
    """All inapplicable, or not asked."""
    found = verdict("distractors", asked("++--", lines))
    assert (found.status, found.sentence) == (
        Status.INCONCLUSIVE,
        "No question has wrong options that could be replaced.",
    )


def test_all_refused_is_no_change():
    """Nothing before, nothing after: no answer could move, and the refusals are told beside it."""
    found = asked("x" * 100, "x" * 100)
    assert verdict("distractors", found).status is Status.INCONCLUSIVE
    assert numbers("distractors", found)[ARMS[0], "refusal_rate"].value == 1


def test_all_failed_is_no_verdict():
    """Nothing came of what was wanted."""
    found = verdict("distractors", asked("+" * 20, " " * 20, wanted=20))
    assert found.status is Status.INCONCLUSIVE
    assert "20 of 20 responses" in found.sentence


def test_the_image_is_kept_or_removed():
    """Nothing else."""
    assert stress_test("distractors:image=kept").name == "distractors"
    with pytest.raises(StudyError, match="expected image to be kept or removed, got 'blurred'"):
        stress_test("distractors:image=blurred")
