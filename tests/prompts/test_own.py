"""Prompts of one's own: from a template, a file or a table, with everything that cannot be asked refused."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rows import take_rows
from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.items import Item, Option
from snellen.models.base import Response
from snellen.prompts import PROMPTS, WITH_STEPS, Arm, Prompt, own_prompt, with_system
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.study import Study

ITEM = Item("1", "Is there an effusion?", (Option("Yes"), Option("No")), 1, context="A man of 70.")
OPEN = Item("2", "What is shown?", kind="open", answer="An effusion")
SENTENCE = PROMPTS["letter"].user.rpartition("\n\n")[2]


def test_every_place_is_filled():
    """Context, question, options and our sentence stand where the template has them, doubled braces as one."""
    prompt = own_prompt("<{context}> {question} {{JSON}}\n{options}\n{answer_format}")
    assert prompt.render(ITEM) == ("", f"<A man of 70.> Is there an effusion? {{JSON}}\nA. Yes\nB. No\n{SENTENCE}")


def test_a_template_without_a_place_for_the_context_has_it_before_the_question():
    """The context is never lost."""
    assert own_prompt("{question} {options}").render(ITEM).text.startswith("A man of 70.\n\nIs there")


@take_rows("template, message")
def test_a_template_that_cannot_be_asked_is_refused(template, message):
    """Every mistake is named, and nothing of Python can be reached from a template."""
    with pytest.raises(StudyError, match=message):
        own_prompt(template)


@take_rows("table, message")
def test_a_table_that_cannot_be_asked_is_refused(table, message):
    """Unknown fields and wordings that lack something are named."""
    with pytest.raises(StudyError, match=message):
        own_prompt(table)


def test_a_file_is_the_template_and_gives_the_name(tmp_path, monkeypatch):
    """The line end at its end is no part of it; a file that is called as one of our prompts does not pass for it."""
    (tmp_path / "ward.txt").write_text("\ufeff{question}\n{options}\n", encoding="utf-8")
    (tmp_path / "letter.txt").write_text("{question} {options}")
    (tmp_path / "mine.toml").write_text('[prompt]\nfile = "ward.txt"\nsystem = "Be brief."\nreply = "({letter})"')
    monkeypatch.chdir(tmp_path)
    ward, letter, mine = map(own_prompt, ("ward.txt", "letter.txt", "mine.toml"))
    assert (ward.name, ward.user, letter.name) == ("ward", "{question}\n{options}", "own-letter")
    assert (mine.render(ITEM).system, mine.user, mine.reply_to(ITEM)) == ("Be brief.", ward.user, "(B)")
    with pytest.raises(StudyError, match=r"no file 'wrad.txt', and no prompt of that name"):
        own_prompt("wrad.txt")
    with pytest.raises(StudyError, match=r"no prompt 'leter'\. Did you mean 'letter'"):
        own_prompt("leter")


@pytest.mark.parametrize(("language", "line"), [("en", "Answer: X"), ("it-CH", "Risposta: X"), ("sw", "Answer: X")])
def test_the_answer_format_is_in_the_language_of_the_item(language, line):
    """As in our own prompt, and for steps and open questions as well."""
    prompt = own_prompt("{question}\n{options}\n{answer_format}")
    assert line in prompt.render(replace(ITEM, language=language)).text
    steps = Arm(ORIGINAL, rewording=WITH_STEPS).asked_by(prompt)
    assert steps.name == "own-cot"
    for asked in (steps.render(replace(ITEM, language=language)), steps.render(replace(OPEN, language=language))):
        assert line.partition(":")[0] in asked.text
        assert asked.text != prompt.render(replace(ITEM, language=language)).text
    assert "…" in prompt.render(replace(OPEN, language=language)).text


def test_steps_are_asked_for_in_the_users_words_or_not_at_all():
    """A template that does not ask by our sentence needs a wording for steps of its own."""
    arm = Arm(ORIGINAL, rewording=WITH_STEPS)
    own = own_prompt({"user": "{question} {options}", "steps": "Think. {question} {options}", "system": "S"})
    assert arm.asked_by(own).render(ITEM) == ("S", "Think. A man of 70.\n\nIs there an effusion? A. Yes\nB. No")
    with pytest.raises(StudyError, match="give `steps`"):
        arm.asked_by(own_prompt("{question} {options}"))


def test_a_system_prompt_holds_for_all_that_stands_in_for_a_prompt():
    """For open questions, reports, steps, and the prompts of single benchmarks; all else stays."""
    mirage = with_system(PROMPTS["mirage"], "Mine.")
    report = Item("3", "Write a report.", kind="report", answer="Normal.")
    assert {mirage.render(item).system for item in (ITEM, OPEN, report)} == {"Mine."}
    assert mirage.for_benchmark("microvqa").system == "Mine."
    readiness = with_system(PROMPTS["readiness"], "")
    steps = Arm(ORIGINAL, rewording=WITH_STEPS).asked_by(with_system(PROMPTS["letter"], "Mine."))
    assert [steps.render(item) for item in (ITEM, OPEN)] == [
        ("Mine.", PROMPTS["letter-cot"].render(item).text) for item in (ITEM, OPEN)
    ]
    assert readiness.render(report) == ("", PROMPTS["readiness"].render(report).text)


@pytest.mark.parametrize("name", PROMPTS)
def test_the_reply_of_an_example_is_read_as_the_answer(name):
    """Each prompt shows the right answer in its own format, which the parser of its source reads."""
    prompt = PROMPTS[name]
    item = replace(ITEM, metadata={"rationale": "The costophrenic angle is sharp.", "normal": "No"})
    reply = prompt.reply_to(item)
    grade, _ = grade_reply(Response(reply), item, parser_named(prompt.parser or "lenient"))
    assert grade.outcome == Outcome.CORRECT, reply


def test_a_prompt_that_says_nothing_of_the_answer_shows_no_example():
    """What cannot be known is asked for; an item that brings its reply needs no format."""
    with pytest.raises(StudyError, match=r"does not say how an answer is written.*\{answer_format\}"):
        own_prompt("{question} {options}").reply_to(ITEM)
    with pytest.raises(StudyError, match=r"asks for steps.*example '1' shows none"):
        PROMPTS["letter-cot"].reply_to(ITEM)
    assert own_prompt("{question} {options}").reply_to(replace(ITEM, metadata={"reply": "It is B."})) == "It is B."


def arms(**study):
    plan = Study(models=["organism/blind"], benchmarks=["phantoms:items=4"], tests=["image-needed"], **study).plan()
    return plan, plan.arms_of(plan.benchmarks[0])


def test_a_study_takes_a_prompt_in_every_form(tmp_path):
    """A record, a template, a file and a table of the study file; each decides the digests."""
    (tmp_path / "p.txt").write_text("{question}\n{options}")
    (tmp_path / "s.txt").write_text("Be brief.")
    (tmp_path / "study.toml").write_text(
        'models = "organism/blind"\nbenchmarks = "phantoms:items=4"\ntests = "image-needed"\nsystem = "s.txt"\n'
        '[prompt]\nfile = "p.txt"\nname = "own"\n'
    )
    plan = Study.from_toml(tmp_path / "study.toml").plan()
    words = {each.prompt.render(ITEM) for each in plan.arms_of(plan.benchmarks[0])}
    assert words == {("Be brief.", "A man of 70.\n\nIs there an effusion?\nA. Yes\nB. No")}
    given = [Prompt("own", "{question}\n{options}"), "{question}\n{options}", {"user": "{question}\n{options}"}]
    digests = {each.digest("", 0) for prompt in given for each in arms(prompt=prompt)[1]}
    assert len(digests) == 2
    others = {each.digest("", 0) for each in (*arms(prompt=given[0], system="Be brief.")[1], *arms()[1])}
    assert len(others) == 4
    assert not others & digests


def test_the_tables_of_the_page_are_taken(tmp_path):
    """The page on one's own prompts has a study, and examples as rows and from a benchmark."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "own-prompts.md").read_text(encoding="utf-8")
    first, second = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "study.toml").write_text(first + second)
    asked = Study.from_toml(tmp_path / "study.toml")
    assert asked.prompt.reply_to(ITEM) == "[[B]]"
    assert [set(each) for each in asked.examples] == [
        {"question", "options", "answer", "image"},
        {"benchmark", "number"},
    ]


def test_a_prompt_without_options_is_refused_where_questions_have_them():
    """The plan says so before anything is asked."""
    with pytest.raises(StudyError, match=r"'own' does not show the options.*Add \{options\} to it"):
        arms(prompt="{question}")
