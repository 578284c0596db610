"""The judge's question about a contradiction, and what can be read from its answers."""

import pytest

from snellen.items import Item
from snellen.judging.mismatch import UNTOLD, read, request

KNEE = Item(
    id="k/1",
    question="What is the diagnosis?",
    context="He twisted his knee.",
    answer="Torn ligament",
    kind="open",
    metadata={"body_part": "knee", "shown_body_part": "shoulder", "modality": "MRI", "shown_modality": "MRI"},
)


@pytest.mark.parametrize(
    ("answer", "judged"),
    [
        ('{"contradiction": true}', True),
        ('```json\n{"contradiction": false}\n```', False),
        ('<think>hm</think>{"contradiction": true}', True),
        ('{"contradiction": "true"}', None),
        ('{"contradiction": 1}', None),
        ('{"contradiction": true, "sure": false}', None),
        ('Yes. {"contradiction": true}', None),
        ("true", None),
        ("", None),
    ],
)
def test_only_the_form_asked_for_is_read(answer, judged):
    """One JSON object with one truth value; anything else is unread, never guessed."""
    assert read(answer) is judged


def test_the_judge_learns_what_text_and_image_are_about():
    """Not the reference answer, and no thinking; where nobody knows, only that they differ."""
    asked = request("<think>secret</think>It is a shoulder.", KNEE)
    assert "the text is about knee, MRI, the image shows shoulder, MRI" in asked.text
    assert "He twisted his knee.\n\nWhat is the diagnosis?" in asked.text
    assert "Torn ligament" not in asked.text
    assert "secret" not in asked.text
    assert UNTOLD in request("It is a shoulder.", Item(id="1", question="?", kind="open")).text
