"""Regions in tables of one's own: JSON, COCO, YOLO and mask files, and what is wrong with them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from snellen.benchmarks.folder import load, save
from snellen.conditions import ImageMirrored, Pool, vary
from snellen.errors import BrokenRowsError
from snellen.images import Box, Mask, Polygon, Region, encode

HEIGHT, WIDTH = 40, 60
BOX = Box(6, 10, 18, 30)
MARKED = BOX.pixels((HEIGHT, WIDTH))


@pytest.fixture
def table(tmp_path):
    """Write a questions file whose one row has these regions; return its folder."""
    pixels = np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH), np.uint8)
    (tmp_path / "film.png").write_bytes(encode(pixels).data)
    (tmp_path / "mask.png").write_bytes(encode(MARKED.astype(np.uint8)).data)

    def write(regions, **more):
        row = {"id": "1", "question": "A nodule?", "options": ["Yes", "No"], "answer": "A", "image": "film.png"}
        (tmp_path / "items.jsonl").write_text(json.dumps({**row, "regions": regions, **more}))
        return tmp_path

    return write


def coco(tmp_path, **changes):
    """Write a COCO file of the image; return its name."""
    image = {"id": 7, "file_name": "films/film.png", "width": WIDTH, "height": HEIGHT}
    told = {
        "images": [image],
        "categories": [{"id": 3, "name": "nodule"}],
        "annotations": [{"id": 1, "image_id": 7, "category_id": 3, "bbox": [6, 10, 12, 20]}],
    }
    image.update(changes)
    (tmp_path / "boxes.json").write_text(json.dumps(told))
    return "boxes.json"


def yolo(tmp_path, line="0 0.2 0.5 0.2 0.5"):
    """Write a YOLO file of the image and the names of its classes; return its name."""
    (tmp_path / "film.txt").write_text(f"{line}\n")
    (tmp_path / "classes.txt").write_text("nodule\n")
    return "film.txt"


def regions_of(folder):
    """The regions of the first image of a table."""
    return load(folder).items[0].images[0].regions


def test_a_list_has_boxes_outlines_and_masks(table):
    """As JSON, or as text in a table's cell; each keeps its finding and its reader."""
    outline = [[6, 10], [18, 10], [18, 30], [6, 30]]
    listed = [
        {"finding": "nodule", "box": [6, 10, 18, 30], "reader": "R9"},
        {"finding": "mass", "polygon": outline},
        {"finding": "scar", "mask": "mask.png"},
    ]
    for written in (listed, json.dumps(listed)):
        found = regions_of(table(written))
        assert [(each.finding, each.reader) for each in found] == [("nodule", "R9"), ("mass", ""), ("scar", "")]
        assert [type(each.shape) for each in found] == [Box, Polygon, Mask]
        assert all(np.array_equal(each.pixels((HEIGHT, WIDTH)), MARKED) for each in found)


def test_coco_yolo_and_mask_files(tmp_path, table):
    """All three give the same pixels."""
    named = {coco(tmp_path): "nodule", yolo(tmp_path): "nodule", "mask.png": ""}
    for file, finding in named.items():
        [region] = regions_of(table(file))
        assert region.finding == finding
        assert np.array_equal(region.pixels((HEIGHT, WIDTH)), MARKED), file


def test_a_yolo_outline_is_in_shares_of_both_sides(tmp_path, table):
    """Across by the width, down by the height."""
    [region] = regions_of(table(yolo(tmp_path, "5 0.1 0.25 0.3 0.25 0.3 0.75 0.1 0.75")))
    assert region.finding == "class 5"
    assert np.array_equal(region.pixels((HEIGHT, WIDTH)), MARKED)


def test_a_region_names_its_image_among_several(table):
    """Counted from 1."""
    folder = table([{"box": [6, 10, 18, 30], "image": 2}], image=None, images=["film.png", "film.png"])
    assert [len(image.regions) for image in load(folder).items[0].images] == [0, 1]


def test_a_column_of_another_name_is_mapped(table):
    """As every other field."""
    folder = table(None, drawn=[{"finding": "nodule", "box": list(BOX)}])
    assert load(folder, map="regions=drawn").items[0].images[0].regions == (Region("nodule", BOX),)


def test_saved_regions_are_loaded_again(tmp_path, table):
    """With what a condition did to them."""
    listed = [{"finding": "nodule", "box": list(BOX), "reader": "R9"}, {"finding": "scar", "mask": "mask.png"}]
    item = load(table(listed)).items[0]
    mirrored = vary(item, ImageMirrored(), seed=0, pool=Pool(())).item
    for number, each in enumerate((item, mirrored)):
        save([each], tmp_path / f"copy{number}")
        again = regions_of(tmp_path / f"copy{number}")
        before = each.images[0].regions_after_steps()
        assert [(r.finding, r.reader) for r in again] == [(r.finding, r.reader) for r in before]
        assert all(
            np.array_equal(a.pixels((HEIGHT, WIDTH)), b.pixels((HEIGHT, WIDTH)))
            for a, b in zip(again, before, strict=True)
        )


def test_regions_change_no_digest(table):
    """What is asked is the same with and without them."""
    assert load(table(None)).digest == load(table([{"finding": "nodule", "box": list(BOX)}])).digest


BROKEN = {
    "is outside its image of 60 × 40 pixels": [{"finding": "nodule", "box": [6, 10, 180, 30]}],
    "only with x and y exchanged": [{"finding": "nodule", "box": [10, 42, 30, 58]}],
    "runs backwards": [{"finding": "nodule", "box": [18, 10, 6, 30]}],
    "is empty": [{"finding": "nodule", "box": [0.1, 0.2, 0.3, 0.4]}],
    "expected [x1, y1, x2, y2] in pixels": [{"finding": "nodule", "box": [6, 10, 18]}],
    "expected three points or more": [{"polygon": [[1, 2], [3, 4]]}],
    "a region has no shape": [{"finding": "nodule"}],
    "a region has box and mask": [{"box": list(BOX), "mask": "mask.png"}],
    "a region is on image 2, expected 1 to 1": [{"box": list(BOX), "image": 2}],
    "expected a list of objects": [["nodule", 1, 2, 3, 4]],
    "image 'gone.png' is not there": [{"mask": "gone.png"}],
    "lies outside the folder": "../boxes.json",
    "its regions are 5": 5,
}


@pytest.mark.parametrize("words", BROKEN)
def test_a_broken_region_names_its_item_and_says_why(table, words):
    """Each mistake has its own words."""
    with pytest.raises(BrokenRowsError) as broken:
        load(table(BROKEN[words]))
    assert words in str(broken.value)
    assert "item '1'" in str(broken.value)


def test_broken_files_say_why(tmp_path, table):
    """A COCO file of another image, another size or another form; a line that YOLO does not have."""
    for changes, words in (
        ({"file_name": "other.png"}, "boxes.json names 1 images, but not 'film.png'"),
        ({"width": 2 * WIDTH}, "were drawn on 120 × 40 pixels, its image has 60 × 40"),
        ({"id": 8}, "is not a COCO file"),
    ):
        with pytest.raises(BrokenRowsError, match=words):
            load(table(coco(tmp_path, **changes)))
    with pytest.raises(BrokenRowsError, match=r"line 1 of film\.txt is '0 0\.2 0\.5', expected a class and 4 numbers"):
        load(table(yolo(tmp_path, "0 0.2 0.5")))
