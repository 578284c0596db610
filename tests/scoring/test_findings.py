"""What stands in the way of a verdict: missing responses, and readings that are unsure."""

from dataclasses import replace

import numpy as np

from snellen.grading.outcomes import Outcome
from snellen.grading.parsers import parser_named
from snellen.scoring.findings import ALL_MODELS, Finding, Unsure, findings, incomplete, withheld
from snellen.sight.delivery import Delivery
from snellen.stress import stress_test
from snellen.stress.base import Status, Verdict
from snellen.stress.table import Table
from strategies import items
from tables import grades, sheet


def answered(count, wanted, *, ungraded=0):
    """Grades of so many responses to one item where `wanted` should be there."""
    replies = [(0, run, Outcome.CORRECT, 0) for run in range(count)]
    return replace(grades(replies), due=np.array([wanted]), ungraded=np.zeros(ungraded, dtype=np.int64))


def gap(**arms):
    """What is said of conditions, each given as (graded, wanted) or (graded, wanted, ungraded)."""
    made = {
        name.replace("_", "-"): answered(*given[:2], ungraded=given[2] if len(given) > 2 else 0)
        for name, given in arms.items()
    }
    return incomplete(Table("m", "b", items(1), made), made)


def test_the_condition_that_lacks_the_largest_share_is_looked_at():
    """18 of 20 missing counts, although another condition with 15 of 2,000 missing wants far more responses."""
    said = "incomplete: 18 of 20 responses of the condition image-removed are missing"
    assert gap(original=(1985, 2000), image_removed=(2, 20)) == said
    assert gap(image_removed=(2, 20), original=(1985, 2000)) == said
    waiting = gap(original=(1985, 2000, 15), image_removed=(2, 20, 18))
    assert waiting == "incomplete: no judge that counts has graded 18 of 20 responses of the condition image-removed"


def test_one_in_twenty_may_be_missing_and_no_more():
    """Both sides of the limit, for responses that never came and for those that no judge graded."""
    assert gap(original=(95, 100)) == gap(original=(95, 100, 5)) == ""
    assert gap(original=(94, 100)).startswith("incomplete: 6 of 100 responses")
    assert "6 of 100 responses" in gap(original=(94, 100, 6))


def test_a_verdict_rests_on_unsure_readings_if_they_are_more_than_one_in_twenty_or_decide_it():
    """One of 1,000 is nothing to speak of, 50 neither; 51 are, and so is one that turns the verdict."""

    def rests(readings, without=Status.PASS):
        verdict = Verdict(Status.PASS, "90%", "it is stable")
        unsure = Unsure(readings, 1000, without)
        return Finding("m", "b", stress_test("option-order"), (), verdict, unsure=unsure).rests_on_unsure

    assert [rests(1), rests(50), rests(51), rests(1, Status.INCONCLUSIVE)] == [False, False, True, True]


def test_unsure_readings_settle_nothing_that_missing_responses_leave_open():
    """Without its unsure readings the study lacks as many responses as with them: no verdict is told for that case."""
    unsure = next(rule for rule in parser_named("lenient").rules if parser_named("lenient").unsure(rule))
    line = "+" * 150 + " " * 50
    whole = sheet({"original": line, "image-removed": line}, wanted=200)
    arms = {
        name: replace(each, rules=("answer-phrase", unsure), rule=(np.arange(len(each)) % 10 == 0).astype(np.uint16))
        for name, each in whole.arms.items()
    }
    (found,) = findings([stress_test("image-needed")], replace(whole, arms=arms))
    assert "Incomplete: 50 of 200 responses" in found.verdict.sentence
    assert found.caution == "30 of the 300 readings (10%) are unsure. Without them: the same"


def test_a_number_over_all_models_names_those_whose_images_are_in_doubt():
    """On that benchmark alone."""
    doubt = Delivery("m", "b", pairs=50, uncounted=50, tokens_with=90, tokens_without=90)
    whole = Finding(ALL_MODELS, "b", stress_test("image-needed"), (), Verdict(Status.PASS, "90%"))
    assert withheld(whole, [doubt]).verdict.meaning.startswith("images seem not to have reached m. ")
    assert withheld(whole, [replace(doubt, benchmark="other")]) is whole


def test_a_reported_number_is_told_with_its_caveat():
    """A pass says its numbers alone; what is reported without a verdict says also what they leave open."""

    def line(status):
        verdict = Verdict(status, "0% describe findings", "only 2% say more than their answer")
        return Finding("m", "b", stress_test("rationale"), (), verdict).line()[1:]

    assert line(Status.REPORTED) == ("reported", "0% describe findings. Only 2% say more than their answer")
    assert line(Status.PASS) == ("PASS", "0% describe findings")
