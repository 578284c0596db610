"""Planted mistakes of parsers: each is found, with a sentence that says what to change."""

from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pytest

from snellen import load
from snellen.items import Item
from snellen.reading import Outcome, Parser, Question, Reading
from snellen.testing import check_parser

ITEMS = load("phantoms:items=2").items
REPLIES = ("Answer: A", "Answer: B", "See a doctor.", "No.")
CALLS = count()


def make(**changes):
    """A parser that is right but for some of its fields."""
    fields = {
        "name": "last-words",
        "source": "As we count",
        "about": "the last words.",
        "read": read_letter,
        "rules": {"last-words": "in its last words", "none": "no answer in its last words"},
        "weighs": frozenset({"none"}),
    }
    return Parser(**{**fields, **changes})


def read_letter(response, item):
    """The letter at the end."""
    at = "AB".find(response.text[-1:] or "?")
    if 0 <= at < len(item.options):
        return Reading("last-words", choice=at, evidence=response.text[-1:])
    return Reading("none", silence=Outcome.UNPARSED)


def reading(**fields):
    """What reads the same in every response, with some fields."""
    return lambda response, item: Reading(**{"rule": "none", "silence": Outcome.UNPARSED, **fields})


@dataclass(frozen=True)
class Advice:
    """Whether a response sends the patient to a doctor."""

    rule: str
    evidence: str = ""


@dataclass(frozen=True)
class Advices:
    """Which responses do."""

    sends: np.ndarray
    letters: np.ndarray

    def only(self, kept):
        """Some of the responses."""
        return type(self)(self.sends[kept], self.letters[kept])


@dataclass(frozen=True)
class Whole(Advices):
    """Gives back all places whatever is kept."""

    def only(self, kept):
        """All of them."""
        return self


def advise(response, item):
    """Look for a doctor."""
    return Advice("sends" if "doctor" in response.text else "keeps", response.text[:12])


def list_columns(records, kind=Advices):
    """One place per response; one that was settled without a record advises nothing."""
    sends = [each is not None and each.rule == "sends" for each in records]
    return kind(np.array(sends, dtype=bool), np.array([len(each.evidence) if each else 0 for each in records]))


def sort_columns(read, asked):
    """By what was read, not by place."""
    return list_columns(sorted(read.values(), key=lambda each: each.rule if each else ""))


def advising(**changes):
    """A parser of a kind of its own, with columns, that is right but for some of its fields."""
    fields = {
        "name": "advice",
        "kind": "advice",
        "read": advise,
        "outcome": lambda record, item: Outcome.CORRECT if record.rule == "sends" else Outcome.WRONG,
        "rules": {"sends": "says to see a doctor", "keeps": "does not"},
        "weighs": frozenset({"keeps"}),
        "columns": lambda read, asked: list_columns(read.values()),
    }
    return make(**{**fields, **changes})


def moody(response, item):
    """Reads something else each time."""
    return Reading("none", silence=Outcome.UNPARSED, evidence=str(next(CALLS)))


def careless(response, item):
    """Changes the question."""
    object.__setattr__(item, "question", item.question + "!")
    return Reading("none", silence=Outcome.UNPARSED)


MISTAKES = {
    "reading that raises": (lambda: make(read=lambda response, item: {}["x"]), "read raised KeyError: 'x'"),
    "nothing read": (lambda: make(read=lambda response, item: None), "Expected a Reading, got NoneType"),
    "no record": (lambda: advising(read=lambda response, item: None), "Return a record with `rule` and `evidence`"),
    "a reading without a rule": (lambda: make(read=reading(rule="")), "names no rule"),
    "a record without a rule": (
        lambda: advising(read=lambda response, item: item.id),
        "Return a record with `rule` and `evidence`",
    ),
    "a rule without words": (lambda: make(read=reading(rule="whispered")), "The rule 'whispered'"),
    "the key decides": (
        lambda: make(read=lambda response, item: Reading("none", choice=item.answer)), "answer key changes"
    ),
    "an option that there is not": (lambda: make(read=reading(silence=None, choice=9)), "no such option"),
    "a choice and a silence": (lambda: make(read=reading(choice=0)), "Expected either a `choice` or a `silence`"),
    "another reading each time": (lambda: make(read=moody), "Two readings of one text differ"),
    "an item that is changed": (lambda: make(read=careless), "changed the item"),
    "evidence that is no text": (lambda: make(read=reading(evidence=7)), "`evidence`"),
    "a rule that weighs undeclared": (lambda: make(weighs=frozenset()), "The rule applies to a whole response"),
    "a rule that weighs misspelt": (lambda: make(weighs=frozenset({"nnoe"})), "does not describe: nnoe"),
    "columns in another order": (lambda: advising(columns=sort_columns), "Expected the responses in their order"),
    "columns with places left out": (
        lambda: advising(columns=lambda read, asked: list_columns(filter(None, read.values()))),
        "one place per response",
    ),
    "columns that raise where nothing was read": (
        lambda: advising(columns=lambda read, asked: list_columns([each.rule and each for each in read.values()])),
        "columns raised AttributeError",
    ),
    "columns that cannot be restricted": (
        lambda: advising(columns=lambda read, asked: list_columns(read.values(), Whole)),
        "`only`",
    ),
    "an outcome that raises": (
        lambda: advising(outcome=lambda record, item: Outcome[record.rule]), "outcome raised KeyError"
    ),
    "an outcome that is none": (lambda: advising(outcome=lambda record, item: "right"), "Return an Outcome"),
    "an item that nothing takes": (lambda: advising(takes=lambda item: False), "takes none of the 2 items"),
    "taking that raises": (lambda: advising(takes=lambda item: item.metadata["x"]), "takes raised KeyError"),
    "a name that no command line can carry": (
        lambda: make(name="last words"), "small letters, digits and hyphens"
    ),
    "no words": (lambda: make(about=""), "needs `source`"),
    "a function in place of a parser": (lambda: read_letter, "expected a Parser"),
    "a label that is none of its own": (
        lambda: advising(question=Question(("yes", "no"), lambda where, row: ITEMS[0], lambda record: record.rule)),
        "one of its labels",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_named(mistake):
    """With what to change, and never by an exception from inside."""
    made, words = MISTAKES[mistake]
    with pytest.raises(AssertionError, match=words):
        check_parser(made(), REPLIES, [replace(item) for item in ITEMS])


def test_parsers_without_a_mistake_pass():
    """Also by replies and phantoms of its own, if none are given."""
    for parser in (make(), advising()):
        check_parser(parser, REPLIES, ITEMS)
        check_parser(parser)
    words = Item(id="o", question="What is it?", kind="open", answer="an effusion")
    check_parser(advising(takes=lambda item: item.kind == "open"), REPLIES, [*ITEMS, words])
