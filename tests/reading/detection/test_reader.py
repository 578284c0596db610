"""Detection: what a reply says of an image that is either normal or not."""

from __future__ import annotations

import json
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import take_rows
from snellen.errors import DataError
from snellen.items import Item, Option
from snellen.reading import Outcome, grade
from snellen.reading.detection import DetectionLabel, read_detection

ROOT = Path(__file__).parents[3]
LABELLED = ROOT / "tests" / "data" / "labelled" / "quality.jsonl"
REPORTS = ROOT.parent / "shared" / "data" / "openi-reports" / "NLMCXR_reports.tgz"
FLOOR = 0.98
"""Kappa on the dev rows was above 0.99 (n = 604) when this was written; rules were made with them in sight."""


def question(*options, normal="normal"):
    return Item(id="q", question="?", options=tuple(map(Option, options)), metadata={"normal": normal})


TUMOR = question("brain tumor", "normal")
LUNGS = question("lung diseases", "normal")
KINDS = question("glioma", "meningioma", "pituitary", "normal")
INFECTIONS = question("COVID-19", "bacterial pneumonia", "viral pneumonia", "normal")


@take_rows("text, label")
def test_the_conclusion_about_this_image_is_read(text, label):
    """What is said of this image counts: denied, hedged, compared or corrected, but not what is taught."""
    assert read_detection(text, TUMOR).label is DetectionLabel[label]


@take_rows("text, flags")
def test_flags_are_about_this_image_and_not_praise(text, flags):
    """A flag is what is wrong with this image: no praise, no lesson, no blurred margin of a lesion."""
    assert read_detection(text, LUNGS).flags is flags


@take_rows("text, label, rule")
def test_why_there_is_no_conclusion(text, label, rule):
    """A poor image, declining, deferring, a missing image and not being able to tell are told apart."""
    read = read_detection(text, LUNGS)
    assert (label, rule) == (read.label.name, read.rule)
    assert not read.concludes
    assert read.evidence in text


@take_rows("text, conflict")
def test_reasons_that_go_against_the_conclusion(text, conflict):
    """What is said to be seen is held against what is concluded; lessons and silence say nothing."""
    assert read_detection(text, TUMOR).conflict is conflict


@take_rows("text, choice")
def test_the_disease_is_named_among_several(text, choice):
    """With several diseases, the one concluded is found; an unnamed one is abnormal and no option."""
    read = read_detection(text, KINDS)
    assert choice == (None if read.choice is None else KINDS.options[read.choice].text)
    assert read.concludes


def test_other_names_of_a_disease_are_known():
    """COVID is COVID-19; pneumonia alone is neither the bacterial nor the viral one."""
    assert read_detection("Conclusion: COVID", INFECTIONS).choice == 0
    assert read_detection("Conclusion: pneumonia", INFECTIONS).choice is None


@take_rows("options, normal, text, label")
def test_short_forms_are_read_in_other_languages(options, normal, text, label):
    """Italian, Spanish, French, German and Chinese replies of the usual short kind are read."""
    assert read_detection(text, question(*options, normal=normal)).label is DetectionLabel[label]


def test_the_paper_counts_flags_and_refusals_first():
    """A reply that flags quality, or declines and then answers, is its conclusion to us and a 2 or a 3 to the paper."""
    noisy = read_detection("The scan is noisy, but no mass is seen. Conclusion: normal", TUMOR)
    shy = read_detection("I can't provide a medical diagnosis, but this looks like a brain tumor.", TUMOR)
    advised = read_detection("Conclusion: brain tumor. Please consult a doctor.", TUMOR)
    assert (noisy.label, noisy.as_published) == (DetectionLabel.NORMAL, DetectionLabel.QUALITY)
    assert (shy.label, shy.as_published) == (DetectionLabel.ABNORMAL, DetectionLabel.REFUSES)
    assert (advised.label, advised.as_published) == (DetectionLabel.ABNORMAL, DetectionLabel.ABNORMAL)


def test_a_question_without_a_normal_option_is_refused():
    """The error names the item and says what to do."""
    with pytest.raises(DataError, match=r"Item 'q' has no option .* metadata\['normal'\]"):
        read_detection("A", question("left", "right"))


def test_an_abstaining_option_alone_says_nothing_of_the_image():
    """An option that means "I do not know" is chosen and says neither."""
    item = Item(
        id="q",
        question="?",
        options=(Option("brain tumor"), Option("normal"), Option("Unknown", abstains=True)),
        metadata={"normal": "normal"},
    )
    read = read_detection("Unknown", item)
    assert (read.label, read.choice) == (DetectionLabel.UNSAID, 2)


def test_the_options_of_the_dev_rows_are_read_as_labelled():
    """Which option is concluded, and that none is, is read as people say in all but a few rows."""
    rows = [row for row in map(json.loads, LABELLED.read_text().splitlines()) if row["split"] == "dev"]
    chosen = [read_detection(row["response"], question(*row["options"], normal=row["normal"])).choice for row in rows]
    named = [None if at is None else row["options"][at] for at, row in zip(chosen, rows, strict=True)]
    assert sum(one == row["choice"] for one, row in zip(named, rows, strict=True)) >= 0.99 * len(rows)


def test_no_text_is_shared_between_splits_but_single_words():
    """What is kept apart was not in sight, save replies of one word."""
    rows = [json.loads(line) for line in LABELLED.read_text().splitlines()]
    seen = {row["response"] for row in rows if row["split"] == "dev"}
    assert {row["response"] for row in rows if row["split"] != "dev" and row["response"] in seen} <= {
        "normal",
        "Normal",
    }


SOME = """the image scan is not no normal brain tumor mass lesion blurry noisy conclusion answer: cannot determine I
see a glioma usually shows consult doctor because if but artifacts 1. 正常 图像 . - ** " ' ; , l'immagine between or"""
WORDS = st.sampled_from([*SOME.split(), "rather than", "\n"])


@given(st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=200))
def test_any_text_is_read_and_twice_alike(text):
    """No text breaks the parser, a choice goes with its label, and a second reading says the same."""
    read = read_detection(text, KINDS)
    assert read == read_detection(text, KINDS)
    assert read.concludes or read.choice is None
    assert (read.label is DetectionLabel.NORMAL) == (read.choice == 3)
    assert read.conflict is None or read.concludes


@given(st.lists(WORDS, max_size=40).map(" ".join), st.permutations(range(4)))
def test_the_order_of_the_options_does_not_matter(text, order):
    """A reply concludes the same disease in whatever order the options stand."""
    shuffled = question(*(KINDS.options[at].text for at in order))
    one, other = read_detection(text, KINDS), read_detection(text, shuffled)
    assert one.label is other.label
    assert one.choice == (None if other.choice is None else order[other.choice])


@given(st.lists(st.sampled_from(["There is a mass.", "The ventricles are normal.", "The scan is noisy."]), max_size=4))
def test_a_labelled_conclusion_at_the_end_counts(sentences):
    """Whatever stands before it, "Conclusion: normal" at the end is what a reply concludes."""
    read = read_detection("\n".join([*sentences, "", "**Conclusion:** normal"]), TUMOR)
    assert (read.label, read.rule, read.choice) == (DetectionLabel.NORMAL, "conclusion", 1)


def report(file):
    root = ET.fromstring(file.read())
    parts = {part.get("Label"): part.text or "" for part in root.iter("AbstractText")}
    said = [f"{name.title()}: {parts[name]}" for name in ("FINDINGS", "IMPRESSION") if parts.get(name)]
    return "\n".join(said), [str(each.text) for each in root.iter("major")]


@pytest.mark.skipif(not REPORTS.exists(), reason=f"the reports of Open-i are not at {REPORTS}")
def test_real_reports_of_normal_films_are_normal():
    """What radiologists wrote of films that indexers call normal, full of denials, is hardly ever read otherwise."""
    with tarfile.open(REPORTS) as archive:
        reports = [
            report(file)
            for place, member in enumerate(archive)
            if place % 4 == 0 and (file := archive.extractfile(member))
        ]
    normal = [read_detection(text, LUNGS) for text, index in reports if text and index == ["normal"]]
    others = [read_detection(text, LUNGS) for text, index in reports if text and "Technical Quality" not in str(index)]
    assert len(normal) > 250
    assert sum(read.label is DetectionLabel.NORMAL for read in normal) >= 0.98 * len(normal)
    assert sum(read.flags for read in others) <= 0.015 * len(others)


SCAN = Item("1", "Is there a tumor?", options=(Option("brain tumor"), Option("normal")), metadata={"normal": "normal"})
CHOICE = Item("1", "What is shown?", options=tuple(map(Option, ("Pneumonia", "Fracture", "Normal"))), answer=0)


@take_rows("text")
def test_an_image_is_called_poor(text):
    """By the parser of detections and by that of choices alike; a word that a prompt may offer is enough."""
    assert read_detection(text, SCAN).label is DetectionLabel.QUALITY
    assert grade(text, "stop", CHOICE).outcome is Outcome.FLAGGED_QUALITY


@take_rows("text")
def test_what_only_sounds_like_it(text):
    """Movement, distortion and poor quality of something else than the image, and persons whom it will not name."""
    assert not read_detection(text, SCAN).flags
    assert grade(text, "stop", CHOICE).outcome is not Outcome.FLAGGED_QUALITY


@take_rows("text, label")
def test_keys_and_values(text, label):
    """A field on disease says what it says; null says nothing."""
    assert read_detection(text, SCAN).label is DetectionLabel[label]
