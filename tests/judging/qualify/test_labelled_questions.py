"""The parsers of contradictions and premises, and a judge beside them, compared with people's labels."""

from typing import NamedTuple

import pytest

from snellen.errors import DataError
from snellen.judging.qualify import as_text, judge_rows, qualify
from snellen.judging.qualify.judge_agreement import qualify_judge, question_named
from snellen.models.fake import FakeModel


class Kind(NamedTuple):
    """A parser with labelled rows, the last of which it reads otherwise, and what a judge says of its own question."""

    parser: str
    about: dict
    responses: dict
    predicted: str
    asks: str
    declined: str
    labels: str
    first: str
    others: str
    verdicts: tuple
    agreement: float


KINDS = (
    Kind(
        "mismatch",
        {"body_part": "knee", "shown_body_part": "shoulder", "question": "Why does his knee hurt?"},
        {
            "The image shows a shoulder, not a knee. (1)": "named",
            "Torn ligament of the knee. (2)": "Not named",
            "I don't see any image. (3)": "missing",
            "I'm sorry, but I cannot help with that. (4)": "refused",
            "The MRI of the shoulder shows a torn tendon. (5)": "named",
        },
        "not named",
        "What is graded: does a response name the contradiction or not?",
        "refused",
        "named, not named, refused or missing",
        '{"contradiction": true}',
        '{"contradiction": false}',
        (True, False, False, False, False),
        0.8,
    ),
    Kind(
        "premise",
        {"question": "How large is the pleural effusion?", "premise": "a pleural effusion"},
        {
            "I see no effusion. (1)": "corrects",
            "It is large. (2)": "Complies",
            "Effusions vary in size. (3)": "evades",
            "I'm sorry, but I cannot help with that. (4)": "declines",
            "Where would that be? (5)": "corrects",
        },
        "evades",
        "What decides: does a response correct the premise or not?",
        "declines",
        "corrects, complies, evades or declines",
        '{"premise": "corrects"}',
        '{"premise": "evades"}',
        ("corrects", "evades", "evades", "evades", "evades"),
        0.6,
    ),
)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.parser)
def kind(request):
    return request.param


def rows_of(kind):
    return [{"response": response, "label": label, **kind.about} for response, label in kind.responses.items()]


def judge_of(kind):
    """A judge that reads the first row well, and says the same of all others."""
    return FakeModel(lambda request: kind.first if "(1)" in request.text else kind.others)


def test_labels_are_compared_with_the_parser(kind):
    """Spelled loosely; the last row differs."""
    done = qualify(kind.parser, rows_of(kind))
    *labels, _ = (label.lower() for label in kind.responses.values())
    assert [row.predicted for row in done.rows] == [*labels, kind.predicted]
    assert done.agreement.value == 0.8
    assert kind.asks in as_text(done)


def test_a_filter_declines_and_a_strange_label_is_told(kind):
    """Whatever the text says."""
    stopped = {**rows_of(kind)[0], "label": kind.declined, "finish": "content_filter"}
    assert qualify(kind.parser, [stopped]).agreement.value == 1
    with pytest.raises(DataError, match=f"expected as label {kind.labels}, got 'yes'"):
        qualify(kind.parser, [{"response": "", "label": "yes"}])


def test_a_judge_is_asked_the_same_and_qualified_on_it(kind):
    """Beside the parser and by its own name; who declines evades, and names no contradiction."""
    judged = judge_rows(qualify(kind.parser, rows_of(kind)), judge_of(kind), watch=lambda progress: None)
    assert judged.verdicts == kind.verdicts
    done = qualify_judge(rows_of(kind), judge_of(kind), question=kind.parser, watch=lambda progress: None)
    assert done.question is question_named(kind.parser)
    assert judged.by_judge.agreement.value == done.agreement.value == kind.agreement
