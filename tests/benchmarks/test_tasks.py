"""Folders of the clinical pathway: tasks by any of their names, cases told, references listed, prompts worded."""

import json
import re

import pytest

from snellen.benchmarks import folder, phantoms
from snellen.benchmarks.tasks import prompts_in, task_named
from snellen.errors import BrokenRowsError, DataError
from snellen.prompts import PROMPTS, TASKS
from snellen.testing import own_benchmark

CASE = {"id": "1", "question": "What is the diagnosis?", "answer": "Effusion", "task": "diagnosis"}
CHOICE = {"id": "1", "question": "Which?", "options": ["p", "q"], "answer": "A"}


def only(path, row):
    """The item of the only row."""
    (item,) = folder.load(own_benchmark(path, [row]))
    return item


def reason(path, row):
    """Where and why the only row is broken."""
    with pytest.raises(BrokenRowsError) as caught:
        folder.load(own_benchmark(path, [row]))
    ((where, item_id, why),) = [(each.where, each.item_id, each.reason) for each in caught.value.broken]
    assert where.endswith("line 1") or "1" in where
    return f"{item_id}: {why}"


def test_a_task_has_many_names():
    """Name, number and title, in any case, with spaces or hyphens."""
    for task in TASKS:
        for name in (task.name, task.number, task.title):
            for written in (name, name.upper(), name.lower(), name.replace("-", "_"), f" {name} "):
                assert task_named(written) == task
    assert task_named("Task IV").name == "diagnosis"


def test_the_task_is_kept_by_its_name(tmp_path):
    """However the row writes it, the item has the name; without a task nothing is there."""
    assert only(tmp_path, CASE | {"task": "iv"}).metadata["task"] == "diagnosis"
    assert "task" not in only(tmp_path, CHOICE | {"task": " "}).metadata


@pytest.mark.parametrize("task", ["perception", 3, "diagnosis"])
def test_the_tasks_of_other_benchmarks_mean_nothing_here(tmp_path, task):
    """A column of that name is common: with options, or with a task of another kind, the row is what it was."""
    item = only(tmp_path, CHOICE | {"task": task})
    assert (item.kind, item.metadata["task"], item.context) == ("choice", task, "")
    assert all(option.text in PROMPTS["pathway"].render(item).text for option in item.options)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"task": "diagnossis"}, r"1: its task is 'diagnossis'. Did you mean 'diagnosis'\? Correct it, or rename"),
        ({"report": "a", "radiology_report": "b"}, r"1: it has 'report' and 'radiology_report', which mean the same"),
        ({"steps": [{"a": 1}]}, r"1: one of its steps is \{'a': 1\}, expected text"),
        ({"history": ["a"]}, r"1: its history is \['a'\], expected text"),
    ],
)
def test_rows_that_cannot_be_read(tmp_path, change, why):
    """The row is named with what was expected."""
    assert re.search(why, reason(tmp_path, CASE | change))


def test_history_and_examination_are_told(tmp_path):
    """They are the context of an open task and of a note; a context of the row's own comes instead."""
    told = {"history": "Cough.", "examination": "Fever."}
    item = only(tmp_path, CASE | told)
    assert item.context == "History: Cough.\nExamination: Fever."
    assert {name: item.metadata[name] for name in told} == told
    assert only(tmp_path, CASE | {"history": "Cough."}).context == "History: Cough."
    assert only(tmp_path, CASE | told | {"context": "Own."}).context == "Own."
    assert only(tmp_path, CHOICE | told | {"task": "II"}).context == "History: Cough.\nExamination: Fever."


def test_history_is_not_told_elsewhere(tmp_path):
    """An image is asked about alone, and a row without a task keeps its columns as metadata, as ever."""
    told = {"history": "Cough.", "examination": "Fever."}
    assert only(tmp_path, CHOICE | told | {"task": "image"}).context == ""
    assert only(tmp_path, CHOICE | told).context == ""
    without = only(tmp_path, {name: value for name, value in CASE.items() if name != "task"} | told)
    assert (without.context, without.metadata["history"]) == ("", "Cough.")


def test_the_report_has_two_names(tmp_path):
    """`radiology_report` is `report`."""
    assert only(tmp_path, CASE | {"radiology_report": "Effusion."}).metadata["report"] == "Effusion."


def test_references_and_steps(tmp_path):
    """Several references, with or without the first of them; steps alone are the reference, joined."""
    item = only(tmp_path, CASE | {"answers": ["Effusion", "Fluid"]})
    assert (item.answer, item.metadata["answers"]) == ("Effusion", ["Effusion", "Fluid"])
    listed = {name: value for name, value in CASE.items() if name != "answer"}
    item = only(tmp_path, listed | {"answers": ["Fluid", "Effusion"]})
    assert (item.answer, item.metadata["answers"]) == ("Fluid", ["Fluid", "Effusion"])
    item = only(tmp_path, listed | {"task": "V", "steps": ["One.", "Two."]})
    assert (item.answer, item.metadata["steps"], item.kind) == ("One. Two.", ["One.", "Two."], "open")
    assert reason(tmp_path, listed).startswith("1: it has no 'answer' or 'target'")


def test_columns_of_other_benchmarks_stay_as_they_are(tmp_path):
    """Answers of annotators and counted steps are metadata where no task is named."""
    row = {"id": "1", "question": "?", "answer": "a", "answers": [{"answer": "b"}], "steps": [3]}
    assert dict(only(tmp_path, row).metadata) == {"answers": [{"answer": "b"}], "steps": [3]}


def test_a_table_holds_lists_as_json(tmp_path):
    """In a CSV, steps and answers are JSON lists."""
    tmp_path.joinpath("items.csv").write_text(
        "id,question,task,answers,steps,history\n"
        '1,Why?,V,,"[""One."", ""Two.""]",Cough.\n'
        '2,What?,IV,"[""a"", ""b""]",,\n'
    )
    first, second = folder.load(tmp_path)
    assert (first.answer, first.metadata["steps"], first.context) == ("One. Two.", ["One.", "Two."], "History: Cough.")
    assert (second.answer, second.metadata["answers"], second.context) == ("a", ["a", "b"], "")


def test_a_saved_pathway_loads_as_it_was(tmp_path):
    """Phantoms of the pathway make the way through a folder unchanged, but for their images' source."""
    items = phantoms.load(task="pathway", items=28).items[::4]
    folder.save(items, tmp_path)
    for item, back in zip(items, folder.load(tmp_path), strict=True):
        for name in ("id", "question", "context", "answer", "kind", "options", "category", "cluster"):
            assert getattr(item, name) == getattr(back, name)
        assert dict(item.metadata) == dict(back.metadata)


def words(path, text):
    """A folder whose prompts.toml says this."""
    path.joinpath("prompts.toml").write_text(text, encoding="utf-8")
    return path


def test_prompts_of_a_folder(tmp_path):
    """They are kept by the tasks' names, as plain JSON, beside what else is known of the benchmark."""
    words(
        own_benchmark(tmp_path, [CASE]),
        '[IV]\nuser = "{question} Be brief. {{x}}"\nsystem = "You are…"\n[open]\nuser = "{question}"',
    )
    about = folder.load(tmp_path).about
    assert about["prompts"] == {
        "diagnosis": {"user": "{question} Be brief. {{x}}", "system": "You are…"},
        "open": {"user": "{question}", "system": ""},
    }
    assert json.loads(json.dumps(about["prompts"])) == about["prompts"]
    assert folder.load(tmp_path / "items.jsonl").about["prompts"] == about["prompts"]


def test_a_folder_without_prompts(tmp_path):
    """Nothing is said of prompts."""
    assert "prompts" not in folder.load(own_benchmark(tmp_path, [CASE])).about
    assert prompts_in(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[xray]\nuser = "{question}"', r"words the task 'xray', expected one of knowledge, note, .*, choice, open"),
        ('[diagnosis]\nuser = "Diagnose."', r"\[diagnosis\] has no place for the \{question\}"),
        ('[diagnosis]\nuser = "{question} {age}"', r"\[diagnosis\] has the place \{age\}, expected \{question\}\."),
        ('[diagnosis]\nuser = "{question} {options}"', r"has the place \{options\}, expected \{question\}\."),
        ('[diagnosis]\nuser = "{question!r}"', r"has the place \{question!r\}"),
        ('[diagnosis]\nuser = "{question} {"', r"has a brace on its own"),
        ('[knowledge]\nuser = "{question}"', r"asks for a choice and has no place for the \{options\}"),
        ('[diagnosis]\nusr = "{question}"', r"\[diagnosis\] holds 'usr', expected 'user' and perhaps 'system'"),
        ("[diagnosis]\nuser = 3", r"\[diagnosis\] has user = 3, expected a text"),
        ('diagnosis = "x"', r"\[diagnosis\] holds 'x', expected 'user'"),
        ('[IV]\nuser = "{question}"\n[diagnosis]\nuser = "{question}"', r"words the task 'diagnosis' a second time"),
        ("[diagnosis", r"prompts\.toml cannot be read"),
    ],
)
def test_prompts_that_cannot_be_used(tmp_path, text, why):
    """The error names the file, the task and what was expected."""
    with pytest.raises(DataError, match=why):
        folder.load(words(own_benchmark(tmp_path, [CASE]), text))


def test_references_are_answers_where_a_row_has_no_other(tmp_path):
    """As `snellen parser qualify` takes them; beside an answer, a column of that name is what it was."""
    asked = {"id": "1", "question": "Which bone?"}
    assert only(tmp_path, asked | {"references": ["Scaphoid", "Navicular"]}).references == ("Scaphoid", "Navicular")
    cited = only(tmp_path, asked | {"answer": "Scaphoid", "reference": "Atlas, page 3"})
    assert (cited.references, cited.metadata["reference"]) == (("Scaphoid",), "Atlas, page 3")
