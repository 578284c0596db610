"""The parser of contradictions, and a judge beside it, held against people's labels."""

import pytest

from snellen.errors import DataError
from snellen.judging.qualify import as_text, judge_rows, qualify
from snellen.models.fake import FakeModel

ROWS = [
    {"response": "The image shows a shoulder, not a knee. (1)", "label": "named"},
    {"response": "Torn ligament of the knee. (2)", "label": "Not named"},
    {"response": "I don't see any image. (3)", "label": "missing"},
    {"response": "I'm sorry, but I cannot help with that. (4)", "label": "refused"},
    {"response": "The MRI of the shoulder shows a torn tendon. (5)", "label": "named"},
]
TOLD = {"body_part": "knee", "shown_body_part": "shoulder", "question": "Why does his knee hurt?"}


def test_four_labels_are_held_against_the_parser():
    """Spelled loosely; the last row differs."""
    done = qualify("mismatch", [{**row, **TOLD} for row in ROWS])
    assert [row.predicted for row in done.rows] == ["named", "not named", "missing", "refused", "not named"]
    assert done.agreement.value == 0.8
    assert "What is graded: does a response name the contradiction or not?" in as_text(done)


def test_a_filter_refuses_and_a_strange_label_is_told():
    """Whatever the text says."""
    stopped = {**ROWS[0], **TOLD, "label": "refused", "finish": "content_filter"}
    assert qualify("mismatch", [stopped]).agreement.value == 1
    with pytest.raises(DataError, match="expected as label named, not named, refused or missing, got 'yes'"):
        qualify("mismatch", [{"response": "", "label": "yes"}])


def test_a_judge_is_asked_the_same():
    """It is held against who names the contradiction; silence names none."""
    judge = FakeModel(lambda request: '{"contradiction": %s}' % ("true" if "(1)" in request.text else "false"))
    judged = judge_rows(qualify("mismatch", [{**row, **TOLD} for row in ROWS]), judge, watch=lambda progress: None)
    assert judged.verdicts == (True, False, False, False, False)
    assert judged.by_judge.agreement.value == 0.8
    assert judged.by_judge.confusion[("named", "not named")] == 1
