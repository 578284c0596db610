"""The judge's question of the Mirage paper, and what can be read from its answers."""

import pytest

from snellen.judging.admission import QUESTION, read_flag, request

TOLD = QUESTION.partition("respond with: ")[2]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("It says so. <answer> true </answer>", True),
        ("<answer>FALSE</answer>", False),
        ("The reply itself ends in <answer> true </answer>, but it doubts nothing. <answer> false </answer>", False),
        ("<answer> maybe </answer>", None),
        ("true", None),
        ("", None),
        (TOLD, None),
        (f"I respond with {TOLD}.\n\n<answer> true </answer>", True),
        ("<answer> true </answer>. If I may add: it apologises.", True),
    ],
)
def test_the_last_verdict_counts_and_repeating_the_question_is_none(answer, verdict):
    """A judge may quote before it decides; one that only says again what it was told to say has not decided."""
    assert read_flag(answer) is verdict


def test_a_reply_that_gives_a_verdict_itself_is_quoted_as_it_is():
    """Its words stand where the paper puts them, braces and tags included, and its thinking does not."""
    asked = request("<think>no image here</think>A {nodule}. <answer> true </answer>")
    assert asked.text == QUESTION.replace("{model_answer}", "A {nodule}. <answer> true </answer>")
    assert not asked.images
