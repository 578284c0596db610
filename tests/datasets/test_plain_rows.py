"""Plain rows: the short way to an item of most benchmarks gives what the long way gives, or the same error."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snellen.datasets import questions
from snellen.datasets.answers import Keys, parse_options
from snellen.datasets.gallery import Gallery
from snellen.datasets.image_roles import COLUMNS
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
    None, "", " ", "A", "1", "left", "LEFT ", "A) left", "Which?\n(A) left (B) right", "Which?\n(A) right (B) left",
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


def outcome(make):
    """The item that is made, or the error that says why there is none."""
    try:
        return make()
    except DataError as error:
        return type(error), str(error)


@settings(max_examples=300, deadline=None)
@given(changes=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=4), keys=KEYS)
@example(changes={}, keys=Keys())
@example(changes={"options": ["A) left", "B) right"], "answer": "b"}, keys=Keys())
@example(changes={"options": ["B) left", "A) right"], "image": "missing.png"}, keys=Keys())
@example(changes={"question": "Which?\n(A) left (B) right", "category": "side", "note": "x"}, keys=Keys())
@example(changes={"question": "Which?\n(A) right (B) left", "answer": "up"}, keys=Keys())
def test_the_short_way_makes_the_item_of_the_long_way(pictures, changes, keys):
    """Whatever a row holds, both ways give an equal item of the same fields, or raise the same error."""
    row = {**ROW, **changes}
    questions.read_options([row])
    long = outcome(lambda: questions._item_of(questions._given(row), 7, Gallery(pictures), keys))
    short = outcome(lambda: questions.item_from(row, number=7, gallery=Gallery(pictures), keys=keys))
    assert short == long
    if not isinstance(long, tuple):
        assert list(short.metadata.items()) == list(long.metadata.items())
        assert short.__getstate__() == long.__getstate__()


def test_the_row_of_most_benchmarks_goes_the_short_way(pictures):
    """A text for each field and columns without a meaning need no long way."""
    row = {**ROW, "options": parse_options(["left", "right"]), "modality_type": "CT", "dataset": None, "category": "x"}
    assert questions._plain_choice(row, Gallery(pictures), Keys()) is not None
