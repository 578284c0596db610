"""The store: each reply once, never edited, safe at any moment, one writer at a time."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.conditions import ORIGINAL, Pool, vary
from snellen.errors import ImageError, RejectedError, StoreBusyError, StoreError
from snellen.images import Image
from snellen.items import Benchmark, Collector, Item, Option
from snellen.models.base import MOST_TOKENS, Receipt, Response, Usage
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, ask
from snellen.store import ResponseCell, Store, Writer, as_changed
from snellen.store.migrations import MIGRATIONS, migrate
from snellen.store.records import changed_fields, item_of, item_record
from snellen.store.studies import SCHEMA
from snellen.store.viewing import WantedResponses, count_tokens, newest, open_view, tokens, written_by
from strategies import choices, items, picture

STUDY = {
    "models": [], "benchmarks": {}, "sources": {}, "tests": [], "arms": {}, "epochs": 1, "limit": None,
    "parser": "lenient",
}  # fmt: skip
TEXTS = st.text(st.characters(), max_size=60)


@pytest.fixture
def store(tmp_path):
    """A store to write to."""
    with Store.open(tmp_path / "out", write=True) as opened:
        yield opened


def replies(store, model, arm):
    return [(reply.ordinal, reply.replicate, reply.text) for reply in store.responses.replies(model, arm)]


@given(text=TEXTS, reasoning=TEXTS, tokens=st.one_of(st.none(), st.integers(0, MOST_TOKENS)))
def test_any_reply_comes_back_as_it_was(tmp_path_factory, text, reasoning, tokens):
    """Whatever a model writes can be stored; only halves of characters are written out."""
    response = Response(
        text, "stop", reasoning, Usage(tokens, None, None, tokens), 0.5, "m", (Receipt("ab", 3, "image/png"),)
    )
    with Store.open(tmp_path_factory.mktemp("out"), write=True) as store:
        with closing(Writer(store)) as writer:
            writer.store_response(b"k" * 32, response, [ResponseCell(1, 1, 0, 0)])
        (reply,) = store.responses.replies(1, 1)
    assert reply.text == text.encode(errors="backslashreplace").decode()
    assert reply.reasoning_tokens == tokens


def test_a_reply_answers_all_its_cells(store):
    """One response, several cells; a later cell can be linked to it."""
    with closing(Writer(store)) as writer:
        writer.store_response(b"k", Response("A"), [ResponseCell(1, 1, 0, 0), ResponseCell(1, 2, 0, 0)])
    with closing(Writer(store)) as writer:
        writer.link_cell(
            store.responses.find_known([*map(bytes, range(1000)), b"k", b"other"])[b"k"], ResponseCell(1, 3, 0, 0)
        )
    assert [replies(store, 1, arm) for arm in (1, 2, 3)] == [[(0, 0, "A")]] * 3
    assert store.responses.load_answered(1, 3).tolist() == [[0, 0]]


def test_replies_can_neither_be_edited_nor_deleted(store):
    """The database itself refuses both."""
    answer(store, "A")
    for statement in ("UPDATE responses SET text = 'B'", "DELETE FROM responses"):
        with pytest.raises(sqlite3.IntegrityError, match="never"):
            store.connections.main.execute(statement)


def test_failures_are_kept_apart_until_a_reply_comes(store):
    """A failed attempt is counted by kind, is no reply, and is forgotten once the cell is answered."""
    with closing(Writer(store)) as writer:
        writer.store_failure([ResponseCell(1, 1, 0, 0), ResponseCell(1, 1, 1, 0)], RejectedError("no"))
        writer.store_failure([ResponseCell(1, 1, 0, 0)], RejectedError("no"))
    assert store.responses.failures(1, 1, items=9) == {"RejectedError: no": 2}
    assert store.responses.failures(1, 1, items=1) == {"RejectedError: no": 1}
    assert store.responses.failures(1, 1, items=9, runs=[0, 1]) == {"RejectedError: no": 1}
    assert replies(store, 1, 1) == []
    answer(store, "A")
    assert store.responses.failures(1, 1, items=9) == {"RejectedError: no": 1}


def test_a_second_writer_is_refused_by_name(store):
    """Another process gets a clear message with the holder's pid; reading stays allowed."""
    script = f"from snellen.store import Store; Store.open({str(store.folder)!r}, write=True)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "StoreBusyError" in done.stderr
    assert "pid" in done.stderr
    with pytest.raises(StoreBusyError):
        Store.open(store.folder, write=True)
    Store.open(store.folder).close()


@pytest.mark.parametrize("name", ["responses.sqlite.lock", "responses.sqlite"])
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_nothing_is_written_behind_a_link(tmp_path, name, there):
    """A folder from elsewhere may hold a link by the name of a file of ours; neither is written to."""
    target, out = tmp_path / "target", tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(target)
    if there:
        target.write_text("")
    with pytest.raises(StoreError, match=f"{name} is a link or not a plain file"):
        Store.open(out, write=True)
    assert (target.read_text() if target.exists() else None) == ("" if there else None)


def test_a_lock_that_holds_other_text_is_left_alone(tmp_path):
    """It may be another name of a file of the user's."""
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "responses.sqlite.lock").hardlink_to(tmp_path / "notes.txt")
    with pytest.raises(StoreError, match="is not a lock file"):
        Store.open(tmp_path, write=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_only_the_owner_may_read_a_store(store):
    """Nor its log, its index and its lock, whatever the umask lets others read."""
    files = {each.name: each.stat().st_mode & 0o777 for each in store.folder.iterdir()}
    assert files == {f"responses.sqlite{end}": 0o600 for end in ("", "-wal", "-shm", ".lock")}
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_the_right_to_write_ends_with_the_store(tmp_path):
    """Closed, the store can be opened for writing again."""
    Store.open(tmp_path, write=True).close()
    (tmp_path / "responses.sqlite.lock").write_text("9" * 20)
    with Store.open(tmp_path, write=True) as again:
        assert again.variants.arms_asked() == set()
        assert (tmp_path / "responses.sqlite.lock").read_text() == str(os.getpid())


def test_a_folder_without_answers_is_named(tmp_path):
    """Reading where nothing was run says what to do."""
    with pytest.raises(StoreError, match="Run a study"):
        Store.open(tmp_path)


def test_a_file_that_is_no_store_is_named(tmp_path):
    """A damaged file is an error of ours, not a traceback of SQLite's. Once it is gone, the folder is not held."""
    (tmp_path / "responses.sqlite").write_bytes(b"not a database at all" * 100)
    for write in (False, True):
        with pytest.raises(StoreError, match="damaged"):
            Store.open(tmp_path, write=write)
    (tmp_path / "responses.sqlite").unlink()
    Store.open(tmp_path, write=True).close()


def answer(store, *texts):
    """Stores these replies of one model under one arm."""
    with closing(Writer(store)) as writer:
        for ordinal, text in enumerate(texts):
            writer.store_response(bytes([ordinal]) * 32, Response(text), [ResponseCell(1, 1, ordinal, 0)])


def copied(store, to, *endings):
    """A copy of some of a store's files."""
    to.mkdir()
    for ending in endings:
        shutil.copy(store.folder / f"responses.sqlite{ending}", to)
    return to


def test_a_store_copied_with_its_log_has_all_replies(store, tmp_path):
    """What is still in the write-ahead log is read, also without the file of shared memory that goes with it."""
    answer(store, "A", "B")
    with Store.open(copied(store, tmp_path / "copy", "", "-wal")) as copy:
        assert replies(copy, 1, 1) == [(0, 0, "A"), (1, 0, "B")]
        assert [each.text for each in newest(copy, [WantedResponses(1, 1, 9, 1)], 9)] == ["B", "A"]


def test_replies_in_a_log_that_cannot_be_read_are_not_left_out(store, tmp_path):
    """Where SQLite may write nothing beside a log, the store is refused and the way out is said."""
    answer(store, "A")
    copy = copied(store, tmp_path / "copy", "", "-wal")
    (copy / "responses.sqlite-shm").symlink_to("nowhere")
    with pytest.raises(StoreError, match=r"still in responses\.sqlite-wal.*Copy the whole folder"):
        Store.open(copy)


def test_a_copy_that_lost_its_log_is_known(store, tmp_path):
    """A store copied while it was written, without its log, is refused until the study has been run again."""
    answer(store, "A")
    copy = copied(store, tmp_path / "copy", "")
    for _ in range(2):  # SQLite leaves an empty log behind where it reads
        with pytest.raises(StoreError, match="responses may be missing"):
            Store.open(copy)
        with pytest.raises(StoreError, match="responses may be missing"), open_view(copy, checked=True):
            pass
    Store.open(copy, write=True).close()
    Store.open(copy).close()


def test_a_store_that_was_closed_is_one_file(store, tmp_path):
    """After a study has ended its one file holds everything, even if somebody was reading meanwhile."""
    answer(store, "A")
    with Store.open(store.folder) as parser:
        assert replies(parser, 1, 1) == [(0, 0, "A")]
        store.close()
        copy = copied(store, tmp_path / "copy", "")
    with Store.open(copy) as opened:
        assert replies(opened, 1, 1) == [(0, 0, "A")]


def test_whatever_is_lost_of_a_store_no_reply_is_left_out_in_silence(store):
    """With any page wiped, or the file cut anywhere, all replies are read or the damage is said."""
    texts = [letter * 3000 for letter in "ABCDEFGH"]
    answer(store, *texts)
    store.close()
    path = store.folder / "responses.sqlite"
    whole, page = path.read_bytes(), 4096
    starts = range(0, len(whole), page)
    wiped = [whole[:at] + bytes(page) + whole[at + page :] for at in starts]
    said = []
    for hurt in (*wiped, *(whole[: at + 1] for at in starts), *(whole[:at] for at in starts)):
        path.write_bytes(hurt)
        try:
            with Store.open(store.folder) as opened:
                assert [text for _, _, text in replies(opened, 1, 1)] == texts
        except StoreError as error:
            said.append(str(error))
    assert len(said) > 2 * len(wiped)
    assert all("damaged" in each or "is empty" in each for each in said)


@pytest.mark.parametrize(
    ("damage", "read", "said"),
    [
        ("UPDATE studies SET record = '{'", lambda store: store.studies.record(), "damaged"),
        ("UPDATE studies SET record = CAST(x'7bff' AS TEXT)", lambda store: store.studies.record(), "Could not decode"),
        ("UPDATE studies SET record = '{}'", lambda store: store.studies.record(), "another version"),
        ("UPDATE items SET record = replace(record, 'question', 'quest')", None, "cannot be read"),
        ("UPDATE benchmarks SET digest = 'x'", None, "refers to is missing"),
        ("UPDATE trials SET response = 9", lambda store: replies(store, 1, 1), "a stored response is missing"),
    ],
)
def test_what_is_wrong_in_a_store_is_one_sentence(store, damage, read, said):
    """Whoever reads it: damage is an error of ours that says what to do, never a traceback of SQLite's or JSON's."""
    store.studies.add(STUDY)
    answer(store, "A")
    _, digest = store.studies.add_benchmark(Benchmark("b", items(1)))
    store.connections.main.execute(damage)
    with pytest.raises(StoreError, match=rf"{said}.*another --out"), Store.open(store.folder) as opened:
        (read or (lambda opened: opened.studies.benchmark(digest)))(opened)


def test_a_store_of_an_earlier_version_is_brought_up_to_date_by_writing(tmp_path):
    """Reading says so and changes nothing; writing to it applies what it lacks."""
    connection = sqlite3.connect(tmp_path / "responses.sqlite")
    connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied REAL)")
    connection.close()
    with pytest.raises(StoreError, match=r"earlier version.*first_schema.*Run its study again"):
        Store.open(tmp_path)
    Store.open(tmp_path, write=True).close()
    Store.open(tmp_path).close()


@pytest.mark.parametrize("write", [True, False])
def test_another_programs_database_is_left_alone(tmp_path, write):
    """A SQLite file that is no store is refused, and nothing is made in it."""
    connection = sqlite3.connect(tmp_path / "responses.sqlite")
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(StoreError, match="not a store of snellen"):
        Store.open(tmp_path, write=write)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]
    connection.close()


@pytest.mark.parametrize("out", ["/dev/null", "/proc/nowhere", "x" * 300])
def test_a_folder_that_cannot_be_made_is_one_message(out, tmp_path, monkeypatch):
    """Not a traceback of the operating system's."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match="cannot be written to"):
        Store.open(out, write=True)


def test_a_finished_study_can_be_read_where_nothing_can_be_written(store):
    """A parser asks for no write access, not even for a log beside the file."""
    store.studies.add(STUDY)
    store.close()
    for path in store.folder.iterdir():
        path.chmod(0o444)
    store.folder.chmod(0o555)
    try:
        with Store.open(store.folder) as parser:
            assert parser.studies.record() == {"schema": SCHEMA, **STUDY, "name": "study-1"}
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                parser.studies.add({})
    finally:
        store.folder.chmod(0o755)


def test_an_image_file_that_moved_is_found_again(store, tmp_path):
    """The same picture at another place: the new place counts."""
    old, new = tmp_path / "old.png", tmp_path / "new.png"
    old.write_bytes(picture(1).read())
    sent = keep(store, replace(items(1)[0], images=(Image(old),)))
    old.rename(new)
    keep(store, replace(items(1)[0], images=(Image(new),)))
    assert store.images.data(sent.sha256) == sent.data


def test_a_store_of_a_later_version_is_not_touched(store):
    """Unknown migrations stop us from misreading what we do not know."""
    store.connections.main.execute("INSERT INTO migrations VALUES ('from_the_future', 0)")
    with pytest.raises(StoreError, match="later version"):
        Store.open(store.folder)


def test_migrations_are_applied_once(store):
    """Opening again changes nothing."""
    migrate(store.connections.main)
    names = [name for (name,) in store.connections.main.execute("SELECT name FROM migrations ORDER BY rowid")]
    assert names == list(MIGRATIONS)


def test_what_cannot_be_stored_stops_the_writer_with_a_message(store):
    """A reply for a key that is there already is a bug, and it is not silent."""
    writer = Writer(store)
    writer.store_response(b"k", Response("A"), [ResponseCell(1, 1, 0, 0)])
    writer.store_response(b"k", Response("B"), [ResponseCell(1, 1, 1, 0)])
    with pytest.raises(StoreError, match="no longer be stored"):
        writer.close()


@given(choices())
def test_items_come_back_in_their_own_words(item):
    """Everything but pictures and the patient's name survives the store."""
    import orjson

    back = item_of(orjson.loads(item_record(item, {})))
    assert replace(back, images=item.images, cluster=item.cluster, metadata=item.metadata) == item


@given(choices(), st.randoms(use_true_random=False))
def test_a_variant_is_rebuilt_from_what_changed(item, random):
    """The stored changes give back the item as the condition left it."""
    import orjson

    order = random.sample(range(len(item.options)), len(item.options))
    varied = replace(
        item, options=tuple(item.options[i] for i in order), answer=order.index(item.answer), question="other"
    )
    assert as_changed(item, orjson.loads(orjson.dumps(changed_fields(item, varied)))) == varied


def test_patients_are_numbers_in_the_store(store):
    """Neither the cluster's name nor identifying metadata is written anywhere."""
    item = replace(
        items(1)[0],
        cluster="DOE^JANE",
        metadata=MappingProxyType({"PatientID": "DOE^JANE", "StudyInstanceUid": "1.2.3", "view": "PA"}),
    )
    _, digest = store.studies.add_benchmark(Benchmark("b", (item, replace(item, id="2"))))
    back = store.studies.benchmark(digest).items
    assert [entry.cluster for entry in back] == ["0", "0"]
    assert dict(back[0].metadata) == {"view": "PA"}
    store.connections.main.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"DOE" not in (store.folder / "responses.sqlite").read_bytes()


def keep(store, item):
    request = ask(item, prompt=PROMPTS["letter"], settings=PROVIDER_DEFAULTS, encode=Image.encoded)
    with closing(Writer(store)) as writer:
        writer.store_variant(1, 0, vary(item, ORIGINAL, seed=0, pool=Pool([item])), request)
    return request.images[0]


def test_images_are_kept_as_sent(store):
    """A picture that is no file is in the store, byte for byte."""
    sent = keep(store, items(1)[0])
    assert store.images.data(sent.sha256) == sent.data
    assert store.variants.load_items(1)[0].images == (sent.sha256,)
    with pytest.raises(ImageError, match="No image"):
        store.images.data("0" * 64)


def test_an_image_file_that_changed_is_not_shown_as_what_was_sent(store, tmp_path):
    """Files are kept by path, and must still be what they were."""
    path = tmp_path / "a.png"
    path.write_bytes(picture(1).read())
    sent = keep(store, replace(items(1)[0], images=(Image(path),)))
    assert store.images.data(sent.sha256) == sent.data
    path.write_bytes(picture(2).read())
    with pytest.raises(ImageError, match="has changed"):
        store.images.data(sent.sha256)


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_an_image_path_that_is_no_file_is_not_opened(store, tmp_path, kind):
    """A store from elsewhere may name a device that never ends, or a pipe that nobody writes to."""
    path = Path("/dev/zero") if kind == "device" else tmp_path / "pipe"
    if kind == "pipe":
        os.mkfifo(path)
    values = ("0" * 64, "image/png", 1, 1, str(path))
    query = "INSERT INTO images (sha256, media_type, width, height, size, path) VALUES (?, ?, ?, ?, 1, ?)"
    store.connections.main.execute(query, values)
    with pytest.raises(ImageError, match="not a plain file"):
        store.images.data("0" * 64)


def test_a_benchmark_is_known_by_all_it_says_and_shows(store):
    """Any change of words, order, pictures or of what is normal is another benchmark; the same one is stored once."""
    two = items(2)
    base = store.studies.add_benchmark(Benchmark("b", two))
    assert store.studies.add_benchmark(Benchmark("b", two)) == base
    others = [
        two[::-1],
        (replace(two[0], question="else"), two[1]),
        (replace(two[0], images=(picture(9),)), two[1]),
        (replace(two[0], options=(Option("x"), *two[0].options[1:])), two[1]),
        (Item(**{**vars(two[0]), "answer": 1}), two[1]),
        *((replace(two[0], metadata={"normal": option.text}), two[1]) for option in two[0].options),
    ]
    digests = {store.studies.add_benchmark(Benchmark("b", changed))[1] for changed in others}
    assert len(digests | {base[1]}) == len(others) + 1


def test_metadata_that_json_lacks_is_stored_and_the_store_stays_whole(tmp_path):
    """Numbers beyond 64 bits, halves of characters, sets and odd names are kept as text or lists."""
    odd = {"n": 2**64, "least": -(2**63) - 1, "half": "\ud83d", "set": {"b", "a"}, ("a", 1): [2**99], "fine": 2**64 - 1}
    item = Item("1", "?", (Option("a"), Option("b")), 0, metadata=odd)
    with Store.open(tmp_path, write=True) as store:
        answer(store, "A")
        _, digest = store.studies.add_benchmark(Benchmark("b", (item,)))
    with Store.open(tmp_path) as store:
        kept = store.studies.benchmark(digest).items[0].metadata
        assert replies(store, 1, 1) == [(0, 0, "A")]
    assert kept == {
        "n": str(2**64), "least": str(-(2**63) - 1), "half": "\\ud83d", "set": ["a", "b"],
        "('a', 1)": [str(2**99)], "fine": 2**64 - 1,
    }  # fmt: skip


class BrokenItems(tuple):
    """Items of which the second cannot be read."""

    def __iter__(self):
        yield Item("1", "?", (Option("a"), Option("b")), 0)
        raise LookupError


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.studies.add_benchmark(benchmark_of(BrokenItems())),
        lambda store: store.batches.add(1, "tag", [b"k", object()]),
        lambda store: store.labels.add("q", BrokenItems()),
    ],
)
def test_a_write_that_fails_leaves_the_store_as_it_was(tmp_path, write):
    """What was begun is rolled back: the store can be written on, closed, and read."""
    with Store.open(tmp_path, write=True) as store:
        answer(store, "A")
        with pytest.raises((LookupError, TypeError, sqlite3.ProgrammingError)):
            write(store)
        assert not store.studies.holds_benchmark("digest")
        assert store.batches.find_open(1) == []
        store.studies.add_model("later", "")
    with Store.open(tmp_path) as store:
        assert replies(store, 1, 1) == [(0, 0, "A")]
        assert [each.number for each in store.studies.models_named("later")] == [1]


def benchmark_of(items):
    """A benchmark whose digest is not computed from its items."""
    benchmark = Benchmark("b", items)
    vars(benchmark)["digest"] = "digest"
    return benchmark


def test_a_loaded_item_takes_what_a_condition_changed():
    """A loader's mark on an item that it found usable is no field of the item."""
    collector = Collector("b")
    collector.add("row 1", Item("1", "?", (Option("a"), Option("b")), 0, images=(picture(1),)))
    (item,) = collector.benchmark(allow_broken=False).items
    assert as_changed(item, {"question": "Which?"}) == replace(item, question="Which?")


def test_what_an_item_was_asked_with_is_compared_and_averaged(store):
    """Words and answer must both be those of before; a distance is the mean of the images that have a number."""
    (item,) = items(1)
    with closing(Writer(store)) as writer:
        writer.store_wordings(1, [(0, item, replace(item, answer=1), "Which?", "")])
    asked = [(0, "Which?", 1), (0, "What?", 1), (0, "Which?", 2), (1, "What?", 2)]
    assert [store.variants.same_words(1, at, text, {"answer": key}) for at, text, key in asked] == [
        True,
        False,
        False,
        True,
    ]
    store.connections.main.execute(
        """UPDATE variants SET drawn = '{"measured": [{"d": 0.5}, {"d": 1.0}, {"d": null}]}'"""
    )
    assert list(store.variants.distances(1)) == [(0, {"d": 0.75})]


def test_metadata_that_a_condition_changes_comes_back_without_names():
    """Only what changed is kept, and nothing that names a patient, however deep."""
    item = replace(items(1)[0], metadata={"view": "PA", "side": "L"})
    changed = changed_fields(
        item, replace(item, metadata={**item.metadata, "view": "AP", "series": [{"mrn": 1, "at": 1}]})
    )
    assert changed == {"metadata": {"view": "AP", "series": [{"at": 1}]}}
    assert dict(as_changed(item, changed).metadata) == {"view": "AP", "side": "L", "series": [{"at": 1}]}


def test_counts_that_no_server_can_mean_do_not_stop_a_bill(store):
    """Earlier versions stored them; two of 2**62 tokens add up to more than a sum can hold."""
    model = store.studies.add_model("m", "")
    with closing(Writer(store)) as writer:
        for place, read in enumerate((2**62, 2**62, 7)):
            writer.store_response(
                bytes([place]), Response("A", usage=Usage(read, read)), [ResponseCell(model, 1, place, 0)]
            )
    assert written_by(store, "m", "")[:3] == (7, 7, 1)
    assert tokens(store, [WantedResponses(model, 1, 3, 1)]) == {model: (7, 7)}
    assert sorted(count_tokens(store, [WantedResponses(model, 1, 3, 1)]), key=str) == [
        (7, 7, 1, False),
        (None, None, 2, False),
    ]
