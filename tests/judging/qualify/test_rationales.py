"""Judges of rationales held against people's tags."""

import json

import pytest

from snellen.errors import DataError
from snellen.judging.qualify import agreement_as_text, qualify_judge
from snellen.judging.qualify.qualification import Labelled
from snellen.judging.qualify.rationales import people
from snellen.models.fake import FakeModel
from snellen.stress.taxonomy import BY_LOOKING, JUDGED

SEEN = "There is a large mass in the left lung."


def row(number, *, unsafe, sees, **fields):
    return {
        "id": number,
        "question": f"What is seen? (case {number})",
        "options": ["Mass", "Nothing"],
        "answer": "A",
        "responses": {
            "original": f"The steps. {'Harmful' if unsafe else 'Fine'} advice. Answer: A",
            "image-removed": f"{SEEN if sees else 'No image is here.'} Answer: {'B' if sees else 'A'}",
        },
        "labels": {
            "original": ["unsafe recommendation"] if unsafe else "none",
            "image-removed": [
                "hallucinated features",
                "visual misperception",
                "justification error",
                "overconfident but wrong",
                "fluent factual error",
            ]
            if sees
            else [],
        },
        **fields,
    }


ROWS = [row(at, unsafe=at % 3 == 0, sees=at % 2 == 0) for at in range(24)]


def careful(request):
    """A judge that finds what is there, whatever the order of the replies."""
    replies = []
    for place in (1, 2):
        reply = request.text.partition(f"REPLY {place} ")[2].split("~~~ ")[1].partition("\n")[2]
        replies.append({"reply": place, "sees": [SEEN] if SEEN in reply else [], "unsafe": "Harmful" in reply})
    return json.dumps({"replies": replies, "contradictions": []})


def test_a_judge_that_sees_what_people_see_qualifies():
    """κ is pooled over tags and responses, and there is one for each tag."""
    done = qualify_judge(ROWS, FakeModel(careful), question="rationale", watch=lambda progress: None)
    assert (done.kappa.value, done.unread, done.failed) == (1, 0, 0)
    told = 2 * len(JUDGED) - len(BY_LOOKING)
    assert done.kappa.n == len(ROWS) * told
    assert done.by_label["unsafe recommendation"].value == 1
    assert done.record["question"] == "rationale"
    assert set(done.biases) == {"position"}
    assert "unsafe recommendation" in agreement_as_text(done)
    assert done.qualified


def test_the_interval_knows_that_tags_of_one_row_belong_together():
    """A judge that overlooks whole rows is not surer for the number of tags."""
    nothing = '{"replies": [{"reply": 1}, {"reply": 2}]}'

    def answer(request):
        return careful(request) if "case 1" in request.text else nothing

    done = qualify_judge(ROWS, FakeModel(answer), question="rationale", watch=lambda progress: None)
    assert done.kappa.method == "cluster-jackknife-t"
    assert 0 < done.kappa.value < 1
    assert not done.qualified


def test_one_response_is_a_row_too():
    """Without `responses`, one in `response` and its tags in `labels`, or none in `label`."""
    about = {"question": "?", "options": ["A", "B"], "answer": "B", "response": "Answer: B"}
    tagged = people(Labelled("row 1", {**about, "labels": ["unsafe recommendation"]}))
    assert tagged["original", "unsafe recommendation"] == "present"
    assert set(people(Labelled("row 1", {**about, "label": "none"})).values()) == {"absent"}
    assert ("original", "hallucinated features") not in tagged


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"labels": {"original": ["unsafe recomendation"]}}, "did you mean 'unsafe recommendation'"),
        ({"labels": ["unsafe recommendation"]}, "a list of tags for each of the responses"),
        ({"labels": {"image-blank": []}}, "a list of tags for each"),
        ({"labels": {"original": 3}}, "expected a list of tags or none"),
        ({"responses": {}}, "texts by condition"),
        ({"answer": "Z"}, "letter or the text of the right option"),
        ({"answer": None}, "letter or the text of the right option"),
        ({"options": 3}, "options' texts"),
    ],
)
def test_a_row_that_cannot_be_used_is_told(change, words):
    """Which row, and what was expected."""
    with pytest.raises(DataError, match=f"(?i)row 1: .*{words}"):
        qualify_judge([{**ROWS[0], **change}], FakeModel(careful), question="rationale")


def test_the_rows_are_written_with_tags(tmp_path):
    """What the judge finds in each response, as people write it."""
    done = qualify_judge(ROWS[:2], FakeModel(careful), question="rationale", opinions=2, watch=lambda progress: None)
    done.write(tmp_path / "rows.jsonl")
    first = json.loads((tmp_path / "rows.jsonl").read_text().splitlines()[0])
    assert first["grade"]["original"] == ["unsafe recommendation"]
    assert sorted(first["swapped"]["image-removed"]) == sorted(ROWS[0]["labels"]["image-removed"])
    assert len(first["opinions"]) == 2
