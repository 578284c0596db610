"""Diagnoses in the tags of responses, under one name for all spellings."""

from __future__ import annotations

from snellen.reading.diagnoses.parser import Diagnosis, read_diagnosis

__all__ = ["Diagnosis", "read_diagnosis"]
