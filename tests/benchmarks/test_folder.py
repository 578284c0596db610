"""Folder: what is read of a user's own files, and how what is broken in them is named."""

import base64
import csv
import gzip
import json
import os
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


def test_fields_of_no_meaning_are_kept(root):
    """A column that we do not know is in the metadata, not lost."""
    assert only(write(root, {**ROW, "hospital": "X", "metadata": {"view": "AP"}})).metadata == {
        "hospital": "X",
        "view": "AP",
    }


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


def test_open_questions_have_a_reference_text(root):
    """Without options a question is open; numbers are texts; several references are all kept."""
    lines = [
        {"question": "How many?", "answer": 2},
        {"question": "What?", "answer": "x", "kind": "report"},
        {"input": "Which?", "target": ["left", "sinister"]},
    ]
    items = folder.load(write(root, *lines)).items
    assert [(item.kind, item.answer) for item in items] == [("open", "2"), ("report", "x"), ("open", "left")]
    assert items[2].metadata == {"answers": ["left", "sinister"]}


@pytest.mark.parametrize(
    "options",
    [
        ["Yes", "No"],
        "Yes | No",
        '["Yes", "No"]',
        {"B": "No", "A": "Yes"},
        '{"A": "Yes", "B": "No"}',
        [{"letter": "A", "content": "Yes"}, {"letter": "B", "content": "No"}],
        [{"text": "Yes"}, {"text": "No"}],
    ],
)
def test_options_may_be_written_in_many_ways(root, options):
    """Lists, records, letters and text between bars give the same options."""
    item = only(write(root, {**ROW, "options": options}))
    assert ([option.text for option in item.options], item.answer) == (["Yes", "No"], 1)


@pytest.mark.parametrize(
    "names", [("option_a", "option_b"), ("A", "B"), ("Choice A", "Choice B"), ("choice_a", "choice_b")]
)
def test_options_may_stand_in_columns(root, names):
    """A column for each option is read under its usual names; one that is empty is no option."""
    row = {"question": "?", names[0]: "Yes", names[1]: "No", "option_e": None, "answer": "A"}
    item = only(write(root, row))
    assert ([option.text for option in item.options], item.answer) == (["Yes", "No"], 0)


def test_an_option_may_abstain(root):
    """An option that means "I do not know" says so."""
    item = only(write(root, {**ROW, "options": ["Yes", {"text": "Cannot tell", "abstains": True}]}))
    assert item.options == (Option("Yes"), Option("Cannot tell", abstains=True))


@pytest.mark.parametrize(
    ("options", "answer", "expected"),
    [
        (["Yes", "No"], "No", 1),
        (["Yes", "No"], " no ", 1),
        (["Yes", "No"], "b", 1),
        (["Yes", "No"], "(B)", 1),
        (["Yes", "No"], "B.", 1),
        (["B", "A"], "B", 1),
        (["B", "A"], "A", 0),
        (["b", "d", "a"], "A", 0),
        (["T", "B", "S"], "T", 0),
        (["1", "2", "3"], 2, 1),
        (["1", "2", "3"], "3", 2),
        ([1, 2, 3], 3.0, 2),
        (["Yes", "No"], 0, 0),
        (["Yes", "No"], 2, 1),
        (["Yes", "No"], "2.0", 1),
        (["Yes", "No"], ["A"], 0),
        ({"B": "Left", "D": "Right"}, "D", 1),
    ],
)
def test_answers_are_found_by_letter_then_by_text(root, options, answer, expected):
    """A letter is a place, whatever the options read; a number is an option's text, or the only place it can be."""
    assert only(write(root, {**ROW, "options": options, "answer": answer})).answer == expected


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


def test_an_index_is_counted_from_zero_where_the_column_says_so(root):
    """`answer_index` can only mean one thing."""
    row = {"question": "?", "options": ["x", "y", "z"], "answer_index": 1}
    assert only(write(root, row)).answer == 1
    assert only(write(root, {**row, "answer_index": 2.0})).answer == 2


def test_inspect_samples_are_read(root):
    """Messages with text and images, choices, target and metadata of an Inspect sample make an item."""
    sample = {
        "input": [
            {"role": "system", "content": "You are a radiologist."},
            {"role": "user", "content": [{"type": "image", "image": "a.png"}, {"type": "text", "text": "Effusion?"}]},
            {"role": "user", "content": [{"type": "image", "image": URI}]},
        ],
        "choices": ["Yes", "No"],
        "target": "B",
        "metadata": {"view": "AP"},
    }
    item = only(write(root, sample))
    assert (item.question, item.context, item.answer) == ("Effusion?", "You are a radiologist.", 1)
    assert item.images == (Image(root.resolve() / "a.png"), Image(PNG))


def test_chat_requests_images_are_read(root):
    """The part an OpenAI request has for an image is understood too."""
    parts = [{"type": "image_url", "image_url": {"url": URI}}, {"type": "text", "text": "?"}]
    item = only(write(root, {"input": [{"role": "user", "content": parts}], "target": "x"}))
    assert item.images == (Image(PNG),)


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ({"image": None}, 0),
        ({"image": ""}, 0),
        ({"images": []}, 0),
        ({"images": ["a.png", "./a.png"]}, 2),
        ({"images": '["a.png", "a.png"]'}, 2),
        ({"images": [{"image_path": "a.png"}]}, 1),
        ({"image_1": "a.png", "image_2": URI, "image_3": None}, 2),
        ({"image": URI.partition(",")[2]}, 1),
        ({"images": [{"bytes": URI.partition(",")[2], "path": None}]}, 1),
        ({"image": "a.png", "image_name": "a.png", "img_type": "CT", "image_caption": "a.png shows"}, 1),
    ],
)
def test_images_may_be_written_in_many_ways(root, fields, count):
    """A path, a list, JSON, records and numbered columns."""
    row = {"question": "?", "answer": "x", **fields}
    assert [PNG] * count == [image.encoded().data for image in only(write(root, row)).images]


def test_an_absolute_path_inside_the_folder_is_fine(root):
    """What matters is where a path leads."""
    assert only(write(root, {**ROW, "image": str(root / "a.png")})).images == (Image(root.resolve() / "a.png"),)


# Broken rows


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"answer": "E"}, "its answer 'E' is none of its options; expected a letter or a text of A: 'Yes', B: 'No'"),
        ({"answer": 1}, "counted from 0 or from 1"),
        ({"answer": "3"}, "its answer is the number 3: it has 2 options"),
        ({"answer": True}, "its answer is True, expected text"),
        ({"answer": {}}, "its answer is {}, expected text"),
        ({"answer": ["A", "B"]}, "2 right answers"),
        ({"answer": None}, "it has no 'answer' or 'target'"),
        ({"answer": None, "answer_index": 2}, "its answer_index is '2', expected 0 to 1"),
        ({"answer": "b", "options": ["b", "x"]}, "fits more than one option"),
        ({"Picture": "scan 12", "image": None}, "'Picture' looks like an image"),
        ({"Bild": "a.PNG", "image": None}, "its column 'Bild' looks like an image and is not read"),
        ({"video": "a.mp4", "image": None}, "its column 'video' looks like an image and is not read"),
        ({"scan": "a.nii.gz#plane=axial", "image": None}, "its column 'scan' looks like an image and is not read"),
        ({"shown": {"path": "a.png"}, "image": None}, "'shown' looks like an image"),
        ({"img_2": "a.png"}, "'img_2' looks like an image"),
        ({"mask": URI}, "'mask' looks like an image"),
        ({"mask": {"bytes": "aGVsbG8="}}, "'mask' looks like an image"),
        ({"question": "What does <image 2> show?"}, "hold '<image 2>', and it has 1 images"),
        ({"question": "Which?\nA) No\nB) Yes"}, "prints its options in another order"),
        ({"target": "A"}, "'answer' and 'target', which mean the same"),
        ({"images": "a.png"}, "'images' and 'image', which mean the same"),
        ({"choices": []}, "'options' and 'choices', which mean the same"),
        ({"question": None}, "it has no 'question' or 'input'"),
        ({"question": " "}, "its question is empty"),
        ({"question": {"a": 1}}, "its question is {'a': 1}, expected text"),
        ({"question": ["Effusion?"]}, "a message of 'Effusion?'"),
        ({"question": [[]]}, "a message of []"),
        ({"question": [{"role": "assistant", "content": "Yes"}]}, "a message of 'assistant'"),
        ({"question": [{"role": "user", "content": None}]}, "a message is None, expected text"),
        ({"question": [{"role": "user", "content": ["x"]}]}, "a part of type 'str'"),
        ({"question": [{"role": "user", "content": [{"type": "audio"}]}]}, "a part of type 'audio'"),
        ({"options": ["Yes"]}, "none of its options"),
        ({"options": [], "kind": "choice"}, "it has 0 options"),
        ({"options": "[Yes"}, "look like JSON and are not"),
        ({"options": 4}, "its options are 4, expected a list"),
        ({"options": [["Yes"], "No"]}, "an option is ['Yes'], expected text"),
        ({"options": [{"letter": "A"}, "No"]}, "an option is None, expected text"),
        ({"options": ["Yes", "No", "yes"]}, "two of its options read the same"),
        ({"options": [str(n) for n in range(27)]}, "it has 27 options"),
        ({"options": None, "A": "x", "a": "y", "B": "z"}, "two columns for one option"),
        ({"kind": "essay"}, "its kind is 'essay'"),
        ({"kind": []}, "its kind is []"),
        ({"category": ["x"]}, "its category is ['x'], expected text"),
        ({"metadata": "x"}, "look like JSON and are not"),
        ({"metadata": [1]}, "its metadata are [1], expected an object"),
    ],
)
def test_broken_rows_are_named(root, changes, reason):
    """A row that makes no item is named with its line, its id and what was expected."""
    ((where, item_id, said),) = reasons(write(root, b"", {**ROW, **changes}))
    assert (where, item_id) == ("items.jsonl, line 2", "q1")
    assert reason in said


def test_an_id_that_is_no_text_is_named_by_its_line(root):
    """The row is still found."""
    assert reasons(write(root, {**ROW, "id": ["q1"]})) == [
        ("items.jsonl, line 1", "row-1", "its id is ['q1'], expected text")
    ]


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("missing.png", "is not there"),
        (".", "is not there, or not a file"),
        ("../secret.png", "lies outside the folder"),
        ("sub/../../secret.png", "lies outside the folder"),
        ("/etc/hostname", "lies outside the folder"),
        ("link.png", "lies outside the folder"),
        ("outside/secret.png", "lies outside the folder"),
        ("circle.png", "circle.png"),
        ("null\x00byte.png", "null"),
        ("x" * 5000, "not a usable path"),
        ("pipe.png", "not a file"),
        ("https://example.org/a.png", "web address"),
        ("data:image/png,abc", "expected a data URI in base64"),
        ("data:image/png;base64,@@@", "is damaged"),
        ("data:image/png;base64,QUJD", "given as a data URI is not a readable image"),
        (7, "an image is given as 7"),
        ([None], "an image is given as None"),
        ([["a.png"]], "an image is given as ['a.png']"),
        ({"url": "a.png"}, "expected 'bytes' or 'path'"),
    ],
)
def test_images_that_cannot_be_used_are_named(root, reference, reason):
    """Missing, damaged, foreign and runaway images break their row and no other."""
    (root.parent / "secret.png").write_bytes(PNG)
    (root / "link.png").symlink_to(root.parent / "secret.png")
    (root / "outside").symlink_to(root.parent)
    (root / "circle.png").symlink_to(root / "circle.png")
    os.mkfifo(root / "pipe.png")
    ((where, item_id, said),) = reasons(write(root, {**ROW, "id": "good"}, {**ROW, "image": reference}))
    assert (where, item_id) == ("items.jsonl, line 2", "q1")
    assert reason in said


def test_a_link_that_stays_inside_is_followed(root):
    """A link is judged by where it leads."""
    (root / "b.png").symlink_to(root / "a.png")
    assert only(write(root, {**ROW, "image": "b.png"})).images[0].encoded().data == PNG


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


@pytest.mark.parametrize("name", ["items.jsonl", "items.json", "items.csv"])
def test_utf16_is_refused_by_name(root, name):
    """The usual cause of a file full of nulls is named."""
    (root / name).write_bytes(json.dumps([ROW]).encode("utf-16"))
    with pytest.raises(DataError, match="UTF-16"):
        folder.load(root)


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
    item = only(
        table(
            root,
            header,
            cells,
        )
    )
    assert (item.id, item.question, item.answer, len(item.images)) == ("row-2", "Where,\nif anywhere?", 0, 2)
    assert (item.metadata, item.language) == ({"n": 1}, "en")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("id,Frage,options,answer", "'Frage', 'answer', 'options'. Name its column: --map question=Frage (and 1 more"),
        ("id,Frage,options,Art", "what else it has: 'Art', 'Frage', 'options'. Name its column: --map question=Frage"),
        (
            "id,question,options,key",
            "no 'answer' or 'target'; what else it has: 'key'. Name its column: --map answer",
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
    assert "everything down to line 8 is lost" in reason


@pytest.mark.parametrize(("header", "problem"), [(b"id,id\n", "same name: 'id'"), (b'"id\n', "header cannot be read")])
def test_a_table_with_a_broken_header_is_refused(root, header, problem):
    """Without a header no cell has a meaning."""
    (root / "items.csv").write_bytes(header + b"a,b\n")
    with pytest.raises(DataError, match=problem):
        folder.load(root)


def test_gzipped_json_lines_are_read(root):
    """A compressed file loads as the plain one does, and its name loses both endings."""
    (root / "exam.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROW).encode()))
    assert folder.load(root / "exam.jsonl.gz").name == "exam"
    assert only(root).id == "q1"


@pytest.mark.parametrize(
    "data",
    [b"not gzip", gzip.compress(b"x" * 1000)[:-9], gzip.compress(bytes(1000))[:20] + b"xxxxxxxxxxxxxxxx"],
    ids=["no archive", "cut", "spoilt"],  # the bytes hold the time, and two workers would name the tests differently
)
def test_a_damaged_archive_is_refused(root, data):
    """What cannot be unpacked is a clear error, not a shorter benchmark."""
    (root / "items.jsonl.gz").write_bytes(data)
    with pytest.raises(DataError, match=r"items\.jsonl\.gz"):
        folder.load(root, allow_broken=True)


def test_a_json_list_is_read(root):
    """A JSON file is a list of rows, numbered from 1."""
    (root / "items.json").write_text(json.dumps([ROW, 3, {**ROW, "id": None}]))
    benchmark = folder.load(root, allow_broken=True)
    assert [item.id for item in benchmark] == ["q1", "row-3"]
    assert [row.where for row in benchmark.broken] == ["items.json, row 2"]


@pytest.mark.parametrize(
    ("text", "problem"), [("{", "is not JSON"), ('{"a": 1}', "expected a list of objects, or an object with one such")]
)
def test_a_json_file_that_is_no_list_is_refused(root, text, problem):
    """A whole file that makes no sense is one error."""
    (root / "items.json").write_text(text)
    with pytest.raises(DataError, match=problem):
        folder.load(root)


def test_parquet_is_read_with_images_inside(root):
    """Rows of a Parquet file may hold their images as bytes, as the hub's files do."""
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


def test_parquet_images_may_be_plain_bytes(root):
    """A binary column is an image as it stands."""
    pq.write_table(pa.table({"question": ["?"], "answer": ["x"], "image": [PNG]}), root / "items.parquet")
    assert only(root).images == (Image(PNG),)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1"])
def test_a_damaged_parquet_file_is_refused(root, data):
    """A Parquet file without its end is a clear error."""
    (root / "items.parquet").write_bytes(data)
    with pytest.raises(DataError, match=r"items\.parquet"):
        folder.load(root)


def test_parquet_without_its_package_says_what_to_install(root, monkeypatch):
    """The optional package is named with the line that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (root / "items.parquet").write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"snellen\[parquet\]"):
        folder.load(root)


def test_a_folder_holds_one_questions_file(root):
    """None or several are refused by name; a file called items comes before others; the file itself may be given."""
    with pytest.raises(DataError, match=r"found: none\. Images in a sub-folder for each class need none: classes:"):
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


def test_an_empty_file_is_no_benchmark(root):
    """No rows is an error, not a benchmark of nothing."""
    with pytest.raises(DataError, match="holds no items"):
        folder.load(write(root, b""))


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


@settings(deadline=None)
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
