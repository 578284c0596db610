"""Folder: what is read of a user's own files, and how what is broken in them is named."""

import base64
import csv
import gzip
import json
import re
import sys
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.benchmarks import folder, load, rows
from snellen.errors import BrokenRowsError, DataError, MissingExtraError, StudyError
from snellen.images import Image, Unreadable, encode
from snellen.items import Item, Option
from snellen.stress.table import Table
from strategies import picture

PNG = encode(np.arange(12, dtype=np.uint8).reshape(3, 4)).data
URI = "data:image/png;base64," + base64.b64encode(PNG).decode()
ROW = {"id": "q1", "question": "Effusion?", "options": ["Yes", "No"], "answer": "B", "image": "a.png"}


@pytest.fixture
def root(tmp_path):
    """An empty benchmark folder with one picture."""
    path = tmp_path / "mine"
    path.mkdir()
    (path / "a.png").write_bytes(PNG)
    return path


def write(root, *lines, name="items.jsonl"):
    """A JSON Lines file from objects, or from raw bytes."""
    raw = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    (root / name).write_bytes(b"\n".join(raw))
    return root


def only(root):
    """The one item of a folder."""
    (item,) = folder.load(root)
    return item


def reasons(root):
    """Where and why the rows of a folder are broken."""
    with pytest.raises(BrokenRowsError) as caught:
        folder.load(root)
    return [(row.where, row.item_id, row.reason) for row in caught.value.broken]


# Fields


def test_our_fields_make_an_item(root):
    """Every field of ours arrives; the benchmark has the folder's name."""
    row = {**ROW, "context": "Dyspnoea", "category": "chest", "language": "it", "cluster": "p7", "metadata": {"a": [1]}}
    benchmark = folder.load(str(write(root, row)))
    assert benchmark.name == "mine"
    assert benchmark.about["file"] == "items.jsonl"
    assert benchmark.items == (
        Item(
            id="q1",
            question="Effusion?",
            options=(Option("Yes"), Option("No")),
            answer=1,
            images=(Image(root.resolve() / "a.png"),),
            context="Dyspnoea",
            category="chest",
            language="it",
            cluster="p7",
            metadata={"a": [1]},
        ),
    )


def test_a_row_without_id_is_known_by_its_line(root):
    """Blank lines count, so that the id is the line one sees in an editor."""
    rows_ = [{**ROW, "id": None}, b"", {key: value for key, value in ROW.items() if key != "id"}, {**ROW, "id": 17}]
    assert [item.id for item in folder.load(write(root, *rows_))] == ["row-1", "row-3", "17"]


def test_an_id_that_is_there_twice_is_a_row_left_out(root):
    """It is named with the line of the first, and counts among the rows that may bias the answers."""
    rows_ = [{**ROW, "id": f"q{at % 40}", "answer": "A" if at < 40 else "B"} for at in range(60)]
    benchmark = folder.load(write(root, *rows_), allow_broken=True)
    assert [len(benchmark), len(benchmark.broken)] == [40, 20]
    assert "another row has the same id (items.jsonl, line 1)" in benchmark.broken[0].reason
    assert "left_out" in benchmark.about


def test_an_option_may_abstain(root):
    """An option that means "I do not know" says so; an absolute path inside the folder is as good as another."""
    offered = ["Yes", {"text": "Cannot tell", "abstains": True}]
    item = only(write(root, {**ROW, "options": offered, "image": str(root / "a.png")}))
    assert item.options == (Option("Yes"), Option("Cannot tell", abstains=True))
    assert item.images == (Image(root.resolve() / "a.png"),)


def keyed(root, *rows_):
    """The answers of rows with these options and answers, None where a row is broken."""
    lines = [{**ROW, "id": str(at), "options": options, "answer": answer} for at, (options, answer) in enumerate(rows_)]
    benchmark = folder.load(
        write(root, *lines, {**ROW, "id": "last", "answer": "x", "options": None}), allow_broken=True
    )
    return [benchmark.by_id[line["id"]].answer if line["id"] in benchmark.by_id else None for line in lines]


def test_a_file_that_writes_texts_means_the_text(root):
    """Blood groups: `A` is the group in a file of texts, and the first option as soon as any answer is a letter."""
    groups, sides = ["O", "A", "B", "AB"], ["Left", "Right"]
    assert keyed(root, (groups, "A"), (sides, "Right")) == [1, 1]
    assert keyed(root, (groups, "A"), (sides, "Right"), (sides, "B")) == [0, 1, 1]


def test_numbers_count_as_the_file_shows(root):
    """From 0 if one of them is 0, from 1 if one is as high as the options are many; else nobody can tell."""
    three = ["Cyst", "Mass", "Scar"]
    assert keyed(root, (three, 1), (three, 0), (three, "2")) == [1, 0, 2]
    assert keyed(root, (three, 1), (three, 2.0), (three, 3)) == [0, 1, 2]
    assert keyed(root, (three, 1), (three, 2)) == [None, None]
    assert keyed(root, (three, 0), (three, 3)) == [None, None]
    assert keyed(root, (three, 0), (three, 7)) == [0, None]


def test_a_number_that_an_option_reads_is_not_guessed(root):
    """How many nodules? 2 is the option that reads so, unless the file's numbers count the options."""
    three, counts = ["Cyst", "Mass", "Scar"], ["1", "2", "3"]
    assert keyed(root, (counts, 2), (three, "Mass")) == [1, 1]
    assert keyed(root, (counts, 2), (three, 0)) == [None, 0]
    assert keyed(root, (["0", "1", "2"], 2), (three, 0)) == [2, 0]


# Broken rows


def test_an_id_that_is_no_text_is_named_by_its_line(root):
    """The row is still found."""
    assert reasons(write(root, {**ROW, "id": ["q1"]})) == [
        ("items.jsonl, line 1", "row-1", "its id is ['q1'], expected text")
    ]


def test_loading_opens_no_image(root, monkeypatch):
    """A file must be there; it is opened when it is asked for, or once each for an audit, whole or damaged."""
    seen = []
    original = Image.read
    monkeypatch.setattr(Image, "read", lambda image: seen.append(image.source.name) or original(image))
    (root / "cut.png").write_bytes(PNG[:-8])
    lines = [{**ROW, "id": str(n), "image": ("a.png", "cut.png")[n % 2]} for n in range(10)]
    assert (len(folder.load(write(root, *lines))), seen) == (10, [])
    audited = folder.load(root, keep_unreadable=True)
    unreadable = [item.id for item in audited if isinstance(item.images[0].source, Unreadable)]
    assert (unreadable, sorted(seen)) == (["1", "3", "5", "7", "9"], ["a.png", "cut.png"])


def test_the_rest_loads_only_with_leave(root):
    """Broken rows stop the loading unless they are allowed, and are kept beside the rest."""
    write(root, ROW, b"{not json", b"[1]", ROW, {**ROW, "id": "q2", "question": "\ud800"}, {**ROW, "id": "q3"})
    benchmark = folder.load(root, allow_broken=True)
    assert [item.id for item in benchmark] == ["q1", "q3"]
    assert [row.where[-6:] for row in benchmark.broken] == ["line 2", "line 3", "line 4", "line 5"]
    assert "another row has the same id (items.jsonl, line 1)" in benchmark.broken[2].reason
    with pytest.raises(BrokenRowsError, match="4 of 6 rows"):
        folder.load(root)


@pytest.mark.parametrize(
    "line", [b'{"id": "\xff\xfe"}', b"\x00\x00", b'{"id": "a\x00"}', b"[" * 5000, b"NaN", b'"text"']
)
def test_lines_that_are_not_json_objects_are_named(root, line):
    """Wrong bytes, nulls and bottomless nesting break one line."""
    ((where, item_id, _),) = reasons(write(root, ROW, line))
    assert (where, item_id) == ("items.jsonl, line 2", "row-2")


def test_a_byte_order_mark_is_no_part_of_the_first_row(root):
    """Files saved by Windows editors load."""
    assert only(write(root, b"\xef\xbb\xbf" + json.dumps(ROW).encode() + b"\r\n")).id == "q1"


def test_an_endless_line_is_named_and_passed_over(root, monkeypatch):
    """A line beyond the limit is not held in memory; those after it load."""
    monkeypatch.setattr(rows, "LONGEST_LINE", 2000)
    write(root, {**ROW, "question": "x" * 3_000_000}, {**ROW, "id": "q2"})
    benchmark = folder.load(root, allow_broken=True)
    assert [item.id for item in benchmark] == ["q2"]
    assert benchmark.broken[0].reason == "the line is longer than 2,000 bytes"


# Files


def table(root, header, *cells):
    """A CSV file."""
    with (root / "items.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *cells])
    return root


def test_csv_is_read_with_lists_as_json(root):
    """A table's cells hold lists as JSON; an empty cell is a field that is not there."""
    header = ["id", "question", "options", "answer", "images", "metadata", "language"]
    cells = ["", "Where,\nif anywhere?", "Left|Right", "Left", '["a.png", "a.png"]', '{"n": 1}', ""]
    item = only(table(root, header, cells))
    assert (item.id, item.question, item.answer, len(item.images)) == ("row-2", "Where,\nif anywhere?", 0, 2)
    assert (item.metadata, item.language) == ({"n": 1}, "en")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("id,Frage,options,answer", "'Frage', 'answer', 'options'. Name its column: --map question=Frage (and 1 more"),
        (
            "id,Frage,options,Art",
            "its other fields are 'Art', 'Frage', 'options'. Name its column: --map question=Frage",
        ),
        (
            "id,question,options,key",
            "no 'answer' or 'target'; its other fields are 'key'. Name its column: --map answer",
        ),
    ],
)
def test_a_table_with_other_columns_says_what_it_misses_and_what_it_has(root, header, message):
    """A column under a name that nobody would guess."""
    (root / "items.csv").write_text(f"{header}\n1,Which?,Cyst|Mass,A\n2,What?,Cyst|Mass,B\n")
    with pytest.raises(DataError, match=re.escape(message)):
        folder.load(root)


def test_csv_reads_inspect_samples(root):
    """Messages and targets stand in cells as JSON."""
    messages = json.dumps([{"role": "user", "content": [{"type": "text", "text": "Why?"}]}])
    item = only(table(root, ["input", "choices", "target"], [messages, '["x", "y"]', '["B"]']))
    assert (item.question, item.answer) == ("Why?", 1)


def test_csv_rows_are_known_by_the_line_they_start_on(root):
    """Newlines inside quotes move the lines of the rows behind them."""
    table(root, ["question", "answer"], ["one\ntwo\nthree", "x"], ["four", ""], ["five", "y"])
    benchmark = folder.load(root, allow_broken=True)
    assert [item.id for item in benchmark] == ["row-2", "row-6"]
    assert [row.where for row in benchmark.broken] == ["items.csv, line 5"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"a,b,c,d", "it has 4 cells, the header has 3"),
        (b"a", "it has 1 cells, the header has 3"),
        (b"a,\xff,x", "it is not UTF-8"),
        (b'a,"b"c,x', "it is not CSV"),
        (b"a," + b"b" * 200_000 + b",x", "it is not CSV: field larger than field limit"),
        (b"[{,b,x", None),
        (b'a,b,"[{"', None),
        (b'a,b,"[""x"', "its answer look like JSON"),
    ],
)
def test_broken_lines_of_a_table_are_named(root, line, reason):
    """One bad line of a table breaks one row."""
    (root / "items.csv").write_bytes(b"id,question,answer\nq,?,x\n" + line + b"\nq2,?,y\n")
    benchmark = folder.load(root, allow_broken=True)
    assert [benchmark.items[0].id, benchmark.items[-1].id] == ["q", "q2"]
    for row in benchmark.broken:
        assert row.where == "items.csv, line 3"
        assert reason is None or reason in row.reason


def test_an_unclosed_quote_says_how_much_it_swallows(root):
    """The one broken row names all the lines that are lost with it."""
    (root / "items.csv").write_bytes(b'question,answer\na,b\n"c,d\n' + b"e,f\n" * 5)
    ((where, _, reason),) = reasons(root)
    assert where == "items.csv, line 3"
    assert "the lines down to 8 cannot be read" in reason


def test_gzipped_json_lines_are_read(root):
    """A compressed file loads as the plain one does, and its name loses both endings."""
    (root / "exam.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROW).encode()))
    assert folder.load(root / "exam.jsonl.gz").name == "exam"
    assert only(root).id == "q1"


def test_a_json_list_is_read(root):
    """A JSON file is a list of rows, numbered from 1."""
    (root / "items.json").write_text(json.dumps([ROW, 3, {**ROW, "id": None}]))
    benchmark = folder.load(root, allow_broken=True)
    assert [item.id for item in benchmark] == ["q1", "row-3"]
    assert [row.where for row in benchmark.broken] == ["items.json, row 2"]


def test_parquet_is_read_with_images_inside(root):
    """Rows of a Parquet file may hold their images as bytes, as the hub's files do, or as a binary column."""
    table_ = pa.table(
        {
            "question": ["One?", "Two?", "Three?"],
            "options": [["Yes", "No"]] * 3,
            "answer": ["A", "B", "C"],
            "image": [
                {"bytes": PNG, "path": "x.png"},
                {"bytes": None, "path": "a.png"},
                {"bytes": b"torn", "path": "t"},
            ],
        }
    )
    pq.write_table(table_, root / "items.parquet")
    benchmark = folder.load(root, allow_broken=True)
    assert [item.images[0].encoded().data for item in benchmark] == [PNG, PNG]
    assert [row.where for row in benchmark.broken] == ["items.parquet, row 3"]
    pq.write_table(pa.table({"question": ["?"], "answer": ["x"], "image": [PNG]}), root / "items.parquet")
    assert only(root).images == (Image(PNG),)


def test_parquet_without_its_package_says_what_to_install(root, monkeypatch):
    """The optional package is named with the line that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (root / "items.parquet").write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"snellen\[parquet\]"):
        folder.load(root)


def test_a_folder_holds_one_questions_file(root):
    """None or several are refused by name; a file called items comes before others; the file itself may be given."""
    with pytest.raises(DataError, match=r"found: none\. For images with a sub-folder for each class: classes:"):
        folder.load(root)
    write(write(root, ROW, name="a.jsonl"), {**ROW, "id": "q2"}, name="b.jsonl")
    with pytest.raises(DataError, match=r"found: a\.jsonl, b\.jsonl"):
        folder.load(root)
    assert folder.load(root / "b.jsonl").name == "b"
    write(root, {**ROW, "id": "q3"})
    assert only(root).id == "q3"


@pytest.mark.parametrize("name", ["nothing", "a.png", "null\x00", "x" * 5000])
def test_a_path_that_is_no_benchmark_is_refused(root, name):
    """A missing folder, a picture and impossible names are DataErrors."""
    with pytest.raises(DataError):
        folder.load(root / name)


# Saving

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
FILLED = TEXTS.filter(str.strip)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda x: st.lists(x, max_size=2) | st.dictionaries(TEXTS, x, max_size=2),
    max_leaves=4,
)
PICTURES = st.sampled_from([Image(PNG), Image(encode(np.zeros((2, 2, 3), np.uint8)).data)])
SHARED = {
    "id": FILLED,
    "question": FILLED,
    "images": st.lists(PICTURES, max_size=2).map(tuple),
    "context": TEXTS,
    "category": TEXTS,
    "language": TEXTS,
    "cluster": TEXTS,
    "metadata": st.dictionaries(TEXTS, PLAIN, max_size=3),
}


@st.composite
def choices(draw):
    """Items with options."""
    texts = draw(st.lists(FILLED, min_size=2, max_size=5, unique_by=lambda text: text.strip().casefold()))
    options = tuple(Option(text, draw(st.booleans())) for text in texts)
    fields = draw(st.fixed_dictionaries(SHARED))
    return Item(options=options, answer=draw(st.integers(0, len(options) - 1)), **fields)


OPENS = st.builds(Item, answer=FILLED, kind=st.sampled_from(["open", "report"]), **SHARED)


def as_sent(item):
    """An item with its images as the bytes that are sent."""
    return replace(item, images=tuple(Image(image.encoded().data) for image in item.images))


@settings(max_examples=40, deadline=None)
@given(items=st.lists(choices() | OPENS, min_size=1, max_size=4, unique_by=lambda item: item.id))
def test_saved_items_load_again_as_they_were(tmp_path_factory, items):
    """Writing and loading changes no item but to group those of one image, and no byte of an image as sent."""
    path = tmp_path_factory.mktemp("saved")
    folder.save(items, path)
    loaded = folder.load(path)
    grouped = [replace(item, cluster=item.cluster or each.cluster) for item, each in zip(items, loaded, strict=True)]
    assert [as_sent(item) for item in loaded] == [as_sent(item) for item in grouped]


NAMES = st.sampled_from([*ROW, "input", "choices", "target", "images", "kind", "metadata", "A", "b", "image_1", "x"])
ANYTHING = PLAIN | st.sampled_from(["A", "Yes", "a.png", URI, "[", '["Yes", "No"]', ["Yes", "No"], {"text": "Yes"}, 0])


@settings(max_examples=40, deadline=None)
@given(changes=st.dictionaries(NAMES, ANYTHING, max_size=4))
def test_any_row_loads_or_is_named(tmp_path_factory, changes):
    """Whatever stands in a row, it becomes an item or a broken row with its line, in JSON as in a table."""
    path = tmp_path_factory.mktemp("noise")
    (path / "a.png").write_bytes(PNG)
    row = {**ROW, **changes}
    cells = [value if isinstance(value, str) else json.dumps(value) for value in row.values()]
    whole = {**ROW, "id": "!", "options": "Yes|No"}
    write(path, whole, row)
    table(path, list(row), [whole.get(name, "") for name in row], cells)
    for name, where in (("items.jsonl", "items.jsonl, line 2"), ("items.csv", "items.csv, line 3")):
        benchmark = folder.load(path / name, allow_broken=True)
        assert len(benchmark) + len(benchmark.broken) == 2
        assert all(broken.where == where for broken in benchmark.broken)


def test_saving_writes_each_picture_once_and_overwrites_nothing(root):
    """Two questions on one picture share its file; a folder that holds items is left alone."""
    items = [Item(id=name, question="?", kind="open", answer="x", images=(Image(PNG),)) for name in "ab"]
    assert folder.save(items, root / "out") == root / "out" / "items.jsonl"
    assert [path.read_bytes() for path in (root / "out" / "images").iterdir()] == [PNG]
    with pytest.raises(DataError, match="is there already"):
        folder.save(items, root / "out")


def test_metadata_that_is_read_only_is_written(root):
    """Nested mappings of any kind become objects."""
    item = Item(id="a", question="?", kind="open", answer="x", metadata={"drawn": MappingProxyType({"seed": 1})})
    folder.save([item], root / "out")
    assert only(root / "out").metadata == {"drawn": {"seed": 1}}


@pytest.mark.parametrize("value", [object(), "\ud800", {1: 2}, 2**70])
def test_what_json_cannot_hold_is_refused(root, value):
    """An item that cannot be written is named, and no half file stays under the final name."""
    item = Item(id="odd", question="?", kind="open", answer="x", metadata={"value": value})
    with pytest.raises(DataError, match="Item 'odd' cannot be written"):
        folder.save([item], root / "out")
    assert not (root / "out" / "items.jsonl").exists()


@pytest.mark.parametrize("name", ["classes", "folder", "vqa-rad", "classes:modality=MRI"])
def test_a_benchmark_in_files_must_say_where_they_are(name):
    """Without a path it is told how to write one."""
    with pytest.raises(StudyError, match=rf"Write {name.partition(':')[0]}:PATH"):
        load(name)


SHARED_IMAGES = [("a", ""), ("a", ""), ("b", ""), ("b+c", ""), ("c", ""), ("d", ""), ("e", "p1"), ("e", ""), ("", "")]


def test_questions_that_share_an_image_count_as_one_patient(tmp_path):
    """As published loaders have it: directly, over others, or with one that names its patient."""
    asked = {name: value for name, value in ROW.items() if name != "image"}
    lines = [
        {**asked, "id": f"q{at}", "images": [f"{name}.png" for name in names.split("+") if name], "cluster": cluster}
        for at, (names, cluster) in enumerate(SHARED_IMAGES)
    ]
    write(tmp_path, *lines)
    for at, name in enumerate("abcde"):
        (tmp_path / f"{name}.png").write_bytes(picture(at).read())
    read = load(str(tmp_path))
    first, second = "image of q0", "image of q2"
    assert [item.cluster for item in read] == [first, first, second, second, second, "", "p1", "p1", ""]
    assert "counted 6 questions that share an image as 3 patients" in read.about["guesses"][-1]
    assert {item.cluster for item in load(f"folder:{tmp_path},map=cluster:none")} == {""}
    assert len(np.unique(Table("m", "b", read.items, {}).clusters)) == 5
