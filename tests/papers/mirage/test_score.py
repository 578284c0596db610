"""The mirage score: a ratio by hand, its means over benchmarks and models, and what luck makes of it."""

from dataclasses import replace

import pytest

from snellen.scoring.findings import ALL_MODELS, findings, findings_over_all, findings_over_models
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

BLIND = "image-removed"
TEST = stress_test("mirage-score")


def scored(original, removed, **names):
    """A table of what was right with and without the image."""
    return replace(sheet({"original": original, BLIND: removed}), **names)


def test_the_score_by_hand():
    """Eight of ten right with the image, six without: three quarters are kept."""
    found = numbers("mirage-score", scored("++++++++--", "++++++----"))
    assert found[BLIND, "mirage_score"].value == pytest.approx(0.75)
    # five options: luck is 0.2
    assert found[BLIND, "mirage_score_above_chance"].value == pytest.approx((0.6 - 0.2) / (0.8 - 0.2))
    assert found[BLIND, "accuracy"].value == pytest.approx(0.6)


def test_only_items_asked_both_ways_count():
    """An item that failed in one arm is left out of both."""
    found = numbers("mirage-score", scored("+++-.", "++--+"))
    assert found[BLIND, "mirage_score"].value == pytest.approx(2 / 3)
    assert found[BLIND, "mirage_score"].n == 4


def test_the_score_is_told_and_not_judged():
    """A high score may be the benchmark's doing; nothing right with the image has no ratio, and guessing no share."""
    told = verdict("mirage-score", scored("+" * 40, "+" * 30 + "-" * 10))
    assert told.status is Status.REPORTED
    assert "75% (95% CI 61 to 91) of the score is kept" in told.sentence
    assert verdict("mirage-score", scored("-----", "++---")).status is Status.INCONCLUSIVE
    guesses = verdict("mirage-score", scored("+" * 9 + "-" * 31, "+" * 9 + "-" * 31))
    assert guesses.sentence.endswith("With the image it is not clearly better than guessing.")


def test_the_mean_of_a_model_and_of_a_benchmark():
    """Unweighted means of the scores, however many items each has."""
    first = scored("+" * 16 + "-" * 4, "+" * 8 + "-" * 12, benchmark="first")
    second = scored("+" * 40, "+" * 30 + "-" * 10, benchmark="second")
    [over_all] = findings_over_all([TEST], [first, second])
    assert over_all.measure(BLIND, "mean_mirage_score").estimate.value == pytest.approx((0.5 + 0.75) / 2)
    other = scored("+" * 20, "+" * 18 + "-" * 2, benchmark="first", model="other")
    [over_models] = findings_over_models([TEST], [first, other])
    found = over_models.measure(BLIND, "mean_mirage_score").estimate
    assert (over_models.model, over_models.benchmark) == (ALL_MODELS, "first")
    assert found.value == pytest.approx((0.5 + 0.9) / 2)
    assert found.low < found.value < found.high


def test_a_model_that_broke_off_does_not_take_the_items_from_the_others():
    """It answered two questions of forty: the mean is of the others, on all forty, and says of how many."""
    whole = [scored("+" * 40, "+" * kept + "-" * (40 - kept), model=str(kept)) for kept in (20, 30)]
    broken = scored("++" + "." * 38, "++" + "." * 38, model="broken")
    [over_models] = findings_over_models([TEST], [*whole, broken])
    found = over_models.measure(BLIND, "mean_mirage_score").estimate
    assert (found.value, found.n) == (pytest.approx((0.5 + 0.75) / 2), 40)
    assert "of 2 of 3 models" in found.method


def test_one_table_has_no_mean():
    """A mean of one is no mean."""
    assert list(findings_over_models([TEST], [scored("++", "+-")])) == []


def test_a_score_that_cannot_be_is_not_told():
    """Nothing right with the image: no nan and no inf for a reader to puzzle over."""
    [finding] = findings([TEST], scored("-----", "-----"))
    assert finding.line() == (
        "mirage score",
        "NOT DECIDED",
        "Nothing was right with the image, or nothing was answered both with and without",
    )
