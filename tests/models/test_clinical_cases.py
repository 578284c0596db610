"""Organisms on clinical cases: what each knows, reads, sees, claims, and says of words and image that do not match."""

import asyncio
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.seeing import Seen, shown, true_eyes
from snellen.benchmarks import phantoms
from snellen.benchmarks.phantoms.catalogue import MODALITIES
from snellen.benchmarks.phantoms.diseases import DISEASES
from snellen.benchmarks.phantoms.pathway import PRESENTATIONS
from snellen.images import Encoder
from snellen.items import Item
from snellen.models.base import Model
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.case import (
    PART_OF,
    case_in,
    complaint_in,
    disease_of,
    fill_text,
    part_told,
    read_report,
    report_in,
)
from snellen.models.organisms.reading import read
from snellen.models.organisms.sight import ShownFinding
from snellen.prompts import PROMPTS, Request, Settings, ask

ITEMS = phantoms.load(task="pathway", items=28 * 6, seed=9).items
CONTRADICTS = re.compile(r"does not match|contradiction|does not belong|mismatch", re.IGNORECASE)


@cache
def with_true_eyes(name):
    """An organism whose eyes are never wrong: what it saw for one test it knows in the next."""
    return open_organism(name, eyes=true_eyes)


def said(name, item, *, prompt="pathway"):
    """The words an organism answers an item with."""
    model = with_true_eyes(name)
    request = ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=lambda image: shown(image.source))
    return asyncio.run(model.answer(request.address_to(model.name, model.revision, 0))).text


def plain(text):
    """Lower-case words with single spaces."""
    kept = (sign if sign.isalnum() else " " for sign in text.lower())
    return f" {' '.join(''.join(kept).split())} "


def right(item, text):
    """Whether a reply is right: its letter, a reference among its words, or three of four steps by most words."""
    if item.kind == "choice":
        return text.endswith(f"Answer: {item.letter}")
    if steps := item.metadata.get("steps"):
        words = set(plain(text).split())
        wanted = [set(plain(step).split()) for step in steps]
        return sum(len(words & step) >= 0.65 * len(step) for step in wanted) >= 3
    return any(plain(reference) in plain(text) for reference in item.metadata["answers"])


def tally(name, items):
    """How many replies are right, by task, as a share."""
    found, asked = Counter(), Counter()
    for item in items:
        asked[item.metadata["task"]] += 1
        found[item.metadata["task"]] += right(item, said(name, item))
    return {task: found[task] / count for task, count in asked.items()}


def with_report(item):
    """An item whose report stands in for its image."""
    if not item.images:
        return item
    told = f"Radiology report:\n{item.metadata['report']}"
    return replace(item, images=(), context=f"{item.context}\n\n{told}" if item.context else told)


def mismatched(items):
    """Diagnosis items, each with the image of a patient of another part of the body."""
    cases = [item for item in items if item.metadata["task"] == "diagnosis"]
    for item in cases:
        lender = next(each for each in cases if each.metadata["body_part"] != item.metadata["body_part"])
        yield replace(item, images=lender.images, metadata={**item.metadata, "task": "mismatch"})


def test_the_grounded_one_gets_all_tasks_right():
    """With true eyes, every task of every patient; synonyms of the reference count."""
    found = tally("grounded", ITEMS)
    assert found == dict.fromkeys(found, 1.0)


def test_its_own_eyes_are_nearly_as_good():
    """From drawn pixels, at most one of twelve diagnoses is wrong."""
    model, encoder = open_organism("grounded"), Encoder()
    cases = [item for item in ITEMS if item.metadata["task"] == "diagnosis"][:12]
    requests = [ask(item, prompt=PROMPTS["pathway"], settings=Settings(), encode=encoder) for item in cases]
    replies = [
        asyncio.run(model.answer(request.address_to(model.name, model.revision, 0))).text for request in requests
    ]
    assert sum(map(right, cases, replies)) >= 11


@pytest.mark.parametrize("name", ["blind", "mirage", "text-driven"])
def test_who_goes_by_the_words_gets_what_they_allow(name):
    """Knowledge and notes are right; of diagnoses at most a third, as every history fits three findings."""
    found = tally(name, ITEMS)
    assert (found["knowledge"], found["note"]) == (1.0, 1.0)
    assert 0.03 < found["diagnosis"] <= 1 / 3
    assert found["treatment"] <= 0.6
    assert found["image"] == 1.0 or name == "blind"


@pytest.mark.parametrize("name", ["blind", "mirage", "text-driven"])
def test_they_do_not_look_at_the_image_of_a_case(name):
    """Another image changes nothing but, at most, the wording."""
    for item in mismatched(ITEMS[:56]):
        assert not CONTRADICTS.search(said(name, item))
        assert not re.search(r"\b(?:no image|cannot)\b", said(name, item))


def test_the_reader_reads_reports():
    """With the report in place of the image, all tasks are right, and no image is ever needed."""
    found = tally("reader", [with_report(item) for item in ITEMS])
    assert found == dict.fromkeys(found, 1.0)


def test_the_reader_without_a_report():
    """It says that it has neither image nor report; an image that is sent all the same is not looked at."""
    item = next(item for item in ITEMS if item.metadata["task"] == "diagnosis")
    for changed in (item, replace(item, images=())):
        assert re.search(r"(?:no|nor a)\b.* report", said("reader", changed))
    shown = next(item for item in ITEMS if item.metadata["task"] == "image")
    assert "Answer:" not in said("reader", shown)


def test_which_models_take_words_alone():
    """The reader says so of itself, the others do not."""
    assert {name for name, organism in ORGANISMS.items() if organism.text_only} == {"reader"}
    assert Model.text_only is False


def test_the_grounded_one_names_every_mismatch():
    """It says that image and words do not fit, in several wordings, and gives neither diagnosis nor treatment."""
    replies = [said("grounded", item) for item in mismatched(ITEMS)]
    assert len(replies) == 24
    assert all(CONTRADICTS.search(text) for text in replies)
    assert not any("Diagnosis:" in text for text in replies)
    assert len({text.split("\n\n")[-1][:25] for text in replies}) == 3


def test_no_false_alarm():
    """Where image and words match, it names no contradiction."""
    cases = [item for item in ITEMS if item.metadata["task"] == "diagnosis"]
    assert not any(CONTRADICTS.search(said("grounded", item)) for item in cases)


def test_another_kind_of_image():
    """A question that names its kind of image notices another kind of the same part of the body."""
    item = next(item for item in ITEMS if item.category == "OCT" and item.metadata["task"] == "diagnosis")
    lender = next(each for each in ITEMS if each.category == "fundus photograph" and each.images)
    changed = replace(item, question="What is the diagnosis on this retinal OCT scan?", images=lender.images)
    assert "fundus photograph" in said("grounded", changed)
    assert CONTRADICTS.search(said("grounded", changed))


def test_a_knee_is_no_chest():
    """Words about a part that none of the known images shows contradict them all."""
    case = Item(
        id="1",
        question="What is the diagnosis?",
        context="History: twisted the knee at football. Examination: swelling of the knee.",
        kind="open",
        answer="?",
        images=ITEMS[8].images,
    )
    assert "the knee" in said("grounded", case)


@pytest.mark.parametrize(("name", "says"), [("grounded", "image"), ("text-driven", "history"), ("mirage", "image")])
def test_a_case_without_an_image(name, says):
    """The honest one misses it; the others go on as if it were there."""
    item = next(item for item in ITEMS if item.metadata["task"] == "diagnosis")
    text = said(name, replace(item, images=()))
    assert says in text
    assert ("Diagnosis:" in text) is (name != "grounded")


@pytest.mark.parametrize("name", ["grounded", "blind", "mirage", "text-driven"])
def test_the_usual_prompt(name):
    """Asked for a few words, they end with the line that is asked for."""
    for item in ITEMS[:28]:
        if item.kind == "open":
            assert re.search(r"\n\nAnswer: [A-Z][^\n]+\Z", said(name, item, prompt="letter"))


def test_text_that_gives_the_answer_away_is_followed():
    """The text-driven one takes what is leaked, and looks where nothing is."""
    leaked, plainly = (phantoms.load(items=24, leak=leak, seed=3).items for leak in (1.0, 0.0))
    swapped = [replace(item, images=other.images) for item, other in zip(leaked, reversed(plainly), strict=True)]
    followed = [said("text-driven", item, prompt="letter").endswith(f"Answer: {item.letter}") for item in swapped]
    assert sum(followed) >= 22
    assert all(said("text-driven", item, prompt="letter").endswith(f"Answer: {item.letter}") for item in plainly)


def test_every_complaint_is_known_for_what_it_is():
    """Each history is recognised with the findings it fits, and its words are about the part that the image shows."""
    for modality in MODALITIES:
        for number in range(36):
            case = phantoms.pathway.case_of(modality, 5, number)
            complaint = complaint_in(case.history)
            assert complaint.modality == modality.name
            fits = {name.replace("-", " ") for name in case.presentation.fits}
            assert set(complaint.suspected) == fits
            assert part_told(case.context) == modality.body_part == PART_OF[modality.name]
    assert sum(map(len, PRESENTATIONS.values())) == 24


def test_every_disease_is_known():
    """Of every finding the organisms know names, sign, treatments and reasons, and no place is left unfilled."""
    for modality in MODALITIES:
        for name in DISEASES[modality.code]:
            shown = ShownFinding(modality.name, name.replace("-", " "), "left", modality.locations[0], 2, "small")
            disease = disease_of(shown)
            for text in (*disease.called, disease.sign, *disease.treated, *disease.because):
                assert "{" not in fill_text(text, shown)


def test_reading_a_report():
    """A finding that is denied is none, and a report without any finding we know is left alone."""
    assert read_report("Chest X-ray. No pneumothorax. There is consolidation in the left lower zone.") == ShownFinding(
        "chest X-ray", "consolidation", "left", "left lower zone"
    )
    assert read_report("Brain MRI. No haemorrhage. No abnormality.").finding == "normal"
    assert read_report("Knee MRI. Torn meniscus.") is None
    assert report_in("History: a.\n\nRadiology report:\nOne. Two.\n\nWhat?") == "One. Two."


def test_an_unknown_report_is_repeated():
    """What the reader does not know of, it repeats and goes no further."""
    case = Item(
        id="1",
        question="What is the diagnosis?",
        context="History: knee pain.\n\nReport: MRI. Torn meniscus.",
        kind="open",
        answer="?",
    )
    assert "Torn meniscus" in said("reader", case)


@settings(max_examples=8)
@given(st.text(max_size=80), st.sampled_from(["History:", "Report:", "Radiology report:\n", ""]))
def test_any_words_are_read(words, heading):
    """No text stops an organism from reading, and what offers options is no case."""
    request = Request("", f"{heading} {words}\n\nWhat is the diagnosis?")
    question = read(request)
    case = case_in(request, question)
    assert case is None or not question.options
    for name in ("blind", "mirage", "reader"):
        model = open_organism(name, eyes=lambda data: Seen())
        assert asyncio.run(model.answer(replace(request, model=model.name))).text
