"""Grading: what a response says, by which rule of which parser it was read, and what became of it."""

from __future__ import annotations

from snellen.grading.choice.parser import read_choice
from snellen.grading.grades import grade
from snellen.grading.outcomes import Grade, Outcome, Reading
from snellen.grading.parsers import MEMBERS, Parser, Question, parser_named

__all__ = [
    "MEMBERS", "Grade", "Outcome", "Parser", "Question", "Reading", "claims", "columns", "detection", "grade", "grades",
    "invented", "language", "letters", "mismatch", "missing_image", "open", "outcomes", "parser_named", "parsers",
    "premise", "read_choice", "reports", "wording",
]  # fmt: skip
