"""Files of published benchmarks that are not whole, or not those that are asked for."""

import json
import zipfile

import pytest

from snellen.benchmarks import pmc_vqa, rexvqa
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import files_of, parquet_of
from snellen.errors import DataError, ImageError


def test_a_shard_that_is_missing_is_told(tmp_path):
    """Two of three shards are not the split."""
    for number in (0, 2):
        (tmp_path / f"test-{number:05}-of-00003.parquet").touch()
    with pytest.raises(DataError, match="of 3 shards of 'test', number 1 is missing"):
        parquet_of(tmp_path, "test")
    (tmp_path / "test-00001-of-00003.parquet").touch()
    assert len(parquet_of(tmp_path, "test")) == 3


def test_a_file_of_another_split_is_not_passed_off_as_the_one_asked_for(tmp_path):
    """The name of a file that is given itself may tell its split; any other name tells nothing."""
    for name in ("train.json", "test.json", "mine.json"):
        (tmp_path / name).touch()
    with pytest.raises(DataError, match="is by its name no part of the split 'test'"):
        files_of(tmp_path / "train.json", "test.json", what="the split 'test'")
    for name in ("test.json", "mine.json"):
        assert files_of(tmp_path / name, "test.json", what="the split 'test'") == [tmp_path / name]


def test_two_pictures_of_one_name_in_a_zip_are_told_apart_by_their_folders(tmp_path):
    """The folder may be left out only where all pictures lie in the same."""
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as packed:
        for name in ("train/1.png", "test/1.png"):
            packed.writestr(name, b"")
    pictures = Pictures(tmp_path, zips=("images.zip",))
    assert pictures.find("test/1.png").source.name == "test/1.png"
    with pytest.raises(ImageError):
        pictures.find("1.png")


def test_a_letter_and_words_that_are_two_options_are_told(tmp_path):
    """ReXVQA's "B. left" where B is right; a full stop more in the words is no contradiction."""
    row = {"question": "Where?", "options": ["A. left", "B. right"], "PatientID": "7", "ImagePath": ["a.png"]}
    rows = {name: {**row, "correct_answer": answer} for name, answer in (("1", "B. left"), ("2", "B. right."))}
    (tmp_path / "test_vqa_data.json").write_text(json.dumps(rows))
    (tmp_path / "a.png").write_bytes(b"")
    benchmark = rexvqa.load(tmp_path, allow_broken=True)
    assert [(item.id, item.letter) for item in benchmark] == [("rexvqa/2", "B")]
    assert "letter and words are two options" in benchmark.broken[0].reason


def test_choices_in_another_order_than_their_letters_are_told(tmp_path):
    """PMC-VQA's `Choice A` that reads "B:" may be either."""
    names = "Figure_path,Question,Choice A,Choice B,Choice C,Choice D,Answer"
    rows = f"{names}\na.png,Where?,B:w,A:x,C:y,D:z,A\na.png,Where?,A:w,B:x,C:y,D:z,A\n"
    (tmp_path / "test_clean.csv").write_text(rows)
    (tmp_path / "a.png").write_bytes(b"")
    benchmark = pmc_vqa.load(tmp_path, allow_broken=True)
    assert [item.options[item.answer].text for item in benchmark] == ["w"]
    assert "B, A, C, D" in benchmark.broken[0].reason
