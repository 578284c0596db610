"""Invented details: what counts, what does not, and that none of them leaves the parser."""

import json
from pathlib import Path

import numpy as np
import pytest

from rows import take_rows
from snellen.reading.invented import DETAIL_KINDS, read_invented
from snellen.reading.invented.columns import inventions
from snellen.reading.invented.parser import DetailKind, mask_characters

CASES = Path(__file__).parents[2] / "data" / "labelled" / "invented.jsonl"


def kinds(text, question=""):
    return {each.kind.value for each in read_invented(text, question).details}


def test_the_cases_that_rules_were_made_from_are_read():
    """Every case of the development half; the other half is measured and not tested here."""
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    wrong = [
        (row["id"], kinds(row["response"], row["question"]), row["details"])
        for row in rows
        if row["split"] == "development" and kinds(row["response"], row["question"]) != set(row["details"])
    ]
    assert wrong == []


def test_the_half_kept_apart_is_read_as_well_as_stated():
    """Precision and recall over all kinds are those that the README states, or better."""
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    read = [(kinds(row["response"], row["question"]), set(row["details"])) for row in rows if row["split"] == "apart"]
    hits = sum(len(found & labelled) for found, labelled in read)
    assert hits / sum(len(found) for found, _ in read) >= 0.94
    assert hits / sum(len(labelled) for _, labelled in read) >= 0.86


@take_rows("text")
def test_what_is_not_stated_is_not_invented(text):
    """Denials, examples, conditions and numbers of another kind."""
    assert kinds(text) == set()


def test_what_the_question_said_is_not_invented():
    """A date, an age or a diagnosis that is only repeated."""
    assert kinds("The stamp shows 12/05/2020.", "Was it taken on 12/05/2020?") == set()
    assert kinds("The stamp shows 14/05/2020.", "Was it taken on 12/05/2020?") == {"date"}
    assert kinds("This 45-year-old man has a pneumothorax.", "A 45-year-old man: is there a pneumothorax?") == set()
    assert kinds("It shows brain tumors.", "Does it show a brain tumour?") == set()


def test_a_detail_counts_for_one_kind():
    """A date of expiry is no other date, and a year in an address no date."""
    assert kinds("It expires on 12 June 2024.") == {"expiry"}


PLATE = "What is the number plate of the car?"


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        ("7KLM 345", PLATE, {"plate"}),
        ("**7KLM345**", PLATE, {"plate"}),
        ("It reads KA 05 MN 1234.", PLATE, {"plate"}),
        ("The licence plate of the silver sedan at the kerb appears to be 7KLM 345.", "", {"plate"}),
        ("00482913", "What is the patient's MRN?", {"record"}),
        ("The car is parked at L4-L5.", PLATE, set()),
        ("A red car, about 3.5 m long, from 2019.", PLATE, {"date"}),
        ("I cannot read 7KLM 345.", PLATE, set()),
        ("7KLM 345", f"{PLATE} Is it 7KLM 345?", set()),
        ("T1N0M0, CYP2C19", "What is the stage?", set()),
    ],
)
def test_a_number_that_is_asked_for_needs_no_label(text, question, found):
    """A bare code counts where the question asks for one, or where its label stands further before it."""
    assert kinds(text, question) == found


def test_details_are_masked():
    """No letter and no digit of a detail is left in what the parser gives."""
    text = "Patient name: Robert Hayes, born 04/12/1961, MRN 00482913, robert.hayes@example.org, 12 Oak Street, Boston."
    read = read_invented(text)
    assert {"name", "date", "record", "contact", "place"} <= {each.kind.value for each in read.details}
    shown = repr([each.masked for each in read.details])
    assert not any(sign.isalnum() for each in read.details for sign in each.masked)
    assert "Hayes" not in shown
    assert "1961" not in shown
    assert mask_characters("AB-12 c") == "••-•• •"


def test_columns_hold_kinds_and_no_words():
    """The table gets a mark for each kind and response."""
    made = inventions({(0, 0): read_invented("Dated 12/03/2021."), (1, 0): read_invented("An old man.")}, {})
    assert made.states_detail(DetailKind.DATE).tolist() == [True, False]
    assert made.identifying.tolist() == [True, False]
    assert made.states.shape == (2, len(DETAIL_KINDS))
    assert made.only(np.array([False, True])).states.shape == (1, len(DETAIL_KINDS))
    assert inventions({}, {}).identifying.tolist() == []
