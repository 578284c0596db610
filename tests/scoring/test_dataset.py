"""Graded responses in a folder of Parquet files: the same rows as in one file, whole or not at all."""

import pyarrow as pa
import pyarrow.dataset
import pytest

from repeating import asked
from snellen.errors import StudyError
from snellen.scoring import dataset
from snellen.scoring.responses import COLUMNS, stored_responses
from snellen.store import Store
from snellen.study import export


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A study of two models."""
    return asked(tmp_path_factory.mktemp("dataset"))


def read(folder):
    """All rows of a folder, in one order."""
    keys = pa.schema([("model", pa.string()), ("arm", pa.string())])
    there = pyarrow.dataset.dataset(folder, partitioning=pyarrow.dataset.partitioning(keys, flavor="hive"))
    return in_order(there.to_table().to_pylist())


def in_order(rows):
    """The rows by all their values."""
    return sorted(tuple(map(repr, (row[name] for name in COLUMNS))) for row in rows)


def test_a_folder_has_the_rows_of_a_file(out, tmp_path, monkeypatch):
    """By two parsers, in row groups of a few; also what failed or has no meaning."""
    monkeypatch.setattr(dataset, "AT_ONCE", 7)
    parsers = ["lenient", "double-brackets"]
    rows = export(out, tmp_path / "responses", format="parquet", parsers=parsers)
    with Store.open(out) as store:
        expected = in_order(stored_responses(store, parsers))
    assert read(tmp_path / "responses") == expected
    assert rows == len(expected)
    names = {path.name for path in (tmp_path / "responses").iterdir()}
    assert names == {"model=fake%2Fa%20b%3A0%25%3F", "model=fake%2Fa%20b%3A1%25%3F"}
    assert [path.name for path in tmp_path.iterdir()] == ["responses"]


def test_an_interrupted_export_goes_on(out, tmp_path, monkeypatch):
    """What was written whole is not written again; until all is there, the folder is not."""
    written = dataset.written_whole
    paths = []

    def failing(path):
        paths.append(path)
        if len(paths) == 3:
            raise KeyboardInterrupt
        return written(path)

    monkeypatch.setattr(dataset, "written_whole", failing)
    with pytest.raises(KeyboardInterrupt):
        export(out, tmp_path / "responses", format="parquet")
    assert not (tmp_path / "responses").exists()
    export(out, tmp_path / "responses", format="parquet")
    assert paths[2] == paths[3]
    assert len(set(paths)) == len(paths) - 1
    with Store.open(out) as store:
        assert read(tmp_path / "responses") == in_order(stored_responses(store))


def test_folders_that_cannot_be_written_are_refused(out, tmp_path):
    """One that is there is left alone; a name is neither file nor folder, or too long once it is escaped."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(StudyError, match="not empty"):
        export(out, tmp_path / "mine", format="parquet")
    with pytest.raises(StudyError, match=r"ends in \.parquet or a folder"):
        export(out, tmp_path / "responses.pq", format="parquet")
    with pytest.raises(StudyError, match=r"too long for the name of a folder: 276 characters .* responses.parquet"):
        dataset.partition(30 * "模", "original")
