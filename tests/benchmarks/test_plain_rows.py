"""Plain rows: what is made of many rows at once is what is made of each alone, and nothing wrong is made."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snellen.benchmarks.answers import Keys
from snellen.benchmarks.folder import _check_images_given, load
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.image_roles import COLUMNS
from snellen.benchmarks.plain_rows import PlainRows
from snellen.benchmarks.questions import from_cells, item_from, read_options
from snellen.errors import DataError
from snellen.images import encode

ROW = {"id": "q1", "question": "Which side?", "options": ["left", "right"], "answer": "left", "image": "a.png"}
NAMES = (
    *ROW, "input", "target", "images", "choices", "kind", "metadata", "task", "substitutes", "report",
    "radiology_report", "findings", "impression", "indication", "premise", "premise_holds", "answers", "references",
    "steps", "answer_index", "quality", "context", "category", "language", "cluster", "history", "examination",
    "modality", "A", "b", "option_C", "image_1", "image_path", "img", "figure 2", "note", COLUMNS[0], COLUMNS[-1],
)  # fmt: skip
VALUES = (
    None, "", " ", "<image 2>", "<", [[[["deep"]]]],
    "A", "1", "left", "LEFT ", "A) left", "Which?\n(A) left (B) right", "Which?\n(A) right (B) left",
    "a.png", "b.png", "./a.png", "missing.png", "../a.png", '["a.png", "b.png"]', "data:image/png;base64,damaged",
    "open", "report", "choice", "diagnosis", "ungradable", 0, 1, 2.5, True, ["a.png", "b.png"], ["left"], {"x": 1},
    {"image": "b.png", "shows": "right"}, ["lateral"], ["A) left", "B) right"], ["B) left", "A) right"], ["left"], [],
)  # fmt: skip
KEYS = st.builds(Keys, texts=st.booleans(), places=st.booleans(), first=st.sampled_from([frozenset(), frozenset({0})]))


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A folder with two pictures."""
    path = tmp_path_factory.mktemp("pictures")
    for name, grey in (("a.png", 10), ("b.png", 200)):
        (path / name).write_bytes(encode(np.full((3, 4), grey, np.uint8)).data)
    return path


def made_alone(row, pictures, keys, *, in_table):
    """The item of a row as it is made and checked alone; None where something is wrong with it."""
    try:
        fields = from_cells(row) if in_table else row
        item = item_from(fields, number=7, gallery=Gallery(pictures), keys=keys)
        _check_images_given(item)
    except DataError:
        return None
    return None if item.problem() else item


ROWS = st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=4), min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(changes=ROWS, keys=KEYS, in_table=st.booleans())
@example(changes=[{}], keys=Keys(), in_table=False)
@example(changes=[{"id": 5, "category": 2}, {"id": "six", "category": 2.5}], keys=Keys(), in_table=False)
@example(changes=[{"options": ["A) left", "B) right"], "answer": "b"}], keys=Keys(), in_table=False)
@example(changes=[{"options": ["B) left", "A) right"]}, {"image": "missing.png"}], keys=Keys(), in_table=False)
@example(changes=[{"question": "Which?\n(A) left (B) right", "note": "x"}] * 3, keys=Keys(), in_table=True)
@example(changes=[{"question": "Which?\n(A) right (B) left"}, {"answer": "up"}], keys=Keys(), in_table=True)
@example(changes=[{"options": ["\ud800", "right"], "answer": "b"}, {"id": "\ud800"}], keys=Keys(), in_table=False)
@example(changes=[{"question": "Which <image 2>?"}, {"options": ["<image 2>", "left"]}], keys=Keys(), in_table=False)
def test_rows_together_are_the_rows_alone(pictures, changes, keys, in_table):
    """Whatever they hold: an item that is made is the one of its row alone, and of a wrong row none is made."""
    rows = [{**ROW, **each} for each in changes]
    if in_table:
        rows = [{name: value for name, value in row.items() if isinstance(value, str | list)} for row in rows]
    read_options(rows)
    for row, made in zip(rows, PlainRows(Gallery(pictures), keys).items(rows), strict=True):
        if made is not None:
            alone = made_alone(row, pictures, keys, in_table=in_table)
            assert alone is not None
            assert list(made.metadata.items()) == list(alone.metadata.items())
            assert made.__getstate__() == {**alone.__getstate__(), "found_usable": True}


@pytest.mark.parametrize("odd", [None, {"answer": "up"}, {"image": "missing.png"}, {"note": ["x"]}])
def test_the_rows_of_most_benchmarks_are_plain(pictures, odd):
    """A text for each field and columns without a meaning; one odd row among them leaves the others plain."""
    rows = [{**ROW, "id": str(number), "modality_type": "CT", "dataset": None, "category": "x"} for number in range(5)]
    rows[2].update(odd or {})
    read_options(rows)
    made = PlainRows(Gallery(pictures), Keys()).items(rows)
    assert [item is not None for item in made] == [True, True, odd is None or "note" in odd, True, True]


def test_an_id_that_is_there_twice_is_a_row_left_out(pictures):
    """Among rows that are plain, too; and it counts among those that may bias the answers."""
    rows = [{**ROW, "id": f"q{number % 40}", "answer": "left" if number < 40 else "right"} for number in range(60)]
    (pictures / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    benchmark = load(pictures, allow_broken=True)
    assert [len(benchmark), len(benchmark.broken)] == [40, 20]
    assert "another row has the same id (items.jsonl, line 1)" in benchmark.broken[0].reason
    assert "left_out" in benchmark.about
