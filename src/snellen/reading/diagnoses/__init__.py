"""Diagnoses: what a response puts between diagnosis tags, under one name whatever its spelling."""

from __future__ import annotations

from snellen.reading.diagnoses.parser import Diagnosis, read_diagnosis

__all__ = ["Diagnosis", "read_diagnosis"]
