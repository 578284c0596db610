"""The parser of premises, and a judge beside it, held against people's labels."""

import pytest

from snellen.errors import DataError
from snellen.judging.qualify import as_text, judge_rows, qualify
from snellen.judging.qualify.judge_agreement import qualify_judge, question_named
from snellen.models.fake import FakeModel

ROWS = [
    {"response": "I see no effusion. (1)", "label": "corrects"},
    {"response": "It is large. (2)", "label": "Complies"},
    {"response": "Effusions vary in size. (3)", "label": "evades"},
    {"response": "I'm sorry, but I cannot help with that. (4)", "label": "declines"},
    {"response": "Where would that be? (5)", "label": "corrects"},
]
TOLD = {"question": "How large is the pleural effusion?", "premise": "a pleural effusion"}
LABELLED = [{**row, **TOLD} for row in ROWS]


def test_four_labels_are_held_against_the_parser():
    """Spelled loosely; the last row differs."""
    done = qualify("premise", LABELLED)
    assert [row.predicted for row in done.rows] == ["corrects", "complies", "evades", "declines", "evades"]
    assert done.agreement.value == 0.8
    assert "What decides: does a response correct the premise or not?" in as_text(done)


def test_a_filter_declines_and_a_strange_label_is_told():
    """Whatever the text says."""
    stopped = {**LABELLED[0], "label": "declines", "finish": "content_filter"}
    assert qualify("premise", [stopped]).agreement.value == 1
    with pytest.raises(DataError, match="expected as label corrects, complies, evades or declines, got 'yes'"):
        qualify("premise", [{"response": "", "label": "yes"}])


def said(request):
    """A judge that reads the first row well, and takes all else for evasion."""
    return '{"premise": "%s"}' % ("corrects" if "(1)" in request.text else "evades")


def test_a_judge_is_asked_the_same():
    """In three words: who declines evades."""
    judged = judge_rows(qualify("premise", LABELLED), FakeModel(said), watch=lambda progress: None)
    assert judged.verdicts == ("corrects", "evades", "evades", "evades", "evades")
    assert judged.by_judge.agreement.value == 0.6


def test_a_judge_is_qualified_on_it():
    """By its name on the command line."""
    done = qualify_judge(LABELLED, FakeModel(said), question="premise", watch=lambda progress: None)
    assert done.question is question_named("premise")
    assert done.agreement.value == 0.6
