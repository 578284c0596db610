"""The pooled figures of the artefacts paper, on tables one can count by hand."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.papers import suite_named
from snellen.papers.artefacts.tests.pooled import ORIGINALS, STRONG, WEAK, part_of
from snellen.reading.columns import NOTHING
from snellen.reading.detection.columns import Detections
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import ALL_MODELS, findings, findings_over_models
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from strategies import items
from tables import grades

TEST = "pooled-artefacts:noise,crop,prompts=own/cot"
COT = "+detection-cot"
OUTCOMES = {"+": Outcome.CORRECT, "-": Outcome.WRONG, "q": Outcome.FLAGGED_QUALITY}


def line(right, of=20, flagged=0):
    """So many right, so many flagged, the rest wrong."""
    return "+" * right + "q" * flagged + "-" * (of - right - flagged)


def arm(signs, *, wordless=False):
    """The grades of an arm from a sign an item; a dot is no response."""
    replies = [(at, 0, OUTCOMES[sign], 0) for at, sign in enumerate(signs) if sign != "."]
    count = len(replies)
    said = Detections(
        flags=np.zeros(count, dtype=bool),
        conflict=np.full(count, NOTHING),
        scored=np.full(count, wordless),
        unsure=np.zeros(count, dtype=bool),
        **{name: np.full(count, NOTHING) for name in ("seen", "judged", "judged_conflict")},
    )
    return replace(grades(replies), columns={Detections: said}, due=np.ones(len(signs), dtype=np.int64))


def table(model, cells, *, clusters=None, categories=None, wordless=False):
    """What a model did under each arm, by the arm's name."""
    arms = {name: arm(signs, wordless=wordless) for name, signs in cells.items()}
    made = items(max(len(signs) for signs in cells.values()))
    if clusters:
        made = tuple(replace(item, cluster=name) for item, name in zip(made, clusters, strict=True))
    if categories:
        made = tuple(replace(item, category=name) for item, name in zip(made, categories, strict=True))
    return Table(model, "b", made, arms)


def cells(original=(16, 10), weak=((12, 8), (10, 5)), flagged=((10, 0), (4, 2)), of=20):
    """By prompt: how many are right on the originals and under either weak artefact, and flagged when it is strong."""
    made = {}
    for at, how in enumerate(("", COT)):
        made[f"original{how}"] = line(original[at], of)
        for place, artefact in enumerate(("noise", "crop")):
            made[f"degraded:{artefact},weak{how}"] = line(weak[place][at], of)
            made[f"degraded:{artefact},strong{how}"] = line(0, of, flagged[place][at])
    return made


def over(tables, spec=TEST):
    """The finding over all models."""
    [found] = findings_over_models([stress_test(spec)], tables)
    return found


def value(finding, arm, name):
    """A number's value."""
    return finding.measure(arm, name).estimate.value


def test_one_model_alone_has_no_figure_over_all_models():
    """A study of one model says nothing of "all models", which would be that model again."""
    assert list(findings_over_models([stress_test(TEST)], [table("m", cells())])) == []


CHANGES = [12 / 16 - 1, 10 / 16 - 1, 8 / 10 - 1, 5 / 10 - 1]
"""Of the cells of one model, by prompt and artefact."""


def test_one_model_is_the_plain_mean_over_prompts_and_artefacts():
    """Accuracy over two cells, changes and flags over four; the change of the mean is another number."""
    [found] = findings([stress_test(TEST)], table("m", cells()))
    assert value(found, ORIGINALS, "pooled_accuracy") == pytest.approx((0.8 + 0.5) / 2)
    assert value(found, WEAK, "pooled_change") == pytest.approx(np.mean(CHANGES))
    assert value(found, WEAK, "change_of_pooled") == pytest.approx((12 + 10 + 8 + 5) / (2 * 16 + 2 * 10) - 1)
    assert value(found, STRONG, "pooled_detection_rate") == pytest.approx((10 + 0 + 4 + 2) / 80)
    assert found.verdict.status is Status.REPORTED
    assert found.verdict.rests_on is found.measure(WEAK, "pooled_change")
    assert "−33.1%" in found.verdict.sentence
    for each in found.measures:
        assert each.estimate.low < each.estimate.value < each.estimate.high
        assert "models=1" in each.estimate.method


def test_every_cell_counts_once_over_models():
    """A mean over two models of all their cells, and the mixed one of the same; two models stand for themselves."""
    other = cells(original=(20, 20), weak=((20, 20), (20, 20)), flagged=((0, 0), (0, 0)))
    found = over([table("one", cells()), table("two", other)])
    assert (found.model, found.benchmark) == (ALL_MODELS, "b")
    assert value(found, ORIGINALS, "pooled_accuracy") == pytest.approx((0.8 + 0.5 + 1 + 1) / 4)
    assert value(found, WEAK, "pooled_change") == pytest.approx(np.mean([*CHANGES, 0, 0, 0, 0]))
    assert value(found, STRONG, "pooled_detection_rate") == pytest.approx(16 / 160)
    for arm_name, name in (
        (ORIGINALS, "pooled_accuracy"),
        (WEAK, "change_of_pooled"),
        (STRONG, "pooled_detection_rate"),
    ):
        mixed = found.measure(arm_name, f"{name}_mixed").estimate
        assert mixed.value == pytest.approx(value(found, arm_name, name))
        assert mixed.method.endswith("models=2, taken as fixed")
    assert value(found, WEAK, "pooled_difference_mixed") == pytest.approx((35 - 52) / 160)
    assert found.measure(WEAK, "loss_between_models") is None


def test_the_mixed_interval_speaks_of_other_models():
    """Models that lose nothing and models that lose half: over patients it is narrow, over models wide."""
    tables = [
        table(f"m{at}", cells((90, 90), ((right, right), (right, right)), ((0, 0), (0, 0)), of=100))
        for at, right in enumerate((90, 90, 45, 45))
    ]
    found = over(tables)
    plain, mixed = (found.measure(WEAK, name).estimate for name in ("change_of_pooled", "change_of_pooled_mixed"))
    assert mixed.value == pytest.approx(plain.value) == pytest.approx(-0.25)
    assert plain.high - plain.low < 0.25
    assert mixed.high - mixed.low > 0.7
    assert mixed.method == "crossed-fieller; models=4"
    assert found.measure(WEAK, "loss_between_models").estimate.value == pytest.approx(0.45**2 / 3, rel=0.05)


def test_patients_are_drawn_whole():
    """Five images of each patient that share their fate tell less than a hundred patients."""
    alike = cells((50, 50), ((40, 40), (40, 40)), of=100)
    patients = [str(at // 5) for at in range(100)]
    wide, narrow = (
        over([table(model, alike, clusters=names) for model in "ab"]).measure(ORIGINALS, "pooled_accuracy").estimate
        for names in (patients, None)
    )
    assert wide.method.startswith("cluster-bootstrap-both-ways")
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_a_cell_with_nothing_right_has_no_change():
    """It is left out of the mean of changes, and said so; in the change of the mean it counts."""
    [found] = findings([stress_test(TEST)], table("m", cells(original=(16, 0), weak=((12, 4), (10, 4)))))
    plain = found.measure(WEAK, "pooled_change").estimate
    assert plain.value == pytest.approx((12 / 16 + 10 / 16) / 2 - 1)
    assert plain.method.endswith("cells=4, models=1, nothing right before in 2")
    assert value(found, WEAK, "change_of_pooled") == pytest.approx(30 / 32 - 1)


def test_a_model_without_words_flags_nothing_and_is_not_asked_to():
    """It counts for accuracy and change alone."""
    found = over([table("m", cells()), table("clip", cells(), wordless=True)])
    assert value(found, STRONG, "pooled_detection_rate") == pytest.approx(16 / 80)
    assert found.measure(STRONG, "pooled_detection_rate").estimate.method.endswith("cells=4, models=1")
    assert found.measure(ORIGINALS, "pooled_accuracy").estimate.method.endswith("cells=4, models=2")


def test_a_cell_that_was_hardly_answered_is_left_out_and_named():
    """The others of the same model count."""
    broken = {**cells(), f"degraded:noise,weak{COT}": "+" * 5 + "." * 15}
    found = over([table("m", cells()), table("broken", broken)])
    plain = found.measure(WEAK, "pooled_change").estimate
    kept = [CHANGES[at] for at in (0, 1, 3)]
    assert plain.value == pytest.approx(np.mean([*CHANGES, *kept]))
    assert plain.method.endswith("cells=7, models=2, too few answers in 1 of broken")


def test_a_missing_response_shifts_nothing():
    """An item without its hardest cell is levelled as if it had it: the mixed mean hardly moves."""
    easy = {**cells((20, 20), ((20, 20), (0, 0))), "degraded:crop,weak": "." + "-" * 19}
    found = over([table(model, easy if model == "a" else cells((20, 20), ((20, 20), (0, 0)))) for model in "abc"])
    assert value(found, WEAK, "change_of_pooled_mixed") == pytest.approx(-0.5, abs=0.002)


def test_every_kind_of_image_has_its_own_numbers():
    """With two categories, each measure stands once for all images and once for each."""
    kinds = ["MRI"] * 10 + ["OCT"] * 10
    found = over([table(model, cells(), categories=kinds) for model in "ab"])
    parts = {part_of(each): each.estimate for each in found.measures if each.name == "pooled_accuracy"}
    assert list(parts) == ["", "MRI", "OCT"]
    assert [each.n for each in parts.values()] == [20, 10, 10]
    assert parts["MRI"].value == pytest.approx(1.0)
    assert parts["OCT"].value == pytest.approx((6 + 0) / 20)
    assert "65% (" in found.verdict.sentence


def several(rights, of=60, seed=0):
    """Models with so many right on the originals, at random places, each losing a third of them."""
    rng = np.random.default_rng(seed)
    made = []
    for at, share in enumerate(rights):
        before = rng.random(of) < share
        after = before & (rng.random(of) < 2 / 3)
        signs = {True: "+", False: "-"}
        one, two = ("".join(signs[bool(each)] for each in row) for row in (before, after))
        arms = {"original": one, f"original{COT}": "-" * of}
        for artefact in ("noise", "crop"):
            arms |= {f"degraded:{artefact},weak": two, f"degraded:{artefact},weak{COT}": "-" * of}
            arms |= {f"degraded:{artefact},strong{how}": "-" * of for how in ("", COT)}
        made.append(table(f"m{at}", arms))
    return made


def test_the_three_best_are_those_of_the_first_prompt():
    """By accuracy on the originals; their accuracy and change are the plain means, over that prompt alone."""
    tables = several((0.9, 0.2, 0.8, 0.7, 0.1))
    found = over(tables)
    top = found.measure(ORIGINALS, "top_accuracy")
    assert top.subset == "best 3 of 5: m0, m2, m3"
    right = [np.mean(each.arms["original"].right()) for each in tables]
    assert top.estimate.value == pytest.approx(np.mean([right[at] for at in (0, 2, 3)]))
    after = [np.mean(each.arms["degraded:crop,weak"].right()) for each in tables]
    change = found.measure(WEAK, "top_change").estimate.value
    assert change == pytest.approx(np.mean([after[at] / right[at] - 1 for at in (0, 2, 3)]))
    assert value(found, ORIGINALS, "top_accuracy_apart") == pytest.approx(top.estimate.value, abs=0.02)
    assert value(found, WEAK, "top_change_apart") == pytest.approx(change, abs=0.1)
    apart = found.measure(ORIGINALS, "top_accuracy_apart").estimate
    assert 0 <= apart.low < apart.value < apart.high <= 1


def test_the_best_of_equals_were_lucky():
    """Of models that are alike, the three best by all patients are better than the three best on other patients."""
    more = []
    for seed in range(4):
        found = over(several([0.6] * 8, seed=seed))
        more.append(value(found, ORIGINALS, "top_accuracy") - value(found, ORIGINALS, "top_accuracy_apart"))
    assert np.mean(more) > 0.03


def test_three_models_have_no_best_three():
    """All of them would be."""
    assert over(several((0.9, 0.5, 0.4))).measure(ORIGINALS, "top_accuracy") is None


def test_it_asks_nothing_that_the_suite_does_not_ask():
    """Every arm of it is one of weak-artefacts or strong-artefacts by the same prompts, whatever the settings."""
    for spec in ("artefacts", "artefacts:noise,prompts=cot/standard", "artefacts:system=from-code,scale=stretched"):
        tests = [stress_test(each) for each in suite_named(spec).tests]
        [pooled] = [each for each in tests if each.name.startswith("pooled-artefacts")]
        others = {arm.name for each in tests if "dose" not in each.name and each is not pooled for arm in each.all_arms}
        assert {arm.name for arm in pooled.all_arms} == others


def test_its_settings_stand_in_its_name():
    """So that the name makes it again; prompts that are none are refused."""
    assert stress_test("pooled-artefacts").name == "pooled-artefacts"
    assert stress_test(TEST).name == TEST
    with pytest.raises(StudyError, match="separated by slashes"):
        stress_test("pooled-artefacts:prompts=own//cot")
    with pytest.raises(StudyError, match="no prompt strategy"):
        stress_test("pooled-artefacts:prompts=own/loud")


def test_nothing_answered_is_inconclusive():
    """There is no number, and the verdict says why."""
    [found] = findings([stress_test(TEST)], table("m", {"other": "+-"}))
    assert found.measures == ()
    assert found.verdict.status is Status.INCONCLUSIVE
