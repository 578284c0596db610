"""Cases and votes leave a review as CSV or Label Studio JSON, and votes that were made elsewhere come in."""

import csv
import io
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import DataError, StudyError
from snellen.tools.review.ballots import Ballots, Vote
from snellen.tools.review.case import BlindCase, BlindImage, CasePassage, DrawnCase, Subject
from snellen.tools.review.exchange import export, import_votes
from snellen.tools.review.tasks import TASKS

RESPONSE = '=SUM(A1) is 🫀 large,\r\n"so" it\'s\nill'
FORMATS = ("votes.csv", "votes.json")
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=20).filter(str.strip)
NAMES = st.sampled_from(["Ann", "=cmd", "'Bob", "-Ümit", "+1", "@x,y", '"Z"'])


def drawn(task, number):
    shown = BlindCase(
        "", task, f"=1+{number}?", "Aged 50,\n\"old\"", ("A. Yes", "B. No"),
        (CasePassage("Response", RESPONSE), CasePassage("Note", "(cut off)")), (BlindImage("Image 1", 8, 8),),
    )  # fmt: skip
    return DrawnCase(shown, Subject("vqa-rad", f"item/{number}", number, "all", "openai/gpt-5", "", "original"))


@pytest.fixture
def ballots(tmp_path):
    """A review of two cases of each task, without votes."""
    with reviewed(tmp_path) as made:
        yield made


def reviewed(folder):
    made = Ballots.open(folder)
    for task in TASKS:
        made.add_review(task, {}, [drawn(task, number) for number in range(2)])
    return made


def votes_in(ballots):
    return [each for task in TASKS for case in ballots.read(task) for each in case.votes]


@st.composite
def answers(draw, task):
    """Any answer to a task, or a skip."""
    if draw(st.integers(0, 5)) == 0:
        return None
    value = {}
    for field in TASKS[task].fields:
        if not field.required and draw(st.booleans()):
            continue
        if field.kind == "words":
            value[field.name] = draw(WORDS.filter(lambda text: text.replace("\x00", "").strip())).strip()
        elif field.kind == "marks":
            value[field.name] = draw(st.lists(marks(field.values), max_size=3))
        else:
            value[field.name] = draw(st.sampled_from(field.values))
    return value


def marks(tags):
    spans = st.tuples(st.integers(0, len(RESPONSE) - 1), st.integers(1, 5)).map(
        lambda at: {"start": at[0], "end": min(at[0] + at[1], len(RESPONSE))}
    )
    return st.tuples(st.sampled_from(tags), st.one_of(st.just({}), spans)).map(lambda both: {"tag": both[0], **both[1]})


@st.composite
def castings(draw):
    """Votes of some raters on some cases of all tasks, at most one each."""
    found = []
    for number, task in enumerate(TASKS):
        for rater in draw(st.lists(NAMES, max_size=2, unique=True)):
            case = 2 * number + draw(st.integers(1, 2))
            seconds, at = draw(st.floats(0, 900)), draw(st.integers(1, 2_000_000_000))
            found.append(Vote(case, rater, rater == "Ann", draw(answers(task)), seconds, float(at)))
    return found


@given(castings(), st.sampled_from(FORMATS))
def test_what_is_exported_and_imported_elsewhere_is_the_same(cast, name):
    """Every vote with its rater, role, time and words comes back, whatever stands in them; a second time, nothing."""
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        reviewed(one) as here,
        reviewed(two) as there,
    ):
        assert here.add_votes(cast) == len(cast)
        export(here, Path(one) / name)
        assert import_votes(there, Path(one) / name) == len(cast)
        assert votes_in(there) == votes_in(here)
        assert [each.state for task in TASKS for each in there.read(task)] == [
            each.state for task in TASKS for each in here.read(task)
        ]
        assert import_votes(there, Path(one) / name) == 0


def test_spaces_alone_are_no_answer():
    """Nobody's empty line becomes a reference answer; an optional field with nothing in it is left out."""
    for nothing in ("  ", "\x00", " \n"):
        with pytest.raises(DataError, match="no answer to answer"):
            TASKS["reference"].validate({"answer": nothing})
        assert TASKS["reference"].validate({"answer": "gout", "also": nothing}) == {"answer": "gout"}


def test_a_blind_file_says_nothing_of_what_a_case_is_about(ballots, tmp_path):
    """No subject, no vote and no rater; what another tool needs is there."""
    ballots.add_votes([Vote(1, "Ann", False, {"verdict": "correct"}, 1.0, 1.0)])
    for name in FORMATS:
        assert export(ballots, tmp_path / name, blind=True) == 2 * len(TASKS)
        written = (tmp_path / name).read_text()
        assert not [word for word in ("vqa-rad", "gpt-5", "item/", "original", "Ann", "correct") if word in written]
        assert "🫀" in written
        export(ballots, tmp_path / name)
        assert "openai/gpt-5" in (tmp_path / name).read_text()


def test_every_case_is_a_row_before_the_first_vote(ballots, tmp_path):
    """The file has as many cases as the command says it wrote."""
    count = export(ballots, tmp_path / "votes.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "votes.csv").read_text(encoding="utf-8-sig"))))
    assert len(rows) == count == 2 * len(TASKS)
    assert {row["rater"] for row in rows} == {""}


@pytest.mark.parametrize("task", TASKS)
def test_label_studio_is_told_how_to_ask_each_task(ballots, tmp_path, task):
    """Beside a blind file lies the interface: every field with all its answers, about a text that the file has."""
    export(ballots, tmp_path / "cases.json", blind=True)
    view = ElementTree.fromstring((tmp_path / f"cases-{task}.xml").read_text())
    texts = {each.get("name"): each.get("value") for each in view.iter("Text")}
    data = next(
        each["data"] for each in orjson.loads((tmp_path / "cases.json").read_bytes()) if each["data"]["task"] == task
    )
    assert set(texts.values()) <= {f"${name}" for name in data}
    for field in TASKS[task].fields:
        (asked,) = (each for each in view if each.get("name") == field.name)
        assert asked.get("toName") in texts
        if field.kind == "scale":
            assert int(asked.get("maxRating")) == len(field.values)
        else:
            assert tuple(each.get("value") for each in asked) == field.values


def test_no_cell_is_a_formula(ballots, tmp_path):
    """What a spreadsheet would run has an apostrophe before it."""
    ballots.add_votes([Vote(1, "=cmd", False, {"verdict": "correct", "reason": "@x"}, 1.0, 1.0)])
    export(ballots, tmp_path / "votes.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "votes.csv").read_bytes().decode("utf-8-sig"), newline="")))
    assert not [text for row in rows for text in row if text.startswith(("=", "+", "-", "@"))]
    assert {"'=cmd", "'@x", "'=1+0?"} <= set(rows[1])


def filled(ballots, file, **cells):
    """A CSV as a rater would fill it in: the first rows of a blind export with some cells written into them."""
    export(ballots, file, blind=True)
    rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))
    with file.open("w", newline="") as text:
        writer = csv.DictWriter(text, rows[0])
        writer.writeheader()
        writer.writerows({**row, **{name: each[place] for name, each in cells.items()}} for row, place in
                         zip(rows, range(len(next(iter(cells.values())))), strict=False))  # fmt: skip


def test_a_blind_file_filled_in_elsewhere_is_imported(ballots, tmp_path):
    """Raters are known by name and have no link; an unfilled row is no vote, and a skip is kept as one."""
    filled(ballots, tmp_path / "a.csv", rater=["Ann", "", "Ann"], verdict=["correct", "", ""], skipped=["", "", "yes"])
    assert import_votes(ballots, tmp_path / "a.csv") == 2
    assert [(each.case, each.rater, each.value) for each in votes_in(ballots)] == [
        (1, "Ann", {"verdict": "correct"}),
        (3, "Ann", None),
    ]
    (ann,) = ballots.raters()
    assert ann.expires <= ann.created


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"rater": ["A", "A"], "verdict": ["correct", "right"]}, r"a.csv, row 3: expected for 'verdict' one of cor"),
        ({"rater": ["A", "A"], "verdict": ["correct", ""]}, r"a.csv, row 3: no answer to verdict"),
        ({"rater": ["A", "A"], "verdict": ["correct"] * 2, "case": ["1-x", "2-y"]}, r"row 2: there is no case '1-x'"),
        ({"rater": ["A", "A"], "verdict": ["correct"] * 2, "seconds": ["", "long"]}, r"row 3: expected how many sec"),
        ({"rater": ["A", "A"], "verdict": ["correct"] * 2, "cast_at": ["", "late"]}, r"row 3: expected a time such"),
        ({"rater": ["A"] * 3, "verdict": ["correct"] * 3, "patterns": ["", "", "x"]}, r"row 4: expected patterns and"),
        ({"rater": ["A"], "verdict": ["correct"], "skipped": ["yes"]}, r"row 2: expected no answer to a case that is"),
        ({"rater": ["A"], "verdict": ["correct"], "answer": ["An effusion"]}, r"got 'An effusion' as 'answer'"),
        ({"rater": ["", "", "A"], "patterns": ["", "", "x"]}, r"row 4: expected for 'patterns' a list"),
    ],
)  # fmt: skip
def test_a_row_that_is_wrong_is_named_and_nothing_is_imported(ballots, tmp_path, cells, problem):
    """All votes of a file are kept or none."""
    filled(ballots, tmp_path / "a.csv", **cells)
    with pytest.raises(DataError, match=problem):
        import_votes(ballots, tmp_path / "a.csv")
    assert votes_in(ballots) == []


def test_a_rater_is_one_however_the_name_is_spaced_and_settles_or_reads(ballots, tmp_path):
    """A space makes no second rater, whose vote would count too; nor does a vote make a settler of a reader."""
    ballots.invite("Dr  Ann")
    filled(ballots, tmp_path / "a.csv", rater=[" Dr Ann"], verdict=["correct"])
    assert import_votes(ballots, tmp_path / "a.csv") == 1
    assert [rater.name for rater in ballots.raters()] == ["Dr Ann"]
    filled(ballots, tmp_path / "a.csv", rater=["", "Dr Ann"], settles=["", "yes"], verdict=["", "correct"])
    with pytest.raises(StudyError, match="names Dr Ann as a settler"):
        import_votes(ballots, tmp_path / "a.csv")


def test_semicolons_are_read_and_a_column_that_stands_twice_is_not(ballots, tmp_path):
    """As spreadsheets of many countries write them; of two columns of a name nobody knows which is meant."""
    export(ballots, tmp_path / "a.csv", blind=True)
    case = (tmp_path / "a.csv").read_text().splitlines()[1].split(",")[0]
    (tmp_path / "a.csv").write_text(f"case;rater;verdict\n{case};Ann;correct\n")
    assert import_votes(ballots, tmp_path / "a.csv") == 1
    (tmp_path / "a.csv").write_text(f"case,rater,rater,verdict\n{case},Bob,Cy,correct\n")
    with pytest.raises(DataError, match="has the column 'rater' twice"):
        import_votes(ballots, tmp_path / "a.csv")


def test_two_votes_of_a_rater_on_a_case_are_refused(ballots, tmp_path):
    """In one file, and where the rater has said something else here."""
    ballots.add_votes([Vote(1, "Ann", False, {"verdict": "correct"}, 0.0, 1.0)])
    export(ballots, tmp_path / "a.json")
    tasks = orjson.loads((tmp_path / "a.json").read_bytes())
    tasks[0]["annotations"][0]["result"][0]["value"]["choices"] = ["incorrect"]
    (tmp_path / "a.json").write_bytes(orjson.dumps(tasks))
    with pytest.raises(StudyError, match="Ann already has another vote on case 1"):
        import_votes(ballots, tmp_path / "a.json")
    tasks[0]["annotations"] *= 2
    (tmp_path / "a.json").write_bytes(orjson.dumps(tasks))
    with pytest.raises(DataError, match=r"task 1, annotation 2: Ann voted on case 1-.* before, in a.json, task 1, ann"):
        import_votes(ballots, tmp_path / "a.json")


def annotated(ballots, file, result, task="rationale", **fields):
    export(ballots, file, blind=True)
    tasks = orjson.loads(file.read_bytes())
    chosen = next(each for each in tasks if each["data"]["task"] == task)
    chosen["annotations"] = [{"completed_by": {"id": 7, "email": "ann@x"}, "result": result, **fields}]
    file.write_bytes(orjson.dumps(tasks))


def span(start, end, text, tag):
    return {
        "from_name": "patterns",
        "type": "labels",
        "value": {"start": start, "end": end, "text": text, "labels": [tag]},
    }


def test_spans_of_a_browser_are_counted_in_characters(ballots, tmp_path):
    """A heart is two units to a browser and one character here; the words of a span tell which was meant."""
    tag = TASKS["rationale"].fields[0].values[0]
    at = RESPONSE.index("large")
    for file, shift in (("a.json", 0), ("b.json", 1)):
        found = [span(at + shift, at + 5 + shift, "large", tag)]
        annotated(ballots, tmp_path / file, found)
        import_votes(ballots, tmp_path / file)
        (vote,) = votes_in(ballots)
        assert vote.value == {"patterns": [{"tag": tag, "start": at, "end": at + 5}]}
        assert vote.rater == "ann@x"
    annotated(ballots, tmp_path / "c.json", [span(0, 5, "large", tag)])
    with pytest.raises(DataError, match="the words from 0 to 5 of the response are not 'large'"):
        import_votes(ballots, tmp_path / "c.json")


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([{"from_name": "other", "value": {}}], "the task rationale has the fields patterns, note, got 'other'"),
        ([{"from_name": "note", "value": {"text": ["a"]}}] * 2, "two answers to 'note'"),
        ([span(0, 9_999, None, "x")], "marks with one of"),
        ([{"from_name": "patterns", "value": {"choices": 5}}], "expected a list of `labels` or `choices`, got 5"),
        (None, "expected a list of answers as `result`, got None"),
    ],
)
def test_an_annotation_that_is_wrong_is_named(ballots, tmp_path, result, problem):
    """By its task and its place."""
    annotated(ballots, tmp_path / "a.json", result)
    with pytest.raises(DataError, match=f"a.json, task .*, annotation 1: .*{problem}"):
        import_votes(ballots, tmp_path / "a.json")


def test_a_mark_beyond_the_response_and_files_of_no_kind_are_refused(ballots, tmp_path):
    """A mark ends in the response; and only CSV and JSON in UTF-8 are read."""
    tag = TASKS["rationale"].fields[0].values[0]
    annotated(ballots, tmp_path / "a.json", [span(0, 9_999, None, tag)])
    with pytest.raises(DataError, match="a mark ends beyond the response"):
        import_votes(ballots, tmp_path / "a.json")
    with pytest.raises(StudyError, match=r"in \.csv or \.json, got 'a\.xlsx'"):
        export(ballots, tmp_path / "a.xlsx")
    (tmp_path / "b.csv").write_bytes(b"case,rater\n\xff")
    with pytest.raises(DataError, match="not a text in UTF-8"):
        import_votes(ballots, tmp_path / "b.csv")
    (tmp_path / "b.csv").write_text("case,verdict\n1,correct\n")
    with pytest.raises(DataError, match="has no column rater"):
        import_votes(ballots, tmp_path / "b.csv")
