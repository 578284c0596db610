"""video-used and one-of-several: what a video, or one of several images, adds."""

import pytest

from several_images import clips, views
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.study import Study
from studied import results_of


def accuracies(tmp_path, test, items, reply):
    """The accuracy by arm, and the verdict."""
    whole = Benchmark("b", tuple(items))
    study = Study(models=[FakeModel(reply)], benchmarks=[whole], tests=[test], out=tmp_path, canary=False)
    (finding,) = results_of(study).findings
    found = {each.arm: each.estimate.value for each in finding.measures if each.name == "accuracy"}
    return found, finding.verdict


def test_a_model_that_reads_the_order_loses_it_when_frames_are_shuffled(tmp_path):
    """One that answers by which frame comes first is right as asked, and reported without a verdict."""
    items = clips(8)
    first = {item.images[0].encoded().sha256: item.letter for item in items}

    def reads_the_first(request):
        return f"Answer: {first.get(request.images[0].sha256, 'neither')}"

    found, verdict = accuracies(tmp_path, "video-used", items, reads_the_first)
    assert found["original"] == 1
    assert found["frames-shuffled"] < 1
    assert found["one-frame"] == 0
    assert found["other-video"] == 0
    assert verdict.status is Status.REPORTED


def test_a_model_that_uses_the_prior_image_loses_it_without(tmp_path):
    """Items are asked without the prior image and with a blank one in its place; those that have none are not."""
    items = [*views(6), *clips(2)]
    prior = {item.images[2].encoded().sha256: item.letter for item in items[:6]}

    def compares(request):
        return f"Answer: {prior.get(request.images[-1].sha256, 'neither')}"

    found, verdict = accuracies(tmp_path, "one-of-several:which=prior", items, compares)
    assert found["image-removed:which=prior"] == found["image-blank:which=prior"] == 0
    assert verdict.status is Status.REPORTED


def test_organisms_that_look_at_one_image_are_told_from_those_that_look_at_all(tmp_path):
    """The finding is often in the last frame alone: only who looks at all frames loses without it."""
    organisms = [f"organism/grounded:looks={which}" for which in ("all", "middle")]
    tests = ["video-used", "one-of-several"]
    study = Study(models=organisms, benchmarks=["phantoms:items=18,frames=3"], tests=tests, out=tmp_path, canary=False)
    found = {
        (finding.model, each.arm): each.estimate
        for finding in results_of(study).findings
        for each in finding.measures
        if each.name == "difference"
    }
    for arm in ("one-frame", "image-removed:which=last", "image-blank:which=last"):
        assert found[organisms[0], arm].high < 0, arm
        assert found[organisms[1], arm].value == 0, arm
    assert found[organisms[0], "frames-shuffled"].value == 0
    assert found[organisms[0], "other-video"].high < 0


def test_all_images_are_not_one_of_several():
    """The test for all images is another one."""
    with pytest.raises(StudyError, match="image-needed removes all"):
        stress_test("one-of-several:which=all")
    with pytest.raises(StudyError, match="has no setting 'which'"):
        stress_test("blank-image:which=prior")
