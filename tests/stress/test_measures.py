"""What is measured of every arm, on tables one can count by hand."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest

from snellen import papers, stress
from snellen.reading.outcomes import Outcome
from snellen.stats import paired_difference, student_t_over_items, wilson
from snellen.stress import stress_test
from snellen.stress.base import Kind
from snellen.stress.measures import blank_unpaired, credit_guesses, mean_of, nothing, of_arm, right, standard_measures
from tables import numbers, rated, sheet, table

RIGHT, WRONG, MUTE, NO = Outcome.CORRECT, Outcome.WRONG, Outcome.ABSTAINED, Outcome.REFUSED


def measured(**arms):
    replies = {name.replace("_", "-"): [(i, 0, *cell) for i, cell in enumerate(arm)] for name, arm in arms.items()}
    test = stress_test("image-needed")
    return {(measure.arm, measure.name): measure for measure in standard_measures(test, table(**replies))}


def test_accuracy_counts_silence_as_wrong_and_accuracy_answered_leaves_it_out():
    """Five replies: two right, one wrong, one abstention, one refusal."""
    found = measured(original=[(RIGHT, 0), (RIGHT, 0), (WRONG, 1), (MUTE, 0), (NO, 0)])
    for name, share in {"accuracy_answered": 2 / 3, "abstention_rate": 1 / 5, "refusal_rate": 1 / 5}.items():
        assert found["original", name].estimate.value == pytest.approx(share)
    accuracy, expected = found["original", "accuracy"].estimate, wilson(2, 5)
    assert (accuracy.value, accuracy.low, accuracy.high) == pytest.approx((2 / 5, expected.low, expected.high))
    assert accuracy.method == "wilson"


def test_the_difference_is_paired():
    """Arm minus baseline over the items that have both."""
    found = measured(original=[(RIGHT, 0)] * 4, image_removed=[(RIGHT, 0), (WRONG, 1), (MUTE, 0)])
    difference = found["image-removed", "difference"].estimate
    assert (difference.value, difference.n) == (pytest.approx(-2 / 3), 3)
    assert difference.p == pytest.approx(paired_difference([1, 1, 1], [1, 0, 0]).p)
    assert found["image-removed", "changed_rate"].estimate.value == pytest.approx(1 / 2)


@pytest.mark.parametrize(("stay", "given"), [(0, False), (1, False), (5, False), (6, True), (34, True), (40, False)])
def test_there_is_no_effect_size_where_the_spread_is_near_nothing(stay, given):
    """Of 40 right answers all but a few are lost: what those few decide is no measure of all."""
    lines = {"original": "+" * 40, "image-removed": "+" * stay + "-" * (40 - stay)}
    found = {(each.arm, each.name) for each in standard_measures(stress_test("image-needed"), sheet(lines))}
    assert (("image-removed", "cohens_d") in found) == given
    assert ("image-removed", "difference") in found


def test_changes_that_only_rounding_tells_apart_are_alike():
    """Every item is right in one run of three less: thirds that differ in their last digit have no effect size."""
    before, after = ["+" * 12, "+" * 6 + "-" * 6, "-" * 12], ["+" * 6 + "-" * 6, "-" * 12, "-" * 12]
    found = standard_measures(stress_test("image-needed"), sheet({"original": before, "image-removed": after}))
    names = {each.name for each in found if each.arm == "image-removed"}
    assert "difference" in names
    assert not names & {"cohens_d", "bootstrap_difference"}


def test_the_margin_over_chance_uses_each_items_own_options():
    """Five options: chance is a fifth, and silence counts neither for nor against."""
    found = measured(original=[(RIGHT, 0)] * 5)
    assert found["original", "above_chance"].estimate.value == pytest.approx(0.8)
    silent = measured(original=[(MUTE, 0), (NO, 0), (RIGHT, 0), (WRONG, 1), (MUTE, 0)])
    assert silent["original", "above_chance"].estimate.value == pytest.approx((0.8 - 0.2) / 5)


def test_accuracies_over_runs_stay_shares():
    """Four items always right and one right in one run of two: Student's interval would end above 1 and is cut."""
    replies = [(item, run, RIGHT if item or run else WRONG, 0) for item in range(5) for run in range(2)]
    found = {each.name: each.estimate for each in of_arm("original", table(original=replies))}
    published = student_t_over_items([0.5, 1, 1, 1, 1])
    assert published.high > 1
    assert found["accuracy"].high == 1
    assert found["accuracy"].low == pytest.approx(published.low)
    assert found["accuracy"].method == "student-t-over-items"
    swapped = [(item, run, WRONG if outcome == RIGHT else RIGHT, 0) for item, run, outcome, _ in replies]
    assert {each.name: each.estimate for each in of_arm("original", table(original=swapped))}["accuracy"].low == 0


def test_the_spread_over_runs_knows_patients():
    """Items of one patient are drawn together."""
    replies = [(item, run, RIGHT if (item + run) % 3 else WRONG, 0) for item in range(5) for run in range(3)]
    alone = table(original=replies)
    shared = replace(alone, items=tuple(replace(item, cluster=f"p{n // 2}") for n, item in enumerate(alone.items)))
    for known, method in ((alone, "bootstrap-over-items"), (shared, "bootstrap-over-patients")):
        found = {each.name: each.estimate for each in of_arm("original", known)}
        assert found["within_item_variance"].method == method


def test_an_arm_without_replies_has_no_numbers():
    """Nothing asked, nothing measured: no zero stands in for it."""
    assert measured(original=[(RIGHT, 0)], image_removed=[]).keys().isdisjoint({("image-removed", "difference")})
    assert measured() == {}


STEPWISE = {
    "text-needed": {
        "original": "++++-", "image-removed": "+++--", "question-only": "+-+--", "options-only": "-+---",
    },
    "blank-chain-of-thought": {
        "original": "+-++-", "original+cot": "++-+-", "image-blank": "+--+-", "image-blank+cot": "-+-+-",
    },
}  # fmt: skip
CHANGES = ("kept_above_chance", "step_change", "left_above_chance", "blank_change", "blank_loss_change")


@pytest.mark.parametrize("name", STEPWISE)
def test_changes_know_patients_and_no_order_of_items(name):
    """Ten questions of one patient are no ten observations; shuffled, the estimates are the same."""
    signs = {arm: 8 * line for arm, line in STEPWISE[name].items()}
    apart, asked, order = numbers(name, sheet(signs, rated(40))), rated(40), np.random.default_rng(0).permutation(40)
    together = numbers(name, sheet(signs, rated(40, clusters=[f"p{at // 10}" for at in range(40)])))
    moved = {arm: "".join(line[at] for at in order) for arm, line in signs.items()}
    shuffled = numbers(name, sheet(moved, tuple(asked[at] for at in order)))
    checked = [key for key in apart if key[1] in CHANGES]
    assert len(checked) > 1
    for key in checked:
        assert together[key].value == pytest.approx(apart[key].value)
        assert key[1] == "left_above_chance" or together[key].method.startswith("cluster-")
        assert (shuffled[key].value, shuffled[key].low) == pytest.approx((apart[key].value, apart[key].low))


def declared():
    """Every kind that a module of ours declares, with the module."""
    homes = ((stress, "snellen.stress."), (papers, "snellen.papers."))
    packages = [each for home, prefix in homes for each in walk_packages(home.__path__, prefix)]
    for module in (import_module(each.name) for each in packages if ".report" not in each.name):
        for value in vars(module).values():
            kinds = value.values() if isinstance(value, Mapping) else [value]
            yield from ((each, module.__name__) for each in kinds if isinstance(each, Kind))


def test_a_kind_is_declared_once():
    """No two modules give one name two meanings, and every kind has words that are not its bare name."""
    meanings = {}
    for kind, module in declared():
        assert meanings.setdefault(kind.name, kind) is kind, (kind, module)
        assert kind.words, kind
        assert "_" not in kind.words, kind
    assert len(meanings) > 90


NAN = np.nan
FOUND = sheet({"original": ["++-ox?. ", "+--ox?+ "]}, rated(8, options=4))


def test_right_counts_everything_else_as_wrong():
    """Per item the share of its runs that are right; NaN where nothing came or the arm was not asked."""
    np.testing.assert_array_equal(right(FOUND, "original"), [1, 0.5, 0, 0, 0, 0, 1, NAN])
    np.testing.assert_array_equal(right(FOUND, "image-removed"), [NAN] * 8)
    np.testing.assert_array_equal(nothing(FOUND), [NAN] * 8)


def test_what_chose_nothing_is_credited_with_a_guess():
    """Abstained, refused and unreadable replies score what luck would, wrong ones nothing."""
    np.testing.assert_array_equal(credit_guesses(FOUND, "original"), [1, 0.5, 0, 0.25, 0.25, 0.25, 1, NAN])
    np.testing.assert_array_equal(credit_guesses(FOUND, "image-removed"), [NAN] * 8)


def test_pairs_have_both_numbers_or_none():
    """A gap in one column is a gap in the other."""
    before, after = blank_unpaired(np.array([1, NAN, 0, NAN]), np.array([0, 1, NAN, NAN]))
    np.testing.assert_array_equal(before, [1, NAN, NAN, NAN])
    np.testing.assert_array_equal(after, [0, NAN, NAN, NAN])


def test_the_mean_of_the_numbers_there_are():
    """Gaps do not count, and a row of gaps is one."""
    one, two = np.array([NAN, 1, NAN]), np.array([0.5, 0, NAN])
    np.testing.assert_array_equal(mean_of(one, two), [0.5, 0.5, NAN])
