"""The two parsers of detection replies as parsers of choices, and the grades they lead to."""

from __future__ import annotations

import pytest

from rows import take_rows
from snellen.items import Item, Option
from snellen.models.base import Response
from snellen.reading import Outcome, grade, parser_named

TUMOR = Item(
    id="mri/1",
    question="?",
    options=(Option("brain tumor"), Option("normal")),
    answer=1,
    metadata={"task": "detection", "normal": "normal"},
)
KINDS = Item(
    id="mri/2",
    question="?",
    options=tuple(map(Option, ("glioma", "meningioma", "normal"))),
    answer=0,
    metadata={"normal": "normal"},
)


@take_rows("text, ours, published")
def test_what_becomes_of_a_reply(text, ours, published):
    """Ours reads the conclusion; the paper's way any flag first, then any refusal; a missing image is neither."""
    assert grade(text, "stop", TUMOR).outcome == ours
    assert grade(text, "stop", TUMOR, "detection-as-published").outcome == published


@pytest.mark.parametrize("parser", ["lenient", "detection-as-published"])
def test_a_letter_is_read_as_any_choice(parser):
    """Where a prompt listed letters and the reply answers by one, the letter stands."""
    assert grade("Answer: B", "stop", TUMOR, parser).choice == 1
    assert grade("A\n\nThere is a mass.", "stop", TUMOR, parser).choice == 0
    assert (
        grade("A normal MRI has symmetric ventricles, as here. Conclusion: normal", "stop", TUMOR, parser).choice == 1
    )


@pytest.mark.parametrize("parser", ["lenient", "detection-as-published"])
def test_a_question_without_a_normal_option_is_read_as_any_choice(parser):
    """Other questions are read by the lenient rules."""
    sides = Item(id="s", question="Which side?", options=(Option("left side"), Option("right side")), answer=1)
    assert parser_named(parser).read(Response("The answer is B."), sides).choice == 1


def test_a_disease_that_is_none_of_the_options_cannot_be_read():
    """Abnormal, but no option says which disease: no choice, and not silent either."""
    reading = parser_named("lenient").read(Response("Conclusion: some brain tumor"), KINDS)
    assert (reading.choice, reading.silence, reading.rule) == (None, Outcome.UNPARSED, "disease-unnamed")


def test_an_option_that_abstains_can_be_chosen():
    """An option "I do not know" is an abstention when it is given."""
    options = (*TUMOR.options, Option("I do not know", abstains=True))
    item = Item(id="u", question="?", options=options, answer=1, metadata={"normal": "normal"})
    assert grade("I do not know", "stop", item).outcome is Outcome.ABSTAINED
    assert grade("I do not know", "stop", item).choice == 2


@take_rows("text, outcome")
def test_a_reply_that_was_cut_off(text, outcome):
    """What was stated at once stands; what weighs the whole reply does not."""
    assert grade(text, "length", TUMOR).outcome == outcome


def test_a_flag_stands_though_the_reply_was_cut_off():
    """As the paper counts, a reply that flagged quality has done so, wherever it stopped."""
    text = "**Glioma**: irregular mass. " * 12 + "\n\nThis image is noisy. The ventri"
    graded = grade(text, "length", TUMOR, "detection-as-published")
    assert (graded.outcome, graded.rule) == (Outcome.FLAGGED_QUALITY, "quality-anywhere")


@pytest.mark.parametrize("parser", ["lenient", "detection-as-published", "strict-first-line"])
@pytest.mark.parametrize(
    ("text", "choice"), [("Conclusion: normal\nbrain tumor 0.2310\nnormal 0.7690", 1), ("Answer: A\nA 0.6, B 0.4", 0)]
)
def test_a_model_that_answers_by_probabilities_gives_a_choice_only(parser, text, choice):
    """Its first line is its answer under every parser, by a rule of its own."""
    graded = grade(text, "zero-shot", TUMOR, parser)
    assert (graded.choice, graded.rule, graded.parser) == (choice, "zero-shot", parser)


def test_a_model_that_answers_by_probabilities_cannot_flag_anything():
    """Without a choice in its first line nothing is read, whatever stands there."""
    assert grade("The image is too noisy.", "zero-shot", TUMOR).outcome is Outcome.UNPARSED
