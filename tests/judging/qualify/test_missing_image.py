"""The parser of replies to images that were never sent, held against people's labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import DataError
from snellen.judging.qualify import Qualification, as_text, qualify, qualify_file
from snellen.judging.qualify.judge import flagging
from snellen.judging.qualify.qualification import QualifiedRow

MISSING = "I don't see an image attached. Please upload the image."
DESCRIBES = "The image shows a large left pleural effusion."
LABELS = ("missing", "hedges", "describes", "generic", "refuses", "empty")
MIXED = [
    {"response": MISSING, "label": "missing"},
    {"response": DESCRIBES, "label": "describes", "question": "What does this chest X-ray show?"},
    {"response": "", "label": "empty"},
    {"response": DESCRIBES, "label": "generic"},
    {"response": MISSING, "label": "hedges"},
    {"response": DESCRIBES, "label": "hedges"},
]


def test_agreement_and_confusion_are_over_six_labels():
    """Three of six agree; no row needs options, and only one has a question."""
    done = qualify("missing-image", MIXED)
    assert (done.agreement.value, done.agreement.n) == (0.5, 6)
    assert done.confusion == {
        ("missing", "missing"): 1,
        ("describes", "describes"): 1,
        ("empty", "empty"): 1,
        ("generic", "describes"): 1,
        ("hedges", "missing"): 1,
        ("hedges", "describes"): 1,
    }
    assert sum(count for _, count in done.by_rule.values()) == 6


def test_the_papers_question_merges_labels():
    """Missing and hedges are flagged, the rest is not: five of six agree, and κ is that of the two by two."""
    question = flagging(qualify("missing-image", MIXED))
    assert question.agreement.value == pytest.approx(5 / 6)
    assert question.confusion == {
        ("flagged", "flagged"): 2,
        ("not flagged", "not flagged"): 3,
        ("flagged", "not flagged"): 1,
    }
    # chance: 3/6 × 2/6 + 3/6 × 4/6 = 1/2
    assert question.kappa.value == pytest.approx((5 / 6 - 1 / 2) / (1 - 1 / 2))
    assert question.kappa.low < question.kappa.value < question.kappa.high


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=30))
def test_merging_labels_never_makes_agreement_less(pairs):
    """Rows that agree on six labels agree on two, and none is lost."""
    rows = tuple(QualifiedRow(f"row {at}", {}, label, predicted, "rule") for at, (label, predicted) in enumerate(pairs))
    done = Qualification("missing-image", rows)
    question = flagging(done)
    assert question.agreement.value >= done.agreement.value
    assert len(question.rows) == len(rows)
    alike = sum((one in LABELS[:2]) == (other in LABELS[:2]) for one, other in pairs)
    assert len(question.rows) - len(question.differing) == alike


def test_labels_may_be_spelled_loosely():
    """Capitals and spaces around a label do not matter."""
    assert qualify("missing-image", [{"response": "", "label": " Empty "}]).agreement.value == 1


def test_a_reply_that_a_filter_stopped_refuses():
    """As in an exam, whatever is left of its words."""
    [row] = qualify("missing-image", [{"response": DESCRIBES, "label": "refuses", "finish": "content_filter"}]).rows
    assert (row.predicted, row.rule) == ("refuses", "refuses: content-filter")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            '{"response": "B", "label": "absent"}',
            r"line 3: expected as label missing, hedges, describes, generic, refuses or empty, got 'absent'\. Correct",
        ),
        ('{"response": "B", "label": null}', r"line 3: expected as label .* got None\. Correct the label, or drop"),
        ('{"response": "B", "label": ""}', r"line 3: expected as label .* got ''"),
        ('{"response": "B", "label": 1}', r"line 3: expected as label .* got 1"),
        ('{"response": "B"}', r"line 3: expected as label .* got no label"),
        ('{"label": "empty"}', r"line 3: expected the response's text in `response`, got None\. Fix or remove the row"),
        ('{"response": null, "label": "refuses", "finish": "content_filter"}', r"line 3: expected the response's text"),
        ("{broken", r"line 3: it is not JSON"),
    ],
)
def test_a_broken_row_is_named_by_its_line(tmp_path, broken, message):
    """What was expected, what came, where, and what to do; blank lines are counted."""
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"response": "", "label": "empty"}}\n\n{broken}\n')
    with pytest.raises(DataError, match=message):
        qualify_file("missing-image", path)


def test_the_text_ends_with_the_papers_question():
    """Six labels first, with the rows that differ; below, flagged or not."""
    labels, question = as_text(qualify("missing-image", MIXED)).split("The question behind the mirage rate: ")
    assert labels.startswith("Parser missing-image: 6 rows\n\nagreement  0.50 [")
    assert "3 rows differ, the first 3:\nrow 4: people generic, parser describes (" in labels
    assert question.startswith("is a response flagged (missing or hedges) or not?\n\nagreement  0.83 [")
    assert "Cohen's κ  0.67 [" in question
    assert [line.split() for line in question.splitlines()[-2:]] == [
        ["flagged", "2", "1"],
        ["not", "flagged", "·", "3"],
    ]


def test_the_text_of_other_parsers_has_no_such_question():
    """Parsers of choices print what they did before."""
    assert "mirage" not in as_text(qualify("lenient", [{"response": "B", "label": "B", "n_options": 3}]))


def test_control_characters_do_not_reach_the_terminal():
    """An escape sequence in a reply is spelled out where it is shown."""
    text = as_text(qualify("missing-image", [{"response": "\x1b[31m" + DESCRIBES, "label": "missing"}]))
    assert "\x1b" not in text
    assert "⟨U+001B⟩[31mThe image shows" in text
