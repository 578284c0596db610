"""Any table: columns by a map or by a guess that is said, formats, answers and options in other people's ways."""

import base64
import gzip
import io
import json
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen import Study
from snellen.asking.sampling import spread
from snellen.benchmarks import load, rows, takes_map
from snellen.benchmarks.columns import FIELDS, checked_map, columns_of, parse_map
from snellen.benchmarks.folder import Dropped, bias, unlike_p
from snellen.errors import BrokenRowsError, DataError, StudyError
from snellen.images import Image, encode
from snellen.items import Item, Option
from snellen.models.fake import FakeModel

PNG = encode(np.arange(12, dtype=np.uint8).reshape(3, 4)).data
OTHER = encode(np.arange(20, dtype=np.uint8).reshape(4, 5)).data
ROW = {"id": "q1", "question": "Effusion?", "options": ["Yes", "No"], "answer": "B"}
DAMAGED = (
    b"not gzip",
    gzip.compress(b"x" * 1000, mtime=0)[:-9],
    gzip.compress(bytes(1000), mtime=0)[:20] + b"xxxxxxxxxxxxxxxx",
)
"""Archives that cannot be unpacked."""


def rows_in(path, content):
    """A JSON file of rows, with one picture beside it."""
    path.mkdir(exist_ok=True)
    (path / "a.png").write_bytes(PNG)
    (path / "items.json").write_text(json.dumps(content))
    return path


def guessed(benchmark):
    """What was said aloud when it was read."""
    return " | ".join(benchmark.about.get("guesses", ()))


# Columns


def test_columns_of_published_files_are_guessed_aloud(tmp_path):
    """OmniMedVQA's, PMC-VQA's and JAMA's names make the same item, and each guess is told with its way out."""
    words = {"gt_answer": "No", "option_A": "Yes", "option_B": "No"}
    omni = {"question_id": "q1", "question": "Effusion?", "image_path": "a.png", **words}
    pmc = {"Figure_path": "a.png", "Question": "Effusion?", "Choice A": "A: Yes", "Choice B": "B: No", "Answer": "No"}
    jama = {"qid": "q1", "question": "Effusion?", "opa": "Yes", "opb": "No", "answer_idx": "B", "img": "a.png"}
    for at, row in enumerate((omni, {**pmc, "Answer_label": "B"}, jama)):
        benchmark = load(rows_in(tmp_path / str(at), [row]))
        [item] = benchmark
        assert ([each.text for each in item.options], item.letter, len(item.images)) == (["Yes", "No"], "B", 1)
    assert guessed(load(tmp_path / "0")).startswith("read `question_id` as id; say --map id=none if that is wrong")
    assert "read `image_path` as images; say --map images=none if that is wrong" in guessed(load(tmp_path / "0"))
    told = guessed(load(tmp_path / "1"))
    assert "read `Answer` as answer (and not `Answer_label`)" in told
    assert "removed the letters (“A) …”) from the options of 1 question" in told
    assert "guesses" not in load(rows_in(tmp_path / "ours", [ROW])).about


def test_a_map_says_it_and_nothing_is_guessed(tmp_path):
    """In Python, in a benchmark's line and in a study; what had the field's own name is kept beside it."""
    row = {"Q": "Effusion?", "question": "n/a", "label": 1, "opts": "No|Yes", "front": "a.png", "side": "a.png"}
    folder = rows_in(tmp_path / "mine", [row, {**row, "label": 0}])
    wanted = {"question": "Q", "answer": "label", "options": "opts", "images": ["front", "side"]}
    benchmark = load(folder, map=wanted)
    item = benchmark.items[0]
    assert (item.question, item.letter, len(item.images)) == ("Effusion?", "B", 2)
    assert item.metadata == {"column question": "n/a"}
    line = "folder:{},map=question:Q/answer:label/options:opts/images:front+side"
    assert load(line.format(folder)).items == benchmark.items
    assert load(line.format(folder)).name == "mine"
    read, shared = guessed(benchmark).split(" | ")
    assert read == "read numeric answers as positions counted from 0, because at least one answer is 0"
    assert shared.startswith("counted 2 questions that share an image as 1 patient")
    study = Study(models=[FakeModel(lambda request: "A")], benchmarks=[str(folder)], map=wanted)
    assert study.plan().benchmarks[0].items == benchmark.items
    assert takes_map(folder)
    assert not takes_map("phantoms")


def test_images_may_be_mapped_to_none(tmp_path):
    """Then the exam is one of words, because its owner said so."""
    folder = rows_in(tmp_path / "mine", [{**ROW, "image_path": "gone.png", "mask": "b.png"}])
    with pytest.raises(BrokenRowsError, match=r"'gone\.png' is not there"):
        load(folder)
    [item] = load(folder, map={"images": "none"})
    assert (item.images, item.metadata) == ((), {})


@pytest.mark.parametrize(
    ("given_map", "message"),
    [
        ("question", "A map is written as question=COLUMN"),
        ("quesion=Q", "no field 'quesion'. Did you mean 'question'"),
        ("question=a+b", "Only images and options can have several columns"),
        ("question=none", "cannot be mapped to none"),
        ("id=a,id=b", "names 'id' twice"),
        ({"id": 3}, "expected a column's name"),
        ([1], "Expected a map such as"),
        ("answer=Label", "no column 'Label', which the map gives for answer; its columns are .* Did you mean 'label'"),
    ],
)
def test_a_map_that_cannot_be_meant_is_refused(tmp_path, given_map, message):
    """Before any row is read."""
    with pytest.raises(StudyError, match=message.replace("+", r"\+")):
        load(rows_in(tmp_path / "mine", [{"question": "?", "label": "x"}]), map=given_map)


def test_a_map_without_a_table_is_refused(tmp_path):
    """The phantoms have no columns."""
    with pytest.raises(StudyError, match="this study has none"):
        Study(models=["organism/blind"], benchmarks=["phantoms"], map="question=Q", out=tmp_path).plan()


@given(
    columns=st.dictionaries(st.sampled_from(FIELDS), st.lists(st.text("abcXY z", min_size=1), max_size=1), max_size=5)
)
def test_a_map_reads_the_same_in_every_form(columns):
    """As a table and as a line, for names that a line can hold."""
    told = {name: columns[name] for name in columns if name != "question" or columns[name]}
    told = {name: [each.strip() for each in value if each.strip()] for name, value in told.items()}
    told = {name: value for name, value in told.items() if value != ["none"] and (name != "question" or value)}
    line = ",".join(f"{name}={value[0] if value else 'none'}" for name, value in told.items())
    assert checked_map(told) == (parse_map(line) if line else {})


@given(
    st.lists(st.dictionaries(st.sampled_from(["question", "Q", "label", "img", "x", "A", "B"]), st.text()), max_size=4)
)
@settings(max_examples=15)
def test_renaming_loses_no_value(table):
    """Whatever is guessed, every value of a row is there afterwards under some name."""
    columns = columns_of(table, {})
    for row in table:
        renamed = dict(row)
        columns.rename(renamed)
        assert sorted(renamed.values()) == sorted(row.values())


# Formats


def test_every_format_gives_the_same_items(tmp_path):
    """TSV, CSV with semicolons, Excel, JSON by id or under a name, Parquet shards, and JSON in a zip."""
    cells = [("q1", "Effusion?", "Yes|No", "B", "a.png"), ("q2", "Mass; or cyst?", "Mass|Cyst", "A", "a.png")]
    names = ("id", "question", "options", "answer", "image")
    told = [dict(zip(names, each, strict=True)) for each in cells]
    wanted = load(rows_in(tmp_path / "json", told)).items

    def made(name, content, said=""):
        folder = tmp_path / name.replace("/", "-")
        folder.mkdir(exist_ok=True)
        (folder / "a.png").write_bytes(PNG)
        (folder / name).write_bytes(content)
        benchmark = load(folder)
        assert [replace_images(item) for item in benchmark] == [replace_images(item) for item in wanted], name
        assert said in guessed(benchmark)

    def replace_images(item):
        return (item.id, item.question, item.options, item.answer, [image.read() for image in item.images])

    made("x.tsv", "\n".join("\t".join(each) for each in (names, *cells)).encode())
    quoted = [[f'"{cell}"' for cell in each] for each in cells]
    made("x.csv", "\r\n".join(map(";".join, (names, *quoted))).encode(), "separated by semicolons")
    made("y.json", json.dumps({row.pop("id"): row for row in map(dict, told)}).encode(), "as the ids of its rows")
    made("z.json", json.dumps({"version": 1, "data": told}).encode(), "the rows under 'data'")
    book, file = openpyxl.Workbook(), io.BytesIO()
    for each in (names, *cells):
        book.active.append(each)
    book.create_sheet("notes").append(["a"])
    book["notes"].append(["b"])
    book.save(file)
    made("x.xlsx", file.getvalue(), "read the sheet 'Sheet' of x.xlsx, and not 'notes'")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("deep/items.json", json.dumps(told))
        packed.writestr("__MACOSX/._items.json", b"x")
    made("x.zip", file.getvalue(), "read 'deep/items.json' in x.zip")
    shards = tmp_path / "shards"
    (shards / "data").mkdir(parents=True)
    (shards / "a.png").write_bytes(PNG)
    for at, row in enumerate(told):
        pq.write_table(pa.Table.from_pylist([row]), shards / "data" / f"test-0000{at}-of-00002.parquet")
        pq.write_table(pa.Table.from_pylist([row]), shards / "data" / f"train-0000{at}-of-00003.parquet")
    assert [item.id for item in load(f"folder:{shards},split=test")] == ["q1", "q2"]
    with pytest.raises(DataError, match=r"Say which: folder:.*,split=test"):
        load(shards)
    with pytest.raises(DataError, match=r"shard 2 of .* is missing"):
        load(f"folder:{shards},split=train")


def test_a_split_may_be_a_column_or_a_list(tmp_path):
    """Rows of one split are read, by whatever name the file has for it."""
    parted = [{**ROW, "id": str(at), "split": split} for at, split in enumerate(("train", "val", "test", "val"))]
    folder = rows_in(tmp_path / "mine", parted)
    assert [item.id for item in load(f"folder:{folder},split=validation")] == ["1", "3"]
    with pytest.raises(DataError, match="no rows of the split 'extra'; it has 'test', 'train', 'val'"):
        load(f"folder:{folder},split=extra")
    named = rows_in(tmp_path / "named", {"train": [ROW], "test": [ROW, {**ROW, "id": "q2"}]})
    assert len(load(f"folder:{named},split=test")) == 2
    with pytest.raises(DataError, match=r"several lists of rows: 'train', 'test'\. Say which: split=train"):
        load(named)


def test_images_in_base64_and_by_another_rows_id(tmp_path):
    """As in VLMEvalKit's tables: a long cell is an image, and a cell with another row's index means its image."""
    large = encode(np.random.default_rng(0).integers(0, 255, (300, 300)).astype(np.uint8)).data
    text = base64.b64encode(large).decode()
    lines = ["index\tquestion\tA\tB\tanswer\timage", f"0\tIs it?\tyes\tno\tA\t{text}", "1\tIs it not?\tyes\tno\tB\t0"]
    (tmp_path / "bench.tsv").write_text("\n".join(lines))
    benchmark = load(tmp_path / "bench.tsv")
    assert [item.images for item in benchmark] == [(Image(large),)] * 2
    assert "read the image value '0' as the image of the row with this id" in guessed(benchmark)


def test_images_are_looked_for_in_their_usual_places(tmp_path):
    """Beside the file, in images/ and imgs/, or under the root that is named; never outside."""
    folder = rows_in(tmp_path / "mine", [{**ROW, "image": "b.png"}])
    with pytest.raises(BrokenRowsError, match="is not there"):
        load(folder)
    for place in ("imgs", "elsewhere"):
        (folder / place).mkdir()
    (folder / "elsewhere" / "b.png").write_bytes(OTHER)
    assert load(f"folder:{folder},images_root=elsewhere").items[0].images[0].read() == OTHER
    (folder / "imgs" / "b.png").write_bytes(PNG)
    assert load(folder).items[0].images[0].read() == PNG
    with pytest.raises(DataError, match="no such folder"):
        load(folder, images_root="nowhere")
    rows_in(folder, [{**ROW, "image": "../elsewhere/b.png"}])
    with pytest.raises(BrokenRowsError, match="outside the folder"):
        load(folder, images_root="imgs")


# Bad input


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("items.csv", b"question,answer\n", "it holds no items"),
        ("items.json", b"[]", "it holds no items"),
        ("items.json", b'{"a": [1, 2]}', "expected a list of objects, an object with one such list"),
        ("items.csv", b"question,answer\nWhich \xff?,a\n", "it is not UTF-8"),
        ("items.csv", b"x," * (rows.MOST_COLUMNS + 1), "its header has 10,002 columns"),
        ("items.tsv", b"question\tquestion\n", "two columns have the same name"),
        ("items.xlsx", b"PK\x03\x04 no workbook", "cannot be read"),
        ("items.zip", b"PK\x03\x04 no zip", "cannot be read"),
        ("items.json", b'[{"question": "\\ud800?", "answer": "a"}]', "is not JSON"),
        ("items.json", b"{", "is not JSON"),
        ("items.json", b'{"a": 1}', "expected a list of objects, an object with one such"),
        *((f"items.{ending}", json.dumps([ROW]).encode("utf-16"), "UTF-16") for ending in ("jsonl", "json", "csv")),
        ("items.jsonl", b"", "it holds no items"),
        ("items.csv", b"id,id\na,b\n", "same name: 'id'"),
        ("items.csv", b'"id\na,b\n', "header cannot be read"),
        *(("items.jsonl.gz", data, r"items\.jsonl\.gz") for data in DAMAGED),
        *(("items.parquet", data, r"items\.parquet") for data in (b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1")),
    ],
)
def test_files_that_make_no_sense_are_one_error(tmp_path, name, content, message):
    """No rows, half characters, a header without end, and archives that are none."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        load(tmp_path)


def test_a_zip_that_is_no_honest_one_is_refused(tmp_path):
    """Names that lead out of it, two questions files, and none."""
    for members, message in (
        ({"../items.json": b"[]"}, "a path outside the zip file"),
        ({"a.json": b"[]", "b.json": b"[]"}, "found: a.json, b.json"),
        ({"readme.txt": b""}, "found: none"),
    ):
        with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in members.items():
                packed.writestr(name, content)
        with pytest.raises(DataError, match=message):
            load(tmp_path / "x.zip")


def test_damaged_images_are_told_before_anything_is_sent(tmp_path):
    """Loading opens none; a run looks before it asks, and with leave the items are asked without them."""
    asked = []
    model = FakeModel(lambda request: asked.append(request) or "A", name="mine/counting")
    folder = rows_in(tmp_path / "mine", [{**ROW, "image": "a.png"}, {**ROW, "id": "q2", "image": "cut.png"}])
    (folder / "cut.png").write_bytes(PNG[:-8])
    with (folder / "huge.tiff").open("wb") as huge:
        huge.truncate(2_000_000_000)
    assert len(load(folder)) == 2
    study = {"models": [model], "benchmarks": [str(folder)], "tests": ["image-needed"], "canary": False}
    with pytest.raises(BrokenRowsError, match=r"1 of 2 rows are broken:\n  items\.json: item 'q2': Image cut\.png is"):
        Study(**study, out=tmp_path / "out").ask()
    assert asked == []
    Study(**study, out=tmp_path / "out", allow_broken=True).ask()
    assert sorted(bool(request.images) for request in asked) == [False, False, True]
    rows_in(folder, [{**ROW, "image": "huge.tiff"}])
    with pytest.raises(BrokenRowsError, match="2,000,000,000 bytes; at most"):
        Study(**study, out=tmp_path / "other").ask()


# Rows left out


def test_rows_left_out_that_bias_the_key_are_told(tmp_path):
    """If what is broken has another right answer than the rest, the benchmark says so, with the test."""
    kept = [{**ROW, "id": str(at), "answer": "AB"[at % 2], "category": "chest"} for at in range(40)]
    gone = [{**ROW, "id": f"x{at}", "answer": "A", "image": "gone.png", "category": "brain"} for at in range(12)]
    [key, category, images] = load(rows_in(tmp_path / "mine", kept + gone), allow_broken=True).about["left_out"]
    assert key.startswith("the right answer is A in 100% of the 12 rows left out and in 50% of the 40 rows kept (perm")
    assert category.startswith("the category is 'brain' in 100% of the 12 rows left out and in 0% of the 40 rows kept")
    assert images == "12 of the 12 rows left out lack a usable image"
    fair = [{**row, "id": f"y{row['id']}", "options": ["Yes", "yes"]} for row in kept]
    assert "left_out" not in load(rows_in(tmp_path / "fair", kept + fair), allow_broken=True).about


def test_the_test_of_bias_is_fishers_for_two_answers():
    """By hand: of 4 rows left out, all A, among 8 with 4 A each way; 2 of 70 tables are as far from even."""
    assert unlike_p([0, 4], [4, 0]) == pytest.approx(2 / 70, abs=4 * (2 / 70 / 9999) ** 0.5)
    kept = [Item(str(at), "?", (Option("x"), Option("y")), at % 2) for at in range(100)]
    assert bias(kept, [Dropped("AB"[at % 2]) for at in range(100)]) == []
    assert bias(kept, [Dropped("A")] * 4) == []


# The limit


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("ABC")), min_size=1, max_size=80),
    st.integers(1, 80),
)
def test_every_beginning_of_a_spread_is_in_proportion(pairs, count):
    """Each item comes once; of the first `count`, no category and no answer is more than two items off its share."""
    categories, answers = zip(*pairs, strict=True)
    order = spread(categories, answers, [str(at) for at in range(len(pairs))])
    assert sorted(order) == list(range(len(pairs)))
    count = min(count, len(pairs))
    for named in (categories, answers):
        for name in set(named):
            share = count * named.count(name) / len(named)
            assert abs(sum(named[place] == name for place in order[:count]) - share) <= 2


def test_a_limit_is_spread_nested_and_said(tmp_path):
    """Of a file sorted by category, ten items are of all categories, and among the twenty of a larger limit."""
    sorted_rows = [{**ROW, "id": f"{at:03}", "category": "ab"[at // 80], "answer": "AB"[at % 2]} for at in range(100)]
    folder = str(rows_in(tmp_path / "mine", sorted_rows))

    def asked(limit):
        study = Study(models=["organism/blind"], benchmarks=[folder], tests=["option-order"], limit=limit, out=tmp_path)
        [benchmark] = study.plan().benchmarks
        return benchmark

    ten, twenty = asked(10), asked(20)
    assert [sum(item.category == each for item in ten.items[:10]) for each in "ab"] == [8, 2]
    assert [sum(item.letter == each for item in ten.items[:10]) for each in "AB"] == [5, 5]
    assert set(ten.items[:10]) < set(twenty.items[:20])
    assert ten.digest == twenty.digest
    said = "10 of 100 items, spread over 2 categories and 2 answers in proportion, the same for any seed"
    assert ten.about["limit"] == said
    assert asked(100).about.get("limit") is None
