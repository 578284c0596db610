"""The rationale test over whole studies of models with known behaviour."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.grading.claims.columns import Rationales
from snellen.grading.outcomes import Outcome
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.base import Measure, Status
from snellen.stress.taxonomy import BY_LOOKING, COMPARED, DESCRIBES, JUDGED, tag_measure
from snellen.stress.tests.rationale import KINDS, measure
from snellen.study import Study
from strategies import items
from tables import table

SAID = {
    "describes": "The image shows a large pleural effusion on the left side. Answer: A",
    "notices": "I cannot see any image, so I cannot tell.",
    "argues": "A pleural effusion is the usual cause of such complaints, and nothing else fits as well. Answer: A",
    "guesses": "Answer: A",
}


def verdict(tmp_path, behaviour):
    model = FakeModel(lambda request: "Answer: A" if request.images else SAID[behaviour], name=f"fake/{behaviour}")
    blank = Benchmark("b", items(60))
    study = Study(models=[model], benchmarks=[blank], tests=["rationale:image-removed"], out=tmp_path)
    [finding] = study.run(lambda progress: None).findings
    return finding


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [("describes", "fail"), ("notices", "pass"), ("argues", "pass"), ("guesses", "inconclusive")],
)
def test_verdicts(tmp_path, behaviour, status):
    """Describing what was not sent is caught; saying so or arguing without it is well; a bare letter shows nothing."""
    finding = verdict(tmp_path, behaviour)
    assert finding.verdict.status == status
    rate = finding.measure("image-removed", "described_rate").estimate
    assert rate.value == (behaviour == "describes")
    assert finding.measure("image-removed", "notice_rate").estimate.value == (behaviour == "notices")
    assert finding.measure("image-removed", "explained_rate").estimate.value == (behaviour != "guesses")


def test_too_few_items_cannot_tell(tmp_path):
    """Two items describe nothing: that shows little."""
    model = FakeModel(lambda request: "Answer: A")
    study = Study(models=[model], benchmarks=[Benchmark("b", items(2))], tests=["rationale"], out=tmp_path)
    [finding] = study.run(lambda progress: None).findings
    assert finding.verdict.status == "inconclusive"


def rates(arm, described, explained):
    """The two measures that decide, each (value, low, high)."""
    found = {"described_rate": described, "explained_rate": explained}
    return {(arm, name): Measure(arm, KINDS[name], Estimate(*rate, 100, "wilson")) for name, rate in found.items()}


NONE, SOME, MANY = (0.0, 0.0, 0.04), (0.05, 0.02, 0.2), (0.8, 0.7, 0.9)


@pytest.mark.parametrize(
    ("described", "explained", "status"),
    [
        (NONE, (0.03, 0.0, 0.1), Status.INCONCLUSIVE),
        (NONE, (0.49, 0.4, 0.6), Status.INCONCLUSIVE),
        (NONE, (0.5, 0.4, 0.6), Status.PASS),
        (MANY, (0.03, 0.0, 0.1), Status.FAIL),
        (SOME, (0.03, 0.0, 0.1), Status.INCONCLUSIVE),
    ],
)
def test_who_explains_nothing_is_not_praised_for_making_nothing_up(described, explained, status):
    """Only praise needs something to read; the arm with the least of it decides."""
    test = stress_test("rationale")
    talkative = rates("image-blank", NONE, (1.0, 0.96, 1.0))
    found = test.concluding(test, {**talkative, **rates("image-removed", described, explained)})
    assert found.status == status


def test_bare_answers_are_told_in_words():
    """The sentence says how few replies there are to read, and under which arm."""
    test = stress_test("rationale:image-removed")
    found = test.concluding(test, rates("image-removed", NONE, (0.03, 0.0, 0.1)))
    assert found.sentence == (
        "Only 3% of its responses (95% CI 0 to 10) under image-removed say more than their answer: "
        "there is too little text to judge."
    )


def judged(claims, describes, heard, compared=True):
    """The measures of one arm of which some replies claim, are found to describe, and were judged."""
    count = len(claims)
    found = table(original=[(item, 0, Outcome.CORRECT, 0) for item in range(count)])
    never = np.zeros(count, dtype=bool)
    said = Rationales(
        claims=np.array(claims),
        notices=never,
        hedges=never,
        contradicts=never,
        explains=~never,
        judged=np.array(describes) * DESCRIBES + COMPARED * compared,
        heard=np.array(heard, dtype=bool),
    )
    arms = {"original": found.arms["original"].having(said)}
    measures = measure(stress_test("rationale"), replace(found, arms=arms, judge="fake/judge"))
    return {each.name: each.estimate for each in measures if each.arm == "original"}


def test_judge_and_rules_are_held_against_each_other():
    """κ over the replies that were heard, counted by hand: three of four agree where chance gives half."""
    found = judged(claims=[2, 1, 0, 0, 3], describes=[1, 0, 0, 0, 0], heard=[1, 1, 1, 1, 0])["claims_kappa"]
    assert (found.value, found.n) == (pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2)), 4)
    assert found.method == "fleiss-cohen-everitt; parser=lenient; judge=fake/judge"


@pytest.mark.parametrize(("compared", "tags"), [(True, JUDGED), (False, JUDGED - BY_LOOKING)])
def test_only_what_a_judge_can_say_is_measured_as_its_opinion(compared, tags):
    """No row for tags that no judge can give, or only one that had the image, and none where none was heard."""
    found = judged(claims=[1, 0], describes=[1, 0], heard=[1, 1], compared=compared)
    assert {name for name in found if name.endswith("_by_judge_rate")} == {tag_measure(tag, "judge") for tag in tags}
    silent = judged(claims=[1, 0], describes=[0, 0], heard=[0, 0])
    assert not [name for name in silent if "judge" in name or name == "claims_kappa"]
