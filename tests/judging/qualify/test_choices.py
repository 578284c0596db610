"""Parsers of choices held against people: what agrees, what is counted, what is written, and what is refused."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import DataError, PluginError
from snellen.judging.qualify import as_text, qualify, qualify_file

OPTIONS = ["Pneumonia", "Effusion", "Normal"]


def row(response, label, **fields):
    """A row of three options, unless told otherwise."""
    return {"response": response, "label": label, "options": OPTIONS, **fields}


MIXED = [
    row("Answer: B", "B"),
    row("The answer is A.", "A"),
    row("It shows an effusion.", "B"),
    row("I cannot see the image.", "abstained"),
    row("I'm sorry, I can't assist with that.", "refused"),
    row("A or B", "unparsed"),
    row("The image shows", "truncated", finish="length"),
    row("Answer: C", "A"),
    row("No image was provided.", "refused"),
]


def test_agreement_kappa_confusion_and_rules_are_counted():
    """Seven of nine agree; the confusion matrix and the rules add up to the rows."""
    done = qualify("lenient", MIXED)
    assert (done.agreement.value, done.agreement.n) == (pytest.approx(7 / 9), 9)
    assert done.agreement.low < 7 / 9 < done.agreement.high
    assert 0.5 < done.kappa.value < 1
    assert [(read.label, read.predicted) for read in done.differing] == [("A", "C"), ("refused", "abstained")]
    assert done.confusion["A", "C"] == 1
    assert sum(done.confusion.values()) == sum(count for _, count in done.by_rule.values()) == 9
    assert done.by_rule["answer-phrase"] == (2, 3)


@pytest.mark.parametrize("nothing", ["none", "", None, "None"])
def test_none_agrees_with_every_silence(nothing):
    """Where people only say that no option was chosen, it does not matter why the parser found none."""
    replies = ["A or B", "I cannot see the image.", "I'm sorry, I can't assist with that.", ""]
    done = qualify("lenient", [row("Answer: B", "B"), *(row(reply, nothing) for reply in replies)])
    assert done.agreement.value == 1
    assert {read.predicted for read in done.rows} == {"B", "none"}


def test_none_beside_outcomes_still_agrees_with_any_silence():
    """In a file that names outcomes too, none agrees with any of them, and outcomes with themselves only."""
    done = qualify("lenient", [row("A or B", None), row("I cannot see the image.", "refused")])
    assert [read.predicted for read in done.rows] == ["none", "abstained"]


def test_letters_are_all_the_options_where_only_their_number_is_known():
    """`n_options` stands for options without texts; a letter beyond them is not read."""
    done = qualify(
        "lenient",
        [{"response": "Answer: J", "label": "j", "n_options": 10}, {"response": "J", "label": None, "n_options": 5}],
    )
    assert [(read.predicted, read.rule) for read in done.rows] == [
        ("J", "answer-phrase"),
        ("none", "letter-not-offered"),
    ]


def test_a_strict_parser_agrees_less():
    """The same rows under a parser of one form only."""
    assert qualify("boxed", MIXED).agreement.value < qualify("lenient", MIXED).agreement.value


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_rows_are_written_again_with_what_was_read(tmp_path, suffix):
    """Each row comes back whole, in order, with `predicted` and `rule`, gzipped or not."""
    source, target = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    packed = gzip.open if suffix.endswith("gz") else open
    with packed(source, "wt", encoding="utf-8") as file:
        file.write("\n".join(json.dumps({**fields, "id": str(at)}) for at, fields in enumerate(MIXED)) + "\n\n")
    done = qualify_file("lenient", source, target)
    with packed(target, "rt", encoding="utf-8") as file:
        written = [json.loads(line) for line in file]
    assert done.agreement.n == 9
    assert [fields["id"] for fields in written] == [str(at) for at in range(9)]
    assert written[0] == {**MIXED[0], "id": "0", "predicted": "B", "rule": "answer-phrase"}
    assert written[3]["predicted"] == "abstained"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ('{"response": "B", "n_options": 3}', r"line 3: expected as label a letter from A to C, .* got no label"),
        ('{"response": "B", "label": "E", "n_options": 3}', r"line 3: .* from A to C, .* got 'E'"),
        ('{"response": "B", "label": 1, "n_options": 3}', r"line 3: .* got 1"),
        ('{"response": null, "label": "B", "n_options": 3}', r"line 3: expected the response's text .* got None"),
        ('{"response": "B", "label": "B"}', r"line 3: expected `options` .* or `n_options` .* got n_options=None"),
        ('{"response": "B", "label": "B", "n_options": 99}', r"line 3: .* got n_options=99"),
        ('{"response": "B", "label": "B", "options": ["one"]}', r"line 3: expected 2 to 26 options, got 1"),
        ('{"response": "B", "label": "B", "options": 4}', r"line 3: its options are 4, expected a list"),
        ("{broken", r"line 3: it is not JSON"),
        ("[1]", r"line 3: expected an object"),
    ],
)
def test_a_broken_row_is_named_by_its_line(tmp_path, broken, message):
    """What was expected, what came and where; blank lines are counted."""
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"response": "A", "label": "A", "n_options": 3}}\n\n{broken}\n')
    with pytest.raises(DataError, match=message):
        qualify_file("lenient", path)


def test_no_rows_and_no_such_parser_are_errors(tmp_path):
    """Nothing to measure is not a perfect score."""
    with pytest.raises(DataError, match="no rows"):
        qualify("lenient", [])
    with pytest.raises(PluginError, match=r"There is no 'eager' among the parsers\. There are: lenient"):
        qualify("eager", MIXED)


def test_the_text_shows_numbers_rules_matrix_and_differences():
    """A terminal gets everything, with the first rows that differ."""
    text = as_text(qualify("lenient", MIXED), most=1)
    assert "agreement  0.78 [" in text
    assert "Cohen's κ  0." in text
    assert "answer-phrase" in text
    assert "2 rows differ, the first 1:\nrow 8: people A, parser C (answer-phrase): Answer: C" in text
    assert "row 9" not in text
    assert "differ" not in as_text(qualify("lenient", MIXED[:3]))


@given(st.lists(st.sampled_from(MIXED), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, random):
    """Agreement, κ and counts are those of the rows in any order."""
    one, other = qualify("lenient", rows), qualify("lenient", random.sample(rows, len(rows)))
    assert one.agreement == other.agreement
    assert one.confusion == other.confusion
    assert one.kappa.low == pytest.approx(other.kappa.low, abs=1e-12)
