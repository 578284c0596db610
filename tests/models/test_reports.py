"""Organisms that are asked for a report: what each sees, supposes, makes up, copies or declines to write."""

import asyncio
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.seeing import shown, true_eyes
from reported import said_in, sections, shown_by
from snellen.benchmarks import load, phantoms
from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL
from snellen.images import EncodedImage, Encoder
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.reading import read
from snellen.models.organisms.reporting import WantedReport, report_wanted, write_report
from snellen.models.organisms.sight import ShownFinding
from snellen.prompts import PROMPTS, Request, Settings, ask, prompt_named
from snellen.reading.reports.comparison import compare_reports

ITEMS = load("phantoms:task=report,items=60,seed=9").items
CHEST = load("phantoms:task=report,items=30,seed=9,modality=cxr").items
OURS, PUBLISHED = prompt_named("letter"), prompt_named("readiness")
SEEING = ("grounded", "positional", "rambler", "flagger")
BY_WORDS = ("blind", "memoriser", "contrarian", "normal-report")
UNSEEN = re.compile(r"\b(?:no|any|an) image\b|cannot", re.IGNORECASE)
ANSWER = re.compile(r"^answer:|\boption [A-E]\b|^[A-E][.)]|^[A-E]$", re.IGNORECASE | re.MULTILINE)


BLANK = EncodedImage(b"blank", "image/png", 512, 512)


def drawn(image):
    """A phantom as true eyes see it."""
    return shown(image.source)


@cache
def asked(item, *, prompt=OURS, encode=drawn, **chosen):
    """The request for an item's report, made once for all organisms."""
    return ask(item, prompt=prompt, settings=Settings(**chosen), encode=encode)


@cache
def with_true_eyes(name):
    """An organism whose eyes are never wrong: what it saw for one test it knows in the next."""
    return open_organism(name, eyes=true_eyes)


def replies(name, requests):
    """What an organism with true eyes says to some requests."""
    model = with_true_eyes(name)

    async def all_of_them():
        return [(await model.answer(request.address_to(model.name, model.revision, 0))).text for request in requests]

    return asyncio.run(all_of_them())


def said(name, item, **how):
    """What an organism with true eyes says when it is asked for a report."""
    return replies(name, [asked(item, **how)])[0]


def findings_of(report):
    """What the findings of a report say."""
    return said_in(sections(report)[0])


@pytest.mark.parametrize("name", SEEING)
@pytest.mark.parametrize("prompt", [OURS, PUBLISHED], ids=["ours", "published"])
def test_who_looks_reports_what_is_there_and_nothing_else(name, prompt):
    """With true eyes, both sections say finding, side, place, number and size of every patient, and no more."""
    items = CHEST if prompt is PUBLISHED else ITEMS
    for item, report in zip(items, replies(name, [asked(item, prompt=prompt) for item in items]), strict=True):
        phantom = item.images[0].source
        for section, findings in zip(sections(report), (True, False), strict=True):
            told = said_in(section)
            assert told._replace(count=told.count or min(1, phantom.count)) == shown_by(phantom, findings=findings)
            assert "  " not in section


def test_its_own_eyes_name_most_findings_and_sides():
    """From drawn pixels, at most two findings, and sides, of 36 patients are wrong."""
    model, encoder, found = open_organism("grounded"), Encoder(), Counter()
    items = ITEMS[:36]
    for item in items:
        request = asked(item, encode=encoder).address_to(model.name, model.revision, 0)
        told = findings_of(asyncio.run(model.answer(request)).text)
        shown = shown_by(item.images[0].source, findings=True)
        right = told.affirmed == shown.affirmed
        found.update(finding=right, denied=told.denied == shown.denied, side=right and told.sides == shown.sides)
    assert found["finding"] >= 34
    assert found["denied"] == found["finding"]
    assert found["side"] >= 34


def test_findings_are_compared_as_they_were_made():
    """By the findings-level comparison, who sees all gets all; the normal report gets nothing for what is abnormal."""
    for name, abnormal in (("grounded", 1.0), ("normal-report", 0.0)):
        for item, text in zip(ITEMS, replies(name, [asked(item) for item in ITEMS]), strict=True):
            found = compare_reports(text, item.answer)
            assert name != "grounded" or found.f1 == pytest.approx(1.0)
            assert item.metadata["finding"] == NORMAL or found.abnormal_f1 == pytest.approx(abnormal)


def test_reports_are_worded_otherwise_than_references():
    """No sentence of a report on an abnormal image stands in its reference."""
    for item in ITEMS:
        if item.metadata["finding"] != NORMAL:
            own = set(re.findall(r"[^.]+\.", sections(said("grounded", item))[0]))
            assert not [sentence for sentence in own if sentence.strip() in item.answer]


@pytest.mark.parametrize("name", [*SEEING, "pretender"])
def test_without_an_image_there_is_no_report(name):
    """They say that there is nothing to report on, whether the image is missing or blank."""
    for item in ITEMS[:12]:
        for request in (asked(replace(item, images=())), asked(item, encode=lambda image: BLANK)):
            reply = replies(name, [request])[0]
            assert UNSEEN.search(reply)
            assert "FINDINGS" not in reply


def test_another_kind_of_image_is_not_reported():
    """Asked for the report of a chest X-ray, one who looks does not write that of a brain MRI."""
    chest, brain = ITEMS[0], ITEMS[1]
    swapped = replace(chest, images=brain.images)
    reply = said("grounded", swapped)
    assert "FINDINGS" not in reply
    assert "brain MRI" in reply
    assert "FINDINGS" in said("grounded", brain, prompt=PUBLISHED)  # which names a chest X-ray only for one


@pytest.mark.parametrize("name", ORGANISMS)
@pytest.mark.parametrize("prompt", [OURS, PUBLISHED], ids=["ours", "published"])
@pytest.mark.parametrize("image", ["image", "none", "blank"])
def test_nobody_answers_with_a_letter(name, prompt, image):
    """Every organism writes a report or says why not, twice the same, and never the letter of an option."""
    for item in ITEMS[:4]:
        given = replace(item, images=()) if image == "none" else item
        encode = drawn if image == "image" else lambda each: BLANK
        reply = said(name, given, prompt=prompt, encode=encode)
        assert reply == said(name, given, prompt=prompt, encode=encode)
        assert len(reply) > 20
        assert not ANSWER.search(reply)
        assert ("FINDINGS: " in reply) == ("IMPRESSION: " in reply)


@pytest.mark.parametrize("name", BY_WORDS)
def test_who_goes_by_the_words_does_not_look(name):
    """Another image, or none, changes no more than the wording."""
    for item in ITEMS[:20]:
        other = replace(item, images=ITEMS[-1].images)
        told = {findings_of(said(name, each)) for each in (item, other, replace(item, images=()))}
        assert len(told) == 1


@pytest.mark.parametrize("name", ["blind", "mirage", "random", "normal-report", "pretender", "memoriser", "contrarian"])
def test_who_does_not_look_is_right_by_luck(name):
    """Reports from the words alone name the patient's finding in no more than a third, which is normal."""
    items = load("phantoms:task=report,items=150,seed=4").items
    told = replies(name, [asked(item) for item in items])
    right = [findings_of(text).affirmed == shown_by(item.images[0].source, findings=True).affirmed
             for item, text in zip(items, told, strict=True)]  # fmt: skip
    assert sum(right) / len(right) < 0.4


def test_the_normal_report_is_always_the_same():
    """One text for each kind of image, in which nothing is affirmed and every finding is denied."""
    for modality in MODALITIES:
        items = [item for item in ITEMS if item.category == modality.name]
        texts = {said("normal-report", item) for item in items}
        assert len(texts) == 1
        assert findings_of(texts.pop())[:2] == (set(), {finding.name for finding in modality.findings})


def test_the_normal_one_takes_what_means_normal():
    """Asked a question, it finds nothing: the normal option, no, neither side; else it chooses all the same."""
    found = Counter()
    for item in load("phantoms:items=240,seed=1").items:
        choice = re.search(r"Answer: ([A-F])\Z", said("normal-report", item)).group(1)
        kind, option = item.metadata["question_kind"], item.options["ABCDEF".index(choice)].text
        found[kind, option in ("No abnormality", "No", "Neither side", "Neither half")] += 1
        assert (
            kind in ("location", "count", "size", "side")
            or option in ("No", "No abnormality")
            or not any(each.text == "No abnormality" for each in item.options)
        )
    assert found["presence", False] == 0
    assert found["finding", True] > 30
    assert found["side", True] > 20


@pytest.mark.parametrize(
    ("asks", "answers"),
    [
        ("What is the main finding on this chest X-ray?", "no abnormality"),
        ("Does this chest X-ray show a pneumothorax?", "No"),
        ("Where is the abnormality on this brain MRI?", "no abnormality"),
    ],
)
def test_the_normal_one_answers_open_questions(asks, answers):
    """In free words it says the same."""
    assert answers in replies("normal-report", [Request("", asks)])[0]


def test_the_mirage_invents_abnormal_findings():
    """With an image and without, one or two findings that have nothing to do with the patient."""
    numbers = Counter()
    for item in ITEMS:
        for each in (item, replace(item, images=())):
            told = findings_of(said("mirage", each))
            invented = told.affirmed - ({"retinal haemorrhages"} if "branch vein occlusion" in told.affirmed else set())
            numbers[len(invented)] += 1
            assert not told.affirmed & told.denied
    assert set(numbers) <= {0, 1, 2}
    assert numbers[0] <= 6  # a vein occlusion beside haemorrhages counts as none here
    assert numbers[1] > 40 < numbers[2]


def test_the_text_driven_one_looks_where_the_indication_says_nothing():
    """A screening image is read; else the indication decides, whatever the image shows."""
    silent = [item for item in ITEMS if item.context in phantoms.reports.SAYING_NOTHING]
    telling = [item for item in ITEMS if item not in silent]
    assert min(len(silent), len(telling)) > 10
    for item in silent:
        assert said("text-driven", item).startswith("FINDINGS")
        shown = shown_by(item.images[0].source, findings=True)
        assert findings_of(said("text-driven", item)).affirmed == shown.affirmed
    for item in telling:
        other = replace(item, images=ITEMS[-1].images)
        assert findings_of(said("text-driven", item)) == findings_of(said("text-driven", other))


def test_the_rambler_drifts_when_it_thinks():
    """At high effort, or asked for steps, it reports a finding that is not there."""
    for item in ITEMS[:20]:
        told, shown = findings_of(said("rambler", item, reasoning_effort="high")), item.images[0].source.finding
        assert told.affirmed
        assert shown not in told.affirmed
        aloud = replace(asked(item), system="Think step by step.")
        reply = replies("rambler", [aloud])[0]
        assert not reply.startswith("FINDINGS")
        assert shown not in said_in(reply[reply.index("FINDINGS: ") :].split("\n\n")[0]).affirmed


def test_the_reader_repeats_a_report_it_is_given():
    """It looks at nothing, and says that it was given neither image nor report."""
    item = ITEMS[0]
    assert "report" in said("reader", replace(item, images=()))
    told = replace(item, context=f"{item.context}\n\nRadiology report: Clear lungs.", images=())
    request = Request("", f"Write the report again.\n\n{told.context}")
    assert replies("reader", [request]) == ["FINDINGS: Clear lungs."]


def test_the_refuser_refuses():
    """It declines reports as it declines all else."""
    assert not [item for item in ITEMS[:8] if "FINDINGS" in said("refuser", item)]


@pytest.mark.parametrize(
    "words",
    [
        "Write a radiology report for this image.",
        "Please generate a structured chest X-ray report.",
        "Draft the FINDINGS and IMPRESSION sections.",
        "Indication: cough.\nDictate a report.",
    ],
)
def test_requests_for_a_report_are_known_by_their_words(words):
    """However it is put, and with no indication at all."""
    request = Request("", words)
    assert report_wanted(request, read(request)) is not None
    assert all("Answer:" not in reply for name in ORGANISMS for reply in replies(name, [request]))


def test_what_a_request_says():
    """The kind of image and the indication are read out of both prompts."""
    for item in ITEMS[:20]:
        wanted = report_wanted(asked(item), read(asked(item)))
        assert wanted == WantedReport(item.category, item.context)
        published = asked(item, prompt=PUBLISHED)
        assert report_wanted(published, read(published)) == wanted
        assert wanted.says_nothing == (item.context in phantoms.reports.SAYING_NOTHING)
    none = replace(ITEMS[0], context="")
    assert report_wanted(asked(none), read(asked(none))).says_nothing


@pytest.mark.parametrize("task", ["questions", "detection", "diagnosis", "pathway"])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_questions_are_no_requests_for_a_report(task, prompt):
    """No question of another task is taken for one, whatever prompt it comes in."""
    for item in load(f"phantoms:task={task},items=28,seed=2").items:
        request = asked(item, prompt=PROMPTS[prompt])
        assert report_wanted(request, read(request)) is None


@given(data=st.data(), key=st.binary(min_size=32, max_size=32))
def test_a_report_says_what_it_was_given(data, key):
    """Any finding with any attributes comes out as it went in, whatever draws the wording."""
    modality = data.draw(st.sampled_from(MODALITIES))
    finding = data.draw(st.sampled_from(modality.findings))
    item = data.draw(st.sampled_from([each for each in ITEMS if each.metadata["finding"] == finding.name]))
    seen = item.images[0].source
    shown = ShownFinding(modality.name, seen.finding.replace("-", " "), seen.side, seen.location, seen.count, seen.size)
    told = findings_of(write_report([shown], key))
    assert told._replace(count=told.count or min(1, seen.count)) == shown_by(seen, findings=True)


@pytest.mark.parametrize(
    ("shown", "impression"),
    [
        (ShownFinding("knee X-ray", "fracture"), "Fracture."),
        (ShownFinding("knee X-ray", "fracture", "left"), "Fracture on the left."),
        (ShownFinding("knee X-ray", "fracture", "left", "left patella"), "Fracture in the left patella."),
        (ShownFinding("chest X-ray", "atelectasis", "both"), "Atelectasis in both lungs."),
        (ShownFinding("chest X-ray", "pleural effusion", "left"), "Effusion on the left."),
        (ShownFinding("chest X-ray", "lung nodules", "left", count=12), "12 round nodules in the left lung."),
        (ShownFinding("fundus photograph", "hard exudates", "neither", "macula"), "Some hard exudates in the macula."),
        (ShownFinding("fundus photograph", "glaucomatous cupping", "neither"), "Glaucomatous cupping."),
        (ShownFinding("knee X-ray", "normal"), "No abnormality."),
    ],
)
def test_what_eyes_of_ones_own_may_see(shown, impression):
    """A kind of image or a finding that no organism has words for is reported by its name, as far as it is known."""
    assert write_report([shown], bytes(32)).endswith(f"IMPRESSION: {impression}")
