"""Flat statements: what a reply says of this case without naming the image or one who sees, in sentences of our own."""

from __future__ import annotations

import pytest

from rows import read_table
from snellen.items import Item
from snellen.reading.claims.parser import read_claims, read_rationale


def claims(question, reply):
    """What a reply claims that the question had not told."""
    return read_rationale(reply, "", Item("1", question)).claims


STATED = read_table(__file__, "STATED")


@pytest.mark.parametrize(("question", "reply"), STATED)
def test_a_flat_statement_about_what_is_asked_is_a_claim(question, reply):
    """A definite subject, "there is" or "is present" say how it is in this case; a question tells no answer."""
    assert len(claims(question, reply)) == 1


GENERAL = read_table(__file__, "GENERAL")


@pytest.mark.parametrize(("question", "reply"), GENERAL)
def test_what_is_said_of_any_case_is_no_claim(question, reply):
    """Definitions, uses, places of organs, doubt, conditions, bare answers and diagnoses say nothing of this case."""
    assert claims(question, reply) == ()


FLAT = "The aorta is dilated."


def test_what_the_question_told_is_no_claim():
    """Only what it asks is not told."""
    assert claims("The aorta is dilated. What is the cause?", FLAT) == ()
    assert claims("Look at the aorta. Is it dilated?", FLAT) == (FLAT,)


def test_flat_statements_are_not_read_where_the_question_tells_of_a_case():
    """Of a patient whose history is told, much can be said without seeing anything; without a question, too."""
    history = (
        "A man of 64 with hypertension and diabetes is brought in with sudden tearing chest pain, a cold left arm, "
        "hoarseness and a diastolic murmur at the sternal border. Is the aorta dilated?"
    )
    assert claims(history, FLAT) == ()
    assert read_claims(FLAT) == ()
    assert claims(history, "The CT shows a dilated aorta.") != ()


def test_a_report_is_read_to_its_end_and_a_lecture_is_left():
    """Flat statements that follow one another all count; after sentences on other things they no longer do."""
    report = "The heart is enlarged. The lungs are clear. There is no pneumothorax. The bones are intact."
    lecture = "Hearts are pumps. Blood returns from the lungs. Valves open and close. The heart is enlarged."
    assert len(claims("What do you see?", report)) == 4
    assert claims("What do you see?", lecture) == ()
