"""Folders of the clinical pathway: tasks by any of their names, cases told, references listed, prompts worded."""

import json

import pytest

from snellen.benchmarks import folder, phantoms
from snellen.benchmarks.tasks import prompts_in, task_named
from snellen.errors import DataError
from snellen.prompts import PROMPTS, TASKS
from snellen.testing import own_benchmark

CASE = {"id": "1", "question": "What is the diagnosis?", "answer": "Effusion", "task": "diagnosis"}
CHOICE = {"id": "1", "question": "Which?", "options": ["p", "q"], "answer": "A"}


def only(path, row):
    """The item of the only row."""
    (item,) = folder.load(own_benchmark(path, [row]))
    return item


def test_a_task_has_many_names():
    """Name, number and title, in any case, with spaces or hyphens."""
    for task in TASKS:
        for name in (task.name, task.number, task.title):
            for written in (name, name.upper(), name.lower(), name.replace("-", "_"), f" {name} "):
                assert task_named(written) == task
    assert task_named("Task IV").name == "diagnosis"


def test_a_task_of_another_benchmark_is_asked_as_the_choice_that_it_is(tmp_path):
    """A column of that name is common: the prompt of the pathway shows the options of such a row."""
    item = only(tmp_path, CHOICE | {"task": "diagnosis"})
    assert all(option.text in PROMPTS["pathway"].render(item).text for option in item.options)


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
        ('[xray]\nuser = "{question}"', r"has a prompt for 'xray', expected one of knowledge, note, .*, choice, open"),
        ('[diagnosis]\nuser = "Diagnose."', r"\[diagnosis\] lacks the placeholder \{question\}"),
        (
            '[diagnosis]\nuser = "{question} {age}"',
            r"\[diagnosis\] has the placeholder \{age\}, expected \{question\}\.",
        ),
        ('[diagnosis]\nuser = "{question} {options}"', r"has the placeholder \{options\}, expected \{question\}\."),
        ('[diagnosis]\nuser = "{question!r}"', r"has the placeholder \{question!r\}"),
        ('[diagnosis]\nuser = "{question} {"', r"has a single brace"),
        ('[knowledge]\nuser = "{question}"', r"asks for a choice but lacks the placeholder \{options\}"),
        ('[diagnosis]\nusr = "{question}"', r"\[diagnosis\] holds 'usr', expected 'user' and optionally 'system'"),
        ("[diagnosis]\nuser = 3", r"\[diagnosis\] has user = 3, expected a text"),
        ('diagnosis = "x"', r"\[diagnosis\] holds 'x', expected 'user'"),
        ('[IV]\nuser = "{question}"\n[diagnosis]\nuser = "{question}"', r"is a second prompt for the task 'diagnosis'"),
        ("[diagnosis", r"prompts\.toml cannot be read"),
    ],
)
def test_prompts_that_cannot_be_used(tmp_path, text, why):
    """The error names the file, the task and what was expected."""
    with pytest.raises(DataError, match=why):
        folder.load(words(own_benchmark(tmp_path, [CASE]), text))
