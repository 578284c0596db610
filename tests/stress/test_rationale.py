"""The rationale test over whole studies of models with known behaviour."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.reading.claims.columns import Rationales
from snellen.reading.outcomes import Outcome
from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.base import Measure, Status
from snellen.stress.taxonomy import BY_LOOKING, COMPARED, DESCRIBES, JUDGED, tag_measure
from snellen.stress.tests.rationale import KINDS, measure
from snellen.study import Study
from strategies import items
from studied import results_of
from tables import table

SAID = {
    "describes": "The image shows a large pleural effusion on the left side. Answer: A",
    "notices": "I cannot see any image, so I cannot tell.",
    "argues": "A pleural effusion is the usual cause of such complaints, and nothing else fits as well. Answer: A",
    "guesses": "Answer: A",
}


def reported(tmp_path, behaviour):
    model = FakeModel(lambda request: "Answer: A" if request.images else SAID[behaviour], name=f"fake/{behaviour}")
    blank = Benchmark("b", items(60))
    study = Study(models=[model], benchmarks=[blank], tests=["rationale:image-removed"], out=tmp_path)
    [finding] = results_of(study).findings
    return finding


@pytest.mark.parametrize("behaviour", SAID)
def test_what_is_reported(tmp_path, behaviour):
    """How often it describes what was not sent, says so, or explains; without a verdict."""
    finding = reported(tmp_path, behaviour)
    assert finding.verdict.status is Status.REPORTED
    rate = finding.measure("image-removed", "described_rate").estimate
    assert rate.value == (behaviour == "describes")
    assert finding.measure("image-removed", "notice_rate").estimate.value == (behaviour == "notices")
    assert finding.measure("image-removed", "explained_rate").estimate.value == (behaviour != "guesses")
    tagged = finding.measure("image-removed", tag_measure("hallucinated features", "rule")).estimate
    assert (tagged.value, tagged.n) == (rate.value, 60)
    assert finding.verdict.rests_on.estimate is rate
    assert ("little text to judge" in finding.verdict.sentence) == (behaviour == "guesses")


def rates(arm, described, explained):
    """The two measures that are told, each (value, low, high)."""
    found = {"described_rate": described, "explained_rate": explained}
    return {(arm, name): Measure(arm, KINDS[name], Estimate(*rate, 100, "wilson")) for name, rate in found.items()}


def test_the_worst_arm_is_told():
    """That under which it surely describes most."""
    test = stress_test("rationale")
    found = rates("image-blank", (0.9, 0.5, 1.0), (1.0, 0.96, 1.0)) | rates("image-removed", (0.8, 0.7, 0.9), (1, 1, 1))
    said = test.conclude(found)
    assert said.sentence == "80% (95% CI 70 to 90) of the responses without the image describe findings."


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
        unsure=never,
    )
    arms = {"original": found.arms["original"].having(said)}
    measures = measure(stress_test("rationale"), replace(found, arms=arms, judge="fake/judge"))
    return {each.name: each.estimate for each in measures if each.arm == "original"}


def test_judge_and_rules_are_held_against_each_other():
    """κ over the replies that were heard, counted by hand: three of four agree where chance gives half."""
    found = judged(claims=[2, 1, 0, 0, 3], describes=[1, 0, 0, 0, 0], heard=[1, 1, 1, 1, 0])["claims_kappa"]
    assert (found.value, found.n) == (pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2)), 4)
    assert found.method == "fleiss-cohen-everitt"


@pytest.mark.parametrize(("compared", "tags"), [(True, JUDGED), (False, JUDGED - BY_LOOKING)])
def test_only_what_a_judge_can_say_is_measured_as_its_opinion(compared, tags):
    """No row for tags that no judge can give, or only one that had the image, and none where none was heard."""
    found = judged(claims=[1, 0], describes=[1, 0], heard=[1, 1], compared=compared)
    assert {name for name in found if name.endswith("_by_judge_rate")} == {tag_measure(tag, "judge") for tag in tags}
    silent = judged(claims=[1, 0], describes=[0, 0], heard=[0, 0])
    assert not [name for name in silent if "judge" in name or name == "claims_kappa"]
