"""How much a response costs: no parser does more than linear work in the length of what it reads.

The lines of Python that a parser runs are counted. Expressions run as one line each and give no count of their own:
their structure is checked instead, and the hostile replies of the laws are read to their end.
"""

from __future__ import annotations

import pkgutil
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module

import pytest

import snellen.reading
from rows import take_rows
from snellen.items import Item, Option
from snellen.models.base import Response
from snellen.reading.parsers import our_parsers
from snellen.runtime import regex
from steps import lines_run

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _constants as signs
    from re import _parser as expressions

REPEATS = (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT)


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every expression of the parsers, with the name it stands under."""
    for found in pkgutil.walk_packages(snellen.reading.__path__, "snellen.reading."):
        if found.name.endswith("embedded"):
            continue
        for name, value in vars(import_module(found.name)).items():
            for place, one in enumerate(value if isinstance(value, (tuple, list)) else [value]):
                if isinstance(one, (re.Pattern, type(regex("")))):
                    yield f"{found.name}.{name}[{place}]", one


def inner(operation, value) -> list:
    """The expressions within a node."""
    if operation in REPEATS:
        return [value[2]]
    if operation is signs.SUBPATTERN:
        return [value[3]]
    if operation is signs.BRANCH:
        return list(value[1])
    if operation in (signs.ASSERT, signs.ASSERT_NOT):
        return [value[1]]
    if operation is signs.ATOMIC_GROUP:
        return [value]
    return []


def is_endless(operation, value) -> bool:
    """Whether a node repeats without an end."""
    return operation in REPEATS and value[1] is signs.MAXREPEAT


def has_separator(tree) -> bool:
    """Whether an expression takes some sign exactly once, whatever else it repeats."""
    for operation, value in tree:
        if operation in (signs.LITERAL, signs.NOT_LITERAL, signs.IN, signs.ANY):
            return True
        if operation is signs.SUBPATTERN and has_separator(value[3]):
            return True
        if operation is signs.BRANCH and all(map(has_separator, value[1])):
            return True
        if operation in REPEATS and value[0] > 0 and not is_endless(operation, value) and has_separator(value[2]):
            return True
    return False


def is_ambiguous(tree, *, repeated=False) -> bool:
    """Whether a repetition without an end stands in another one with nothing between its turns, as in "(a+)+"."""
    for operation, value in tree:
        endless = is_endless(operation, value)
        if endless and repeated:
            return True
        for each in inner(operation, value):
            if is_ambiguous(each, repeated=(repeated or endless) and not (endless and has_separator(each))):
                return True
    return False


def test_no_expression_repeats_a_repetition_without_an_end():
    """Such an expression would take time that grows with the power of the length."""
    found = dict(patterns())
    assert len(found) > 150
    assert [name for name, one in found.items() if is_ambiguous(expressions.parse(one.pattern, one.flags))] == []


@take_rows("expression, ambiguous")
def test_what_is_ambiguous(expression, ambiguous):
    """A sign between the turns of a repetition makes clear where one ends."""
    assert is_ambiguous(expressions.parse(expression)) == ambiguous


ITEM = Item(
    id="steps/1",
    question="What is seen?",
    options=tuple(map(Option, ("Pneumonia", "Left effusion", "Effusion", "5*10^(-3) mm", "None of these"))),
    answer=0,
    metadata={"normal": "None of these"},
)
UNITS = (
    "A is correct. ", "the answer is ", "answer: ", "Answer\n\n", "1. C\n", "b. C / ", "C^2*3 ", "(C) 10.36, which ",
    "Option A:\nB\n", "\\boxed{3} ", "not ", "I can't answer ", "non posso ", "kann nicht ", "无法", "effusion or ",
    "sorry, ", "given the options ", "... ", "$F$9", "*", "$",
)  # fmt: skip


PARSERS = {parser.name: parser for parser in our_parsers() if parser.name != "missing-image-embedded"}


def grown(item, part, text):
    """A response and its item, one part of them this long."""
    if part == "question":
        return Response("The angle is blunted, I cannot say more."), replace(item, question=text)
    if part == "option":
        return Response("The angle is blunted, I cannot say more."), replace(
            item, options=(Option(text), *item.options)
        )
    return Response(text), item


@pytest.mark.parametrize("part", ["response", "question", "option"])
@pytest.mark.parametrize("name", PARSERS)
def test_twice_the_text_is_at_most_twice_the_work(name, part):
    """Lines of Python run grow no faster than the response, the question or an option does."""
    for unit in UNITS:
        costs = [
            lines_run(partial(PARSERS[name].read, *grown(ITEM, part, unit * (size // len(unit)))))
            for size in (300, 1200)
        ]
        assert costs[1] <= 5 * costs[0] + 1000, (unit, costs)
