"""Snellen inside Inspect: what Inspect sends, scores and logs by our tasks, solvers and scorers, and its import."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.scorer import SampleScore, Score

from snellen.benchmarks import load
from snellen.conditions import Pool, condition_named, vary
from snellen.images import decode
from snellen.imports.inspect_file import open_log
from snellen.imports.inspect_log import read_inspect_log
from snellen.imports.storing import stored_answers
from snellen.scoring.results import score
from snellen.stats import paired_difference as paired_estimate
from snellen.store import Store
from snellen.study import Study, bring
from snellen.tools.inspect import TASKS, asked_under, choice, paired_difference, removed, shuffled, under
from snellen.tools.inspect.tasks import conditions_in

SET_ARMS = {"original", "image-removed", "options-shuffled", "degraded:noise,strong"}


# --- Our tasks -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def both(inspect_logs, served, tmp_path_factory):
    """The folder of an eval-set, imported; and the same study as Snellen asks it itself."""
    out = tmp_path_factory.mktemp("both")
    imported = bring([inspect_logs / "set"], out / "imported", format="inspect")
    names = ("grounded", "blind")
    study = Study(
        models=[{"name": f"openai/{n}", "as": f"openai-api/snellen/{n}", "base_url": served} for n in names],
        benchmarks=["phantoms:items=4,leak=0.5"],
        tests=["image-needed", "option-order", "strong-artefacts:noise"],
        settings={"temperature": 0},
        out=out / "own",
        canary=False,
    )
    study.ask(lambda progress: None)
    return imported, out


def test_an_eval_set_becomes_one_study_with_its_conditions(both):
    """Every model under every condition, with nothing said on import; what Inspect writes beside its logs is no log."""
    imported, _ = both
    models = {f"openai-api/snellen/{name}" for name in ("grounded", "blind")}
    benchmark = "phantoms:items=4,leak=0.5"
    assert imported.replies == {(model, benchmark, arm): 4 for model in models for arm in SET_ARMS}
    assert {"image-needed", "option-order", "strong-artefacts:noise"} <= set(imported.tests)
    assert (imported.failed, imported.broken, imported.notes) == (0, (), ())


def asked(out):
    """What was asked and answered, by model, condition and item."""
    with Store.open(out) as store:
        found = {}
        for one in stored_answers(store):
            item = one.item
            words = (one.text, one.system, item.question, item.context, item.options, item.answer, item.category)
            sent = [image.encoded().sha256 for image in item.images]
            found[one.model, one.arm, item.id] = (words, sent, one.response.text, one.response.finish)
        return found


def test_inspect_sends_what_snellen_sends(both):
    """Words and the bytes of every image are the same, and at temperature 0 so is every response."""
    _, out = both
    inside, own = asked(out / "imported"), asked(out / "own")
    assert inside == own
    assert len(own) == 2 * 4 * len(SET_ARMS)


def test_scores_after_the_import_are_those_of_snellen_itself(both):
    """Every number of the tests that both have: value, interval, n, method, p."""
    _, out = both
    numbers = []
    for folder in ("imported", "own"):
        with Store.open(out / folder) as store:
            rows = [row for row in score(store).rows() if row["test"] in ("image-needed", "option-order")]
        shown = ("value", "low", "high", "n", "method", "p")
        places = ("model", "benchmark", "test", "arm", "measure", "parser")
        numbers.append({tuple(row[name] for name in places): [row[name] for name in shown] for row in rows})
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) > 20


def test_the_key_is_in_the_target_alone():
    """With another right answer, only the target of a sample differs."""
    (drawn,) = load("phantoms:items=1,leak=0", seed=0).items
    (sample,) = TASKS["phantoms"](items=1, leak=0).dataset
    assert sample.id == drawn.id
    assert sample.target == drawn.letter
    assert "answer" not in sample.metadata["snellen"]["item"]
    assert drawn.question in sample.input[-1].text


def test_the_log_says_what_was_not_asked(caplog):
    """Items that a condition has no meaning for are left out, counted and said."""
    task = TASKS["phantoms"](items=12, leak=0, condition="original,image-substituted")
    about = task.metadata["snellen"]
    left = about["not_asked"][0]
    assert sum(each["items"] for each in about["not_asked"]) == 24 - len(task.dataset)
    assert left["reason"] in caplog.text
    assert (about["items"], about["conditions"], about["seed"]) == (12, ["original", "image-substituted"], 0)


def test_a_published_benchmark_says_its_licence():
    """What the registry shows of a task."""
    assert TASKS["vqa_rad"].__doc__.startswith("VQA-RAD: questions that clinicians asked of radiology images.")
    assert "Licence: CC0-1.0; public." in TASKS["vqa_rad"].__doc__
    assert {"slake", "path_vqa", "mmmu_pro", "phantoms", "folder"} <= TASKS.keys()


@given(
    st.lists(st.sampled_from(sorted({*SET_ARMS, "image-blank:fill=noise,size=placeholder"})), min_size=1, unique=True)
)
def test_conditions_stand_in_a_list(labels):
    """A condition's own commas do not end it."""
    assert [each.label for each in conditions_in(",".join(labels))] == labels


# --- On the command line ---------------------------------------------------------------------------------------------


def test_the_command_line(inspect_logs):
    """`inspect eval snellen/phantoms` under two conditions: pairs, interval and what became of the responses."""
    (path,) = (inspect_logs / "command").glob("*.eval")
    with open_log(path) as log:
        scores = log.header["results"]["scores"]
        metrics = {name: each["value"] for score in scores for name, each in score["metrics"].items()}
    estimate = paired_estimate([1] * 4, [0] * 4)
    name = "image-removed − original"
    assert metrics[name] == estimate.value == -1
    assert metrics[f"{name} high (95% CI, bonett-price)"] == pytest.approx(estimate.high)
    assert (metrics[f"{name} pairs"], metrics[f"{name} p"]) == (4, estimate.p)
    assert (metrics["original correct"], metrics["image-removed abstained"]) == (8, 8)
    answers = list(read_inspect_log(path))
    assert {(one.arm, one.replicate) for one in answers} == {
        (a, n) for a in ("original", "image-removed") for n in (1, 2)
    }
    assert {one.item.id for one in answers} == {item.id for item in load("phantoms:items=4,leak=0.5", seed=0)}


# --- Solvers and scorers for the tasks of others ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def changed(inspect_logs):
    """The answers to somebody else's task, by condition and item."""
    found = {}
    for path in (inspect_logs / "theirs").glob("*.eval"):
        for one in read_inspect_log(path):
            found.setdefault(one.arm, {})[one.item.id] = one
    return found


def drawn():
    """The questions of that task; the last is asked without its image."""
    return load("phantoms:items=4,leak=0,seed=2").items


def test_images_are_changed_as_snellen_changes_them(changed):
    """Removed, blanked and degraded as by a study of the same seed, from a data URI and from a file."""
    items = drawn()
    for arm in ("image-removed", "image-blank:fill=black", "degraded:blur,strong"):
        for item in items[:3]:
            variant = vary(item, condition_named(arm), seed=0, pool=Pool(items)).item
            sent = [image.encoded().sha256 for image in changed[arm][item.id].item.images]
            assert sent == [image.encoded().sha256 for image in variant.images], (arm, item.id)
    blank = changed["image-blank:fill=black"][items[0].id].item.images[0]
    assert not decode(blank.read(), name="blank").any()


def test_shuffled_images_are_those_of_others(changed):
    """Each sample is shown the image of another one, never its own, each once."""
    own = {item.id: item.images[0].encoded().sha256 for item in drawn()[:3]}
    shown = {name: changed["image-shuffled"][name].item.images[0].encoded().sha256 for name in own}
    assert set(shown.values()) == set(own.values())
    assert not {name for name in own if shown[name] == own[name]}


def test_a_sample_without_an_image_is_not_asked(changed):
    """It fails by name, and is no response."""
    failed = [one for answers in changed.values() for one in answers.values() if one.response is None]
    assert len(failed) == 4
    assert {one.item.id for one in failed} == {drawn()[3].id}
    assert all("cannot be asked under this condition: it has no image." in one.error for one in failed)


def test_logs_of_others_import_with_their_conditions(inspect_logs, tmp_path):
    """A condition of the solvers is known on import; the samples without images failed."""
    imported = bring([inspect_logs / "theirs"], tmp_path / "out", format="inspect")
    arms = {arm for _, _, arm in imported.replies}
    assert arms == {"image-removed", "image-blank:fill=black", "degraded:blur,strong", "image-shuffled"}
    assert set(imported.replies.values()) == {3}


def test_what_became_of_a_response_is_kept_apart(inspect_logs):
    """One that was cut off is neither right nor wrong, under the condition that the solver put it."""
    (path,) = (inspect_logs / "cut").glob("*.eval")
    with open_log(path) as log:
        metrics = {
            name: each["value"] for part in log.header["results"]["scores"] for name, each in part["metrics"].items()
        }
        samples = [entry.fields for entry in log.entries]
    assert metrics["image-removed truncated"] == metrics["accuracy image-removed items"] == 3
    assert "accuracy original" not in metrics
    for sample in samples:
        given = sample["scores"]["choice"]
        assert (given["value"], given.get("answer"), given["metadata"]["outcome"]) == ("N", None, "truncated")
        assert given["metadata"]["parser"] == "lenient"


# --- The metric ------------------------------------------------------------------------------------------------------


@given(st.data())
def test_the_paired_difference_is_ours(data):
    """Over the items that have both conditions, by patient, whatever order the scores come in."""
    count = data.draw(st.integers(1, 12))
    values = data.draw(st.lists(st.sampled_from("CIN"), min_size=2 * count, max_size=2 * count))
    patients = data.draw(st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=count, max_size=count))
    absent = data.draw(st.sets(st.integers(0, count - 1), max_size=count - 1))
    scores = [
        SampleScore(
            score=Score(value=values[2 * at + place]),
            sample_id=f"{at} [{arm}]",
            sample_metadata={"arm": arm, "cluster": patients[at], "snellen": {"item": {"id": str(at)}}},
        )
        for at in range(count)
        for place, arm in enumerate(("original", "image-removed"))
        if not (arm == "image-removed" and at in absent)
    ]
    found = paired_difference()(data.draw(st.permutations(scores)))
    both = [at for at in range(count) if at not in absent]
    worth = np.array([float(value == "C") for value in values]).reshape(-1, 2)[both]
    expected = paired_estimate(worth[:, 0], worth[:, 1], [patients[at] or str(at) for at in both])
    name = "image-removed − original"
    assert found[f"{name} pairs"] == expected.n == len(both)
    assert found[name] == pytest.approx(expected.value)
    assert found.get(f"{name} low (95% CI, {expected.method})", -np.inf) == pytest.approx(expected.low)
    assert paired_difference()([each for each in scores if each.sample_metadata["arm"] == "original"]) == {}


def test_a_log_says_under_what_it_was_asked():
    """Condition and seed stand in the log itself: a sample may fail before any solver can write them."""
    made = under("snellen/phantoms", condition="image-removed", seed=3, items=2)
    assert made.metadata["arm"] == "image-removed"
    assert (made.metadata["snellen"]["benchmark"], made.metadata["snellen"]["seed"]) == ("snellen/phantoms", 3)


# --- What is refused -------------------------------------------------------------------------------------------------


def refused(make):
    """What Inspect's command line prints."""
    with pytest.raises(PrerequisiteError) as caught:
        make()
    return re.sub(r"\\\[", "[", str(caught.value.message))


def test_refusals():
    """One sentence each, before anything is asked."""
    phantoms = TASKS["phantoms"]
    assert "There is no condition 'image-remved'." in refused(lambda: phantoms(items=2, condition="image-remved"))
    assert "has no setting 'itms'" in refused(lambda: phantoms(itms=2))
    assert "does not say where its files are" in refused(TASKS["vqa_rad"])
    assert "that Inspect can score (choice or open)" in refused(lambda: phantoms(items=2, kind="report"))
    assert "can be asked under 'no-image'" in refused(lambda: phantoms(items=2, condition="no-image"))
    assert "Name the solver that answers" in refused(removed)
    assert "There is no solver 'nobody'" in refused(lambda: removed("nobody"))
    assert "needs all samples of the task" in refused(lambda: shuffled(then=None))
    assert "cannot be applied to the samples of another task" in refused(
        lambda: asked_under("options-shuffled", then=None)
    )
    assert "There is no artefact 'fog'" in refused(lambda: asked_under("degraded:fog", then=None))
    assert "Expected a parser of the kind 'choice'" in refused(lambda: choice("match"))
    assert "Inspect cannot make the task 'nothing'" in refused(lambda: under("nothing"))
