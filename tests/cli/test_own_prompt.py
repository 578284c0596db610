"""A prompt, a system prompt and examples of one's own on the command line."""

import json

import pytest

from cli.test_cli import snellen
from snellen.study import Study


@pytest.fixture
def prompt(tmp_path):
    file = tmp_path / "ward.txt"
    file.write_text("Look closely. {question}\n\n{options}\n\n{answer_format}\n")
    return file


def test_an_exam_in_ones_own_words(tmp_path, prompt):
    """The words stand in the results and in the report."""
    asked = ("--model", "organism/positional", "--benchmark", "phantoms:items=4", "--tests", "image-needed")
    out = tmp_path / "out"
    snellen("exam", *asked, "--prompt", prompt, "--system", "Be brief.", "--out", out, cwd=tmp_path)
    study = json.loads((out / "results.json").read_text())["study"]
    assert study["prompt"] == "ward"
    assert study["prompt_words"]["system"] == "Be brief."
    assert study["prompt_words"]["user"].startswith("Look closely. {question}\n\n{options}\n\nChoose one option.")
    assert "Look closely. {question}" in (out / "report.html").read_text()


def test_a_prompt_that_cannot_be_asked_is_one_sentence(tmp_path, prompt):
    """With the file that holds it; exit status 1, and nothing is written."""
    prompt.write_text("{options}")
    said = " ".join(snellen("exam", "--prompt", prompt, "--out", "out", cwd=tmp_path, status=1).split())
    assert "ward.txt: The prompt 'ward' has no place for the question. Put in {question}." in said
    assert not (tmp_path / "out").exists()


def test_examples_are_drawn_on_the_command_line(tmp_path, monkeypatch):
    """`--shots` draws from `--examples`, which it needs; the study is the same as in Python."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    asked = ("exam", "--model", "openai/m", "--benchmark", "phantoms:items=8", "--tests", "image-needed", "--dry-run")
    planned = []
    plan = Study.plan
    monkeypatch.setattr(Study, "plan", lambda study: planned.append(plan(study)) or planned[-1])
    said = snellen(*asked, "--examples", "phantoms:seed=9", "--shots", "3", "--out", "o", cwd=tmp_path)
    assert len(planned[0].examples) == 3
    assert all(item.id.startswith("phantoms/9/") for item in planned[0].examples)
    assert "3 examples before each question" in " ".join(said.split())
    snellen(*asked, "--shots", "3", cwd=tmp_path, status=2)
