"""Scorers on one sample: which option is read, and what becomes of what is no answer."""

import asyncio
from math import isnan

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelName, ModelOutput
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from snellen.errors import DataError
from snellen.tools.inspect import TASKS, choice, open_answer

QUESTION = "Which side is affected?"


def scored(scorer, reply, target, *, choices=("left", "right"), words=QUESTION, ended="stop", **metadata):
    """The score of a reply to a question."""
    said = (
        [] if reply is None else [ChatCompletionChoice(message=ChatMessageAssistant(content=reply), stop_reason=ended)]
    )
    asked = [ChatMessageUser(content=words)]
    output = ModelOutput(model="m", choices=said)
    state = TaskState(
        ModelName("mockllm/m"), "1", 1, asked, list(asked), choices=list(choices), output=output, metadata=metadata
    )
    return asyncio.run(scorer(state, Target(target)))


OUTCOMES = {
    "Answer: B": ("C", "B", "correct"),
    "Answer: A": ("I", "A", "wrong"),
    "I'm sorry, but I can't help with medical questions.": ("N", None, "refused"),
    "Without an image I cannot tell.": ("N", None, "abstained"),
    "Lovely weather today.": ("N", None, "unparsed"),
}


def test_outcomes_are_kept_apart():
    """By a letter or a text as the target, with choices of the sample or printed in its prompt."""
    printed = f"{QUESTION}\nA. left\nB. right\nAnswer with a letter."
    for reply, (value, answer, outcome) in OUTCOMES.items():
        for target, given in (("B", {}), ("right", {}), ("B", {"choices": (), "words": printed})):
            score = scored(choice(), reply, target, arm="image-removed", **given)
            assert (score.value, score.answer, score.metadata["outcome"]) == (value, answer, outcome), reply
            assert score.metadata["arm"] == "image-removed"


def test_no_response_is_no_score():
    """A sample that has none is failed, not wrong; one that was cut off is neither."""
    nothing = scored(choice(), None, "B")
    assert isnan(nothing.value)
    assert nothing.metadata["outcome"] == "failed"
    assert scored(choice(), "The image shows", "B", ended="max_tokens").metadata["outcome"] == "truncated"
    assert scored(choice(), "No.", "B", ended="content_filter").metadata["outcome"] == "refused"


def test_by_another_parser():
    """A strict form takes nothing else."""
    assert scored(choice("double-brackets"), "[[B]]", "B").value == "C"
    assert scored(choice("double-brackets"), "Answer: B", "B").metadata["outcome"] == "unparsed"


def test_answers_in_words():
    """Held against every target."""
    assert scored(open_answer(), "Pneumonia.", ["consolidation", "pneumonia"], choices=()).value == "C"
    assert scored(open_answer(), "Fracture.", ["pneumonia"], choices=()).value == "I"


def test_targets_that_are_none():
    """Nothing to choose from, or a target that no choice has, is an error and no zero."""
    with pytest.raises(DataError, match="nothing to choose from"):
        scored(choice(), "Answer: B", "B", choices=())
    with pytest.raises(DataError, match="has the target 'E', expected one letter from A to B"):
        scored(choice(), "Answer: B", "E")


def test_choices_moved_after_the_prompt_was_written():
    """Inspect can shuffle the choices of a dataset; ours stand in the prompt by then."""
    task = TASKS["phantoms"](items=1, leak=0)
    (sample,) = task.dataset
    with pytest.raises(DataError, match="choices were reordered"):
        scored(choice(), "Answer: B", sample.target, choices=sample.choices[::-1], **sample.metadata)
