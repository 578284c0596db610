"""Items without an image: no test about images counts them, whichever conditions they were asked under."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NOTHING
from snellen.reading.detection.columns import Detections
from snellen.reading.outcomes import Outcome
from snellen.reading.wording.columns import Wordings
from snellen.scoring.findings import findings, findings_over_all, findings_over_models
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.study import Study
from strategies import items
from studied import results_of
from tables import grades, verdict, with_one_artefact

PICTURED, TEXT_ONLY, RUNS = 24, 16, 2
SAID = (Outcome.CORRECT, Outcome.WRONG, Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY, Outcome.UNPARSED)
ABOUT_IMAGES = [name for name in MEMBERS if stress_test(name).design.about_images]


def asked(kind, count):
    """Items of a kind, two of a patient, with all that a test of that kind looks for."""
    options = tuple(map(Option, ("normal", "left lung", "right lung", "both lungs"))) if kind == "choice" else ()
    return tuple(
        Item(
            id=f"q{at}",
            question=f"Where is the opacity of patient {at}?",
            kind=kind,
            options=options,
            answer=at % 4 if kind == "choice" else "left lung",
            cluster=f"patient {at // 2}",
            metadata=MappingProxyType(
                {"normal": "normal", "quality": ("high", "low", "")[at % 3]}
                if kind == "choice"
                else {"premise": {"claims": "an opacity", "holds": at % 4 == 1}}
                if at % 2
                else {}
            ),
        )
        for at in range(count)
    )


def answered(arm, there, count, *, seed):
    """What a model says under an arm: the same of an item whatever other items there are."""
    changed = bool({"mirrored", "image-substituted"} & {arm.name.partition(":")[0]})
    places = [(at, run) for at in range(there) for run in range(RUNS) if (at + run + seed) % 31]
    rng, at, run = np.random.default_rng(seed), *np.array(places).T
    every = (PICTURED + TEXT_ONLY, RUNS)
    drawn = rng.choice(len(SAID), every, p=(0.4, 0.2, 0.1, 0.1, 0.1, 0.1))[at, run]
    outcomes = [SAID[each] for each in drawn]
    replies = [
        (at, run, outcome, (at + changed + (outcome is Outcome.WRONG)) % 4)
        for (at, run), outcome in zip(places, outcomes, strict=True)
    ]
    marks = rng.integers(0, 2, (*every, 6))[at, run]
    words = rng.permuted(np.broadcast_to(np.arange(8, dtype=np.int32), (*every, 8)), axis=2)[at, run, :3]
    flags, none = marks.astype(bool), np.full(len(places), NOTHING)
    due = np.full(count, RUNS)
    due[there:] = 0
    return replace(
        grades(replies),
        due=due,
        key=(np.arange(count) + changed) % 4,
        distances={"ssim": np.where(np.arange(count) < there, 0.5, np.nan)} if "degraded" in arm.name else {},
    ).having(
        Rationales(
            marks[:, 0], flags[:, 1], flags[:, 2], flags[:, 3], flags[:, 4], marks[:, 5], flags[:, 1], flags[:, 2]
        ),
        Detections(marks[:, 0], flags[:, 1], marks[:, 2], flags[:, 3] & False, none, none, flags[:, 4] & False),
        Wordings(tuple("abcdefgh"), words.ravel(), np.arange(3, 3 * len(words) + 1, 3)),
    )


def answers_of(test, text_only, *, model="m", seed=0):
    """A table of items with an image, and so many without, which are asked where the image is left as it is."""
    count = PICTURED + text_only
    sizes = {arm: PICTURED if "image" in arm.condition.changes else count for arm in test.all_arms}
    arms = {arm.name: answered(arm, there, count, seed=seed + at) for at, (arm, there) in enumerate(sizes.items())}
    table = Table(model, "b", asked(test.item_kind, count), arms)
    return replace(table, imageless=np.arange(count) >= PICTURED) if text_only else table


def told(found):
    """All that is measured and concluded, numbers as they are printed at most."""
    return [
        (each.verdict.status, each.verdict.sentence, each.unsure, {repr_of(measure) for measure in each.measures})
        for each in found
    ]


def repr_of(measure):
    numbers = (measure.estimate.value, measure.estimate.low, measure.estimate.high, measure.estimate.p)
    rounded = tuple(each if each is None else float(f"{each:.9g}") for each in numbers)
    return (measure.arm, measure.name, measure.subset, measure.estimate.n, str(rounded))


def test_tests_about_images_are_known():
    """A test is about images if a condition changes them; tests of options or of own questions are not."""
    others = [name for name in MEMBERS if name not in ABOUT_IMAGES]
    assert others == [
        "steady", "option-order", "distractors", "unknown-option", "chain-of-thought", "reasoning-effort",
        "mirage-rate", "mirage-bias", "pathway-choices", "pathway-answers", "comparison",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [*ABOUT_IMAGES, "comparison:image-removed", "image-needed:prompt=cot"])
def test_text_only_items_change_no_measure_about_images(name):
    """What a test about images measures and concludes is the same, however many items without an image are added."""
    test = stress_test(with_one_artefact(name))
    plain, mixed = ([answers_of(test, text_only)] for text_only in (0, TEXT_ONLY))
    assert told(findings([test], mixed[0])) == told(findings([test], plain[0]))
    assert findings([test], plain[0])[0].measures
    for made_over, several, over in (
        (test.over_models, {"model": "other", "seed": 7}, findings_over_models),
        (test.spanning, {"seed": 7}, findings_over_all),
    ):
        if made_over is None:
            continue
        tables = [[*some, answers_of(test, count, **several)] for some, count in ((mixed, TEXT_ONLY), (plain, 0))]
        first, second = (told(over([test], each)) for each in tables)
        assert first == second


def test_flagging_every_image_fails_whatever_is_asked_without_one():
    """A model that flags every image is not excused by questions that have none."""
    test = stress_test("strong-artefacts:noise")
    count = 16 + 240
    flagged = [(at, 0, Outcome.FLAGGED_QUALITY, 0) for at in range(16)]
    rest = [(at, 0, Outcome.CORRECT, at % 5) for at in range(16, count)]
    arms = dict(zip((arm.name for arm in test.all_arms), (grades(flagged + rest), grades(flagged)), strict=True))
    table = Table("m", "b", items(count), arms, imageless=np.arange(count) >= 16)
    found = verdict(test, table)
    assert (found.status, "it flags good images, too" in found.sentence.lower()) == (Status.FAIL, True)


def test_a_study_knows_its_items_without_an_image(tmp_path):
    """What was sent says which items have no image; where no image is known of, nothing is said of any."""
    pictured, worded = items(9), tuple(replace(each, id=f"t{each.id}", images=()) for each in items(9))
    benchmark = Benchmark("mixed", (*pictured[:5], *worded[:4], *pictured[5:]))
    model = FakeModel(lambda request: "Answer: A")
    study = Study(models=[model], benchmarks=[benchmark], tests=["image-needed", "text-needed"], out=tmp_path / "mixed")
    results = results_of(study)
    (table,) = results.tables.values()
    assert table.imageless.tolist() == [False] * 5 + [True] * 4 + [False] * 4
    accuracy = [finding.measure("original", "accuracy").estimate.n for finding in results.findings]
    assert accuracy == [9, 9]
    text = Study(models=[model], benchmarks=[Benchmark("text", worded)], tests=["text-needed"], out=tmp_path / "text")
    (table,) = results_of(text).tables.values()
    assert table.imageless is None
