"""A study of degraded images from end to end: asked, measured as sent, read, judged, and taken apart by modality."""

import json

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.images import decode
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study, judge

ARM = "degraded:noise,strong"


def quiet(progress):
    """No progress bar."""


def sharp_eyed(request):
    """Flags a picture whose neighbouring rows differ much, and calls any other normal."""
    rows = decode(request.images[0].data, name="sent").astype(int)
    noisy = np.abs(np.diff(rows, axis=0)).mean() > 30
    words = "The image is too noisy to interpret." if noisy else "The structures look unremarkable.\n\n**Normal**"
    return Response(words, sent=tuple(map(receipt, request.images)))


def by_number(request):
    """Answers by probabilities alone."""
    return Response("Conclusion: normal\nnormal 0.6, other 0.4", "zero-shot", sent=tuple(map(receipt, request.images)))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Two models, eight phantoms, noise."""
    out = tmp_path_factory.mktemp("artefacts")
    Study(
        models=[FakeModel(sharp_eyed, name="fake/eyes"), FakeModel(by_number, name="clip/fake")],
        tests=["artefacts:noise,prompts=standard"],
        limit=8,
        out=out,
    ).ask(quiet)
    return out


@pytest.fixture(scope="module")
def results(done):
    """The scored study."""
    with Store.open(done) as store:
        return score(store)


def finding(results, model, test):
    """One test of one model."""
    [found] = [each for each in results.findings if (each.model, each.test.name) == (model, test)]
    return found


def test_without_a_benchmark_the_phantoms_are_asked_whether_anything_is_wrong(results):
    """The suite's own benchmark and prompt, and its strict parser beside ours."""
    assert list(results.benchmarks) == ["phantoms:task=detection"]
    assert results.study["prompt"] == "detection"
    assert results.study["beside"] == ["detection-as-published"]


def test_every_degraded_image_was_measured_as_it_was_sent(results, done):
    """SSIM and PSNR of each, falling with the strength, with all parameters in the store."""
    table = results.tables["fake/eyes", "phantoms:task=detection"]
    weak, strong = (table.arms[f"degraded:noise,{each}"].distances for each in ("weak", "strong"))
    assert np.isfinite(weak["ssim"][:8]).all()
    assert (strong["ssim"][:8] < weak["ssim"][:8]).all()
    assert (strong["psnr"][:8] < weak["psnr"][:8]).all()
    assert table.arms["original"].distances == {}
    with Store.open(done) as store:
        arm, _ = store.studies.arm(results.study["arms"]["phantoms:task=detection"][ARM])
        [drawn] = store.connections.main.execute(
            "SELECT drawn FROM variants WHERE arm = ? AND ordinal = 0", (arm,)
        ).fetchone()
    record = json.loads(drawn)
    assert record["images"][0][0]["artefact"] == "noise"
    assert record["images"][0][0]["sd"] in (0.35, 0.4)
    assert record["measured"][0]["ssim"] == pytest.approx(strong["ssim"][0])


def test_one_who_flags_noise_is_told_from_one_who_cannot(results):
    """A rate for the first; no such rate, and no verdict, for the model of probabilities."""
    eyes = finding(results, "fake/eyes", "strong-artefacts:noise")
    assert eyes.measure(ALL_ARTEFACTS, "detection_rate").estimate.value == 1.0
    assert eyes.measure("original", "detection_rate").estimate.value == 0.0
    numbers = finding(results, "clip/fake", "strong-artefacts:noise")
    assert numbers.measure(ALL_ARTEFACTS, "detection_rate") is None
    assert numbers.measure(ARM, "specificity").estimate.value == 1.0
    assert "probabilities alone" in numbers.verdict.sentence


def test_a_flag_counts_as_wrong_and_apart(results):
    """Accuracy with flags as wrong is 0, of those answered there are none; each modality has its numbers."""
    eyes = finding(results, "fake/eyes", "strong-artefacts:noise")
    assert eyes.measure(ARM, "accuracy").estimate.value == 0.0
    assert eyes.measure(ARM, "accuracy_answered") is None
    assert eyes.measure(ARM, "flagged_quality_rate").estimate.value == 1.0
    groups = {row["group"] for row in results.breakdown() if row["measure"] == "detection_rate"}
    assert groups == {f"category={name}" for name in ("chest X-ray", "brain MRI", "OCT", "fundus photograph")}


def test_a_judge_is_asked_about_every_reply_that_has_words(done):
    """Its classes stand beside the parser's, with their agreement; it never learns which option is right."""
    asked = []

    def opinion(request):
        asked.append(request)
        flags = "too noisy" in request.text
        return json.dumps({"class": 2 if flags else 0, "flags": flags, "conflict": None})

    judge(done, FakeModel(opinion, name="fake/judge"), limit=4, watch=quiet)
    with Store.open(done) as store:
        results = score(store)
    # As it is, and four strengths, of four items; none of the model without words.
    assert len(asked) <= 5 * 4
    found = finding(results, "fake/eyes", "strong-artefacts:noise")
    rate = found.measure(ARM, "detection_rate_by_judge")
    assert (rate.estimate.value, rate.estimate.n) == (1.0, 4)
    assert (rate.parser, rate.judge) == ("", "fake/judge")
    assert rate.how == f"{rate.estimate.method}; judge=fake/judge"
    assert finding(results, "clip/fake", "strong-artefacts:noise").measure(ARM, "detection_rate_by_judge") is None
    table = results.tables["fake/eyes", "phantoms:task=detection"]
    assert (table.judge, table.judge_unread) == ("fake/judge", 0)


def test_the_same_seed_degrades_alike_on_another_day(done, tmp_path):
    """Byte for byte: another run sends the same images."""
    sent = []
    model = FakeModel(lambda request: sent.append(request.images[0].sha256) or "normal", name="fake/again")
    Study(models=[model], tests=["strong-artefacts:noise"], limit=3, out=tmp_path, prompt="detection",
          benchmarks=["phantoms:task=detection"]).ask(quiet)  # fmt: skip
    with Store.open(done) as store:
        study = store.studies.record()
        arm, _ = store.studies.arm(study["arms"]["phantoms:task=detection"][ARM])
        before = {store.variants.images_of(arm, ordinal)[0] for ordinal in range(3)}
    assert before < set(sent)


def test_the_items_of_both_tasks_show_the_same_patients():
    """So that whether and what can be compared."""
    whether, what = (load(f"phantoms:task={task},items=8") for task in ("detection", "diagnosis"))
    assert [item.images for item in whether] == [item.images for item in what]


def test_a_model_without_words_is_not_judged_on_other_questions_either(tmp_path):
    """Whether the options have one that means normal does not change what it can say."""
    asked = load("phantoms:items=8")
    plain = FakeModel(
        lambda request: Response("Answer: A\n0.6, 0.4", "zero-shot", sent=tuple(map(receipt, request.images))),
        name="clip/plain",
    )
    Study(models=[plain], tests=["strong-artefacts:noise"], benchmarks=[asked], out=tmp_path).ask(quiet)
    with Store.open(tmp_path) as store:
        found = finding(score(store), "clip/plain", "strong-artefacts:noise")
    assert found.measure(ARM, "detection_rate") is None
    assert "probabilities alone" in found.verdict.sentence
