"""Inspect scorers: Snellen's parsers, for its own tasks and for other tasks.

A correct response is C, a wrong one I. A response that abstains, refuses, flags the image, is cut off or cannot be read
is N, which Inspect's accuracy counts as 0; the score's metadata name the reason under `outcome`. A sample
without a response is not scored.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from snellen.errors import DataError
from snellen.imports.asked import printed_in
from snellen.imports.inspect_sample import item_told
from snellen.items import LETTERS, Item, Option
from snellen.models.base import Response
from snellen.models.inspect_ai import read_choice
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import CHOICE, OPEN, USUAL, Parser, parser_of
from snellen.tools.inspect.metrics import FAILED, OUTCOME, accuracy_by_condition, outcomes, paired_difference
from snellen.tools.inspect.refusing import refused_in_a_sentence

_VALUES = {Outcome.CORRECT: CORRECT, Outcome.WRONG: INCORRECT}
_METRICS = [accuracy_by_condition(), outcomes(), paired_difference()]


@scorer(metrics=_METRICS)
def choice(parser: str = USUAL[CHOICE]) -> Scorer:
    """Read the chosen option by one of Snellen's parsers (`snellen list parsers`)."""
    return _scoring(CHOICE, parser)


@scorer(metrics=_METRICS)
def open_answer(parser: str = USUAL[OPEN]) -> Scorer:
    """Grade an open answer against the sample's targets."""
    return _scoring(OPEN, parser)


@refused_in_a_sentence
def _scoring(kind: str, name: str) -> Scorer:
    reading = parser_of(kind, name)

    async def score(state: TaskState, target: Target) -> Score:
        asked = {"arm": state.metadata["arm"]} if state.metadata.get("arm") else {}
        if state.output.empty:
            return Score(value=nan, explanation="There is no response.", metadata={OUTCOME: FAILED, **asked})
        return _score(Response(*read_choice(state.output.choices[0])), _item(state, list(target), kind), reading, asked)

    return score


def _score(response: Response, item: Item, parser: Parser, asked: Mapping[str, str]) -> Score:
    grade, _ = grade_reply(response, item, parser)
    about = {"parser": parser.name, "rule": grade.rule, "evidence": grade.evidence}
    return Score(
        value=_VALUES.get(grade.outcome, NOANSWER),
        answer=None if grade.choice is None else LETTERS[grade.choice],
        explanation=f"{grade.outcome.value}: {parser.rule_words(grade.rule)}",
        metadata={OUTCOME: grade.outcome.value, **about, **asked},
    )


def _item(state: TaskState, targets: list[str], kind: str) -> Item:
    """Return the question of a sample, from Snellen's metadata or from the sample's own fields."""
    if (told := item_told(state.metadata, [each.value for each in state.choices], targets)) is not None:
        return told
    common: dict[str, Any] = {"id": str(state.sample_id), "question": state.input_text}
    if kind != CHOICE:
        listed = {"answers": targets} if len(targets) > 1 else {}
        return Item(**common, kind="open", answer=targets[0] if targets else "", metadata=listed)
    texts = [each.value for each in state.choices] or list(printed_in(state.user_prompt.text))
    if not texts:
        raise DataError(
            f"Sample {state.sample_id!r} has no choices, and its prompt prints no lettered list: there is nothing to "
            "choose from. Score it with snellen/open_answer."
        )
    return Item(**common, options=tuple(map(Option, texts)), answer=_place(state, targets, texts))


def _place(state: TaskState, targets: list[str], texts: list[str]) -> int:
    """Return the position of the correct choice, from its letter or its text."""
    letters = list(LETTERS[: len(texts)])
    if len(targets) == 1:
        for known in (letters, texts):
            if targets[0] in known:
                return known.index(targets[0])
    raise DataError(
        f"Sample {state.sample_id!r} has the target {', '.join(map(repr, targets)) or 'none'}, expected one letter "
        f"from A to {letters[-1]}, or the text of one choice."
    )
