"""Biases of a judge: found where they are planted, not claimed where they are not, and left open where rows are few."""

import json
import random

import pytest

from snellen.judging.qualify import agreement_as_text, qualify_judge
from snellen.judging.qualify.biases import FEWEST, STYLES
from snellen.models.fake import FakeModel

ROWS = [
    {
        "question": "Which bone?",
        "reference": "Scaphoid",
        "response": f"(reply {at}){' and so on' * (20 if at % 2 else 1)}",
        "label": "incorrect" if at % 4 < 2 else "correct",
        "model": "azure/gpt-4o" if at % 8 < 4 else "local/llama-3",
        "style": "formal" if at % 16 < 8 else "",
    }
    for at in range(160)
]


def held(favours=lambda at, row: False, *, turned=lambda at: False, rows=ROWS, name="openai/gpt-5", slips=0.0):
    """A judge that grades as people do, but some rows, or some that are turned, as correct."""
    chance = random.Random(0)

    def answer(request):
        at = int(request.text.partition("(reply ")[2].partition(")")[0])
        first = request.text.index("REPLY\n") < request.text.index("REFERENCE\n")
        good = favours(at, rows[at]) or (first and turned(at)) or chance.random() < slips
        return json.dumps({"grade": "correct" if good else rows[at]["label"]})

    return qualify_judge(rows, FakeModel(answer, name=name), watch=lambda progress: None).biases


PLANTED = {
    "length": lambda at, row: len(row["response"]) > 50 and at % 8 in (1, 5),
    "own provider": lambda at, row: "gpt" in row["model"] and at % 8 < 2,
    "style: 'formal' (named by the rows)": lambda at, row: row["style"] and at % 8 in (0, 5),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_bias_that_is_there_is_found(name):
    """Its size is the share of rows that it moves, in one group more than in the other."""
    bias = held(PLANTED[name])[name]
    assert bias.found
    assert 0.2 <= bias.estimate.value <= 0.55
    assert bias.sentence.startswith("Compared with people, it favours")
    assert "points (95% CI" in bias.sentence
    assert bias.record["n"] == 160


def test_a_judge_without_bias_has_none_found():
    """Nothing is claimed, and how large it could still be is said."""
    found = held(slips=0.1)
    for name in ("length", "own provider", "position"):
        assert not found[name].found, name
        assert "no bias" in found[name].sentence.casefold()
        assert found[name].estimate.low < 0 < found[name].estimate.high


def test_the_other_direction_is_found_too():
    """A judge that is harder on long responses than people are."""
    rows = [{**row, "label": "correct" if at % 2 and at % 8 < 5 else row["label"]} for at, row in enumerate(ROWS)]
    answers = [row["label"] for row in ROWS]
    judge = FakeModel(
        lambda request: json.dumps({"grade": answers[int(request.text.partition("(reply ")[2].partition(")")[0])]})
    )
    bias = qualify_judge(rows, judge, watch=lambda progress: None).biases["length"]
    assert bias.found
    assert bias.estimate.value < 0
    assert "is harder on responses longer than" in bias.sentence


def test_position_is_the_share_that_changes_and_which_way():
    """A judge that calls some wrong replies correct once they come first."""
    bias = held(turned=lambda at: at % 4 == 0)["position"]
    assert bias.found
    assert bias.estimate.value == pytest.approx(0.25)
    assert "changes in 25% of the rows when the order is swapped" in bias.sentence
    assert "two opinions in the same order differ in 0%" in bias.sentence
    assert "With the response first, grades are higher" in bias.sentence


def test_too_few_rows_tell_nothing():
    """Rows of one author, of one length or without a style are no comparison."""
    rows = [
        {**row, "response": f"(reply {at})"[:9].ljust(12), "model": ""} for at, row in enumerate(ROWS[: FEWEST - 1])
    ]
    found = held(rows=rows)
    assert set(found) >= {"length", "own provider", "position", "style: lists"}
    assert all(each.estimate is None and "Too few rows to decide" in each.sentence for each in found.values())
    assert not any(each.found for each in found.values())
    assert found["length"].record == {"found": False, "sentence": found["length"].sentence}


def test_found_biases_are_marked_where_they_are_printed():
    """An exclamation mark stands before them."""
    grades = {True: "correct", False: "incorrect"}
    judge = FakeModel(
        lambda request: json.dumps({"grade": grades["on and so on" in request.text]}), name="openai/gpt-5"
    )
    text = agreement_as_text(qualify_judge(ROWS, judge, watch=lambda progress: None))
    assert "\n! length: Compared with people" in text
    assert "\n  own provider: Responses of its own provider" in text


@pytest.mark.parametrize(
    ("style", "text", "other"),
    [
        ("lists", "Findings:\n- one\n- two", "One - two"),
        ("lists", "1. one\nmore\n2. two", "1. one"),
        ("markdown", "It is **broken**.", "It is 2 * 3."),
        ("markdown", "# Finding", "No. 1 # 2"),
        ("hedged", "It might be broken.", "It is broken in May."[:16]),
        ("hedged", "Könnte gebrochen sein", "Ist gebrochen"),
        ("hedged", "可能骨折", "骨折"),
        ("confident", "Clearly broken.", "Broken."),
        ("confident", "Senza dubbio fratturato", "Fratturato"),
    ],
)
def test_styles_are_simple_features_of_the_text(style, text, other):
    """What has it, and what does not."""
    _, has = STYLES[style]
    assert (has(text), has(other)) == (True, False)
