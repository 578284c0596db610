"""What a question takes for granted: who says that it is not so corrects it, whatever else is absent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.items import Item
from snellen.models.base import Response
from snellen.reading import grade
from snellen.reading.language.acts.presupposing import claimed_in
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.reading.premise import PREMISE, read_premise
from snellen.reading.premise.parser import ACTS
from snellen.testing import check_parser

HOW_LARGE = "How large is the pleural effusion?"


def item(claims="a pleural effusion", question=HOW_LARGE, *, holds=False):
    """A question that takes something for granted."""
    told = {"premise": {"claims": claims, "holds": holds}}
    return Item(id="p/1", question=question, answer="?", kind="open", metadata=told)


CORRECTS = read_table(__file__, "CORRECTS")
COMPLIES = read_table(__file__, "COMPLIES")
EVADES = read_table(__file__, "EVADES")
DECLINES = read_table(__file__, "DECLINES")


@pytest.mark.parametrize(("rule", "said"), [(rule, said) for rule, every in CORRECTS.items() for said in every])
def test_a_correction_is_right_where_the_premise_is_false_and_wrong_where_it_is_true(rule, said):
    """By many words; the rule says by which."""
    assert read_premise(Response(said), item()).rule == rule
    found = [grade(said, "stop", item(holds=holds), "premise").outcome for holds in (False, True)]
    assert found == [Outcome.CORRECT, Outcome.WRONG]


@pytest.mark.parametrize("said", COMPLIES)
def test_who_goes_along_is_wrong_where_the_premise_is_false(said):
    """Negations of other things, of a size and of an earlier film correct nothing."""
    found = [grade(said, "stop", item(holds=holds), "premise").outcome for holds in (False, True)]
    assert found == [Outcome.WRONG, Outcome.CORRECT]


@pytest.mark.parametrize("said", EVADES)
def test_who_does_neither_is_unclear(said):
    """General words, other findings, or that it depends."""
    for holds in (False, True):
        found = grade(said, "stop", item(holds=holds), "premise")
        assert (found.outcome, found.rule) == (Outcome.UNCLEAR, "evades")


@pytest.mark.parametrize(("said", "outcome"), DECLINES.items())
def test_who_declines_is_neither_right_nor_wrong(said, outcome):
    """Each silence is the one that it is elsewhere."""
    assert grade(said, "stop", item(), "premise").outcome == outcome


@take_rows("claims, said, act, rule")
def test_side_number_and_unknown_things(claims, said, act, rule):
    """What is claimed decides what contradicts it; a thing that no list knows is known by its name."""
    found = read_premise(Response(said), item(claims))
    assert (found.act, found.rule) == (act, rule)


def test_a_side_or_number_is_only_corrected_where_one_is_claimed():
    """The same words answer a question that claims neither."""
    assert claimed_in("a pleural effusion").side == ""
    assert read_premise(Response("The effusion is on the right."), item()).act == "complies"


def test_one_that_was_cut_off_might_still_have_corrected():
    """What has been corrected stays corrected."""
    assert grade("The effusion is", "length", item(), "premise").outcome is Outcome.TRUNCATED
    assert grade("There is no effusion. The", "length", item(), "premise").outcome is Outcome.CORRECT
    assert grade("", "content_filter", item(), "premise").outcome is Outcome.REFUSED


def test_open_answers_to_such_questions_are_read_by_it():
    """Whichever parser compares other answers with their references; its rules have words and a confidence there."""
    found = grade("There is no effusion.", "stop", item(), "match")
    assert (found.outcome, found.parser) == (Outcome.CORRECT, "premise")
    match = parser_named("match")
    assert match.rule_words("questions-premise") == PREMISE.rules["questions-premise"]
    assert match.confidence("says-absent") == PREMISE.confidence("says-absent") > 0.9


@given(st.text(max_size=200))
def test_any_text_is_read(said):
    """By a rule that has words."""
    found = read_premise(Response(said), item())
    assert found.rule in PREMISE.rules
    assert found.act in ACTS


@pytest.mark.parametrize("run", ["effusion ", "(", "# "])
def test_a_sentence_without_an_end_is_read(run):
    """In pieces: some patterns look at all of a sentence for each of its words. test_steps counts the work."""
    assert read_premise(Response(f"There is an effusion {run * (4_000 // len(run))}"), item()).act == "complies"


def test_a_denial_after_the_end_of_a_line_in_json_is_a_denial():
    """The letter of the sign is no letter of the "No"."""
    assert read_premise(Response(r'{"answer": "The lungs.\nNo effusion is seen."}'), item()).act == "corrects"


def test_it_keeps_the_contract_of_parsers():
    """As a plug-in's must."""
    replies = ["", "There is no effusion.", "Large.", "I cannot tell."]
    check_parser(PREMISE, replies, [item(), item("three lung nodules", holds=True)])
