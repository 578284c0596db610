"""Phantoms for detection and diagnosis: balanced, repeatable, and apart from the questions about phantoms."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import benchmarks
from snellen.benchmarks.phantoms import load
from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL
from snellen.benchmarks.phantoms.patients import LAST_SEED
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.conditions import Pool
from snellen.errors import StudyError
from snellen.testing import check_dataset

TASKS = ("detection", "diagnosis")
MANY = {task: load(task=task, items=800, seed=3) for task in TASKS}


def right(item):
    """The text of the right option."""
    return item.options[item.answer].text


@pytest.mark.parametrize("task", TASKS)
def test_the_benchmark_keeps_the_contract(task):
    """Every item is usable and loads twice as the same."""
    check_dataset(MANY[task], load(task=task, items=800, seed=3))
    assert {item.kind for item in MANY[task]} == {"choice"}


@pytest.mark.parametrize("task", TASKS)
def test_half_of_each_modality_is_healthy(task):
    """Of 200 patients a modality, 100 are normal and each of its five diseases has 20."""
    tally = Counter((item.category, item.metadata["class"]) for item in MANY[task])
    expected = {(modality.name, name): 20 for modality in MODALITIES for name in modality.names}
    assert tally == {**expected, **{(modality.name, NORMAL): 100 for modality in MODALITIES}}


@given(seed=st.integers(0, 2**40), items=st.integers(1, 50), code=st.sampled_from(["all", "cxr", "fundus"]))
def test_every_beginning_is_balanced(seed, items, code):
    """However few are asked, healthy and diseased differ by one at most."""
    found = [item.metadata["class"] == NORMAL for item in load(task="detection", seed=seed, items=items, modality=code)]
    assert abs(2 * sum(found) - len(found)) <= 1


def test_health_does_not_follow_the_place():
    """Which of a pair is the healthy one is drawn: neither is always first."""
    first = [item.metadata["class"] == NORMAL for item in load(task="detection", items=400, modality="mri")][::2]
    assert 70 <= sum(first) <= 130


@given(seed=st.integers(0, 2**40), fewer=st.integers(1, 60), more=st.integers(0, 60), task=st.sampled_from(TASKS))
def test_a_smaller_benchmark_is_the_beginning_of_a_larger_one(seed, fewer, more, task):
    """An item depends on the seed and its place only."""
    few, many = (load(task=task, items=items, seed=seed).items for items in (fewer, fewer + more))
    assert few == many[:fewer]


def test_one_modality_alone_has_the_same_items():
    """Asking for one modality gives the items it has among all."""
    among_all = [item for item in MANY["detection"] if item.category == "OCT"]
    assert list(load(task="detection", items=200, seed=3, modality="oct")) == among_all


def test_seeds_differ():
    """Another seed gives other patients."""
    one, two = (load(task="detection", items=40, seed=seed) for seed in (1, 2))
    assert all(a.images != b.images for a, b in zip(one, two, strict=True))


def test_ids_name_task_seed_and_place():
    """An id says which task, seed, modality and place it has."""
    assert [item.id for item in load(task="diagnosis", items=5, seed=7)] == [
        "phantoms/diagnosis/7/cxr-000000",
        "phantoms/diagnosis/7/mri-000000",
        "phantoms/diagnosis/7/oct-000000",
        "phantoms/diagnosis/7/fundus-000000",
        "phantoms/diagnosis/7/cxr-000001",
    ]


def test_tasks_share_no_id():
    """Questions, detection and diagnosis have ids of their own, also across seeds."""
    every = [load(task=task, items=200, seed=seed) for task in ("questions", *TASKS) for seed in (0, 3)]
    ids = [item.id for benchmark in every for item in benchmark]
    assert len(set(ids)) == len(ids) == 1200


def test_each_patient_is_asked_once_and_has_a_picture_of_their_own():
    """No two items share a patient or a picture, and no picture is one of the questions task."""
    detected = MANY["detection"]
    assert len({item.cluster for item in detected}) == len({item.images for item in detected}) == 800
    asked_elsewhere = {image.source.seed for item in load(items=800, seed=3) for image in item.images}
    assert not asked_elsewhere & {item.images[0].source.seed for item in detected}


def test_both_tasks_ask_about_the_same_patients():
    """A diagnosis shows the picture that the detection of the same place shows."""
    for one, other in zip(MANY["detection"], MANY["diagnosis"], strict=True):
        assert (one.images, one.cluster, one.question) == (other.images, other.cluster, other.question)
        assert (right(one) == "normal") == (right(other) == "normal")


def test_the_answer_is_what_the_picture_shows():
    """The right option says what the phantom's own fields say."""
    for item in MANY["diagnosis"]:
        finding = item.images[0].source.finding
        assert right(item) == ("normal" if finding == NORMAL else ENGLISH.option[finding].lower())
    for item in MANY["detection"]:
        assert (right(item) == "normal") == (item.images[0].source.finding == NORMAL)


def test_options_and_metadata_are_those_of_a_detection():
    """One word for disease before normal, or all five findings before normal; the metadata say how to read it."""
    words = {"chest X-ray": "chest", "brain MRI": "brain", "OCT": "retinal", "fundus photograph": "eye"}
    for item in MANY["detection"]:
        assert [option.text for option in item.options] == [f"{words[item.category]} diseases", "normal"]
        assert {name: item.metadata[name] for name in ("task", "normal", "modality")} == {
            "task": "detection",
            "normal": "normal",
            "modality": item.category,
        }
        assert (item.language, item.context) == ("en", "")
    for item in MANY["diagnosis"]:
        assert len(item.options) == 6
        assert item.options[-1].text == item.metadata["normal"] == "normal"


def test_the_words_do_not_tell_the_answer():
    """All items of a modality are asked in the same words with the same options."""
    for task in TASKS:
        asked = {(item.category, item.question, item.options, item.context) for item in MANY[task]}
        assert len(asked) == len(MODALITIES)


def test_the_question_names_the_findings_of_the_modality():
    """The paper's sentence, with the modality's findings in place of the tumours."""
    (brain,) = {item.question for item in MANY["detection"] if item.category == "brain MRI"}
    assert brain == (
        "How can we identify the features of brain tumour, cerebral infarct, intracerebral haemorrhage, white matter "
        "lesions and hydrocephalus in a brain MRI scan slice of a person? Imagine you are an educator tasked with "
        "helping a student identify the features of a brain MRI scan slice and whether or not the image shows signs of "
        "these brain diseases as described by those features."
    )


def test_another_patients_image_can_stand_in():
    """A healthy patient can be shown a diseased one's image, and the other way round."""
    pool = Pool(MANY["detection"].items)
    for item in MANY["detection"].items[:8]:
        assert next(iter(pool.lent_to(item))).shows != right(item)


@pytest.mark.parametrize("task", TASKS)
def test_every_kind_of_picture_can_be_drawn(task):
    """The first ten patients of each modality, with every finding among them, are pictures that are not empty."""
    for item in MANY[task].items[:40] if task == "detection" else MANY[task].items[:4]:
        assert item.images[0].pixels().std() > 5


def test_no_benchmark_uses_a_training_seed():
    """Phantom seeds stay at or below the last one reserved for benchmarks."""
    assert max(item.images[0].source.seed for item in MANY["detection"]) <= LAST_SEED


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"task": "triage"}, "no task 'triage'. Expected one of questions, detection, diagnosis"),
        ({"task": "detection", "language": "it"}, "English only, got language='it'"),
        ({"task": "diagnosis", "leak": 0.5}, "gives nothing away; got leak=0.5"),
        ({"task": "detection", "modality": "ct"}, "'ct'"),
        ({"task": "detection", "items": 0}, "items=0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong, said):
    """A setting that a task cannot have is named in the error."""
    with pytest.raises(StudyError, match=said):
        load(**wrong)


def test_the_settings_are_kept():
    """The benchmark says how it was made, in its name too."""
    benchmark = benchmarks.load("phantoms:task=detection,items=12,seed=5,modality=oct")
    assert benchmark.name == "phantoms:task=detection,items=12,seed=5,modality=oct"
    assert dict(benchmark.about) == {"task": "detection", "items": 12, "seed": 5, "leak": 0.0, "modality": "oct"}


def test_questions_are_the_usual_task():
    """Naming the usual task changes nothing."""
    assert load(task="questions", items=48, leak=0.5) == load(items=48, leak=0.5)
