"""Open answers compared with their references: what is the same, what is not, and laws that hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.items import Item
from snellen.reading.open.reading import RULES, read_open
from snellen.reading.outcomes import OpenGrade
from steps import lines_run

CORRECT, INCORRECT, UNCLEAR = OpenGrade.CORRECT, OpenGrade.INCORRECT, OpenGrade.UNCLEAR


def read(text, *references, question="What is seen?", **metadata):
    """What is read in a response to an open question with these references."""
    item = Item(
        id="o/1",
        question=question,
        kind="open",
        answer=references[0],
        metadata={**metadata, **({"answers": list(references)} if len(references) > 1 else {})},
    )
    return read_open(text, item)


SAME = read_table(__file__, "SAME")


def test_the_same_in_other_words_is_correct():
    """Synonyms, abbreviations, spellings, units, order, sentences and added detail change nothing."""
    assert [(text, reference) for text, reference in SAME if read(text, reference).grade is not CORRECT] == []


OTHER = read_table(__file__, "OTHER")


def test_another_side_number_place_or_finding_is_incorrect():
    """What contradicts the reference, denies it or names something else in its place is not unclear."""
    assert [(text, reference) for text, reference in OTHER if read(text, reference).grade is not INCORRECT] == []


OPEN_ENDED = read_table(__file__, "OPEN_ENDED")


def test_part_of_the_reference_and_alternatives_are_unclear():
    """Less than the reference says, or the reference beside something else, is neither right nor wrong."""
    assert [(text, reference) for text, reference in OPEN_ENDED if read(text, reference).grade is not UNCLEAR] == []


@take_rows("text, reference, question, grade")
def test_an_answer_is_read_as_one_to_its_question(text, reference, question, grade):
    """What the question has said need not be said again, and only what it asks for is needed."""
    assert read(text, reference, question=question).grade == grade


def test_any_of_several_references_may_match():
    """References that disagree are each accepted, and the one that matched is kept."""
    assert read("a cyst", "abscess", "cyst").reference == "cyst"
    assert [read(text, "left", "right").grade for text in ("left", "right")] == [CORRECT] * 2


STEPS = ["The costophrenic angle is blunted", "There is a meniscus sign", "So there is a pleural effusion"]


@take_rows("text, rule")
def test_a_chain_of_steps_is_graded_by_the_share_of_them(text, rule):
    """Most steps are correct, few are incorrect, and what lies between is unclear."""
    assert read(text, "pleural effusion", steps=STEPS).rule == rule


@take_rows("text, silence")
def test_a_silence_is_never_wrong(text, silence):
    """What gives no answer is kept apart from a wrong one."""
    found = read(text, "pleural effusion")
    assert (found.grade, found.silence) == (None, silence)


PARTS = st.sampled_from(
    ["liver", "kidney", "spleen", "brain", "lung", "cerebellum", "pancreas", "trachea", "aorta", "pelvis", "bladder"]
)
FINDINGS = st.sampled_from(
    ["mass", "cyst", "abscess", "fracture", "effusion", "edema", "hematoma", "infarct", "nodule", "thrombosis"]
)
REFERENCES = st.tuples(st.sampled_from(("left", "right")), PARTS, FINDINGS).map(" ".join)


@given(REFERENCES, st.sampled_from((str.upper, str.title, "  {}.\n".format, "The image shows a {}.".format)))
def test_a_reference_always_matches_itself(reference, said):
    """In any case and spacing, and in a sentence."""
    assert read(said(reference), reference).grade is CORRECT


@given(st.text(min_size=1, max_size=60).filter(lambda text: any(map(str.isalnum, text))))
def test_any_text_matches_itself(reference):
    """Whatever the language; unless it is a silence, it is correct."""
    found = read(reference, reference)
    assert found.grade is CORRECT or found.silence is not None or not any(map(str.isalnum, found.evidence))


@given(REFERENCES, st.sampled_from(("no {}", "There is no {}.", "without {}", "The image does not show a {}.")))
def test_a_denied_reference_never_matches(reference, form):
    """What is said not to be there is not the reference."""
    assert read(form.format(reference), reference).grade is INCORRECT


@given(REFERENCES)
def test_the_other_side_never_matches(reference):
    """Left is not right."""
    swapped = {"left": "right", "right": "left"}
    other = " ".join(swapped.get(word, word) for word in reference.split())
    assert read(other, reference).grade is INCORRECT


@given(st.integers(1, 400), st.sampled_from(("mm", "millimeters")))
def test_units_convert(tenths, unit):
    """A length is the same in centimetres and millimetres, and ten times as long is another."""
    assert read(f"{tenths} {unit}", f"{tenths / 10:g} cm").grade is CORRECT
    assert read(f"{tenths * 10} {unit}", f"{tenths / 10:g} cm").grade is INCORRECT


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_read_by_a_rule_with_words(text, reference, question):
    """No text raises, be it in the response, the reference or the question."""
    found = read(text, reference, question=question)
    assert RULES[found.rule]
    assert (found.grade is None) != (found.silence is None)


@pytest.mark.parametrize("piece", ["effusion ", "no ", "<b>", "1 x ", "or ", "胸", "The left lung. ", "(", "2 cm by "])
def test_ten_times_a_very_long_text_is_no_more_work(piece):
    """Of very long responses and references so much is read and no more."""

    def work(size):
        long = piece * (size // len(piece))
        return lines_run(lambda: (read(long, "pleural effusion"), read("pleural effusion", long)))

    work(50_000)  # what is kept of texts that were read is kept by now
    assert work(500_000) <= 1.1 * work(50_000) + 200
