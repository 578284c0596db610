"""One act finds that the image is missing, and every parser asks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rows import take_rows
from snellen.items import Item, Option
from snellen.reading import Outcome, grade
from snellen.reading.claims.parser import read_rationale
from snellen.reading.detection import read_detection
from snellen.reading.diagnoses import read_diagnosis
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.missing_image import Admission, read_admission

LABELLED = Path(__file__).parents[1] / "data" / "labelled" / "missing_image.jsonl"
OPTIONS = tuple(map(Option, ("Pneumothorax", "Pleural effusion", "Rib fracture", "Normal chest")))
SILENT = (Outcome.ABSTAINED, Outcome.REFUSED)
DETECTION = Item("1", "?", options=(Option("brain tumor"), Option("normal")), answer=0, metadata={"normal": "normal"})


def rows(label):
    """The replies with this label that were kept apart."""
    read = map(json.loads, LABELLED.read_text(encoding="utf-8").splitlines())
    return [row for row in read if row["label"] == label and row["split"] != "train"]


def item(row):
    return Item("1", row["question"], options=OPTIONS, answer=0)


def choice(row):
    return grade(row["response"], "stop", item(row)).outcome in SILENT


def admission(row):
    return read_admission(row["response"], row["question"]).label is Admission.MISSING


def diagnosis(row):
    return read_diagnosis(f"<diagnosis>{row['response']}</diagnosis>") is None


def claims(row):
    return read_rationale(row["response"], "", item(row)).notices


@pytest.mark.parametrize("door", [choice, admission, diagnosis, claims])
def test_every_parser_finds_nine_in_ten(door):
    """Of replies that say that the image is missing, no parser misses more than one in ten."""
    found = [door(row) for row in rows("missing")]
    assert len(found) == 132
    assert sum(found) >= 0.9 * len(found)


def test_a_detection_parser_finds_most():
    """A reply that also declines counts as declining there, as its labels want it; hardly any is read as a finding."""
    read = [read_detection(row["response"], DETECTION) for row in rows("missing")]
    assert sum(one.rule in ("no-image", "refuses", "defers") for one in read) >= 0.87 * len(read)
    assert sum(one.concludes for one in read) <= 0.04 * len(read)


def test_no_choice_is_made_of_a_missing_image_but_one_that_is_stated():
    """All are found, and abstained or declined, unless they go on to state their answer: two of 132 do."""
    assert all(says_missing(row["response"], row["question"]) for row in rows("missing"))
    graded = [grade(row["response"], "stop", item(row)) for row in rows("missing")]
    others = [one for one in graded if one.outcome not in SILENT]
    assert {one.rule for one in others} <= {"answer-phrase", "bare-letter"}
    assert len(others) <= 2


@take_rows("text")
def test_words_of_missing_in_another_sense(text):
    """What is absent in the picture, or attached to something in it, is not a missing image."""
    assert says_missing(text, "What does the image show?") is None


@take_rows("text")
def test_ways_of_saying_it(text):
    """In passing, about a page or a scan, and in other languages."""
    assert says_missing(text, "What does the image show?") is not None


@pytest.mark.parametrize(
    ("label", "most"), [("describes", 3), ("generic", 0), ("hedges", 1), ("refuses", 0), ("empty", 0)]
)
def test_hardly_any_other_reply_is_said_to_miss_the_image(label, most):
    """What is not seen in an image, a doubt, a refusal and a lecture are not taken for a missing image."""
    assert sum(map(claims, rows(label))) <= most
    assert sum(map(admission, rows(label))) <= most


@take_rows("text")
def test_what_an_image_does_not_show_is_no_missing_image(text):
    """A negation about the image is a finding, in every language."""
    assert says_missing(text) is None


@take_rows("text")
def test_few_words_are_enough(text):
    """Two words, a black image, and languages that are known a little."""
    assert says_missing(text)
