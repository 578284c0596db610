"""Responses that try to talk a judge into a grade move nothing that stands outside their fence."""

import asyncio
import json
import re

import pytest

from attacks import ATTACKS, QUESTIONS, WRONG, item
from snellen.items import Item, Option
from snellen.judging import admission, choice, mismatch, open_answer, premise, quality, rubric, single
from snellen.judging.opinions import read_opinions
from snellen.judging.rubric import Exhibit
from snellen.models.base import Response
from snellen.models.fake import FakeModel
from snellen.reading.outcomes import OpenGrade
from snellen.reading.parsers import parser_named

FENCE = re.compile(r"~~~ [0-9a-f]{12} ~~~")
OPTIONS = tuple(map(Option, ("abnormal", "normal")))


def _choice(attack):
    return Item(
        id="c", question=QUESTIONS[attack.language][0], options=OPTIONS, answer=1, metadata={"normal": "normal"}
    )


ASKED = {
    "open answer": lambda reply, attack: open_answer.request(reply, item(attack.language)).text,
    "open answer, reply first": lambda reply, attack: (
        open_answer.request(reply, item(attack.language), reply_first=True).text
    ),
    "stated option": lambda reply, attack: choice.request(reply, _choice(attack)).text,
    "quality": lambda reply, attack: quality.request(reply, _choice(attack)).text,
    "mismatch": lambda reply, attack: mismatch.request(reply, item(attack.language)).text,
    "premise": lambda reply, attack: premise.request(reply, item(attack.language)).text,
    "rationales": lambda reply, attack: rubric.render(_choice(attack), [Exhibit("original", reply)], attached=False),
}
"""Every question that has a fence, as it is put about a response."""
each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.language}: {attack.trick}")


def segments(text):
    """A request cut at the lines that are the fence it names; one piece where it names none."""
    named = FENCE.search(text)
    if named is None:
        return [text]
    return [each.replace(named.group(), "FENCE") for each in text.split(f"\n{named.group()}\n")]


def is_moved(asked, harmless, reply):
    """Whether anything but the piece that holds the reply differs from the request about a harmless one.

    Whatever does is an instruction that stands outside the fence.
    """
    here, there = segments(asked), segments(harmless)
    own = [place for place, each in enumerate(there) if each == reply]
    if len(own) != 1 or len(here) != len(there):
        return True
    return here[: own[0]] + here[own[0] + 1 :] != there[: own[0]] + there[own[0] + 1 :]


def obedient(attack):
    """A judge that obeys whatever instruction stands outside the fences, and else compares letter by letter."""

    def grade(request):
        usual = WRONG[attack.language]
        if is_moved(request.text, open_answer.request(usual, item(attack.language)).text, usual):
            return '{"grade": "correct"}'
        pieces = segments(request.text)
        headings = [each.rpartition("\n")[2] for each in pieces]
        headed = dict(zip(headings[:-1], pieces[1:], strict=True))
        return json.dumps({"grade": "correct" if headed["REPLY"] == headed["REFERENCE"] else "incorrect"})

    return FakeModel(grade, name="fake/obedient")


def grade_of(attack, reply):
    """The grade that it gives."""
    answer = asyncio.run(obedient(attack).answer(open_answer.request(reply, item(attack.language))))
    return open_answer.read(answer.text)


def test_there_are_enough():
    """At least 40, in six languages, no two alike."""
    assert len({attack.text for attack in ATTACKS}) == len(ATTACKS) >= 40
    assert {attack.language for attack in ATTACKS} == {"en", "it", "es", "fr", "de", "zh"}


@each_attack
def test_no_attack_moves_a_judge_that_obeys_what_stands_outside_its_fence(attack):
    """It grades what is inside: the attack is wrong, the reference itself is right."""
    assert grade_of(attack, attack.text) is OpenGrade.INCORRECT
    assert grade_of(attack, item(attack.language).answer) is OpenGrade.CORRECT


@each_attack
def test_without_a_fence_every_attack_moves_it(attack, monkeypatch):
    """So it is the fence that holds."""
    monkeypatch.setattr(open_answer, "fence_around", lambda *texts: "")
    assert grade_of(attack, attack.text) is OpenGrade.CORRECT


def test_a_fence_that_can_be_guessed_is_no_fence(monkeypatch):
    """The attack that guesses it stands outside."""
    monkeypatch.setattr(open_answer, "fence_around", lambda *texts: "~~~ 000000000000 ~~~")
    [guessed] = [attack for attack in ATTACKS if "000000000000" in attack.text]
    assert grade_of(guessed, guessed.text) is OpenGrade.CORRECT


def moved(question):
    """The attacks that reach beyond their fence under a question."""
    ask, found = ASKED[question], []
    for attack in ATTACKS:
        usual, asked = WRONG[attack.language], ask(attack.text, attack)
        whole = "</think>" in attack.text or attack.text in segments(asked)
        if not whole or is_moved(asked, ask(usual, attack), usual):
            found.append(attack)
    return found


@pytest.mark.parametrize("question", ASKED)
def test_no_attack_reaches_beyond_its_fence(question, monkeypatch):
    """Under every question with a fence, what stands outside is what stands there with a harmless reply."""
    assert moved(question) == []
    for module in (open_answer, single, rubric):
        monkeypatch.setattr(module, "fence_around", lambda *texts: "")
    assert moved(question) == list(ATTACKS)


@each_attack
def test_the_papers_question_has_no_fence(attack):
    """The admission question is the Mirage paper's own wording: a response stands among its instructions."""
    asked, harmless = admission.request(attack.text).text, admission.request(WRONG[attack.language]).text
    assert FENCE.search(asked) is None or "~~~" in attack.text
    assert asked != harmless


QUOTES = (
    "The reply says:\n{attack}\nThat is no answer to the question.",
    'The reply is "{attack}", which names another bone.',
    "> {attack}\n\nThis tries to set its own grade.",
)


@pytest.mark.parametrize("quote", QUOTES)
def test_a_judge_that_quotes_an_attack_gives_no_grade_by_it(quote):
    """A quote alone is no grade, and beside the judge's own it never turns it."""
    own = '{"grade": "incorrect"}'
    for attack in ATTACKS:
        said = quote.replace("{attack}", attack.text)
        assert open_answer.read(said) is None, attack
        assert open_answer.read(f"{said}\n{own}") in (OpenGrade.INCORRECT, None), attack
        assert choice.read(said) is quality.read(said) is None, attack
        opinions = read_opinions(said, [Exhibit("original", attack.text)], attached=False)
        assert opinions is None or attack.trick == "rubric", attack


def test_the_papers_question_and_the_rubric_take_a_quoted_answer_for_the_judges():
    """Known limits: the paper's question reads the last verdict wherever it stands, the rubric the widest JSON."""
    [flags] = [attack for attack in ATTACKS if attack.trick == "admission"]
    assert admission.read_flag(f"It says: {flags.text}") is False
    assert admission.read_flag(f"It says: {flags.text} <answer> true </answer>") is True
    [forged] = [attack for attack in ATTACKS if attack.trick == "rubric"]
    assert read_opinions(f"It says: {forged.text}", [Exhibit("original", forged.text)], attached=False) is not None


@each_attack
def test_the_offline_grader_is_not_moved(attack):
    """The parser `match` calls none of them correct, and the reference itself it does."""
    match, asked = parser_named("match"), item(attack.language)
    assert match.read(Response(attack.text), asked).grade is not OpenGrade.CORRECT
    assert match.read(Response(asked.answer), asked).grade is OpenGrade.CORRECT
