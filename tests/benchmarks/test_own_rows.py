"""Rows of files of one's own: what each is read as, and what is said of one that cannot be used.

They stand in `own_rows.json`: what differs from a plain row, and what of the item, or which words, come of it.
"""

import base64
import json
import os
from pathlib import Path

import pytest

from benchmarks.published_files import describe, png
from films import film
from snellen.benchmarks import folder
from snellen.errors import BrokenRowsError

URI = "data:image/png;base64," + base64.b64encode(png(0)).decode()
TEXT = (Path(__file__).parent / "own_rows.json").read_text()
TOLD = json.loads(TEXT.replace("PICTURE", URI).replace("BASE64", URI.partition(",")[2]))
ROW = {"id": "q1", "question": "Effusion?", "options": ["Yes", "No"], "answer": "B", "image": "a.png"}

LONG = (
    {"row": {"image": "x" * 5000}, "says": "not a usable path"},
    {"row": {"options": "[" * 90_000}, "says": "look like JSON but cannot be read"},
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with two pictures, and with links that lead out of it, in circles, or to no file."""
    path = tmp_path_factory.mktemp("own") / "mine"
    path.mkdir()
    for number, name in enumerate(("a.png", "b.png", "../secret.png")):
        (path / name).write_bytes(png(number))
    (path / "link.png").symlink_to(path.parent / "secret.png")
    (path / "inside.png").symlink_to(path / "a.png")
    (path / "outside").symlink_to(path.parent)
    (path / "circle.png").symlink_to(path / "circle.png")
    os.mkfifo(path / "pipe.png")
    film(path / "c.mp4", rate=1, frames=4)
    return path


def load(root, *rows):
    """The benchmark of some rows in a JSON Lines file."""
    (root / "items.jsonl").write_text("\n".join(json.dumps({**ROW, **row}) for row in rows))
    return folder.load(root)


def test_a_row_is_read_as_it_is_meant(root):
    """Options, answers and images in other people's ways; a letter is a place, and a number what the file shows."""
    for case in TOLD["read"]:
        [item] = map(describe, load(root, case["row"]))
        assert {name: item.get(name) for name in case["item"]} == case["item"], case["row"]


def test_a_row_that_cannot_be_used_is_named(root):
    """With its line, its id and what was expected; no other row is broken."""
    for case in (*TOLD["broken"], *LONG):
        with pytest.raises(BrokenRowsError) as caught:
            load(root, {"id": "whole"}, case["row"])
        [row] = caught.value.broken
        assert (row.where, row.item_id) == ("items.jsonl, line 2", "q1"), case["row"]
        assert case["says"] in row.reason, case["row"]
