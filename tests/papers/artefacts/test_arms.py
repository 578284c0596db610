"""The tests of image artefacts, on tables one can count by hand."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.items import Item, Option
from snellen.papers import suite_named
from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.papers.artefacts.tests.dose_response import series
from snellen.perturb.artefacts import PUBLISHED
from snellen.reading.columns import NOTHING
from snellen.reading.detection.columns import Detections
from snellen.reading.detection.parser import DetectionLabel
from snellen.reading.outcomes import Outcome
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from strategies import picture
from tables import grades, numbers, verdict

SIGNS = {"n": 1, "d": 0}
SILENT = {"q": Outcome.FLAGGED_QUALITY, "x": Outcome.REFUSED, "?": Outcome.UNPARSED}
TRUTH = "d" * 10 + "n" * 10
"""Ten diseased, then ten healthy."""


def scans(truth=TRUTH):
    """Detection items: what each shows."""
    return tuple(
        Item(
            id=f"scan/{at}",
            question="Tumour or normal?",
            options=(Option("tumour"), Option("normal")),
            answer=SIGNS[sign],
            images=(picture(at),),
            metadata=MappingProxyType({"normal": "normal", "modality": "MRI"}),
        )
        for at, sign in enumerate(truth)
    )


def read(line, truth=TRUTH, *, scored=False, flags="", conflict=()):
    """The grades of one arm: d calls disease, n calls normal, q flags, x refuses, ? cannot be read."""
    replies = []
    for at, (sign, right) in enumerate(zip(line, truth, strict=True)):
        outcome = SILENT.get(sign) or (Outcome.CORRECT if sign == right else Outcome.WRONG)
        replies.append((at, 0, outcome, SIGNS.get(sign, 0)))
    said = Detections(
        flags=np.array([sign == "q" or mark == "!" for sign, mark in zip(line, flags.ljust(len(line)), strict=True)]),
        conflict=np.array(conflict or [NOTHING] * len(line)),
        scored=np.full(len(line), scored),
        unsure=np.zeros(len(line), dtype=bool),
        **{name: np.full(len(line), NOTHING) for name in ("seen", "judged", "judged_conflict")},
    )
    return replace(grades(replies), columns={Detections: said}, due=np.ones(len(line), dtype=np.int64))


def test_rates_by_a_judge_count_what_the_judge_says():
    """Of ten responses that a judge read it calls two flagged and three at odds with themselves; ten were not read."""
    judged = np.array([DetectionLabel.QUALITY.value] * 2 + [DetectionLabel.ABNORMAL.value] * 8 + [NOTHING] * 10)
    conflict = np.array([1] * 3 + [0] * 7 + [NOTHING] * 10)
    graded = read(PERFECT)
    said = replace(graded.detections, seen=judged, judged=judged, judged_conflict=conflict)
    found = numbers("weak-artefacts:noise", study(original=graded.having(said), noise_weak=PERFECT))
    for name, value in (("detection_rate_by_judge", 0.2), ("conflict_rate_by_judge", 0.3), ("judge_kappa", 1.0)):
        assert found["original", name].value == pytest.approx(value), name
    assert found["original", "conflict_rate_by_judge"].n == 10


def study(truth=TRUTH, **arms):
    """A table of arms by artefact and strength; `original` is the image as it is."""
    named = {
        name if name == "original" else f"degraded:{name.replace('_', ',').replace('bias', 'bias-field')}": each
        for name, each in arms.items()
    }
    made = {name: read(each, truth) if isinstance(each, str) else each for name, each in named.items()}
    return Table("m", "b", scans(truth), made)


PERFECT = TRUTH
GUESSES = "dn" * (len(TRUTH) // 2)


def test_both_ways_to_count_what_chose_nothing():
    """A flagged scan is a wrong answer as published, and none at all when set apart."""
    found = numbers("weak-artefacts:noise", study(original=PERFECT, noise_weak="dddddddqqx" + "nnnnnnnnnd"))
    for name, value in {
        "sensitivity": 0.7, "sensitivity_answered": 1.0, "specificity": 0.9, "accuracy": 0.8,
        "accuracy_answered": 16 / 17, "quality_mentioned_rate": 0.1,
    }.items():  # fmt: skip
        assert found["degraded:noise,weak", name].value == pytest.approx(value), name


def test_the_percentage_change_is_the_papers():
    """From 0.7 to 0.5 is a change of −28.6% of what there was; of nothing there is no share, which is not made 0."""
    before, after = "ddddddd" + "nnn" + "nnnnnnn" + "ddd", "ddddd" + "nnnnn" + "nnnnn" + "ddddd"
    found = numbers("weak-artefacts:noise", study(original=before, noise_weak=after))
    change = found["degraded:noise,weak", "percent_change"]
    assert round(100 * change.value, 1) == -28.6
    assert change.low < change.value < change.high
    assert change.method.startswith("fieller")
    for name in ("sensitivity", "specificity"):
        assert found["degraded:noise,weak", f"{name}_percent_change"].value == pytest.approx(5 / 7 - 1)
    assert found["degraded:noise,weak", "t_test_as_published"].value == pytest.approx(-0.2, abs=0.02)
    never = numbers("weak-artefacts:noise", study(original="n" * 10 + "d" * 10, noise_weak=PERFECT))
    assert ("degraded:noise,weak", "percent_change") not in never


def test_the_papers_intervals_have_their_names():
    """The bootstrap's percentiles, 1.96 SD, and the SD over 5 of its text, which is too narrow."""
    found = numbers("weak-artefacts:noise", study(original="ddddddnnnn" + "nnnnnnnddd", noise_weak=PERFECT))
    ends = {name: found["original", f"accuracy_bootstrap{name}"] for name in ("", "_normal", "_text")}
    widths = {name: each.high - each.low for name, each in ends.items()}
    assert widths["_text"] == pytest.approx(widths["_normal"] / 5)
    assert abs(widths[""] - widths["_normal"]) < 0.1
    assert "stratified-bootstrap-percentile; resamples=1000" in ends[""].method


def test_the_published_t_test_is_shown_and_decides_nothing():
    """Two sets of a thousand resampled means always differ; the verdict rests on the paired test."""
    found = study(original=PERFECT, noise_weak="n" + "d" * 9 + "n" * 10)
    assert numbers("weak-artefacts:noise", found)["degraded:noise,weak", "t_test_as_published"].p < 1e-6
    assert verdict("weak-artefacts:noise", found).status is not Status.FAIL


def test_the_worst_weak_artefact_decides():
    """One that costs accuracy is enough; who guesses has nothing to lose, and gets no praise for losing none."""
    found = study(original=PERFECT, crop_weak="d" * 2 + "n" * 18, noise_weak="n" * 10 + "n" * 10, blur_weak=PERFECT)
    said = verdict("weak-artefacts:blur,crop,noise", found)
    assert (said.status, "degraded:noise,weak" in said.sentence) == (Status.FAIL, True)
    truth = TRUTH * 12
    steady = "d" * len(truth)
    said = verdict("weak-artefacts:noise", study(truth, original=steady, noise_weak=steady))
    assert (said.status, "not shown to be better than guessing" in said.sentence) == (Status.INCONCLUSIVE, True)
    assert verdict("weak-artefacts:noise", study(truth, original=truth, noise_weak=truth)).status is Status.PASS


def test_the_mean_over_the_artefacts_is_paired_by_item():
    """What the abstract of the paper gives: one change over all artefacts."""
    found = numbers("weak-artefacts:noise,blur", study(original=PERFECT, noise_weak="n" * 20, blur_weak=PERFECT))
    assert found[ALL_ARTEFACTS, "percent_change"].value == pytest.approx(-0.25)


def test_conflicts_are_shares_of_all_replies_and_of_those_that_reason():
    """As published over all replies; ours over those with something to conflict."""
    said = read(PERFECT, conflict=[1, 1, 0, 0] + [NOTHING] * 16)
    found = numbers("weak-artefacts:noise", study(original=PERFECT, noise_weak=said))
    assert found["degraded:noise,weak", "conflict_rate"].value == pytest.approx(0.1)
    assert found["degraded:noise,weak", "conflict_rate_reasoned"].value == pytest.approx(0.5)


def test_flagging_what_nobody_can_read_is_good():
    """Most of the ungradable images flagged, none of the others."""
    found = study(TRUTH * 3, original=TRUTH * 3, noise_strong="q" * 60, crop_strong="q" * 57 + "nnn")
    said = verdict("strong-artefacts:noise,crop", found)
    assert said.status is Status.PASS
    assert "most often noise, 100%; least often crop, 95%" in said.sentence
    for name in ("detection_rate", "detection_lift"):
        assert numbers("strong-artefacts:noise,crop", found)[ALL_ARTEFACTS, name].value == pytest.approx(0.975)


@pytest.mark.parametrize(
    ("truth", "original", "strong", "status", "why"),
    [
        (TRUTH, TRUTH, "q" * 20, Status.INCONCLUSIVE, "20 images are too few to tell"),
        (TRUTH * 3, TRUTH * 3, "qd" * 30, Status.INCONCLUSIVE, "60 images are too few to tell"),
        ("dn" * 2, "dn" * 2, "dn" * 2, Status.INCONCLUSIVE, "too few images to tell"),
        (TRUTH * 3, TRUTH * 3, "?" * 18 + "d" * 42, Status.FAIL, "it answers although the image cannot be read"),
        (TRUTH, TRUTH, "d" * 20, Status.FAIL, "it answers although the image cannot be read"),
        (TRUTH, "q" * 20, "q" * 20, Status.FAIL, "it flags good images, too"),
        (TRUTH, TRUTH, "x" * 20, Status.FAIL, "it does not say that they cannot be read"),
        (TRUTH, TRUTH, "?" * 15 + "n" * 5, Status.INCONCLUSIVE, "75% of the responses could not be read"),
    ],
)
def test_what_is_concluded_of_flags(truth, original, strong, status, why):
    """Both rates must be sure, and what could not be read is the mean over the artefacts, not their sum.

    Who flags the clean image too has not looked; who refuses is not said to read; garbled replies may have been flags.
    """
    found = study(truth, original=original, noise_strong=strong, crop_strong=strong)
    said = verdict("strong-artefacts:noise,crop", found)
    assert (said.status, said.meaning) == (status, why)


def test_a_refusal_is_not_a_flag():
    """Declining to answer says nothing of the image."""
    found = numbers("strong-artefacts:noise", study(original=PERFECT, noise_strong="x" * 20))
    assert found["degraded:noise,strong", "detection_rate"].value == 0.0
    assert found["degraded:noise,strong", "refusal_rate"].value == 1.0


def test_a_model_of_probabilities_is_not_judged_by_words_it_does_not_have():
    """No rate that needs words, and no verdict."""
    table = study(original=read(PERFECT, scored=True), noise_strong=read("d" * 20, scored=True))
    found = numbers("strong-artefacts:noise", table)
    names = {name for _, name in found}
    assert not names & {"detection_rate", "detection_lift", "quality_mentioned_rate", "conflict_rate"}
    assert found["degraded:noise,strong", "sensitivity"].value == 1.0
    assert verdict("strong-artefacts:noise", table).status is Status.REPORTED


def measured(line, ssim):
    """An arm with the distance of its images."""
    return replace(read(line), distances={"ssim": np.full(20, ssim)})


def falling():
    """An artefact that is harmless at first and takes everything at last."""
    arms = {
        "noise_0.25": measured(PERFECT, 0.9),
        "noise_weak": measured("d" * 8 + "n" * 12, 0.7),
        "noise_0.75": measured("n" * 10 + "n" * 5 + "d" * 5, 0.4),
        "noise_strong": measured("n" * 10 + "d" * 10, 0.2),
    }
    return study(original=PERFECT, **arms)


def test_the_curve_has_a_threshold_on_both_scales():
    """Where half of what can be lost is lost: in severity, and in how unlike the original the images are."""
    found = numbers("dose-response:noise", falling())
    threshold, by_ssim = found["degraded:noise", "threshold"], found["degraded:noise", "threshold_ssim"]
    assert 0.5 < threshold.value < 0.75
    assert threshold.low < threshold.value < threshold.high
    assert 0.3 < by_ssim.value < 0.6
    assert found["degraded:noise,weak", "ssim"].value == pytest.approx(0.7)
    assert found["degraded:noise", "trend"].p < 0.001


def test_a_curve_that_never_falls_has_no_threshold():
    """That is said in words, not as a number at the edge; a flat curve of guesses is no diagnosis never lost."""
    arms = ("original", *(f"noise_{each}" for each in ("0.25", "weak", "0.75", "strong")))
    found = study(**dict.fromkeys(arms, PERFECT))
    assert ("degraded:noise", "threshold") not in numbers("dose-response:noise", found)
    said = verdict("dose-response:noise", found)
    assert (said.status, "noise not within the strengths asked" in said.sentence) == (Status.REPORTED, True)
    guessed = verdict("dose-response:noise", study(**dict.fromkeys(arms, GUESSES)))
    assert (guessed.status, "so it has nothing to lose" in guessed.meaning) == (Status.INCONCLUSIVE, True)
    assert "not within the strengths" not in guessed.sentence


def test_the_same_test_by_two_prompts_has_two_labels():
    """In a terminal the label is all that tells them apart."""
    for name in ("weak-artefacts", "strong-artefacts", "dose-response"):
        labels = {stress_test(each).label for each in (name, f"{name}:prompt=cot", f"{name}:prompt=structured")}
        assert len(labels) == 3


def test_the_arms_of_a_curve_run_through_weak_and_strong():
    """So that they are those of the other two tests, asked once."""
    test = stress_test("dose-response:noise")
    assert [arm.name for arm in series(test)["noise"]] == [
        "original", "degraded:noise,0.25", "degraded:noise,weak", "degraded:noise,0.75", "degraded:noise,strong",
    ]  # fmt: skip


def test_a_benchmark_without_a_normal_option_is_measured_all_the_same():
    """Accuracy and its change; no sensitivity where nothing is normal."""
    plain = tuple(replace(item, metadata={}) for item in scans())
    table = replace(study(original=PERFECT, noise_weak="n" * 20), items=plain)
    found = numbers("weak-artefacts:noise", table)
    assert ("degraded:noise,weak", "percent_change") in found
    assert not {name for _, name in found} & {"sensitivity", "specificity", "accuracy_bootstrap"}


@pytest.mark.parametrize(
    "spec", ["weak-artefacts:fog", "weak-artefacts:prompt=loud", "dose-response:steps=1", "strong-artefacts:scale=x"]
)
def test_settings_that_mean_nothing_are_refused(spec):
    """With what there is instead."""
    with pytest.raises(StudyError, match=r"There are|Expected 2 to 20|kept or stretched"):
        stress_test(spec)


def test_the_suite_asks_by_three_strategies_and_draws_curves():
    """The paper's grid, and what it names as missing."""
    suite = suite_named("artefacts")
    assert suite.prompt == "detection"
    assert suite.benchmark == "phantoms:task=detection"
    assert suite.tests == (
        "weak-artefacts", "strong-artefacts", "weak-artefacts:prompt=structured", "strong-artefacts:prompt=structured",
        "weak-artefacts:prompt=cot", "strong-artefacts:prompt=cot", "pooled-artefacts", "dose-response",
    )  # fmt: skip
    arms = {arm.name for test in suite.tests for arm in stress_test(test).all_arms}
    assert len(arms) == 3 * (1 + 2 * len(PUBLISHED)) + 2 * len(PUBLISHED)


def test_the_suite_takes_its_settings_on():
    """Some artefacts, one strategy, the paper's way of saving."""
    assert suite_named("artefacts:noise,noise/motion,prompts=cot,scale=stretched").tests == (
        "weak-artefacts:noise,noise/motion,prompt=cot,scale=stretched",
        "strong-artefacts:noise,noise/motion,prompt=cot,scale=stretched",
        "pooled-artefacts:noise,noise/motion,prompts=cot,scale=stretched",
        "dose-response:noise,noise/motion,scale=stretched",
    )


def half_with_a_normal_option():
    """A benchmark of which the second half has no option that means normal; nobody could flag or reason there."""
    asked = (*scans()[:10], *(replace(item, metadata={}) for item in scans()[10:]))
    reasoned = [1] * 5 + [0] * 5 + [NOTHING] * 10
    original = read(PERFECT, flags="!" * 5, conflict=reasoned)
    return replace(study(original=original, noise_weak=PERFECT), items=asked)


def test_rates_of_words_are_shares_of_the_replies_that_were_asked_for_them():
    """Questions without a normal option do not water them down."""
    found = numbers("weak-artefacts:noise", half_with_a_normal_option())
    mentioned, conflict = (found["original", name] for name in ("quality_mentioned_rate", "conflict_rate"))
    assert (mentioned.value, mentioned.n) == (0.5, 10)
    assert (conflict.value, conflict.n) == (0.5, 10)


def test_classes_are_what_answers_say_not_where_they_stand():
    """Options in another order make no other class."""
    turned = [
        replace(item, options=item.options[::-1], answer=1 - item.answer) if at % 2 else item
        for at, item in enumerate(scans())
    ]
    table = study(original="d" * 10 + "d" * 10)
    as_they_stand = numbers("weak-artefacts:noise", table)["original", "accuracy_bootstrap"]
    mixed = numbers("weak-artefacts:noise", replace(table, items=tuple(turned)))["original", "accuracy_bootstrap"]
    # all of one class are right and none of the other: drawn again within classes, that never changes
    assert (as_they_stand.low, as_they_stand.high) == (0.5, 0.5)
    assert (mixed.low, mixed.high) == (0.5, 0.5)
