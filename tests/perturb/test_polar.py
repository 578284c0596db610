"""Options and questions that hang on each other: which options can be lent, and which questions take none."""

import pytest

from rows import take_rows
from snellen.perturb.polar import asks_for_misfit, is_relative, means_unknown, names_both


@take_rows("text")
def test_a_side_alone_says_something_only_with_its_question(text):
    """The left side of one thing can be the left half of another."""
    assert is_relative(text)


@pytest.mark.parametrize(
    "text", ["Left lung", "Left eye", "Half-Fourier artefact", "左眼", "中心凹处", "Scan artefact"]
)
def test_a_side_of_something_says_it_alone(text):
    """What is named besides the side makes an option one that stands by itself."""
    assert not is_relative(text)


@take_rows("text")
def test_options_that_mean_not_knowing_are_known(text):
    """Offering Unknown beside one of these would offer the same twice."""
    assert means_unknown(text)


@pytest.mark.parametrize("text", ["Unknown primary tumour", "Uncertain malignant potential", "Not seen", "No finding"])
def test_options_that_name_something_are_no_abstention(text):
    """A diagnosis may have unknown in its name."""
    assert not means_unknown(text)


@take_rows("question")
def test_questions_for_the_odd_one_out_are_known(question):
    """Whatever comes from elsewhere would be an odd one out as well."""
    assert asks_for_misfit(question)


@take_rows("question")
def test_plain_questions_are_not_taken_for_those(question):
    """Words that only look like a denial deny nothing."""
    assert not asks_for_misfit(question)


def test_a_question_may_name_its_two_options():
    """Asked for AP or PA, no third word is an answer; asked for one word of many, any is."""
    assert names_both("Is this an AP or PA film?", ["AP", "PA"])
    assert not names_both("Is the happy patient's film AP?", ["AP", "PA"])
    assert not names_both("Is it small, medium or large?", ["Small", "Medium", "Large"])
