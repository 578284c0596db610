"""The grade of a reply: what the finish reason changes, and what each outcome means."""

from __future__ import annotations

import pytest

from reading import admissions_by_hand
from reading.choice import replies
from rows import take_rows
from snellen.errors import PluginError
from snellen.items import CHOICE, Item, Option
from snellen.models.base import Response
from snellen.prompts import PROMPTS
from snellen.reading import Outcome, grade, parser_named
from snellen.reading.parsers import our_parsers, parser_of

CHEST = Item(
    id="cxr/1", question="What is seen?", options=tuple(map(Option, ("Pneumonia", "Effusion", "Normal"))), answer=1
)
HEALTH = Item(
    id="mri/1", question="?", options=(Option("brain tumor"), Option("normal")), answer=1, metadata={"normal": "normal"}
)
UNKNOWN = Item(
    id="cxr/2",
    question="What is seen?",
    options=(Option("Pneumonia"), Option("Effusion"), Option("Unknown", abstains=True)),
    answer=1,
)


def test_the_right_option_is_correct_and_another_is_wrong():
    """The chosen option decides between correct and wrong, and is kept with rule, evidence and parser."""
    right, wrong = grade("Answer: B", "stop", CHEST), grade("A", "stop", CHEST)
    assert (
        right.outcome,
        right.choice,
        right.rule,
        right.evidence,
        right.parser,
    ) == (Outcome.CORRECT, 1, "answer-phrase", "Answer: B", "lenient")
    assert (wrong.outcome, wrong.choice) == (Outcome.WRONG, 0)


def test_choosing_the_unknown_option_is_an_abstention():
    """An option that means "I do not know" is an abstention, not a wrong answer; its index is kept."""
    abstained = grade("<answer>C. Unknown</answer>", "stop", UNKNOWN)
    assert (abstained.outcome, abstained.choice) == (Outcome.ABSTAINED, 2)


def test_an_unknown_option_that_is_right_is_correct():
    """Where the answer itself is "Unknown" (the image was taken away), choosing it is right."""
    gone = Item(id="cxr/3", question="?", options=UNKNOWN.options, answer=2)
    assert grade("C", "stop", gone).outcome is Outcome.CORRECT


@take_rows("text")
def test_cut_off_before_an_answer_is_truncated(text):
    """A reply that hit the token limit before its answer is truncated, whatever words it holds so far."""
    assert grade(text, "length", CHEST).outcome is Outcome.TRUNCATED


@take_rows("text")
def test_a_complete_answer_counts_though_the_reply_was_cut_off(text):
    """An answer that was complete before the limit is read."""
    assert grade(text, "length", CHEST).outcome is Outcome.CORRECT


def test_a_refusal_at_once_counts_though_the_reply_was_cut_off():
    """A reply that begins by saying it cannot see the image has said so, limit or not."""
    assert grade("I'm sorry, but I can't view images. However, if you", "length", CHEST).outcome is Outcome.ABSTAINED


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "max_tokens", "Length"])
def test_other_names_of_the_token_limit_are_known(finish):
    """Providers name the token limit differently."""
    assert grade("The image shows", finish, CHEST).outcome is Outcome.TRUNCATED


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "refusal"])
def test_a_filtered_reply_is_a_refusal(finish):
    """What a content filter stopped is a refusal, even if the text so far holds a letter."""
    filtered = grade("Answer: B", finish, CHEST)
    assert (filtered.outcome, filtered.choice) == (Outcome.REFUSED, None)


def test_an_empty_reply_is_empty():
    """A model that stopped of its own accord and said nothing is not truncated."""
    assert ((empty := grade("", "stop", CHEST)).outcome, empty.rule) == (Outcome.EMPTY, "empty")


OPEN_ITEM = Item(id="o/1", question="What is seen?", kind="open", answer="pleural effusion")


@take_rows("text, finish, outcome")
def test_open_answers_have_the_outcomes_of_choices(text, finish, outcome):
    """Correct, incorrect and unclear become outcomes; silences, filters and the token limit are as for choices."""
    assert grade(text, finish, OPEN_ITEM, "match").outcome == outcome


@pytest.mark.parametrize("parser", ["match", "mismatch"])
def test_a_choice_is_not_graded_as_an_open_answer(parser):
    """A question with options has no reference text, and no contradiction to name."""
    with pytest.raises(ValueError, match="kind 'choice'"):
        grade("B", "stop", CHEST, parser)


def test_an_unknown_parser_is_named_with_the_known_ones():
    """A misspelt parser fails with the list of those there are."""
    with pytest.raises(PluginError, match="lenient, strict-first-line"):
        grade("B", "stop", CHEST, parser="strict")


def test_only_choices_are_graded_here():
    """An open question has no options to read."""
    with pytest.raises(ValueError, match="kind 'open'"):
        grade("B", "stop", Item(id="o/1", question="?", kind="open", answer="text"))


@take_rows("parser, text, choice, rule")
def test_strict_parsers_take_one_form_only(parser, text, choice, rule):
    """Each strict parser reads its own form, and nothing where that form is missing."""
    reading = parser_named(parser).read(Response(text), CHEST)
    assert (choice, rule) == (reading.choice, reading.rule)


@pytest.mark.parametrize("odd", ["5 - severe", "pleural effusion, small", "not normal", "no longer normal"])
def test_a_model_of_probabilities_is_taken_at_its_word(odd):
    """It names one of the choices as it stands; nothing has to be understood."""
    options = (Option(odd), Option("normal"))
    item = Item(id="cxr/3", question="?", options=options, answer=0, metadata={"normal": "normal"})
    said = [grade(f"Conclusion: {each.text}\n0.7, 0.3", "zero-shot", item).choice for each in options]
    assert said == [0, 1]


STRICT = ("strict-first-line", "double-brackets", "answer-tag", "boxed")


def test_every_rule_that_reads_replies_written_by_hand_has_words():
    """No rule of choices or of missing images is found by its bare name alone."""
    labels = ("MISSING", "REFUSES", "HEDGES", "GENERIC", "DESCRIBES", "EMPTY")
    said = [text for label in labels for texts in getattr(admissions_by_hand, label).values() for text in texts]
    open_question = Item(id="o/1", question="What does this scan show?", kind="open")
    asked = [(text, open_question, "missing-image") for text in said]
    rows = [row for rows in vars(replies).values() if isinstance(rows, list) for row in rows]
    for text, options, _, _ in rows:
        item = Item(id="c/1", question="?", options=replies.OPTIONS[options])
        asked += [(text, each, name) for each in (item, HEALTH) for name in ("lenient", "detection-as-published")]
        asked += [(text, item, name) for name in STRICT]
    assert len(said) > 90
    assert len(rows) > 300
    found = {(name, grade(text, "stop", item, name).rule) for text, item, name in asked}
    assert {(name, rule) for name, rule in found if parser_named(name).rule_words(rule) == rule} == set()


def test_no_two_rules_of_a_parser_have_the_same_words():
    """Lines of a table can be told apart."""
    for parser in our_parsers():
        assert len(set(parser.rules.values())) == len(parser.rules), parser.name


def test_every_prompt_names_a_parser_of_choices():
    """What a prompt's source used can be shown beside the study's own."""
    named = {prompt.parser for prompt in PROMPTS.values() if prompt.parser}
    assert named == {parser_of(CHOICE, name).name for name in named} != set()
