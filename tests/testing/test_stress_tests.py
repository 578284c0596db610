"""Planted mistakes of stress tests: each is found, with a sentence that says what to change."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from snellen import Analysis, Condition, Design, Expectation, StressTest, load
from snellen.conditions import Effects
from snellen.prompts import Arm
from snellen.reading import Outcome
from snellen.report.chapter import Chapter
from snellen.stats import Estimate
from snellen.stress.base import Kind, Measure, Status, Unit, Verdict
from snellen.stress.design import Presentation
from snellen.stress.measures import of_arm
from snellen.testing import check_stress_test

ITEMS = load("phantoms:items=8").items
KEPT = Kind("kept_rate", "keeps its answer", Unit.SHARE)


@dataclass(frozen=True)
class Polite(Condition):
    """The same question with a please."""

    name: ClassVar[str] = "polite"
    declared: ClassVar[Effects] = Effects(text="changed")

    def apply(self, item, drawn):
        return replace(item, question=f"Please: {item.question}")


@dataclass(frozen=True)
class Telling(Polite):
    """The question with its answer."""

    def apply(self, item, drawn):
        return replace(item, question=f"{item.question} ({item.letter})")


def make(**changes):
    """A test that is right but for some fields of its parts."""
    asks = "Does the answer depend on how politely it is asked for?"
    fields = {"name": "politeness", "asks": asks, "arms": (Polite(),), "expects": Expectation.INVARIANT}
    return StressTest(**{**fields, **changes})


def measure(test, table):
    """How often each arm is right."""
    return [each for arm in ("original", "polite") for each in of_arm(arm, table)]


def number(arm="polite", kind=KEPT):
    """A measure of half of ten."""
    return Measure(arm, kind, Estimate(0.5, 0.2, 0.8, 10, "wilson"))


def first_of_none(test, table):
    """By the responses that were refused under both conditions, of which there may be none."""
    return [number()] if next(place for place in range(len(table.arms["polite"])) if place > 1_000) else []


PLAIN = Chapter("manners", "Manners", lambda evidence, sections, chosen: [])
FAILING = Chapter("manners", "Manners", lambda evidence, sections, chosen: [chosen.parts])
CHOOSING = Chapter("manners", "Manners", lambda evidence, sections, chosen: [], choose=lambda evidence: {}["x"])
NO_CHAPTER = "a sentence"


def on_page(chapter):
    """A test that brings a chapter."""
    return make(chapter=f"{__name__}:{chapter}")


MISTAKES = {
    "no question": (lambda: make(asks="Politeness."), "asks no question"),
    "a name that no command line can carry": (lambda: make(name="polite, really"), "small letters, digits and hyphens"),
    "an arm that never applies": (lambda: make(item_kind="open"), "asks questions of the kind 'open'"),
    "a key printed": (lambda: make(arms=(Telling(),)), "depend on the right answer"),
    "measuring that raises": (lambda: make(measuring=lambda test, table: table.arm), "measuring raised AttributeError"),
    "measuring that raises on few responses": (lambda: make(measuring=first_of_none), "measuring raised StopIteration"),
    "measures of nothing": (lambda: make(measuring=lambda test, table: None), "Return a list of Measure"),
    "numbers in place of measures": (lambda: make(measuring=lambda test, table: [0.5]), "Return a list of Measure"),
    "one number twice": (
        lambda: make(measuring=lambda test, table: [number(), number()], headline="kept_rate"),
        "twice",
    ),
    "deciding that raises": (
        lambda: make(concluding=lambda test, found: found["polite", "kept_rate"].estimate),
        r"deciding raised KeyError: \('polite', 'kept_rate'\)",
    ),
    "a verdict of none": (
        lambda: make(concluding=lambda test, found: None), "expected a Verdict of a table with every outcome, got None"
    ),
    "a status that is none": (lambda: make(concluding=lambda test, found: Verdict("great")), "status"),
    "a missing headline": (lambda: make(measuring=measure, headline="kept_rate"), "headline 'kept_rate'"),
    "a missing parser": (lambda: make(parsers=("whispers",)), "There is no 'whispers' among the parsers"),
    "a missing chapter": (lambda: on_page("MANNERS"), "chapter .*MANNERS"),
    "a chapter that is none": (lambda: on_page("NO_CHAPTER"), "expected .* to be a Chapter"),
    "a chapter that cannot be built": (lambda: on_page("FAILING"), "building its chapter raised AttributeError"),
    "a chapter that cannot choose": (lambda: on_page("CHOOSING"), "choosing .* raised KeyError"),
    "a missing analysis": (
        lambda: StressTest(Design("politeness", "Polite?", (Polite(),)), f"{__name__}:ANALYSIS"), "ANALYSIS"
    ),
    "missing questions": (lambda: make(questions="nowhere-at-all"), "questions"),
    "words with a threshold that there is not": (
        lambda: make(measuring=measure, passes="At most {most} of its answers move."), "most"
    ),
    "a class in place of a test": (lambda: StressTest, "expected a StressTest"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_named(mistake):
    """With what to change, and never by an exception from inside."""
    made, words = MISTAKES[mistake]
    with pytest.raises(AssertionError, match=words):
        check_stress_test(made(), ITEMS)


def test_each_arm_has_every_outcome():
    """Of questions with options; reports and answers in words have more."""
    seen = {}

    def note(test, table):
        for name, grades in table.arms.items():
            seen.setdefault(name, set()).update(outcome for outcome in Outcome if grades.is_(outcome).any())
        return []

    check_stress_test(make(measuring=note))
    assert seen == dict.fromkeys(("original", "polite"), set(Outcome) - {Outcome.UNCLEAR, Outcome.SCORED})


def test_tests_without_a_mistake_pass():
    """With a chapter and a verdict of its own; on phantoms, if no items are given."""
    check_stress_test(on_page("PLAIN"), ITEMS)
    check_stress_test(make())
    design = Design("politeness", "Does politeness matter?", (Arm(Polite()),))
    own = Analysis(
        Expectation.UNKNOWN,
        headline="kept_rate",
        measure=lambda test, table: [number()],
        conclude=lambda test, found: Verdict(Status.REPORTED, rests_on=found["polite", "kept_rate"]),
    )
    check_stress_test(StressTest(design, own, Presentation()), ITEMS)
