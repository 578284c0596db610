"""References that are a chain of steps: the share of the steps that a response makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from snellen.reading.language.sentences import sentences_of
from snellen.reading.language.words.terms import add_implied, rivals
from snellen.reading.open.comparison import CORRECT, INCORRECT, UNCLEAR, prepare_reference
from snellen.reading.open.said import read_statement
from snellen.reading.outcomes import OpenReading

ENOUGH = 0.7
"""A response with at least this share of the steps is correct."""
TOO_FEW = 0.4
"""A response with less than this share of the steps is incorrect."""
_MADE = 0.6
"""A response makes a step if it has this share of the step's terms."""
_LONG = 60
"""If a reference has at least this many words, its sentences are its steps."""
_FEWEST = 3


def steps_of(reference: str, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the steps of a reference: those in the metadata, or the sentences of a long reference; usually none."""
    listed = metadata.get("steps")
    if isinstance(listed, list | tuple):
        return tuple(step for step in listed if isinstance(step, str) and step.strip())
    if len(reference.split()) < _LONG:
        return ()
    sentences = tuple(each for each in sentences_of(reference) if any(map(str.isalnum, each)))
    return sentences if len(sentences) >= _FEWEST else ()


def read_steps(response: str, steps: Sequence[str], question: str) -> OpenReading:
    """Grade a response by the share of steps that it makes. A step is in one or two sentences."""
    sentences = sentences_of(response)[:_MOST_SENTENCES]
    pairs = [f"{one} {other}" for one, other in pairwise(sentences)]
    made = [step for step in steps if any(_makes(each, step, question) for each in (*sentences, *pairs))]
    share = len(made) / len(steps)
    evidence = f"{len(made)} of {len(steps)} steps" + (f": {made[-1]}" if made else "")
    grade, rule = (
        (CORRECT, "steps-made")
        if share >= ENOUGH
        else (INCORRECT, "steps-missing")
        if share < TOO_FEW
        else (UNCLEAR, "steps-some")
    )
    return OpenReading(rule, grade, evidence=evidence[:120])


_MOST_SENTENCES = 200


def _makes(sentence: str, step: str, question: str) -> bool:
    """Return whether a sentence makes a step, and neither denies nor contradicts it."""
    wanted, told = prepare_reference(step, question), read_statement(sentence)
    needed = set(wanted.said.terms) | set(wanted.said.denied)
    if not needed:
        return told.words == wanted.said.words
    asserted, denied = told.asserted, told.denied
    if asserted & wanted.said.denied or (denied & set(wanted.said.terms)) - asserted:
        return False
    found = {each for each in wanted.said.terms if each in asserted} | (wanted.said.denied & denied)
    contrary = any(
        asserted & group - add_implied(wanted.said.terms)
        for each in set(wanted.said.terms) - asserted
        for group in rivals(each)
    )
    return not contrary and len(found) >= _MADE * len(needed)
