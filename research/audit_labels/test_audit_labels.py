"""The agreement of the readers, and the share of listed rows that are right, are those that the labels give."""

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def measure():
    """The script that measures."""
    return runpy.run_path(str(HERE / "measure.py"))


@pytest.mark.parametrize(
    ("name", "agree", "defective", "kappa", "whole"),
    [
        ("vqa_rad", 47, (15, 16), (0.86, 0.68, 1.0), (0.74, 0.50, 1.0)),
        ("medxpertqa_mm", 48, (15, 17), (0.91, 0.78, 1.0), (0.88, 0.73, 1.0)),
    ],
)
def test_the_readers_agree_as_the_readme_says(measure, name, agree, defective, kappa, whole):
    """Fifty items of each set were read twice."""
    found = measure["agreement"](name)
    assert (found["n"], found["agree"], found["defective"]) == (50, agree, defective)
    assert found["kappa"] == pytest.approx(kappa, abs=0.006)
    assert found["kappa of the whole"] == pytest.approx(whole, abs=0.006)


def test_the_second_labels_are_of_items_of_the_first(measure):
    """Every item that was read twice is one of the 300, and its kind is one that the first reader used, too."""
    for name in measure["SETS"]:
        first, second = measure["labels"](name), measure["labels"](f"{name}_second")
        assert second.keys() <= first.keys()
        assert {*second.values()} <= {*first.values()}


def test_the_rows_are_right_as_often_as_the_readme_says(measure):
    """Of the first 50 rows, and of the samples further down."""
    found = measure["listed"]()
    assert found["vqa_rad", "first 50", ""] == (37, 50)
    assert found["vqa_rad", "first 50, mended", ""] == (42, 50)
    assert found["vqa_rad", "test", ""] == (11, 18)
    assert found["vqa_rad", "test, mended", ""] == (11, 15)
    assert found["medxpertqa_mm", "first 50", ""] == found["medxpertqa_mm", "first 50, mended", ""] == (50, 50)
    assert found["medxpertqa_mm", "first 50", "needs-no-image"] == (0, 14)
    assert found["medxpertqa_mm", "all, misspelled", ""] == (13, 29)
    assert found["medxpertqa_mm", "sample, damaged", ""] == found["medxpertqa_mm", "sample, needs no image", ""]
    assert found["medxpertqa_mm", "sample, damaged", ""] == (15, 20)


def test_the_fresh_labels_give_the_figures_of_the_readme(measure):
    """Precision before and after the change, by independent labels and by those that the change was made with."""
    precision, recall = measure["precision"], measure["recall"]
    assert precision("vqa_rad", "before", 1, first=50)[""] == (34, 41)
    assert precision("vqa_rad", "after", 1, first=50)[""] == (35, 42)
    assert precision("vqa_rad", "before", 1)["contradictory-keys"] == (14, 33)
    assert precision("vqa_rad", "after", 1)["contradictory-keys"] == (12, 17)
    assert precision("vqa_rad", "after", 2)[""] == (8, 8)
    assert precision("medxpertqa_mm", "after", 2)[""] == (48, 55)
    assert precision("medxpertqa_mm", "after", 2)["needs-no-image"] == (11, 18)
    for name, when, parts, expected in (
        ("vqa_rad", "before", (1, 2), (0.42, 0.33, 0.57)),
        ("vqa_rad", "after", (2,), (0.49, 0.35, 0.76)),
        ("medxpertqa_mm", "after", (2,), (0.83, 0.66, 1.0)),
    ):
        assert recall(name, when, *parts) == pytest.approx(expected, abs=0.006)


def test_the_third_labels_give_the_figures_of_the_readme(measure):
    """None of the 12 defects of 200 fresh items is listed; what is listed anew was read when the checks were made."""
    drawn = {item: defects for item, (random, defects) in measure["fresh"]("vqa_rad", 3).items() if random}
    assert (len(drawn), sum(map(bool, drawn.values()))) == (200, 12)
    assert not drawn.keys() & measure["ranked"]("vqa_rad", "later").keys()
    assert measure["recall"]("vqa_rad", "after", 3) == pytest.approx((0.43, 0.32, 0.61), abs=0.006)
    assert measure["recall"]("vqa_rad", "later", 3) == pytest.approx((0.50, 0.38, 0.67), abs=0.006)
    assert measure["precision"]("vqa_rad", "later", 1, 2, 3, first=50)[""] == (35, 42)
    assert measure["precision"]("vqa_rad", "later", 1, 2, 3)[""] == (105, 120)


def test_no_fresh_label_is_of_an_item_that_was_labelled_before(measure):
    """The sets of labels are apart."""
    for name, fresh in (("vqa_rad", (1, 2, 3)), ("medxpertqa_mm", (1, 2))):
        parts = [measure["labels"](name).keys(), *(measure["fresh"](name, part).keys() for part in fresh)]
        assert len(set().union(*parts)) == sum(map(len, parts))
