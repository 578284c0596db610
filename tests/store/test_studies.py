"""The names of studies: given or found, kept over resumes, safe as folders, and one study to a name."""

import gzip
import sqlite3
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import StoreError, StudyError
from snellen.store import Store
from snellen.store.files import FILE
from snellen.store.study_names import check_name

BEFORE = Path(__file__).parent / "before" / "responses.sqlite.gz"
STUDY = {
    "models": [["a", ""], ["b", ""]], "benchmarks": {}, "sources": {}, "tests": ["x", "y"], "arms": {}, "seed": 0,
    "epochs": 1, "limit": None, "parser": "lenient",
}  # fmt: skip
OTHER = {
    "models": [["z", ""]], "benchmarks": {"b": "z"}, "tests": ["z"], "arms": {"b": {"z": "z"}}, "seed": 7, "epochs": 7,
    "limit": 7, "parser": "z",
}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    """A store to write to."""
    with Store.open(tmp_path / "out", write=True) as opened:
        yield opened


def places(store):
    return {each.name: each.folder.relative_to(store.folder).as_posix() for each in store.studies.load_all()}


def test_studies_are_numbered_as_they_are_added(store):
    """The first has the folder itself, every other one a folder of its own there; the latest is the last asked for."""
    assert [store.studies.add({**STUDY, "seed": seed}) for seed in (0, 1, 2)] == ["study-1", "study-2", "study-3"]
    assert places(store) == {"study-1": ".", "study-2": "study-2", "study-3": "study-3"}
    assert store.studies.record()["name"] == "study-3"
    assert [each.latest for each in store.studies.load_all()] == [False, False, True]


def test_a_study_that_is_asked_for_again_is_no_new_one(store):
    """In any order, at another time and under another version; then it is the latest again."""
    store.studies.add({**STUDY, "created": "yesterday"})
    store.studies.add({**STUDY, "seed": 1})
    again = {**STUDY, "created": "today", "models": [["b", ""], ["a", ""]], "tests": ["y", "x"], "human": 0.7}
    assert store.studies.add(again) == "study-1"
    assert list(places(store)) == ["study-1", "study-2"]
    assert store.studies.record()["created"] == "today"
    assert store.studies.find(STUDY).name == "study-1"
    assert store.studies.find({**STUDY, "seed": 9}) is None


@pytest.mark.parametrize("part", OTHER)
def test_another_content_is_another_study(store, part):
    """Each part counts; a name that was given is not taken over, and the part is named."""
    store.studies.add(STUDY, name="pilot")
    other = {**STUDY, part: OTHER[part]}
    with pytest.raises(
        StudyError, match=f"holds another study called 'pilot', with other {part}".replace("arms", "conditions")
    ):
        store.studies.add(other, name="pilot")
    assert store.studies.add(other) == "study-2"
    assert store.studies.add(STUDY, name="pilot") == "pilot"
    several = {each: OTHER[each] for each in ("models", "limit", "parser")}
    with pytest.raises(StudyError, match=r"with other models, limit and parser\. Choose"):
        store.studies.add({**STUDY, **several, "imported": ["a"]}, name="pilot")


def test_a_file_gives_its_name(store):
    """What cannot be part of a folder's name becomes a hyphen; a second study of the file has a number."""
    assert store.studies.add(STUDY, stem="gpt 5.1 (März)") == "gpt-5-1-M-rz"
    assert store.studies.add({**STUDY, "seed": 1}, stem="gpt 5.1 (März)") == "gpt-5-1-M-rz-2"
    assert store.studies.add({**STUDY, "seed": 2}, stem="研究") == "study-3"
    assert store.studies.add({**STUDY, "seed": 1}, stem="renamed") == "gpt-5-1-M-rz-2"


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "/x", "", "-x", "report.html", "a b", "x" * 65, "è", "a\n"])
def test_names_are_safe_as_folders(store, name):
    """No path, no dot, nothing that a shell or another system reads otherwise."""
    with pytest.raises(StudyError, match="A study cannot be called"):
        check_name(name)
    if name:
        with pytest.raises(StudyError, match="A study cannot be called"):
            store.studies.add(STUDY, name=name)


@given(stem=st.text(max_size=80))
def test_every_derived_name_is_safe(tmp_path_factory, stem):
    """Whatever a file is called."""
    with Store.open(tmp_path_factory.mktemp("out"), write=True) as store:
        for seed in range(3):
            assert check_name(store.studies.add({**STUDY, "seed": seed}, stem=stem))
        assert len(store.studies.load_all()) == 3


def test_a_store_cannot_send_results_elsewhere(store):
    """A name that somebody wrote into the file is held to the same rule."""
    store.studies.add(STUDY)
    store.studies.add({**STUDY, "seed": 1})
    store.connections.main.execute("UPDATE studies SET record = json_set(record, '$.name', '../x') WHERE id = 2")
    with pytest.raises(StudyError, match=r"cannot be called '../x'"):
        store.studies.load_all()


def test_a_folder_that_is_there_already_is_not_taken(store):
    """Neither by a name that was found nor by one that was given; and never one that holds responses."""
    store.studies.add(STUDY)
    (store.folder / "study-2").mkdir()
    (store.folder / "mine").mkdir()
    with pytest.raises(StudyError, match="already exists"):
        store.studies.add({**STUDY, "seed": 1}, name="mine")
    assert store.studies.add({**STUDY, "seed": 1}) == "study-3"
    Store.open(store.folder / "study-3", write=True).close()
    with pytest.raises(StoreError, match="contains another store"):
        store.studies.results_folder("study-3")


def test_an_unknown_name_is_answered_with_those_there_are(store):
    """And with the closest of them."""
    store.studies.add(STUDY, name="pilot")
    store.studies.add({**STUDY, "seed": 1}, name="main")
    with pytest.raises(
        StudyError, match=r"There is no study 'pilto' in .*\. Did you mean 'pilot'\? There are: pilot, main"
    ):
        store.studies.record("pilto")
    with pytest.raises(StudyError, match="do not distinguish this name from 'PILOT'"):
        store.studies.add({**STUDY, "seed": 2}, name="PILOT")


def unnamed(folder, *records):
    """A store as it was written before studies had names."""
    Store.open(folder, write=True).close()
    connection = sqlite3.connect(folder / FILE)
    for record in records:
        connection.execute("INSERT INTO studies (created, record) VALUES (0, ?)", (orjson.dumps(record).decode(),))
    connection.commit()
    connection.close()


def test_studies_from_before_names_are_told_apart(tmp_path):
    """Runs of one content are one study; the report in the folder is that of the last one, and stays its own."""
    first, second = STUDY, {**STUDY, "seed": 1}
    unnamed(tmp_path, first, {**first, "created": "later"}, second)
    with Store.open(tmp_path, write=True) as store:
        assert places(store) == {"study-1": "study-1", "study-2": "."}
        assert store.studies.add({**STUDY, "seed": 2}) == "study-3"
        assert store.studies.add(first) == "study-1"
        assert places(store) == {"study-1": "study-1", "study-2": ".", "study-3": "study-3"}


def test_imports_from_before_names_are_one_study_that_grew(tmp_path):
    """Each import added to the one before."""
    unnamed(tmp_path, {**STUDY, "imported": ["a"]}, {**STUDY, "imported": ["a", "b"], "models": [["c", ""]]})
    with Store.open(tmp_path) as store:
        assert places(store) == {"study-1": "."}
        assert store.studies.record("study-1")["models"] == [["c", ""]]
    unnamed(tmp_path, {**STUDY, "seed": 1})
    with Store.open(tmp_path) as store:
        assert list(places(store)) == ["study-1", "study-2"]


def test_a_real_store_from_before_has_one_study(tmp_path):
    """It lies in its folder, as it did."""
    (tmp_path / FILE).write_bytes(gzip.decompress(BEFORE.read_bytes()))
    with Store.open(tmp_path) as store:
        assert places(store) == {"study-1": "."}
        assert store.studies.record()["parser"] == "lenient"
