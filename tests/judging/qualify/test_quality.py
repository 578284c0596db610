"""The parser of detection replies, and a judge, held against people's labels."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from snellen.cli import cli
from snellen.errors import DataError
from snellen.judging.qualify import as_text, judge_rows, judged_as_text, qualify, qualify_file
from snellen.judging.qualify.quality import qualify_field
from snellen.models.fake import FakeModel

TUMOR = {"options": ["brain tumor", "normal"], "normal": "normal"}
NOISY = "The scan is noisy, but no mass is seen. Conclusion: normal"
ROWS = [
    {**TUMOR, "response": "normal", "label": 0, "flags": False, "conflict": None},
    {**TUMOR, "response": NOISY, "label": "normal", "flags": True, "conflict": False},
    {**TUMOR, "response": "There is a large mass. Conclusion: normal", "label": "0", "flags": False, "conflict": True},
    {**TUMOR, "response": "Brain tumour", "label": 1},
    {**TUMOR, "response": "The image is too blurred to tell.", "label": 2, "flags": True, "conflict": None},
    {**TUMOR, "response": "I can't provide a diagnosis.", "label": "Refuses"},
    {**TUMOR, "response": "Gliomas usually infiltrate.", "label": "unsaid"},
    {**TUMOR, "response": "normal", "label": 1},
]


def test_labels_are_codes_or_words_and_agreement_is_over_five():
    """Seven of eight agree; 0 to 3 and their words mean the same."""
    done = qualify("quality", ROWS)
    assert (done.agreement.value, done.agreement.n) == (7 / 8, 8)
    assert [row.label for row in done.rows] == [
        *("normal", "normal", "normal", "abnormal", "quality", "refuses", "unsaid", "abnormal")
    ]
    assert done.confusion["abnormal", "normal"] == 1


def test_the_papers_way_of_counting_has_a_name_of_its_own():
    """Any reply that flags quality is a 2 there, whatever it concludes."""
    [row] = qualify("quality-as-published", [{**ROWS[1], "label": 2}]).rows
    assert (row.label, row.predicted) == ("quality", "quality")


def test_options_may_be_left_out():
    """Without options, the choice was between abnormal and normal."""
    done = qualify("quality", [{"response": "Abnormal.", "label": 1}, {"response": "The scan is normal.", "label": 0}])
    assert done.agreement.value == 1


def test_a_reply_that_a_filter_stopped_refuses():
    """As in an exam, whatever is left of its words."""
    [row] = qualify("quality", [{"response": "normal", "label": 3, "finish": "content_filter"}]).rows
    assert (row.predicted, row.rule) == ("refuses", "content-filter")


def test_flags_and_conflicts_are_held_against_people_where_rows_say_them():
    """Over the rows that say so; conflicts over those that conclude, and no reasons are no conflict."""
    done = qualify("quality", ROWS)
    flags, conflict = qualify_field(done, "flags"), qualify_field(done, "conflict")
    assert flags.confusion == {("flags", "flags"): 2, ("no flags", "no flags"): 2}
    assert conflict.confusion == {("conflict", "conflict"): 1, ("no conflict", "no conflict"): 2}
    assert qualify_field(qualify("quality", ROWS[3:4]), "flags") is None


@given(st.lists(st.sampled_from(ROWS), min_size=1, max_size=20))
def test_rows_are_read_one_by_one(rows):
    """What is read of a row does not depend on the others."""
    alone = [qualify("quality", [row]).rows[0] for row in rows]
    assert [row[2:] for row in qualify("quality", rows).rows] == [row[2:] for row in alone]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"label": 4}, r"row 1: expected as label 0 or normal, .* or unsaid, got 4\. Correct the label"),
        ({"label": True}, r"expected as label .* got True"),
        ({"label": None}, r"expected as label .* got None"),
        ({}, r"expected as label .* got no label"),
        (
            {"label": 0, "options": ["tumor", "healthy"]},
            r"expected `normal` to name one of the options, .*normal='normal'",
        ),
        ({"label": 0, "options": 7}, r"row 1: .* Give the options' texts as a list"),
        ({"label": 0, "normal": "healthy"}, r"normal='healthy'\. Write the text of the normal option"),
    ],
)
def test_a_broken_row_is_named_with_what_to_do(fields, message):
    """What was expected, what came, where, and what to do."""
    with pytest.raises(DataError, match=message):
        qualify("quality", [{"response": "normal", **fields}])


def test_a_conflict_must_be_true_false_or_null():
    """Words are not guessed at."""
    done = qualify("quality", [{**ROWS[0], "conflict": "yes"}])
    with pytest.raises(DataError, match=r"expected true, false or null for `conflict`, got 'yes'"):
        qualify_field(done, "conflict")


def test_the_text_shows_classes_then_flags_and_conflicts():
    """One table for the class, one for each of what rows say beside it."""
    text = as_text(qualify("quality", ROWS))
    assert text.startswith("Parser quality: 8 rows\n\nagreement  0.88 [")
    assert "1 rows differ, the first 1:\nrow 8: people abnormal, parser normal (option-alone): normal" in text
    flags, conflicts = text.split("Does a response call the image poor anywhere?")[1].split(
        "Do the reasons of a response"
    )
    assert "(n=4, wilson" in flags
    assert "(n=3, wilson" in conflicts


def says(label, *, flags=False, conflict=None):
    return json.dumps({"class": label, "flags": flags, "conflict": conflict})


def judge(request):
    """A judge that sees the conflict, cannot be read on the sixth row, and takes the last for abnormal."""
    for words, answer in (
        ("no mass is seen", says(0, flags=True, conflict=False)),
        ("a large mass", says(0, conflict=True)),
        ("Brain tumour", says(1)),
        ("too blurred", says(2, flags=True)),
        ("can't provide", "Class 3."),
        ("Gliomas", says(4)),
    ):
        if words in request.text:
            return answer
    return says(0)


def test_a_judge_is_asked_our_question_and_held_against_the_same_people():
    """Equal replies are asked about once, what cannot be read counts as nothing, and no label is shown to it."""
    requests = []
    model = FakeModel(lambda request: requests.append(request) or judge(request), name="fake/judge")
    judged = judge_rows(qualify("quality", ROWS), model, watch=lambda progress: None)
    assert len(requests) == 7
    assert all('"brain tumor" and "normal"' in request.text for request in requests)
    assert (judged.unread, judged.failed) == (1, 0)
    assert [row.predicted for row in judged.by_judge.rows] == [
        *("normal", "normal", "normal", "abnormal", "quality", "unsaid", "normal")
    ]
    assert judged.verdicts[1] == {"label": "normal", "flags": True, "conflict": False}
    text = judged_as_text(judged)
    assert "7 of 8 rows graded\n1 answers could not be read, 0 rows got no answer" in text
    assert "Do the reasons of a response that concludes go against its conclusion?\n\n" in text


def test_a_judge_is_counted_as_the_paper_counts_beside_that_parser():
    """A reply the judge says flags quality is a 2 there."""
    rows = [{**ROWS[1], "label": 2}]
    judged = judge_rows(qualify("quality-as-published", rows), FakeModel(judge), watch=lambda progress: None)
    assert judged.by_judge.rows[0].predicted == "quality"


def test_the_command_reads_a_file_and_writes_it_again(tmp_path):
    """`snellen parser qualify quality FILE --out` prints the agreement and writes each row with what was read."""
    source, target = tmp_path / "rows.jsonl", tmp_path / "read.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    done = CliRunner().invoke(cli, ["parser", "qualify", "quality", str(source), "--out", str(target)])
    assert done.exit_code == 0, done.output
    assert "Parser quality: 8 rows" in done.output
    written = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["predicted"] for row in written[:2]] == ["normal", "normal"]
    assert written[2]["rule"] == "conclusion"
    assert qualify_file("quality", source).agreement.n == 8
