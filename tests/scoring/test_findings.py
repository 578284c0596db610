"""What stands in the way of a verdict: missing responses, and readings that are unsure."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.conditions import IMAGE_REMOVED
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.scoring.findings import ALL_MODELS, Finding, Unsure, findings, incomplete, withhold_verdict
from snellen.sight.delivery import Delivery
from snellen.stats import proportion
from snellen.stress import stress_test
from snellen.stress.base import Expectation, Kind, Measure, Status, StressTest, Unit, Verdict
from snellen.stress.conclusions import decide
from snellen.stress.table import Table
from strategies import items
from tables import grades, sheet

pytestmark = pytest.mark.usefixtures("no_groups")


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


def test_one_in_twenty_may_be_missing_under_the_worst_condition():
    """The largest share counts, not the largest number; never asked or not graded by a judge."""
    said = "incomplete: 18 of 20 responses of the condition image-removed are missing"
    assert gap(original=(1985, 2000), image_removed=(2, 20)) == said
    assert gap(image_removed=(2, 20), original=(1985, 2000)) == said
    waiting = gap(original=(1985, 2000, 15), image_removed=(2, 20, 18))
    assert waiting == "incomplete: no qualified judge has graded 18 of 20 responses of the condition image-removed"
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
    whole = sheet({"original": line, "options-only": line}, wanted=200)
    arms = {
        name: replace(each, rules=("answer-phrase", unsure), rule=(np.arange(len(each)) % 10 == 0).astype(np.uint16))
        for name, each in whole.arms.items()
    }
    (found,) = findings([stress_test("text-needed")], replace(whole, arms=arms))
    assert "Incomplete: 50 of 200 responses" in found.verdict.sentence
    assert found.caution == "30 of the 300 readings (10%) are unsure. Without them: the same"


def test_a_number_over_all_models_names_those_whose_images_are_in_doubt():
    """On that benchmark alone."""
    doubt = Delivery("m", "b", pairs=50, uncounted=50, tokens_with=90, tokens_without=90)
    whole = Finding(ALL_MODELS, "b", stress_test("image-needed"), (), Verdict(Status.PASS, "90%"))
    assert withhold_verdict(whole, [doubt]).verdict.meaning.startswith("images seem not to have reached m. ")
    assert withhold_verdict(whole, [replace(doubt, benchmark="other")]) is whole


def test_a_reported_number_is_told_with_its_caveat():
    """A pass says its numbers alone; what is reported without a verdict says also what they leave open."""

    def line(status):
        verdict = Verdict(status, "0% describe findings", "only 2% say more than their answer")
        return Finding("m", "b", stress_test("rationale"), (), verdict).line()[1:]

    assert line(Status.REPORTED) == ("reported", "0% describe findings. Only 2% say more than their answer")
    assert line(Status.PASS) == ("PASS", "0% describe findings")


RATE = Kind("rate", "describes what is not there", Unit.SHARE)


def rated_at(name, estimate, limit=0.1):
    """A test whose one rate must lie below a limit."""

    def conclude(test, measures):
        found = measures["original", "rate"]
        ends = found.estimate
        if ends.low <= limit <= ends.high:
            return Verdict(Status.INCONCLUSIVE, "rate", "too few to tell", found)
        return decide(Status.PASS if ends.high < limit else Status.FAIL, "rate", "as it is", (found, limit))

    return StressTest(
        name=name,
        asks="How often?",
        arms=(IMAGE_REMOVED,),
        expects=Expectation.UNKNOWN,
        measuring=lambda test, table: [Measure("original", RATE, estimate)],
        concluding=conclude,
    )


def test_a_pass_must_hold_after_correction_for_the_models_other_tests():
    """A p of 0.03 is enough alone, and not beside two tests that decide nothing; a p of 0.001 still is."""
    empty = sheet({"original": "+-"})
    close, far, open_ = (proportion([1] * hits + [0] * (200 - hits)) for hits in (11, 3, 22))
    alone = findings([rated_at("close", close)], empty)
    assert [each.verdict.status for each in alone] == [Status.PASS]
    tests = [rated_at("close", close), rated_at("far", far), rated_at("open", open_)]
    demoted, kept, undecided = (each.verdict for each in findings(tests, empty))
    assert (demoted.status, demoted.reason) == (Status.INCONCLUSIVE, "after-correction")
    assert demoted.sentence == "Rate. Not decided after correction for 3 tests: alone, it would pass."
    assert (kept.status, kept.meaning) == (Status.PASS, "as it is")
    assert (undecided.status, undecided.reason) == (Status.INCONCLUSIVE, "not-decided")


def test_one_model_at_the_limit_of_eight_tests_gets_a_mark_on_few_pages():
    """Every rate is 10%, the limit: a mark stands on at most one page in twenty, by chance."""
    empty, rng, pages = sheet({"original": "+-"}), np.random.default_rng(53), 300
    marked = single = 0
    for _ in range(pages):
        rates = [proportion(rng.random(200) < 0.1) for _ in range(8)]
        found = findings([rated_at(f"t{at}", rate) for at, rate in enumerate(rates)], empty)
        marked += any(each.verdict.status is not Status.INCONCLUSIVE for each in found)
        single += any(not rate.low <= 0.1 <= rate.high for rate in rates)
    assert single / pages > 0.2
    assert marked / pages <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / pages)
