"""Phantoms as patients of a clinic: exact references, words that never give the diagnosis away, and known luck."""

import string
from collections import Counter, defaultdict
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import Phantom, load, pathway
from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL
from snellen.benchmarks.phantoms.diseases import DISEASES
from snellen.benchmarks.phantoms.pathway import KNOWLEDGE, NOTES, PRESENTATIONS
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.prompts import TASKS, prompt_named

SEVEN = tuple(task.name for task in TASKS[:7])
OPEN = SEVEN[3:]
MANY = load(task="pathway", items=28 * 36, seed=3)


def plain(text):
    """Lower-case words with single spaces."""
    kept = (sign if sign.isalnum() else " " for sign in text.lower())
    return f" {' '.join(''.join(kept).split())} "


def references(item):
    """Everything that is accepted as an answer to an open item."""
    return item.metadata.get("answers", [item.answer])


def test_seven_tasks_take_turns():
    """Every task has as many items as every other, and asks in its own form: words alone, or with an image."""
    assert Counter(item.metadata["task"] for item in MANY) == dict.fromkeys(SEVEN, 4 * 36)
    for task in TASKS[:7]:
        items = [item for item in MANY if item.metadata["task"] == task.name]
        assert {(item.kind, bool(item.images)) for item in items} == {(task.kind, task.image)}


def test_five_items_are_one_patient():
    """A patient has five items, one image and one cluster; a question of knowledge is a cluster of its own."""
    patients = defaultdict(list)
    for item in MANY:
        if item.images:
            patients[item.cluster].append(item)
    assert len(patients) == 4 * 36
    for items in patients.values():
        assert [item.metadata["task"] for item in items] == list(SEVEN[2:])
        assert len({item.images for item in items}) == 1
    books = {item.cluster for item in MANY if not item.images}
    assert len(books) == 4 * (8 + 6)


def test_the_image_is_drawn_from_the_finding():
    """The image of a case is that of its finding and modality, on one side only."""
    for item in MANY:
        if item.images:
            phantom = item.images[0].source
            assert isinstance(phantom, Phantom)
            assert (phantom.finding, phantom.modality) == (item.metadata["finding"], item.category)
            assert phantom.side != "both"
            assert item.metadata["body_part"] in ("chest", "head", "eye")


def test_history_narrows_and_the_image_decides():
    """Every presentation fits three findings equally often: who only reads gets one in three right at most."""
    tally = defaultdict(Counter)
    for item in MANY:
        if item.metadata["task"] == "diagnosis":
            told = [
                at
                for at, told in enumerate(PRESENTATIONS[modality_of(item).code])
                if any(matches(wording, item.metadata["history"]) for wording in told.history)
            ]
            assert len(told) == 1
            tally[item.category, told[0]][item.metadata["finding"]] += 1
    assert len(tally) == 24
    assert {tuple(sorted(findings.values())) for findings in tally.values()} == {(2, 2, 2)}


def modality_of(item):
    """The modality of an item's image."""
    return next(modality for modality in MODALITIES if modality.name == item.category)


def matches(wording, history):
    """Whether a history was made from this wording."""
    parts = [literal for literal, *_ in string.Formatter().parse(wording)]
    return all(part in history for part in parts)


def test_what_can_be_had_from_the_words_alone():
    """By brute force over the catalogue: the best guess from the words is right in a third, with any side in less."""
    for code, told in PRESENTATIONS.items():
        assert len(told) == 6
        fits = Counter(finding for each in told for finding in each.fits)
        assert fits == dict.fromkeys(DISEASES[code], 3)
        assert all(len(set(each.fits)) == 3 for each in told)
    complete = []
    for modality in MODALITIES:
        for number in range(18 * 20):
            case = pathway.case_of(modality, 1, number)
            complete.append(((modality.code, case.presentation), case.disease.diagnoses[0]))
    best = defaultdict(Counter)
    for told, diagnosis in complete:
        best[told][diagnosis] += 1
    luck = sum(counts.most_common(1)[0][1] for counts in best.values()) / len(complete)
    assert 0.2 < luck < 1 / 3
    assert all(max(counts.values()) <= 20 for counts in best.values())


def test_no_side_is_told():
    """Neither history nor examination names a side, a lobe or a zone."""
    for told in PRESENTATIONS.values():
        for each in told:
            said = plain(" ".join((*each.history, each.examination)))
            sites = ("left", "right", "frontal", "temporal", "occipital", "zone")
            assert not [site for site in sites if f" {site} " in said]


def test_what_is_drawn_does_not_follow_the_finding():
    """Ages have the range of the presentation, whichever finding the patient has."""
    for modality in MODALITIES:
        ages = defaultdict(list)
        for number in range(18 * 20):
            case = pathway.case_of(modality, 4, number)
            low, high = case.presentation.ages
            ages[case.phantom.finding == case.presentation.fits[0]].append((case.age - low) / (high - low))
        means = [sum(each) / len(each) for each in ages.values()]
        assert all(abs(mean - 0.5) < 0.12 for mean in means)


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_the_words_do_not_hold_the_answer(seed):
    """No reference stands in the question, the context or the prompt of an open item."""
    prompt = prompt_named("pathway")
    for item in load(task="pathway", items=140, seed=seed):
        if item.kind == "open":
            asked = plain(prompt.render(item).text)
            assert not [reference for reference in references(item) if plain(reference) in asked]
            assert item.options == ()
            assert all(reference.strip() for reference in references(item))


def test_no_finding_is_named_in_a_case():
    """History and examination name no finding of their modality."""
    for code, told in PRESENTATIONS.items():
        names = [plain(ENGLISH.option[name]) for name in DISEASES[code] if name != NORMAL]
        for each in told:
            said = plain(" ".join((*each.history, each.examination)))
            assert not [name for name in names if name in said]


def test_the_report_says_what_the_image_shows():
    """The report names the finding, its side, its location, its size and its number, and the diagnosis does too."""
    for modality in MODALITIES:
        for number in range(36):
            case = pathway.case_of(modality, 2, number)
            phantom, report = case.phantom, plain(case.report)
            assert plain(ENGLISH.modality[modality.code]) in report
            said = {word.rstrip("s") for word in report.split()} | {"brain", "cerebral"}
            named = ENGLISH.option[phantom.finding].lower().replace("drusen", "").replace("-", " ")
            assert {word.rstrip("s") for word in named.split()} <= said, report
            for told in (report, plain(case.disease.diagnoses[0])):
                if modality.finding(phantom.finding).sided and phantom.side:
                    assert f" {phantom.side} " in told
                if phantom.size:
                    assert f" {phantom.size} " in told
                if phantom.location:
                    place = phantom.location.removeprefix("near ").removeprefix("far ")
                    assert f" {place} " in told
            if phantom.count:
                assert f" {('one', 'two', 'three', 'four', 'five')[phantom.count - 1]} " in report


def test_reasoning_is_the_steps_joined():
    """The reference of a reasoning task is its steps, one after the other; the image has a step of its own."""
    for item in MANY:
        if item.metadata["task"].endswith("reasoning"):
            steps = item.metadata["steps"]
            assert item.answer == " ".join(steps)
            assert len(steps) == 4
            assert len(set(steps)) == 4
        if item.metadata["task"] == "diagnostic-reasoning":
            assert " shows " in item.metadata["steps"][2]


def test_every_disease_can_be_told_from_its_neighbours():
    """Within a presentation, no two findings have a diagnosis or the first treatment in common."""
    for code, told in PRESENTATIONS.items():
        for each in told:
            diagnoses = [text for name in each.fits for text in DISEASES[code][name].diagnoses]
            treatments = [DISEASES[code][name].treatments[0] for name in each.fits]
            assert len(set(diagnoses)) == 9
            assert len(set(treatments)) == 3


def test_the_textbook_is_large_enough():
    """At least 24 questions of knowledge and 24 notes, no two alike, each with four wrong answers besides the right."""
    for book in (KNOWLEDGE, NOTES):
        asked = [each for part in book.values() for each in part]
        assert len(asked) >= 24
        assert len({(each.note, each.question) for each in asked}) == len(asked)
        assert all(len({each.right, *each.wrong}) == 5 for each in asked)


def test_right_answers_stand_anywhere():
    """Of 288 questions with five options, each position has the right answer in a fifth, within chance."""
    places = Counter(item.answer for item in MANY if item.metadata["task"] in ("knowledge", "note"))
    assert sorted(places) == [0, 1, 2, 3, 4]
    assert all(abs(count - 57.6) < 4 * (288 * 0.2 * 0.8) ** 0.5 for count in places.values())


def test_a_single_lesion_is_one():
    """One lesion is told in the singular, several in the plural."""
    nodules = DISEASES["cxr"]["lung nodules"]
    one = Phantom("chest X-ray", "lung nodules", side="left", count=1, size="small")
    assert nodules.fill_words(one).diagnoses[0] == "Small lung nodule on the left"
    assert nodules.fill_words(replace(one, count=3)).report.startswith("There are three small nodules in the left lung")
