"""What is written and read again says its schema, and one of a later version is refused in one sentence."""

import json

import orjson
import pytest
from pyarrow import parquet

from snellen.errors import SnellenError
from snellen.imports import jsonl
from snellen.imports.fields import Given
from snellen.schemas import FIELD, later
from snellen.scoring import writing
from snellen.store import Store
from snellen.store.labels import REVIEW_SCHEMA
from snellen.tools.audit.superguesser import results as superguesser
from snellen.tools.chart import files as chart
from snellen.tools.degrade import manifest
from snellen.tools.guard import calibrate
from snellen.tools.review import exchange

EXAMINED = chart.Examined("a/m", "", 0, False, {}, "2026-11-17")


def chart_log(folder, schema):
    chart.ChartLog(folder / "chart").begin(EXAMINED)
    changed(folder / "chart" / chart.LOG, "schema", schema)
    chart.ChartLog(folder / "chart").read()


def copies(folder, schema):
    settings = {"of": "x", "artefacts": ["noise"]}
    manifest.Manifest(folder / "copies", settings).__exit__(None, None, None)
    changed(folder / "copies" / manifest.FILE, "format", schema)
    manifest.Manifest(folder / "copies", settings).__exit__(None, None, None)


def calibration(folder, schema):
    (folder / "c.json").write_text(json.dumps({"schema": schema, "threshold": 0.5}))
    calibrate.read_calibration(folder / "c.json")


def scores(folder, schema):
    (folder / superguesser.SUMMARY).write_text(json.dumps({"schema": schema}))
    (folder / superguesser.SCORES).write_text("")
    superguesser.read_scores(folder)


def rows(folder, schema):
    row = {FIELD: schema, "model": "a/m", "item_id": "q", "response": "A", "question": "?", "options": ["x", "y"]}
    (folder / "rows.jsonl").write_text(json.dumps({**row, "answer": "A", "arm": "original"}))
    [answer] = jsonl.read_jsonl(folder / "rows.jsonl", Given("original"))
    assert jsonl.jsonl_line(answer).startswith(f'{{"{FIELD}":{jsonl.SCHEMA},'.encode())
    assert not answer.item.metadata


def votes_as_table(folder, schema):
    list(exchange.from_csv(f"{FIELD},case,rater\n{schema},1,\n", {}, "votes.csv"))


def votes_of_label_studio(folder, schema):
    list(exchange.from_label_studio(json.dumps([{"data": {FIELD: schema}}]), {}, "votes.json"))


def review_in_a_store(folder, schema):
    with Store.open(folder / "out", write=True) as store:
        store.labels.add_review({"task": "verdict", "study": "s", "schema": schema})
    with Store.open(folder / "out") as store:
        store.labels.reviews("s")


def changed(path, name, value):
    """Put another value into the first line of a file."""
    first, _, rest = path.read_bytes().partition(b"\n")
    record = orjson.loads(first)
    assert name in record
    path.write_bytes(orjson.dumps({**record, name: value}) + b"\n" + rest)


READ = {
    chart_log: chart.SCHEMA,
    copies: manifest.FORMAT,
    calibration: calibrate.SCHEMA,
    scores: superguesser.SCHEMA,
    rows: jsonl.SCHEMA,
    votes_as_table: exchange.SCHEMA,
    votes_of_label_studio: exchange.SCHEMA,
    review_in_a_store: REVIEW_SCHEMA,
}


def test_a_later_schema_is_refused_in_one_sentence(tmp_path):
    """Of every file that we read again: ours is read, the next one is not, and both numbers are said."""
    for reading, known in READ.items():
        ours, theirs = (tmp_path / f"{reading.__name__}{number}" for number in (0, 1))
        ours.mkdir(), theirs.mkdir()
        reading(ours, known)
        with pytest.raises(SnellenError) as refused:
            reading(theirs, known + 1)
        assert str(refused.value).endswith(
            f" has the schema {known + 1}, and this version of snellen reads up to {known}. Upgrade snellen to read it."
        ), reading.__name__
        assert "\n" not in str(refused.value)


def test_a_schema_that_is_no_number_is_other_peoples():
    """A word under our name says nothing about the form."""
    assert [later("x", said, 1) for said in ("public", -3, None, "", True, 1.0, "1.0")] == [""] * 7
    assert later("x", "2.0", 1) == later("x", 2, 1) != ""


def test_parquet_says_its_schema(tmp_path):
    """A table of graded responses has it among its metadata."""
    writing.write_parquet(tmp_path / "a.parquet", {"model": str}, [{"model": "a/m"}])
    assert parquet.read_schema(tmp_path / "a.parquet").metadata == {FIELD.encode(): str(writing.SCHEMA).encode()}
