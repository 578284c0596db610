"""Phantoms for detection and diagnosis: balanced, repeatable, and apart from the questions about phantoms."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import load
from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.conditions import Pool

TASKS = ("detection", "diagnosis")
MANY = {task: load(task=task, items=400, seed=3) for task in TASKS}


def right(item):
    """The text of the right option."""
    return item.options[item.answer].text


@pytest.mark.parametrize("task", TASKS)
def test_half_of_each_modality_is_healthy(task):
    """Of 100 patients a modality, 50 are normal and each of its five diseases has 10."""
    tally = Counter((item.category, item.metadata["class"]) for item in MANY[task])
    expected = {(modality.name, name): 10 for modality in MODALITIES for name in modality.names}
    assert tally == {**expected, **{(modality.name, NORMAL): 50 for modality in MODALITIES}}


@given(seed=st.integers(0, 2**40), items=st.integers(1, 50), code=st.sampled_from(["all", "cxr", "fundus"]))
def test_every_beginning_is_balanced(seed, items, code):
    """However few are asked, healthy and diseased differ by one at most."""
    found = [item.metadata["class"] == NORMAL for item in load(task="detection", seed=seed, items=items, modality=code)]
    assert abs(2 * sum(found) - len(found)) <= 1


def test_health_does_not_follow_the_place():
    """Which of a pair is the healthy one is drawn: neither is always first."""
    first = [item.metadata["class"] == NORMAL for item in load(task="detection", items=400, modality="mri")][::2]
    assert 70 <= sum(first) <= 130


def test_each_patient_is_asked_once_and_has_a_picture_of_their_own():
    """No two items share a patient or a picture."""
    detected = MANY["detection"]
    assert len({item.cluster for item in detected}) == len({item.images for item in detected}) == 400


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


def test_questions_are_the_usual_task():
    """Naming the usual task changes nothing."""
    assert load(task="questions", items=48, leak=0.5) == load(items=48, leak=0.5)
