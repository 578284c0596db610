"""video-used and one-of-several: what a video, or one of several images, adds."""

import pytest

from several_images import clips, views
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.study import Study


def accuracies(tmp_path, test, items, reply):
    """The accuracy by arm, and the verdict."""
    whole = Benchmark("b", tuple(items))
    study = Study(models=[FakeModel(reply)], benchmarks=[whole], tests=[test], out=tmp_path, canary=False)
    (finding,) = study.run().findings
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


def test_all_images_are_not_one_of_several():
    """The test for all images is another one."""
    with pytest.raises(StudyError, match="image-needed removes them all"):
        stress_test("one-of-several:which=all")
    with pytest.raises(StudyError, match="has no setting 'which'"):
        stress_test("blank-image:which=prior")
