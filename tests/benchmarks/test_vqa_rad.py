"""VQA-RAD as its authors publish it: made rows of its shape."""

import json

import numpy as np
import pytest

from snellen.benchmarks import vqa_rad
from snellen.errors import BrokenRowsError, DataError
from snellen.images import encode
from snellen.items import Option

CASE = "https://medpix.nlm.nih.gov/case?id="
ROW = {
    "qid": 7,
    "phrase_type": "test_freeform",
    "qid_linked_id": "link-7",
    "image_case_url": CASE + "case-1",
    "image_name": "one.jpg",
    "image_organ": "CHEST",
    "question": "Is there an effusion?",
    "question_type": "PRES",
    "answer": "Yes",
    "answer_type": "CLOSED",
}
SPLIT_FIELDS = ("qid", "phrase_type", "image_name", "image_organ", "question", "question_type", "answer", "answer_type")


@pytest.fixture
def published(tmp_path):
    """Writes rows as the published files: the whole, and all of them as the test split."""
    (tmp_path / "images").mkdir()
    for name in ("one.jpg", "two.jpg"):
        (tmp_path / "images" / name).write_bytes(encode(np.zeros((2, 2), np.uint8)).data)

    def write(*changes):
        rows = [{**ROW, **change} for change in changes]
        split = [{key: row[key] for key in SPLIT_FIELDS if key in row} for row in rows]
        (tmp_path / vqa_rad.PUBLIC).write_text(json.dumps(rows))
        (tmp_path / "testset.json").write_text(json.dumps(split))
        (tmp_path / "trainset.json").write_text("[]")
        return tmp_path

    return write


def only(path):
    """The one item of the test split."""
    (item,) = vqa_rad.load(path)
    return item


def test_a_row_becomes_an_item(published):
    """Question, answer, image, organ and case arrive, what the split file leaves out comes from the whole."""
    item = only(published({}))
    assert (item.id, item.question, item.kind) == ("vqa-rad/7", "Is there an effusion?", "choice")
    assert (item.category, item.cluster, item.images[0].path.name) == ("chest", "case-1", "one.jpg")
    assert item.metadata == {
        "organ": "CHEST",
        "body_part": "chest",
        "modality": "X-ray",
        "question_types": ["PRES"],
        "answer_type": "CLOSED",
        "phrase_type": "test_freeform",
        "linked": "link-7",
        "image": "one.jpg",
    }


@pytest.mark.parametrize(("answer", "expected"), [("Yes", 0), ("no", 1), ("YES", 0), (" No.", 1)])
def test_yes_and_no_are_a_choice(published, answer, expected):
    """A closed question answered yes or no is a choice between the two, however it is spelt."""
    item = only(published({"answer": answer, "answer_type": "CLOSED "}))
    assert (item.options, item.answer) == ((Option("Yes"), Option("No")), expected)


@pytest.mark.parametrize(
    ("question", "answer", "options"),
    [
        ("Is the lesion on the left or right?", "Right", ["left", "right"]),
        ("Is this an MRI or a CT scan?", "CT", ["MRI", "CT"]),
        ("Grey or white? Is this an AP or PA film?", "PA", ["AP", "PA"]),
        ("Are they on the left, right, or both sides?", "Both", []),
        ("Was oral or IV contrast used?", "Both", []),
        ("Do you suspect vascular process or a genetic process?", "genetic", []),
        ("Is the lesion on the left or right?", "Left side", []),
        ("Is this an infectious process?", "Maybe", []),
    ],
)
def test_opposites_are_a_choice_only_where_certain(published, question, answer, options):
    """Both of two opposites in the question and one of them as the answer make a choice; all else stays open."""
    item = only(published({"question": question, "answer": answer}))
    assert [option.text for option in item.options] == options
    assert (item.kind, item.answer) == (("choice", 1) if options else ("open", answer))


def test_open_questions_stay_open_whatever_their_words(published):
    """What the authors call open is open; numbers and stray whitespace are put in order."""
    path = published(
        {"qid": 1, "answer_type": "OPEN", "question": "Left or right? ", "answer": "Left"},
        {"qid": 2, "answer_type": "OPEN", "question": "How  many\tribs?", "answer": 12},
    )
    assert [(item.kind, item.question, item.answer) for item in vqa_rad.load(path)] == [
        ("open", "Left or right?", "Left"),
        ("open", "How many ribs?", "12"),
    ]


def test_one_image_is_one_patient(published):
    """An address counted up by a spreadsheet does not make a second patient; two images of a case are one."""
    addresses = [("one.jpg", "case-1"), ("one.jpg", "case-1"), ("one.jpg", "case-2"), ("two.jpg", "case-1")]
    path = published(
        *({"qid": n, "image_name": name, "image_case_url": CASE + case} for n, (name, case) in enumerate(addresses))
    )
    benchmark = vqa_rad.load(path)
    assert {"case-1"} == {item.cluster for item in benchmark}
    assert ("vqa-rad/2", "its case differs from that of the same image elsewhere") in benchmark.about["odd"]


def test_types_are_mended_and_named(published):
    """Misspelt question types are read as what they mean, and listed as odd."""
    benchmark = vqa_rad.load(published({"question_type": "PRSE, Other"}))
    assert benchmark.items[0].metadata["question_types"] == ["PRES", "OTHER"]
    assert benchmark.about["odd"] == (("vqa-rad/7", "its question_type is 'PRSE, Other'"),)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer": ""}, "it has no answer"),
        ({"answer": None, "question": None}, "it has no question and no answer"),
        ({"answer": " "}, "its reference answer is empty"),
        ({"answer": ["Yes"]}, "its answer is ['Yes'], expected text"),
        ({"question": "  "}, "its question is empty"),
        ({"image_name": "three.jpg"}, "image 'three.jpg' is not there"),
        ({"image_name": "../testset.json"}, "lies outside the folder"),
        ({"image_name": 3}, "is not there, or not a file"),
        ({"image_name": ""}, "it has no image_name"),
        ({"qid": 1}, "another row has the same id (testset.json, row 1)"),
        ({"qid": None}, "it has no qid"),
    ],
)
def test_broken_rows_are_named(published, change, reason):
    """A row that cannot be used is named with its place; the rest loads with leave."""
    path = published({"qid": 1}, change)
    with pytest.raises(BrokenRowsError) as caught:
        vqa_rad.load(path)
    (row,) = caught.value.broken
    assert row.where == "testset.json, row 2"
    assert reason in row.reason
    assert [item.id for item in vqa_rad.load(path, allow_broken=True)] == ["vqa-rad/1"]


def test_rows_that_are_no_objects_are_named(published):
    """A list where a row should be breaks that row alone."""
    path = published({})
    (path / "testset.json").write_text(json.dumps([ROW, [1, 2]]))
    assert [row.where for row in vqa_rad.load(path, allow_broken=True).broken] == ["testset.json, row 2"]


def test_unknown_splits_and_missing_files_are_refused(published, tmp_path):
    """What is asked for must be there."""
    with pytest.raises(DataError, match="no split 'dev'"):
        vqa_rad.load(published({}), split="dev")
    with pytest.raises(DataError, match="holds no items"):
        vqa_rad.load(tmp_path, split="train")
    with pytest.raises(DataError, match="VQA_RAD Dataset Public"):
        vqa_rad.load(tmp_path / "nowhere")
