"""The roles of a row's images."""

import numpy as np
import pytest

from films import film
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.questions import item_from
from snellen.images import encode

ROW = {"question": "Is it new?", "options": ["Yes", "No"], "answer": "A"}


@pytest.fixture
def folder(tmp_path):
    for place, name in enumerate(("a.png", "b.png")):
        (tmp_path / name).write_bytes(encode(np.full((4, 4), place, np.uint8)).data)
    return tmp_path


def roles(folder, **fields):
    item = item_from({**ROW, **fields}, number=1, gallery=Gallery(folder))
    return [image.role for image in item.images]


FILES = ["a.png", "b.png"]
TOLD = [
    ({"images": FILES, "views": ["frontal", "lateral"]}, ["frontal", "lateral"]),
    ({"images": FILES, "ImageViewPosition": ["PA", "LL"]}, ["frontal (PA)", "lateral"]),
    ({"images": FILES, "views": '["AP", "prior AP"]'}, ["frontal (AP)", "prior AP"]),
    ({"image_1": "a.png", "image_2": "b.png", "roles": ["current", "prior"]}, ["current", "prior"]),
    ({"images": [{"image": "a.png", "role": "prior"}, {"path": "b.png", "view": "PA"}]}, ["prior", "frontal (PA)"]),
    ({"images": FILES, "views": 1200}, ["", ""]),
    ({"images": FILES, "views": ["frontal"]}, ["", ""]),
    ({"images": FILES}, ["", ""]),
]


@pytest.mark.parametrize(("fields", "told"), TOLD)
def test_roles_are_read_from_columns_and_records(folder, fields, told):
    """A column with one text for each image, or what the image's own record says; anything else is no role."""
    assert roles(folder, **fields) == told


def test_a_prior_video_keeps_the_numbers_of_its_frames(folder):
    """What the row tells stands before what the file tells."""
    film(folder / "c.mp4", rate=1, frames=4)
    told = roles(folder, images=["a.png", "c.mp4#frames=2"], views=["PA", "prior"])
    assert told == ["frontal (PA)", "prior frame 1 of 2 (0:01)", "prior frame 2 of 2 (0:03)"]
