"""Frontier: totals are what a plan counts, every step keeps every verdict's power, and the last one is the least."""

import numpy as np
import pytest
from scipy.stats import norm, t

from snellen.asking.plan import total
from snellen.errors import StudyError
from snellen.models.prices import Price
from snellen.stress import MEMBERS, stress_test
from snellen.stress.design import USUAL_THRESHOLDS
from snellen.study import Study
from snellen.tools.planner.claims import ClaimSetting, claims_of, usual_assumptions
from snellen.tools.planner.frontier import NOTHING, Frontier, PlanGoal
from snellen.tools.planner.planned import PaperStudy, find_frontier

TESTS = tuple(map(stress_test, ("text-needed", "distractors", "strong-artefacts", "dose-response")))


def on_paper(**changes):
    size = {"models": 3, "benchmarks": 4, "items": 2000, "epochs": 3, "tests": TESTS}
    return PaperStudy(**{**size, **changes})


def test_a_study_on_paper_costs_the_product_of_its_numbers():
    """Models, benchmarks, conditions, items and repeats; conditions that no test names have no verdict."""
    frontier = Frontier(on_paper(conditions=40, price=Price(1, 2)), PlanGoal(usual_assumptions()))
    assert frontier.total(frontier.whole).requests == 3 * 4 * 40 * 2000 * 3
    assert frontier.steps()[0].test.endswith("conditions without a verdict")
    assert 0 < frontier.total(frontier.least).dollars.low < frontier.total(frontier.whole).dollars.low


@pytest.mark.parametrize("by", ["requests", "gpu"])
def test_no_step_takes_power_from_a_verdict_beyond_what_was_asked(by):
    """From all that is planned to the least, each state cheaper or as cheap; what has no verdict goes first."""
    frontier = Frontier(on_paper(), PlanGoal(usual_assumptions(), power=0.8, by=by))
    costs = [frontier.total(frontier.whole).weight(by)]
    for step in frontier.steps():
        assert step.power is None or step.power[1] >= 0.8
        assert step.left.weight(by) <= costs[-1] * (1 + 1e-12)
        costs.append(step.left.weight(by))
    assert costs[-1] == pytest.approx(frontier.total(frontier.least).weight(by))
    for _, each in frontier.askings():
        size = frontier.least["each benchmark", each.test]
        assert size == NOTHING if each.claims == () else each.power(size) >= 0.8


def test_repeats_stay_where_answers_move_from_run_to_run_anyway():
    """Asked once, a stable model could not pass distractors; if every run said the same, it could."""
    noisy = Frontier(on_paper(), PlanGoal(usual_assumptions()))
    assert noisy.least["each benchmark", "distractors"].repeats > 1
    about = usual_assumptions()
    calm = about._replace(within=about.within._replace(value=0.0), rerun=about.rerun._replace(value=0.0))
    assert Frontier(on_paper(), PlanGoal(calm)).least["each benchmark", "distractors"].repeats == 1


def test_what_cannot_reach_the_power_is_kept_whole():
    """It is named, and the rest is planned all the same."""
    frontier = Frontier(on_paper(items=150), PlanGoal(usual_assumptions()))
    assert [each.test for _, each in frontier.too_few()] == ["distractors"]
    assert frontier.least["each benchmark", "distractors"] == (150, 3)
    assert frontier.count_powered() == (24, 36)


def test_every_test_has_claims_or_none_or_is_asked_whole():
    """Those without a verdict have no claim, and more p-values never need fewer items."""
    one, many = (ClaimSetting(usual_assumptions(), 0.25, family, 3, USUAL_THRESHOLDS) for family in (1, 20))
    for name in MEMBERS:
        if name == "comparison":
            continue
        test = stress_test(name)
        few, more = claims_of(test, one), claims_of(test, many)
        for easy, hard in zip(few or (), more or (), strict=True):
            assert easy.items(0.8, 3) <= hard.items(0.8, 3)
    for name in ("robustness", "image-needed", "blank-image", "image-used", "rationale", "option-order:image=removed"):
        assert claims_of(stress_test(name), one) == ()
    for name in ("mirage-rate", "follows", "honest", "steady"):
        assert claims_of(stress_test(name), one) is None


def test_what_the_three_verdicts_need_is_never_dropped():
    """No formula tells how many items they need, so that their conditions are asked whole; the frontier says so."""
    asked = tuple(map(stress_test, ("follows", "steady", "option-order", "text-needed")))
    frontier = Frontier(on_paper(tests=asked), PlanGoal(usual_assumptions()))
    assert list(frontier.without_formula()) == ["follows", "steady"]
    assert frontier.least["each benchmark", "steady"] == (2000, 3)
    assert frontier.least["each benchmark", "option-order"] == NOTHING


def drawn_power(items, of_one, alike, *, studies=2000, accuracy=0.8, chance=0.25, kept=0.25):
    """How often drawn studies show that less than half of the accuracy above chance is kept; and the ICC of values.

    Whether the items of one patient are right goes by normal numbers with the correlation `alike`. The interval is
    Student's over the patients.
    """
    rng = np.random.default_rng([items, of_one])

    def right(share):
        patient = rng.standard_normal((studies, items // of_one, 1))
        own = rng.standard_normal((studies, items // of_one, of_one))
        return np.sqrt(alike) * patient + np.sqrt(1 - alike) * own < norm.ppf(share)

    value = right(chance + kept * (accuracy - chance)) - chance - 0.5 * (right(accuracy) - chance)
    means = value.mean(axis=2)
    count = means.shape[1]
    high = means.mean(axis=1) + t.ppf(0.975, count - 1) * means.std(axis=1, ddof=1) / np.sqrt(count)
    icc = (means.var() / value.var() * of_one - 1) / (of_one - 1) if of_one > 1 else 0.0
    return (high < 0).mean(), icc


def test_power_is_of_independent_items_and_of_fewer_where_they_belong_together():
    """The printed power is that of drawn studies; four items of a patient tell as much as the design effect leaves."""
    setting = ClaimSetting(usual_assumptions(), 0.25, 1, 1, USUAL_THRESHOLDS)
    claim = next(each for each in claims_of(stress_test("text-needed"), setting) if "passes" in each.words)
    for items in (100, 200):
        printed = claim.power(items, 1)
        assert drawn_power(items, 1, 0.0)[0] == pytest.approx(printed, abs=0.04)
        for alike in (0.1, 0.3, 0.6):
            power, icc = drawn_power(items, 4, alike)
            assert power < printed - 0.02
            assert power == pytest.approx(claim.power(round(items / (1 + 3 * icc)), 1), abs=0.07)


def test_a_planned_study_costs_what_its_plan_says(tmp_path):
    """Shared requests once, what does not apply not at all; a text-only model gets no image."""
    study = Study(
        models=["organism/grounded", "organism/blind"],
        text_only=["organism/blind"],
        benchmarks=["phantoms:items=12", "phantoms:items=8,seed=1"],
        tests=["standard", "mirage-rate"],
        epochs=2,
        out=tmp_path / "none",
    )
    plan = study.plan()
    frontier = find_frontier(plan)
    assert round(frontier.total(frontier.whole).requests) == total(list(plan.counts()))
    assert "mirage-rate" in frontier.without_formula()
    assert not (tmp_path / "none").exists()


def test_a_study_or_a_wish_that_cannot_be_is_refused():
    """With one sentence; without a price, nothing is planned by money."""
    for changes, said in (
        ({"models": 0}, "models to be a whole number from 1"),
        ({"items": 10**9}, "items to be a whole number from 1 to 100,000,000"),
        ({"chance": 1.0}, "chance to be"),
        ({"conditions": 1}, "at least 2"),
    ):
        with pytest.raises(StudyError, match=said):
            on_paper(**changes).select_tests()
    for wanted in ({"power": 1.5}, {"change": 5.0}, {"by": "time"}, {"by": "money"}, {"family": 0}):
        with pytest.raises(StudyError):
            Frontier(on_paper(), PlanGoal(usual_assumptions(), **wanted))
