"""Checks that members of the families, ours and plug-ins, keep their contracts."""

from __future__ import annotations

from snellen.testing.benchmark import check_dataset, own_benchmark
from snellen.testing.conditions import check_condition, check_no_key
from snellen.testing.models import check_model
from snellen.testing.parsers import HOSTILE, check_parser
from snellen.testing.stress_tests import check_stress_test

__all__ = [
    "HOSTILE",
    "check_condition",
    "check_dataset",
    "check_model",
    "check_no_key",
    "check_parser",
    "check_stress_test",
    "own_benchmark",
]
