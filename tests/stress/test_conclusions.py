"""Verdicts: what the numbers say, and what they cannot say."""

import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy.stats import norm

from snellen.scoring.findings import findings
from snellen.stats import Estimate, proportion
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import Expectation, Kind, Measure, Status, Unit, Verdict
from snellen.stress.conclusions import (
    OpenReason,
    conclude,
    decide,
    explain_unread,
    limit_p,
    measure_lost_answers,
    settled_by,
    worst,
)
from snellen.stress.design import Thresholds
from snellen.stress.measures import KINDS
from snellen.stress.verdicts.sentences import _BY_REASON, _BY_VERDICT
from tables import sheet, verdict, with_one_artefact


def measures(arm, **named):
    """Measures of one arm from (value, low, high, p, which is the adjusted one too)."""
    return {
        (arm, name): Measure(arm, KINDS[name], Estimate(value, low, high, 100, "m", p), p_adjusted=p, detectable=0.1)
        for name, (value, low, high, p) in named.items()
    }


BEFORE = {"baseline_accuracy": (0.85, 0.8, 0.9, None)}
LOST = {"difference": (-0.5, -0.6, -0.4, 0.001), **BEFORE}
GAINED = {"difference": (0.1, 0.06, 0.14, 0.001), **BEFORE}
SAME = {"difference": (0.0, -0.02, 0.02, 1.0), **BEFORE}
WIDE = {"difference": (-0.01, -0.09, 0.07, 0.8), **BEFORE}
GOOD_SCORE, CHANCE = {"above_chance": (0.6, 0.5, 0.7, 1e-9)}, {"above_chance": (0.0, -0.1, 0.1, 1.0)}
LUCKY = {"above_chance": (0.12, 0.01, 0.23, 0.02)}


def kept(value, low, high, answered=None):
    """What is kept of all questions, and of those answered both ways; by default the same."""
    every = {"kept_above_chance": (value, low, high, None)}
    return every | ({"kept_above_chance_answered": (*(answered or (value, low, high)), None)} if answered != () else {})


MOST, LITTLE, EITHER, UNKNOWN = (
    kept(0.9, 0.7, 1.1), kept(0.1, -0.1, 0.3), kept(0.45, 0.3, 0.6), kept(0.9, float("-inf"), float("inf")),
)  # fmt: skip


@pytest.mark.parametrize("test", ["image-needed", "blank-image"])
@pytest.mark.parametrize(
    ("without", "original", "status", "why"),
    [
        (MOST, GOOD_SCORE, Status.FAIL, "does not need the image"),
        (LITTLE, GOOD_SCORE, Status.PASS, "needs the image"),
        (EITHER, GOOD_SCORE, Status.INCONCLUSIVE, "below or above 50%"),
        (UNKNOWN, GOOD_SCORE, Status.INCONCLUSIVE, "too close to guessing"),
        (MOST, CHANCE, Status.INCONCLUSIVE, "not shown to be better than guessing"),
        (LITTLE, CHANCE, Status.INCONCLUSIVE, "not shown to be better than guessing"),
        (kept(0.0, -0.1, 0.1, ()), GOOD_SCORE, Status.INCONCLUSIVE, "it declines 90% of the questions"),
        (
            kept(0.0, -0.1, 0.1, (0.9, 0.4, 1.4)),
            GOOD_SCORE,
            Status.INCONCLUSIVE,
            "answered under both conditions it keeps 90%",
        ),
        (
            kept(0.9, 0.7, 1.1, (0.4, 0.1, 0.7)),
            GOOD_SCORE,
            Status.INCONCLUSIVE,
            "answered under both conditions it keeps 40%",
        ),
    ],
)
def test_whether_the_score_needs_the_image(test, without, original, status, why):
    """By the share that is kept; nobody passes by silence, nobody fails at chance, and the numbers come first."""
    made = stress_test(test)
    [arm] = made.compared
    silent = {"abstention_rate": (0.9, 0.8, 1.0, None)}
    found = measures(arm.name, **LOST, **without, **silent) | measures("original", **original)
    verdict = conclude(made, found)
    assert (verdict.status, why in verdict.sentence) == (status, True), verdict.sentence
    assert verdict.sentence.startswith(f"85% → 35% {arm.in_words} (−50 points, 95% CI −60 to −40)")


def test_the_threshold_of_the_study_counts():
    """Who may keep 80% passes with what fails at 50%."""
    test = stress_test("image-needed")
    found = measures("image-removed", **LOST, **kept(0.7, 0.65, 0.75)) | measures("original", **GOOD_SCORE)
    assert conclude(test, found).status is Status.FAIL
    assert conclude(test.with_settings(thresholds=Thresholds(image_dependence=0.8)), found).status is Status.PASS


FEW, MANY, SOME = (0.01, 0.0, 0.04, None), (0.5, 0.4, 0.6, None), (0.08, 0.03, 0.16, None)


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ({**SAME, "changed_rate": FEW}, Status.PASS),
        ({**SAME, "changed_rate": SOME}, Status.INCONCLUSIVE),
        ({**SAME, "changed_rate": MANY}, Status.FAIL),
        ({**SAME, "changed_rate": MANY, "changed_beyond_rerun": (0.01, -0.02, 0.04, 0.5)}, Status.PASS),
        ({**SAME, "changed_rate": MANY, "changed_beyond_rerun": (0.3, 0.2, 0.4, 0.001)}, Status.FAIL),
        ({**SAME, **CHANCE, "changed_rate": MANY}, Status.INCONCLUSIVE),
        ({**SAME, **LUCKY, "changed_rate": MANY}, Status.INCONCLUSIVE),
        ({**LOST, "changed_rate": FEW}, Status.FAIL),
        ({**GAINED, "changed_rate": FEW}, Status.FAIL),
        ({**WIDE, "changed_rate": FEW}, Status.INCONCLUSIVE),
        (SAME, Status.INCONCLUSIVE),
    ],
)
def test_whether_nothing_changes(found, status):
    """Neither accuracy nor more than a tenth of the answers may move, beyond what moves from run to run."""
    test = stress_test("option-order")
    original = {"above_chance": found.get("above_chance", GOOD_SCORE["above_chance"])}
    known = {**measures("options-shuffled", **found), **measures("original", **original)}
    assert conclude(test, known).status == status


def test_moved_answers_are_told_beside_what_moves_from_run_to_run():
    """Where that is known; else the reason says that some may have moved by themselves."""
    test = stress_test("option-order")

    def told(**found):
        known = measures("options-shuffled", **SAME, **found) | measures("original", **GOOD_SCORE)
        return conclude(test, known)

    once, beyond = told(changed_rate=MANY), told(changed_rate=MANY, changed_beyond_rerun=(0.3, 0.2, 0.4, 0.001))
    assert once.numbers.startswith("50% (95% CI 40 to 60) of the answers change; ")
    assert once.meaning.endswith(
        "more than 10% of the answers change; with one run each, some may change from run to run anyway"
    )
    assert " of the answers change, 30 points (95% CI 20 to 40) more than from run to run; " in beyond.numbers
    assert beyond.meaning == "surely more than 10% of the answers change"
    assert told(changed_rate=SOME).meaning == "up to 16% may change"


@pytest.mark.parametrize(
    ("change", "arm", "baseline", "explains"),
    [(-0.5, 0.3, 0.0, True), (-0.5, 0.6, 0.3, True), (0.5, 0.0, 0.3, True), (-0.5, 0.3, 0.3, False),
     (-0.5, 0.2, 0.0, False), (0.5, 0.3, 0.0, False)],
)  # fmt: skip
def test_only_what_an_arm_loses_beyond_its_baseline_explains_a_change(change, arm, baseline, explains):
    """And only if that makes up half of the change, and goes the same way."""
    found = measures("arm", difference=(change, change, change, 0.001), unparsed_rate=(arm, 0.0, 1.0, None))
    found |= measures("original", unparsed_rate=(baseline, 0.0, 1.0, None))
    assert measure_lost_answers("original", "arm", found) == pytest.approx(arm - baseline)
    said = "30 points of this change are due to unreadable, cut-off or empty responses"
    assert explain_unread("original", "arm", found) == (said if explains else None)


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ({**GAINED, "harmed_rate": FEW}, Status.PASS),
        ({**SAME, "harmed_rate": MANY}, Status.FAIL),
        ({**LOST, "harmed_rate": FEW}, Status.FAIL),
        ({**WIDE, "harmed_rate": FEW}, Status.INCONCLUSIVE),
    ],
)
def test_a_rise_harms_nobody(found, status):
    """Who answers better after reasoning passes; answers that moved to another wrong one count."""
    test = stress_test("chain-of-thought")
    [arm] = test.compared
    assert test.conclude(measures(arm.name, **found) | measures("original", **GOOD_SCORE)).status == status


def test_the_number_of_questions_that_would_settle_a_change():
    """The end of the interval that is farthest beyond its margin counts; beyond the margin, no number settles it."""
    test = stress_test("option-order")

    def why(value, low, high):
        found = {"difference": (value, low, high, 0.8), **BEFORE, "changed_rate": FEW}
        return conclude(test, measures("options-shuffled", **found) | measures("original", **GOOD_SCORE)).meaning

    assert why(-0.01, -0.09, 0.07) == "a change of 9 points is still possible; about 400 questions would settle it"
    assert why(0.01, -0.03, 0.08) == "a gain of 8 points is still possible; about 310 questions would settle it"
    assert why(-0.06, -0.13, 0.01) == "a loss of 13 points is still possible"


@pytest.mark.parametrize(
    ("expects", "found", "status"),
    [
        (Expectation.CHANGE, {"changed_rate": (0.9, 0.8, 1.0, None)}, Status.PASS),
        (Expectation.CHANGE, {"changed_rate": (0.1, 0.0, 0.2, None)}, Status.FAIL),
        (Expectation.ABSTAIN, {"abstention_rate": (0.9, 0.8, 1.0, None)}, Status.PASS),
        (Expectation.ABSTAIN, {"abstention_rate": (0.5, 0.4, 0.6, None)}, Status.INCONCLUSIVE),
        (Expectation.UNKNOWN, SAME, Status.REPORTED),
    ],
)
def test_other_expectations(expects, found, status):
    """The same numbers mean different things by what is expected."""
    test = stress_test("option-order").with_settings(expects=expects)
    assert conclude(test, measures("options-shuffled", **found)).status == status


@pytest.mark.parametrize("expects", Expectation)
def test_without_numbers_no_verdict_is_given(expects):
    """Nothing measured, nothing claimed, and nothing to rest on."""
    verdict = conclude(stress_test("option-order").with_settings(expects=expects), {})
    assert verdict.status in (Status.INCONCLUSIVE, Status.REPORTED)
    assert verdict.rests_on is None
    assert verdict.sentence.endswith(".")


@pytest.mark.parametrize(
    ("moved", "changed", "rests_on"),
    [
        (LOST, (0.3, 0.2, 0.4, None), "difference"),
        (SAME, (0.3, 0.2, 0.4, None), "changed_rate"),
        (SAME, SOME, "changed_rate"),
        (WIDE, FEW, "difference"),
    ],
)
def test_a_verdict_names_the_number_it_rests_on(moved, changed, rests_on):
    """Of accuracy and answers, the one that decides: a sure loss, then moved answers, then what too few items hide."""
    test = stress_test("option-order")
    arm = test.compared[0].name
    found = measures(arm, **moved, changed_rate=changed) | measures("original", **GOOD_SCORE)
    decides = conclude(test, found).rests_on
    assert decides is found[arm, rests_on]


def test_of_several_arms_the_verdict_rests_on_the_worst():
    """The arm in the sentence is the arm of the number."""
    test = stress_test("reasoning-effort")
    low, high = test.compared
    found = measures(low.name, **SAME, harmed_rate=FEW) | measures(high.name, **LOST, harmed_rate=FEW)
    verdict = test.conclude(found)
    assert verdict.status is Status.FAIL
    assert verdict.rests_on is found[high.name, "difference"]
    assert "at high effort" in verdict.sentence


@pytest.mark.parametrize(
    ("ends", "threshold", "said"),
    [
        ((0.3, 0.05, 0.55), 0.5, "; about 94 questions"),
        ((0.7, 0.45, 0.8), 0.5, "; about 94 questions"),
        ((0.48, 0.2, 0.8), 0.5, ""),
        ((0.1, 0.0, 0.2), 0.5, ""),
    ],
)
def test_how_many_questions_would_settle_it(ends, threshold, said):
    """As the interval shrinks with the root of n: named where it is not settled yet and not hopeless."""
    assert settled_by(Estimate(*ends, 60, "m"), threshold).startswith(said)
    assert bool(settled_by(Estimate(*ends, 60, "m"), threshold)) == bool(said)


def test_a_sentence_has_the_numbers_first():
    """Each part is a sentence; a verdict without numbers has its meaning alone."""
    assert Verdict(Status.PASS, "1%", "it is stable").sentence == "1%. It is stable."
    assert Verdict(Status.PASS, meaning="nothing").sentence == "Nothing."


def test_with_without_and_change_agree_in_print():
    """199 of 200 right, then none: the change is that of the shares as they are printed, never −100 beside >99%."""
    found = sheet({"original": "+" * 199 + "-", "image-removed": "-" * 200})
    numbers = verdict("image-needed", found).numbers
    assert numbers.startswith("99.5% → 0% without the image (−99.5 points, 95% CI −100 to −96)"), numbers
    halved = sheet({"original": "+" * 199 + "-", "image-removed": "+" * 100 + "-" * 100})
    assert verdict("image-needed", halved).numbers.startswith("99.5% → 50% without the image (−49.5 points")
    whole = sheet({"original": "+" * 200, "image-removed": "-" * 200})
    assert verdict("image-needed", whole).numbers.startswith("100% → 0% without the image (−100 points")


@pytest.mark.parametrize(
    ("test", "meant"),
    [
        ("image-needed", "numbers"),
        ("mirage-score", "numbers"),
        ("visual-substitution", "meaning"),
        ("weak-artefacts:noise", "meaning"),
    ],
)
def test_what_is_above_chance_says_how_silence_counts(test, meant):
    """Accuracies count a response without an answer as wrong, margins over chance as a guess: then both are named."""
    arm = stress_test(test).compared[0].name
    good = test in ("image-needed", "mirage-score")
    seen = {True: "+" * 80 + "-" * 10, False: "+" * 18 + "-" * 72}[good]
    for rest, counted in (("-" * 10, False), ("o" * 10, True)):
        found = verdict(test, sheet({"original": seen + rest, arm: "+" * 18 + "-" * 72 + rest}))
        assert "above chance" in getattr(found, meant)
        assert ("without an answer as guesses" in getattr(found, meant)) == counted


def test_the_p_against_a_limit_is_that_of_the_score_test():
    """Of a share, and 5% exactly where its interval ends; of other numbers that of a normal law; inside, 1."""
    share = Measure("original", Kind("r", "r", Unit.SHARE), proportion([1] * 3 + [0] * 57))
    assert limit_p(share, 0.25) == pytest.approx(2 * norm.sf((0.25 - 0.05) / np.sqrt(0.25 * 0.75 / 60)))
    for end in (share.estimate.low - 1e-9, share.estimate.high + 1e-9):
        assert limit_p(share, end) == pytest.approx(0.05, abs=1e-5)
    assert limit_p(share, 0.1) == 1
    points = Measure("original", Kind("d", "d", Unit.POINTS), Estimate(-0.08, -0.12, -0.04, 90, "t", p=0.0004))
    assert limit_p(points, -0.02) == pytest.approx(2 * norm.sf(0.06 / 0.04 * norm.isf(0.025)))
    assert limit_p(points) == 0.0004
    assert limit_p(points, -0.05) == 1


def test_all_that_a_verdict_needs_counts_by_the_largest_p_and_reasons_multiply_it():
    """A pass of several arms has the largest of theirs, a fail the least times their number."""
    clear, close = (
        Measure("original", Kind("r", "r", Unit.SHARE), Estimate(0.3, low, 0.5, 60, "wilson")) for low in (0.2, 0.12)
    )
    both = decide(Status.FAIL, "", "", (clear, 0.1), (close, 0.1), reasons=3)
    assert both.p == pytest.approx(3 * limit_p(close, 0.1))
    one, other = (decide(status, "", "", (each, 0.1)) for status, each in ((Status.FAIL, clear), (Status.FAIL, close)))
    assert worst([one, other]).p == pytest.approx(2 * one.p)
    passes = [replace(each, status=Status.PASS) for each in (one, other)]
    assert worst(passes).p == other.p


RIGHT, MIXED = "+" * 40, "++-+" * 10
LINES = ((RIGHT, "-" * 40), (RIGHT, MIXED), (RIGHT, "o" * 40), (RIGHT, "+" * 3), (MIXED, MIXED))
"""As asked and under every condition; with more tables no test has another reason or rests on another number."""


@pytest.mark.parametrize("name", MEMBERS)
def test_every_verdict_has_a_reason_that_its_numbers_bear_out(name):
    """Of every registered test, on hand-made tables: nothing asked, all right, all wrong, declined, few."""
    test = stress_test(with_one_artefact(name))
    arms = [arm.name for arm in test.all_arms]
    tables = [sheet({arms[0]: first, **dict.fromkeys(arms[1:], (then, then))}) for first, then in LINES]
    for found in (*(each.verdict for table in tables for each in findings([test], table)), conclude(test, {})):
        assert re.fullmatch("[a-z]+(-[a-z]+)*", found.reason)
        assert found.reason not in ("pass", "fail", "not-decided"), found
        if test.marks or found.rests_on is None:
            continue
        assert found.values
        if found.status in (Status.PASS, Status.FAIL) or found.reason == "limit-inside-interval":
            assert found.rests_on.name in found.values
            assert holds_as_said(found), found


def holds_as_said(found):
    """Whether the number that decides lies where the reason says, by the numbers alone."""
    number, limit, names = found.values[found.rests_on.name], found.values["limit"], list(found.values)
    if found.reason in ("above-limit", "below-limit"):
        return number.low > limit if found.reason == "above-limit" else number.high < limit
    if found.reason == "between-limits":
        return limit < number.low <= number.high < found.values["upper_limit"]
    limits = {found.rests_on.name: (limit, found.values.get("upper_limit", limit))}
    limits |= {each: (found.values[f"{each}_limit"],) for each in names if f"{each}_limit" in found.values}
    inside = ((found.values[each], end) for each, ends in limits.items() for end in ends)
    return any(not (each.low > end or each.high < end) for each, end in inside)


def test_every_reason_is_explained_in_the_docs():
    """Codes of tests with a limit of their own and of the three marks, and those that scoring gives."""
    known = {*get_args(OpenReason), "above-limit", "below-limit", "incomplete", "at-any-time", "not-delivered"}
    known |= {*_BY_REASON, *(reason for reasons in _BY_VERDICT.values() for reason in reasons)}
    page = (Path(__file__).parents[2] / "docs" / "reference" / "results.md").read_text(encoding="utf-8")
    assert {reason for reason in known if f"`{reason}`" not in page} == set()


def test_a_verdict_of_a_plug_in_that_names_no_reason_has_its_status():
    """And the number that it rests on."""
    share = Measure("original", Kind("r", "r", Unit.SHARE), proportion([1] * 3 + [0] * 57))
    found = Verdict(Status.INCONCLUSIVE, "5%", "too few", share)
    assert (found.reason, found.values) == ("not-decided", {"r": share.estimate})
    assert Verdict(Status.PASS, reason="above-limit").reason == "above-limit"
