"""Visual substitution: does the answer follow the image?"""

from dataclasses import replace

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.papers.readiness.tests.visual_substitution import STUCK
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

TEST, SWAPPED = "visual-substitution", "image-substituted"


def swapped(line, before=None, *, wanted=0, arms=(SWAPPED,)):
    """A table of replies to another image: right follows it, wrong gives the old answer again."""
    found = sheet({"original": before or "+" * len(line), **dict.fromkeys(arms, line)}, wanted=wanted)
    return replace(found, arms={**found.arms, **{arm: _sticking(found, arm) for arm in arms}})


def _sticking(found, arm):
    grades = found.arms[arm]
    old = np.array([item.answer for item in found.items], dtype=np.int64)[grades.ordinal]
    wrong, right = grades.is_("wrong"), grades.is_("correct")
    return replace(grades, chosen=np.where(wrong, old, np.where(right, (old + 1) % 5, grades.chosen)))


def test_accuracy_is_by_what_each_image_shows():
    """And the old answer is counted where it is given again."""
    found = numbers(TEST, swapped("++---oox??", "++++++++--"))
    assert found[SWAPPED, "accuracy"].value == pytest.approx(0.2)
    assert found[SWAPPED, "difference"].value == pytest.approx(0.2 - 0.8)
    assert found[SWAPPED, STUCK].value == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("line", "before", "status", "words"),
    [
        ("+" * 100, "+" * 100, Status.PASS, "It follows the image"),
        ("-" * 100, "+" * 100, Status.FAIL, "It does not follow the image"),
        ("o" * 100, "+" * 100, Status.INCONCLUSIVE, "100% more questions get no answer with another image"),
        ("+" * 95 + "-" * 5, "+" * 100, Status.INCONCLUSIVE, "Too few to tell"),
        ("-" * 100, "+" * 20 + "-" * 80, Status.INCONCLUSIVE, "not shown to be better than guessing"),
        ("o" * 100, "o" * 100, Status.INCONCLUSIVE, "not shown to be better than guessing"),
        ("?" * 100, "+" * 100, Status.INCONCLUSIVE, "unreadable, cut-off or empty"),
        (" " * 10, "+" * 10, Status.INCONCLUSIVE, "No question has another image that could stand in"),
        ("-" * 4, "+" * 4, Status.INCONCLUSIVE, "not shown to be better than guessing"),
    ],
    ids=["follows", "sticks", "silent", "few stick", "guesses", "all silent", "unreadable", "no donor", "four items"],
)
def test_what_is_concluded(line, before, status, words):
    """One who sees its own image must see the other as well; who only guesses cannot tell."""
    found = verdict(TEST, swapped(line, before))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


def test_the_worst_image_decides():
    """Of several substitutes one that is not followed is enough."""
    arms = (SWAPPED, f"{SWAPPED}:nth=2")
    good = swapped("+" * 100, arms=arms)
    bad = swapped("-" * 100, arms=arms)
    mixed = replace(good, arms={**good.arms, arms[1]: bad.arms[arms[1]]})
    assert verdict(f"{TEST}:images=2", good).status is Status.PASS
    assert verdict(f"{TEST}:images=2", mixed).status is Status.FAIL
    assert [arm.name for arm in stress_test(f"{TEST}:images=3").compared] == [*arms, f"{SWAPPED}:nth=3"]


def test_all_failed_is_no_verdict():
    """Nothing came of what was wanted."""
    assert "20 of 20 responses" in verdict(TEST, swapped(" " * 20, "+" * 20, wanted=20)).sentence


@pytest.mark.parametrize("images", ["0", "-1", "1.5", "many", "true"])
def test_so_many_images_cannot_be_shown(images):
    """It is said before anything is asked."""
    with pytest.raises(StudyError, match="xpected images to be a whole number"):
        stress_test(f"{TEST}:images={images}")
