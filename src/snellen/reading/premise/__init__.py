"""Premise: does a response correct what a question wrongly takes for granted?"""

from __future__ import annotations

from pathlib import Path

from snellen.reading.confidence import read_counts
from snellen.reading.parsers import PREMISED, Parser
from snellen.reading.premise.parser import QUESTION, RULES, WEIGHS, Premised, premise_outcome, read_premise

PREMISE = Parser(
    name="premise",
    kind=PREMISED,
    source="Our own, for questions that take for granted what the image may not show",
    about="whether a response corrects the question (it is not there, on the other side, of another number, all is "
    "normal), complies, evades or declines. In English, and in five other languages by their plain negations.",
    takes=lambda item: item.premise is not None,
    read=read_premise,
    outcome=premise_outcome,
    rules=RULES,
    weighs=WEIGHS,
    lasts=frozenset(RULES) - WEIGHS,
    question=QUESTION,
    agreement=Path(__file__).with_name("agreement.json"),
    counted=read_counts("premise", Path(__file__).with_name("counted.json")),
)

__all__ = ["PREMISE", "Premised", "parser", "read_premise"]
