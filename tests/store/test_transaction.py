"""Transactions: writing to a store that is done as a whole or not at all."""

import pytest

from snellen.items import Benchmark
from snellen.models.base import Response
from snellen.store import Label, ResponseCell, Store, Writer
from strategies import items

BENCHMARK = Benchmark("b", items(2))


@pytest.fixture
def store(tmp_path):
    """A store to write to."""
    with Store.open(tmp_path, write=True) as opened:
        yield opened


def write_parts(store):
    """Something in each part that writes, of which some have transactions of their own."""
    number, digest = store.studies.add_benchmark(BENCHMARK)
    store.studies.add_arm(number, "original", "arm", {})
    model = store.studies.add_model("m", "1")
    store.batches.add(model, "tag", [b"k"])
    store.labels.add("open answer", [Label(model, 1, 0, 0, "correct")])
    return digest


def written(store):
    """How much of it is there, as another reader sees it."""
    with Store.open(store.folder, check=False) as other:
        tables = ("benchmarks", "items", "arms", "models", "batches", "batch_requests", "labels")
        return [other.connections.main.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_fails_within_leaves_nothing(store, error):
    """Not of any part, whatever stopped it; and the store can be written to after that."""

    def fail():
        with store.transaction():
            assert store.studies.holds_benchmark(write_parts(store))
            raise error

    with pytest.raises(error):
        fail()
    assert not store.studies.holds_benchmark(BENCHMARK.digest)
    assert written(store) == [0] * 7
    write_parts(store)
    assert written(store) == [1, 2, 1, 1, 1, 1, 1]


def test_nothing_is_seen_before_the_end_and_all_of_it_after(store):
    """Whoever reads meanwhile finds the store as it was."""
    with store.transaction():
        write_parts(store)
        assert written(store) == [0] * 7
    assert written(store) == [1, 2, 1, 1, 1, 1, 1]


def test_one_within_another_can_fail_alone(store):
    """What it wrote is taken back, and what was written before and after it stays."""

    def fail():
        with store.transaction():
            store.studies.add_model("inner", "")
            raise KeyError

    with store.transaction():
        store.studies.add_model("before", "")
        with pytest.raises(KeyError):
            fail()
        store.studies.add_model("after", "")
    names = [name for (name,) in store.connections.main.execute("SELECT name FROM models ORDER BY id")]
    assert names == ["before", "after"]


def test_a_batch_is_forgotten_as_a_whole(store, monkeypatch):
    """If it cannot be noted that it came to nothing, its requests are not dropped either."""

    def stop(number, *, provider_id, state):
        raise KeyboardInterrupt

    number = store.batches.add(store.studies.add_model("m", ""), "tag", [b"k", b"l"])
    monkeypatch.setattr(store.batches, "note", stop)
    with pytest.raises(KeyboardInterrupt):
        store.batches.forget(number, "refused")
    assert store.batches.keys(number) == {0: b"k", 1: b"l"}


def test_the_writer_waits_for_the_end(store):
    """A response that comes meanwhile is stored after that, whether what was written within stays or not."""
    writer = Writer(store)

    def fail():
        with store.transaction():
            store.studies.add_model("m", "")
            writer.store_response(b"k", Response("A"), [ResponseCell(1, 1, 0, 0)])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    writer.close()
    assert [reply.text for reply in store.responses.replies(1, 1)] == ["A"]
    assert written(store)[3] == 0
