"""Rows whose key could be read in two ways, or would move when a cell is empty."""

import orjson
import pyarrow
import pytest
from pyarrow import parquet

from snellen.benchmarks import folder
from snellen.errors import DataError


def table(path, text):
    """A CSV file with that text."""
    (path / "q.csv").write_text(text)
    return path / "q.csv"


def lines(path, *rows):
    """A JSON Lines file with those rows."""
    (path / "q.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path / "q.jsonl"


def right(benchmark):
    """The text of every item's right option."""
    return {item.id: item.options[item.answer].text for item in benchmark}


@pytest.mark.parametrize("names", ["opa,opb,opc,opd", "A,B,C,D", "option1,option2,option3,option4"])
def test_an_empty_option_column_moves_no_other_option_to_its_letter(tmp_path, names):
    """A row without its second option is broken; it is no open question, and C does not become the fourth option."""
    file = table(tmp_path, f"id,question,{names},answer\n1,Where?,w,,y,z,C\n2,Where?,w,x,y,z,C\n")
    benchmark = folder.load(file, allow_broken=True)
    assert right(benchmark) == {"2": "y"}
    assert [row.reason for row in benchmark.broken] == ["its option B is empty"]


def test_a_place_among_letters_with_a_gap_is_refused_and_a_letter_is_not(tmp_path):
    """Of A, B, D and E the place 3 is D or E; the letter D is D."""
    options = {"A": "w", "B": "x", "D": "y", "E": "z"}
    rows = [
        {"id": "place", "question": "Where?", **options, "answer_index": 3},
        {"id": "letter", "question": "Where?", **options, "answer": "D"},
    ]
    benchmark = folder.load(lines(tmp_path, *rows), allow_broken=True)
    assert right(benchmark) == {"letter": "y"}
    assert "skip a letter (A, B, D, E)" in benchmark.broken[0].reason


def test_an_answer_index_that_counts_from_1_is_refused_whole_and_read_where_the_map_says_so(tmp_path):
    """Where one index equals the number of options and none is 0, no row of the file is read a place too far."""
    rows = ({"id": str(at), "question": "Where?", "options": ["w", "x", "y"], "answer_index": at} for at in (1, 2, 3))
    file = lines(tmp_path, *rows)
    with pytest.raises(DataError, match="seems to count from 1"):
        folder.load(file, allow_broken=True)
    assert right(folder.load(file, map="answer=answer_index")) == {"1": "w", "2": "x", "3": "y"}


def test_zero_and_one_are_no_places_where_one_may_mean_yes(tmp_path):
    """Labels of 0 and 1 beside the options Yes and No are refused; beside No and Yes both readings agree."""
    rows = "id,question,options,label\n1,Effusion?,{0},1\n2,Fracture?,{0},0\n"
    with pytest.raises(DataError, match="as a label of 0 or 1 it means 'Yes'"):
        folder.load(table(tmp_path, rows.format("Yes|No")), allow_broken=True)
    assert right(folder.load(table(tmp_path, rows.format("No|Yes")))) == {"1": "Yes", "2": "No"}


def test_a_split_that_nothing_tells_of_is_refused(tmp_path):
    """A whole file is not passed off as its test split; a column of another name may be mapped to it."""
    file = table(tmp_path, "id,question,options,answer,fold\n1,Where?,w|x,A,train\n2,Where?,w|x,B,test\n")
    with pytest.raises(DataError, match="no rows of the split 'test'"):
        folder.load(file, split="test")
    assert right(folder.load(file, split="test", map="split=fold")) == {"2": "x"}


def test_an_image_file_is_not_taken_for_the_row_whose_id_it_is(tmp_path):
    """Two rows whose ids are each other's image files keep their own images."""
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(b"")
    row = {"question": "Where?", "options": ["w", "x"], "answer": "A"}
    file = lines(tmp_path, {"id": "a.png", "image": "b.png", **row}, {"id": "b.png", "image": "a.png", **row})
    assert [item.images[0].source.name for item in folder.load(file)] == ["b.png", "a.png"]


def test_what_pandas_writes_for_a_missing_value_is_no_option(tmp_path):
    """A column of NaN in a Parquet file holds nothing."""
    columns = {"id": ["1"], "question": ["Where?"], "A": ["w"], "B": ["x"], "C": [float("nan")], "answer": ["B"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "q.parquet")
    [item] = folder.load(tmp_path / "q.parquet")
    assert [option.text for option in item.options] == ["w", "x"]


def test_a_folder_of_images_that_no_question_shows_is_told(tmp_path):
    """Ids of images are no paths; the exam is not silently one of text alone."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "7.png").write_bytes(b"")
    file = table(tmp_path, "id,question,options,answer,image_id\n1,Where?,w|x,A,7\n")
    with pytest.raises(
        DataError, match="no question has an image, but the folder 'images' beside the file holds images"
    ):
        folder.load(file)
    assert right(folder.load(file, map="images=none")) == {"1": "w"}


def test_a_quotation_mark_that_stays_open_does_not_swallow_the_rows_below_it(tmp_path):
    """Three rows of a TSV file are not one question with the key of the last."""
    rows = 'id\tquestion\tA\tB\tanswer\n1\t"open\tw\tx\tA\n2\tWhere?\tw\tx\tB\n3\tWhere"\tw\tx\tB\n4\tWhere?\tw\tx\tB\n'
    (tmp_path / "q.tsv").write_text(rows)
    benchmark = folder.load(tmp_path / "q.tsv", allow_broken=True)
    assert right(benchmark) == {"4": "x"}
    assert "a quotation mark is not closed" in benchmark.broken[0].reason
