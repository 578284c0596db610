"""A store in shards: scored as one, nothing lost, and a shard that is missing or another is named."""

import shutil
import sqlite3
from contextlib import closing, suppress

import pytest

from repeating import asked
from snellen.errors import SnellenError, StoreError, StudyError
from snellen.files import STATE
from snellen.scoring import sharding
from snellen.scoring.result_files import record_results
from snellen.store import Store
from snellen.store.viewing import open_view
from snellen.study import export, rescore


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A study of two models in one file."""
    return asked(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def made(whole, tmp_path_factory):
    """The same in shards."""
    folder = tmp_path_factory.mktemp("shards") / "sharded"
    with Store.open(whole) as store:
        (count,) = store.connections.main.execute("SELECT count(*) FROM responses").fetchone()
    assert export(whole, folder, format="shards") == count
    return folder


@pytest.fixture
def sharded(made, tmp_path):
    """A copy of the shards that may be spoilt."""
    return shutil.copytree(made, tmp_path / "sharded")


def test_shards_are_scored_as_one_store(whole, made):
    """Every number, verdict and count is the same."""
    assert record_results(rescore(made)) == record_results(rescore(whole))


def test_every_response_is_in_one_shard(whole, made):
    """With its number, words and key, and the failed attempts too."""
    tables = ("responses", "trials", "attempts")
    with Store.open(whole) as one, open_view(made) as several:
        for table in tables:
            query = f"SELECT * FROM {table}"
            found = [row for each in several.connections.open_all() for row in each.execute(query)]
            assert sorted(found) == sorted(one.connections.main.execute(query))
            assert several.connections.main.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
        assert one.responses.text(3) == several.responses.text(3)


def test_a_missing_shard_is_named(sharded):
    """And nothing is scored without it."""
    path = sorted((sharded / "shards").iterdir())[1]
    path.unlink()
    with pytest.raises(StoreError, match=path.name):
        rescore(sharded)


def test_a_shard_that_lacks_a_response_is_named(sharded):
    """As one of an earlier export would."""
    path = sorted((sharded / "shards").iterdir())[0]
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM trials WHERE ordinal = 0 AND replicate = 0")
    connection.close()
    with pytest.raises(StoreError, match=f"{path.name} holds"):
        rescore(sharded)
    with pytest.raises(StoreError, match=f"{path.name} holds"), open_view(sharded, checked=True):
        pass
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO migrations VALUES ('from_the_future', 0)")
    with pytest.raises(StoreError, match=f"{path.name} was written by a later version"):
        rescore(sharded)


@pytest.mark.parametrize(
    ("spoilt", "came"),
    [
        (lambda path, other: path.write_bytes(b""), "is empty"),
        (lambda path, other: path.write_text("a table\n" * 900), "cannot be read: file is not a database"),
        (lambda path, other: _tables_of_another(path), "holds tables of another program"),
        (lambda path, other: shutil.copy(other, path), "holds 0 responses and 0 failed attempts, but "),
        (lambda path, other: _renamed(path), r"holds the responses of another/model \(.*\), not of "),
    ],
    ids=["empty", "text", "another program", "another shard", "another study"],
)
def test_a_file_that_is_not_the_shard_says_what_came_and_what_to_do(sharded, spoilt, came):
    """Its advice is about the file; another folder would not help."""
    path, other = sorted((sharded / "shards").iterdir())
    spoilt(path, other)
    with pytest.raises(StoreError, match=rf"^The shard .*{path.name} {came}") as raised:
        rescore(sharded)
    assert "Expected the responses of one model as `snellen export OUT --to shards` wrote them." in str(raised.value)
    assert "or export it again. The study cannot be scored without it." in str(raised.value)


@pytest.mark.parametrize("way", ["dots", "root", "link"])
def test_a_shard_elsewhere_is_not_read(sharded, tmp_path, way):
    """A head may name a file of another study of the user's, and a folder may hold a link to it."""
    path, elsewhere = sorted((sharded / "shards").iterdir())[0], tmp_path / "private.sqlite"
    named = {"dots": "../private.sqlite", "root": str(elsewhere), "link": f"shards/{path.name}"}[way]
    path.rename(elsewhere)
    if way == "link":
        path.symlink_to(elsewhere)
    with closing(sqlite3.connect(sharded / "responses.sqlite")) as connection, connection:
        connection.execute("UPDATE shards SET file = ? WHERE file LIKE ?", (named, f"%{path.name}"))
    with pytest.raises(StoreError, match="leads out of"):
        rescore(sharded)
    with pytest.raises(StoreError, match="leads out of"), open_view(sharded) as store:
        store.connections.open_all()


@pytest.mark.parametrize("way", ["dots", "root", "link", "working folder"])
def test_a_list_elsewhere_is_neither_read_nor_exported(whole, tmp_path, monkeypatch, way):
    """A test of a stored study may name any file as its list of items, and exports copy the list."""
    out = shutil.copytree(whole, tmp_path / "out")
    secret = tmp_path / "secret.txt"
    secret.write_text("my password\n")
    monkeypatch.chdir(tmp_path)
    named = {"dots": "../secret.txt", "root": str(secret), "link": "list.txt", "working folder": "secret.txt"}[way]
    (out / "list.txt").symlink_to(secret)
    with closing(sqlite3.connect(out / "responses.sqlite")) as connection, connection:
        query = "UPDATE studies SET record = replace(record, '\"image-needed\"', ?)"
        connection.execute(query, (f'"visual-necessity:items={named}"',))
    with pytest.raises(SnellenError, match=r"leads out of|is missing"):
        rescore(out)
    with suppress(SnellenError):
        export(out, tmp_path / "sharded", format="shards")
    copied = [each for each in (tmp_path / "sharded").rglob("*") if each.is_file()]
    assert not [each for each in copied if b"my password" in each.read_bytes()]


def test_shards_are_private(made):
    """As the store is that they are made of."""
    assert {each.stat().st_mode & 0o777 for each in made.rglob("*") if each.is_file()} == {0o600}
    assert {each.stat().st_mode & 0o777 for each in (made, made / "shards")} == {0o700}


def _tables_of_another(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")


def _renamed(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE models SET name = 'another/model' WHERE id = 1")


def test_shards_are_only_read(sharded, tmp_path):
    """Neither asked on nor sharded again; and shards are of all studies, without grades."""
    with pytest.raises(StoreError, match="read-only"):
        Store.open(sharded, write=True)
    with pytest.raises(StudyError, match="in shards already"):
        export(sharded, tmp_path / "again", format="shards")
    with pytest.raises(StudyError, match="every study"):
        export(sharded, tmp_path / "again", format="shards", study="study-1")
    with pytest.raises(StudyError, match="not graded"):
        export(sharded, tmp_path / "again", format="shards", parsers=["lenient"])


def test_an_interrupted_export_goes_on(whole, tmp_path, monkeypatch):
    """A shard that was written whole is not written again."""
    models = []

    def failing(source, path, model):
        models.append(model)
        if len(models) == 2:
            raise KeyboardInterrupt
        return write(source, path, model)

    write = sharding.write_shard
    monkeypatch.setattr(sharding, "write_shard", failing)
    with pytest.raises(KeyboardInterrupt):
        export(whole, tmp_path / "sharded", format="shards")
    assert not (tmp_path / "sharded").exists()
    (unfinished,) = tmp_path.iterdir()
    (unfinished / "shards" / ".0.part").write_bytes(b"half a file of a process that was killed")
    (tmp_path / f".sharded-{'0' * STATE}.part").mkdir()  # begun from other responses
    export(whole, tmp_path / "sharded", format="shards")
    assert models == [1, 2, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["sharded"]
    assert len(list((tmp_path / "sharded" / "shards").iterdir())) == 2
    assert record_results(rescore(tmp_path / "sharded")) == record_results(rescore(whole))
