"""The robustness score on tables one can count by hand."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.errors import StudyError
from snellen.papers.readiness.tests.robustness import ARM, BEYOND, FRAGILITIES, PARTIAL, WHOLE, robustness_test
from snellen.scoring.findings import findings, findings_over_all
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, rated, sheet, verdict

TEST = robustness_test(rating="needs")
TEN = {
    "original": "++++++++--",
    "image-removed": "+++++-----",
    "image-removed+options-shuffled": "++++------",
    "image-removed+distractors-replaced:count=4": "+++-------",
    "distractors-replaced:count=4": "+++++++++-",
    "image-removed+unknown-offered": "++++++----",
    "image-substituted": "++++++----",
}
"""Of ten items with five options each: 8 right as asked, 5 without the image, and so on."""
FRAGILE = (0.3, (0.5 - 0.2) / 0.8, 0.1, 0.5 * 0.2 + 0.3 * 0.1 + 0.2 * 0.1, 0.2)


def scores(found, test=TEST):
    """The numbers of the score by name."""
    return {name: estimate for (_, name), estimate in numbers(test, found).items()}


def values(found, test=TEST):
    """Only the values."""
    return {name: estimate.value for name, estimate in scores(found, test).items()}


def test_the_score_is_what_counting_gives():
    """Five fragilities and the mean of what they leave."""
    found = values(sheet(TEN))
    assert [found[name] for name in FRAGILITIES] == pytest.approx(FRAGILE)
    assert found[WHOLE] == pytest.approx(1 - sum(FRAGILE) / 5)
    assert PARTIAL not in found


def test_refusals_and_unreadable_replies_are_not_right():
    """As published: everything but a right answer is wrong, so a model that refuses without the image scores well."""
    refusing = sheet({**TEN, "image-removed": "oooooxxxx?"})
    assert values(refusing)["fragility_2"] == 0
    assert values(refusing)["fragility_1"] == pytest.approx(0.8)


@pytest.mark.parametrize("sign", "ox?t")
def test_no_score_where_nothing_is_answered(sign):
    """Who never gives a readable answer loses nothing, which is no robustness; one answer makes it a score again."""
    silent = sheet(dict.fromkeys(TEN, sign * 10))
    assert {name for _, name in numbers(TEST, silent)} == {"answered_rate"}
    found = verdict(TEST, silent)
    assert (found.status, found.numbers) == (Status.NOT_APPLICABLE, "")
    assert found.sentence.startswith("None of the 10 questions has a readable answer")
    over = list(findings_over_all([TEST], [silent, replace(silent, benchmark="c")]))
    assert [each.verdict.sentence.partition(",")[0] for each in over] == [
        "None of the 20 questions has a readable answer"
    ]
    assert WHOLE in values(sheet(dict.fromkeys(TEN, "+" + sign * 9)))


FOUR = [arm.replace("count=4", "count=3") for arm in TEN]
"""The same arms for items with four options, of which three can be replaced."""


def redrawn(rng, items=60, share=0.2, runs=2):
    """A model that nothing changes, right on a quarter of the items; in each run, some answers are drawn anew."""
    knows = np.arange(items) % 4 == 0
    lines = {}
    for arm in FOUR:
        anew, lucky = rng.random((runs, items)) < share, rng.random((runs, items)) < 0.25
        lines[arm] = ["".join("-+"[right] for right in run) for run in np.where(anew, lucky, knows).astype(int)]
    return sheet(lines, rated(items, options=4))


def test_what_repeats_alone_take_from_r_is_given_back():
    """True R = 1 and 20% of answers drawn anew: R as published is below 1 by its floors, the new one is not."""
    found = [values(redrawn(np.random.default_rng([53, seed]))) for seed in range(30)]
    published, beyond = (np.array([each[name] for each in found]) for name in (WHOLE, BEYOND))
    error = beyond.std(ddof=1) / np.sqrt(len(beyond))
    assert published.mean() < 1 - 5 * error
    assert abs(beyond.mean() - 1) < 3 * error


def test_what_repeats_take_is_reckoned_by_hand():
    """Two runs of four items that differ in one of them, in every arm; R as published does not change by it."""
    twice = sheet({arm: ["+---", "+--+"] for arm in FOUR}, rated(4, options=4))
    noise = 0.5 / 2 / 4 / 4  # one item in four has the variance 1/2, a mean of two runs half of that
    pair, alone = np.sqrt(2 * noise / (2 * np.pi)), np.sqrt(noise / (2 * np.pi))
    found = scores(twice)
    assert found[BEYOND].value == pytest.approx(found[WHOLE].value + (4 * pair + alone / 0.75) / 5)
    assert found[BEYOND].high - found[BEYOND].low == pytest.approx(found[WHOLE].high - found[WHOLE].low)
    assert "repeats alone" in verdict(TEST, twice).sentence
    once = sheet({arm: [line] * (1 + (arm != "original")) for arm, line in TEN.items()})
    assert BEYOND not in values(sheet(TEN)).keys() | values(once).keys()


def test_items_without_an_arm_do_not_count_in_its_test():
    """T5 over the four items whose image was swapped, each against itself; the other tests as before."""
    found = values(sheet({**TEN, "image-substituted": "++--      "}))
    assert found["fragility_5"] == pytest.approx(0.5)
    assert [found[name] for name in list(FRAGILITIES)[:4]] == pytest.approx(FRAGILE[:4])
    assert scores(sheet({**TEN, "image-substituted": "++--      "}))["fragility_5"].n == 4


def test_items_with_few_options_count_with_all_that_could_be_replaced():
    """Of five options four can be replaced, of four three; a reply that never came is not stood in for by another."""
    fewer = (*rated(10, options=5)[:4], *rated(10, options=4)[4:])
    replaced = {"image-removed+distractors-replaced:count=": "+++-", "distractors-replaced:count=": "++++"}
    few = {
        **TEN,
        **{f"{arm}4": f"{right}      " for arm, right in replaced.items()},
        "image-removed+distractors-replaced:count=3": "++++------",
        "distractors-replaced:count=3": "----+++++-",
        "image-removed+distractors-replaced:count=1": "++++++++++",
    }
    assert values(sheet(few, fewer))["fragility_4"] == pytest.approx(0.5 * 0.2 + 0.03 + 0.02)
    lost = {**few, "image-removed+distractors-replaced:count=3": "++++      "}
    assert scores(sheet(lost, fewer))["fragility_4"].n == 4


def test_several_swapped_images_are_one_mean_an_item():
    """An item with two substitutes weighs as much as one with one."""
    two = {**TEN, "image-substituted": "+-        ", "image-substituted:nth=2": "-         "}
    assert values(sheet(two))["fragility_5"] == pytest.approx(1 - 0.5 / 2)


def test_t2_to_t4_are_about_the_items_that_need_the_image():
    """T1 and T5 keep the others; here the last five need none."""
    asked = (*rated(10)[:5], *(replace(item, metadata={"needs": 1}) for item in rated(10)[5:]))
    found = values(sheet(TEN, asked))
    assert found["fragility_1"] == pytest.approx(0.3)
    assert found["fragility_2"] == pytest.approx(1)
    assert found["fragility_3"] == pytest.approx(0.2)
    assert found["fragility_5"] == pytest.approx(0.2)


@pytest.mark.parametrize(("options", "luck"), [(2, 1 / 2), (4, 1 / 4), (5, 1 / 5)])
def test_luck_is_that_of_the_options(options, luck):
    """20 and 80 of the paper are chance and the rest."""
    found = values(sheet(TEN, rated(10, options=options)))
    assert found["fragility_2"] == pytest.approx(max(0, 0.5 - luck) / (1 - luck))


def test_what_was_not_measured_is_not_nought():
    """Without T5 there is a mean of the four others, by another name, and it says so."""
    without = sheet({arm: line for arm, line in TEN.items() if arm != "image-substituted"})
    found = scores(without)
    assert found.keys() == {*list(FRAGILITIES)[:4], PARTIAL}
    assert found[PARTIAL].value == pytest.approx(1 - sum(FRAGILE[:4]) / 4)
    assert found[PARTIAL].method.endswith("of T1, T2, T3, T4 only")
    sentence = verdict(TEST, without).sentence
    assert "without T5, which could not be measured" in sentence
    assert "as published" not in sentence


def test_a_part_that_few_items_have_stays_in_the_partial_score():
    """Resamples that happen to lack the one swapped item do not turn the score into another."""
    few = {
        "original": "++++++++++", "image-removed": "----------", "image-substituted": "-         ",
    }  # fmt: skip
    found = scores(sheet(few))[PARTIAL]
    assert found.value == pytest.approx(1 - (1 + 0 + 1) / 3)
    assert found.low <= found.value <= found.high
    assert found.low < 0.3


def test_the_score_is_told_and_not_judged():
    """Which way is good is open to debate, and the sentence says why."""
    found = verdict(TEST, sheet(TEN))
    assert found.status is Status.REPORTED
    assert found.sentence.startswith("Robustness score R = 0.775 on a scale from 0 to 1 (95% CI ")
    assert ", n = 10 questions), as published; few items" in found.sentence
    assert "rises for one that refuses" in found.sentence
    assert "few items stand behind it: T1 on 10, T2 on 10" in found.sentence
    assert "few items" not in verdict(TEST, sheet({arm: replies * 2 for arm, replies in TEN.items()})).sentence
    for arms in ({"image-removed": "++"}, {"original": "++"}):  # nothing as asked, or nothing to hold against it
        assert numbers(TEST, sheet(arms, rated(2))) == {}
        assert verdict(TEST, sheet(arms, rated(2))).status is Status.INCONCLUSIVE


def test_several_benchmarks_weigh_by_their_items():
    """f1 is each one's own drop by its size, and one that gains does not make up for another; the rest is pooled."""
    ten = sheet(TEN)
    thirty = replace(sheet({"original": "+" * 6 + "-" * 24, "image-removed": "+" * 15 + "-" * 15}), benchmark="c")
    [finding] = findings_over_all([TEST], [ten, thirty])
    found = {each.name: each.estimate.value for each in finding.measures}
    assert found["fragility_1"] == pytest.approx(10 * 0.3 / 40)
    assert found["fragility_2"] == pytest.approx((20 / 40 - 0.2) / 0.8)
    assert found["fragility_3"] == pytest.approx(0.1)
    assert finding.benchmark == "all benchmarks"
    assert next(iter(findings_over_all([TEST], [ten])), None) is None


def test_patients_of_two_benchmarks_are_not_mixed_up():
    """The same number of a patient in another benchmark is another patient: the interval is that of twenty."""
    named = rated(10, clusters=[f"p{i}" for i in range(10)])
    apart = rated(10, clusters=[f"q{i}" for i in range(10)])
    same, other = sheet(TEN, named), sheet(TEN, apart)
    [one] = findings_over_all([TEST], [same, same])
    [two] = findings_over_all([TEST], [same, other])
    assert [each.estimate for each in one.measures] == [each.estimate for each in two.measures]
    assert not any(each.estimate.method.startswith("cluster") for each in one.measures)


def test_an_interval_holds_the_score_and_narrows_with_items():
    """Ten items and eighty of the same."""
    few, many = scores(sheet(TEN)), scores(sheet({arm: 8 * line for arm, line in TEN.items()}))
    for name in few:
        assert few[name].value == pytest.approx(many[name].value)
        assert few[name].low <= few[name].value <= few[name].high
        assert many[name].low >= 0
        assert many[name].high <= 1
        assert many[name].high - many[name].low < 0.6 * (few[name].high - few[name].low)


LINES = st.lists(st.text("+-ox ", min_size=8, max_size=8), min_size=len(TEN), max_size=len(TEN))


@given(LINES, st.integers(0, 1000))
@settings(max_examples=15)
def test_neither_the_order_of_items_nor_the_names_of_patients_matter(lines, seed):
    """Shuffled together and renamed, every number and every interval is the same."""
    chance = Random(seed)
    clusters = [chance.choice(["", "a", "b", "c"]) for _ in range(8)]
    first = scores(sheet(dict(zip(TEN, lines, strict=True)), rated(8, clusters=clusters)))
    order = chance.sample(range(8), 8)
    renamed = {"": "", "a": "zz", "b": "k", "c": "01"}
    asked = tuple(replace(rated(8, clusters=clusters)[at], cluster=renamed[clusters[at]]) for at in order)
    moved = {arm: "".join(line[at] for at in order) for arm, line in zip(TEN, lines, strict=True)}
    again = scores(sheet(moved, asked))
    assert first.keys() == again.keys()
    for name, estimate in first.items():
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (again[name].value, again[name].low, again[name].high), abs=1e-9
        )


@given(LINES)
@settings(max_examples=15)
def test_the_score_of_any_table_lies_between_nothing_and_all(lines):
    """With its interval, whatever the replies; a number that is there is a number."""
    for estimate in scores(sheet(dict(zip(TEN, lines, strict=True)), rated(8))).values():
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
        assert np.isfinite(estimate.value)


def test_which_items_need_the_image_stands_beside_the_score(tmp_path):
    """So that a reader knows which score it is; a list that is not there is said at once, not after all was asked."""
    assert {each.subset for each in TEST.measure(sheet(TEN))} == {"ratings: needs at least 3"}
    assert TEST.name == "robustness:rating=needs" == stress_test(TEST.name).name
    with pytest.raises(StudyError, match="is missing"):
        stress_test(f"robustness:items={tmp_path / 'none.txt'}")
    with pytest.raises(StudyError, match="at_least to be a number"):
        stress_test("robustness:rating=needs,at_least=high")


def test_scores_have_no_p_value_in_the_family():
    """Beside another test its numbers are the same and its p-values do not count."""
    alone = findings([stress_test("image-needed")], sheet(TEN))[0]
    beside = findings([stress_test("image-needed"), TEST], sheet(TEN))[0]
    assert [each.p_adjusted for each in alone.measures] == [each.p_adjusted for each in beside.measures]
    assert ARM not in {each.arm for each in beside.measures}
