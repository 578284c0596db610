"""Parsers of open answers held against people's labels."""

from __future__ import annotations

import json

import pytest

from snellen.errors import DataError
from snellen.judging.qualify import qualify, qualify_file

WHERE = {"question": "Where is the lesion?", "references": ["right upper lobe"]}
ROWS = [
    {**WHERE, "response": "RUL", "label": "correct"},
    {**WHERE, "response": "LUL", "label": "Incorrect"},
    {**WHERE, "response": "upper lobe", "label": "unclear"},
    {**WHERE, "response": "I cannot see the image.", "label": "abstained"},
    {**WHERE, "response": "The image is too blurry to tell.", "label": "abstained"},
    {**WHERE, "response": "I can't provide a medical diagnosis.", "label": "refused"},
    {**WHERE, "response": "in the right lung", "label": "correct"},
    {"reference": "CT", "response": "computed tomography", "label": "correct"},
    {"answer": "CT", "response": "MRI", "label": "incorrect"},
]


def test_agreement_and_confusion_are_over_the_labels():
    """Eight of nine agree, with one reference or several, a question or none."""
    done = qualify("match", ROWS)
    assert (done.agreement.value, done.agreement.n) == (pytest.approx(8 / 9), 9)
    assert done.confusion["correct", "unclear"] == 1
    assert [row.rule for row in done.differing] == ["part"]


def test_a_file_is_held_against_and_written_again(tmp_path):
    """Each row comes back with what the parser says."""
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    qualify_file("match", tmp_path / "rows.jsonl", tmp_path / "out.jsonl")
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["predicted"] for row in written[:3]] == ["correct", "incorrect", "unclear"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"response": "RUL", "label": "correct"}, "expected the right answer"),
        ({"references": ["a", " "], "response": "RUL", "label": "correct"}, "expected the right answer"),
        ({"references": [], "response": "RUL", "label": "correct"}, "expected the right answer"),
        ({**WHERE, "response": "RUL", "label": "right"}, "expected as label correct, incorrect"),
        ({**WHERE, "response": "RUL"}, "got no label"),
    ],
)
def test_a_row_without_references_or_label_is_named(row, problem):
    """The error says which row it is and what was expected."""
    with pytest.raises(DataError, match=f"row 1: .*{problem}"):
        qualify("match", [row])


def test_labels_that_nobody_had_are_not_held_against_the_parser():
    """With correct and incorrect alone, a refusal and an answer that leaves it open are incorrect."""
    rows = [
        {"question": "Where?", "reference": "left lung", "response": "Left lung.", "label": True},
        {"question": "Where?", "reference": "left lung", "response": "I cannot see an image.", "label": "Incorrect"},
        {"question": "Where?", "reference": "left lung", "response": "Left or right lung", "label": False},
    ]
    assert [row.predicted for row in qualify("match", rows).rows] == ["correct", "incorrect", "incorrect"]
    told_apart = [*rows[:2], {**rows[2], "label": "unclear"}, {**rows[1], "label": "abstained"}]
    found = [row.predicted for row in qualify("match", told_apart).rows]
    assert found == ["correct", "abstained", "unclear", "abstained"]
