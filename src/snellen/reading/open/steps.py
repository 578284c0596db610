"""A reference that is a chain of steps: the share of them that a response makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from snellen.reading.language.sentences import sentences_of
from snellen.reading.language.words.terms import implied, rivals
from snellen.reading.open.comparison import CORRECT, INCORRECT, UNCLEAR, prepared
from snellen.reading.open.said import said
from snellen.reading.outcomes import OpenReading

ENOUGH = 0.7
"""The share of steps from which on a response is correct."""
TOO_FEW = 0.4
"""The share below which it is incorrect."""
_MADE = 0.6
"""The share of a step's terms with which it is made."""
_LONG = 60
"""Words of a reference whose sentences are its steps, where it has at least so many:"""
_FEWEST = 3


def steps_of(reference: str, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The steps of a reference: those of the metadata, or its sentences where it is long; mostly there are none."""
    listed = metadata.get("steps")
    if isinstance(listed, list | tuple):
        return tuple(step for step in listed if isinstance(step, str) and step.strip())
    if len(reference.split()) < _LONG:
        return ()
    sentences = tuple(each for each in sentences_of(reference) if any(map(str.isalnum, each)))
    return sentences if len(sentences) >= _FEWEST else ()


def read_steps(response: str, steps: Sequence[str], question: str) -> OpenReading:
    """How many of the steps a response makes, each in a sentence of its own or in two that follow each other."""
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
    """Whether a sentence says the core of a step, and neither denies nor contradicts it."""
    wanted, told = prepared(step, question), said(sentence)
    needed = set(wanted.said.terms) | set(wanted.said.denied)
    if not needed:
        return told.words == wanted.said.words
    asserted, denied = told.asserted, told.denied
    if asserted & wanted.said.denied or (denied & set(wanted.said.terms)) - asserted:
        return False
    found = {each for each in wanted.said.terms if each in asserted} | (wanted.said.denied & denied)
    contrary = any(
        asserted & group - implied(wanted.said.terms)
        for each in set(wanted.said.terms) - asserted
        for group in rivals(each)
    )
    return not contrary and len(found) >= _MADE * len(needed)
