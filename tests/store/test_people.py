"""What people say, in a store: qualifications of judges and labels of responses, also in stores from before these."""

import gzip
from pathlib import Path

import pytest

from snellen.models.base import Response, Usage
from snellen.store import Label, ResponseCell, Store, Writer
from snellen.store.files import FILE
from snellen.store.migrations import MIGRATIONS
from snellen.store.viewing import open_view

BEFORE = Path(__file__).parent / "before" / "responses.sqlite.gz"
RECORD = {"judge": "fake/judge", "question": "open answer", "version": "1", "kappa": [0.8, 0.7, 0.9], "qualified": True}


@pytest.fixture
def before(tmp_path):
    """A store that was written before there were any."""
    (tmp_path / FILE).write_bytes(gzip.decompress(BEFORE.read_bytes()))
    return tmp_path


def test_qualifications_come_back_in_their_order(tmp_path):
    """Every record is kept, the latest last."""
    with Store.open(tmp_path, write=True) as store:
        assert store.labels.qualifications() == []
        store.labels.add_qualification(RECORD)
        store.labels.add_qualification({**RECORD, "qualified": False})
    with Store.open(tmp_path) as store:
        assert store.labels.qualifications() == [RECORD, {**RECORD, "qualified": False}]


def test_a_later_label_replaces_an_earlier_one_of_the_same_question(tmp_path):
    """One response has one label for a question."""
    with Store.open(tmp_path, write=True) as store:
        store.labels.add("open answer", [Label(1, 2, 1, 0, "correct"), Label(1, 2, 0, 0, "unclear")])
        store.labels.add("open answer", [Label(1, 2, 1, 0, "incorrect")])
        store.labels.add("mismatch", [Label(1, 2, 1, 0, "correct")])
        assert store.labels.load("open answer") == [Label(1, 2, 0, 0, "unclear"), Label(1, 2, 1, 0, "incorrect")]
        assert store.labels.load("mismatch") == [Label(1, 2, 1, 0, "correct")]
        assert store.labels.load("rationale") == []


def test_an_old_store_is_read_as_it_is(before):
    """It holds nothing of the kind, and reading it changes no byte."""
    whole = (before / FILE).read_bytes()
    with Store.open(before) as store:
        assert (store.labels.qualifications(), store.labels.load("open answer")) == ([], [])
        assert len(store.studies.load_all()) == 1
        model, arm = store.connections.main.execute("SELECT model, arm FROM trials").fetchone()
        assert {reply.reasoning_tokens for reply in store.responses.replies(model, arm)} == {None}
    with open_view(before) as store:
        assert store.labels.qualifications() == []
    assert (before / FILE).read_bytes() == whole


def test_an_old_store_that_is_written_to_gets_the_tables_and_keeps_its_responses(before):
    """The migration is applied once, and noted."""
    with Store.open(before) as store:
        count = store.connections.main.execute("SELECT count(*) FROM responses").fetchone()
    with Store.open(before, write=True) as store:
        store.labels.add_qualification(RECORD)
        writer = Writer(store)
        writer.store_response(b"new", Response("A", usage=Usage(1, 2, 3, 4)), [ResponseCell(99, 1, 0, 0)])
        writer.close()
    with Store.open(before) as store:
        assert [reply.reasoning_tokens for reply in store.responses.replies(99, 1)] == [4]
        assert store.labels.qualifications() == [RECORD]
        assert store.connections.main.execute("SELECT count(*) FROM responses").fetchone() == (count[0] + 1,)
        applied = [name for (name,) in store.connections.main.execute("SELECT name FROM migrations ORDER BY applied")]
    assert applied == list(MIGRATIONS)
