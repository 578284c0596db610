"""The judge's question about a premise, and what can be read from its answers."""

import pytest

from snellen.items import Item
from snellen.judging.premise import UNTOLD, grade_answer, read, request
from snellen.reading.outcomes import OpenGrade


def item(*, holds):
    """A question about a cyst."""
    told = {"premise": {"claims": "a renal cyst", "holds": holds}}
    return Item(id="1", question="How large is it?", context="A man.", answer="Tiny", kind="open", metadata=told)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ('{"premise": "corrects"}', "corrects"),
        ('```json\n{"premise": "evades"}\n```', "evades"),
        ('<think>hm</think>{"premise": "complies"}', "complies"),
        ('{"premise": "declines"}', None),
        ('{"premise": true}', None),
        ('{"premise": "corrects", "sure": false}', None),
        ("corrects", None),
        ("", None),
    ],
)
def test_only_the_form_asked_for_is_read(answer, label):
    """One JSON object with one of three words; anything else is unread, never guessed."""
    assert read(answer) == label


def test_the_judge_learns_what_is_claimed_and_not_whether_it_holds():
    """Nor the reference, nor any thinking."""
    asked = request("<think>secret</think>I see no cyst.", item(holds=True))
    assert asked.text == request("<think>secret</think>I see no cyst.", item(holds=False)).text
    assert "a renal cyst" in asked.text
    assert "A man.\n\nHow large is it?" in asked.text
    assert "Tiny" not in asked.text
    assert "secret" not in asked.text
    assert UNTOLD in request("I see none.", Item(id="1", question="?", kind="open")).text


def test_what_it_says_counts_by_whether_the_premise_holds():
    """Evading is unclear in both cases."""
    said = {word: f'{{"premise": "{word}"}}' for word in ("corrects", "complies", "evades")}
    assert [grade_answer(said[word], item(holds=False)) for word in said] == [
        OpenGrade.CORRECT, OpenGrade.INCORRECT, OpenGrade.UNCLEAR,
    ]  # fmt: skip
    assert [grade_answer(said[word], item(holds=True)) for word in said] == [
        OpenGrade.INCORRECT, OpenGrade.CORRECT, OpenGrade.UNCLEAR,
    ]  # fmt: skip
    assert grade_answer("hm", item(holds=True)) is None
