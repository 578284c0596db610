"""Grading: what a reply says, by which rule it was read, and what became of it."""

from __future__ import annotations

from snellen.grading.choice.parser import read_choice
from snellen.grading.outcomes import Grade, Outcome, Reading
from snellen.grading.parsers import PARSERS, grade

__all__ = ["PARSERS", "Grade", "Outcome", "Reading", "grade", "read_choice"]
