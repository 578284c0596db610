"""MedXpertQA-MM is read from its published file: options once, keys by letter, images never missed in silence."""

import gzip
import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.errors import BrokenRowsError, DataError

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"


def row(**changed):
    return {
        "id": "MM-0",
        "question": "Which bone is broken?\nAnswer Choices: (A) Radius (B) Ulna",
        "options": [{"letter": "A", "content": "Radius"}, {"letter": "B", "content": "Ulna"}],
        "label": ["B"],
        "images": [{"image_path": "MM-0-a.png"}],
        "medical_task": "Diagnosis",
        "body_system": "Skeletal",
        "question_type": "Understanding",
    } | changed


def written(folder, *rows):
    (folder / "images").mkdir(exist_ok=True)
    cv2.imwrite(str(folder / "images" / "MM-0-a.png"), np.zeros((8, 8), np.uint8))
    (folder / "mm.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    return f"medxpertqa:{folder}"


def test_a_row_becomes_an_item(tmp_path):
    """The list of options leaves the question, which is noted; the key is the label's letter."""
    [item] = load(written(tmp_path, row())).items
    assert (item.question, item.answer, item.category) == ("Which bone is broken?", 1, "Skeletal")
    assert [option.text for option in item.options] == ["Radius", "Ulna"]
    assert item.metadata["options_in_question"] is True
    assert item.metadata["medical_task"] == "Diagnosis"
    assert len(item.images) == 1


def test_the_hubs_copy_is_read_too(tmp_path):
    """Options by letter and a bare label mean the same."""
    [item] = load(written(tmp_path, row(options={"A": "Radius", "B": "Ulna"}, label="B"))).items
    assert item.answer == 1


@pytest.mark.parametrize(
    "changed",
    [{"label": ["A", "B"]}, {"label": []}, {"options": []}, {"images": [{"image_path": "gone.png"}]}, {"label": "F"}],
)
def test_what_cannot_be_used_is_a_broken_row(tmp_path, changed):
    """Two labels, none, no options, a missing image or a letter that is no option: the row is named."""
    with pytest.raises(BrokenRowsError, match="MM-0"):
        load(written(tmp_path, row(**changed)))


def test_the_file_must_be_one(tmp_path):
    """A folder with two files of questions is refused, and so is one with none."""
    with pytest.raises(DataError, match="found none"):
        load(f"medxpertqa:{tmp_path}")
    written(tmp_path, row())
    (tmp_path / "dev.jsonl").write_text("")
    with pytest.raises(DataError, match=r"dev\.jsonl, mm\.jsonl"):
        load(f"medxpertqa:{tmp_path}")


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published file is not here")
def test_the_published_file_is_read_whole(tmp_path):
    """All 2,000 questions have five options, each of them printed in the question as well."""
    lines = gzip.decompress(PUBLISHED.read_bytes()).splitlines()
    rows = [json.loads(line) | {"images": []} for line in lines]
    items = load(written(tmp_path, *rows)).items
    assert len(items) == 2000
    assert Counter(len(item.options) for item in items) == {5: 2000}
    assert all(item.metadata["options_in_question"] for item in items)
