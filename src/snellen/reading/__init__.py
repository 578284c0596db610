"""Parsers: they read the outcome of a response, each by its own rules."""

from __future__ import annotations

from snellen.reading.choice.parser import read_choice
from snellen.reading.grades import grade
from snellen.reading.outcomes import Grade, Outcome, Reading
from snellen.reading.parsers import MEMBERS, Parser, Question, parser_named

__all__ = [
    "MEMBERS", "Grade", "Outcome", "Parser", "Question", "Reading", "claims", "columns", "detection", "grade", "grades",
    "invented", "language", "letters", "mismatch", "missing_image", "open", "outcomes", "parser_named", "parsers",
    "premise", "read_choice", "reports", "wording",
]  # fmt: skip
