"""The three prompt strategies of the artefacts paper, letter by letter."""

import pytest

from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.items import Item, Option
from snellen.prompts import DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS, WITH_STEPS, Arm, prompt_named
from snellen.study import Study

QUESTION = (
    "How can we identify the features of glioma, meningioma and pituitary in a brain MRI scan slice of a person? "
    "Imagine you are an educator tasked with helping a student identify the features of a brain MRI scan slice and "
    "whether or not the image shows signs of these brain tumor as described by those features."
)
SCAN = Item(id="mri/1", question=QUESTION, options=(Option("brain tumor"), Option("normal")), answer=1)


@pytest.mark.parametrize(
    ("prompt", "ending"),
    [
        (
            DETECTION_STRUCTURED,
            ' As an educator, choosing between "brain tumor" and "normal". You\'ll loss mark if you don\'t provide an '
            "answer. Provide no extra conversation or comments.",
        ),
        (
            DETECTION,
            ' As an educator, conclude your answer in - "brain tumor" or "normal". You\'ll loss mark if you don\'t '
            "provide an answer.",
        ),
        (
            DETECTION_WITH_STEPS,
            ' As an educator, conclude your answer in - "brain tumor" or "normal". Describe your reasoning in steps.',
        ),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_the_words_are_those_of_the_paper(prompt, ending):
    """The question, then the strategy's own sentence with the choices in words."""
    assert prompt.render(SCAN).text == QUESTION + ending


@pytest.mark.parametrize("prompt", [DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS])
def test_the_system_message_of_the_authors_code_is_named_as_such(prompt):
    """The paper's words under a system message that only their public code has; the paper's own prompts have none."""
    coded = prompt_named(f"{prompt.name}-from-code")
    assert coded.render(SCAN) == ("Medical knowledge educator", prompt.render(SCAN).text)
    assert "code, not from the paper" in coded.source
    assert (coded.parser, prompt.system) == (prompt.parser, "")


def test_the_suite_asks_under_that_message_where_it_is_wanted():
    """All its arms, and none by default."""

    def systems(spec):
        plan = Study(models=["organism/blind"], tests=[spec]).plan()
        return {arm.prompt.system for arm in plan.arms_of(plan.benchmarks[0])}

    assert systems("artefacts:noise") == {""}
    assert systems("artefacts:noise,system=from-code") == {"Medical knowledge educator"}
    with pytest.raises(StudyError, match="system=from-code, or none; got 'mine'"):
        systems("artefacts:system=mine")


def test_many_classes_are_listed_in_a_sentence():
    """Commas, and a word before the last."""
    item = Item(id="1", question="?", options=tuple(map(Option, ("glioma", "meningioma", "normal"))), answer=0)
    assert '"glioma", "meningioma" or "normal"' in DETECTION.render(item).text
    assert '"glioma", "meningioma" and "normal"' in DETECTION_STRUCTURED.render(item).text


def test_braces_in_a_choice_stay_braces():
    """A choice is text, not a place in the prompt."""
    item = Item(id="1", question="{options}?", options=(Option("{choices_or}"), Option("normal")), answer=0)
    assert DETECTION.render(item).text.startswith('{options}? As an educator, conclude your answer in - "{choices_or}"')


def test_the_standard_prompt_has_steps():
    """So that the chain-of-thought test can be asked by it."""
    assert Arm(ORIGINAL, rewording=WITH_STEPS).asked_by(DETECTION) == DETECTION_WITH_STEPS


def test_the_prompts_show_their_options():
    """Conditions on options have a meaning under them."""
    assert all(prompt.shows_options for prompt in (DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS))
