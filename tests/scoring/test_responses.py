"""Graded responses as rows: nothing is left out, and what is counted in them is what results.csv says."""

import csv
import re
import sys
from dataclasses import replace

import pandas as pd
import pyarrow.parquet
import pytest

from snellen.benchmarks import load
from snellen.errors import MissingExtraError, RejectedError, StudyError
from snellen.items import Benchmark, Option
from snellen.models.fake import FakeModel
from snellen.scoring.responses import COLUMNS, State, stored_responses
from snellen.scoring.result_files import record_results
from snellen.scoring.results import score
from snellen.store import Store
from snellen.store.responses import StoredResponses
from snellen.study import Study, bring, export
from strategies import items

PARSERS = ("lenient", "double-brackets")


def quiet(progress):
    """Show nothing."""


def picky(request):
    """Right with the image, in one of two forms; some calls fail, and without an image it says so."""
    number = int(request.text.split("picture ")[1].split()[0])
    if number == 3:
        raise RejectedError("too hard")
    if not request.images:
        return "=HYPERLINK(1) I cannot see an image."
    wanted = f"finding {'abcde'[number % 5]}{number}"
    letter = next(line[0] for line in request.text.splitlines() if line.endswith(wanted))
    return f"[[{letter}]]" if number % 2 else f"Answer: {letter}"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Twelve items of two languages and three patients, asked twice under three conditions; item 5 has no image."""
    questions = [
        replace(item, cluster=f"p{at % 3}", language="it" if at % 2 else "en", category="chest")
        for at, item in enumerate(items(12))
    ]
    questions[5] = replace(questions[5], images=())
    folder = tmp_path_factory.mktemp("responses")
    Study(
        models=[FakeModel(picky, name="fake/picky")],
        benchmarks=[Benchmark("b", tuple(questions))],
        tests=["image-needed", "option-order"],
        epochs=2,
        out=folder,
    ).ask(quiet)
    return folder


@pytest.fixture(scope="module")
def results(out):
    """Read by two parsers."""
    with Store.open(out) as store:
        return score(store, parsers=PARSERS)


def test_every_wanted_response_is_a_row_for_each_parser(results):
    """Those that failed and those that have no meaning have one row, with the state and the reason."""
    frame = results.to_pandas("responses")
    assert not frame.duplicated(["model", "benchmark", "item_id", "arm", "replicate", "parser"]).any()
    for entry in record_results(results)["accounting"]:
        of_arm = frame[frame.arm == entry["arm"]]
        counts = of_arm.state.value_counts()
        assert counts.get("answered", 0) == len(PARSERS) * entry["replies"]
        assert counts.get("failed", 0) == entry["missing"] == sum(entry["failed"].values())
        assert counts.get("inapplicable", 0) == sum(entry["inapplicable"].values())
    failed = frame[frame.state == "failed"]
    assert set(failed.reason) == {"too hard"}
    assert set(failed.item_id) == {results.benchmarks["b"].items[3].id}
    assert failed[["parser", "outcome", "right", "response"]].isna().all().all()
    assert "inapplicable" in set(frame.state)


def test_the_mean_of_right_is_the_accuracy(results):
    """By condition and parser, over items whose runs are averaged; a test about images leaves out items without one."""
    rows = results.to_pandas()
    frame = results.to_pandas("responses")
    for test, arm in {"image-needed": "image-removed", "option-order": "options-shuffled"}.items():
        of_test = rows[(rows.measure == "accuracy") & (rows.test == test)].set_index(["arm", "parser"]).value
        there = frame[(frame.state == "answered") & frame.arm.isin(["original", arm])]
        there = there[there.has_image == 1] if test == "image-needed" else there
        means = there.groupby(["arm", "parser", "item_id"]).right.mean().groupby(["arm", "parser"]).mean()
        assert len(means) == len(of_test) == 4
        for key, value in means.items():
            assert value == pytest.approx(of_test[key])
    assert means["original", "lenient"] > means["original", "double-brackets"] > 0


def test_the_chosen_option_is_named_as_shown_and_as_it_was(results):
    """Under shuffled options, letter and text are those that the model saw, and the number is the original's."""
    by_id = results.benchmarks["b"].by_id
    shown = [row for row in results.responses() if row["arm"] == "options-shuffled" and row["chosen_letter"]]
    assert len(shown) > 20
    moved = 0
    for row in shown:
        item = by_id[row["item_id"]]
        assert row["chosen_letter"] in row["response"]
        assert item.options[row["chosen_option"]].text == row["chosen_text"]
        assert item.options[row["answer_option"]].text == row["answer_text"]
        assert (row["chosen_letter"] == row["answer_letter"]) == bool(row["right"]) == (row["outcome"] == "correct")
        assert row["answer_option"] == item.answer
        moved += row["answer_letter"] != item.letter
    assert moved


def test_an_option_that_the_condition_put_in_has_no_original_number(tmp_path):
    """Unknown, offered by a condition, is chosen by its letter and its text."""
    Study(
        models=[FakeModel(lambda request: f"Answer: {re.findall(r'([A-Z])[.)] Unknown', request.text)[0]}"
                          if "Unknown" in request.text else "Answer: A", name="fake/unknown")],
        benchmarks=[Benchmark("b", items(4))], tests=["unknown-option"], out=tmp_path,
    ).ask(quiet)  # fmt: skip
    with Store.open(tmp_path) as store:
        rows = [row for row in stored_responses(store) if row["arm"] == "unknown-offered"]
    assert [row["chosen_text"] for row in rows] == ["Unknown"] * 4
    assert {row["chosen_option"] for row in rows} == {None}
    assert {row["outcome"] for row in rows} == {"abstained"}


def test_of_two_options_that_read_the_same_the_right_one_is_named(tmp_path):
    """Rows from elsewhere may have them; a right answer has the letter of the key."""
    row = (
        '{"model":"a/m","benchmark":"b","item_id":"1","arm":"ARM","question":"Which?","options":["Mass","Mass"],'
        '"answer":"B","response":"Answer: B"}'
    )
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(row.replace("ARM", arm) for arm in ("original", "image-removed")))
    bring([file], tmp_path / "o", format="jsonl")
    with Store.open(tmp_path / "o") as store:
        rows = list(stored_responses(store))
    assert {(row["chosen_letter"], row["answer_letter"], row["right"]) for row in rows} == {("B", "B", 1)}


def test_what_was_never_asked_is_missing(tmp_path):
    """A study whose run stopped has rows for what it never came to."""
    study = Study(
        models=[FakeModel(lambda request: "Answer: A", name="fake/a")], benchmarks=[Benchmark("b", items(3))],
        tests=["image-needed"], out=tmp_path,
    )  # fmt: skip
    study.ask(quiet)
    replace(study, epochs=2, models=[FakeModel(_never, name="fake/a", revision=study.models[0].revision)]).ask(quiet)
    with Store.open(tmp_path) as store:
        rows = list(stored_responses(store))
    assert {row["replicate"]: row["state"] for row in rows} == {0: State.ANSWERED, 1: State.FAILED}
    with Store.open(tmp_path, write=True) as store:
        store.connections.main.execute("DELETE FROM attempts")
    with Store.open(tmp_path) as store:
        rows = list(stored_responses(store))
    assert {row["replicate"]: row["state"] for row in rows} == {0: State.ANSWERED, 1: State.MISSING}


def _never(request):
    raise RejectedError("not today")


def test_the_files_hold_the_rows_of_python(out, results, tmp_path):
    """CSV with empty cells for what there is not, Parquet with the texts unchanged."""
    rows = list(results.responses())
    for name in ("csv", "parquet"):
        assert export(out, tmp_path / f"r.{name}", format=name, parsers=PARSERS) == len(rows)
    assert pyarrow.parquet.read_table(tmp_path / "r.parquet").to_pylist() == rows
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert tuple(found[0]) == tuple(COLUMNS) == tuple(rows[0])
    expected = [{name: "" if each is None else str(each) for name, each in row.items()} for row in rows]
    assert found == [
        {**row, "response": f"'{row['response']}" if row["response"].startswith("=") else row["response"]}
        for row in expected
    ]
    assert any(row["response"].startswith("'=HYPERLINK") for row in found)


def test_what_other_parsers_read_stands_beside(tmp_path):
    """Descriptions where questions have options, admissions where no image was ever sent, and detections."""
    study = Study(
        models=["organism/mirage"], benchmarks=["phantoms:items=3", load("phantoms:task=detection,items=3")],
        tests=["image-needed", "mirage-rate:none"], limit=3, out=tmp_path,
    )  # fmt: skip
    study.ask(quiet)
    with Store.open(tmp_path) as store:
        rows = list(stored_responses(store, ["claims", "quality"]))
    plain, detected, without = (
        [row for row in rows if row["benchmark"] == name]
        for name in ("phantoms:items=3", "phantoms:task=detection,items=3", "mirage-questions")
    )
    assert {row["describes"] for row in plain} == {0, 1}
    assert {row["parser"] for row in without} == {"missing-image"}
    assert {row["admission"] for row in without} <= {"describes", "missing", "hedges", "generic", "refuses", "empty"}
    assert {row["right"] for row in without} == {None}
    assert {row["detection"] for row in detected} <= {"normal", "abnormal", "quality", "refuses", "unsaid"}
    assert {row["detection"] for row in (*plain, *without)} == {None}


def test_rows_are_read_one_at_a_time(results, monkeypatch):
    """The first is there before the second is looked up."""
    taken = []
    replies = StoredResponses.replies
    monkeypatch.setattr(StoredResponses, "replies", lambda *of: (taken.append(each) or each for each in replies(*of)))
    coming = results.responses()
    assert next(coming)["model"] == "fake/picky"
    assert len(taken) == 1
    coming.close()


@pytest.mark.parametrize(
    ("file", "settings", "says"),
    [
        ("r.txt", {"format": "csv"}, "ends in .csv"),
        ("responses.sqlite", {"format": "parquet"}, "ends in .parquet"),
        ("r.xlsx", {"format": "xlsx"}, "Expected one of the formats jsonl, csv, parquet"),
        ("r.jsonl", {"parsers": ["lenient"]}, "not graded"),
    ],
)
def test_an_export_says_what_it_can_write(out, tmp_path, file, settings, says):
    """In one sentence, before anything is written."""
    with pytest.raises(StudyError, match=re.escape(says)):
        export(out, tmp_path / file, **settings)
    assert not list(tmp_path.iterdir())


def test_what_is_not_installed_is_named_with_the_install_line(out, results, tmp_path, monkeypatch):
    """Parquet needs an extra, a DataFrame needs pandas."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'snellen[parquet]'")):
        export(out, tmp_path / "r.parquet", format="parquet")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install pandas$"):
        results.to_pandas()


def test_frames_have_numbers_where_there_are_numbers(results):
    """A column of numbers is one even where all of it is empty, and an unknown table is refused by name."""
    frame = results.to_pandas()
    assert list(frame.columns) == list(next(results.rows()))
    assert all(frame[name].dtype == float for name in ("value", "low", "high", "p", "p_adjusted", "detectable"))
    assert len(frame) == len(list(results.rows()))
    groups = results.to_pandas("breakdown")
    assert set(groups.group) == {"language=en", "language=it"}
    assert isinstance(groups, pd.DataFrame)
    with pytest.raises(StudyError, match="'results', 'breakdown' or 'responses', got 'figures'"):
        results.to_pandas("figures")


def test_options_that_are_formulas_are_inert_in_csv(tmp_path):
    """As in results.csv."""
    questions = [replace(item, options=(Option("=1+1"), *item.options[1:])) for item in items(2)]
    Study(
        models=[FakeModel(lambda request: "Answer: A", name="fake/a")], benchmarks=[Benchmark("b", tuple(questions))],
        tests=["image-needed"], out=tmp_path,
    ).ask(quiet)  # fmt: skip
    export(tmp_path, tmp_path / "r.csv", format="csv")
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        assert {row["chosen_text"] for row in csv.DictReader(file)} == {"'=1+1"}
