"""What a store's rows and records hold is checked where it is read: one that was changed is refused in a sentence."""

import shutil
import sqlite3
from contextlib import closing

import orjson
import pytest

from snellen.errors import StoreError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.store import Store
from snellen.store.shapes import STUDY, check_record
from snellen.study import Study, rescore
from strategies import items


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small study."""
    folder = tmp_path_factory.mktemp("made")
    benchmark = Benchmark("b", items(4))
    Study(models=[FakeModel(lambda request: "A")], benchmarks=[benchmark], tests=["option-order"], out=folder).ask(
        lambda progress: None
    )
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(made, tmp_path / "out")


def change(folder, statement, *values):
    """Run a statement, whatever guards the rows."""
    with closing(sqlite3.connect(folder / "responses.sqlite")) as store, store:
        for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            store.execute(f'DROP TRIGGER "{name}"')
        store.execute(statement, values)


@pytest.mark.parametrize(
    ("column", "value"),
    [("responses.text", b"A"), ("responses.created", "today"), ("trials.replicate", b"0"), ("arms.name", b"original")],
)
def test_a_value_of_another_type_is_named_with_its_column(folder, column, value):
    """SQLite stores a value of any type in any column."""
    table, name = column.split(".")
    change(folder, f"UPDATE {table} SET {name} = ? WHERE {name} IN (SELECT {name} FROM {table} LIMIT 1)", value)
    with pytest.raises(StoreError, match=f"the column {name} of {table} holds a value of the wrong type"):
        rescore(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"models": [["m", 1]]}, r"models\[0\]\[1\] is 1, expected a text"),
        ({"models": [["m", "", ""]]}, r"models\[0\] is \['m', '', ''\], expected a list"),
        ({"tests": "option-order"}, "tests is 'option-order', expected a list"),
        ({"epochs": 1e30}, r"epochs is 1e\+30"),
        ({"arms": {"other": {}}}, "it has no b"),
        ({"limit_of": [4]}, r"limit_of is \[4\], expected an object"),
        ({"prices": {"m": 3}}, "prices.m is 3"),
    ],
)
def test_a_study_that_was_not_written_so_is_refused(folder, changes, said):
    """The sentence names the field, and what is there instead."""
    with Store.open(folder) as store:
        record = store.studies.record()
    change(folder, "UPDATE studies SET record = ?", orjson.dumps({**record, **changes}).decode())
    with pytest.raises(StoreError, match=said):
        rescore(folder)


@pytest.mark.parametrize("record", ["[]", '"x"', '{"condition": 1, "prompt": {}, "settings": {}}', '{"kinds": "x"}'])
def test_an_arm_that_was_not_written_so_is_refused(folder, record):
    """Whatever JSON stands in its place."""
    change(folder, "UPDATE arms SET record = ?", record)
    with pytest.raises(StoreError, match="a condition in it has changed or cannot be read"):
        rescore(folder)


@pytest.mark.parametrize("field", ["question", "options", "metadata", "category", "answer"])
def test_an_item_that_was_not_written_so_is_refused(folder, field):
    """Each field has its type."""
    change(folder, f"UPDATE items SET record = json_set(record, '$.{field}', json('[7]')) WHERE ordinal = 0")
    with pytest.raises(StoreError, match="an item in it has changed or cannot be read"):
        rescore(folder)


def test_what_is_written_has_its_shape(folder):
    """The check refuses nothing of ours."""
    with Store.open(folder) as store:
        assert check_record(store.studies.record(), STUDY, "a study")
    rescore(folder)
