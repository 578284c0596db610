"""Laws that hold for any reply."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rows import read_table
from snellen.items import CHOICE, LETTERS, WITHOUT_IMAGE, Item, Option
from snellen.models.base import Response
from snellen.reading import Outcome, grade, read_choice
from snellen.reading.claims.parser import read_rationale
from snellen.reading.detection.parser import DetectionLabel, read_detection
from snellen.reading.missing_image import Admission, read_admission
from snellen.reading.parsers import PREMISED, REPORT, USUAL, our_parsers

FINDINGS = (
    "Pneumonia", "Left effusion", "Effusion", "Pneumothorax", "Pulmonary edema", "E. coli", "Hepatitis B", "Fracture",
    "Osteoid osteoma", "Both lungs", "Infarto anteriore", "气胸",
)  # fmt: skip

PARSERS = [parser for parser in our_parsers() if parser.kind == CHOICE]

items = st.lists(st.sampled_from(FINDINGS), min_size=2, max_size=12, unique=True).map(
    lambda texts: Item(id="law/1", question="What is it?", options=tuple(map(Option, texts)), answer=0)
)
pieces = st.sampled_from(
    [
        "A", "B", "(C)", "D.", "answer", "The answer is", "not", "Option", "or", "and", "<answer>", "</answer>", "[[",
        "]]", "\\boxed{", "}", "<think>", "</think>", "\n", "\n\n", "- ", "**", "correct", "is",
        "wrong", "I", "cannot see",
        "the image", "Effusion", "Left effusion", "Pneumonia", "no", "yes", "答案", "是", "选", "la risposta", "è",
        "：", "Ｂ",
        "В", "\x00", "&lt;", "~~", "$", "1", "IT0006,", "therefore", "wait", "Final answer:", "most likely", "?",
        "{", "'",
    ]
)  # fmt: skip
replies = st.one_of(st.text(max_size=200), st.lists(pieces, max_size=25).map(" ".join), st.lists(pieces).map("".join))


@given(items, replies)
def test_what_is_in_a_published_form_holds_a_mark_of_it(item, text):
    """So that an import need not read the others."""
    for parser in PARSERS:
        if parser.strict and parser.read(Response(text), item).choice is not None:
            assert any(mark in text for mark in parser.marks)


@settings(max_examples=40, deadline=None)
@given(reply=replies, item=items, finish=st.sampled_from(["stop", "length", "", "content_filter"]))
def test_any_reply_gets_a_grade(reply, item, finish):
    """No reply breaks a parser; a choice is one of the options; there is a choice or a reason, and short evidence."""
    for parser in PARSERS:
        reading = parser.read(Response(reply), item)
        assert (reading.choice is None) != (reading.silence is None)
        assert reading.choice is None or 0 <= reading.choice < len(item.options)
        assert reading.rule
        assert len(reading.evidence) <= 120
        graded = grade(reply, finish, item, parser.name)
        assert graded.outcome is not Outcome.CORRECT or graded.choice == item.answer


@settings(max_examples=40, deadline=None)
@given(reply=replies, item=items)
def test_the_key_does_not_change_what_is_read(reply, item):
    """A parser never looks at the answer key."""
    assert read_choice(reply, item) == read_choice(reply, replace(item, answer=1))


@settings(max_examples=40, deadline=None)
@given(
    item=items,
    order=st.randoms(use_true_random=False),
    form=st.sampled_from(
        ["{}", "The answer is {}.", "<answer>{}</answer>", "It shows {}.", "**{}**\n\nbecause of the signs"]
    ),
)
def test_an_answer_in_words_follows_its_option(item, order, form):
    """When options move, the words of an option are still read as that option."""
    places = list(range(len(item.options)))
    order.shuffle(places)
    shuffled = replace(item, options=tuple(item.options[place] for place in places))
    for place, option in enumerate(item.options):
        reply = form.format(option.text)
        assert place == read_choice(reply, item).choice
        assert places.index(place) == read_choice(reply, shuffled).choice


@settings(max_examples=40, deadline=None)
@given(
    item=items,
    place=st.integers(0, 11),
    form=st.sampled_from(
        [
            "{}", "({})", "**{}**", "Answer: {}", "The correct answer is {}.", "[[{}]]", "\\boxed{{{}}}",
            "la risposta è la {}",
            "La respuesta correcta es {}", "La réponse est {}", "Die Antwort ist {}", "答案是{}", "选{}", "Option {}",
            "I would choose {}.", '{{"answer": "{}"}}', "law/1, {}", "{}\n\nReasoning: it fits best.",
        ]
    ),
)  # fmt: skip
def test_a_letter_is_read_wherever_it_is_offered(item, place, form):
    """Every usual dress of a letter is read as that letter; a letter that is not offered is never a choice."""
    reading = read_choice(form.format(LETTERS[place]), item)
    if place < len(item.options):
        assert place == reading.choice
    else:
        assert (reading.choice, reading.rule) == (None, "letter-not-offered")


@settings(max_examples=40, deadline=None)
@given(
    item=items,
    place=st.integers(0, 11),
    other=st.integers(0, 11),
    form=st.sampled_from(["The answer is ({}).", "{}", "Answer: {}", "It fits best. Answer: {}"]),
    following=st.sampled_from(
        [
            "\n\nQuestion: What else is seen?\nOptions:\nA. one\nB. two\nAnswer: {}",
            "\n\nQ: And now?\nA: The answer is ({}).",
            "\n\nHuman: Are you sure?\nAssistant: Sorry, the answer is {}.",
            "\n\n### Question 2\nWhat is it?\n### Answer\n{}",
        ]
    ),
)
def test_a_reply_that_runs_on_into_another_question_has_given_its_answer(item, place, other, form, following):
    """What follows in a next question changes nothing."""
    size = len(item.options)
    reply = form.format(LETTERS[place % size]) + following.format(LETTERS[other % size])
    assert read_choice(reply, item).choice == place % size


CLOSINGS = read_table(__file__, "CLOSINGS")


@settings(max_examples=40, deadline=None)
@given(reply=replies, item=items, place=st.integers(0, 11), form=st.sampled_from(CLOSINGS))
def test_a_last_line_that_gives_the_answer_is_final(reply, item, place, form):
    """Whatever stands before it, a line of its own with the answer and nothing else is what the response says."""
    letter = LETTERS[place % len(item.options)]
    assert read_choice(f"{reply}\n\n{form.format(letter)}", item).choice == LETTERS.index(letter)


@settings(max_examples=40, deadline=None)
@given(
    reply=st.lists(
        st.sampled_from(["xyzzy", "lorem", "ipsum", "...", "—", "(", "%", "。", "\n", "the", "of"]), max_size=30
    ).map(" ".join),
    item=items,
)
def test_nothing_is_credited_to_a_reply_that_names_nothing(reply, item):
    """A text without a letter and without an option's words is never correct: there is no random credit."""
    assert grade(reply, "stop", item).choice is None


OPTIONS = (Option("tumor"), Option("normal"))
ABNORMAL = Item(id="law/5", question="?", options=OPTIONS, answer=0, metadata={"normal": "normal"})


def test_a_hostile_reply_is_read_to_its_end():
    """A very long text of anything is read in linear time, for its answer and for what it claims to see.

    Quadratic work would not end before the tests are stopped.
    """
    item = Item(id="law/2", question="?", options=tuple(map(Option, FINDINGS[:5])), answer=0)
    for unit in [
        "(", "*", "A ", " ", "\n", "[[", "<answer>", "\\boxed{", "#", "\n#", "&lt;", "\\text{", "~~a", "<b ",
        "A is ", "no ",
        "the answer is ", "answer\n", "can't ", "无法", "ﷺ", "<think>", "lorem ipsum ", "Effusion ", "image ",
        ", A\n", "1", "\x00",
        "А ", "'", "🅑", "kann ", "A, ", "most likely ", "a-", "é", "ne peux ", "A) x\n",
    ]:  # fmt: skip
        reply = unit * (150_000 // len(unit))
        assert grade(reply, "stop", item).outcome in Outcome, unit
        assert len(read_rationale(reply, "", item).claims) < 100_000, unit
        assert read_detection(reply, ABNORMAL).label in DetectionLabel, unit


def test_a_hostile_question_is_read_to_its_end():
    """So is a very long question or case, by every parser and by what looks for claims and admissions."""
    item = Item(id="law/4", question="?", options=tuple(map(Option, FINDINGS[:5])), answer=0)
    reply = "The image shows an effusion of the left lung. Answer: A"
    for unit in ["a ", ".", "image no ", "? ", "左 "]:
        text = unit * (150_000 // len(unit))
        for asked in (replace(item, question=text), replace(item, context=text)):
            assert all(grade(reply, "stop", asked, parser.name).outcome in Outcome for parser in PARSERS), unit
            assert read_rationale(reply, "", asked).explains, unit
        assert read_admission(reply, text).label is Admission.DESCRIBES, unit


def test_the_answer_at_the_end_of_a_very_long_reply_is_read():
    """Of a reply too long to be read whole, both ends are read."""
    item = Item(id="law/3", question="?", options=tuple(map(Option, FINDINGS[:5])), answer=3)
    musing = "The lung fields need another look. " * 20_000
    assert grade(musing + "\n\nFinal answer: D", "stop", item).outcome is Outcome.CORRECT
    assert grade("Answer: D\n\n" + musing, "stop", item).outcome is Outcome.CORRECT


def test_a_character_with_a_number_of_thousands_of_digits_is_no_character():
    """Python refuses to read such a number; the reply around it is read all the same."""
    item = Item(id="1", question="?", options=(Option("Yes"), Option("No")), answer=1)
    assert grade(f"&#{'1' * 5000}; &amp; Answer: B", "stop", item).choice == 1


@pytest.mark.parametrize("parser", [each for each in our_parsers() if each.kind in USUAL], ids=lambda each: each.name)
@pytest.mark.parametrize("text", ["", " \n\t", "<think>An effusion, so A.</think>\n"])
def test_an_empty_response_is_an_outcome_of_its_own(parser, text):
    """It is not unreadable, not cut off and not refused; cut off or held back, it is what its end says."""
    told = {"premise": {"claims": "an effusion", "holds": False}} if parser.kind == PREMISED else {}
    kind = {CHOICE: "choice", REPORT: "report"}.get(parser.kind, "open")
    options, answer = ((Option("Effusion"), Option("Nodule")), 0) if kind == "choice" else ((), "effusion")
    item = Item("1", "What is it?", kind=kind, options=options, answer=answer, metadata=told)
    if parser.kind == WITHOUT_IMAGE and text.strip():
        return  # there, thinking counts where nothing follows it
    assert grade(text, "stop", item, parser.name).outcome is Outcome.EMPTY
    assert grade(text, "", item, parser.name).outcome is Outcome.EMPTY
    if parser.kind != WITHOUT_IMAGE:
        assert grade(text, "length", item, parser.name).outcome is Outcome.TRUNCATED
        assert grade(text, "content_filter", item, parser.name).outcome is Outcome.REFUSED
