"""Grading: what a reply says, by which rule it was read, and what became of it."""

from __future__ import annotations

from snellen.grading.choices import read_choice
from snellen.grading.readers import READERS, grade
from snellen.grading.verdicts import Grade, Outcome, Reading

__all__ = ["READERS", "Grade", "Outcome", "Reading", "grade", "read_choice"]
